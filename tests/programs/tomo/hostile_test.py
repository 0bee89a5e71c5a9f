"""Files that are damaged, contradict themselves or were made to do harm: one line that names them, and no crash."""
import json
import os
import random
import struct
import subprocess
import unittest.mock

import support
from support import h5py, numpy


class Hostile(support.Case):
    def setUp(self):
        super().setUp()
        self.data = numpy.random.default_rng(1).random((12, 4, 16), dtype=numpy.float32)

    def both(self, text, name, status=3):
        """`reconstruct` refuses the same as `info`."""
        self.refused(text, "info", name, status=status)
        self.refused(text, "reconstruct", name, "-o", "x.h5", status=status)

    def overruled(self, text, name):
        """A part that an option can replace is refused only by commands that need it."""
        self.refused(text, "reconstruct", name, "-o", "x.h5", status=3)
        self.assertIn(text, self.tomo("info", name))

    # ---- contradictions

    def test_exchange(self):
        with h5py.File(self.path("empty.h5"), "w"):
            pass
        self.both("neither a Data Exchange file", "empty.h5")
        self.overruled("11 angles for 12 projections",
                       self.write_exchange("a.h5", self.data, theta=numpy.arange(11.0)))
        self.overruled("not a number of degrees",
                       self.write_exchange("b.h5", self.data, theta=numpy.full(12, numpy.nan)))
        self.both("has 2 dimensions", self.write_exchange("c.h5", self.data[0]))
        self.overruled("does not have the size", self.write_exchange("d.h5", self.data, data_white=self.data[:, :, :8]))
        self.both("has no numbers", self.write_exchange("e.h5", numpy.full((2, 2, 2), b"text")))
        self.both("nothing is in it", self.write_exchange("f.h5", self.data[:0]))
        self.refused("has no angles", "reconstruct", self.write_exchange("g.h5", self.data, theta=None), "-o",
                     "x.h5", status=2)
        with h5py.File(self.path("a.h5"), "a") as file:
            file["exchange/theta"].attrs["units"] = "gon"
        self.overruled("unit gon", "a.h5")
        self.tomo("phantom", "-q", "-o", "scan.h5", "--size", 32)
        self.tomo("reconstruct", "-q", "scan.h5", "-o", "volume.h5")
        self.both("this is a volume, not a scan", "volume.h5")

    def test_enormous_sizes(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("exchange/data", (10**9, 10**6, 10**6), "f4", chunks=(1, 64, 64))
        self.both("at most 65536", "a.h5")
        with h5py.File(self.path("b.h5"), "w") as file:
            file.create_dataset("exchange/data", (12, 4, 16), "f4")
            file.create_dataset("exchange/theta", (10**12,), "f8", chunks=(1024,))
        self.overruled("1000000000000 numbers", "b.h5")
        with h5py.File(self.path("c.h5"), "w") as file:
            file.create_dataset("exchange/data", (40000, 1000000, 60000), "f4", chunks=(1, 64, 64))
            file["exchange/theta"] = numpy.arange(40000) * 0.0045
        self.refused("may be used", "reconstruct", "c.h5", "--slices", "0:2", "--centre", "3", "-o", "x.h5",
                     "--memory", "100M", status=70)

    def test_files_elsewhere(self):
        """A scan must not lead its reader to other files of the user."""
        self.put("secret.bin", bytes(range(256)) * 12)
        with h5py.File(self.path("a.h5"), "w") as file:
            self.put_raw(file, "exchange/data")
        self.both("in a file of no format", "a.h5")
        self.write_exchange("part.h5", self.data)
        with h5py.File(self.path("b.h5"), "w") as file:
            self.put_virtual(file, "exchange/data", self.path("part.h5"), "exchange/data")
        self.both("must be in its folder", "b.h5")
        numpy.save(self.path("c.npy"), self.data)
        for name in ("../secret.bin", "/etc/passwd", "", "a\0b", ".."):
            self.put("c.json", json.dumps({"whites": name}).encode())
            self.both("not the name of a file next to it", "c.npy")

    def put_raw(self, file, name):
        """A data set whose numbers are in a file of no format, at an absolute path."""
        space = h5py.h5s.create_simple(self.data.shape)
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_external(self.path("secret.bin").encode(), 0, self.data.nbytes)
        links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        links.set_create_intermediate_group(True)
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.NATIVE_FLOAT, space, settings, lcpl=links)

    def put_virtual(self, file, name, source, path):
        layout = h5py.VirtualLayout(shape=self.data.shape, dtype="f4")
        layout[:] = h5py.VirtualSource(source, path, shape=self.data.shape)
        file.create_virtual_dataset(name, layout)

    def test_files_elsewhere_by_sources(self):
        """HDF5 opens the sources of virtual data sets by rules of its own: they are looked at before."""
        self.put("secret.bin", bytes(range(256)) * 12)
        os.makedirs(self.path("run/sub"))
        self.write_exchange("part.h5", self.data)
        for place, source in (("run/a.h5", "."), ("run/a.h5", "a.h5"), ("run/sub/b.h5", "sub/b.h5")):
            for path, text in (("raw", "in a file of no format"), ("linked/exchange/data", "has no data set"),
                               ("far", "must be in its folder"), ("none", "no data set"), ("good", None)):
                with self.subTest(source=source, path=path):
                    with h5py.File(self.path("run/a.h5"), "w") as file:
                        self.put_virtual(file, "exchange/data", source, path)
                    with h5py.File(self.path(place), "w" if source.startswith("sub") else "a") as file:
                        self.put_raw(file, "raw")
                        file["linked"] = h5py.ExternalLink(self.path("part.h5"), "/")
                        self.put_virtual(file, "far", self.path("part.h5"), "exchange/data")
                        file["good"] = self.data
                    if text:
                        self.both(text, "run/a.h5")
                    else:
                        self.assertIn("12 of 4 rows", self.tomo("info", "run/a.h5"))
        # A file that is missing is not one that is found where the program runs.
        with h5py.File(self.path("run/a.h5"), "w") as file:
            self.put_virtual(file, "exchange/data", "part.h5", "exchange/data")
        self.both("check the name", "run/a.h5")
        with h5py.File(self.path("run/a.h5"), "w") as file:
            file["exchange"] = h5py.ExternalLink("part.h5", "/exchange")
        self.both("neither a Data Exchange file", "run/a.h5")
        # Names that HDF5 counts up.
        space = h5py.h5s.create_simple(self.data.shape, (h5py.h5s.UNLIMITED, 4, 16))
        space.select_hyperslab((0, 0, 0), (h5py.h5s.UNLIMITED, 1, 1), (1, 4, 16), (1, 4, 16))
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_virtual(space, b".", b"block%b", h5py.h5s.create_simple((1, 4, 16)))
        with h5py.File(self.path("run/a.h5"), "w") as file:
            file.create_group("exchange")
            space = h5py.h5s.create_simple(self.data.shape, (h5py.h5s.UNLIMITED, 4, 16))
            h5py.h5d.create(file.id, b"exchange/data", h5py.h5t.NATIVE_FLOAT, space, settings)
            file["block%b"] = self.data[:1]
        self.both("is made of", "run/a.h5")
        # Sources in a circle, and ever more of them.
        with h5py.File(self.path("run/a.h5"), "w") as file:
            self.put_virtual(file, "exchange/data", ".", "next")
            self.put_virtual(file, "next", ".", "exchange/data")
        self.both("too many data sets", "run/a.h5")
        with h5py.File(self.path("run/a.h5"), "w") as file:
            for level in range(8):
                layout = h5py.VirtualLayout(shape=self.data.shape, dtype="f4")
                for i in range(12):
                    layout[i] = h5py.VirtualSource(".", f"level{level + 1}/{i}", shape=self.data.shape)[i]
                for i in range(12):
                    file.create_virtual_dataset(f"level{level}/{i}", layout)
            for i in range(12):
                file[f"level8/{i}"] = self.data
            file["exchange/data"] = h5py.SoftLink("/level0/0")
        self.both("too many data sets", "run/a.h5")

    def test_search_for_links(self):
        """HDF5 would search for the file of a link: where the program runs, and where variables say."""
        os.makedirs(self.path("run"))
        os.makedirs(self.path("elsewhere"))
        self.write_exchange("private.h5", self.data)
        self.write_exchange("elsewhere/private.h5", 2 * self.data)
        with h5py.File(self.path("run/a.h5"), "w") as file:
            file["exchange"] = h5py.ExternalLink("private.h5", "/exchange")
        variables = {name: self.path("elsewhere") for name in ("HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX")}
        decoy = self.path("run/private.h5")
        for make in (lambda: None, lambda: self.put("run/private.h5", b"no HDF5"), lambda: os.mkdir(decoy),
                     lambda: os.mkfifo(decoy), lambda: os.symlink("../private.h5", decoy)):
            make()
            for more in ({}, variables):
                with self.subTest(os.path.lexists(decoy) and os.lstat(decoy), more=more), \
                        unittest.mock.patch.dict(os.environ, more):
                    self.both("neither a Data Exchange file", "run/a.h5")
            if os.path.lexists(decoy):
                (os.rmdir if os.path.isdir(decoy) else os.remove)(decoy)
        self.write_exchange("run/private.h5", 3 * self.data)
        with h5py.File(self.path("run/b.h5"), "w") as file:
            self.put_virtual(file, "exchange/data", "private.h5", "exchange/data")
        self.write_exchange("c.h5", 3 * self.data, theta=None)
        words = ["--angle-step", 15, "--centre", 8]
        whole = self.volume("c.h5", *words)
        with unittest.mock.patch.dict(os.environ, variables):
            for scan in ("run/a.h5", "run/b.h5"):
                numpy.testing.assert_array_equal(self.volume(scan, *words), whole)
        os.remove(decoy)
        os.symlink("../private.h5", decoy)
        self.both("a link that leads out of", "run/b.h5")

    def test_symbolic_links(self):
        """Entries of a folder may be links to others in it, and to nothing else."""
        tifffile = support.module("tifffile")
        os.makedirs(self.path("d/inner"))
        for name in ("secret.tif", "d/0.tif", "d/inner/1.tif"):
            tifffile.imwrite(self.path(name), self.data[0])
        os.symlink("inner/1.tif", self.path("d/1.tif"))
        os.symlink(self.path("d"), self.path("link"))
        self.put("d/scan.json", json.dumps({"angles": [0, 90]}).encode())
        self.assertIn("2 of 4 rows", self.tomo("info", "link"))
        os.mkdir(self.path("outside"))
        os.rename(self.path("secret.tif"), self.path("outside/secret.tif"))
        for name, target in (("d/2.tif", "../outside/secret.tif"), ("d/2.tif", self.path("outside/secret.tif")),
                             ("d/whites", "../outside"), ("d/scan.json", self.path("a.json"))):
            with self.subTest(name):
                if name == "d/scan.json":
                    os.rename(self.path(name), self.path("a.json"))
                os.symlink(target, self.path(name))
                (self.overruled if name == "d/whites" else self.both)("a link that leads out of", "d")
                os.remove(self.path(name))
        numpy.save(self.path("d/a.npy"), self.data)
        numpy.save(self.path("outside/w.npy"), self.data)
        os.symlink("../outside/w.npy", self.path("d/w.npy"))
        self.put("d/a.json", json.dumps({"angles": {"first": 0, "step": 15}, "whites": "w.npy"}).encode())
        self.overruled("a link that leads out of", "d/a.npy")
        for place, within in (("d/", "../outside"), ("", "outside")):
            numpy.save(self.path(place + "b.npy"), self.data)
            for name in ("b.npy.json", "b.json"):
                os.rename(self.path("d/a.json"), self.path("outside/a.json"))
                os.symlink(within + "/a.json", self.path(place + name))
                if place:
                    self.both("a link that leads out of", "d/b.npy")
                else:
                    self.tomo("info", "b.npy")
                os.rename(self.path("outside/a.json"), self.path("d/a.json"))
                os.remove(self.path(place + name))
        # Volumes; and what the user names may be any link.
        self.put("outside/c", bytes(4 * 64))
        os.mkdir(self.path("v.zarr"))
        self.put("v.zarr/.zarray", json.dumps({"zarr_format": 2, "order": "C", "filters": None, "compressor": None,
                                               "dtype": "<f4", "shape": [1, 4, 16], "chunks": [1, 4, 16],
                                               "fill_value": 0}).encode())
        os.symlink("../outside/c", self.path("v.zarr/0.0.0"))
        self.refused("a link that leads out of", "compare", "v.zarr", "v.zarr", status=3)
        os.remove(self.path("v.zarr/0.0.0"))
        self.tomo("compare", "v.zarr", "v.zarr")
        os.symlink("outside/w.npy", self.path("named.npy"))
        self.assertIn("12 of 4 rows", self.tomo("info", "named.npy"))

    def test_chunks(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("exchange/data", (12, 16384, 16385), "f4", chunks=(1, 16384, 16385))
        self.both("chunks of more than 1 GiB", "a.h5")
        with h5py.File(self.path("b.h5"), "w") as file:
            file.create_dataset("exchange/data", (12, 16384, 16384), "f4", chunks=(1, 16384, 16384))
        self.assertIn("16384", self.tomo("info", "b.h5"))

    def test_loops(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["exchange"] = h5py.SoftLink("/exchange")
        self.both("neither", "a.h5")
        with h5py.File(self.path("b.h5"), "w") as file:
            file["entry"] = h5py.ExternalLink("b.h5", "/entry")
        self.both("neither", "b.h5")

    def test_nxtomo(self):
        def write(keys, angles):
            with h5py.File(self.path("a.nxs"), "w") as file:
                file["entry/definition"] = "NXtomo"
                file["entry/instrument/detector/data"] = self.data
                file["entry/instrument/detector/image_key"] = keys
                file["entry/sample/rotation_angle"] = angles
            return "a.nxs"
        self.both("12 frames and 11 image keys", write([0] * 11, [0.0] * 12))
        self.overruled("13 angles for 12 projections", write([0] * 12, [0.0] * 13))
        self.both("nothing is in it", write([1] * 12, [0.0] * 12))

    def test_values(self):
        self.data[3, 2, 5] = numpy.nan
        self.data[4, 2, 0] = numpy.inf
        self.write_exchange("a.h5", self.data)
        words = ["reconstruct", "a.h5", "--centre", "7.5", "-o", "x.npy"]
        self.refused("2 values of rows 0 to 3 are NaN or infinite", *words, status=1)
        self.tomo(*words, "--fill")
        self.assertIn("2 values were NaN or infinite", self.error)
        self.assertTrue(numpy.isfinite(numpy.load(self.path("x.npy"))).all())
        self.data[:, 1] = numpy.nan
        self.write_exchange("a.h5", self.data)
        self.refused("a whole row of bins", *words, "-f", "--fill", status=1)
        # Dead bins and no light at all are found and said.
        white = numpy.full((1, 4, 16), 100, "f4")
        white[:, :, 3] = 0
        counts = numpy.full((12, 4, 16), 50, "f4")
        counts[2] = 0
        self.write_exchange("b.h5", counts, data_white=white)
        self.tomo("reconstruct", "b.h5", "--centre", "7.5", "-o", "y.npy")
        self.assertIn("48 values of dead bins", self.error)
        self.assertIn("60 values without light", self.error)
        self.assertTrue(numpy.isfinite(numpy.load(self.path("y.npy"))).all())

    def test_sidecars(self):
        self.put("a.raw", self.data.tobytes())
        self.both("neither HDF5, TIFF nor NumPy", "a.raw")
        good = {"shape": [12, 4, 16], "type": "float32", "angles": {"first": 0, "step": 15}}
        for text, more in (("12 x 4 x 17 numbers", {"shape": [12, 4, 17]}),
                           ("\"shape\" has a 0", {"shape": [0, 4, 16]}),
                           ("a whole number", {"shape": [-12, 4, 16]}), ("a whole number", {"shape": [12.5, 4, 16]}),
                           ("not a list", {"shape": 5}), ("is none of", {"type": "complex64"}),
                           ("neither", {"order": "up"}), ("after 18446744073709551615 bytes", {"offset": 2**64 - 1}),
                           ("is neither a list", {"angles": "all"}), ("unknown entry", {"pixle": 3}),
                           ("not above 0", {"pixel_mm": 0}), ("is not a number", {"centre": None}),
                           ("numbers", {"shape": [2**63, 2**63, 2**63]})):
            self.put("a.json", json.dumps({**good, **more}).encode())
            with self.subTest(more):
                self.both(text, "a.raw")
        deep = b"[" * 100000 + b"]" * 100000
        for content in (b"", b"[", b"[" * 100000, b"\xff\xfe", b"5", b'{"angles":' * 50000, deep,
                        b'{"angles":' + deep + b"}", b'{"centre": 5, "no":' + deep + b"}"):
            self.put("a.json", content)
            self.both("is not a JSON object", "a.raw")
        self.put("a.json", json.dumps({**good, "angles": [0.0] * 11}).encode())
        self.overruled("11 angles", "a.raw")
        self.put("a.json", json.dumps(good).encode())
        self.assertIn("plain numbers", self.tomo("info", "a.raw"))

    def test_numpy_headers(self):
        def header(text):
            self.put("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + self.data.tobytes())
        for text, problem in ((b"{'descr': '<f4', 'fortran_order': False, 'shape': (12, 4, 17), }", "truncated"),
                              (b"{'descr': '<f4', 'fortran_order': True, 'shape': (12, 4, 16), }", "Fortran"),
                              (b"{'descr': '|O', 'fortran_order': False, 'shape': (12, 4, 16), }", "of the type"),
                              (b"{'descr': [('a', '<f4')], 'shape': (12,)}", "damaged"), (b"", "damaged"),
                              (b"{'shape': (99999999999999999999999,), 'descr': '<f4'}", "damaged"),
                              (b"{'shape': (4294967296, 4294967296, 4294967296), 'descr': '<f4'}", "damaged"),
                              (b"{'descr': '<f4', 'shape': (12, 64)", "damaged"),
                              (b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2, 16)}", "4 dimensions")):
            header(text)
            with self.subTest(text):
                self.both(problem, "a.npy")

    def test_mixed_pictures(self):
        tifffile = support.module("tifffile")
        os.mkdir(self.path("d"))
        self.both("a folder without", "d")
        tifffile.imwrite(self.path("d/1.tif"), self.data[0])
        tifffile.imwrite(self.path("d/2.tif"), self.data[0, :3])
        self.both("has 4 x 16", "d")
        tifffile.imwrite(self.path("d/2.tif"), self.data[0].astype("f8"))
        self.both("of one size and type", "d")
        tifffile.imwrite(self.path("d/2.tif"), numpy.zeros((4, 16, 3), "u1"), photometric="rgb")
        self.both("3 channels", "d")
        self.put("d/2.tif", b"II*\0")
        self.both("damaged TIFF", "d")
        self.put("d/2.tif", b"")
        self.both("d/2.tif", "d")

    def test_too_many_pages(self):
        """Frames are bounded together, and not only those of the object."""
        tifffile = support.module("tifffile")
        for folder in ("d", "d/whites", "e"):
            os.mkdir(self.path(folder))
        tifffile.imwrite(self.path("d/1.tif"), self.data[0, :2, :2])
        pages = numpy.zeros((40000, 2, 2), numpy.uint8)
        tifffile.imwrite(self.path("d/whites/1.tif"), pages, photometric="minisblack")
        for name in ("d/whites/2.tif", "e/1.tif", "e/2.tif"):
            os.link(self.path("d/whites/1.tif"), self.path(name))
        for name in ("d/whites/3.tif", "e/3.tif"):
            tifffile.imwrite(self.path(name), pages[0])
        self.refused("more than 65536 frames", "reconstruct", "d", "--angle-step", 1, "--centre", 0, "-o", "x.npy",
                     status=3)
        self.refused("more than 65536 frames", "info", "e", status=3)

    def test_names(self):
        self.refused("check the name", "info", "nowhere", status=3)
        os.mkfifo(self.path("fifo"))
        self.refused("not a regular file", "info", "fifo", status=3)
        self.tomo("phantom", "-q", "-o", "scan.h5", "--size", 32)
        self.refused("same file", "reconstruct", "scan.h5", "-f", "-o", "scan.h5", status=4)
        os.link(self.path("scan.h5"), self.path("link.h5"))
        self.refused("same file", "reconstruct", "scan.h5", "-f", "-o", "link.h5", status=4)
        self.refused("exists already", "reconstruct", "scan.h5", "-o", "link.h5", status=4)
        self.refused("does not give the format", "reconstruct", "scan.h5", "-o", "x", status=2)
        self.refused("outside of the detector", "reconstruct", "scan.h5", "--centre", "32", "-o", "x.h5", status=2)
        self.refused("of memory", "phantom", "--size", "16384", "--rows", "16384", "--counts", "9", "-o", "x.h5",
                     status=70)
        self.refused("rows 0 to 0", "reconstruct", "scan.h5", "--slices", "1:", "-o", "x.h5", status=2)
        self.refused("No such file", "reconstruct", "scan.h5", "-o", "none/x.h5", status=4)
        os.mkdir(self.path("d"))
        self.refused("exists already", "reconstruct", "scan.h5", "--format", "png", "-f", "-o", "d", status=4)

    # ---- damage

    def test_truncated_and_changed(self):
        """Every file cut short or with bytes changed is read or refused; the program never crashes or hangs."""
        tifffile = support.module("tifffile")
        pictures = support.module("PIL.Image").Image
        self.write_exchange("a.h5", self.data, data_white=self.data[:2])
        tifffile.imwrite(self.path("a.tif"), self.data)
        numpy.save(self.path("a.npy"), self.data)
        os.mkdir(self.path("p"))
        pictures.fromarray((self.data[0] * 60000).astype(numpy.uint16)).save(self.path("p/a.png"))
        generator = random.Random(5)
        for name in ("a.h5", "a.tif", "a.npy", "p/a.png"):
            whole = self.get(name)
            scan = name.split("/")[0]
            for round_ in range(12):
                content = bytearray(whole)
                if round_ % 3 == 0:
                    content = content[:generator.randrange(len(whole))]
                else:
                    for _ in range(1 if round_ % 3 == 1 else 20):
                        content[generator.randrange(min(len(content), 4096))] = generator.randrange(256)
                self.put(name, content)
                status, words = self.attempt(scan)
                self.assertIn(status, (0, 1, 2, 3, 70), f"{name}, round {round_}: {words}")
                self.assertNotIn("internal error", words)

    def attempt(self, scan):
        done = subprocess.run([support.PROGRAM, "tomo", "reconstruct", scan, "--angle-step", "15", "--centre", "7.5",
                               "--fill", "-f", "-o", "x.npy"], cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=60, errors="replace")
        return done.returncode, done.stderr


if __name__ == "__main__":
    support.main()
