"""Preparation helps where it must, and changes little where there is nothing to mend."""
import cmath
import json
import random

import support
from support import numpy


class Preparation(support.Case):
    SCAN = ["--size", 192, "--rows", 2, "--projections", 192, "--peak", 3]

    def scans(self, *faults):
        """A scan with faults; the object as the reference."""
        self.phantom("raw.h5", *self.SCAN, "--counts", 100000, *faults)
        self.tomo("phantom", "-q", *self.SCAN, "--counts", 100000, "--volume", "true.h5", "-o", "clean.h5")

    def error_of(self, scan, *words):
        self.tomo("reconstruct", "-q", "-f", scan, *words, "-o", "v.h5")
        return self.compare("v.h5", "true.h5")["rmse"]

    def test_zingers(self):
        self.scans("--zingers", 20)
        clean, hurt = self.error_of("clean.h5"), self.error_of("raw.h5")
        mended = self.error_of("raw.h5", "--zingers", "0.3")
        self.assertGreater(hurt, 1.5 * clean)
        self.assertLess(mended, 1.1 * clean)
        self.assertLess(self.error_of("clean.h5", "--zingers", "0.3"), 1.05 * clean)

    def test_stripes(self):
        # Many things off the axis: a thing round about it looks like rings itself.
        generator = random.Random(4)
        lines = []
        for _ in range(40):
            place = cmath.rect(0.75 * generator.random()**0.5, 6.3 * generator.random())
            lines.append(f"{0.2 + generator.random()} {0.05 + 0.12 * generator.random()} "
                         f"{0.05 + 0.12 * generator.random()} 9 {place.real} {place.imag} 0 {180 * generator.random()}")
        self.put("object.txt", "\n".join(lines).encode())
        self.SCAN = [*self.SCAN, "--object", "object.txt"]
        self.scans("--rings", 24)
        clean, hurt = self.error_of("clean.h5"), self.error_of("raw.h5")
        self.assertGreater(hurt, 1.5 * clean)
        for method, share in (("sorting", 0.15), ("wavelet", 0.4)):
            with self.subTest(method):
                mended = self.error_of("raw.h5", "--stripes", method)
                self.assertLess(mended, hurt - share * (hurt - clean))

    def test_counts(self):
        """Flat and dark fields and minus-log give the line integrals again, up to noise of photons."""
        self.phantom("raw.h5", *self.SCAN, "--counts", 1000000)
        self.phantom("exact.h5", *self.SCAN)
        scale = float(self.read("raw.h5", "process/vershina/scale"))
        counts, exact = self.volume("raw.h5"), self.volume("exact.h5") * scale
        self.assertLess(numpy.sqrt(((counts - exact)**2).mean()), 0.02 * numpy.abs(exact).max())

    def test_phase(self):
        """Paganin's filter against its definition, in one block and in many."""
        generator = numpy.random.default_rng(3)
        wave = generator.random((6, 40, 48)).astype("f4") * 0.5 + 0.5
        self.write_exchange("t.h5", wave)
        words = ["--data", "transmission", "--pixel", "0.001", "--centre", "23.5"]
        phase = ["--phase", "100", "--energy", "20", "--distance", "50"]
        alpha = numpy.pi * 1.2398419843e-6 / 20 * 50 * 100 / 0.001**2
        padded = numpy.pad(wave.astype(float), ((0, 0), (300, 300), (300, 300)), "edge")
        v, u = numpy.fft.fftfreq(padded.shape[1])[:, None], numpy.fft.fftfreq(padded.shape[2])
        smooth = numpy.fft.ifft2(numpy.fft.fft2(padded) / (1 + alpha * (u**2 + v**2))).real[:, 300:-300, 300:-300]
        self.write_exchange("s.h5", smooth.astype("f4"))
        expected = self.volume("s.h5", *words)
        self.assertGreater(numpy.abs(expected - self.volume("t.h5", *words)).max(), 0.1 * numpy.abs(expected).max())
        for memory in ("1G", "9M"):
            found = self.volume("t.h5", *words, *phase, "--memory", memory, "-t", "1")
            self.assertLess(numpy.abs(found - expected).max(), 2e-3 * numpy.abs(expected).max(), memory)
        self.refused("has line integrals", "reconstruct", "t.h5", *phase, "-o", "x.h5", status=2)

    def test_phase_of_a_noisy_scan(self):
        """With fringes of propagation and noise, slices are nearer to the known thickness with --phase."""
        self.phantom("p.h5", "--size", 96, "--rows", 40, "--projections", 120, "--peak", 1)
        exact = self.read("p.h5").astype(float)
        exact *= 1.5 / exact.max()
        alpha = numpy.pi * 1.2398419843e-6 / 20 * 5 * 100 / 0.001**2
        padded = numpy.pad(numpy.exp(-exact), ((0, 0), (80, 80), (80, 80)), "edge")
        v, u = numpy.fft.fftfreq(padded.shape[1])[:, None], numpy.fft.fftfreq(padded.shape[2])
        sharp = numpy.fft.ifft2(numpy.fft.fft2(padded) * (1 + alpha * (u**2 + v**2))).real[:, 80:-80, 80:-80]
        noisy = sharp + numpy.random.default_rng(5).normal(0, 0.05, sharp.shape)
        self.write_exchange("noisy.h5", noisy.astype("f4"))
        self.write_exchange("exact.h5", exact.astype("f4"))
        truth = self.volume("exact.h5", "--centre", 47.5, "--slices", "18:22")
        words = ["--data", "transmission", "--pixel", "0.001", "--centre", 47.5, "--slices", "18:22"]
        without, found = (numpy.sqrt(((self.volume("noisy.h5", *words, *more) - truth)**2).mean())
                          for more in ([], ["--phase", 100, "--energy", 20, "--distance", 5]))
        self.assertLess(found, min(without / 20, 0.02 * truth.max()))

    def test_phase_and_zingers(self):
        """A zinger is removed before phase retrieval would spread it; block by block it is counted once."""
        self.phantom("p.h5", "--size", 48, "--rows", 40, "--projections", 60, "--peak", 3)
        wave = numpy.exp(-self.read("p.h5") * 3 / self.read("p.h5").max()).astype("f4")
        hurt = wave.copy()
        hurt[20, 12, 20] = hurt[41, 30, 30] = 5
        for name, values in (("clean.h5", wave), ("hurt.h5", hurt)):
            self.write_exchange(name, values)
        words = ["--data", "transmission", "--pixel", "0.001", "--centre", "23.5", "--phase", "100", "--energy", "20",
                 "--distance", "5", "-t", "1"]
        clean = self.volume("clean.h5", *words)
        spread = numpy.abs(self.volume("hurt.h5", *words, "--zingers", "100") - clean).max()
        for memory in ("1G", "4M"):
            mended = self.volume("hurt.h5", *words, "--zingers", "1", "--memory", memory)
            self.assertLess(numpy.abs(mended - clean).max(), spread / 20, memory)
            self.tomo("reconstruct", "hurt.h5", *words, "--zingers", "1", "--memory", memory, "-f", "-o", "v.npy")
            self.assertIn(": 2 zingers", self.error)

    def test_centre(self):
        for shift, num, words in ((-7.3, 192, ["--noise", 0.5]), (0, 192, []), (5.25, 224, ["--range", 210]),
                                  (11.6, 192, ["--counts", 20000, "--rings", 10])):
            with self.subTest(shift):
                self.phantom("raw.h5", "--size", 192, "--projections", num, "--shift", shift, *words, "-f")
                found = json.loads(self.tomo("centre", "--json", "raw.h5"))
                self.assertEqual(len(found["guesses"]), 3)
                for guess in found["guesses"]:
                    self.assertLess(abs(guess["centre"] - 95.5 - shift), 0.5, guess)
                self.assertLess(abs(found["chosen"]["centre"] - 95.5 - shift), 0.15)
                self.assertGreater(found["chosen"]["confidence"], 0.3)

    def test_sheet(self):
        image = support.module("PIL.Image").Image
        self.phantom("raw.h5", *self.SCAN[:6])
        self.tomo("centre", "raw.h5", "--sheet", "s.png", "--step", "2")
        sheet = numpy.array(image.open(self.path("s.png")))
        self.assertEqual(sheet.shape, (3 * 192, 3 * 192))
        # The right one is in the middle.
        slice_ = self.volume("raw.h5", "--slices", "1")[0, 40:150, 40:150].clip(-0.1, 1).ravel()
        likeness = [numpy.corrcoef(sheet[y + 40:y + 150, x + 40:x + 150].ravel(), slice_)[0, 1]
                    for y in (0, 192, 384) for x in (0, 192, 384)]
        self.assertGreater(likeness[4], 0.98)
        self.assertEqual(max(range(9), key=lambda i: likeness[i]), 4, likeness)

    def test_compare(self):
        """RMSE, PSNR and SSIM against their formulas."""
        generator = numpy.random.default_rng(2)
        a, b = generator.random((3, 24, 31), dtype="f4"), generator.random((3, 24, 31), dtype="f4")
        numpy.save(self.path("a.npy"), a)
        numpy.save(self.path("b.npy"), b)
        found = json.loads(self.tomo("compare", "--json", "a.npy", "b.npy", "--picture", "d.png"))
        a, b = a.astype(float), b.astype(float)
        rmse = numpy.sqrt(((a - b)**2).mean())
        self.assertAlmostEqual(found["rmse"], rmse, 7)
        self.assertAlmostEqual(found["psnr"], 20 * numpy.log10((b.max() - b.min()) / rmse), 6)
        windows = numpy.lib.stride_tricks.sliding_window_view
        x, y = (windows(v, (7, 7), (1, 2)).reshape(3, 18, 25, 49) for v in (a, b))
        c1, c2 = (0.01 * (b.max() - b.min()))**2, (0.03 * (b.max() - b.min()))**2
        mx, my = x.mean(-1), y.mean(-1)
        cov = ((x - mx[..., None]) * (y - my[..., None])).sum(-1) / 48
        variances = x.var(-1, ddof=1) + y.var(-1, ddof=1)
        ssim = ((2 * mx * my + c1) * (2 * cov + c2)) / ((mx**2 + my**2 + c1) * (variances + c2))
        self.assertAlmostEqual(found["ssim"], ssim.mean(), 6)
        numpy.save(self.path("b1.npy"), b[:2])
        self.refused("of one size", "compare", "a.npy", "b1.npy", status=1)


class Phantoms(support.Case):
    def test_exact(self):
        """A disc and an ellipse against their formulas, parallel and fan."""
        self.put("object.txt", b"# density a b c x y z phi\n2 0.5 0.5 9 0 0 0 0\n")
        self.phantom("p.h5", "--object", "object.txt", "--size", 64, "--rows", 1, "--projections", 7)
        t = numpy.arange(64) - 31.5
        fine = (t[:, None] + (numpy.arange(1000) + 0.5) / 1000 - 0.5)
        exact = (2 * 2 * numpy.sqrt(numpy.maximum(0, 16**2 - fine**2))).mean(1)
        for row in self.read("p.h5")[:, 0]:
            numpy.testing.assert_allclose(row, exact, atol=3e-3)
        self.phantom("f.h5", "--object", "object.txt", "--size", 64, "--rows", 1, "--projections", 7, "--fan", 100)
        gamma = numpy.arctan(fine / 100)
        exact = (2 * 2 * numpy.sqrt(numpy.maximum(0, 16**2 - (100 * numpy.sin(gamma))**2))).mean(1)
        for row in self.read("f.h5")[:, 0]:
            numpy.testing.assert_allclose(row, exact, atol=3e-3)

    def test_turned(self):
        """Mass and centre of mass of a turned ellipse off the axis."""
        self.put("object.txt", b"1 0.3 0.1 0.2 0.4 0.2 0 30")
        self.phantom("p.h5", "--object", "object.txt", "--size", 128, "--rows", 1, "--projections", 20)
        theta = numpy.radians(self.read("p.h5", "exchange/theta"))
        data = self.read("p.h5")[:, 0].astype(float)
        numpy.testing.assert_allclose(data.sum(1), numpy.pi * 0.3 * 0.1 * 64**2, rtol=1e-5)
        moment = (data * (numpy.arange(128) - 63.5)).sum(1) / data.sum(1)
        numpy.testing.assert_allclose(moment, 64 * (0.4 * numpy.cos(theta) + 0.2 * numpy.sin(theta)), atol=5e-3)
        width = (data > 0).sum(1)
        turned = theta - numpy.pi / 6
        reach = 2 * 64 * numpy.sqrt((0.3 * numpy.cos(turned))**2 + (0.1 * numpy.sin(turned))**2)
        self.assertLess(numpy.abs(width - reach).max(), 2)

    def test_same_numbers(self):
        words = ["--size", 32, "--rows", 3, "--counts", 500, "--rings", 3, "--zingers", 2]
        self.phantom("a.h5", *words, "-t", 1)
        self.phantom("b.h5", *words, "-t", 2)
        self.phantom("c.h5", *words, "--seed", 2)
        self.assertEqual(self.get("a.h5"), self.get("b.h5"))
        self.assertNotEqual(self.get("a.h5"), self.get("c.h5"))

    def test_bad_objects(self):
        for text, problem in (("1 2 3", "3 numbers"), ("1 0 1 1 0 0 0 0", "not above 0"),
                              ("1 nan 1 1 0 0 0 0", "no number"), ("", "no ellipsoid"), ("a", "no number")):
            self.put("object.txt", text.encode())
            self.refused(problem, "phantom", "--object", "object.txt", "-o", "x.h5", status=3)
        for beam, part in (("--fan", "1 0.5 0.5 0.1 0 -2.5 0.3 0"), ("--cone", "1 3 3 3 0 0 0 0"),
                           ("--fan", "1 9 0.5 0.5 0 0 0 90"), ("--fan", "1 .5 .5 .1 0 -3.5 0 0")):
            self.put("wide.txt", b"1 0.5 0.5 0.5 0 0 0 0\n" + part.encode())
            self.refused("the object reaches as far as the source", "phantom", "--object", "wide.txt", "--size", 64,
                         beam, 80, "-o", "x.h5", status=2)
        self.refused("the source is in the slice", "phantom", "--fan", "100", "-o", "x.h5", status=2)


if __name__ == "__main__":
    support.main()
