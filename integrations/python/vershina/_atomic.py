"""A file that appears under its name when it is complete, or not at all."""

from __future__ import annotations

import os
import secrets
from types import TracebackType
from typing import BinaryIO

__all__ = ["AtomicFile", "sync_directory"]


def sync_directory(path: str) -> None:
    """Makes the names in a directory as durable as the files."""
    descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class AtomicFile:
    """Writes beside `path` under a temporary name; leaving the `with` block without an exception syncs and renames.

    overwrite=False: a file that is there, even since a moment ago, is kept, and FileExistsError raised. label: part of
    the temporary name, by which whoever started a job that was killed finds what it left.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False, label: str = "") -> None:
        self.path = os.path.realpath(os.fspath(path))  # a link is followed: what it leads to is replaced
        self.overwrite = overwrite
        self.directory, name = os.path.split(self.path)
        if os.path.isdir(self.path):
            raise IsADirectoryError(f"{self.path}: is a directory")
        if not overwrite and os.path.lexists(self.path):
            raise FileExistsError(f"{self.path}: the file exists already")
        # Of a long name a part: with what is put around it, it must not grow too long.
        self.temporary = os.path.join(self.directory, f".{name[:100]}.{label or 'vershina'}-{secrets.token_hex(8)}.tmp")

    def __enter__(self) -> BinaryIO:
        descriptor = os.open(self.temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self.file = os.fdopen(descriptor, "w+b")
        return self.file

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            self.file.close()
            try:
                os.unlink(self.temporary)
            except FileNotFoundError:
                pass

    def _commit(self) -> None:
        self.file.flush()
        if self.overwrite:
            try:
                os.fchmod(self.file.fileno(), os.stat(self.path).st_mode & 0o7777)
            except FileNotFoundError:
                pass
        os.fsync(self.file.fileno())
        if self.overwrite:
            os.replace(self.temporary, self.path)
        else:
            os.link(self.temporary, self.path)  # fails where the name is taken, which a rename would not
        sync_directory(self.directory)
