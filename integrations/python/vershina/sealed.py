"""Sealed files: one safe way to protect a file (docs/sealed-format.md), compatible with `vershina seal` and `vershina
open`.

>>> from vershina import sealed
>>> sealed.seal("report.pdf", "report.pdf.sealed", [sealed.Passphrase("correct horse battery staple")])
>>> sealed.open("report.pdf.sealed", "report.pdf", [sealed.Passphrase("correct horse battery staple")])

Files appear under their names when they are complete and synced, or not at all. Only verified data is output.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import fcntl
import io
import os
import stat
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Union

from . import _core
from ._atomic import AtomicFile, write_all
from ._core import AuthenticationError, Opener, RecipientInfo, SealedInfo, Sealer
from ._typing import Buffer

__all__ = [
    "Argon2id",
    "Key",
    "Opener",
    "Passphrase",
    "Reader",
    "Recipient",
    "RecipientInfo",
    "SealedInfo",
    "Sealer",
    "Writer",
    "calibrate",
    "inspect",
    "open",
    "rekey",
    "seal",
]

HEADER_LEN: int = _core.SEALED_MAX_HEADER_LEN  # read to open a file; its header may be shorter
MAX_PASSPHRASE_LEN: int = _core.SEALED_MAX_PASSPHRASE_LEN
PIECE = 8 << 20  # bytes read at a time: enough chunks for all threads

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Argon2id:
    """The cost of argon2id (RFC 9106): passes over KiB of memory, in 1 to 64 lanes (8 KiB each at least). The
    default is the RFC's second recommended option. Needs libargon2 (libargon2.so.1), which is loaded when it is used.
    Memory is read at addresses that depend on the passphrase.
    """

    passes: int = 3
    memory: int = 65536
    lanes: int = 4


@dataclass(frozen=True)
class Passphrase:
    """A passphrase: str (as UTF-8) or bytes, 1 to MAX_PASSPHRASE_LEN bytes. iterations of PBKDF2, when sealing: 1000 to
    2^26; 0 means calibrate(). label: the owner's name, when sealing: up to 64 bytes of UTF-8 without control
    characters and invisible ones, readable without a key. argon2id, when sealing: instead of PBKDF2.
    """

    secret: str | bytes = field(repr=False)
    iterations: int = 0
    label: str = ""
    argon2id: Argon2id | None = None

    def __post_init__(self) -> None:
        if not self.secret:
            raise ValueError("an empty passphrase protects nothing")
        if self.argon2id is not None and self.iterations:
            raise ValueError("iterations are those of PBKDF2; argon2id has passes")
        length = len(_kind(self)[1])
        if length > MAX_PASSPHRASE_LEN:
            raise ValueError(f"a passphrase of {length} bytes; {MAX_PASSPHRASE_LEN} are the most")


@dataclass(frozen=True)
class Key:
    """32 to 64 random bytes, as in a key file. label: see Passphrase."""

    secret: bytes = field(repr=False)
    label: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.secret, str):
            raise TypeError("a key is bytes, not str: Key.from_file(path) reads a file")
        length = memoryview(self.secret).nbytes
        if not 32 <= length <= 64:
            raise ValueError(f"a key of {length} bytes; it has 32 to 64")

    @classmethod
    def from_file(cls, path: Path) -> Key:
        """Reads a key file as for `vershina seal -k`: 32 bytes, or 64 hexadecimal digits with at most a newline after
        them.
        """
        with builtins.open(path, "rb") as file:
            content = file.read(4096)
        if len(content) == 32:
            return cls(content)
        text = content.removesuffix(b"\n")
        if len(text) == 64 and all(byte in b"0123456789abcdefABCDEF" for byte in text):
            return cls(bytes.fromhex(text.decode("ascii")))
        raise ValueError(f"{os.fspath(path)}: a key file has 32 bytes or 64 hexadecimal digits")


Recipient = Union[Passphrase, Key]


def calibrate(seconds: float = 0.5) -> int:
    """Returns the iterations that this machine computes in that much processor time, however busy it is: between
    100 000 and 4 000 000, as in the command line."""
    probe = 10_000
    best = seconds
    for _ in range(3):  # the best of three: other programs take caches and clock rate
        begin = time.thread_time()
        _core.pbkdf2(b"passphrase", b"salt" * 4, probe, 64)
        best = min(best, time.thread_time() - begin)
    wanted = int(probe * seconds / max(best, 1e-6))
    return min(max(wanted, 100_000), 4_000_000) // 1000 * 1000


def seal(
    source: Path | BinaryIO,
    destination: Path | BinaryIO,
    recipients: Recipient | Sequence[Recipient],
    *,
    chunk_len: int = 0,
    threads: int = 0,
    device: str | None = None,
    overwrite: bool = False,
) -> None:
    """Seals a file, or a stream of bytes, for a recipient or all of several (up to 32).

    source, destination: a path, or a binary file object. A path appears when it is complete, with permissions and times
    of the source's path. chunk_len: bytes, a power of two from 4096 to 2^24; 0 means 65536. threads: 0 means all.
    device: see Kuznyechik. FileExistsError: the destination exists, and overwrite is False. OSError: a file object
    reads or writes nothing; the output is then not a sealed file.
    """
    with _reading(source) as reader, _writing(destination, overwrite, _model(source, reader), 0o666) as writer:
        model = _model(source, reader)
        slot_len = _least_slot_len(model.st_size if model else None)
        with Writer(
            writer, recipients, chunk_len=chunk_len, threads=threads, device=device, slot_len=slot_len
        ) as sink:
            for piece in _pieces(reader):
                sink.write(piece)


def open(
    source: Path | BinaryIO,
    destination: Path | BinaryIO,
    secrets: Recipient | Sequence[Recipient],
    *,
    max_iterations: int = 0,
    max_argon2id: tuple[int, int] = (0, 0),
    threads: int = 0,
    device: str | None = None,
    overwrite: bool = False,
) -> None:
    """Opens a sealed file with the first of the secrets that fits, or with the only one.

    A path appears when all of it is verified, with permissions and times of the source's path, or only for its owner
    (0600) if the source is a file object. Verified chunks are written to a file object as they come; it has the whole
    file only when this returns. max_iterations: the bound for a header; 0 means 2^26, a minute or two. max_argon2id:
    KiB of memory for one passphrase by argon2id, and of memory times passes for all; 0 means 2^20 and 2^24. threads,
    device: see seal().
    AuthenticationError: no secret fits, a chunk is damaged (the message says which), or the file is cut short.
    ValueError: not a sealed file, a damaged header, an unknown version. OSError: the file object writes nothing. A
    sealed directory yields its tar stream.
    """
    with _reading(source) as reader, _writing(destination, overwrite, _model(source, reader), 0o600) as writer:
        header = _read_exactly(reader, HEADER_LEN)
        with _named(source):
            opener = _unlocked(header, _listed(secrets), max_iterations, threads, device, max_argon2id)
        write_all(writer, opener.update(header[opener.header_len :]))
        for piece in _pieces(reader):
            write_all(writer, opener.update(piece))
        write_all(writer, opener.finalize())


def inspect(source: Path | BinaryIO) -> SealedInfo:
    """Returns the header, without any secret: not authentic. ValueError: not a sealed file, or damaged."""
    with _reading(source) as reader, _named(source):
        return _core.sealed_inspect(_read_exactly(reader, HEADER_LEN))


def rekey(
    path: Path,
    secrets: Recipient | Sequence[Recipient],
    *,
    add: Recipient | Iterable[Recipient] = (),
    remove: Iterable[int] = (),
    max_iterations: int = 0,
    max_argon2id: tuple[int, int] = (0, 0),
) -> None:
    """Changes the recipients of a file. If the slots of its header have 4096 bytes, as in files of 1 MiB or more, and
    room for all recipients, only the header is written, one slot after the other; else a copy with a new header
    replaces the file. A crash at any moment leaves the old recipients or the new ones.

    secrets: one of them must open it. remove: numbers of recipients, from 1, as inspect() and `vershina inspect` show
    them. The content stays under the same file key. ValueError: there is no recipient of that number, or none would be
    left; passphrases that are added by argon2id have different costs. BlockingIOError: another rekey is running on it.
    """
    with builtins.open(path, "r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            raise BlockingIOError(errno.EAGAIN, "another rekey has just replaced it", os.fspath(path))
        header = _read_exactly(file, HEADER_LEN)
        with _named(path):
            opener = _unlocked(header, _listed(secrets), max_iterations, 1, None, max_argon2id)
        derived, removed = _with_iterations(_listed(add)), list(remove)
        added = [recipient[:4] for recipient in derived]
        costs = {recipient[4] for recipient in derived if recipient[4] is not None}
        if len(costs) > 1:
            raise ValueError("passphrases by argon2id that are added at a time have one cost")
        cost = costs.pop() if costs else None
        info = opener.info()
        needed = _core.sealed_slot_len(max(len(info.recipients) - len(removed), 0) + len(added))
        if needed == 0:
            raise ValueError(f"a file has at most {_core.SEALED_MAX_RECIPIENTS} recipients")
        if info.slot_len >= _core.SEALED_IN_PLACE_SLOT_LEN and needed <= info.slot_len:
            first, slot = opener.rekey(added, removed, argon2id=cost)
            for place in (first, 1 - first):
                _write_at(file.fileno(), slot, place * len(slot))
                os.fsync(file.fileno())
            return
        slot_len = max(needed, _least_slot_len(os.fstat(file.fileno()).st_size - opener.header_len))
        _, slot = opener.rekey(added, removed, slot_len, cost)
        with AtomicFile(path, overwrite=True) as copy:
            write_all(copy, slot + slot + header[opener.header_len :])
            for piece in _pieces(file):
                write_all(copy, piece)


class Writer(io.RawIOBase):
    """A binary file object that seals the data written to it into another one, which it leaves open.

    >>> with builtins.open("log.sealed", "xb") as file, Writer(file, [key]) as writer:
    ...     writer.write(b"line")
    >>> with builtins.open("log.sealed", "xb") as file, Writer(file, [key]) as writer, io.TextIOWrapper(writer) as text:
    ...     print("line", file=text)

    Only finish() completes the file. The Writer's own `with` block calls it when it is left without an exception, and
    not before, even if the Writer is closed inside: io.TextIOWrapper and io.BufferedWriter do so, also when an
    exception leaves their block or when they are collected. Put them into the same `with`, as above, or flush them:
    data in their buffers are not in the file. Any other end of a Writer leaves a stream that does not open: an
    exception in its block, a failed write, abandon(), close(), `del`.

    Without a `with` block: write, flush the layers above, finish(), close(). close() without finish() raises
    RuntimeError (unless an exception is being raised already), and dropping a Writer warns (RuntimeWarning). slot_len:
    least length of the header's slots, 512 to 8192 bytes; from 4096 on recipients can be changed in place. Several
    threads may write, one after the other. OSError: the sink writes nothing.
    """

    _state = "abandoned"  # "open", and then "whole", "failed", "abandoned" or "closed"
    _in_block = False

    def __init__(
        self,
        sink: BinaryIO,
        recipients: Recipient | Sequence[Recipient],
        *,
        chunk_len: int = 0,
        threads: int = 0,
        device: str | None = None,
        slot_len: int = _core.SEALED_IN_PLACE_SLOT_LEN,
    ) -> None:
        super().__init__()
        if not recipients:
            raise ValueError("recipients: nobody could open the file")
        self._sink = sink
        self._sealer = Sealer(chunk_len, slot_len=slot_len, threads=threads, device=device)
        for recipient in _with_iterations(_listed(recipients)):
            self._sealer.add(*recipient)
        self._lock = threading.RLock()
        self._busy = False
        self._handled = id(sys.exc_info()[1])
        write_all(sink, self._sealer.header())
        self._state = "open"

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        """Seals and writes all of data, and returns its length."""
        length = memoryview(data).nbytes
        with self._lock:
            if self._state == "whole" and length:  # a late flush may come from a finalizer, whose errors are lost
                warnings.warn(f"sealed.Writer: {length} bytes came after the end: flush first", RuntimeWarning, 2)
            self._expect_open()
            if self.closed:
                raise ValueError("write to a closed sealed.Writer")
            self._put(lambda: self._sealer.update(data))
        return length

    def finish(self) -> None:
        """Writes the end: the file is then whole, and nothing more can be written. A second call does nothing.

        ValueError: abandoned, or a write has failed. OSError: the sink writes nothing, and the file is not whole.
        """
        with self._lock:
            if self._state != "whole":
                self._expect_open()
                self._put(self._sealer.finalize)
                self._state = "whole"

    def abandon(self) -> None:
        """Discards the output, which is not a sealed file: closes without an error."""
        with self._lock:
            if self._state == "open":
                self._state = "abandoned"
        super().close()

    def close(self) -> None:
        """After finish(): closes. Inside the Writer's own `with` block: no more can be written, and the block's end
        decides. Otherwise RuntimeError, and the output is not a sealed file.
        """
        super().close()
        if self._state != "open" or self._in_block:
            return
        error = sys.exc_info()[1]
        if error is not None and id(error) != self._handled:  # the pending error tells more
            self._state = "abandoned"
        else:
            self._state = "closed"
            raise RuntimeError(_UNFINISHED)

    def __enter__(self) -> Writer:
        super().__enter__()
        self._in_block = True
        return self

    def __exit__(self, *error: object) -> None:
        self._in_block = False
        try:
            if error[0] is None and self._state != "abandoned":
                self.finish()
        finally:
            self.abandon()

    def __del__(self) -> None:
        if self._state in ("open", "closed"):  # the error of close() is lost in a finalizer
            self._state = "abandoned"
            super().close()
            warnings.warn(_UNFINISHED, RuntimeWarning, 2)

    def _expect_open(self) -> None:
        if self._state != "open":
            raise ValueError(_STATES[self._state])
        if self._busy:  # from a signal handler or a finalizer, in the middle of this thread's own write
            self._state = "failed"
            raise RuntimeError("sealed.Writer: a call within a call")

    def _put(self, sealed: Callable[[], bytes]) -> None:
        self._busy = True
        try:
            write_all(self._sink, sealed())
        except BaseException:
            self._state = "failed"
            raise
        finally:
            self._busy = False
        if self._state != "open":
            raise ValueError(_STATES[self._state])


_UNFINISHED = "sealed.Writer was closed without finish(): its output is not a sealed file"
_STATES = {
    "whole": "sealed.Writer: the file is finished",
    "failed": "sealed.Writer: a write has failed; its output is not a sealed file",
    "abandoned": "sealed.Writer: abandoned; its output is not a sealed file",
    "closed": _UNFINISHED,
}


class Reader(io.RawIOBase):
    """A sealed file as a seekable binary file object: each chunk is verified before any of it is returned.

    source: a binary file object that can seek. The length is authentic: it is verified when the file is opened.
    AuthenticationError: no secret fits, or a chunk that is read is damaged. io.BufferedReader around it reads small
    pieces fast.
    """

    def __init__(
        self,
        source: BinaryIO,
        secrets: Recipient | Sequence[Recipient],
        *,
        max_iterations: int = 0,
        max_argon2id: tuple[int, int] = (0, 0),
        threads: int = 0,
        device: str | None = None,
    ) -> None:
        super().__init__()
        self._source = source
        self._file_len = source.seek(0, io.SEEK_END)
        source.seek(0)
        header = _read_exactly(source, HEADER_LEN)
        self._opener = _unlocked(header, _listed(secrets), max_iterations, threads, device, max_argon2id)
        self._len = self._opener.plain_len(self._file_len)
        self._position = 0
        self._read(self._len, 0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._len}[whence]
        if base + offset < 0:
            raise ValueError(f"negative position {base + offset}")
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer).cast("B")
        length = min(len(view), PIECE, max(self._len - self._position, 0))
        if length == 0:
            return 0
        view[:length] = self._read(self._position, length)
        self._position += length
        return length

    def _read(self, position: int, length: int) -> memoryview:
        span = self._opener.locate(position, length, self._file_len)
        self._source.seek(span.offset)
        plain = self._opener.read(span, _read_exactly(self._source, span.in_len))
        return memoryview(plain)[span.skip : span.skip + length]


def _listed(recipients: Recipient | Iterable[Recipient]) -> list[Recipient]:
    return [recipients] if isinstance(recipients, (Passphrase, Key)) else list(recipients)


def _kind(recipient: Recipient) -> tuple[str, bytes]:
    if isinstance(recipient, Key):
        return "key", recipient.secret
    if isinstance(recipient, Passphrase):
        secret = recipient.secret
        return "passphrase", secret.encode() if isinstance(secret, str) else secret
    raise TypeError(f"a Passphrase or a Key is needed, not {type(recipient).__name__}")


def _least_slot_len(length: int | None) -> int:
    """Chooses like the program: a short header for less than 1 MiB, else one that can be changed in place."""
    return _core.SEALED_MIN_SLOT_LEN if length is not None and length < 1 << 20 else _core.SEALED_IN_PLACE_SLOT_LEN


def _with_iterations(
    recipients: Iterable[Recipient],
) -> list[tuple[str, bytes, int, str, tuple[int, int, int] | None]]:
    calibrated = 0
    result = []
    for recipient in recipients:
        kind, secret = _kind(recipient)
        iterations, cost = 0, None
        if isinstance(recipient, Passphrase):
            iterations, argon2id = recipient.iterations, recipient.argon2id
            if argon2id is not None:
                cost = argon2id.passes, argon2id.memory, argon2id.lanes
            elif iterations == 0:
                calibrated = iterations = calibrated or calibrate()
        result.append((kind, secret, iterations, recipient.label, cost))
    return result


def _unlocked(
    header: bytes,
    secrets: Sequence[Recipient],
    max_iterations: int,
    threads: int,
    device: str | None = None,
    max_argon2id: tuple[int, int] = (0, 0),
) -> Opener:
    opener = Opener(header, max_iterations, threads=threads, device=device)
    opener.limit_argon2id(*max_argon2id)
    failure: Exception = AuthenticationError("no key or passphrase given opens this file")
    # Keys first: passphrases take their iterations.
    for secret in sorted(secrets, key=lambda recipient: isinstance(recipient, Passphrase)):
        try:
            if opener.unlock(*_kind(secret)):
                return opener
        except (OSError, MemoryError) as error:  # argon2id cannot be had: another secret may not need it
            failure = error
    raise failure


@contextlib.contextmanager
def _named(source: Path | BinaryIO) -> Iterator[None]:
    """Errors about a file have its name."""
    try:
        yield
    except (ValueError, AuthenticationError) as error:
        if isinstance(source, (str, os.PathLike)):
            error.args = (f"{os.fspath(source)}: {error}",)
        raise


@contextlib.contextmanager
def _reading(source: Path | BinaryIO) -> Iterator[BinaryIO]:
    if isinstance(source, (str, os.PathLike)):
        with builtins.open(source, "rb", buffering=0) as file:
            yield file
    elif hasattr(source, "read"):
        yield source
    else:
        hint = "; io.BytesIO(data) is one" if isinstance(source, (bytes, bytearray, memoryview)) else ""
        raise TypeError(f"source: a path or a binary file object is needed, not {type(source).__name__}{hint}")


@contextlib.contextmanager
def _writing(
    destination: Path | BinaryIO, overwrite: bool, model: os.stat_result | None, new_mode: int
) -> Iterator[BinaryIO]:
    if isinstance(destination, (str, os.PathLike)):
        with AtomicFile(destination, overwrite=overwrite, model=model, new_mode=new_mode) as file:
            yield file
    elif hasattr(destination, "write"):
        yield destination
    else:
        given = type(destination).__name__
        raise TypeError(f"destination: a path or a binary file object is needed, not {given}")


def _model(source: Path | BinaryIO, reader: BinaryIO) -> os.stat_result | None:
    """Returns the status of a path's file, whose permissions and times the output gets."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    status = os.fstat(reader.fileno())
    return status if stat.S_ISREG(status.st_mode) else None


def _read_piece(reader: BinaryIO, length: int) -> bytes:
    piece: bytes | None = reader.read(length)
    if piece is None:  # a descriptor that does not block; this is not its end
        raise BlockingIOError(errno.EAGAIN, "read() returned None: the source has nothing yet")
    return piece


def _pieces(reader: BinaryIO) -> Iterator[bytes]:
    while piece := _read_piece(reader, PIECE):
        yield piece


def _read_exactly(reader: BinaryIO, length: int) -> bytes:
    """Reads this many bytes, or all: the library refuses a truncated header."""
    pieces = []
    while length > 0 and (piece := _read_piece(reader, length)):
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        if written == 0:
            raise OSError(errno.EIO, "pwrite() wrote nothing")
        view, offset = view[written:], offset + written
