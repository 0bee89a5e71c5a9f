"""Runs `vershina tomo` in a folder of its own."""
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
    import numpy
except ImportError:
    h5py = numpy = None

BUILD = os.environ["VERSHINA_BUILD"]
PROGRAM = os.path.join(BUILD, "vershina")
os.environ.setdefault("VERSHINA_TUNE", "off")  # ignore measurements of this machine


def main():
    """Runs the tests; 77 if the machine has not what all of them need."""
    if h5py is None:
        print("skip: tomo: needs python3-h5py")
        sys.exit(77)
    unittest.main(module="__main__", verbosity=2)


def module(name):
    """A module of Debian, or a skip."""
    try:
        return __import__(name)
    except ImportError:
        raise unittest.SkipTest(f"needs python3-{name}") from None


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="vershina-tomo-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def tomo(self, *words, status=0, binary=False, **options):
        done = subprocess.run([PROGRAM, "tomo", *map(str, words)], cwd=self.folder, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, **options)
        error = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{words}: {error}")
        self.error = error
        return done.stdout if binary else done.stdout.decode()

    def refused(self, text, *words, status):
        """One line on standard error that says this, and no file that was not there."""
        before = sorted(os.listdir(self.folder))
        self.tomo(*words, status=status)
        lines = [line for line in self.error.splitlines() if line.startswith("vershina: ")]
        self.assertEqual(len(lines), len(self.error.splitlines()), self.error)
        self.assertIn(text, lines[-1])
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def bar(self, *words):
        """Returns the progress bar on a terminal once it has a time left; the program is ended then."""
        terminal, side = pty.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen([PROGRAM, "tomo", *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=side, env={**os.environ, "TERM": "xterm"})
        os.close(side)
        said, found = b"", None
        try:
            while found is None:
                said += os.read(terminal, 65536)
                found = re.search(rb"(\d+)% \[#*-*\] .* of (.*?)  .* MB/s  .* left", said)
        except OSError:  # the program ended
            pass
        process.kill()
        process.wait()
        self.assertIsNotNone(found, said)
        return int(found[1]), found[2].decode()

    def phantom(self, name="scan.h5", *words):
        self.tomo("phantom", "-q", *words, "-o", name)
        return name

    def volume(self, scan, *words):
        """Reconstructs into an array."""
        self.tomo("reconstruct", "-q", scan, *words, "-f", "-o", "volume-of-test.npy")
        return numpy.load(self.path("volume-of-test.npy"))

    def compare(self, volume, reference, *words):
        return json.loads(self.tomo("compare", "--json", "--circle", *words, volume, reference))

    def read(self, name, path="exchange/data"):
        with h5py.File(self.path(name)) as file:
            return file[path][()]

    def read_zarr(self, name):
        """Zarr 3 by the words of its specification; Debian's library has only Zarr 2."""
        with open(self.path(name + "/zarr.json"), encoding="utf-8") as file:
            about = json.load(file)
        self.assertEqual((about["data_type"], about["codecs"][0]["name"]), ("float32", "bytes"))
        shape, chunk = about["shape"], about["chunk_grid"]["configuration"]["chunk_shape"]
        whole = numpy.zeros([-(-s // c) * c for s, c in zip(shape, chunk)], "<f4")
        for z, y, x in numpy.ndindex(*[w // c for w, c in zip(whole.shape, chunk)]):
            values = numpy.fromfile(self.path(f"{name}/c/{z}/{y}/{x}"), "<f4").reshape(chunk)
            whole[z * chunk[0]:(z + 1) * chunk[0], y * chunk[1]:(y + 1) * chunk[1],
                  x * chunk[2]:(x + 1) * chunk[2]] = values
        return whole[tuple(slice(s) for s in shape)]

    def write_exchange(self, name, data, **sets):
        """A Data Exchange file by h5py; theta in half a turn unless it is given, None: without."""
        theta = sets.pop("theta", numpy.arange(len(data)) * 180 / len(data))
        with h5py.File(self.path(name), "w") as file:
            file["exchange/data"] = data
            if theta is not None:
                file["exchange/theta"] = theta
            for path, values in sets.items():
                file["exchange/" + path] = values
        return name
