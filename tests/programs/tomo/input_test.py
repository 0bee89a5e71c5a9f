"""Scans in every format that is read, written by other programs: all give the slices of the same array."""
import json
import os
import subprocess

import support
from support import h5py, numpy


class Inputs(support.Case):
    def setUp(self):
        super().setUp()
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 32, "--rows", 5, "--projections", 24,
                     "--counts", 1000, "--seed", 3)
        self.counts = self.read("scan.h5").astype(numpy.uint16)
        self.white = self.read("scan.h5", "exchange/data_white")
        self.dark = self.read("scan.h5", "exchange/data_dark")
        self.theta = self.read("scan.h5", "exchange/theta")
        self.centre = ["--centre", 15.5]
        self.expected = self.volume("scan.h5", *self.centre)

    def same(self, scan, *words):
        volume = self.volume(scan, *self.centre, *words)
        numpy.testing.assert_array_equal(volume, self.expected)

    # ---- HDF5

    def test_exchange(self):
        self.write_exchange("a.h5", self.counts, theta=self.theta, data_white=self.white, data_dark=self.dark)
        self.same("a.h5")
        with h5py.File(self.path("b.h5"), "w") as file:
            file.create_dataset("exchange/data", data=self.counts.astype(">i4"), chunks=(1, 5, 32), compression="gzip",
                                shuffle=True)
            file["exchange/theta"] = numpy.radians(self.theta)
            file["exchange/theta"].attrs["units"] = "radians"
            file["exchange/data_white"] = self.white
            file["exchange/data_dark"] = self.dark
        numpy.testing.assert_allclose(self.volume("b.h5", *self.centre), self.expected, atol=1e-6)

    def test_without_proc(self):
        """The library takes names, and a checked file has one only there: the message blames no file."""
        blind = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*blind, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting over /proc is not permitted here")
        done = subprocess.run([*blind, support.PROGRAM + "-tomo", "info", self.path("scan.h5")], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("HDF5 files need /proc, which is not mounted", done.stderr)

    def test_frames_of_two_dimensions(self):
        means = {"data_white": self.white.mean(0, dtype=float), "data_dark": self.dark.mean(0, dtype=float)}
        self.write_exchange("a.h5", self.counts, theta=self.theta, **means)
        numpy.testing.assert_allclose(self.volume("a.h5", *self.centre), self.expected, atol=1e-5)

    def nxtomo(self, file, data, entry="entry"):
        """Whites, projections with an invalid one among them, darks: as a beamline writes them."""
        frames = numpy.concatenate([self.white, data[:10], self.white[:1], data[10:], self.dark])
        keys = [1] * 10 + [0] * 10 + [3] + [0] * 14 + [2] * 10
        angles = [0] * 10 + list(self.theta[:10]) + [5] + list(self.theta[10:]) + [180] * 10
        group = file.create_group(entry)
        group["definition"] = "NXtomo"
        for name, nx_class in (("inst", "NXinstrument"), ("inst/cam", "NXdetector"), ("specimen", "NXsample")):
            group.create_group(name).attrs["NX_class"] = nx_class
        group["inst/cam/data"] = frames
        group["inst/cam/image_key"] = keys
        group["inst/cam/x_pixel_size"] = 2.5
        group["inst/cam/x_pixel_size"].attrs["units"] = "um"
        group["specimen/rotation_angle"] = angles

    def test_nxtomo(self):
        with h5py.File(self.path("a.nxs"), "w") as file:
            self.nxtomo(file, self.counts)
        self.same("a.nxs")
        info = json.loads(self.tomo("info", "--json", "a.nxs"))
        self.assertEqual((info["projections"], info["whites"], info["darks"], info["dropped"]), (24, 10, 10, 1))
        self.assertAlmostEqual(info["pixel_mm"], 0.0025)

    def test_nxtomo_in_several_files(self):
        os.mkdir(self.path("parts"))
        with h5py.File(self.path("parts/frames.h5"), "w") as file:
            self.nxtomo(file, self.counts)
        with h5py.File(self.path("master.nxs"), "w") as file:
            file["entry"] = h5py.ExternalLink("parts/frames.h5", "/entry")
        self.same("master.nxs")
        with h5py.File(self.path("parts/up.nxs"), "w") as file:
            file["entry"] = h5py.ExternalLink("../master.nxs", "/entry")
        self.refused("neither a Data Exchange file", "info", "parts/up.nxs", status=3)

    def test_virtual_data(self):
        self.write_exchange("part.h5", self.counts)
        layout = h5py.VirtualLayout(shape=self.counts.shape, dtype="u2")
        layout[:] = h5py.VirtualSource("part.h5", "exchange/data", shape=self.counts.shape)
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_virtual_dataset("exchange/data", layout)
            file["exchange/theta"] = self.theta
            file["exchange/data_white"] = self.white
            file["exchange/data_dark"] = self.dark
        self.same("a.h5")

    # ---- arrays and pictures, which need angles and frames from elsewhere

    def sidecar(self, name, **more):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump({"angles": {"first": 0, "step": 7.5}, "pixel_mm": 0.5, **more}, file)

    def test_numpy(self):
        numpy.save(self.path("white.npy"), self.white.astype(">f8"))
        numpy.save(self.path("dark.npy"), self.dark)
        numpy.save(self.path("scan.npy"), self.counts)
        self.sidecar("scan.npy.json", whites="white.npy", darks="dark.npy")
        self.same("scan.npy")
        self.assertIn("0.5 mm", self.tomo("info", "scan.npy"))

    def test_plain_numbers(self):
        self.put("scan.raw", bytes(100) + self.counts.astype(">u2").tobytes())
        self.put("white.raw", bytes(100) + self.white.astype(">u2").tobytes())
        self.put("dark.raw", bytes(100) + self.dark.astype(">u2").tobytes())
        self.sidecar("scan.json", whites="white.raw", darks="dark.raw", shape=[24, 5, 32], type="uint16", order="big",
                     offset=100)
        self.same("scan.raw")

    def test_angles_of_a_file(self):
        numpy.save(self.path("scan.npy"), self.counts)
        text = "\n".join(str(angle) for angle in self.theta)
        self.put("angles.txt", text.encode())
        numpy.save(self.path("angles.npy"), self.theta)
        first = self.volume("scan.npy", "--data", "integrals", "--angles", "angles.txt", *self.centre)
        for words in (["--angles", "angles.npy"], ["--angle-step", 7.5]):
            numpy.testing.assert_array_equal(
                first, self.volume("scan.npy", "--data", "integrals", *words, *self.centre))
        mirrored = self.volume("scan.npy", "--data", "integrals", "--angle-step=-7.5", "--clockwise", *self.centre)
        numpy.testing.assert_array_equal(first, mirrored)

    def test_tiff(self):
        tifffile = support.module("tifffile")
        tifffile.imwrite(self.path("white.tif"), self.white)
        tifffile.imwrite(self.path("dark.tif"), self.dark)
        self.sidecar("scan.tif.json", whites="white.tif", darks="dark.tif")
        forms = [{}, {"byteorder": ">"}, {"bigtiff": True}, {"tile": (16, 16)}, {"rowsperstrip": 2}]
        for form in forms:
            with self.subTest(form):
                tifffile.imwrite(self.path("scan.tif"), self.counts, photometric="minisblack", **form)
                self.same("scan.tif")

    def test_tiff_with_one_directory(self):
        """ImageJ's stacks above 4 GB, tifffile's `truncate`: all pages' numbers behind the directory of one."""
        tifffile = support.module("tifffile")
        numbers, floats = self.counts, self.counts.astype(numpy.float32) / 7
        plain = {"photometric": "minisblack"}
        for values, words in ((numbers, {"imagej": True}), (floats, {"imagej": True}), (numbers, plain),
                              (numbers, {"byteorder": ">", **plain}), (floats, {"bigtiff": True, **plain})):
            with self.subTest(type=values.dtype, **words):
                tifffile.imwrite(self.path("whole.tif"), values, **words)
                tifffile.imwrite(self.path("one.tif"), values, truncate=True, **words)
                with tifffile.TiffFile(self.path("one.tif")) as file:
                    self.assertLess(len(self.get("one.tif")), len(self.get("whole.tif")))
                    offset = file.pages[0].dataoffsets[0]
                step = ["--angle-step", 7.5, "--centre", 15, "--data", "integrals"]
                numpy.testing.assert_array_equal(self.volume("one.tif", *step), self.volume("whole.tif", *step))
                volumes = json.loads(self.tomo("compare", "--json", "one.tif", "whole.tif"))
                self.assertEqual((volumes["greatest"], volumes["rmse"]), (0, 0))
                # Cut off it is refused; with one page left, one that was copied out of a stack.
                self.put("one.tif", self.get("one.tif")[:offset + 5 * values[0].nbytes])
                for command in (["info", "one.tif"], ["compare", "one.tif", "one.tif"]):
                    self.refused(f"says that it has {len(values)} pages, and has 5", *command, status=3)
                if "imagej" not in words:  # tifffile says that its stack is one
                    self.put("one.tif", self.get("one.tif") + b"cut")
                    self.refused(f"says that it has {len(values)} pages, and has 5", "info", "one.tif", status=3)
                self.put("one.tif", self.get("one.tif")[:offset + values[0].nbytes])
                self.assertIn("1 of ", self.tomo("info", "one.tif"))

    def test_page_of_a_stack(self):
        """A page that was cropped out of ImageJ's stack, with its description and data behind it; a stack cut off."""
        tifffile = support.module("tifffile")
        os.mkdir(self.path("d"))
        for i, values in enumerate(self.counts):
            tifffile.imwrite(self.path(f"d/p{i:02}.tif"), values, photometric="minisblack", metadata=None,
                             description=f"ImageJ=1.54f\nimages={len(self.counts)}\nslices={len(self.counts)}\n")
            with open(self.path(f"d/p{i:02}.tif"), "ab") as file:
                file.write(b"metadata" * 500)
        step = ["--angle-step", 7.5, "--centre", 15, "--data", "integrals"]
        tifffile.imwrite(self.path("whole.tif"), self.counts, photometric="minisblack")
        numpy.testing.assert_array_equal(self.volume("d", *step), self.volume("whole.tif", *step))
        self.tomo("info", "d/p00.tif")
        self.assertIn("it is taken for one page", self.error)
        volumes = json.loads(self.tomo("compare", "--json", "d", "whole.tif"))
        self.assertEqual((volumes["greatest"], volumes["rmse"]), (0, 0))
        self.assertEqual(self.error.count("it is taken for one page"), 1)
        tifffile.imwrite(self.path("large.tif"), numpy.zeros((1024, 1024), numpy.float32), photometric="minisblack",
                         metadata=None, description="ImageJ=1.54f\nimages=600\nslices=600\n")
        os.truncate(self.path("large.tif"), 10 << 20)
        self.refused("says that it has 600 pages, and has 2", "info", "large.tif", status=3)

    def test_folders_of_pictures(self):
        tifffile = support.module("tifffile")
        pictures = support.module("PIL.Image").Image
        for suffix in ("tif", "png"):
            folder = self.path(suffix)
            os.makedirs(folder + "/whites")
            os.makedirs(folder + "/darks")
            frames = [("p%d" % i, frame) for i, frame in enumerate(self.counts)]  # p10 after p9
            frames += [("whites/%d" % i, frame.astype(numpy.uint16)) for i, frame in enumerate(self.white)]
            frames += [("darks/%d" % i, frame.astype(numpy.uint16)) for i, frame in enumerate(self.dark)]
            for name, frame in frames:
                path = f"{folder}/{name}.{suffix}"
                if suffix == "tif":
                    tifffile.imwrite(path, frame)
                else:
                    pictures.fromarray(frame).save(path)
            self.sidecar(suffix + "/scan.json")
            with self.subTest(suffix):
                self.same(suffix)


if __name__ == "__main__":
    support.main()
