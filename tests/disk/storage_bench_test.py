"""bench/storage/run.py as its page says; no figure is judged."""
import json
import os
import subprocess
import sys

import support
from support import need

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/storage/run.py")


class Storage(support.Case):
    def test_reports(self):
        need("fio")
        if "nbd" not in subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("needs fio with the engine nbd")
        result = subprocess.run([sys.executable, SCRIPT, "--build", support.BUILD, "--seconds", "0.2", "--size", "16",
                                 "--folder", self.folder, "--contenders", "file,kuznyechik,aes-openssl", "--profiles",
                                 "4k random write,128k sequential read", "--json", self.path("json"), "--html",
                                 self.path("html")], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(self.get("json"))
        self.assertEqual(list(report["results"]), ["4k random write", "128k sequential read"])
        for row in report["results"].values():
            self.assertEqual(list(row)[:2], ["file", "kuznyechik"])
            for values in row.values():
                self.assertTrue(values["iops"] > 0 and values["mean_us"] > 0 and values["cpu_us_per_request"] > 0)
        self.assertIn("kuznyechik", result.stdout)
        self.assertIn("published: Aerodisk", result.stdout)
        if "kuznyechik-xts" in report["sector_us"]:
            self.assertRegex(result.stdout, r"(reached|short  ) +\d+%  at least 85%")
        page = self.get("html")
        self.assertTrue(b"4k random write" in page and b"<svg" in page and b"</html>" in page)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("vershina-storage")], [])


if __name__ == "__main__":
    support.main(sys.modules[__name__])
