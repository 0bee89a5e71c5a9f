"""A directory of many files on a cluster: hashes its files, seals each, then checks that all of them open again.

    python directory.py make DIRECTORY 1000        # something to try it on
    python directory.py protect DIRECTORY OUTPUT office.key [SCHEDULER]

Without the address of a scheduler, starts a cluster on this machine's processors and prints the address of its
dashboard.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from distributed import Client

from vershina import dask, sealed


def make(directory: Path, count: int) -> None:
    """Files of up to a megabyte."""
    directory.mkdir(parents=True)
    for i in range(count):
        (directory / f"{i:06d}.bin").write_bytes(os.urandom(i * 7919 % (1 << 20)))


def protect(directory: Path, output: Path, key: sealed.Key, scheduler: str | None) -> None:
    files = sorted(str(path) for path in directory.iterdir() if path.is_file())
    output.mkdir(parents=True, exist_ok=True)
    with Client(scheduler) as client:  # type: ignore[no-untyped-call]
        print("dashboard:", client.dashboard_link)
        before = dask.hash_files(files, client=client)
        before.write(output / "DIGESTS")
        manifest = dask.seal_files(files, str(output), [key], client=client)
        manifest.write(output / "DIGESTS.sealed")
        with tempfile.TemporaryDirectory(dir=output) as trial:
            after = dask.open_files([entry.name for entry in manifest.entries], trial, [key], client=client)
        assert [entry.digest for entry in after.entries] == [entry.digest for entry in before.entries]
    print(f"{len(files)} files sealed and verified; later: vershina hash --check {output / 'DIGESTS.sealed'}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) == 4:
        make(Path(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:2] == ["protect"] and len(sys.argv) in (5, 6):
        scheduler = sys.argv[5] if len(sys.argv) == 6 else None
        protect(Path(sys.argv[2]), Path(sys.argv[3]), sealed.Key.from_file(sys.argv[4]), scheduler)
    else:
        sys.exit(__doc__)
