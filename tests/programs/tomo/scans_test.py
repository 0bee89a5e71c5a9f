"""Faults of a scan's files, and other ways of saying a fact, are understood, or named with the way out."""
import datetime
import json
import os

import support
from support import h5py, numpy

BINS, COUNT = 33, 90
CENTRE = ["--centre", "16"]


class Scans(support.Case):
    def setUp(self):
        """A disc of 5 bins off the axis, of 0.1 a pixel, as line integrals and as counts."""
        super().setUp()
        self.angles = numpy.arange(COUNT) * 2.0
        radians = numpy.deg2rad(self.angles)[:, None]
        s = numpy.arange(BINS) - 16 - 6 * numpy.cos(radians) + 3 * numpy.sin(radians)
        self.integrals = (0.2 * numpy.sqrt(numpy.maximum(0, 25 - s * s)))[:, None].astype("f4")
        self.counts = (19900 * numpy.exp(-self.integrals) + 100).round().astype("u2")
        self.white, self.dark = numpy.full((4, 1, BINS), 20000, "u2"), numpy.full((2, 1, BINS), 100, "u2")
        self.write_exchange("right.h5", self.integrals, theta=self.angles)
        self.expected = self.volume("right.h5", *CENTRE)

    def right(self, scan, *words, atol=1e-4):
        """The slice is that of the disc; returns the messages."""
        self.tomo("reconstruct", scan, *words, "--no-progress", "-f", "-o", "v.npy")
        numpy.testing.assert_allclose(numpy.load(self.path("v.npy")), self.expected, atol=atol)
        return self.error

    def not_taken(self, text, scan, *words, status=3):
        """`reconstruct` refuses, and `info` shows the rest with the problem."""
        self.refused(text, "reconstruct", scan, *words, "-o", "x.npy", status=status)
        self.assertIn(text, self.tomo("info", scan))
        self.assertIn(text, " ".join(json.loads(self.tomo("info", "--json", scan))["problems"]))

    def nxtomo(self, name="a.nxs", entry="entry", frames=None, keys=None, angles=None, mode="w", **sets):
        """Darks, whites, projections; sets: of the detector, or with a / anywhere, or attributes of the entry."""
        if frames is None:
            frames = numpy.concatenate([self.dark, self.white, self.counts])
        with h5py.File(self.path(name), mode) as file:
            group = file.create_group(entry)
            group["definition"] = "NXtomo"
            group["instrument/detector/data"] = frames
            group["instrument/detector/image_key"] = [2] * 2 + [1] * 4 + [0] * COUNT if keys is None else keys
            group["sample/rotation_angle"] = numpy.r_[[0] * 6, self.angles] if angles is None else angles
            for key, value in sets.items():
                if key.startswith("at_"):
                    group.attrs[key[3:]] = value
                else:
                    group[key if "/" in key else "instrument/detector/" + key] = value
        return name

    # ---- the axis

    def test_axis_of_the_file(self):
        field = "x_rotation_axis_pixel_position"
        for value in (5000.0, 33.0, numpy.inf):
            self.not_taken("outside of the detector", self.nxtomo(**{field: value}))
            self.right("a.nxs", *CENTRE)
            self.assertIn("found by", self.right("a.nxs", "--centre", "auto", atol=5e-3))
        for value in (0.0, -3.25, 4.0):
            self.not_taken("from the first bin or from the middle", self.nxtomo(**{field: value}))
            self.right("a.nxs", *CENTRE)
        self.assertIn("found by", self.right(self.nxtomo(**{field: numpy.nan}), atol=5e-3))  # GDA's: not known
        self.assertIn("centre       not in the file", self.tomo("info", "a.nxs"))
        self.assertIn("bin 16, of the scan", self.right(self.nxtomo(**{field: 16.0})))
        self.assertIn("bin 32.4, of the scan", self.slice_of(self.nxtomo(**{field: 32.4})))
        numpy.save(self.path("s.npy"), self.integrals)
        for value in (-500, 33, 1e9):
            self.put("s.json", json.dumps({"angles": list(self.angles), "centre": value}).encode())
            self.not_taken("outside of the detector", "s.npy")
            self.right("s.npy", *CENTRE)

    def slice_of(self, scan, *words):
        self.tomo("reconstruct", scan, *words, "-f", "-o", "v.npy")
        return self.error

    def test_axis_from_the_middle(self):
        """As programs of the ESRF write it: their mark is an attribute of the entry."""
        field, mark = "x_rotation_axis_pixel_position", {"at_definition": "NXtomo"}
        said = self.right(self.nxtomo(**mark, **{field: 0.0}))
        self.assertIn("counts from the middle of the detector: 0 is bin 16", said)
        self.assertIn("bin 16, of the scan", said)
        shifted = [numpy.roll(a, -3, axis=2) for a in (self.dark, self.white, self.counts)]
        expected = self.volume(self.nxtomo(frames=numpy.concatenate(shifted)), "--centre", "13")
        self.assertLess(numpy.abs(expected - self.expected).max(), 0.01)
        numpy.testing.assert_array_equal(self.volume(self.nxtomo("b.nxs", frames=numpy.concatenate(shifted), **mark,
                                                                 **{field: -3.0})), expected)
        numpy.testing.assert_array_equal(self.volume(self.nxtomo("b.nxs", frames=numpy.concatenate(shifted),
                                                                 estimated_cor_from_motor=-3.0)), expected)
        self.not_taken("from the first bin or from the middle", self.nxtomo(**mark, **{field: 16.0}))
        self.assertIn("bin 32, of the scan", self.slice_of(self.nxtomo(field_of_view="Half", **mark, **{field: 16.0})))
        self.not_taken("outside of the detector", self.nxtomo(**mark, **{field: 17.0}))
        # With half a detector the same numbers count from the first bin, and the others are in doubt.
        for value in (0.0, 5.0, 28.0):
            said = self.slice_of(self.nxtomo(field_of_view="Half", **{field: value}))
            self.assertIn(f"bin {value:g}, of the scan", said)
        self.not_taken("from the first bin or from the middle", self.nxtomo(field_of_view="Half", **{field: 14.0}))
        self.right("a.nxs", *CENTRE)

    # ---- angles

    def test_angles_of_the_file(self):
        for text, theta in (("181 angles for 90", numpy.arange(181.0)),
                            ("not a number of degrees", numpy.where(self.angles == 8, numpy.nan, self.angles)),
                            ("all angles are the same", 0 * self.angles),
                            ("cover 3.10669 degrees in all, as radians would", numpy.deg2rad(self.angles)),
                            ("cover 6.21337 degrees", 2 * numpy.deg2rad(self.angles)),
                            ("has 70000 numbers", numpy.zeros(70000))):
            with self.subTest(text):
                self.not_taken(text, self.write_exchange("a.h5", self.integrals, theta=theta), *CENTRE)
                self.refused(text, "centre", "a.h5", status=3)
                self.right("a.h5", *CENTRE, "--angle-step", "2")
                self.assertIn("angles       cannot be used", self.tomo("info", "a.h5"))
        with h5py.File(self.path("a.h5"), "a") as file:
            file["exchange/theta"].attrs["units"] = "gon"
        self.put("angles.txt", "\n".join(map(str, self.angles)).encode())
        self.right("a.h5", *CENTRE, "--angles", "angles.txt")

    def test_angles_of_the_options(self):
        numpy.save(self.path("s.npy"), self.integrals)
        words = ["reconstruct", "s.npy", *CENTRE, "-o", "x.npy"]
        self.put("angles.txt", "\n".join(map(str, numpy.deg2rad(self.angles))).encode())
        numpy.save(self.path("angles.npy"), 0 * self.angles)
        self.refused("angles.txt: the angles cover 3.10669 degrees", *words, "--angles", "angles.txt", status=3)
        self.refused("angles.npy: all angles are the same", *words, "--angles", "angles.npy", status=3)
        for step in ("0", "360"):
            self.refused("all angles are the same", *words, "--angle-step", step, status=2)
        self.refused("cover 3.56 degrees", *words, "--angle-step", "0.04", status=2)
        os.mkdir(self.path("in"))
        for step in ("0", "0.04"):
            self.refused(f"--angle-step {step}: ", "monitor", "in", "--angle-step", step, "--projections", COUNT,
                         "--timeout", "0.1", "-o", "x.npy", status=2)
        self.put("in/scan.json", json.dumps({"angles": list(numpy.deg2rad(self.angles))}).encode())
        self.refused("in/scan.json: the angles cover 3.10669 degrees", "monitor", "in", "--timeout", "0.1", "-o",
                     "x.npy", status=3)
        os.remove(self.path("in/scan.json"))
        for angle, row in zip(numpy.deg2rad(self.angles), self.integrals):
            numpy.save(self.path(f"in/p_{angle:.6f}deg.npy"), row)
        self.tomo("monitor", "in", "--projections", COUNT, "--timeout", "60", "--tolerance", "0", "-o", "x.npy")
        self.assertIn("in: the angles cover 3.10669 degrees in all, as radians would", self.error)
        # Two projections half a turn apart say where the axis is.
        self.write_exchange("pair.h5", numpy.concatenate([self.integrals[:1], self.integrals[:1, :, ::-1]]),
                            theta=[0.0, 180.0])
        self.tomo("info", "pair.h5")
        self.assertNotIn("problem", self.tomo("info", "pair.h5"))

    def test_angles_of_projections_only(self):
        self.right(self.nxtomo(angles=self.angles), *CENTRE)
        self.not_taken("91 angles for 90 projections", self.nxtomo(angles=numpy.arange(91) * 2.0))
        self.right("a.nxs", *CENTRE, "--angle-step", "2")

    # ---- numbers of pictures

    def stack(self, name, frames):
        """A folder of pictures by their names."""
        tifffile = support.module("tifffile")
        for path, frame in frames.items():
            os.makedirs(os.path.dirname(self.path(f"{name}/{path}")), exist_ok=True)
            tifffile.imwrite(self.path(f"{name}/{path}"), frame)
        return name

    def test_gaps_of_times(self):
        """A picture every second or five, by the clock: no frame is lost at the end of a minute."""
        self.put("angles.txt", "\n".join(map(str, self.angles)).encode())
        for seconds in (1, 5, 10):
            first, after = datetime.datetime(2026, 11, 27, 19), datetime.timedelta(seconds=seconds)
            scan = self.stack(f"t{seconds}", {f"img_{first + i * after:%Y%m%d_%H%M%S}.tif": frame
                                              for i, frame in enumerate(self.integrals)})
            with self.subTest(seconds):
                self.refused("pictures are missing", "reconstruct", scan, *CENTRE, "--angle-step", "2", "-o", "x.npy",
                             status=3)
                self.assertIn("--numbers order", self.error)
                self.right(scan, *CENTRE, "--angle-step", "2", "--numbers", "order")
                self.right(scan, *CENTRE, "--angles", "angles.txt")
                self.put(f"{scan}/scan.json", json.dumps({"angles": {"first": 0, "step": 2}}).encode())
                self.not_taken("pictures are missing", scan, *CENTRE)
                self.assertIn("angles       cannot be used", self.tomo("info", scan))
                self.right(scan, *CENTRE, "--numbers", "order")

    def test_hyphens(self):
        """In front of all numbers they are not signs; in front of some they are."""
        step = [*CENTRE, "--angle-step", "2"]
        for form in ("tomo_-{:04}", "tomo--{:04}", "tomo_-{}", "b_-1_-{:03}"):
            for first in (0, 1):
                scan = self.stack(f"{form}{first}", {form.format(i + first) + ".tif": frame
                                                     for i, frame in enumerate(self.integrals)})
                self.put(f"{scan}/scan.json", json.dumps({"angles": list(self.angles)}).encode())
                for words in (CENTRE, step):
                    self.assertIn("are not signs", self.right(scan, *words))
        os.remove(self.path("tomo_-{:04}0/tomo_-0007.tif"))
        self.assertIn("first behind tomo_-0006.tif", self.tomo("info", "tomo_-{:04}0"))
        for form in ("t_{:04}", "t_{:+}", "t_{}", "t_{}_7"):
            scan = self.stack(form, {form.format(i - 45) + ".tif": frame for i, frame in enumerate(self.integrals)})
            self.assertNotIn("are not signs", self.right(scan, *step))

    def test_gaps_of_fields(self):
        """Numbers that frames without object have are not lost; counted apart they say nothing."""
        def frames(name, lost=()):
            result, number = {}, 0
            for i, frame in enumerate(self.counts):
                for k in range(5 if i % 25 == 0 else 0):
                    result[f"whites/{name}{number:04}.tif"] = self.white[0]
                    number += 1
                if i not in lost:
                    result[f"f{number:04}.tif"] = frame
                number += 1
            result["darks/f9000.tif"] = self.dark[0]
            return result
        step = [*CENTRE, "--angle-step", "2"]
        scan = self.stack("a", frames("f"))
        self.assertNotIn("missing", self.right(scan, *step))
        # A list may be for all frames.
        numbers = [int(name[1:5]) for name in frames("f") if name.startswith("f")]
        every = numpy.full(max(numbers) + 1, 77.0)
        every[numbers] = self.angles
        self.put("every.txt", "\n".join(map(str, every)).encode())
        self.right(scan, *CENTRE, "--angles", "every.txt")
        self.refused("15 of 105", "reconstruct", self.stack("b", frames("w")), *step, "-o", "x.npy", status=3)
        # One of them is lost; or all fields are counted apart, from 0 as projections.
        lost = self.stack("c", frames("f", [30]))
        self.refused("1 of 90 pictures are missing", "reconstruct", lost, *step, "-o", "x.npy", status=3)
        self.assertIn("f0039.tif", self.error)
        self.put("some.txt", "\n".join(map(str, numpy.delete(self.angles, 30))).encode())
        self.put("most.txt", "\n".join(map(str, self.angles)).encode())
        expected = self.volume(lost, *CENTRE, "--angles", "some.txt")
        for words in (["--angle-step", "2", "--numbers", "places"], ["--angles", "most.txt"],
                      ["--angles", "every.txt"]):
            numpy.testing.assert_array_equal(self.volume(lost, *CENTRE, *words), expected)
        apart = {f"f{i:04}.tif": frame for i, frame in enumerate(self.counts) if i != 3}
        apart.update({f"whites/f{i:04}.tif": self.white[0] for i in range(5)})
        self.refused("1 of 90", "reconstruct", self.stack("d", apart), *step, "-o", "x.npy", status=3)

    # ---- frames without object

    WAY_OUT = "--whites FILE or --white LEVEL"

    def counts_refused(self, scan, *words):
        self.refused("frames", "reconstruct", scan, *CENTRE, *words, "-o", "x.npy", status=2)
        self.assertIn(self.WAY_OUT, self.error)
        self.refused(self.WAY_OUT, "centre", scan, *words, status=2)
        self.tomo("info", scan)

    def test_counts_without_whites(self):
        self.counts_refused(self.write_exchange("a.h5", self.counts, theta=self.angles))
        self.counts_refused(self.write_exchange("b.h5", self.counts.astype("f4"), theta=self.angles,
                                                data_dark=self.dark))
        numpy.save(self.path("c.npy"), self.counts)
        self.counts_refused("c.npy", "--angle-step", "2")
        self.counts_refused(self.nxtomo(keys=[2] * 2 + [3] * 4 + [0] * COUNT))
        # Numbers that could be integrals by their type, and are too large: said, for a simulation may have them.
        scan = self.write_exchange("f.h5", self.counts.astype("f4"), theta=self.angles)
        self.tomo("reconstruct", scan, *CENTRE, "-o", "f.npy")
        self.assertRegex(self.error, "values up to [0-9.e+]+ were taken for line integrals; counts need --white")
        self.tomo("reconstruct", scan, *CENTRE, "--data", "integrals", "-o", "g.npy")
        self.assertNotIn("taken for", self.error)
        # The options are right.
        self.right("b.h5", *CENTRE, "--white", "20000")
        self.right("c.npy", *CENTRE, "--angle-step", "2", "--white", "20000", atol=3e-3)  # without darks
        numpy.save(self.path("int.npy"), (1000 * self.integrals).round().astype("u2"))
        volume = self.volume("int.npy", *CENTRE, "--angle-step", "2", "--data", "integrals")
        numpy.testing.assert_allclose(volume / 1000, self.expected, atol=1e-3)
        self.assertIn("has no use for --white", self.failed("b.h5", "--white", "9", "--data", "integrals", status=2))

    def failed(self, scan, *words, status):
        self.refused("", "reconstruct", scan, *words, "-o", "x.npy", status=status)
        return self.error

    def test_whites_of_the_options(self):
        """Every format, in bins and rows; with more than one row, and in blocks."""
        tifffile = support.module("tifffile")
        image = support.module("PIL.Image").Image
        beam = (20000 * (1 + 0.3 * numpy.sin(numpy.arange(3 * BINS)))).reshape(1, 3, BINS)
        counts = numpy.repeat(numpy.exp(-self.integrals), 3, axis=1) * beam
        self.write_exchange("a.h5", counts.astype("f4"), theta=self.angles,
                            data_white=numpy.full((1, 3, BINS), 7, "u2"))
        whites = numpy.repeat(beam, 2, axis=0) + numpy.array([-50, 50])[:, None, None]
        numpy.save(self.path("w3.npy"), whites)
        numpy.save(self.path("w2.npy"), beam[0].astype("f4"))
        tifffile.imwrite(self.path("w.tif"), whites.astype("f4"))
        image.fromarray(beam[0].astype("u2")).save(self.path("w.png"))
        os.mkdir(self.path("w"))
        for i in range(2):
            tifffile.imwrite(self.path(f"w/{i}.tif"), whites[i].astype("f4"))
        self.write_exchange("w.h5", whites.astype("f4"), theta=None)
        self.write_exchange("other.h5", 3 * whites, theta=None, data_white=whites)
        for name in ("w3.npy", "w2.npy", "w.tif", "w.png", "w", "w.h5", "other.h5"):
            for words in ([], ["--slices", "2", "--memory", "1M"]):
                with self.subTest(name, words=words):
                    volume = self.volume("a.h5", *CENTRE, "--whites", name, *words)
                    self.assertEqual(len(volume), 1 if words else 3)
                    for plane in volume:
                        numpy.testing.assert_allclose(plane, self.expected[0], atol=2e-4)
        numpy.save(self.path("w.npy"), beam[:, :, 1:])
        self.refused("same detector", "reconstruct", "a.h5", *CENTRE, "--whites", "w.npy", "-o", "x.npy", status=3)
        self.refused("check the name", "reconstruct", "a.h5", "--whites", "none.tif", "-o", "x.npy", status=3)
        self.refused("w2.npy", "reconstruct", "a.h5", *CENTRE, "--whites", "w2.npy", "-f", "-o", "w2.npy", status=4)

    def test_folders_without_whites(self):
        tifffile = support.module("tifffile")
        angles = {"angles": {"first": 0, "step": 2}}
        for i, (folder, sidecar, file) in enumerate((("whites", angles, None), ("whites", angles, "w.npy"),
                                                     ("flat", {**angles, "whites": "flat"}, None),
                                                     ("flat", {**angles, "whites": "flat"}, "w.npy"))):
            os.makedirs(self.path(f"{i}/{folder}"))
            for k, frame in enumerate(self.counts):
                tifffile.imwrite(self.path(f"{i}/p{k}.tif"), frame.astype("f4"))
            self.put(f"{i}/scan.json", json.dumps(sidecar).encode())
            if file:
                numpy.save(self.path(f"{i}/{folder}/{file}"), self.white)
            numpy.save(self.path("white.npy"), self.white)
            numpy.save(self.path("dark.npy"), self.dark)
            with self.subTest(sidecar, file=file):
                self.not_taken(f"{i}/{folder}: a folder without", str(i), *CENTRE)
                self.right(str(i), *CENTRE, "--whites", "white.npy", atol=3e-3)
        # A picture is as good as a folder.
        tifffile.imwrite(self.path("0/frame.tif.w"), self.white[0])
        os.rename(self.path("0/frame.tif.w"), self.path("0/whites/frame.tif"))
        self.right("0", *CENTRE, atol=3e-3)
        os.makedirs(self.path("0/darks"))
        self.not_taken("0/darks: a folder without", "0", *CENTRE)
        self.put("2/scan.json", json.dumps({**angles, "whites": "flat.tif", "darks": "dark.tif"}).encode())
        tifffile.imwrite(self.path("2/flat.tif"), self.white, photometric="minisblack")
        self.not_taken("2/dark.tif", "2", *CENTRE)
        tifffile.imwrite(self.path("2/dark.tif"), self.dark, photometric="minisblack")
        self.right("2", *CENTRE)

    def test_fields_of_another_size(self):
        self.write_exchange("a.h5", self.counts, theta=self.angles, data_white=self.white[:, :, 1:],
                            data_dark=self.dark)
        self.not_taken("does not have the size", "a.h5", *CENTRE)
        self.right("a.h5", *CENTRE, "--white", "20000")
        self.write_exchange("a.h5", self.counts, theta=self.angles, data_white=self.white,
                            data_dark=self.dark[:, :, 1:])
        self.not_taken("does not have the size", "a.h5", *CENTRE)

    def test_monitor(self):
        """`monitor` says the same of whites as `reconstruct`."""
        os.mkdir(self.path("in"))
        words = ["in", "--tolerance", "0", "--projections", COUNT, *CENTRE, "-o", "v.npy"]
        refused = [*words, "--timeout", "5"]  # missing frames may still come
        words += ["--timeout", "60"]
        for i, frame in enumerate(self.counts):
            numpy.save(self.path(f"in/p{i}.npy"), frame)
        step = ["--angle-step", "2"]
        self.refused(self.WAY_OUT, "monitor", *refused, *step, status=2)
        numpy.save(self.path("white.npy"), self.white - 100)  # there are no darks
        for i, frame in enumerate(self.counts):
            numpy.save(self.path(f"in/p{i}.npy"), frame - 100)
        for more in (["--white", "19900"], ["--whites", "white.npy"]):
            self.tomo("monitor", *words, *step, *more, "-f")
            numpy.testing.assert_allclose(numpy.load(self.path("v.npy")), self.expected, atol=1e-4)
            os.remove(self.path("v.npy"))
        os.mkdir(self.path("in/darks"))
        tifffile = support.module("tifffile")
        tifffile.imwrite(self.path("in/darks/d.tif"), self.dark[0])
        for i, frame in enumerate(self.counts):
            numpy.save(self.path(f"in/p{i}.npy"), frame.astype("f4"))
        self.refused("frames without beam, and none without object", "monitor", *refused, *step, status=2)

    # ---- NXtomo

    def test_alignment(self):
        """Projections that were taken again at the end, when the object had moved."""
        back = numpy.roll(self.counts[[0, 45, 89]], 6, axis=2)
        keys = [2] * 2 + [1] * 4 + [0] * COUNT
        self.nxtomo(frames=numpy.concatenate([self.dark, self.white, self.counts, back]), keys=keys + [0] * 3,
                    angles=numpy.r_[[0] * 6, self.angles, 0, 90, 178], image_key_control=keys + [-1] * 3)
        self.assertIn("3 frames taken for alignment are left out", self.right("a.nxs", *CENTRE))
        self.assertEqual(json.loads(self.tomo("info", "--json", "a.nxs"))["dropped"], 3)
        self.refused("96 frames and 95 image keys", "info", self.nxtomo(image_key_control=[0] * 95), status=3)

    def test_entries(self):
        self.nxtomo(entry="first")
        self.nxtomo(entry="group/second", mode="a",
                    frames=numpy.concatenate([self.dark, self.white, self.counts[::-1]]))
        said = self.right("a.nxs", *CENTRE)
        for words in ("2 scans, first, group/second", "--entry"):
            self.assertIn(words, said)
        self.assertIn("2 scans, first, group/second", self.tomo("info", "a.nxs"))
        numpy.testing.assert_array_equal(self.volume("a.nxs", *CENTRE, "--entry", "/first"),
                                         self.volume("a.nxs", *CENTRE))
        other = self.volume("a.nxs", *CENTRE, "--entry", "group/second")
        self.assertGreater(numpy.abs(other - self.expected).max(), 0.05)
        self.assertNotIn("scans", self.tomo("info", "a.nxs", "--entry", "first"))
        self.refused("has no entry third: it has first, group/second", "info", "a.nxs", "--entry", "third", status=3)
        self.refused("has no entry first", "info", "right.h5", "--entry", "first", status=3)

    def test_motions(self):
        still = {"sample/x_translation": numpy.full(COUNT + 6, 0.004), "sample/y_translation": 0.25,
                 "sample/z_translation": numpy.full(COUNT + 6, -1.0)}
        self.right(self.nxtomo(**still), *CENTRE)
        away = numpy.zeros(COUNT + 6)
        away[2:6] = 0.05  # the object is out of the beam for the frames without it
        self.right(self.nxtomo(**{"sample/x_translation": away}), *CENTRE)
        for path in ("sample/x_translation", "sample/y_translation", "sample/z_translation", "sample/transformations/z",
                     "instrument/detector/transformations/tx", "instrument/detector/y_translation"):
            self.nxtomo(**{path: numpy.linspace(0, 0.01, COUNT + 6)})
            self.not_taken(f"/entry/{path} changes by 9.", "a.nxs", *CENTRE)
        # Places that are not known hide none that are.
        for unknown in (numpy.nan, numpy.inf):
            self.right(self.nxtomo(**{"sample/z_translation": numpy.full(COUNT + 6, unknown)}), *CENTRE)
            for k in range(40, 50):
                places = numpy.r_[numpy.zeros(6), numpy.linspace(0, 0.01, 45), numpy.zeros(COUNT - 45)]
                places[k], places[k + 1:] = unknown, 0
                self.nxtomo(**{"sample/z_translation": places})
                self.not_taken("sample/z_translation changes by", "a.nxs", *CENTRE)
                places[:] = 0
                places[k] = unknown
                self.right(self.nxtomo(**{"sample/z_translation": places}), *CENTRE)
        # An encoder's noise is less than half a pixel.
        noise = 0.2e-6 * numpy.sin(numpy.arange(COUNT + 6))
        self.nxtomo(x_pixel_size=1e-6, **{"sample/z_translation": noise})
        self.right("a.nxs", *CENTRE)
        self.not_taken("changes by", self.nxtomo(x_pixel_size=1e-7, **{"sample/z_translation": noise}), *CENTRE)
        # By the pixel of the options, if the scan has none or another.
        self.right("a.nxs", *CENTRE, "--pixel", "0.001")
        self.nxtomo(**{"sample/z_translation": 0.0123 + noise})
        self.not_taken("changes by", "a.nxs", *CENTRE)
        self.assertIn("give --pixel if it is less than half a pixel, or go on with --still", self.failed(
            "a.nxs", *CENTRE, "--pixel", "0.0001", status=3))
        self.right("a.nxs", *CENTRE, "--pixel", "0.001")
        for words in ([], ["--pixel", "0.0001"]):
            self.right("a.nxs", *CENTRE, *words, "--still")

    def test_units_of_motions(self):
        """A value that does not change needs no unit."""
        path = "sample/x_translation"
        for values, unit in ((numpy.full(COUNT + 6, 7.0), "pixel"), (0.0, "furlong"),
                             (numpy.linspace(0, 1, COUNT + 6), "microns")):
            self.nxtomo(x_pixel_size=1e-5, **{path: values})
            with h5py.File(self.path("a.nxs"), "a") as file:
                file[f"entry/{path}"].attrs["units"] = unit
            self.right("a.nxs", *CENTRE)
        with h5py.File(self.path("a.nxs"), "a") as file:
            file[f"entry/{path}"].attrs["units"] = "furlong"
        self.not_taken("a length in the unit furlong", "a.nxs", *CENTRE)
        self.right("a.nxs", *CENTRE, "--still")

    def test_turned_detector(self):
        """Left to right, upside down, both; in the words and the axes of old files and of new ones."""
        frames = numpy.concatenate([self.dark, self.white, self.counts])
        frames = numpy.concatenate([frames, numpy.roll(frames, 5, axis=0), frames[:, :, ::-1]], axis=1)
        frames[[0, 1]], frames[2:6] = 100, 20000
        expected = self.volume(self.nxtomo(frames=frames), *CENTRE)
        place = "instrument/detector/transformations/"
        mcstas = {"at_NeXus_Coordinate_System": "McStas"}
        for turned, sets in ((frames[:, :, ::-1], {"x_flipped": numpy.bool_(True)}),
                             (frames[:, ::-1], {"y_flipped": numpy.bool_(True), "x_flipped": numpy.bool_(False)}),
                             (frames[:, :, ::-1], {place + "rz": 180.0, place + "ry": 0.0}),
                             (frames[:, ::-1], {place + "ry": 180.0}),
                             (frames[:, :, ::-1], {place + "ry": -180.0, **mcstas}),
                             (frames[:, ::-1], {place + "rx": numpy.full(96, 180.0), **mcstas}),
                             (frames[:, ::-1, ::-1], {place + "rz": 180.0, **mcstas}),
                             (frames[:, ::-1, ::-1], {place + "rx": 180.0, place + "ry": 180.0,
                                                      place + "rz": 0.0, **mcstas})):
            with self.subTest(list(sets)):
                self.nxtomo(frames=numpy.ascontiguousarray(turned), **sets)
                for words in ([], ["--slices", "0:2"], ["--slices", "2", "--memory", "1M"]):
                    volume = self.volume("a.nxs", *CENTRE, *words)
                    part = {0: slice(0, 3), 2: slice(0, 2), 4: slice(2, 3)}[len(words)]
                    numpy.testing.assert_allclose(volume, expected[part], atol=1e-6)
        self.nxtomo(frames=numpy.ascontiguousarray(frames[:, :, ::-1]), x_flipped=numpy.bool_(True),
                    x_rotation_axis_pixel_position=17.25)
        self.assertIn("bin 14.75, of the scan", self.slice_of("a.nxs"))
        self.assertIn("turned by 0.5 degrees, which is not taken", self.slice_of(self.nxtomo(**{place + "rx": 0.5})))
        # Other ways of saying it are understood, or need only --still.
        for word in ("False", "false"):
            self.right(self.nxtomo(x_flipped=word, y_flipped=word), *CENTRE)
        self.assertIn("left and right are exchanged", self.slice_of(self.nxtomo(x_flipped="True")))
        for sets, text in (({"x_flipped": "perhaps"}, "x_flipped"),
                           ({"y_flipped": numpy.arange(96) > 50}, "y_flipped is not constant"),
                           ({place + "ry": numpy.linspace(0, 180, 96), "x_flipped": True}, "is not constant")):
            self.not_taken(text, self.nxtomo(**sets), *CENTRE)
            self.right("a.nxs", *CENTRE, "--still")

    # ---- other

    def test_broken_off(self):
        """Zeros where nothing was written."""
        self.integrals[70:] = 0
        self.write_exchange("a.h5", self.integrals, theta=self.angles)
        self.assertIn("20 projections are 0 throughout", self.slice_of("a.h5", *CENTRE))
        self.assertNotIn("throughout", self.slice_of("right.h5", *CENTRE))
        self.write_exchange("empty.h5", 0 * self.integrals, theta=self.angles)  # rows of air
        self.assertNotIn("throughout", self.slice_of("empty.h5", *CENTRE))

    def test_exponents(self):
        for text in ("6.5e-4", ".00065", "65E-5"):
            self.tomo("phantom", "-q", "--size", 16, "--rows", 1, "--pixel", text, "-f", "-o", "p.h5")
            self.assertIn("0.00065 mm", self.tomo("info", "p.h5"))
        self.refused("--pixel: 6.5e is not a decimal number", "reconstruct", "right.h5", "--pixel", "6.5e", "-o",
                     "x.h5", status=2)
        self.refused("--centre", "reconstruct", "right.h5", "--centre", "1e9", "-o", "x.h5", status=2)


if __name__ == "__main__":
    support.main()
