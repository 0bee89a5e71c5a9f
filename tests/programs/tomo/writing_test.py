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
        slow = [*self.SLOW[:-1], "32M"]  # a slab of chunks is 15 MB
        whole = self.volume("scan.h5", *slow)
        for version, other, chunks in (("ome-zarr-0.4", "ome-zarr", "0/1"), ("ome-zarr", "ome-zarr-0.4", "0/c/1")):
            words = ["-o", f"{version}.zarr", *slow]
            process = self.start(*words, "--format", version)
            self.wait_for(f"{version}.zarr.partial/{chunks}", process)
            process.kill()
            process.communicate()
            self.assertFalse(os.path.exists(self.path(f"{version}.zarr")))
            self.refused("go on with --resume", "reconstruct", "scan.h5", *words, "--format", version, status=4)
            for more in (["--format", version, "--filter", "hann"], ["--format", version, "--pixel", "0.5"],
                         ["--format", other]):
                self.refused("other settings", "reconstruct", "scan.h5", *words, "--resume", *more, status=4)
            self.tomo("reconstruct", "scan.h5", *words, "--format", version, "--resume")
            self.assertIn("slices were there already", self.error)
            self.refused("exists already", "reconstruct", "scan.h5", *words, "--format", version, "--resume", status=4)
        volume = support.module("zarr").open(self.path("ome-zarr-0.4.zarr"), "r")["0"][:]
        # A slice alone is rounded in another way.
        numpy.testing.assert_allclose(volume, whole, atol=1e-5)
        numpy.testing.assert_allclose(self.read_zarr("ome-zarr.zarr/0"), whole, atol=1e-5)
        self.assertEqual(sorted(os.listdir(self.path("ome-zarr-0.4.zarr"))), [".zattrs", ".zgroup", "0", "1"])
        self.assertEqual(sorted(os.listdir(self.path("ome-zarr.zarr"))), ["0", "1", "zarr.json"])

    def test_resume_of_something_else(self):
        """A folder of that name that is not a volume, and one whose file of progress is a link to another file."""
        words = ["reconstruct", "scan.h5", "-o", "v.zarr", "--resume"]
        os.mkdir(self.path("v.zarr.partial"))
        for name in ("notes", "v.zarr.partial/notes"):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("precious")
        progress = self.path("v.zarr.partial/.vershina-progress")
        for make in (lambda: None, lambda: os.symlink(self.path("notes"), progress), lambda: os.mkfifo(progress)):
            make()
            self.refused("not a volume that was begun", *words, status=4)
            if os.path.lexists(progress):
                os.remove(progress)
        os.link(self.path("notes"), progress)
        self.refused("has a second name", *words, status=4)
        os.remove(progress)
        self.assertEqual(os.listdir(self.path("v.zarr.partial")), ["notes"])
        with open(self.path("notes"), encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")

    def test_resume_of_what_others_reach(self):
        """--resume writes into no folder that others made or may change, and through no link."""
        def begin():
            os.umask(0o002)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        words = ["reconstruct", "scan.h5", "-o", "v.zarr"]
        self.tomo(*words, status=4, preexec_fn=begin)
        words.append("--resume")
        partial, finest, outside = (self.path(name) for name in ("v.zarr.partial", "v.zarr.partial/0", "outside"))
        chunk, progress, notes = finest + "/c/0/0/0", partial + "/.vershina-progress", outside + "/notes"
        os.mkdir(outside)
        with open(notes, "w", encoding="ascii") as file:
            file.write("precious")

        def refused(text):
            self.refused(text, *words, status=4)
            with open(notes, encoding="ascii") as file:
                self.assertEqual((os.listdir(outside), file.read()), (["notes"], "precious"))

        for path, mode in ((partial, 0o777), (partial, 0o770), (progress, 0o606)):
            before = os.stat(path).st_mode
            os.chmod(path, mode)
            with self.subTest(path=path, mode=mode):
                refused(f"{os.path.relpath(path, self.folder)}: others may write to it")
            os.chmod(path, before)
        os.chmod(partial, 0o711)  # others pass through, and below umask lets the group write
        refused("others may write to it")
        os.chmod(partial, 0o700)
        for path in (finest, finest + "/c/0", chunk, finest + "/zarr.json"):
            with self.subTest(link=path):
                os.rename(path, self.path("away"))
                os.symlink(outside if os.path.isdir(self.path("away")) else notes, path)
                refused(f"{os.path.relpath(path, self.folder)}: is a symbolic link")
                os.remove(path)
                os.rename(self.path("away"), path)
        os.rename(partial, self.path("away"))
        os.symlink(self.path("away"), partial)
        refused("not a volume that was begun")
        os.remove(partial)
        os.rename(self.path("away"), partial)
        os.remove(chunk)
        os.link(notes, chunk)
        refused("has a second name")
        os.remove(chunk)
        if os.geteuid() == 0:
            for path in (partial, progress, finest, finest + "/zarr.json"):
                with self.subTest(owner=path):
                    os.chown(path, 65534, -1)
                    refused(f"{os.path.relpath(path, self.folder)}: belongs to another user")
                    os.chown(path, 0, -1)
        self.tomo(*words, preexec_fn=lambda: os.umask(0o002))
        self.assertEqual(os.listdir(self.path("v.zarr")).count(".vershina-progress"), 0)
        for path in ("v.zarr", "v.zarr/0", "v.zarr/0/c/0"):
            self.assertEqual(os.stat(self.path(path)).st_mode & 0o7777, 0o775, path)

    def test_nothing_that_exists_is_replaced(self):
        """Whatever the format: without --force no file, and never a folder."""
        for name in ("a.h5", "a.tif", "a.nii", "a.npy", "a.png", "a.h5.sealed", "file"):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("precious")
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("a.zarr"))
        before = sorted(os.listdir(self.folder))
        for name, more in (("a.h5", []), ("a.tif", []), ("a.nii", []), ("a.npy", []), ("a.png", ["--slices", "1"]),
                           ("file", ["--format", "tiff"]), ("file", ["--format", "dicom"]), ("a.zarr", []),
                           *[("folder", ["--format", f, *force]) for f in ("tiff", "dicom", "png")
                             for force in ([], ["--force"])]):
            with self.subTest(name=name, more=more):
                self.refused("exists already", "reconstruct", "scan.h5", "-o", name, *more, status=4)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        for name in before:
            if os.path.isfile(self.path(name)) and name != "scan.h5":
                with open(self.path(name), encoding="ascii") as file:
                    self.assertEqual(file.read(), "precious", name)

    def test_zarr_goes_on_with_the_same_options(self):
        """Each option that changes slices is one of the settings."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        full_turn = ["--angle-step", "6"]
        for i, (common, first, second) in enumerate((
                (["-a", "hfbp"], [], ["--filter", "hann"]), (["-a", "hfbp"], [], ["--quality", "fast"]),
                (["-a", "hfbp"], [], ["--padding", "edges"]),
                (["-a", "dfr"], [], ["--filter", "hann"]), (["-a", "dfr"], [], ["--padding", "edges"]),
                ([], [], ["-a", "dfr"]), ([], [], ["--interpolation", "cubic"]), ([], [], ["--weights", "uniform"]),
                ([], [], ["--square"]), ([], [], ["--size", "95"]), ([], [], ["--slices", "1:"]),
                ([], ["--centre", "47"], ["--centre", "47.00001"]), ([], [], ["--clockwise"]),
                (full_turn, [], ["--fan", "200"]), (full_turn, [], ["--cone", "200"]),
                (full_turn, ["--fan", "200"], ["--fan", "201"]),
                ([], ["--angle-step", "3"], ["--angle-step", "3.0000001"]),
                (["--angle-step", "3"], [], ["--first-angle", "0.000001"]), ([], [], ["--data", "transmission"]),
                ([], [], ["--fill"]), ([], [], ["--zingers", "0.5"]), ([], [], ["--stripes", "sorting"]),
                (["--stripes", "sorting"], [], ["--stripe-window", "7"]),
                (["--stripes", "wavelet"], [], ["--stripe-sigma", "3"]),
                ([], ["--hounsfield", "0.2"], ["--hounsfield", "0.2000001"]),
                (["--hounsfield", "0.2"], [], ["--air", "0.01"]), (["--pixel", "1"], [], ["--per", "mm"]),
                (["--per", "mm"], ["--pixel", "1"], ["--pixel", "1.0000001"]),
                (["-a", "sirt"], ["--iterations", "1"], ["--iterations", "2"]),
                (["-a", "sirt", "--iterations", "1"], [], ["--relaxation", "0.9"]),
                (["-a", "sirt", "--iterations", "1"], [], ["--nonnegative"]),
                (["-a", "tv", "--iterations", "1"], [], ["--tv-weight", "0.1"]))):
            with self.subTest(common=common, first=first, second=second):
                words = ["reconstruct", "scan.h5", "-o", f"{i}.zarr", *common]
                self.tomo(*words, *first, status=4, preexec_fn=limit)
                self.refused("other settings", *words, *second, "--resume", status=4)

    def test_progress(self):
        percent, whole = self.bar("reconstruct", "scan.h5", "-o", "v.npy", "-a", "sirt", "--iterations", 500, "-t", 1,
                                  "--memory", "16M")
        self.assertEqual(whole, "3.5 MB")  # of the volume
        self.assertLess(percent, 100)

    def test_progress_of_a_cone(self):
        """Its slices are computed together, before the first one is written."""
        self.phantom("cone.h5", "--object", "shepp-logan-3d", "--size", 128, "--rows", 128, "--projections", 720,
                     "--cone", 300)
        percent, whole = self.bar("reconstruct", "cone.h5", "-o", "v.npy", "--size", 400, "-t", 1)
        self.assertEqual(whole, "81.9 MB")
        self.assertLess(percent, 100)
        self.assertFalse(glob.glob(self.path(".vershina-*"), include_hidden=True))  # nothing is written yet

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

    def test_memory_of_the_axis(self):
        """Finding it, and the sheet of candidates, are within what may be used, too."""
        words = ["reconstruct", "-q", "scan.h5", "--memory", "1M", "-t", 1, "-o", "v.h5"]
        self.refused("finding the axis of rotation takes", *words, "--centre", "auto", status=70)
        self.assertIn("give it with --centre", self.error)
        self.tomo(*words)
        if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 200 << 30:
            self.skipTest("needs less than 200 GiB of memory: the sheet would be written")
        self.write_exchange("wide.h5", numpy.zeros((20, 1, 65536), "f4"))
        self.refused("leave --sheet out", "centre", "wide.h5", "--sheet", "s.png", status=70)

    def test_constant_memory(self):
        """A volume of 64 times the slices takes no more memory than the blocks that are allowed."""
        if os.environ.get("VERSHINA_SANITIZE"):
            self.skipTest("needs a build without sanitizers, which take memory of their own")
        with h5py.File(self.path("long.h5"), "w") as file:
            file["exchange/data"] = numpy.zeros((16, 4096, 64), "f4")
            file["exchange/theta"] = numpy.arange(16) * 11.25
        peak = self.peak("long.h5", "--size", "128", "--centre", "31.5", "--memory", "24M", "-t", "1", "-o", "v.npy")
        self.assertEqual(os.path.getsize(self.path("v.npy")), 128 + 4096 * 128 * 128 * 4)
        self.assertLess(peak, 100)  # the volume has 256 MiB

    def peak(self, *words):
        """MiB of memory that `reconstruct` takes."""
        process = subprocess.Popen([PROGRAM, "tomo", "reconstruct", "-q", *words], cwd=self.folder)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss / 1024

    def test_memory_of_all_steps(self):
        """Repairs of sinograms in each thread, and memory that a chunked volume keeps, are within --memory, too."""
        if os.environ.get("VERSHINA_SANITIZE"):
            self.skipTest("needs a build without sanitizers, which take memory of their own")
        with h5py.File(self.path("wide.h5"), "w") as file:
            file["exchange/data"] = numpy.zeros((1024, 16, 1024), "f4")
            file["exchange/theta"] = numpy.arange(1024) * 180 / 1024
        words = ["wide.h5", "--size", "64", "--centre", "511.5", "-t", "16", "-f", "-o", "v.npy"]
        for method in (["wavelet"], ["sorting", "--zingers", "0.3"]):
            self.assertLess(self.peak(*words, "--memory", "200M", "--stripes", *method), 230)
        with h5py.File(self.path("large.h5"), "w") as file:
            file["exchange/data"] = numpy.zeros((4, 32, 64), "f4")
            file["exchange/theta"] = numpy.arange(4) * 45.0
        words = ["large.h5", "--size", "1024", "--centre", "31.5", "-t", "1", "-o", "v.zarr"]
        self.assertLess(self.peak(*words, "--memory", "110M"), 140)


if __name__ == "__main__":
    support.main()
