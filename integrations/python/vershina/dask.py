"""Many files on many machines: hash, seal and open them across a Dask cluster; reconstruct a scan slice by slice.

Files are named by fsspec URLs (`/data/a`, `s3://bucket/a`, `sftp://host/a`), which every worker must be able to reach.
Each file is a separate task, with a name shown in Dask's dashboard with its progress (`hash`, `seal`, `open`).

An output appears complete or not at all, even if workers die: on a local or mounted disk under a temporary name,
synced, then renamed; in an object store as an upload that is committed at the end (s3, gs); elsewhere under a temporary
name, then moved. Killed workers leave at most temporary files, which are removed at the end.

>>> with Client("tcp://scheduler:8786") as client:
...     manifest = dask.hash_files(glob("/data/*"), client=client)
...     manifest.write("DIGESTS")      # lines for `vershina hash --check`
...     reconstruct("s3://scans/a.zarr", "s3://scans/a-volume.zarr", theta, client=client)
"""

from __future__ import annotations

import contextlib
import importlib
import io
import ipaddress
import itertools
import os
import posixpath
import re
import secrets as _random
import socket
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

import distributed
import fsspec
import fsspec.implementations.local

from . import _core, sealed
from ._atomic import AtomicFile, write_all

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Unpack

    from .tomography import Options

__all__ = ["Entry", "Manifest", "hash_files", "open_files", "reconstruct", "seal_files"]


@dataclass(frozen=True)
class Entry:
    """The result for a file. digest: of the file `name`, in hexadecimal digits; length: its bytes."""

    source: str
    name: str
    length: int
    digest: str


@dataclass(frozen=True)
class Manifest:
    """The digests of all files of a job, in the order given.

    hash_files: of the files; seal_files: of the sealed files (checkable without a key); open_files: of the plaintext.
    """

    algorithm: str
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        """Returns lines in the format of `vershina hash`: digest, two spaces, name; names with a newline or backslash
        escaped.
        """
        return "".join(_line(entry) for entry in self.entries)

    def write(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes these lines; the file appears complete or not at all."""
        with AtomicFile(path, overwrite=overwrite) as file:
            write_all(file, os.fsencode(str(self)))


def _line(entry: Entry) -> str:
    name = entry.name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if name == entry.name else chr(92)}{entry.digest}  {name}\n"


def hash_files(
    urls: Iterable[str],
    *,
    algorithm: str = "streebog256",
    client: distributed.Client | None = None,
    retries: int = 3,
    storage_options: Mapping[str, Any] | None = None,
    allow_unencrypted: bool = False,
) -> Manifest:
    """Hashes many files. Files are public input, as with hashlib's usedforsecurity=False: see vershina.streebog256.

    retries: how often a file is retried after an error, such as a network's; a worker's death does not count.
    storage_options: for fsspec; they, and URLs with a password, are sent as seal_files sends its recipients. The first
    permanent error is raised. ValueError: a name is given twice.
    """
    _core.new(algorithm)
    tasks = [(url, url) for url in _names(urls)]
    for (url, _), number in Counter(tasks).most_common(1):
        if number > 1:
            raise ValueError(f"{url}: given twice")
    client, options = _client(client), dict(storage_options or {})
    trusted = _trusted_workers(client, allow_unencrypted) if _have_credentials(options, dict(tasks)) else None
    return _run("hash", _hash, tasks, algorithm, client, trusted, retries, options)


def seal_files(
    urls: Iterable[str],
    destination: str | Callable[[str], str],
    recipients: Sequence[sealed.Recipient],
    *,
    algorithm: str = "streebog256",
    chunk_len: int = 0,
    overwrite: bool = False,
    client: distributed.Client | None = None,
    retries: int = 3,
    storage_options: Mapping[str, Any] | None = None,
    allow_unencrypted: bool = False,
) -> Manifest:
    """Seals many files (sealed.seal), each for all recipients. Sources are unchanged.

    destination: a directory, where each file gets its own name with `.sealed` appended, or a function from URL to URL.
    Two files for one name, and (unless overwrite) existing names are refused before anything is written. recipients are
    sent to the workers that are there now, and to none that comes later. ValueError: there is none, or the scheduler
    or a worker listens beyond this host without TLS (distributed.Security); allow_unencrypted=True: all who reach the
    cluster are trusted. RuntimeError: all of these workers have gone. Use keys rather than passphrases, whose
    iterations are repeated for every file.
    """
    client = _client(client)
    trusted = _trusted_workers(client, allow_unencrypted)
    if not recipients:
        raise ValueError("recipients: nobody could open the files")
    named = [_calibrated(recipient) for recipient in recipients]
    name = destination if callable(destination) else lambda url: posixpath.join(destination, _basename(url) + ".sealed")
    tasks = [(url, name(url)) for url in _names(urls)]
    options = dict(storage_options or {})
    _look_at_targets(tasks, overwrite, options)
    return _run("seal", _seal, tasks, algorithm, client, trusted, retries, options, named, chunk_len)


def open_files(
    urls: Iterable[str],
    destination: str | Callable[[str], str],
    secrets: Sequence[sealed.Recipient],
    *,
    algorithm: str = "streebog256",
    max_iterations: int = 0,
    overwrite: bool = False,
    client: distributed.Client | None = None,
    retries: int = 3,
    storage_options: Mapping[str, Any] | None = None,
    allow_unencrypted: bool = False,
) -> Manifest:
    """Opens many sealed files (sealed.open), each with the first of the secrets that fits; nothing unverified remains.

    destination: a directory, where `.sealed` is removed from each name, or a function from URL to URL. Otherwise as
    seal_files. A file that is not authentic raises AuthenticationError and is not retried.
    """
    client = _client(client)
    trusted = _trusted_workers(client, allow_unencrypted)
    name = (
        destination
        if callable(destination)
        else lambda url: posixpath.join(destination, _basename(url).removesuffix(".sealed"))
    )
    tasks = [(url, name(url)) for url in _names(urls)]
    options = dict(storage_options or {})
    _look_at_targets(tasks, overwrite, options)
    return _run("open", _open, tasks, algorithm, client, trusted, retries, options, list(secrets), max_iterations)


def reconstruct(
    source: str,
    destination: str,
    theta: npt.ArrayLike,
    center: float | None = None,
    *,
    block: int = 0,
    client: distributed.Client | None = None,
    retries: int = 3,
    storage_options: Mapping[str, Any] | None = None,
    allow_unencrypted: bool = False,
    **options: Unpack[Options],
) -> tuple[int, int, int]:
    """Reconstructs a Zarr array of line integrals (angles, rows, bins) into another one of float32, (rows, n, n) in
    units per pixel, whose shape it returns. tomography.Plan explains theta, center and the options; not beam='cone',
    whose rows are not slices.

    block: slices of a task, which are a chunk of the output; 0: those that the kernel does together. It is fastest
    where the scan's chunks hold as many rows and all angles. An input that is not float32 is converted. The output is
    written next to its name and gets it when it is complete: FileExistsError if there is something of that name.
    storage_options, allow_unencrypted: as hash_files. Needs zarr 3 and NumPy here and on the workers.
    """
    from . import tomography

    if options.get("beam") == "cone":
        raise ValueError("beam: all rows of a cone make all slices, which cannot be divided")
    client, storage = _client(client), dict(storage_options or {})
    trusted = _trusted_workers(client, allow_unencrypted) if _have_credentials(storage, (source, destination)) else None
    scan = importlib.import_module("zarr").open_array(**_zarr_store(source, storage), mode="r")
    if len(scan.shape) != 3 or 0 in scan.shape:
        raise ValueError(f"{source}: its shape is {scan.shape}, not (angles, rows, bins)")
    angles, rows, bins = scan.shape
    plan = tomography.Plan(theta, bins, center, **options)
    if len(plan.weights) != angles:
        raise ValueError(f"theta: {len(plan.weights)} angles for {angles} projections")
    block = min(block or plan.batch, rows)
    if block < 1:
        raise ValueError(f"block: {block} is not above 0")
    shape = (rows, plan.size, plan.size)
    with _new_array(client, destination, storage, shape, block) as (url, futures):
        job, work = _random.token_hex(8), (source, url, block, theta, center, dict(options), storage)
        for first in range(0, rows, block):
            key = (f"reconstruct-{job}", first)
            futures.append(client.submit(_reconstruct, first, *work, key=key, **_how(trusted, retries)))
        for error in _results(client, futures, trusted):
            if error is not None:
                raise error
    return shape


@contextlib.contextmanager
def _new_array(
    client: Any, destination: str, storage: dict[str, Any], shape: tuple[int, int, int], block: int
) -> Iterator[tuple[str, list[Any]]]:
    """Yields the URL of an array, which gets its name at the end, and a list for the futures of what writes to it."""
    filesystem, path = fsspec.core.url_to_fs(destination, **storage)
    path = path.rstrip("/")
    if filesystem.exists(path):
        raise FileExistsError(f"{destination}: the array exists already")
    folder, name = posixpath.split(path)
    hidden = posixpath.join(folder, f".{name[:100]}.{_random.token_hex(8)}.tmp")
    url = hidden if _is_local(filesystem) else filesystem.unstrip_protocol(hidden)
    futures: list[Any] = []
    try:
        importlib.import_module("zarr").create_array(
            **_zarr_store(url, storage),
            shape=shape,
            chunks=(block, *shape[1:]),
            dtype="float32",
            attributes={"units": "1/pixel"},
        )
        try:
            yield url, futures
        except BaseException:
            # A worker that still writes would make a removed folder anew, and cancelling does not stop it. Without
            # the array's description tasks that have not begun end at once, and one that ends later removes what it
            # made.
            filesystem.rm_file(posixpath.join(hidden, "zarr.json"))
            with contextlib.suppress(distributed.TimeoutError):
                distributed.wait(futures, timeout=_LAST_WRITES)  # type: ignore[no-untyped-call]
            client.cancel(futures)
            raise
        if _is_local(filesystem):
            os.sync()  # the chunks, before their name
            os.rename(hidden, path)
        else:
            filesystem.mv(hidden, path, recursive=True)
    finally:
        _remove(filesystem, hidden)


def _remove(filesystem: Any, folder: str) -> None:
    """Others may remove it, too, or write in it at the same time."""
    for _ in range(10):
        filesystem.invalidate_cache()
        if not filesystem.exists(folder):
            return
        with contextlib.suppress(OSError):
            filesystem.rm(folder, recursive=True)
    if filesystem.exists(folder):
        filesystem.rm(folder, recursive=True)


def _is_local(filesystem: Any) -> bool:
    return isinstance(filesystem, fsspec.implementations.local.LocalFileSystem)


def _zarr_store(url: str, options: dict[str, Any]) -> dict[str, Any]:
    """Arguments of zarr for a URL; it takes options for remote ones only."""
    filesystem, path = fsspec.core.url_to_fs(url, **options)
    return {"store": path} if _is_local(filesystem) else {"store": url, "storage_options": options}


def _reconstruct(
    first: int,
    source: str,
    target: str,
    block: int,
    theta: npt.ArrayLike,
    center: float | None,
    options: dict[str, Any],
    storage: dict[str, Any],
) -> Exception | None:
    """Makes one chunk of the output: a retry replaces it whole. Permanent errors are returned, as by _transform."""
    import numpy as np

    from . import tomography

    zarr = importlib.import_module("zarr")
    scan = zarr.open_array(**_zarr_store(source, storage), mode="r")
    volume = zarr.open_array(**_zarr_store(target, storage), mode="r+")
    rows = np.ascontiguousarray(scan[:, first : first + block], np.float32)
    try:
        slices = tomography.recon(rows, theta, center, **options)
    except ValueError as error:
        return error
    try:
        volume[first : first + block] = slices
    finally:
        filesystem, path = fsspec.core.url_to_fs(target, **storage)
        filesystem.invalidate_cache()
        try:  # not by exists(), which takes every error for an absence
            filesystem.info(posixpath.join(path, "zarr.json"))
        except FileNotFoundError:  # the job has ended: this made its folder anew
            _remove(filesystem, path)
        except OSError:
            pass  # nothing is known: the job removes the rest
    return None


def _calibrated(recipient: sealed.Recipient) -> sealed.Recipient:
    """Measures iterations here, once, where none are given: not on each worker for each file."""
    if not isinstance(recipient, sealed.Passphrase) or recipient.iterations or recipient.argon2id is not None:
        return recipient
    return replace(recipient, iterations=sealed.calibrate())


def _client(client: distributed.Client | None) -> Any:
    return client or distributed.default_client()  # type: ignore[no-untyped-call]


# : Dask's addresses that are encrypted, or within this process.
_PRIVATE = {"tls", "wss", "gateway", "inproc"}

# : Seconds between looks whether the workers that may have the secrets are still there.
_LOOK = 2


def _have_credentials(options: Mapping[str, Any], urls: Iterable[str]) -> bool:
    return bool(options) or any(re.search("://[^/]*:[^/]*@", url) for url in urls)


def _trusted_workers(client: Any, allow_unencrypted: bool) -> frozenset[str] | None:
    """Returns the addresses of the workers that may have secrets, which are pickled for them; None: all.

    The scheduler has them, too, and so has anyone who reaches an unencrypted port of either: both run what they are
    sent.
    """
    if allow_unencrypted:
        return None
    try:  # lambdas are sent as code: this package need not be installed there
        ports = client.run_on_scheduler(lambda dask_scheduler: [x.listen_address for x in dask_scheduler.listeners])
    except ValueError as error:  # distributed.scheduler.pickle forbids to ask
        raise ValueError(f"the scheduler does not say where it listens ({error}); {_WAY_OUT}") from error
    workers = client.run(lambda dask_worker: [x.listen_address for x in dask_worker.listeners], on_error="ignore")
    for address in [client.scheduler.address, *ports, *workers, *itertools.chain(*workers.values())]:
        scheme, _, place = address.rpartition("://")
        if scheme not in _PRIVATE and not _is_loopback(place.rpartition(":")[0].strip("[]")):
            raise ValueError(f"{address}: secrets would cross the network unencrypted; {_WAY_OUT}")
    if not workers:
        raise ValueError("no worker is there yet, and a later one gets no secrets: client.wait_for_workers(1)")
    return frozenset(workers)


_WAY_OUT = (
    "let scheduler and workers speak TLS (distributed.Security) or listen at 127.0.0.1 alone, or pass "
    "allow_unencrypted=True where everybody who reaches them is trusted"
)


def _is_loopback(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM) if host else []
        return bool(found) and all(ipaddress.ip_address(str(entry[4][0])).is_loopback for entry in found)
    except (OSError, ValueError):
        return False


def _how(trusted: frozenset[str] | None, retries: int) -> dict[str, Any]:
    """Options of client.submit: a worker that comes later gets no task with secrets."""
    where = {} if trusted is None else {"workers": sorted(trusted), "allow_other_workers": False}
    return {"retries": retries, "pure": False, **where}


def _results(client: Any, futures: list[Any], trusted: frozenset[str] | None) -> list[Any]:
    """As client.gather; RuntimeError: all workers that may do this have gone, for which Dask would wait without end."""
    while trusted is not None:
        with contextlib.suppress(distributed.TimeoutError):
            distributed.wait(futures, timeout=_LOOK)  # type: ignore[no-untyped-call]
            break
        if any(future.status == "error" for future in futures):
            break
        if trusted.isdisjoint(client.nthreads()):
            raise RuntimeError("all workers of the beginning have gone, and later ones get no secrets: begin again")
    return list(client.gather(futures))


def _basename(url: str) -> str:
    return posixpath.basename(url.rstrip("/"))


def _names(urls: Iterable[str]) -> Iterable[str]:
    if isinstance(urls, (str, bytes, os.PathLike)):
        raise TypeError(f"urls: a sequence of names is needed, not {type(urls).__name__}: [{urls!r}]")
    return urls


def _look_at_targets(tasks: Sequence[tuple[str, str]], overwrite: bool, options: dict[str, Any]) -> None:
    """Refuses, before there is a task, what each of them would find."""
    taken: set[str] = set()
    folders: set[str] = set()
    for source, target in tasks:
        if target in taken:
            raise ValueError(f"{target}: two files would get this name")
        if target == source:
            raise ValueError(f"{target}: the output is the file that is read")
        taken.add(target)
        filesystem, path = fsspec.core.url_to_fs(target, **options)
        folder = posixpath.dirname(path)
        if _is_local(filesystem) and folder not in folders and not os.path.isdir(folder):
            raise FileNotFoundError(f"{folder}: no such directory, where {posixpath.basename(path)} would be")
        folders.add(folder)
        if not overwrite and filesystem.exists(path):
            raise FileExistsError(f"{target}: the file exists already")


def _run(
    what: str,
    work: Callable[..., Entry | Exception],
    tasks: Sequence[tuple[str, str]],
    algorithm: str,
    client: Any,
    trusted: frozenset[str] | None,
    retries: int,
    *arguments: Any,
) -> Manifest:
    job = _random.token_hex(8)
    how = _how(trusted, retries)
    futures = [
        client.submit(work, source, target, job, algorithm, *arguments, key=(f"{what}-{job}", i), **how)
        for i, (source, target) in enumerate(tasks)
    ]
    try:
        entries = _results(client, futures, trusted)
    finally:
        client.cancel([future for future in futures if not future.done()])
        if what != "hash":
            _sweep([target for _, target in tasks], job, arguments[0])
    for entry in entries:
        if isinstance(entry, Exception):
            raise entry
    return Manifest(algorithm, tuple(entries))


def _hash(source: str, target: str, job: str, algorithm: str, options: dict[str, Any]) -> Entry:
    digest = _core.new(algorithm, usedforsecurity=False)
    length = 0
    with fsspec.open(source, "rb", **options) as file:
        for piece in sealed._pieces(file):
            digest.update(piece)
            length += len(piece)
    return Entry(source, target, length, digest.hexdigest())


def _seal(
    source: str,
    target: str,
    job: str,
    algorithm: str,
    options: dict[str, Any],
    recipients: Sequence[sealed.Recipient],
    chunk_len: int,
) -> Entry | Exception:
    def write(reader: BinaryIO, sink: BinaryIO) -> None:
        sealed.seal(reader, sink, recipients, chunk_len=chunk_len, threads=1)

    return _transform(source, target, job, _core.new(algorithm, usedforsecurity=False), options, write, 0o666)


def _open(
    source: str,
    target: str,
    job: str,
    algorithm: str,
    options: dict[str, Any],
    secrets: Sequence[sealed.Recipient],
    max_iterations: int,
) -> Entry | Exception:
    def write(reader: BinaryIO, sink: BinaryIO) -> None:
        sealed.open(reader, sink, secrets, max_iterations=max_iterations, threads=1)

    return _transform(source, target, job, _core.new(algorithm), options, write, 0o600)


def _transform(
    source: str,
    target: str,
    job: str,
    digest: _core.Hash,
    options: dict[str, Any],
    write: Callable[[BinaryIO, BinaryIO], None],
    new_mode: int,
) -> Entry | Exception:
    """Processes one file. Permanent errors are returned, not raised, so that Dask does not retry."""
    try:
        output = _Output(target, job, options, _status(source, options), new_mode)
        with fsspec.open(source, "rb", **options) as reader, output as file:
            sink = _Counting(file, digest)
            write(reader, sink)  # type: ignore[arg-type]  # only write of BinaryIO is used
        return Entry(source, target, sink.length, digest.hexdigest())
    except (ValueError, _core.AuthenticationError) as error:
        error.args = (f"{source}: {error}",)
        return error


def _status(url: str, options: dict[str, Any]) -> os.stat_result | None:
    """Returns the status of a regular file on a local or mounted disk, whose permissions and times the output gets."""
    filesystem, path = fsspec.core.url_to_fs(url, **options)
    if not isinstance(filesystem, fsspec.implementations.local.LocalFileSystem):
        return None
    status = os.stat(path)
    return status if stat.S_ISREG(status.st_mode) else None


class _Counting:
    """Counts and hashes the data written through it."""

    def __init__(self, sink: BinaryIO, digest: _core.Hash) -> None:
        self.sink, self.digest, self.length = sink, digest, 0
        self.none_is_all = not isinstance(sink, io.IOBase)  # SFTP's files (paramiko) return None

    def write(self, data: bytes) -> int:
        write_all(self.sink, data, none_is_all=self.none_is_all)
        self.digest.update(data)
        self.length += len(data)
        return len(data)


# : Seconds that a failed reconstruction waits for tasks that run.
_LAST_WRITES = 60

# : Stores that implement commits in fsspec: files are invisible before.
_COMMITTING = {"s3", "s3a", "gs", "gcs"}


class _Output:
    """An output that appears complete, on any store of fsspec. Replaces the remains of an earlier attempt."""

    def __init__(
        self,
        target: str,
        job: str,
        options: dict[str, Any],
        model: os.stat_result | None = None,
        new_mode: int = 0o666,
    ) -> None:
        self.filesystem, self.path = fsspec.core.url_to_fs(target, **options)
        self.local: AtomicFile | None = None
        self.temporary = ""
        protocol = self.filesystem.protocol
        if isinstance(self.filesystem, fsspec.implementations.local.LocalFileSystem):
            self.local = AtomicFile(self.path, overwrite=True, label=job, model=model, new_mode=new_mode)
        elif _COMMITTING.isdisjoint((protocol,) if isinstance(protocol, str) else protocol):
            folder, name = posixpath.split(self.path)
            self.temporary = posixpath.join(folder, f".{name[:100]}.{job}-{_random.token_hex(8)}.tmp")

    def __enter__(self) -> Any:
        if self.local:
            return self.local.__enter__()
        if self.temporary:
            self.file = self.filesystem.open(self.temporary, "wb")
        else:
            self.file = self.filesystem.open(self.path, "wb", autocommit=False)
        return self.file

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self.local:
            self.local.__exit__(kind, error, trace)
            return
        self.file.close()
        if kind is not None:
            self.filesystem.rm_file(self.temporary) if self.temporary else self.file.discard()
        elif self.temporary:
            self.filesystem.mv(self.temporary, self.path)
        else:
            self.file.commit()


def _sweep(targets: Iterable[str], job: str, options: dict[str, Any]) -> None:
    """Removes files left by killed attempts of this job, known by their names: best effort."""
    folders: dict[tuple[int, str], Any] = {}
    for target in targets:
        filesystem, path = fsspec.core.url_to_fs(target, **options)
        folders[(id(filesystem), posixpath.dirname(path))] = filesystem
    for (_, folder), filesystem in folders.items():
        try:
            names = filesystem.ls(folder, detail=False, refresh=True)
        except (OSError, TypeError):
            continue
        for name in names:
            base = posixpath.basename(name)
            if base.startswith(".") and f".{job}-" in base and base.endswith(".tmp"):
                filesystem.rm_file(name)
