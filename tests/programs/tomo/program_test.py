"""`vershina tomo` as a program: help, manual page, completion, what it prints."""
import json
import os
import re
import subprocess
import unittest

import support
from support import PROGRAM, numpy

HELP = subprocess.run([PROGRAM, "help", "tomo"], capture_output=True, text=True, check=True).stdout
with_bench = unittest.skipUnless("\n  bench " in HELP, "this build has no bench, whose options are named")
COMMANDS = ("phantom", "info", "centre", "reconstruct", "monitor", "segment", "compare", "view", "tune")


class Program(support.Case):
    @with_bench
    def test_manual_page(self):
        """Every option of --help is in the manual page, and the other way round."""
        page = os.path.join(os.path.dirname(PROGRAM), "man1/vershina-tomo.1")
        with open(page, encoding="utf-8") as file:
            page = file.read()
        options = set()
        for command in (*COMMANDS, "bench"):
            help_text = self.tomo(command, "--help")
            found = re.findall(r"^  (?:-[a-z],)?--([a-z0-9-]+)", help_text, re.MULTILINE)
            self.assertEqual(len(found), len(set(found)), f"an option twice: {found}")
            options |= set(found) - {"help"}
            self.assertFalse([line for line in help_text.splitlines() if len(line) > 110])
        self.assertEqual(options, set(re.findall(r"Fl -([a-z0-9-]+)", page)))
        self.assertEqual(re.findall(r"^\.It Cm (\w+)( No)?", page, re.MULTILINE)[:7], [
            ("fbp", ""), ("fbp", " No"), ("dfr", ""), ("hfbp", ""), ("sirt", ""), ("cgls", ""), ("tv", "")])

    def test_help_and_completion(self):
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", HELP)
        self.tomo(status=2)
        words = ["completion", "--candidates", "--", "tomo", "reconstruct", "--algorithm", ""]
        offered = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(offered, ["fbp", "dfr", "hfbp", "sirt", "cgls", "tv"])
        self.assertIn("did you mean", self.refusal("reconstrct"))
        self.assertIn("is out of bounds", self.refusal("phantom", "--shift=-9000", "-o", "x"))

    def refusal(self, *words):
        self.tomo(*words, status=2)
        return self.error

    def test_what_is_printed(self):
        self.phantom("scan.h5", "--size", 40, "--shift", 2.5, "--pixel", 0.1)
        self.tomo("reconstruct", "scan.h5", "-o", "v.h5")
        for text in ("40 projections of 1 x 40, parallel beam, line integrals", "bin 22, of the scan",
                     "algorithm fbp, filter ram-lak"):
            self.assertIn(text, self.error)
        self.tomo("reconstruct", "scan.h5", "-q", "-f", "-o", "v.h5")
        self.assertEqual(self.error, "")
        self.tomo("reconstruct", "scan.h5", "--centre", "auto", "-f", "-o", "v.h5")
        self.assertIn("found by the method", self.error)
        info = json.loads(self.tomo("info", "--json", "scan.h5"))
        self.assertEqual((info["projections"], info["rows"], info["bins"], info["centre"]), (40, 1, 40, 22))

    @with_bench
    def test_bench(self):
        rows = json.loads(self.tomo("bench", "--json", "--size", 40, "--projections", 30, "--slices", 2, "--min-time",
                                    "0.001", "-a", "fbp,hfbp"))["rows"]
        self.assertEqual([row["algorithm"] for row in rows], ["fbp", "hfbp"])
        self.assertTrue(all(row["ms_per_slice"] > 0 and row["runs"] >= 3 for row in rows))

    @with_bench
    def test_bench_beside_peers(self):
        """Peers that run are compared, others are named with the reason, as is a program that is not a Python."""
        self.put("python", b"""#!/bin/sh
case $5 in
  astra) echo '{"seconds": 0.125, "rmse": 0.5, "version": "9.1"}' ;;
  scikit-image) exit 3 ;;
  finufft) echo '{"missing": "No module named finufft"}' ;;
  adrt) echo 'nothing of the kind' ;;
  u-net) echo '{"seconds": 0.75, "gmac": 48, "version": "9.2"}' ;;
esac
""")
        os.chmod(self.path("python"), 0o755)
        words = ["bench", "--peers", "--size", 40, "--projections", 30, "--slices", 2, "--min-time", "0.001", "-a",
                 "fbp"]
        got = json.loads(self.tomo(*words, "--json", "--python", "./python"))
        self.assertEqual([row["threads"] for row in got["rows"]][0], 1)
        self.assertEqual([row["slices"] for row in got["one_thread"]], [2, 1])
        self.assertEqual([peer["processor_ms"] for peer in got["peers"]], [125, None, None, None, 750])
        self.assertEqual([peer["not_run"] for peer in got["peers"]],
                         [None, "./python ended with status 3", "No module named finufft",
                          "it answered nothing that can be read", None])
        self.assertEqual((got["peers"][4]["gmac"], got["peers"][4]["published_seconds"]), (48, 0.61))
        self.assertIn("ONNX Runtime 9.2: 48.0 GMAC in 0.75 s; published: 0.61 s",
                      self.tomo(*words, "--python", "./python"))
        text = self.tomo(*words, "--python", "./none")
        self.assertIn("not run: astra: './none: No such file", text)
        # No module of the working directory is loaded.
        for module in ("numpy", "astra", "argparse", "json"):
            self.put(module + ".py", b"open('loaded', 'w').close()")
        self.tomo(*words, "--python", "/usr/bin/python3")
        self.assertFalse(os.path.exists(self.path("loaded")))
        # The published seconds of all algorithms and both sets are in the program.
        rows = json.loads(self.tomo("bench", "--peers", "--json", "--size", 511, "--projections", 420, "--slices", 1,
                                    "--min-time", "0.001", "-a", "dfr", "--python", "./python"))["rows"]
        self.assertEqual([row["published_seconds"] for row in rows], [61, 5.1][:len(rows)])

    def test_algorithms(self):
        """All of them from the command line, parallel and fan; how exact they are is the library's test."""
        self.phantom("scan.h5", "--size", 64, "--projections", 90, "--volume", "true.h5")
        self.phantom("fan.h5", "--size", 64, "--projections", 180, "--fan", 150)
        for words in (["-a", "fbp"], ["-a", "dfr"], ["-a", "hfbp"], ["-a", "sirt"], ["-a", "cgls"], ["-a", "tv"]):
            for scan in ("scan.h5", "fan.h5"):
                self.tomo("reconstruct", "-q", scan, *words, "-f", "-o", "v.h5")
                self.assertLess(self.compare("v.h5", "true.h5")["rmse"], 0.08, (scan, words))

    def test_axis_off_the_middle(self):
        """For a whole turn a detector that sees half of the object, and a little more, is enough."""
        self.phantom("wide.h5", "--size", 96, "--projections", 240, "--range", 360, "--volume", "true.h5")
        part = self.read("wide.h5")[:, :, 40:]
        self.write_exchange("part.h5", part, theta=numpy.arange(240) * 1.5)
        for words in (["-a", "fbp"], ["-a", "dfr"], ["-a", "hfbp"], ["-a", "sirt"]):
            self.tomo("reconstruct", "-q", "part.h5", "--centre", 47.5 - 40, "--size", 96, *words, "-f", "-o", "v.h5")
            self.assertLess(self.compare("v.h5", "true.h5")["rmse"], 0.06, words)


if __name__ == "__main__":
    support.main()
