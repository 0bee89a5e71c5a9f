"""A cluster of several processes, one of which is killed in the middle of the work."""

import io
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types

import distributed
import fsspec
import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster
from fsspec.implementations.memory import MemoryFile, MemoryFileSystem

import vershina
from vershina import AuthenticationError, dask, sealed, tomography

KEY = sealed.Key(bytes(range(32)))
COUNT = 60


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    paths = []
    for i in range(COUNT):
        path = folder / f"file {i}"
        path.write_bytes(bytes([i]) * (i * 1000))
        paths.append(str(path))
    return paths


def kill_a_worker(client):
    """Kills a busy worker (SIGKILL); returns its process id."""
    busy = {}
    while not any(busy.values()):
        busy = client.processing()
    address = max(busy, key=lambda worker: len(busy[worker]))
    pid = next(nanny.pid for nanny in client.cluster.workers.values() if nanny.worker_address == address)
    os.kill(pid, signal.SIGKILL)
    return pid


class Killer:
    """Kills a worker after this many outputs: in the middle, on a machine of any speed."""

    def __init__(self, client, folder, outputs, pattern="*"):
        self.killed = 0
        self.thread = threading.Thread(target=self.run, args=(client, folder, outputs, pattern))

    def run(self, client, folder, outputs, pattern):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if len(list(folder.glob(pattern))) >= outputs:
                self.killed = kill_a_worker(client)
                return
            time.sleep(0.002)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.thread.join()


def test_hash(client, files, tmp_path):
    manifest = dask.hash_files(files, client=client)
    assert [entry.name for entry in manifest.entries] == files
    for path, entry in zip(files, manifest.entries):
        content = open(path, "rb").read()
        assert entry.digest == vershina.streebog256(content).hexdigest() and entry.length == len(content)
    manifest.write(tmp_path / "DIGESTS")
    with pytest.raises(FileExistsError):
        manifest.write(tmp_path / "DIGESTS")
    if program := os.environ.get("VERSHINA_PROGRAM"):
        subprocess.run([program, "hash", "--check", "--quiet", tmp_path / "DIGESTS"], check=True)


def test_seal_and_open_with_a_worker_killed(client, files, tmp_path):
    out, back = tmp_path / "out", tmp_path / "back"
    out.mkdir()
    back.mkdir()
    with Killer(client, out, COUNT // 4) as killer:
        manifest = dask.seal_files(files, str(out), [sealed.Passphrase("x", 20_000, "Alice"), KEY], client=client)
    assert killer.killed and not os.path.exists(f"/proc/{killer.killed}/exe")
    assert sorted(path.name for path in out.iterdir()) == sorted(os.path.basename(f) + ".sealed" for f in files)
    for entry in manifest.entries:
        content = open(entry.name, "rb").read()
        assert [r.label for r in sealed.inspect(entry.name).recipients] == ["Alice", ""]
        assert entry.digest == vershina.streebog256(content).hexdigest() and entry.length == len(content)

    with Killer(client, back, COUNT // 4) as killer:
        opened = dask.open_files(
            [entry.name for entry in manifest.entries], str(back), [sealed.Passphrase("x")], client=client
        )
    assert killer.killed
    assert sorted(path.name for path in back.iterdir()) == sorted(os.path.basename(f) for f in files)
    for path, entry in zip(files, opened.entries):
        content = open(path, "rb").read()
        assert open(entry.name, "rb").read() == content and entry.digest == vershina.streebog256(content).hexdigest()


@pytest.fixture
def scan(tmp_path):
    """48 rows of a disc that grows, as int32: (angles, rows, bins)."""
    t, r = np.arange(64) - 31.5, np.linspace(8, 28, 48)[:, None]
    row = 2000 * np.sqrt(np.maximum(r * r - t * t, 0))
    tomo = np.repeat(row[None], 60, 0).astype(np.int32)
    array = zarr.create_array(str(tmp_path / "scan.zarr"), shape=tomo.shape, chunks=(60, 5, 64), dtype="int32")
    array[:] = tomo
    return str(tmp_path / "scan.zarr"), tomo.astype(np.float32), np.arange(60) * np.pi / 60


def test_reconstruct_with_a_worker_killed(client, scan, tmp_path):
    source, tomo, theta = scan
    options = {"algorithm": "sirt", "num_iter": 30}
    with Killer(client, tmp_path, 12, ".volume.zarr.*.tmp/c/*/0/0") as killer:
        shape = dask.reconstruct(source, str(tmp_path / "volume.zarr"), theta, 31.0, block=1, client=client, **options)
    assert killer.killed and not os.path.exists(f"/proc/{killer.killed}/exe")
    volume = zarr.open_array(str(tmp_path / "volume.zarr"), mode="r")
    assert shape == volume.shape == (48, 64, 64) and volume.dtype == np.float32
    np.testing.assert_allclose(volume[:], tomography.recon(tomo, theta, 31.0, **options), rtol=1e-4, atol=1e-2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scan.zarr", "volume.zarr"]


def test_a_failed_reconstruction_leaves_nothing(client, scan, tmp_path):
    """Tasks that run when one of them fails write afterwards, and a worker is killed before: no folder comes back."""
    source, _, theta = scan
    (tmp_path / "scan.zarr" / "c" / "0" / "7" / "0").write_bytes(b"damaged")
    with Killer(client, tmp_path, 3, ".volume.zarr.*.tmp/c/*/0/0") as killer, pytest.raises(RuntimeError):
        target = str(tmp_path / "volume.zarr")
        dask.reconstruct(source, target, theta, block=1, client=client, retries=0, algorithm="sirt", num_iter=600)
    assert killer.killed
    # A worker has one thread: its next task begins after those that it had.
    after = [client.submit(os.getpid, workers=[w], allow_other_workers=True, pure=False) for w in client.nthreads()]
    client.gather(after)
    assert [path.name for path in tmp_path.iterdir()] == ["scan.zarr"]


def test_a_write_after_a_failed_reconstruction_leaves_nothing(client, scan, tmp_path, monkeypatch):
    """Tasks that the job does not wait for any more: each one removes the folder that it makes anew."""
    monkeypatch.setattr(dask, "_LAST_WRITES", 0.1)
    source, _, theta = scan
    (tmp_path / "scan.zarr" / "c" / "0" / "1" / "0").write_bytes(b"damaged")
    with pytest.raises(RuntimeError):
        target = str(tmp_path / "volume.zarr")
        dask.reconstruct(source, target, theta, block=1, client=client, retries=0, algorithm="sirt", num_iter=600)
    after = [client.submit(os.getpid, workers=[w], allow_other_workers=True, pure=False) for w in client.nthreads()]
    client.gather(after)
    assert [path.name for path in tmp_path.iterdir()] == ["scan.zarr"]


def test_reconstruct_refuses(client, scan, tmp_path):
    source, tomo, theta = scan
    target = str(tmp_path / "volume.zarr")
    assert dask.reconstruct(source, target, theta, client=client) == (48, 64, 64)
    np.testing.assert_allclose(
        zarr.open_array(target, mode="r")[:], tomography.recon(tomo, theta), rtol=1e-4, atol=1e-2
    )
    with pytest.raises(FileExistsError, match=r"volume\.zarr"):
        dask.reconstruct(source, target, theta, client=client)
    target = str(tmp_path / "other.zarr")
    with pytest.raises(ValueError, match="59 angles for 60 projections"):
        dask.reconstruct(source, target, theta[1:], client=client)
    with pytest.raises(ValueError, match="cone"):
        dask.reconstruct(source, target, theta, beam="cone", client=client)
    with pytest.raises(ValueError, match="block"):
        dask.reconstruct(source, target, theta, block=-1, client=client)
    with pytest.raises(FileNotFoundError):
        dask.reconstruct(str(tmp_path / "none.zarr"), target, theta, client=client)
    for chunk in (tmp_path / "scan.zarr" / "c" / "0").iterdir():
        if chunk.name == "7":
            (chunk / "0").write_bytes(b"damaged")
    with pytest.raises(RuntimeError):
        dask.reconstruct(source, target, theta, client=client, retries=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scan.zarr", "volume.zarr"]


def test_refusals(client, files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(ValueError, match="nobody could open"):
        dask.seal_files(files, str(out), [], client=client)
    with pytest.raises(ValueError, match="two files would get this name"):
        dask.seal_files(files, lambda url: str(out / "same"), [KEY], client=client)
    with pytest.raises(ValueError, match="the file that is read"):
        dask.seal_files(files, lambda url: url, [KEY], client=client)
    (out / "file 3.sealed").write_bytes(b"precious")
    with pytest.raises(FileExistsError, match="file 3.sealed"):
        dask.seal_files(files, str(out), [KEY], client=client)
    assert [path.name for path in out.iterdir()] == ["file 3.sealed"] and (
        out / "file 3.sealed"
    ).read_bytes() == b"precious"
    with pytest.raises(FileNotFoundError):
        dask.hash_files([str(tmp_path / "none")], client=client, retries=1)
    with pytest.raises(ValueError, match="file 1: given twice"):
        dask.hash_files([*files, files[1]], client=client)
    for work in (
        lambda: dask.hash_files(files[0], client=client),
        lambda: dask.seal_files(files[0], str(out), [KEY], client=client),
        lambda: dask.open_files(tmp_path, str(out), [KEY], client=client),
    ):
        with pytest.raises(TypeError, match="urls: a sequence of names is needed, not "):
            work()
    for work in (dask.seal_files, dask.open_files):  # one error, before a worker tries and logs each file
        with pytest.raises(FileNotFoundError, match="nowhere: no such directory, where file 0"):
            work(files, str(tmp_path / "nowhere"), [KEY], client=client)
    with pytest.raises(ValueError, match="unknown hash"):
        dask.hash_files(files, algorithm="md5", client=client)


def test_a_damaged_file_is_named_and_leaves_nothing(client, files, tmp_path):
    out, back = tmp_path / "out", tmp_path / "back"
    out.mkdir()
    back.mkdir()
    manifest = dask.seal_files(files[:5], str(out), [KEY], client=client)
    with open(manifest.entries[3].name, "r+b") as file:
        file.seek(-20, os.SEEK_END)
        byte = file.read(1)[0]
        file.seek(-20, os.SEEK_END)
        file.write(bytes([byte ^ 1]))  # another one, whatever it was
    with pytest.raises(AuthenticationError, match="file 3.sealed.*chunk"):
        dask.open_files([entry.name for entry in manifest.entries], str(back), [KEY], client=client)
    assert sorted(path.name for path in back.iterdir()) == ["file 0", "file 1", "file 2", "file 4"]


class Interrupted(Exception):
    pass


class Committing(MemoryFileSystem):
    """As in s3fs and gcsfs: with autocommit=False nothing is visible before commit()."""

    protocol = "gs"
    store: dict = {}

    def _open(self, path, mode="rb", autocommit=True, **options):
        if mode == "rb":
            return super()._open(path, mode, **options)
        file = MemoryFile(self, path)
        if autocommit:
            file.commit()
        return file


@pytest.mark.parametrize("store", ["commits", "moves"])
def test_stores_without_a_disk(store, monkeypatch):
    """Nothing under the name before the end, nothing after a failure."""
    url = "memory://store/file"
    if store == "commits":
        monkeypatch.setattr(fsspec.core, "url_to_fs", lambda url, **options: (Committing(), "/store/file"))
    filesystem, path = fsspec.core.url_to_fs(url)
    filesystem.makedirs("/store", exist_ok=True)
    with pytest.raises(Interrupted), dask._Output(url, "job", {}) as file:
        file.write(b"half")
        assert not filesystem.exists(path)
        raise Interrupted
    assert not filesystem.exists(path)
    for content in (b"first", b"second"):
        with dask._Output(url, "job", {}) as file:
            file.write(content)
        assert filesystem.cat_file(path) == content
    assert filesystem.ls("/store", detail=False) == [path]


def test_what_killed_tries_left_is_removed(tmp_path):
    (tmp_path / ".file.job-0123.tmp").write_bytes(b"half")
    (tmp_path / ".file.other-0123.tmp").write_bytes(b"somebody else's")
    dask._sweep([str(tmp_path / "file")], "job", {})
    assert [path.name for path in tmp_path.iterdir()] == [".file.other-0123.tmp"]


def test_names_in_manifests():
    entries = (dask.Entry("a", "with\nnewline", 0, "00"), dask.Entry("b", "plain", 0, "11"))
    assert str(dask.Manifest("streebog256", entries)) == "\\00  with\\nnewline\n11  plain\n"


class Elsewhere:
    """A cluster by the ports at which it listens, each at the address that it names; nothing may be sent to it."""

    def __init__(self, scheduler, *workers, behind=()):
        self.scheduler = types.SimpleNamespace(address=scheduler)
        self.ports, self.workers = [scheduler, *behind], workers
        self.sent = []

    @staticmethod
    def server(*ports):
        return types.SimpleNamespace(listeners=[types.SimpleNamespace(listen_address=port) for port in ports])

    def run_on_scheduler(self, function):
        return function(dask_scheduler=self.server(*self.ports))

    def run(self, function, on_error):
        return {worker: function(dask_worker=self.server(worker)) for worker in self.workers}

    def submit(self, *arguments, workers=None, allow_other_workers=None, **options):
        self.sent.append((workers, allow_other_workers))
        raise Interrupted


def localhost_has_an_address():  # not where /etc/hosts is missing, as debootstrap's variant minbase leaves it
    try:
        return bool(socket.getaddrinfo("localhost", 0))
    except OSError:
        return False


@pytest.mark.parametrize(
    "addresses, allowed",
    [
        (["tcp://203.0.113.1:8786", "tcp://127.0.0.1:4000"], False),
        (["tcp://127.0.0.1:8786", "tcp://127.0.0.1:4000", "tcp://203.0.113.1:4000"], False),
        (["tcp://[2001:db8::1]:8786", "tcp://[::1]:4000"], False),
        (["ws://203.0.113.1:8786", "tcp://127.0.0.1:4000"], False),
        (["ucx://203.0.113.1:8786", "tcp://127.0.0.1:4000"], False),
        (["tcp://name.invalid:8786", "tcp://127.0.0.1:4000"], False),
        (["203.0.113.1:8786", "tcp://127.0.0.1:4000"], False),
        (["tcp://0.0.0.0:8786", "tcp://127.0.0.1:4000"], False),
        (["tcp://[::]:8786", "tcp://127.0.0.1:4000"], False),
        (["tcp://127.0.0.1:8786", "tcp://0.0.0.0:4000"], False),
        (["tcp://127.0.0.1:8786"], False),
        (["tls://203.0.113.1:8786"], False),
        (["tcp://127.0.0.1:8786", "tcp://127.8.8.8:4000"], True),
        (["tcp://[::1]:8786", "tcp://[::1]:4000"], True),
        (["tcp://localhost:8786", "tcp://127.0.0.1:4000"], localhost_has_an_address()),
        (["tls://203.0.113.1:8786", "tls://203.0.113.2:4000"], True),
        (["tls://203.0.113.1:8786", "tcp://203.0.113.2:4000"], False),
        (["inproc://203.0.113.1/1/2", "inproc://203.0.113.1/1/3"], True),
    ],
)
def test_keys_cross_no_open_network(tmp_path, addresses, allowed):
    cluster = Elsewhere(*addresses)
    refused = None if allowed else "allow_unencrypted=True|no worker is there yet"
    plain, out = str(tmp_path / "plain"), str(tmp_path / "out")
    for work in (
        lambda **more: dask.seal_files([plain], lambda url: out, [KEY], client=cluster, **more),
        lambda **more: dask.open_files([plain], lambda url: out, [KEY], client=cluster, **more),
        lambda **more: dask.hash_files([plain], client=cluster, storage_options={"auto_mkdir": False}, **more),
        lambda **more: dask.hash_files(["ftp://me:word@203.0.113.9/a"], client=cluster, **more),
    ):
        cluster.sent.clear()
        with pytest.raises(Interrupted if allowed else ValueError, match=refused):
            work()
        assert cluster.sent == ([(sorted(addresses[1:]), False)] if allowed else [])
        with pytest.raises(Interrupted):
            work(allow_unencrypted=True)
        assert cluster.sent[-1] == (None, None)
    with pytest.raises(Interrupted):
        dask.hash_files([plain], client=cluster)  # no secrets
    assert cluster.sent[-1] == (None, None)


def test_every_port_of_a_scheduler_counts(tmp_path):
    cluster = Elsewhere("tls://203.0.113.1:8786", "tls://203.0.113.2:4000", behind=["tcp://0.0.0.0:8787"])
    with pytest.raises(ValueError, match=r"tcp://0\.0\.0\.0:8787: secrets would cross"):
        dask.seal_files([str(tmp_path / "plain")], lambda url: url + "x", [KEY], client=cluster)


def test_a_scheduler_that_listens_to_others_is_refused(files, tmp_path, monkeypatch):
    """The client's address of it is loopback, and no worker is there: a later one could be anybody's."""

    def sent(*arguments, **options):
        raise Interrupted("a task was sent")

    with (
        LocalCluster(host="0.0.0.0", n_workers=0, dashboard_address=None, silence_logs=50) as cluster,
        Client(f"tcp://127.0.0.1:{cluster.scheduler.port}") as client,
    ):
        monkeypatch.setattr(client, "submit", sent)
        for work in (
            lambda: dask.seal_files(files, str(tmp_path), [KEY], client=client),
            lambda: dask.hash_files(files, client=client, storage_options={"key": "a", "secret": "b"}),
            lambda: dask.reconstruct("a.zarr", "b.zarr", [0.0], client=client, storage_options={"secret": "b"}),
        ):
            with pytest.raises(ValueError, match=r"tcp://0\.0\.0\.0:\d+: secrets would cross"):
                work()


def wait_for_event(name):
    distributed.Event(name).wait()


@pytest.fixture(scope="module")
def lonely():
    """A client of a cluster that has one worker of one thread."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        yield client


def wait_for_workers(client, number):
    """Client.wait_for_workers takes more for enough, and one that has died for one that is there."""
    end = time.monotonic() + 120
    while (there := len(client.nthreads())) != number:
        assert time.monotonic() < end, f"{there} workers instead of {number} after two minutes"
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["seal", "reconstruct", "public"])
def test_a_late_worker_gets_no_secrets(lonely, kind, scan, files, tmp_path):
    """The worker that was checked is busy; another one comes at another address of this machine and has nothing to do.

    public: the control, work without secrets, in which the late worker shares.
    """
    client, files, out = lonely, files[:8], tmp_path / "out"
    out.mkdir()
    source, _, theta = scan
    work = {
        "seal": lambda: dask.seal_files(files, str(out), [KEY], client=client),
        "reconstruct": lambda: dask.reconstruct(
            source, str(out / "v.zarr"), theta, block=6, client=client, storage_options={"auto_mkdir": False}
        ),
        "public": lambda: dask.hash_files(files, client=client),
    }[kind]
    word = f"{'hash' if kind == 'public' else kind}-"
    gate = distributed.Event(kind, client=client)
    done = []
    busy = client.submit(wait_for_event, kind, pure=False)
    thread = threading.Thread(target=lambda: done.append(work()))
    thread.start()
    late = None
    try:
        while client.run_on_scheduler(lambda dask_scheduler: sum(word in str(key) for key in dask_scheduler.tasks)) < 8:
            assert thread.is_alive()
            time.sleep(0.02)
        command = [sys.executable, "-m", "distributed.cli.dask_worker", client.scheduler.address]
        command += ["--host", "127.0.0.2", "--nthreads", "8", "--no-nanny", "--no-dashboard"]
        late = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=tmp_path)
        wait_for_workers(client, 2)
        gate.set()
        thread.join(60)
        busy.result()
        logs = client.run(lambda dask_worker: str(list(dask_worker.state.log)))
        (there,) = [log for address, log in logs.items() if "127.0.0.2" in address]
        assert done and (word in there) == (kind == "public")
    finally:
        gate.set()
        if late:
            late.kill()
            late.wait()
            wait_for_workers(client, 1)


def test_workers_that_have_the_secrets_are_gone(lonely, files, tmp_path):
    """Another one, which has not been checked, may come: an error, where Dask would wait without end."""
    with Killer(lonely, tmp_path, 5, "*.sealed") as killer, pytest.raises(RuntimeError, match="begin again"):
        dask.seal_files(files, str(tmp_path), [sealed.Passphrase("x", 20_000)], client=lonely)
    assert killer.killed


class Partial(io.RawIOBase):
    """An unbuffered file that takes 1000 bytes at a time."""

    def __init__(self, limit=1 << 30):
        self.bytes, self.limit = bytearray(), limit

    def writable(self):
        return True

    def write(self, data):
        taken = bytes(data[: min(1000, self.limit - len(self.bytes))])
        self.bytes += taken
        return len(taken)


class Silent:
    """Like paramiko's files, used by fsspec for sftp://: write() returns None and writes all."""

    def __init__(self):
        self.bytes = bytearray()

    def write(self, data):
        self.bytes += data


def test_files_that_take_a_part():
    content = bytes(range(256)) * 100
    for sink in (Partial(), Silent()):
        counting = dask._Counting(sink, vershina.streebog256())
        assert counting.write(content) == counting.length == len(content) and bytes(sink.bytes) == content
        assert counting.digest.digest() == vershina.streebog256(content).digest()
    counting = dask._Counting(Partial(5000), vershina.streebog256())
    with pytest.raises(OSError, match="write"):
        counting.write(content)


def test_permissions(client, tmp_path):
    plain = tmp_path / "plain"
    plain.write_bytes(b"text")
    plain.chmod(0o600)
    (entry,) = dask.seal_files([str(plain)], str(tmp_path), [KEY], client=client).entries
    (back,) = dask.open_files([entry.name], lambda url: str(tmp_path / "back"), [KEY], client=client).entries
    for made in (entry.name, back.name):
        assert os.stat(made).st_mode & 0o777 == 0o600 and os.stat(made).st_mtime_ns == plain.stat().st_mtime_ns
