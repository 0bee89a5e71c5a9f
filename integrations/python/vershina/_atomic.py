"""Files that appear under their names only when they are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from types import TracebackType
from typing import BinaryIO

__all__ = ["AtomicFile", "sync_directory", "write_all"]


def write_all(sink: BinaryIO, data: bytes, *, none_is_all: bool = False) -> None:
    """Writes all of data, or raises OSError: an unbuffered file may write only a part, reported only by write()'s
    result. none_is_all: for sinks that return None and write everything.
    """
    rest: bytes | memoryview = data
    while len(rest) > 0:
        written = sink.write(rest)
        if written is None:
            if none_is_all:
                return
            raise BlockingIOError(errno.EAGAIN, "write() returned None: nothing was written, the sink would block")
        if not 0 < written <= len(rest):
            raise OSError(errno.EIO, f"write() returned {written} for {len(rest)} bytes")
        rest = memoryview(rest)[written:]


def sync_directory(path: str) -> None:
    """Makes the names in a directory as durable as the files."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    """Returns the umask without setting it, which would affect other threads; if that is impossible, the strictest."""
    with contextlib.suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    return 0o077


class AtomicFile:
    """Writes next to `path` under a temporary name, only for its owner (0600); leaving the `with` block without an
    exception sets the permissions, syncs, renames and syncs the directory.

    overwrite=False: an existing file, even a very recent one, is kept, and FileExistsError raised. label: part of the
    temporary name, to find the files of a killed job. Permissions are those of the replaced file, else of the file
    described by model (with its times, as far as umask leaves them), else new_mode.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        label: str = "",
        model: os.stat_result | None = None,
        new_mode: int = 0o666,
    ) -> None:
        self.path = os.path.realpath(os.fspath(path))  # a link is followed: its target is replaced
        self.overwrite = overwrite
        self.model = model
        self.new_mode = new_mode
        self.directory, name = os.path.split(self.path)
        if os.path.isdir(self.path):
            raise IsADirectoryError(f"{self.path}: is a directory")
        if not overwrite and os.path.lexists(self.path):
            raise FileExistsError(f"{self.path}: the file exists already")
        # Only a part of a long name: the temporary name must not be too long.
        self.temporary = os.path.join(self.directory, f".{name[:100]}.{label or 'vershina'}-{secrets.token_hex(8)}.tmp")

    def __enter__(self) -> BinaryIO:
        descriptor = os.open(self.temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.file = os.fdopen(descriptor, "w+b")
        return self.file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            try:
                self.file.close()
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.temporary)

    def _commit(self) -> None:
        self.file.flush()
        self._set_permissions()
        os.fsync(self.file.fileno())
        if self.overwrite:
            os.replace(self.temporary, self.path)
        else:
            os.link(self.temporary, self.path)  # fails if the name is taken, unlike a rename
            os.unlink(self.temporary)
        sync_directory(self.directory)

    def _set_permissions(self) -> None:
        """Sets permissions like the program. If the file system refuses, no user gets more rights than intended."""
        file = self.file.fileno()
        ours = os.fstat(file)
        replaced = None
        if self.overwrite:
            with contextlib.suppress(FileNotFoundError):
                replaced = os.stat(self.path)
        if replaced is not None:
            mode = replaced.st_mode & 0o777
            if (ours.st_uid, ours.st_gid) != (replaced.st_uid, replaced.st_gid):
                try:
                    os.fchown(file, replaced.st_uid, replaced.st_gid)
                except OSError:
                    mode &= 0o700
        else:
            mode = (self.model.st_mode & 0o777 if self.model else self.new_mode) & ~_umask()
            if self.model:
                if ours.st_gid != self.model.st_gid:  # a different group gets no more rights than others
                    mode &= 0o707 | (mode & 0o007) << 3
                with contextlib.suppress(OSError):
                    os.utime(file, ns=(self.model.st_atime_ns, self.model.st_mtime_ns))
        with contextlib.suppress(OSError):  # file systems without permissions
            os.fchmod(file, mode)
