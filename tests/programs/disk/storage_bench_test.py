"""programs/bench/storage/run.py as its page says; no figure is judged."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from unittest import mock

import support
from support import need

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../programs/bench/storage/run.py")


def module():
    """run.py itself."""
    spec = importlib.util.spec_from_file_location("storage_run", SCRIPT)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


class Ratios(support.Case):
    """The results of a round, from figures whose ratios are known."""

    def setUp(self):
        super().setUp()
        self.run = module()
        processors = mock.patch.object(self.run.os, "cpu_count", return_value=2)
        processors.start()
        self.addCleanup(processors.stop)
        self.bare = {"iops": 200000, "cores": 2.0, "cpu_us_per_request": 8.0, "mean_us": 50}

    def compare(self, bare=None, **ours):
        row = {"cores": 2.0, "cpu_us_per_request": 10.0, "mean_us": 60, **ours}
        self.run.compare(row, {**self.bare, **(bare or {})}, 2.0)
        return row

    def test_bound(self):
        # 2 processors, 8 + 2 microseconds a request: 200000 requests per second, as many as the bare server's own.
        self.assertAlmostEqual(self.compare(iops=170000)["of_bound"], 0.85)
        # The bare server does less than its processor time would allow: it waits.
        self.assertAlmostEqual(self.compare({"iops": 100000}, iops=85000)["of_bound"], 0.85)
        # It does more than the two parts would.
        self.assertAlmostEqual(self.compare({"iops": 240000}, iops=170000)["of_bound"], 0.85)
        self.assertAlmostEqual(self.compare(iops=1, cpu_us_per_request=12.5)["of_cpu"], 0.8)

    def test_what_others_take(self):
        """A twentieth of the processors gone, from ours or from the bare server, changes no ratio; half of them does,
        and is left out."""
        for own, theirs in ((1.9, 2.0), (2.0, 1.9), (1.9, 1.9)):
            row = self.compare({"cores": theirs, "iops": 50000 * theirs}, cores=own, iops=42500 * own)
            self.assertAlmostEqual(row["of_bound"], 0.85)
            self.assertAlmostEqual(row["of_bare"], 0.85)
        for own, theirs in ((1.0, 2.0), (2.0, 1.0)):
            row = self.compare({"cores": theirs}, cores=own, iops=170000)
            self.assertAlmostEqual(row["of_cpu"], 1.0)
            self.assertFalse("of_bound" in row or "of_bare" in row)
        quiet, disturbed = self.compare(iops=170000), self.compare(iops=1, cores=1.0)
        self.assertEqual(self.run.medians([quiet, disturbed])["of_bound"], quiet["of_bound"])

    def test_targets(self):
        """At six times XTS's processor time in the server the bare server is the measure, below the two parts."""
        rows = {"of_bound": 0.84, "of_bare": 0.86, "xts_us_per_request": 2.0, "added_us": 1.0}
        for server_us, reached in ((11.9, False), (12.1, True)):
            results = {"kuznyechik": rows, "file": {"server_cpu_us_per_request": server_us}}
            found = list(self.run.targets({"results": {"4k random read": results}, "sector_us": {},
                                           "rounds": {"4k random read": {"kuznyechik": [rows]}}}))
            self.assertEqual([row[3] for row in found], [reached])
        del rows["of_bare"]  # all rounds were disturbed
        self.assertEqual([row[1] for row in self.run.targets({
            "results": {"4k random read": results}, "sector_us": {},
            "rounds": {"4k random read": {"kuznyechik": [rows]}}})], ["-"])


class Published(support.Case):
    def test_what_is_not_given(self):
        text_of = module().text_of_published
        for figure, text in (({"kiops": 118, "latency_ms": 8}, "118000 IOPS, 8 ms"),
                             ({"kiops": 371, "cpu": "0.76"}, "371000 IOPS, latency not given, CPU load 0.76"),
                             ({"gbps": 5.7, "latency_ms": 0.3, "cpu": "0.52"}, "5.7 GB/s, 0.3 ms, CPU load 0.52"),
                             ({"latency_ms": 11}, "throughput not given, 11 ms")):
            self.assertEqual(text_of(figure), text)


class Storage(support.Case):
    def test_reports(self):
        need("fio")
        if "nbd" not in subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("needs fio with the engine nbd")
        # Those that are not installed are left out, and named.
        contenders = ["file", "kuznyechik", "aes-openssl", "qemu-luks"]
        result = subprocess.run([sys.executable, SCRIPT, "--build", support.BUILD, "--seconds", "0.2", "--rounds", "3",
                                 "--size", "16", "--folder", self.folder, "--contenders", ",".join(contenders),
                                 "--profiles", "4k random write,128k sequential read",
                                 "--json", self.path("json"), "--html", self.path("html")],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(self.get("json"))
        self.assertEqual(list(report["results"]), ["4k random write", "128k sequential read"])
        for row in report["results"].values():
            self.assertEqual(list(row), [name for name in contenders if f"skip: {name}" not in result.stderr])
            for values in row.values():
                self.assertTrue(values["iops"] > 0 and values["mean_us"] > 0 and values["cpu_us_per_request"] > 0)
                self.assertTrue(0 < values["cores"] <= os.cpu_count() and 0 < values["used"] <= 1, values)
        self.assertIn("kuznyechik", result.stdout)
        self.assertIn("published: Aerodisk", result.stdout)
        if "kuznyechik-xts" in report["sector_us"]:
            self.assertRegex(result.stdout, r"(reached|short  ) +(\d+%|-)  at least 85% .* rounds")
        self.assertEqual("skip: qemu-luks" in result.stderr, shutil.which("qemu-nbd") is None, result.stderr)
        page = self.get("html")
        self.assertTrue(b"4k random write" in page and b"<svg" in page and b"</html>" in page)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("vershina-storage")], [])


if __name__ == "__main__":
    support.main(sys.modules[__name__])
