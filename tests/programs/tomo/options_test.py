"""Each option of `reconstruct` does what the same option of the library does, or what its words say."""
import ctypes
import os
import sys

import support
from support import numpy

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../programs/bench/tomography"))
from peers import Geometry, Options  # the structures of tomography.h

ALGORITHMS = ("fbp", "dfr", "hfbp", "sirt", "cgls", "tv")


class Library:
    """The C ABI, called by this interpreter."""

    def __init__(self):
        self.abi = ctypes.CDLL(os.path.join(support.BUILD, "libvershina-tomography.so"))
        self.abi.vsh_tomo_plan_size.restype = ctypes.c_size_t
        self.abi.vsh_tomo_kernel.restype = ctypes.c_char_p

    def kernels(self):
        """Those that this CPU runs."""
        names, index = [], 0
        while name := self.abi.vsh_tomo_kernel(ctypes.c_size_t(index)):
            if self.abi.vsh_tomo_kernel_runnable(ctypes.c_size_t(index)):
                names.append(name.decode())
            index += 1
        return names

    def volume(self, projections, angles, **changes):
        """Reconstructs projections [angle][row][bin]; changes: members of the options, and centre_offset."""
        projections = numpy.ascontiguousarray(projections, numpy.float32)
        radians = numpy.radians(numpy.asarray(angles, float))
        num_angles, num_rows, num_bins = projections.shape
        geometry = Geometry(ctypes.sizeof(Geometry), 1, num_angles, radians.ctypes.data, num_bins,
                            changes.pop("centre_offset", 0.0), 0.0, 0, 0.0)
        options = Options(struct_size=ctypes.sizeof(Options), relaxation=1.0, tv_weight=0.01, threads=1)
        for name in ("algorithm", "filter", "interpolation", "quality", "angle_weights", "padding", "displaced"):
            setattr(options, name, 1)
        for name, value in changes.items():
            setattr(options, name, value)
        plan = ctypes.c_void_p()
        status = self.abi.vsh_tomo_plan_new(ctypes.byref(plan), ctypes.byref(geometry), ctypes.byref(options))
        assert status == 0, status
        size = self.abi.vsh_tomo_plan_size(plan)
        volume = numpy.empty((num_rows, size, size), numpy.float32)
        status = self.abi.vsh_tomo_reconstruct(plan, ctypes.c_void_p(volume.ctypes.data),
                                               ctypes.c_void_p(projections.ctypes.data), ctypes.c_size_t(0),
                                               ctypes.c_size_t(num_rows))
        assert status == 0, status
        self.abi.vsh_tomo_plan_free(plan)
        return volume


def sorted_stripes(projections, window):
    """Vo's first method: each bin's values sorted over the angles, a median across bins, and back to their places."""
    result = numpy.empty_like(projections)
    for row in range(projections.shape[1]):
        sinogram = projections[:, row]
        order = numpy.argsort(sinogram, axis=0, kind="stable")
        ranks = numpy.pad(numpy.take_along_axis(sinogram, order, 0), ((0, 0), (window // 2, window // 2)), "symmetric")
        smooth = numpy.median(numpy.lib.stride_tricks.sliding_window_view(ranks, window, 1), axis=2)
        numpy.put_along_axis(result[:, row], order, smooth.astype("f4"), 0)
    return result


class Engine(support.Case):
    def setUp(self):
        super().setUp()
        if os.environ.get("VERSHINA_SANITIZE"):
            self.skipTest("sanitizers are in the library, which this interpreter cannot load then")
        self.library = Library()
        self.angles = numpy.concatenate([numpy.arange(0, 90, 3), numpy.arange(90, 180, 5.0)])
        self.put("angles", b"".join(b"%.3f\n" % angle for angle in self.angles))
        self.phantom("even.h5", "--object", "shepp-logan-3d", "--size", 48, "--rows", 5, "--projections",
                     len(self.angles), "--noise", 0.5)
        self.data = self.read("even.h5")
        self.write_exchange("scan.h5", self.data, theta=self.angles)

    def check(self, words, plain, expected, scan="scan.h5"):
        """The options `words` give the expected result, which differs from that of `plain`."""
        found = self.volume(scan, "--centre", "23.5", *words)
        scale = numpy.abs(expected).max()
        numpy.testing.assert_allclose(found, expected, atol=2e-5 * scale)
        if plain is not None:
            without = self.volume(scan, "--centre", "23.5", *plain)
            self.assertTrue(without.shape != found.shape or numpy.abs(without - found).max() > 2e-3 * scale, words)

    def test_as_the_library(self):
        iterations = ["--iterations", "5"]
        for algorithm, common, words, changes in (
                ("fbp", [], ["--square"], {"whole_square": 1}), ("fbp", [], ["--padding", "edges"], {"padding": 2}),
                ("fbp", [], ["--weights", "uniform"], {"angle_weights": 2}),
                ("fbp", [], ["--size", "40"], {"size": 40}), ("dfr", [], ["--filter", "cosine"], {"filter": 3}),
                ("fbp", [], ["--interpolation", "cubic"], {"interpolation": 2}),
                ("fbp", [], ["--filter", "shepp-logan"], {"filter": 2}),
                ("hfbp", [], ["--filter", "hamming"], {"filter": 4}),
                ("hfbp", [], ["--filter", "hann"], {"filter": 5}), ("hfbp", [], ["--quality", "fast"], {"quality": 2}),
                ("dfr", [], ["--padding", "edges"], {"padding": 2}),
                ("hfbp", [], ["--padding", "edges"], {"padding": 2}),
                ("hfbp", [], ["--square"], {"whole_square": 1}), ("sirt", [], iterations, {"iterations": 5}),
                ("cgls", [], iterations, {"iterations": 5}), ("tv", [], iterations, {"iterations": 5}),
                ("sirt", iterations, ["--relaxation", "0.5"], {"iterations": 5, "relaxation": 0.5}),
                ("sirt", iterations, ["--nonnegative"], {"iterations": 5, "nonnegative": 1}),
                ("tv", iterations, ["--nonnegative"], {"iterations": 5, "nonnegative": 1}),
                ("tv", iterations, ["--tv-weight", "2"], {"iterations": 5, "tv_weight": 2.0})):
            with self.subTest(algorithm=algorithm, words=words):
                plain = ["-a", algorithm, *common]
                changes = {"algorithm": ALGORITHMS.index(algorithm) + 1, **changes}
                self.check([*plain, *words], plain, self.library.volume(self.data, self.angles, **changes))
        for algorithm, iterations in (("sirt", 100), ("cgls", 20), ("tv", 200)):  # as --help says
            self.check(["-a", algorithm], None, self.library.volume(
                self.data, self.angles, algorithm=ALGORITHMS.index(algorithm) + 1, iterations=iterations))

        self.write_exchange("without.h5", self.data, theta=None)
        steps = numpy.arange(len(self.angles)) * 3.5
        self.check(["--angle-step", "3.5", "--first-angle=-20"], ["--angle-step", "3.5"],
                   self.library.volume(self.data, steps - 20), "without.h5")
        self.check(["--angles", "angles"], ["--angle-step", "3.5"], self.library.volume(self.data, self.angles),
                   "without.h5")
        self.check(["--clockwise"], [], self.library.volume(self.data, -self.angles))
        mended = sorted_stripes(self.data, 9)
        self.check(["--stripes", "sorting", "--stripe-window", "9"], ["--stripes", "sorting"],
                   self.library.volume(mended, self.angles))

        per_pixel = self.library.volume(self.data, self.angles).astype(float)
        self.check(["--hounsfield", "0.2", "--air", "0.05"], ["--hounsfield", "0.2"],
                   1000 * (per_pixel - 0.2) / (0.2 - 0.05))
        for options, words in (("filter interpolation quality weights padding nonnegative", ["-a", "cgls"]),
                               ("relaxation tv-weight", ["-a", "cgls"]), ("tv-weight", ["-a", "sirt"]),
                               ("relaxation", ["-a", "tv"]), ("interpolation weights", ["-a", "hfbp"]),
                               ("interpolation quality", ["-a", "dfr"]), ("iterations quality", ["-a", "fbp"]),
                               ("interpolation weights", ["--cone", 200])):
            for option in options.split():
                value = {"filter": ["hann"], "interpolation": ["linear"], "quality": ["fast"], "weights": ["uniform"],
                         "padding": ["edges"], "nonnegative": []}.get(option, [1])
                self.refused(f"--{option}: ", "reconstruct", "scan.h5", *words, "--" + option, *value, "-o", "x.npy",
                             status=2)
                self.assertIn("does not have it", self.error)

        self.refused("water is not above --air", "reconstruct", "scan.h5", "--hounsfield", "0.2", "--air", "0.3", "-o",
                     "x.npy", status=2)

        for name in self.library.kernels():
            self.tomo("reconstruct", "scan.h5", "--centre", "23.5", "--kernel", name, "-f", "-o", "v.npy")
            self.assertIn(f"kernel {name};", self.error)
            expected = self.library.volume(self.data, self.angles, kernel=name.encode())
            numpy.testing.assert_allclose(numpy.load(self.path("v.npy")), expected, atol=2e-5 * expected.max())


class Words(support.Case):
    def test_stripe_sigma(self):
        """Detail across bins that changes over the angles: a small sigma keeps it, a large one takes it for stripes."""
        sinogram = numpy.outer(numpy.cos(2 * numpy.pi * 6 * numpy.arange(120) / 120), (-1.0)**numpy.arange(64))
        self.write_exchange("a.h5", sinogram[:, None].astype("f4"))
        words = ["a.h5", "--centre", "31.5"]
        size = numpy.linalg.norm(self.volume(*words))
        words += ["--stripes", "wavelet"]
        left = [numpy.linalg.norm(self.volume(*words, "--stripe-sigma", sigma)) for sigma in ("0.5", "2", "4", "100")]
        self.assertGreater(left[0], 0.9 * size)
        self.assertLess(left[3], 0.2 * size)
        self.assertEqual(left, sorted(left, reverse=True))
        self.assertLess(left[2], left[1])
        self.assertEqual(numpy.linalg.norm(self.volume(*words)), left[1])  # the default

    def test_around(self):
        """The sheet's nine slices, with grey values from their own percentiles."""
        image = support.module("PIL.Image").Image
        self.phantom("scan.h5", "--size", 96, "--rows", 1, "--projections", 60)
        self.tomo("centre", "scan.h5", "--sheet", "s.png", "--around", "44", "--step", "1.5")
        sheet = numpy.array(image.open(self.path("s.png"))).astype(float)
        slices = [self.volume("scan.h5", "--centre", str(44 + 1.5 * i))[0] for i in range(-4, 5)]
        some = numpy.sort(numpy.concatenate([slice_.ravel()[::7] for slice_ in slices]))
        low, high = some[len(some) // 200], some[len(some) - 1 - len(some) // 200]
        for i, slice_ in enumerate(slices):
            tile = sheet[i // 3 * 96:i // 3 * 96 + 96, i % 3 * 96:i % 3 * 96 + 96]
            grey = ((slice_ - low) / (high - low)).clip(0, 1) * 255
            self.assertLess(numpy.abs(tile - grey)[16:].max(), 1, i)  # below the number

    def test_dicom_texts(self):
        pydicom = support.module("pydicom")
        self.phantom("scan.h5", "--size", 32, "--rows", 1, "--projections", 30)
        words = ["reconstruct", "-q", "scan.h5", "--format", "dicom"]
        self.tomo(*words, "-o", "plain")
        self.tomo(*words, "-o", "named", "--patient-id", "Ф-17", "--series", "Проба", "--study", "Study 3",
                  "--patient-name", "Doe^Jane")
        plain, named = (pydicom.dcmread(self.path(f"{folder}/slice0001.dcm")) for folder in ("plain", "named"))
        self.assertEqual((str(plain.PatientID), str(plain.PatientName)), ("anonymous", "Anonymous^Patient"))
        self.assertEqual((str(named.PatientID), str(named.SeriesDescription)), ("Ф-17", "Проба"))
        self.assertEqual((str(named.StudyDescription), str(named.PatientName)), ("Study 3", "Doe^Jane"))
        self.refused("--patient-id", *words, "-o", "x", "--patient-id", "a" * 65, status=2)


if __name__ == "__main__":
    support.main()
