#!/usr/bin/env python3
"""`vershina bench --device` as a user calls it: refusals, and its rows on an available device.

Usage: devices.py PROGRAM. Nothing here depends on the speed of the device.
"""
import json
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
ROW = {"place": str, "algorithm": str, "mode": str, "operation": str, "bytes": int, "messages": int, "gbps": float,
       "spread": float, "samples": int, "processor_gbps": (float, type(None)),
       "share_of_copies": (float, type(None)), "joules_per_gb": (float, type(None))}


def bench(*arguments):
    command = [PROGRAM, "bench", "--min-time", "0.001", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class Devices(unittest.TestCase):
    def test_refused(self):
        for arguments in (["cpu"], ["auto"], ["cuda"], ["cuda:x"], ["opencl:0.0", "--peers"],
                          ["all", "--kernels", "all"], ["all", "--study", "threads"], ["all", "--plot", "p.svg"],
                          ["all", "--threads", "2"]):
            run = bench("--device", *arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_a_device_that_is_not_there(self):
        run = bench("--device", "cuda:99")
        self.assertEqual(run.returncode, 12, run.stderr)
        self.assertIn("cuda:99", run.stderr)

    def test_rows(self):
        listed = subprocess.run([PROGRAM, "devices", "--json"], capture_output=True, text=True, check=True)
        devices = json.loads(listed.stdout)["devices"]
        if not devices:
            print("skip: bench.devices: no device here, PoCL neither", flush=True)
            self.skipTest("no device")
        name = devices[0]["id"]
        run = bench("--device", name, "-q", "-a", "magma", "-m", "ctr", "--sizes", "64KiB", "--all", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        self.assertEqual(set(document), {"machine", "devices", "published"})
        device, = document["devices"]
        self.assertEqual(device["id"], name)
        for rate in ("in_gbps", "out_gbps", "both_gbps"):
            self.assertGreater(device["copies"][rate], 0)
        for row in device["rows"]:
            self.assertEqual(set(row), set(ROW))
            for field, kind in ROW.items():
                self.assertIsInstance(row[field], kind, field)
            self.assertEqual((row["algorithm"], row["mode"]), ("magma", "ctr"))
            self.assertGreater(row["gbps"], 0)
        places = {row["place"] for row in device["rows"]}
        self.assertLessEqual({"device", "streams", "host", "pageable"}, places)
        self.assertTrue(any(figure.get("device") for figure in document["published"]))
        self.assertIn("published for GPUs", run.stderr)
        self.assertIn(name, run.stderr)
        self.check_packets_and_hashes(name)

    def check_packets_and_hashes(self, name):
        run = bench("--device", name, "-q", "-a", "magma,streebog256", "-m", "mgm,hash", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        device, = json.loads(run.stdout)["devices"]
        self.assertEqual([(row["place"], row["algorithm"], row["mode"], row["operation"]) for row in device["rows"]],
                         [("streams", "magma", "mgm", "encrypt"), ("streams", "streebog256", "hash", "hash")])
        for row in device["rows"]:
            self.assertEqual(row["bytes"] % row["messages"], 0)
            self.assertGreater(row["processor_gbps"], 0)

    def test_summary(self):
        listed = subprocess.run([PROGRAM, "devices", "--json"], capture_output=True, text=True, check=True)
        if not json.loads(listed.stdout)["devices"]:
            print("skip: bench.devices: no device here, PoCL neither", flush=True)
            self.skipTest("no device")
        run = bench("--device", "all", "-q", "-a", "magma", "-m", "ctr", "--sizes", "64KiB")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(len(run.stdout.splitlines()), 20, run.stdout)
        self.assertIn("IN ITS MEMORY", run.stdout)
        self.assertNotIn("published for GPUs", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
