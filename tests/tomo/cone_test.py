"""`vershina tomo reconstruct --cone`: spheres, whose exact line integrals are made here, seen from a point."""
import support
from support import numpy as np

ROWS, BINS, RADIUS = 33, 49, 50.0
# x, y, z, radius in bins from the middle of the volume, and density.
SPHERES = [(0, 0, 0, 17, 1.0), (9, 4, 5, 5, 0.5), (-7, 6, -6, 4, -0.5), (2, -10, 0, 3, 1.0)]


def projections(degrees, centre, clockwise=False):
    """The source at R (sin, -cos), the detector through the axis along (cos, sin); sphere by sphere, ray by ray."""
    s = np.arange(BINS)[None, None] - centre
    v = np.arange(ROWS)[None, :, None] - (ROWS - 1) / 2
    beta = np.deg2rad(np.asarray(degrees, float))[:, None, None] * (-1 if clockwise else 1)
    ray = [s * np.cos(beta) - RADIUS * np.sin(beta), s * np.sin(beta) + RADIUS * np.cos(beta), v + 0 * beta]
    length = np.sqrt(sum(part ** 2 for part in ray))
    total = 0
    for x, y, z, radius, density in SPHERES:
        to = [x - RADIUS * np.sin(beta), y + RADIUS * np.cos(beta), z + 0 * beta]
        along = sum(a * b for a, b in zip(ray, to)) / length
        beside = sum(part ** 2 for part in to) - along ** 2
        total = total + 2 * density * np.sqrt(np.maximum(radius ** 2 - beside, 0))
    return total.astype(np.float32)


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
        """180 degrees and the fan, with Parker's weights; the axis is beside the middle of the detector."""
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
        self.refused("only for parallel beams", *words, RADIUS, "--centre", "auto", status=2)
        self.refused("a fan beam", "centre", "cone.h5", "--cone", RADIUS, status=2)


if __name__ == "__main__":
    support.main()
