"""`vershina tomo monitor`: a phantom that is fed projection by projection, with everything that may go wrong."""
import fcntl
import io
import itertools
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import threading
import time

import support
from support import PROGRAM, numpy

COUNT, SIZE = 64, 48
LIMIT = 120  # seconds, for a condition on a busy machine


class Monitor(support.Case):
    def setUp(self):
        super().setUp()
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", SIZE, "--rows", 3, "--projections", COUNT)
        # Each projection is as far as possible from those before.
        self.order = [int(f"{i:06b}"[::-1], 2) for i in range(COUNT)]
        self.projections = self.read("scan.h5")[self.order]
        self.angles = [180 * place / COUNT for place in self.order]
        os.mkdir(self.path("in"))

    def sidecar(self, **more):
        self.put("in/scan.json", json.dumps({"angles": self.angles, **more}).encode())

    def feed(self, name, content, folder="in"):
        """Gives a file its name when it is complete."""
        with open(self.path(folder + "/." + name + ".tmp"), "wb") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                numpy.save(file, content)
        os.rename(self.path(folder + "/." + name + ".tmp"), self.path(folder + "/" + name))

    def start(self, *words, source="in", **options):
        process = subprocess.Popen([PROGRAM, "tomo", "monitor", source, *map(str, words)], cwd=self.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition):
        limit = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.005)

    def is_watching(self, process):
        folder = f"/proc/{process.pid}/fdinfo/"
        for name in os.listdir(folder):
            try:
                with open(folder + name, encoding="ascii") as file:
                    if "inotify wd" in file.read():
                        return True
            except FileNotFoundError:  # closed meanwhile
                pass
        return False

    def need_leases(self):
        """The system must say here who has a file open, at once and for any time."""
        kind = subprocess.check_output(["stat", "-f", "-c", "%T", self.folder], text=True)
        try:
            with open(self.path("lease"), "xb") as file:
                name = file.name
            with open(name, "rb") as file:
                fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            os.remove(name)
        except OSError:
            kind = "none"
        if kind.strip() not in ("ext2/ext3", "xfs", "btrfs", "f2fs", "tmpfs", "overlayfs", "zfs"):
            self.skipTest("needs leases of files, which the temporary folder lacks")

    def whole(self, *words):
        return self.volume("scan.h5", *words)

    def same(self, name, volume):
        numpy.testing.assert_allclose(numpy.load(self.path(name)), volume, atol=2e-5 * numpy.abs(volume).max())

    def test_slices_as_they_come(self):
        """By number and sidecar; the output is whole at every time, and the last one is that of `reconstruct`."""
        self.sidecar()
        process = self.start("--tolerance", 0, "-o", "v.npy", "--timeout", LIMIT)
        self.wait_until(lambda: self.is_watching(process))  # files from before wait for --settle, others do not
        feeder = threading.Thread(target=lambda: [
            (self.feed(f"p_{i:03}.npy", values), time.sleep(0.002)) for i, values in enumerate(self.projections)])
        feeder.start()
        lines = []
        for line in process.stdout:
            lines.append(line.split())
            self.assertEqual(numpy.load(self.path("v.npy")).shape, (3, SIZE, SIZE))
        feeder.join()
        self.assertEqual(process.wait(), 0)
        self.assertEqual([line[:2] for line in lines[:-1]], [["projections", str(n)] for n in range(8, COUNT + 1, 8)])
        self.assertEqual(lines[-1][:2], ["end", str(COUNT)])
        changes = [float(line[3]) for line in lines[1:-1]]
        self.assertLess(changes[-1], changes[0] / 4)
        self.same("v.npy", self.whole())

    def test_length_before_content(self):
        """A file that is open for writing is not complete, whatever its length: copies onto a share, mappings."""
        tifffile = support.module("tifffile")
        self.need_leases()
        about = {"angles": self.angles, "shape": [COUNT, 3, SIZE], "type": "float32"}
        for kind in ("npy", "tif", "raw"):
            with self.subTest(kind):
                os.mkdir(self.path(kind))
                self.put(kind + "/scan.json", json.dumps(about).encode())
                files = []
                for i, values in enumerate(self.projections):
                    content = values.astype("<f4").tobytes()
                    if kind != "raw":
                        stream = io.BytesIO()
                        (numpy.save if kind == "npy" else tifffile.imwrite)(stream, values.astype("<f4"))
                        whole = stream.getvalue()
                    else:
                        whole = content
                    file = open(self.path(f"{kind}/p_{i}.{kind}"), "w+b")
                    begin = whole.index(content)
                    file.write(whole[:begin] + bytes(len(content)) + whole[begin + len(content):])
                    file.flush()
                    if i % 2:
                        files.append((mmap.mmap(file.fileno(), 0), begin, content))
                        file.close()
                    else:
                        files.append((file, begin, content))
                    if i == COUNT // 2:
                        process = self.start("--tolerance", 0, "--settle", 0.1, "-o", kind + ".npy", "--timeout", LIMIT,
                                             source=kind)
                self.feed("x_999.npy", self.projections[0], kind)
                self.assertIn("x_999.npy", process.stderr.readline())  # it looks by now
                time.sleep(1)
                self.assertFalse(os.path.exists(self.path(kind + ".npy")))
                for file, begin, content in files:
                    file.seek(begin)
                    file.write(content)
                    file.close()
                error = process.communicate(timeout=LIMIT)[1]
                self.assertEqual((process.returncode, "left out" in error), (0, False), error)
                self.same(kind + ".npy", self.whole())
        # One that stays so is named.
        with open(self.path("in/p_0.npy"), "wb") as file:
            numpy.save(file, self.projections[0])
            file.flush()
            self.sidecar()
            self.tomo("monitor", "in", "--settle", 0.1, "--timeout", 0.5, "-o", "w.h5", status=1)
            self.assertIn("p_0.npy: is still open for writing", self.error)

    def test_other_file_systems(self):
        """If the system cannot tell which files are open, one that was written to and not closed waits longer."""
        self.sidecar()
        no_leases = {**os.environ, "LD_PRELOAD": os.environ["VERSHINA_NO_LEASES"],
                     "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        process = self.start("--tolerance", 0, "--settle", 1.5, "-o", "v.npy", "--timeout", LIMIT, env=no_leases)
        self.feed("x_999.npy", self.projections[0])
        self.assertIn("x_999.npy", process.stderr.readline())
        files = []
        for i, values in enumerate(self.projections):
            file = open(self.path(f"in/p_{i}.npy"), "w+b")
            numpy.save(file, numpy.zeros_like(values))
            file.flush()
            files.append(file)
        time.sleep(4.5)  # more than two times that it rests, and far less than the ten that it waits
        self.assertFalse(os.path.exists(self.path("v.npy")))
        for file, values in zip(files, self.projections):
            file.seek(0)
            numpy.save(file, values)
            file.close()
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual((process.returncode, error.count("left out")), (0, 0), error)
        self.same("v.npy", self.whole())

    def test_fields_come_late(self):
        """Projections wait for frames without object until nobody writes to them; darks that come later count, too."""
        tifffile = support.module("tifffile")
        self.need_leases()
        generator = numpy.random.default_rng(1)
        counts = generator.poisson(5000 * numpy.exp(-self.projections / 12) + 400).astype("<u2")
        white, dark = numpy.full((3, SIZE), 5400, "<u2"), numpy.full((3, SIZE), 400, "<u2")
        self.write_exchange("raw.h5", counts[numpy.argsort(self.order)], data_white=white[None], data_dark=dark[None],
                            theta=numpy.sort(self.angles))
        self.sidecar()
        process = self.start("--tolerance", 0, "--settle", 0.1, "-o", "v.npy", "--timeout", LIMIT)
        for i, values in enumerate(counts[:32]):
            self.feed(f"p_{i}.npy", values)
        self.assertIn("in/whites: no frames are there yet", process.stderr.readline())
        stream = io.BytesIO()
        tifffile.imwrite(stream, white)
        whole = stream.getvalue()
        os.mkdir(self.path("in/whites"))
        with open(self.path("in/whites/w.tif"), "wb") as file:
            file.write(whole[:-200] + bytes(200))
            file.flush()
            time.sleep(0.5)
            self.assertFalse(os.path.exists(self.path("v.npy")))
            file.seek(0)
            file.write(whole)
        for _ in range(4):
            line = process.stdout.readline().split()
        self.assertEqual(line[:2], ["projections", "32"])
        os.mkdir(self.path("in/.darks"))
        tifffile.imwrite(self.path("in/.darks/1.tif"), dark)
        os.rename(self.path("in/.darks"), self.path("in/darks"))
        note = process.stderr.readline() + process.stderr.readline()
        self.assertIn("darks: was changed after it was used; all are read again", note)
        for i, values in enumerate(counts[32:], 32):
            self.feed(f"p_{i}.npy", values)
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual((process.returncode, "left out" in error), (0, False), error)
        self.same("v.npy", self.volume("raw.h5", "--centre", (SIZE - 1) / 2))

    def test_changed_after_use(self):
        """A projection that is replaced by a better one: the slices are those of the better one."""
        self.sidecar()
        process = self.start("--tolerance", 0, "-o", "v.npy", "--timeout", LIMIT)
        for i, values in enumerate(self.projections[:32]):
            self.feed(f"p_{i}.npy", 7 * values if i == 3 else values)
        for _ in range(4):
            line = process.stdout.readline().split()
        self.assertEqual(line[:2], ["projections", "32"])
        self.feed("p_3.npy", self.projections[3])
        for i, values in enumerate(self.projections[32:], 32):
            self.feed(f"p_{i}.npy", values)
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual(process.returncode, 0, error)
        self.assertIn("was changed after it was used", error)
        self.same("v.npy", self.whole())

    def test_archived_after_use(self):
        """A projection with another time is the same one, and the data used stay if it cannot be read again."""
        self.sidecar()
        process = self.start("--tolerance", 0, "-o", "v.npy", "--timeout", LIMIT)
        for i, values in enumerate(self.projections[:32]):
            self.feed(f"p_{i}.npy", values)
        for _ in range(4):
            process.stdout.readline()
        for i in range(16):
            os.remove(self.path(f"in/p_{i}.npy"))
        os.utime(self.path("in/p_20.npy"))
        self.feed("p_21.npy", 7 * self.projections[21])
        note = ""
        while "used" not in note:
            note = process.stderr.readline()
            self.assertTrue(note)
        self.assertIn("p_21.npy: was changed after it was used; it is not read again, as 16 that", note)
        for i, values in enumerate(self.projections[32:], 32):
            self.feed(f"p_{i}.npy", values)
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual((process.returncode, error), (0, ""))
        self.same("v.npy", self.whole())

    # ---- names

    def pictures(self, names, projections):
        tifffile = support.module("tifffile")
        for name in os.listdir(self.path("in")):
            os.remove(self.path("in/" + name))
        for name, values in zip(names, projections):
            tifffile.imwrite(self.path(f"in/{name}.tif"), values.astype("<f4"))

    def alike(self, volume, *words):
        """The folder `in` by `monitor` and by `reconstruct`."""
        self.tomo("monitor", "in", "-q", "--settle", 0.05, "--tolerance", 0, "--projections", COUNT, "-f", "-o",
                  "v.npy", *words)
        self.same("v.npy", volume)
        self.tomo("reconstruct", "in", "--centre", (SIZE - 1) / 2, *words, "-f", "-o", "v.npy")
        self.same("v.npy", volume)

    def turned(self, projections, angles):
        self.write_exchange("turned.h5", projections, theta=angles)
        return self.volume("turned.h5", "--centre", (SIZE - 1) / 2)

    def test_angles_in_names(self):
        """Points and commas; a hyphen behind a letter or a digit is not a sign."""
        projections = self.read("scan.h5")
        right = numpy.arange(COUNT) * 180 / COUNT
        for form, angles in (("p_{1:.4f}deg", right), ("p_{1:.4f}deg,", right), ("p{0}_{1:.4f}DEG_2,", right),
                             ("p{0:03}-{1:.4f}deg", right), ("scan-{1:09.4f}deg", right), ("скан-{1:.4f}deg", right),
                             ("p_{1:.4f}deg", right - 90), ("{1:+.4f}deg", right - 90),
                             ("p{0}_{1:.4f}deg", right - 90)):
            names = [form.rstrip(",").format(i, angle) for i, angle in enumerate(angles)]
            if form.endswith(","):
                names = [name.replace(".", ",") for name in names]
            with self.subTest(names[3]):
                self.pictures(names, projections)
                self.alike(self.turned(projections, angles))
        # Options go by numbers.
        self.alike(self.turned(projections, numpy.arange(COUNT) * 2.0), "--angle-step", 2)
        for name in ("p1.2.5deg", "p_,5deg"):
            self.pictures([name], projections)
            self.refused("the angle in its name is not clear", "reconstruct", "in", "-o", "w.h5", status=3)
            self.tomo("monitor", "in", "--timeout", 0.01, "--settle", 0.01, "-o", "w.h5", status=1)
            self.assertIn("the angle in its name is not clear", self.error)
        self.pictures(["p_1", "p_2deg"], projections)
        self.refused("1 of 2 pictures have an angle in their names", "reconstruct", "in", "-o", "w.h5", status=3)

    def test_missing_pictures(self):
        """A lost frame changes no other's angle; signs are signs."""
        projections = self.read("scan.h5")
        angles = numpy.arange(COUNT) * 180 / COUNT
        there = numpy.delete(numpy.arange(COUNT), [7, 8, 9, 40])
        expected = self.turned(projections[there], angles[there])
        numpy.savetxt(self.path("all.txt"), angles)
        numpy.savetxt(self.path("some.txt"), angles[there])
        centre, step = ["--centre", (SIZE - 1) / 2], ["--angle-step", 180 / COUNT, "--numbers", "places"]
        for form in ("p{:03}", "p_{}", "scan7-{}", "tilt_{}", "tilt_{:+}", "tilt_{:+04}"):
            names = [form.format(2 * i - 64 if "tilt" in form else i) for i in range(COUNT)]
            self.pictures([names[i] for i in there], projections[there])
            for words in (step, ["--angles", "all.txt"], ["--angles", "some.txt"], []):
                with self.subTest(names[6], words=words):
                    if not words:
                        self.put("in/scan.json", json.dumps({"angles": list(angles)}).encode())
                    numpy.testing.assert_array_equal(self.volume("in", *centre, *words), expected)
            said = self.tomo("info", "in")
            self.assertIn("4 of 64 pictures are missing", said)
            self.assertIn(names[6] + ".tif", said)
        # The length of a list says whether it begins with number 0 or 1.
        some = there[there > 0]
        for base in (0, 1):
            numpy.savetxt(self.path("list.txt"), angles[:COUNT - base])
            self.pictures([f"p{i}" for i in some], projections[some - base])
            volume = self.volume("in", *centre, "--angles", "list.txt")
            numpy.testing.assert_array_equal(volume, self.turned(projections[some - base], angles[some - base]))
        # Slices of a volume.
        self.pictures([f"slice{i}" for i in there], projections[there])
        self.tomo("compare", "in", "in")
        self.assertIn("4 of 64 pictures are missing", self.error)

    def test_clockwise(self):
        for i, values in enumerate(self.projections):
            self.feed(f"p_{-self.angles[i]:.4f}deg.npy", values)
        self.tomo("monitor", "in", "-q", "--settle", 0.05, "--tolerance", 0, "--projections", COUNT, "--clockwise",
                  "-o", "v.npy")
        self.same("v.npy", self.whole())


    def test_acquisition_stops(self):
        """A scanner that reads the stop file; the angles are in the names."""
        process = self.start("--tolerance", 0.2, "--subset", 4, "--stop-file", "stop", "--slices", "1:2", "-o", "v.png",
                             "--timeout", LIMIT)
        fed = 0
        for i, values in enumerate(self.projections):
            if os.path.exists(self.path("stop")):
                break
            self.feed(f"p_{self.angles[i]:.5f}deg.npy", values)
            fed += 1
            if fed % 4 == 0:
                line = process.stdout.readline().split()
                self.assertEqual(line[:2], ["projections", str(fed)])
                if fed > 8 and float(line[3]) <= 0.2 and last <= 0.2:
                    self.wait_until(lambda: os.path.exists(self.path("stop")))
                last = float(line[3]) if fed > 4 else 9
        out, error = process.stdout.read(), process.stderr.read()  # a line may be in the buffer already
        self.assertEqual(process.wait(), 0, error)
        self.assertLess(fed, COUNT)
        self.assertEqual(out.split()[:2], ["stop", str(fed)])
        self.assertEqual(self.get("stop").decode(), out)
        self.assertTrue(self.get("v.png").startswith(b"\x89PNG"))
        self.refused("stop: the file exists already", "monitor", "in", "-f", "-o", "v.png", "--stop-file", "stop",
                     status=4)

    def test_garbage_among_them(self):
        """Files that are not projections are left out; a half written one is taken when it is whole."""
        self.sidecar(shape=[COUNT, 3, SIZE])  # or the first array that is one would say what a projection is
        numpy.save(self.path("half.npy"), self.projections[5])
        half = self.get("half.npy")
        nan = self.projections[6].copy()
        nan[1, 3] = numpy.nan
        self.feed("a_0.tif", b"II*\0" + bytes(range(200)))
        self.feed("b_1.png", b"")
        self.feed("c_2.npy", half[:100])
        self.feed("d_3.npy", numpy.zeros((SIZE, 3), numpy.float32))
        self.feed("e_999.npy", self.projections[0])
        self.feed("no-number.npy", self.projections[0])
        self.feed("f_4.raw", self.projections[5].tobytes()[:-4])
        self.feed("g_4.npy", numpy.zeros((2, 3, SIZE), numpy.float32))
        os.mkdir(self.path("in/h_7.npy"))
        os.mkfifo(self.path("in/i_8.npy"))
        os.symlink("nowhere", self.path("in/j_9.npy"))
        process = self.start("--tolerance", 0, "-o", "v.npy", "--timeout", LIMIT, "--settle", 0)
        self.feed("p_0.npy", self.projections[0])
        self.feed("z_0.npy", self.projections[1])
        with open(self.path("in/p_5.npy"), "wb") as file:  # without a temporary name
            file.write(half[:-50])
            file.flush()
            time.sleep(0.05)
            self.feed("p_6.npy", nan)
            for i, values in enumerate(self.projections[:32]):
                if i not in (0, 5, 6):
                    self.feed(f"p_{i}.npy", values)
            self.assertEqual(process.stdout.readline().split()[:2], ["projections", "8"])
            file.write(half[-50:])
        self.feed("p_6.npy", self.projections[6])
        for i, values in enumerate(self.projections[32:], 32):
            self.feed(f"p_{i}.npy", values)
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual(process.returncode, 0, error)
        self.same("v.npy", self.whole())
        for text in ("a damaged TIFF", "b_1.png", "c_2.npy: is truncated", "d_3.npy: frames of", "number 999 of 64",
                     "its name has no number", "f_4.raw: has 572 bytes", "z_0.npy: projection 0 was there already"):
            self.assertIn(text, error)
        self.assertNotIn("h_7", error + "i_8" + "j_9")

    def test_killed(self):
        """The output stays; the same command takes up all that is in the folder."""
        self.sidecar()
        words = ["--tolerance", 0, "--slices", "0:2", "-o", "v.npy", "-f"]
        process = self.start(*words)
        for i, values in enumerate(self.projections[:24]):
            self.feed(f"p_{i}.npy", values)
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = numpy.load(self.path("v.npy"))
        self.assertEqual(before.shape, (2, SIZE, SIZE))
        # The acquisition was killed, too: after a while the monitor gives up.
        out = self.tomo("monitor", "in", *words, "--timeout", 0.2, status=1)
        self.assertIn("no projection came for 0.2 seconds", self.error)
        self.assertEqual(out.splitlines()[-1], "timeout 24")
        self.same("v.npy", before)
        for i, values in enumerate(self.projections[24:], 24):
            self.feed(f"p_{i}.npy", values)
        self.tomo("monitor", "in", *words)
        self.same("v.npy", self.whole("--slices", "0:2"))

    def test_counts(self):
        """Raw counts with fields as the sidecar says, as `reconstruct` reads them."""
        counts = numpy.random.default_rng(1).poisson(5000 * numpy.exp(-self.projections / 12)).astype("<u2")
        white = numpy.full((2, 3, SIZE), 5000, "<u2")
        about = {"shape": [COUNT, 3, SIZE], "type": "uint16", "whites": "white.data", "centre": 23.25}
        for name, content in (("in/white.data", white), ("white.data", white), ("scan.raw", counts)):
            self.put(name, content.tobytes())
        self.put("scan.json", json.dumps({"angles": self.angles, **about}).encode())
        self.sidecar(**{**about, "whites": "white.raw"})
        os.rename(self.path("in/white.data"), self.path("in/white.raw"))
        for i, values in enumerate(counts):
            self.feed(f"p{i + 1}.raw", values.tobytes())
        self.tomo("monitor", "in", "--first-number", 1, "--tolerance", 0, "-o", "v.npy")
        self.same("v.npy", self.volume("scan.raw"))

    def test_mended(self):
        """Stripes and zingers of all projections so far: at the end the slices are those of `reconstruct`."""
        self.phantom("rings.h5", "--size", SIZE, "--rows", 2, "--projections", COUNT, "--counts", 20000, "--rings", 5,
                     "--zingers", 3)
        counts = self.read("rings.h5")[self.order]
        for kind in ("white", "dark"):
            numpy.save(self.path(f"in/{kind}s.npy"), self.read("rings.h5", f"exchange/data_{kind}"))
        words = ["--stripes", "wavelet", "--zingers", "0.3"]
        self.sidecar(whites="whites.npy", darks="darks.npy")
        process = self.start("--tolerance", 0, "-o", "v.npy", "--timeout", LIMIT, "--centre", 23.5, *words)
        for i, values in enumerate(counts):
            self.feed(f"p{i}.npy", values)
        error = process.communicate(timeout=LIMIT)[1]
        self.assertEqual(process.returncode, 0, error)
        whole = self.volume("rings.h5", "--centre", 23.5, *words)
        self.same("v.npy", whole)
        plain = self.volume("rings.h5", "--centre", 23.5)
        self.assertGreater(numpy.abs(plain - whole).max(), 1e-3 * numpy.abs(whole).max())

    # ---- through a socket

    @staticmethod
    def frame(values, angle=0.0, kind=0, magic=b"VSHP"):
        """A frame by docs/tomography.md."""
        element = {"uint16": 0, "float32": 1}[values.dtype.name]
        return struct.pack("<4sBBBBIId", magic, 1, kind, element, 0, *values.shape, angle) + values.tobytes()

    def connect(self, process):
        word, address = process.stdout.readline().split()
        self.assertEqual(word, "listening")
        kind, _, name = address.partition(":")
        client = socket.socket(socket.AF_UNIX if kind == "unix" else socket.AF_INET)
        self.addCleanup(client.close)
        client.settimeout(LIMIT)
        if kind == "unix":
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o600)
            client.connect(self.path(name))
        else:
            host, port = name.split(":")
            self.assertEqual(host, "127.0.0.1")
            client.connect((host, int(port)))
        return client

    def frames(self, count=COUNT):
        return [self.frame(values.astype("<f4"), angle)
                for values, angle in zip(self.projections[:count], self.angles)]

    def test_socket(self):
        """A Unix socket and one of TCP; frames in pieces; at the end the slices are those of `reconstruct`."""
        for address in ("unix:in/s", "tcp:0"):
            process = self.start("--tolerance", 0, "-o", "v.npy", "-f", "--timeout", LIMIT, source=address)
            client = self.connect(process)
            stream = b"".join(self.frames())
            for begin in range(0, len(stream), 1013):
                client.sendall(stream[begin:begin + 1013])
            client.shutdown(socket.SHUT_WR)
            answer = client.makefile().read().split()
            out, error = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0, error)
            self.assertEqual((answer[:2], out.splitlines()[-1].split()), (["end", str(COUNT)], answer))
            self.same("v.npy", self.whole())
            self.assertFalse(os.path.exists(self.path("in/s")))

    def test_weights(self):
        """Angles seen twice, a missing wedge, golden angles, an axis off the middle: at the end the slices are those of
        `reconstruct`."""
        self.phantom("turn.h5", "--size", SIZE, "--rows", 2, "--projections", 360, "--range", 360)
        turn = self.read("turn.h5")
        golden = numpy.array(list(dict.fromkeys(round(i * 111.246 % 180) % 180 for i in range(40))))
        two_parts = numpy.concatenate([numpy.arange(0, 170, 5), numpy.arange(190, 360, 5)])
        sets = [("210", numpy.arange(0, 210, 3), 0), ("120", numpy.arange(0, 120, 3), 0), ("golden", golden, 0),
                ("left part", numpy.arange(0, 360, 6), 15), ("left part of two", two_parts, 15)]
        for (name, angles, left_out), words in itertools.product(sets, ([], ["--stripes", "sorting"])):
            with self.subTest(name, words=words):
                projections = turn[angles][:, :, left_out:]
                order = numpy.argsort(angles)
                self.write_exchange("sorted.h5", projections[order], theta=angles[order])
                words = ["--centre", (SIZE - 1) / 2 - left_out, *words]
                whole = self.volume("sorted.h5", *words)
                process = self.start("--tolerance", 0, "-o", "v.npy", "-f", "--timeout", LIMIT, *words,
                                     source="unix:in/s")
                client = self.connect(process)
                for values, angle in zip(projections, angles):
                    client.sendall(self.frame(values.astype("<f4"), angle))
                client.shutdown(socket.SHUT_WR)
                self.assertEqual(client.makefile().read().split()[:2], ["end", str(len(angles))])
                self.assertEqual(process.wait(), 0)
                self.same("v.npy", whole)
                self.put("in/scan.json", json.dumps({"angles": angles.tolist()}).encode())
                for i, values in enumerate(projections):
                    self.feed(f"p_{i}.npy", values)
                self.tomo("monitor", "in", "-q", "--tolerance", 0, "-f", "-o", "v.npy", *words)
                self.same("v.npy", whole)
                for i in range(len(angles)):
                    os.remove(self.path(f"in/p_{i}.npy"))

    def test_socket_counts(self):
        """Frames without object and beam come first; a row alone is reconstructed."""
        generator = numpy.random.default_rng(1)
        counts = generator.poisson(5000 * numpy.exp(-self.projections / 12) + 40).astype("<u2")
        whites, darks = generator.poisson(5040, (3, 3, SIZE)), generator.poisson(40, (2, 3, SIZE))
        self.write_exchange("raw.h5", counts[numpy.argsort(self.order)], data_white=whites, data_dark=darks,
                            theta=numpy.sort(self.angles))
        process = self.start("--tolerance", 0, "-o", "v.npy", "--slices", "1:2", "--projections", COUNT, "--stripes",
                             "sorting", "--subset", 16, source="unix:in/s")
        client = self.connect(process)
        for kind, frames in ((1, whites), (2, darks)):
            for values in frames:
                client.sendall(self.frame(values.astype("<u2"), kind=kind))
        for values, angle in zip(counts, self.angles):
            client.sendall(self.frame(values, angle))
        self.assertEqual(client.makefile().read().split()[:2], ["end", str(COUNT)])
        self.assertEqual(process.wait(), 0)
        self.same("v.npy", self.volume("raw.h5", "--centre", (SIZE - 1) / 2, "--slices", "1:2", "--stripes", "sorting"))

    def test_socket_stops(self):
        """A scanner that takes projections until it is told to stop; projections under way do no harm."""
        for address in ("unix:in/s", "tcp:0"):
            process = self.start("--tolerance", 0.2, "--subset", 4, "-f", "-o", "v.png", "--timeout", LIMIT,
                                 source=address)
            client = self.connect(process)
            client.setblocking(False)
            fed, answer = 0, b""
            while not answer:
                self.assertLess(fed, 100 * COUNT)
                try:
                    answer = client.recv(1000)
                    self.assertTrue(answer)
                except BlockingIOError:
                    client.setblocking(True)
                    client.sendall(self.frames()[fed % COUNT])
                    client.setblocking(False)
                    fed += 1
            client.close()
            out, error = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0, error)
            self.assertTrue(answer.startswith(b"stop "), answer)
            self.assertEqual(out.splitlines()[-1], answer.decode().strip())

    def test_socket_broken(self):
        """Each fault of a client is a line, and the slices of the projections before it stay."""
        good = self.frames(11)
        head = good[10][:24]
        bad = [("middle of a frame", good[10][:-1]), ("middle of a frame", head[:23]),
               ("not a header", b"GET / HTTP/1.1\r\n" * 9),
               ("not a header", self.frame(self.projections[0].astype("<f4"), magic=b"VSHQ")),
               ("not a header", head[:4] + b"\2" + head[5:]), ("not a header", head[:5] + b"\3" + head[6:]),
               ("not a header", head[:6] + b"\2" + head[7:]), ("not a header", head[:7] + b"\1" + head[8:]),
               ("not a number of degrees", head[:16] + struct.pack("<d", float("nan"))),
               ("not a number of degrees", head[:16] + struct.pack("<d", 1e300)),
               ("frames of 4 x 48", head[:8] + struct.pack("<I", 4) + head[12:]),
               ("frames of 4294967295 x 4294967295", head[:8] + b"\xff" * 8 + head[16:]),
               ("after the first projection", self.frame(self.projections[0].astype("<f4"), kind=1))]
        for text, content in bad:
            with self.subTest(text=text, content=content[:24]):
                process = self.start("--tolerance", 0, "-f", "-o", "v.npy", "--timeout", LIMIT, source="unix:in/s")
                client = self.connect(process)
                client.sendall(b"".join(good[:10]) + content)
                client.shutdown(socket.SHUT_WR)
                out, error = process.communicate(timeout=LIMIT)
                self.assertEqual(process.returncode, 3, error)
                self.assertIn(text, error)
                self.assertEqual(out.splitlines()[-1], "broken 10")
                ten = numpy.load(self.path("v.npy"))
                self.assertEqual(ten.shape, (3, SIZE, SIZE))
                self.assertGreater(ten.max(), 0)
        # As the first frame: sizes are bounded before memory is taken; nobody, and nothing, for too long.
        for text, status, content in (("at most", 3, head[:8] + b"\xff" * 8 + head[16:]),
                                      ("more than the memory", 3,
                                       head[:8] + struct.pack("<II", 1 << 20, 65536) + head[16:]),
                                      ("no projection came", 1, b""), ("sent no projection", 1, None)):
            process = self.start("-f", "-o", "v.npy", "--timeout", 0.3 if content == b"" else LIMIT, source="unix:in/s")
            client = self.connect(process)
            client.sendall(content or b"")
            if content is None:
                client.shutdown(socket.SHUT_WR)
            error = process.communicate(timeout=LIMIT)[1]
            self.assertEqual(process.returncode, status, error)
            self.assertIn(text, error)
            client.close()
        self.refused("comes with its angle", "monitor", "tcp:0", "--angle-step", 1, "-o", "w.h5", status=2)
        self.refused("not a port", "monitor", "tcp:99999", "-o", "w.h5", status=2)
        self.refused("not a name of a socket", "monitor", "unix:" + "x" * 200, "-o", "w.h5", status=2)
        self.put("taken", b"")
        self.refused("in use", "monitor", "unix:taken", "-o", "w.h5", status=3)

    def test_socket_header(self):
        """Memory is taken for rows that came, not for those that a header promises."""
        most = []
        for rows in (2, 1 << 17):
            process = self.start("-f", "-o", "v.h5", "--timeout", LIMIT, source="unix:in/s")
            client = self.connect(process)
            client.sendall(struct.pack("<4sBBBBIId", b"VSHP", 1, 0, 1, 0, rows, 2048, 0) + bytes(4 * 2048 + 1))
            client.shutdown(socket.SHUT_WR)
            self.assertIn("middle of a frame", process.stderr.read())
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 3)
            most.append(usage.ru_maxrss)  # in KiB
        self.assertLess(most[1] - most[0], 1 << 18)  # the frame is 1 GiB

    def test_socket_one_client(self):
        """Nobody else can connect; the last subset is smaller."""
        for address in ("unix:in/s", "tcp:0"):
            process = self.start("--tolerance", 0, "--subset", 4, "--projections", 10, "-f", "-o", "v.npy", "--timeout",
                                 LIMIT, source=address)
            client = self.connect(process)
            client.sendall(b"".join(self.frames(4)))
            lines = [process.stdout.readline()]
            with socket.socket(client.family) as second, self.assertRaises((ConnectionRefusedError, FileNotFoundError)):
                second.connect(client.getpeername() if address == "tcp:0" else self.path("in/s"))
            client.sendall(b"".join(self.frames(10)[4:]))
            self.assertEqual(client.makefile().read().split()[:2], ["end", "10"])
            client.close()
            out, error = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0, error)
            lines += out.splitlines()
            self.assertEqual([line.split()[:2] for line in lines],
                             [["projections", "4"], ["projections", "8"], ["projections", "10"], ["end", "10"]])

    def test_socket_signal(self):
        process = self.start("-o", "v.npy", source="unix:in/s")
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), -signal.SIGTERM)
        self.assertFalse(os.path.exists(self.path("in/s")))

    def test_refusals(self):
        self.refused("No such file", "monitor", "none", "-o", "v.h5", status=3)
        self.refused("cannot be renewed", "monitor", "in", "-o", "v.zarr", status=2)
        self.refused("cannot be renewed", "monitor", "in", "-o", "-", status=2)
        for name in ("in/v.png", "./in/v.npy", "in/../in/V.TIF"):
            self.refused("would be taken for a projection", "monitor", "in", "--timeout", 1, "-o", name, status=2)
        self.put("v.h5", b"before")
        self.refused("v.h5", "monitor", "in", "-o", "v.h5", status=4)
        self.sidecar()
        self.refused("64 angles for 10 projections", "monitor", "in", "--projections", 10, "-o", "w.h5", status=2)
        self.feed("p_0.npy", self.projections[0])
        self.refused("outside of the detector", "monitor", "in", "-q", "--centre", 400, "-o", "w.h5", status=2)
        self.refused("rows 0 to 2", "monitor", "in", "-q", "--slices", "2:9", "-o", "w.h5", status=2)
        self.refused("has no frames without object", "monitor", "in", "-q", "--data", "counts", "--timeout", 0.1, "-o",
                     "w.h5", status=2)
        self.sidecar(centre=-400)
        self.refused("in/scan.json", "monitor", "in", "-q", "-o", "w.h5", status=3)
        self.assertIn("the axis of rotation, bin -400, is outside of the detector", self.error)
        self.sidecar(source_distance=400)
        self.refused("a fan beam", "monitor", "in", "-o", "w.h5", status=2)


if __name__ == "__main__":
    support.main()
