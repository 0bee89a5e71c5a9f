"""Outputs on a disk: only for their owner until they are whole, then with the right permissions, synced, renamed."""

import io
import os
import stat
import subprocess
import sys

import pytest

from vershina import _atomic, sealed

KEY = sealed.Key(bytes(range(32)))


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def umask():
    """Sets the umask for a test."""
    before = os.umask(0)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize("existing", [None, 0o600, 0o644, 0o666])
def test_the_temporary_file_is_private(tmp_path, umask, existing):
    target = tmp_path / "target"
    if existing is not None:
        target.write_bytes(b"old")
        target.chmod(existing)
    with _atomic.AtomicFile(target, overwrite=True, new_mode=0o644) as file:
        (temporary,) = (name for name in os.listdir(tmp_path) if name != "target")
        assert mode(tmp_path / temporary) == 0o600
        file.write(b"new")
        file.flush()
        assert mode(tmp_path / temporary) == 0o600
    assert target.read_bytes() == b"new" and mode(target) == (0o644 if existing is None else existing)
    assert os.listdir(tmp_path) == ["target"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_order(tmp_path, monkeypatch, overwrite):
    """Permissions and all bytes, sync, the name, sync of the directory; without a temporary name."""
    calls = []

    def spy(name):
        original = getattr(os, name)

        def call(*arguments, **options):
            result = original(*arguments, **options)
            is_directory = name == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            if name == "fsync" and not is_directory:
                assert os.fstat(arguments[0]).st_size == 3
            calls.append("fsync directory" if is_directory else name)
            return result

        monkeypatch.setattr(os, name, call)

    for name in ("fchmod", "fsync", "replace", "link", "unlink"):
        spy(name)
    with _atomic.AtomicFile(tmp_path / "target", overwrite=overwrite) as file:
        file.write(b"new")
    names = ["replace"] if overwrite else ["link", "unlink"]
    assert calls[: 3 + len(names)] == ["fchmod", "fsync", *names, "fsync directory"]


def test_after_the_files_that_were_read(tmp_path, umask):
    plain, locked, back = tmp_path / "plain", tmp_path / "plain.sealed", tmp_path / "back"
    plain.write_bytes(b"text")
    for given in (0o640, 0o600, 0o444, 0o4755):
        plain.chmod(given)
        os.utime(plain, ns=(1_000_000_000_123_456_789, 1_000_000_001_987_654_321))
        sealed.seal(plain, locked, [KEY])
        assert mode(locked) == given & 0o777 and os.stat(locked).st_mtime_ns == 1_000_000_001_987_654_321
        sealed.open(locked, back, [KEY])
        assert mode(back) == given & 0o777 and os.stat(back).st_mtime_ns == 1_000_000_001_987_654_321
        locked.unlink()
        back.unlink()
        plain.chmod(0o600)
    plain.chmod(0o666)
    umask(0o027)
    sealed.seal(plain, locked, [KEY])
    assert mode(locked) == 0o640
    # Plaintext without a source file is only for its owner.
    content = io.BytesIO(locked.read_bytes())
    umask(0o022)
    sealed.open(content, back, [KEY])
    assert mode(back) == 0o600
    sealed.seal(io.BytesIO(b"text"), tmp_path / "from memory", [KEY])
    assert mode(tmp_path / "from memory") == 0o644
    # A replaced file keeps its permissions and gets the current time.
    back.chmod(0o604)
    sealed.open(locked, back, [KEY], overwrite=True)
    assert mode(back) == 0o604 and os.stat(back).st_mtime_ns != os.stat(locked).st_mtime_ns


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files to others")
def test_a_file_of_another_owner(tmp_path, umask):
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    os.chown(target, 1234, 2345)
    with _atomic.AtomicFile(target, overwrite=True) as file:
        file.write(b"new")
    status = target.stat()
    assert (status.st_uid, status.st_gid, mode(target)) == (1234, 2345, 0o640)


def test_an_other_group_gets_no_more_than_everybody(tmp_path, umask):
    target = tmp_path / "target"
    model = os.stat(tmp_path)
    fields = list(model)
    fields[stat.ST_MODE], fields[stat.ST_GID] = stat.S_IFREG | 0o664, os.getgid() + 1
    times = {"st_atime_ns": model.st_atime_ns, "st_mtime_ns": model.st_mtime_ns}
    with _atomic.AtomicFile(target, model=os.stat_result(fields, times)):
        pass
    assert mode(target) == 0o644


def test_a_killed_process_leaves_what_only_its_owner_reads(tmp_path):
    program = (
        "import os, sys; from vershina._atomic import AtomicFile\n"
        "os.umask(0)\n"
        "with AtomicFile(sys.argv[1], overwrite=True) as file:\n"
        "    file.write(b'plaintext'); file.flush(); os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", program, tmp_path / "target"]).returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.read_bytes() == b"plaintext" and mode(left) == 0o600


def test_a_failed_commit_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "target").write_bytes(b"old")

    def fail(descriptor):
        raise OSError(5, "disk")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk"), _atomic.AtomicFile(tmp_path / "target", overwrite=True) as file:
        file.write(b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
