"""`vershina tomo reconstruct --cone`: spheres, whose exact line integrals are made here, seen from a point."""
import json

import support
from support import numpy as np

ROWS, BINS, RADIUS = 33, 49, 50.0
# x, y, z, radius in bins from the middle of the volume, and density.
SPHERES = [(0, 0, 0, 17, 1.0), (9, 4, 5, 5, 0.5), (-7, 6, -6, 4, -0.5), (2, -10, 0, 3, 1.0)]


def projections(degrees, centre, clockwise=False, source_row=(ROWS - 1) / 2, samples=1):
    """The source at R (sin, -cos), the detector through the axis along (cos, sin); sphere by sphere, ray by ray. Each
    is the mean of `samples` rays side by side in its bin."""
    s = np.arange(BINS)[:, None] - centre + (np.arange(samples) + 0.5) / samples - 0.5
    v = np.arange(ROWS)[:, None, None] - source_row
    beta = np.deg2rad(np.asarray(degrees, float))[:, None, None, None] * (-1 if clockwise else 1)
    ray = [s * np.cos(beta) - RADIUS * np.sin(beta), s * np.sin(beta) + RADIUS * np.cos(beta), v + 0 * beta]
    length = np.sqrt(sum(part ** 2 for part in ray))
    total = 0
    for x, y, z, radius, density in SPHERES:
        to = [x - RADIUS * np.sin(beta), y + RADIUS * np.cos(beta), z + 0 * beta]
        along = sum(a * b for a, b in zip(ray, to)) / length
        beside = sum(part ** 2 for part in to) - along ** 2
        total = total + 2 * density * np.sqrt(np.maximum(radius ** 2 - beside, 0))
    return total.mean(-1).astype(np.float32)


def volume():
    z = np.arange(ROWS)[:, None, None] - (ROWS - 1) / 2
    y = (BINS - 1) / 2 - np.arange(BINS)[None, :, None]
    x = np.arange(BINS)[None, None] - (BINS - 1) / 2
    return sum(d * ((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 <= r * r) for a, b, c, r, d in SPHERES)


class Cone(support.Case):
    def scan(self, degrees, centre=(BINS - 1) / 2, **options):
        return self.write_exchange("cone.h5", projections(degrees, centre, **options), theta=degrees)

    def check(self, *words):
        """Every sphere is where it should be, with its density; the layers that a circle of sources sees well."""
        got = self.volume("cone.h5", "--cone", RADIUS, *words)
        self.assertEqual(got.shape, (ROWS, BINS, BINS))
        for x, y, z, radius, density in SPHERES[1:]:
            k, j, i = (ROWS - 1) // 2 + z, (BINS - 1) // 2 - y, (BINS - 1) // 2 + x
            inner = got[k - 1:k + 2, j - 1:j + 2, i - 1:i + 2].mean()
            self.assertAlmostEqual(inner, 1 + density, delta=0.08)
        self.assertLess(self.off_by(got), 0.1)
        return got

    @staticmethod
    def off_by(got):
        middle = (ROWS - 1) // 2
        return np.sqrt(((got - volume())[middle - 8:middle + 9] ** 2).mean())

    def test_whole_turn(self):
        degrees = np.arange(120) * 3.0
        self.scan(degrees)
        whole = self.check()
        for near in (0.8, 1.25):  # another source is seen
            self.assertGreater(self.off_by(self.volume("cone.h5", "--cone", near * RADIUS)), 1.1 * self.off_by(whole))
        self.tomo("reconstruct", "cone.h5", "--cone", RADIUS, "--slices", "10:12", "-o", "part.npy")
        self.assertIn("cone beam", self.error)
        np.testing.assert_array_equal(np.load(self.path("part.npy")), whole[10:12])
        self.tomo("reconstruct", "-q", "cone.h5", "--cone", RADIUS, "--slices", "16:17", "-o", "slice.png")
        self.scan(degrees, clockwise=True)
        self.check("--clockwise")

    def test_short_scan_and_moved_detector(self):
        """180 degrees and the fan, with Parker's weights; the axis is off the middle of the detector."""
        centre = (BINS - 1) / 2 + 2.25
        fan = np.rad2deg(np.arctan(((BINS - 1) / 2 + 2.25) / RADIUS))
        degrees = np.arange(110) * (180 + 2 * fan) / 109
        self.scan(degrees, centre)
        self.check("--centre", centre)
        self.refused("do not cover the fan", "reconstruct", self.scan(degrees[:80], centre), "--cone", RADIUS, "-o",
                     "x.h5", status=2)

    def test_refusals(self):
        self.scan(np.arange(40) * 9.0)
        words = ["reconstruct", "cone.h5", "-o", "x.h5", "--cone"]
        self.refused("does not exist for this beam", *words, RADIUS, "-a", "dfr", status=2)
        self.refused("--fan", *words, RADIUS, "--fan", RADIUS, status=2)
        self.refused("the source is not where it can be", *words, 20, status=2)
        self.refused("of a cone take", *words, RADIUS, "--size", 90, "--memory", "1M", status=70)
        self.refused("has no cone beam", "reconstruct", "cone.h5", "-o", "x.h5", "--source-row", 3, status=2)
        self.refused("no row is level with the source", *words, RADIUS, "--source-row", -1, status=1)


class Phantom(support.Case):
    def put_spheres(self):
        half = BINS / 2
        self.put("object.txt", "".join(f"{d} {r / half} {r / half} {r / half} {x / half} {y / half} {z / half} 0\n"
                                       for x, y, z, r, d in SPHERES).encode())

    def test_exact(self):
        """Line integrals through spheres against the formula, the axis and the source off the detector's middle."""
        self.put_spheres()
        self.phantom("cone.h5", "--object", "object.txt", "--size", BINS, "--rows", ROWS, "--projections", 5, "--cone",
                     RADIUS, "--shift", 1.25, "--row-shift", -3.5)
        exact = projections(np.arange(5) * 72, (BINS - 1) / 2 + 1.25, source_row=(ROWS - 1) / 2 - 3.5, samples=400)
        np.testing.assert_allclose(self.read("cone.h5"), exact, atol=4e-3)

    def errors(self, scan, *words):
        """RMSE in the circle of each slice."""
        got, true = self.volume(scan, *words), self.read("true.h5")
        y, x = np.indices(got.shape[1:]) - (got.shape[1] - 1) / 2
        return np.sqrt(((got - true)[:, np.hypot(x, y) < got.shape[1] / 2 - 2] ** 2).mean(1))

    def test_accuracy(self):
        """Nothing but the scan is given. In the source's plane a cone is as exact as a fan; off it Feldkamp's formula
        errs, least where the object changes slowly along the axis."""
        words = ["--object", "shepp-logan-3d", "--size", 64, "--projections", 180, "-f"]
        self.phantom("fan.h5", *words, "--fan", 200)
        self.phantom("cone.h5", *words, "--cone", 200, "--volume", "true.h5")
        cone, fan = self.errors("cone.h5"), self.errors("fan.h5")
        self.assertEqual(json.loads(self.tomo("info", "--json", "cone.h5"))["beam"], "cone")
        self.assertLess(cone[31:33].max(), fan[31:33].max())  # .049, .055
        self.assertLess(cone[16:48].max(), 0.052)             # .050 to half of the height
        self.assertLess(cone.max(), 0.08)                     # .077 where the skull closes
        self.assertGreater(self.errors("cone.h5", "--fan", 200)[16], 1.15 * cone[16])  # .060, .048

    def test_detector_above_the_source(self):
        """The row that is level with the source is the scan's, or given; another one is worse."""
        self.put_spheres()
        self.phantom("cone.h5", "--object", "object.txt", "--size", BINS, "--rows", ROWS, "--projections", 120,
                     "--cone", RADIUS, "--row-shift", 5.5, "--volume", "true.h5")
        right = self.errors("cone.h5")
        middle = (ROWS - 1) / 2
        np.testing.assert_array_equal(self.errors("cone.h5", "--source-row", middle + 5.5), right)
        for row in middle, middle - 5.5:  # .14, .19 instead of .10
            wrong = self.errors("cone.h5", "--source-row", row)
            self.assertGreater((wrong[13:30] ** 2).mean(), 1.7 * (right[13:30] ** 2).mean())

    def test_axis(self):
        """Found to a twentieth of a bin, with noise, from a whole turn and from a short scan."""
        words = ["--size", 96, "--projections", 200, "--shift", 4.3, "--noise", 0.3, "-f"]
        cone = ["--object", "shepp-logan-3d", "--rows", 9, "--row-shift", 3, "--cone", 250]
        for beam, methods in ((["--fan", 250], ["opposite", "symmetry"]), (cone, ["opposite", "symmetry"]),
                              (["--fan", 250, "--range", 240], ["opposite"])):
            self.phantom("scan.h5", *words, *beam)
            found = json.loads(self.tomo("centre", "--json", "scan.h5"))
            self.assertEqual([guess["method"] for guess in found["guesses"]], methods)
            for guess in found["guesses"]:
                self.assertAlmostEqual(guess["centre"], 47.5 + 4.3, delta=0.05)
                self.assertGreater(guess["confidence"], 0.9)
        self.tomo("reconstruct", "-q", "scan.h5", "--centre", "auto", "-o", "v.h5")
        self.phantom("scan.h5", *words, "--fan", 250, "--range", 90)
        self.tomo("centre", "scan.h5", status=1)
        self.assertIn("no method applies", self.error)


if __name__ == "__main__":
    support.main()
