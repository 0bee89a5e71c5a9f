"""Outputs when something goes wrong: a killed program, a signal, a full disk, too little memory."""
import glob
import os
import resource
import signal
import subprocess
import time

import support
from support import PROGRAM, h5py, numpy


class Writing(support.Case):
    def setUp(self):
        super().setUp()
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 96, "--rows", 96, "--projections", 60)

    def start(self, *words):
        return subprocess.Popen([PROGRAM, "tomo", "reconstruct", "-q", "scan.h5", *words], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    # Small blocks of large slices: there is something to interrupt.
    SLOW = ["--interpolation", "cubic", "--size", "400", "-t", "1", "--memory", "16M"]

    def wait_for(self, pattern, process):
        limit = time.monotonic() + 60
        while not glob.glob(self.path(pattern), include_hidden=True):
            self.assertIsNone(process.poll(), "ended before there was anything to interrupt")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.002)

    def test_killed(self):
        """Nothing is there under the final name, and a file that was there before stays as it is."""
        outputs = [("v.h5", []), ("v.tif", []), ("d", ["--format", "png", "--window", "0:1"])]
        self.put("v.h5", b"before")
        for name, words in outputs:
            process = self.start("-o", name, "-f", *words, *self.SLOW)
            self.wait_for(".vershina-*.tmp", process)
            process.kill()
            process.communicate()
            self.assertEqual(self.get(name) if name == "v.h5" else os.path.exists(self.path(name)),
                             b"before" if name == "v.h5" else False)
            for left in glob.glob(self.path(".vershina-*"), include_hidden=True):
                subprocess.run(["rm", "-r", left], check=True)

    def test_signal(self):
        for name, words in (("v.h5", []), ("d", ["--format", "dicom"])):
            process = self.start("-o", name, "--window", "0:1", *words, *self.SLOW)
            self.wait_for(".vershina-*.tmp", process)
            process.send_signal(signal.SIGTERM)
            error = process.communicate(timeout=60)[1].decode()
            self.assertEqual(process.returncode, -signal.SIGTERM)
            self.assertIn("interrupted", error)
            self.assertEqual(os.listdir(self.folder), ["scan.h5"])

    def test_zarr_goes_on(self):
        """Killed at any time, the same command with --resume gives the same volume."""
        words = ["-o", "v.zarr", "--format", "ome-zarr-0.4", *self.SLOW]
        whole = self.volume("scan.h5", *self.SLOW)
        process = self.start(*words)
        self.wait_for("v.zarr.partial/0/1", process)
        process.kill()
        process.communicate()
        self.assertFalse(os.path.exists(self.path("v.zarr")))
        self.refused("go on with --resume", "reconstruct", "scan.h5", *words, status=4)
        self.refused("other settings", "reconstruct", "scan.h5", *words, "--resume", "--filter", "hann",
                     status=4)
        self.tomo("reconstruct", "scan.h5", *words, "--resume")
        self.assertIn("slices were there already", self.error)
        volume = support.module("zarr").open(self.path("v.zarr"), "r")["0"][:]
        numpy.testing.assert_allclose(volume, whole, atol=1e-5)  # a slice alone is rounded in another way
        self.assertEqual(sorted(os.listdir(self.path("v.zarr"))), [".zattrs", ".zgroup", "0", "1"])
        self.refused("exists already", "reconstruct", "scan.h5", *words, "--resume", status=4)

    def test_full_disk(self):
        """By the limit of a file's size, which every file system obeys."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        for words in (["-o", "v.npy"], ["-o", "v.tif"], ["-o", "v.nii"], ["-o", "v.zarr"]):
            self.tomo("reconstruct", "scan.h5", *words, status=4, preexec_fn=limit)
            self.assertEqual([n for n in os.listdir(self.folder) if not n.endswith(".partial")], ["scan.h5"], words)

    def test_small_disk(self):
        small = self.path("small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("mounting a small disk is not permitted here")
        try:
            self.tomo("reconstruct", "scan.h5", "-o", "small/v.h5", status=4)
            self.assertIn("the disk has", self.error)
            self.assertEqual(os.listdir(small), [])
        finally:
            subprocess.run(["umount", small], check=True)

    def test_memory(self):
        self.refused("may be used", "reconstruct", "scan.h5", "--size", "4000", "--memory", "50M", "-o", "v.h5",
                     status=70)
        # Blocks of any size give the same volume.
        first = self.volume("scan.h5", "--memory", "16M")
        numpy.testing.assert_allclose(self.volume("scan.h5", "--memory", "1G"), first, atol=2e-5)

    def test_constant_memory(self):
        """A volume of 64 times the slices takes no more memory than the blocks that are allowed."""
        if os.environ.get("VERSHINA_SANITIZE"):
            self.skipTest("needs a build without sanitizers, which take memory of their own")
        with h5py.File(self.path("long.h5"), "w") as file:
            file["exchange/data"] = numpy.zeros((16, 4096, 64), "f4")
            file["exchange/theta"] = numpy.arange(16) * 11.25
        words = [PROGRAM, "tomo", "reconstruct", "-q", "long.h5", "--size", "128", "--centre", "31.5",
                 "--memory", "24M", "-t", "1", "-o", "v.npy"]
        process = subprocess.Popen(words, cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(os.path.getsize(self.path("v.npy")), 128 + 4096 * 128 * 128 * 4)
        self.assertLess(usage.ru_maxrss, 100 * 1024)  # KiB; the volume has 256 MiB


if __name__ == "__main__":
    support.main()
