#!/usr/bin/env python3
"""Volumes between `vershina disk` and the dm-crypt of a real Linux, with Debian's kernel module for Kuznyechik, in both
directions. Run by `make check-all STEPS=disks`.

    check.py BUILD [FOLDER]      FOLDER keeps the guest, which takes a minute to make"""
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GUEST = os.path.join(HERE, "guest.sh")
MIB = 1 << 20


def run(*words, **options):
    return subprocess.run(words, check=True, **options)


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    program = os.path.join(sys.argv[1], "vershina")
    for name in ("mkfs.ext4", "e2fsck", "debugfs"):
        if not shutil.which(name):
            print(f"skip: disk.guest: needs {name}")
            return 77
    with tempfile.TemporaryDirectory(prefix="vershina-guest-") as folder:
        guest = sys.argv[2] if len(sys.argv) > 2 else os.path.join(folder, "guest")
        status = subprocess.run([GUEST, "build", guest], check=False).returncode
        if status != 0:
            return status

        def path(name):
            return os.path.join(folder, name)

        os.umask(0o077)
        with open(path("pw"), "w", encoding="ascii") as file:
            file.write("correct horse\n")
        disk = [program, "disk"]
        passphrase = ["--passphrase-file", path("pw")]
        content = random.Random(14).randbytes(3 * MIB + 1)
        os.mkdir(path("content"))
        with open(path("content/ours"), "wb") as file:
            file.write(content)
        for name, sector_len in (("a", "512"), ("b", "4096")):
            run(*disk, "create", *passphrase, "--size", "24M", "--sector-size", sector_len, "--pbkdf-memory", "32K",
                "--pbkdf-passes", "4", path(name))
            run("mkfs.ext4", "-q", "-b", "4096", "-d", path("content"), path(name + ".ext4"), "24M")
            run(*disk, "copy", *passphrase, "--no-progress", "--from", path(name + ".ext4"), path(name))
        with open(path("c"), "wb") as file:
            file.truncate(40 * MIB)

        result = subprocess.run([GUEST, "run", guest, os.path.join(HERE, "inside_open.sh"), path("a"), path("b"),
                                 path("c")], check=False, stdout=subprocess.PIPE, text=True)
        print(result.stdout, end="")
        if result.returncode != 0:
            return result.returncode
        digest = hashlib.sha256(content).hexdigest()
        assert result.stdout.count(f"{digest}  /mnt/ours") == 2, "the guest read something else"

        for name in ("a", "b", "c"):
            run(*disk, "info", path(name))
            run(*disk, "copy", *passphrase, "--no-progress", "--to", path(name + ".back"), path(name))
            run("e2fsck", "-f", "-n", path(name + ".back"))
            theirs = run("debugfs", "-R", "cat theirs", path(name + ".back"), stdout=subprocess.PIPE).stdout
            assert theirs == "".join(f"{name}: line {i}\n" for i in range(20000)).encode(), name
            if name != "c":
                ours = run("debugfs", "-R", "cat ours", path(name + ".back"), stdout=subprocess.PIPE).stdout
                assert ours == content, name
    print("disk.guest: both directions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
