"""`vershina tomo view` without a browser: which requests are answered, with what, and which are refused."""
import contextlib
import os
import re
import signal
import socket

import support
import viewer
from support import numpy

PAGE = os.path.join(os.path.dirname(__file__), "../../../programs/tomo/viewer/page")


class View(support.Case):
    def volume(self, name="volume.npy", seed=1):
        values = numpy.random.default_rng(seed).normal(size=(5, 7, 11)).astype(numpy.float32)
        numpy.save(self.path(name), values)
        return values

    def test_who_is_answered(self):
        self.volume()
        served = viewer.Viewer(self, "volume.npy")
        page, token = f"/{served.token}/", served.token
        status, headers, body = served.get(page)
        self.assertEqual(status, 200)
        self.assertIn(b"view.js", body)
        self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(served.get(page, "HEAD")[0], 200)
        self.assertEqual(served.get(page, Origin=f"http://{served.host}")[0], 200)
        wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
        for path in ("/", "/favicon.ico", "/info", f"/{token}", f"/{token[:-1]}/", f"/{wrong}/info", f"/{token}0/info",
                     f"/x/{token}/info", f"//{token}/info"):
            self.assertEqual(served.get(path)[0], 403, path)
        for host in ("example.com", f"example.com:{served.port}", f"localhost:{served.port}", "127.0.0.1", ""):
            self.assertEqual(served.get(page, Host=host)[0], 403, host)
        self.assertIn(served.get(page, Host=None)[0], (400, 403))
        self.assertEqual(served.get(page, Origin="http://example.com")[0], 403)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(served.get(page, method)[0], 405, method)
            self.assertEqual(served.get("/", method)[0], 403, method)
        with self.assertRaises(OSError):  # of this machine alone
            socket.create_connection(("127.0.0.2", served.port), timeout=120)
        self.assertNotEqual(viewer.Viewer(self, "volume.npy").token, token)

    def test_silent_connections(self):
        """Clients that connect and send nothing, or nothing with the token, keep nobody out."""
        self.volume()
        served = viewer.Viewer(self, "volume.npy")
        with contextlib.ExitStack() as stack:
            silent = [stack.enter_context(socket.create_connection(("127.0.0.1", served.port))) for _ in range(64)]
            for connection in silent[::2]:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            for connection in silent:
                connection.settimeout(60)  # half of what the owner has
                while connection.recv(4096):
                    pass
        self.assertEqual(served.info()["arrays"][0]["shape"], [5, 7, 11])

    def test_planes(self):
        values = self.volume()
        values[2, 3, 4] = numpy.nan
        numpy.save(self.path("volume.npy"), values)
        served = viewer.Viewer(self, "volume.npy")
        for axis in range(3):
            for index in range(values.shape[axis]):
                plane = numpy.frombuffer(served.file(f"plane/0/{axis}/{index}"), "<f4")
                expected = numpy.take(values, index, axis)
                numpy.testing.assert_array_equal(plane.reshape(expected.shape), expected)
        for path in ("plane", "plane/", "plane/0/0", "plane/0/0/", "plane/0/0/5", "plane/0/1/7", "plane/0/2/11",
                     "plane/0/3/0", "plane/1/0/0", "plane/0/0/-1", "plane/0/0/+1", "plane/0/0/1/", "plane/0/0/0x1",
                     "plane/0/0/1.0", "plane//0/0", "plane/0/0/99999999999999999999", "plane/0/0/4294967296", "view",
                     "../info", "%2e%2e/info", "info/", "index.html", "plane/0/0/%00", "info%00x", "info%00", "inf%6f",
                     "x" * 4000):
            self.assertEqual(served.get(f"/{served.token}/{path}")[0], 404, path)
        array = served.info()["arrays"][0]
        finite = values[numpy.isfinite(values)]
        self.assertEqual((array["shape"], array["is_scan"], array["gaps"]), ([5, 7, 11], False, 1))
        self.assertEqual((numpy.float32(array["low"]), numpy.float32(array["high"])), (finite.min(), finite.max()))
        counts = numpy.histogram(finite.astype(float), 1024, (finite.min(), finite.max()))[0]
        self.assertEqual(sum(array["histogram"]), len(finite))
        self.assertLess(numpy.abs(numpy.cumsum(counts) - numpy.cumsum(array["histogram"])).max(), 3)

    def test_parts_and_scans(self):
        self.phantom("scan.h5", "--object", "shepp-logan-3d", "--size", 16, "--projections", 12)
        self.phantom("counts.h5", "--rows", 3, "--size", 16, "--counts", 1000)
        self.tomo("reconstruct", "-q", "scan.h5", "-o", "volume.h5")
        served = viewer.Viewer(self, "volume.h5", "scan.h5", "--slices", "3:9")
        volume, scan = served.info()["arrays"]
        self.assertEqual((volume["shape"], volume["first"], volume["unit"]), ([6, 16, 16], 3, "1/pixel"))
        self.assertEqual((scan["shape"], scan["first"], scan["is_scan"]), ([12, 6, 16], 3, True))
        self.assertAlmostEqual(scan["radians"][6], numpy.pi / 2)
        self.assertEqual(scan["centre"], 7.5)
        plane = numpy.frombuffer(served.file("plane/1/1/2"), "<f4").reshape(12, 16)
        numpy.testing.assert_array_equal(plane, self.read("scan.h5")[:, 5])
        plane = numpy.frombuffer(served.file("plane/0/0/2"), "<f4").reshape(16, 16)
        numpy.testing.assert_array_equal(plane, self.read("volume.h5")[5])
        counts = viewer.Viewer(self, "counts.h5").info()["arrays"][0]  # as line integrals
        self.assertTrue(-1 < counts["low"] < counts["high"] < 20, counts)

    def test_mask(self):
        self.volume()
        numpy.save(self.path("mask.npy"), numpy.arange(5 * 7 * 11, dtype=numpy.float32).reshape(5, 7, 11) % 3)
        numpy.save(self.path("other.npy"), numpy.zeros((5, 7, 12), numpy.float32))
        self.phantom("scan.h5", "--size", 16)
        served = viewer.Viewer(self, "volume.npy", "volume.npy", "--mask", "mask.npy", "--slices", "1:3")
        arrays = served.info()["arrays"]
        self.assertEqual([array["is_mask"] for array in arrays], [False, False, True])
        self.assertEqual((arrays[2]["shape"], arrays[2]["high"]), ([2, 7, 11], 2))
        plane = numpy.frombuffer(served.file("plane/2/0/1"), "<f4").reshape(7, 11)
        numpy.testing.assert_array_equal(plane, numpy.load(self.path("mask.npy"))[2])
        self.refused("one size", "view", "volume.npy", "--mask", "other.npy", status=1)
        self.refused("--mask: scan.h5 is a scan", "view", "scan.h5", "--mask", "mask.npy", status=2)

    def test_no_values(self):
        numpy.save(self.path("gaps.npy"), numpy.full((2, 3, 4), numpy.nan, numpy.float32))
        numpy.save(self.path("flat.npy"), numpy.full((2, 3, 4), 7, numpy.float32))
        gaps, flat = viewer.Viewer(self, "gaps.npy", "flat.npy").info()["arrays"]
        self.assertEqual((gaps["low"], gaps["high"], gaps["gaps"], sum(gaps["histogram"])), (0, 0, 24, 0))
        self.assertEqual((flat["low"], flat["high"], flat["gaps"], sum(flat["histogram"])), (7, 7, 0, 24))

    def test_end(self):
        self.volume()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(viewer.Viewer(self, "volume.npy", "-q").end(number), (0, ""))
        status, said = viewer.Viewer(self, "volume.npy").end()
        self.assertEqual(status, 0)
        self.assertRegex(said, r"^vershina: .*Ctrl-C.*\n$")

    def test_refused(self):
        self.volume()
        numpy.save(self.path("other.npy"), numpy.zeros((5, 7, 12), numpy.float32))
        self.put("broken.h5", b"\x89HDF\r\n\x1a\n" + bytes(100))
        self.put("text", b"no volume")
        self.refused("missing", "view", "missing", status=3)
        self.refused("broken.h5", "view", "broken.h5", status=3)
        self.refused("not a volume", "view", "text", status=3)
        self.refused("one size", "view", "volume.npy", "other.npy", status=1)
        self.refused("slices 0 to 4", "view", "--slices", "5:6", "volume.npy", status=2)
        self.refused("slices 0 to 4", "view", "--slices", "4:6", "volume.npy", status=2)
        self.tomo("view", "--port", "65536", "volume.npy", status=2)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.refused(f"127.0.0.1:{port}: Address already in use", "view", "--port", port, "volume.npy", status=4)

    def test_page(self):
        """It asks for nothing from elsewhere, and has words only that can be translated."""
        self.volume()
        words = viewer.Viewer(self, "volume.npy").info()["words"]
        used = set()
        for name in os.listdir(PAGE):
            with open(os.path.join(PAGE, name), encoding="utf-8") as file:
                text = file.read()
            self.assertNotRegex(text, r"https?://|//[a-z]+\.|@import|url\(")
            used |= set(re.findall(r'\bt\("([^"]+)"\)|data-t="([^"]+)"', text))
        used = {word for pair in used for word in pair if word}
        self.assertGreater(len(used), 20)
        self.assertEqual(used - set(words), set())


if __name__ == "__main__":
    viewer.skip_without()
    support.main()
