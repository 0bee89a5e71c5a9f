#!/usr/bin/env python3
"""`vershina bench --study` as a user calls it: contents of the tables, the JSON and the pictures.

Usage: studies.py PROGRAM SOURCE_FOLDER. Nothing here depends on the speed of the machine.
"""
import ctypes.util
import json
import os
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from support import PROGRAM, SVG, Case, bench


class Studies(Case):
    def study(self, name, *arguments, path=None):
        """The JSON and the tables; the compilers of `path` only."""
        environment = dict(os.environ, PATH=path) if path is not None else None
        run = subprocess.run([PROGRAM, "bench", "--study", name, "--min-time", "0.001", "-j", self.path("study.json"),
                              *arguments], capture_output=True, text=True, env=environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(self.read("study.json")), run.stdout

    def test_study_of_streebog(self):
        folder = self.path("compilers")
        os.mkdir(folder)
        tools = [tool for tool in ("gcc", "as", "ld") if shutil.which(tool)]
        for tool in tools:
            os.symlink(shutil.which(tool), os.path.join(folder, tool))
        document, table = self.study("streebog", "-s", "4096,64", path=folder)
        self.assertIn("clang: not found", table)
        who = {(row["who"], row["bits"]) for row in document["rows"]}
        self.assertIn(("kernel portable", 64), who)
        if len(tools) == 3 and os.uname().machine == "x86_64":
            for shape in ("functions", "forced", "fragment", "sse2"):  # each checked against the library by the program
                self.assertIn((f"gcc -O2 {shape}", 64), who)
                self.assertIn((f"gcc -O2 {shape} pgo", 64), who)
            self.assertIn("over the best compiler's code", table)
        for row in document["rows"]:
            self.assertGreater(row["cpb"], 0)
            self.assertGreater(row["program_cpu_seconds"], 0)
        self.assertEqual(bench("--study", "streebog", "-s", "16MiB").returncode, 2)

    def test_study_of_threads(self):
        document, table = self.study("threads", "-t", "2", "-s", "1MiB")
        rows = [row for row in document["rows"] if row["algorithm"] == "gost28147"]
        self.assertEqual([(row["division"], row["threads"]) for row in rows],
                         [("serial", 1), ("contiguous", 2), ("interleaved", 2), ("library", 2), ("memcpy", 1),
                          ("memcpy", 2)])
        for row in rows:
            self.assertGreater(row["wall_seconds"], 0)
        self.assertIn("published in 2009", table)
        self.assertEqual(bench("--study", "threads", "-s", "1000").returncode, 2)

    def test_study_of_hardware_threads(self):
        document, table = self.study("hyperthreads")
        self.assertNotEqual(bool(document["rows"]), bool(document["not_measured"]))
        if document["not_measured"]:
            self.assertIn("not measured: 1", table)

    def test_study_of_records(self):
        document, table = self.study("records", "-s", "64,1400")
        rows = {(row["suite"], row["bytes"]): row for row in document["rows"]}
        suites = {"kuznyechik-mgm-l": 8192, "kuznyechik-mgm-s": 8, "magma-mgm-l": 128, "magma-mgm-s": 1}
        self.assertEqual(set(rows), {(suite, size) for suite in suites for size in (64, 1400)})
        for (suite, _), row in rows.items():
            self.assertEqual(row["records_per_key"], suites[suite])
            self.assertGreater(row["library_records_mbps"], 0)
            self.assertEqual("provider_records_mbps" in row, not document["not_measured"])
            self.assertIn(suite, table)
        if document["not_measured"]:
            self.assertIn("OpenSSL with the provider", table)
        self.assertEqual(bench("--study", "records", "-s", "32KiB").returncode, 2)

    def test_study_of_records_takes_no_provider_of_others(self):
        """Nothing is loaded from the program's folder if all may put files there."""
        if not ctypes.util.find_library("crypto"):
            self.skipTest("needs libcrypto")
        for file in ("vershina", "vershina-bench"):
            shutil.copy(os.path.join(os.path.dirname(os.path.realpath(PROGRAM)), file), self.folder)
        modules = self.path("ossl-modules")
        os.mkdir(modules)
        self.write("ossl-modules/vershina.so", "no module")
        for mode, why in ((0o755, "neither next to the program nor installed"), (0o1777, "others may write to it")):
            os.chmod(modules, mode)
            run = subprocess.run([self.path("vershina"), "bench", "--study", "records", "-s", "64", "--min-time",
                                  "0.001"], capture_output=True, text=True,
                                 env=dict(os.environ, OPENSSL_MODULES=self.folder))
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(why, run.stdout)

    def test_study_of_batches(self):
        picture = self.path("cost.svg")
        document, table = self.study("batches", "-q", "-s", "64,512", "-a", "magma,streebog256", "-m", "cbc,mgm,hash",
                                     "--plot", picture)
        rows = document["rows"]
        threads = sorted({row["threads"] for row in rows})
        self.assertEqual(threads[0], 1)
        shapes = {(row["algorithm"], row["mode"], row["keys"], row["bytes"], row["messages"])
                  for row in rows if row["threads"] == 1}
        works = [("magma", mode, keys) for mode in ("cbc", "mgm") for keys in ("own", "one")]
        works.append(("streebog256", "hash", "one"))
        self.assertEqual(shapes, {(*work, size, messages)
                                  for work in works for size in (64, 512) for messages in (1, 16, 256)})
        self.assertEqual(len(rows), len(threads) * len(shapes))
        for row in rows:
            for cost in ("batch", "one_by_one", "plain", "best", "kernels"):
                self.assertGreater(row[cost], 0, row)
        self.assertIn(f"{len(rows)} batches", table)
        for algorithm, charts in (("magma", 4), ("streebog256", 2)):
            root = xml.etree.ElementTree.fromstring(self.read(f"cost-{algorithm}.svg"))
            titles = [text for text in root.iter(SVG + "text")
                      if text.get("class") == "title" and text.text.startswith(algorithm)]
            self.assertEqual(len(titles), charts)

    def test_order_of_associations(self):
        for study, arguments in (("packets", ()), ("packets", ("--order", "rotation")), ("esp", ("--order", "zipf"))):
            document, table = self.study(study, "-s", "64", "--quick", *arguments)
            order = arguments[1] if arguments else "random"
            self.assertEqual({(row["order"], row["seed"], row["associations"]) for row in document["rows"]},
                             {(order, 1, 256)})
            self.assertEqual(table.count({"rotation": ", associations in rotation, ",
                                          "random": ", associations in random order (seed 1), ",
                                          "zipf": ", associations by Zipf's law (seed 1), "}[order]), 2)
        for arguments in (("--study", "batches", "--order", "random"), ("--order", "random"),
                          ("--study", "esp", "--order", "best")):
            self.assertEqual(bench(*arguments).returncode, 2, arguments)

    def test_study_of_esp(self):
        document, table = self.study("esp", "-s", "64,1400", "--quick")
        rows = {(row["algorithm"], row["bytes"]): row for row in document["rows"]}
        self.assertEqual(set(rows), {(cipher, size) for cipher in ("kuznyechik", "magma") for size in (64, 1400)})
        for row in rows.values():
            self.assertGreater(row["seal_gbps_one_core"], 0)
            self.assertGreater(row["mgm_gbps_one_core"], 0)
            self.assertGreater(row["packets_gbps_one_core"], 0)
            self.assertAlmostEqual(row["of_packets"], row["seal_gbps_one_core"] / row["packets_gbps_one_core"])
            self.assertEqual(row["aims_gbps"], [40, 80, 100])
            for way in ("seal", "open"):
                for aim, cores in zip(row["aims_gbps"], row["cores_to_" + way], strict=True):
                    self.assertAlmostEqual(cores, aim / row[way + "_gbps_one_core"])
        self.assertIn("magma-mgm-ktree", table)
        self.assertEqual(bench("--study", "esp", "-s", "64KiB").returncode, 2)

    def test_study_of_esp_by_default(self):
        document, table = self.study("esp")
        rows = [(row["algorithm"], row["sizes"], row["associations"]) for row in document["rows"]]
        self.assertEqual(rows, [(cipher, size, associations) for cipher in ("kuznyechik", "magma")
                                for size in ("imix", "64", "512", "1400", "9000")
                                for associations in (1, 16, 256, 4096)])
        for aim in (40, 80, 100):
            self.assertEqual(table.count(f"cores for {aim}\n" if aim == 100 else f"cores for {aim} "), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
