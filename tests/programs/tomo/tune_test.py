"""`vershina tomo tune`, and its effect on the library. Costs are measured here, without expected values."""
import json
import os
import re

import support

WORKS = {"fbp": ["-a", "fbp"], "dfr": ["-a", "dfr"], "hfbp": ["-a", "hfbp"],
         "hfbp-fast": ["-a", "hfbp", "--quality", "fast"], "iterative": ["-a", "cgls", "--iterations", 1]}
SHORT = ["--size", 16, "--projections", 8, "--min-time", "0.001"]


class Tune(support.Case):
    def tomo(self, *words, tune=None, kernel=None, **options):
        environment = dict(os.environ, VERSHINA_TUNE=self.path("costs") if tune is None else tune)
        if kernel:
            environment["VERSHINA_TOMOGRAPHY_KERNEL"] = kernel
        return super().tomo(*words, **({"env": environment} | options))

    def kernel(self, *words, **options):
        """The kernel of a plan."""
        self.tomo("reconstruct", "scan.h5", "-f", "-o", "v.npy", *words, **options)
        return re.search(r"kernel (\w+);", self.error).group(1)

    def state(self, **options):
        """Returns the last line of a measurement, about the file in force."""
        return self.tomo("tune", *SHORT, "--dry-run", **options).splitlines()[-1]

    def rows(self):
        """The lines of the kernels in the file, which is read and written as text."""
        return re.findall(r"^slices (\w+) ", self.get("costs.tomography").decode(), re.MULTILINE)

    def change(self, name, work):
        """Makes a kernel cost almost nothing for a work."""
        text = self.get("costs.tomography").decode()
        self.put("costs.tomography", re.sub(rf"(?m)^(slices {name} .*\b{work}) \d+", r"\1 1", text).encode())

    def test_costs_decide(self):
        self.phantom("scan.h5", "--size", 32)
        default = self.kernel()
        written = self.tomo("tune", *SHORT)
        self.assertIn("written: " + self.path("costs.tomography"), written)
        self.assertEqual([line.split()[0] for line in written.splitlines()[2:-1]], [*WORKS, "cone"])
        self.assertEqual(os.stat(self.path("costs.tomography")).st_mode & 0o133, 0)
        self.assertIn("tuned: " + self.path("costs.tomography"), self.state())
        rows = self.rows()
        self.assertEqual(rows[0], default)
        # Each work has the row that the file names, whatever the others have.
        for i, work in enumerate(WORKS):
            self.change(rows[i % len(rows)], work)
        for i, (work, words) in enumerate(WORKS.items()):
            self.assertEqual(self.kernel(*words), rows[i % len(rows)], work)
            self.assertEqual(self.kernel(*words, tune="off"), default, work)
            self.assertEqual(self.kernel(*words, "--kernel", rows[-1]), rows[-1], work)
            self.assertEqual(self.kernel(*words, kernel=rows[-1]), rows[-1], work)
        self.change(rows[-1], "cone")
        self.phantom("scan.h5", "--size", 16, "--rows", 16, "--cone", 64, "-f")
        self.assertEqual(self.kernel(), rows[-1])

    def test_a_file_that_is_not_one(self):
        self.phantom("scan.h5", "--size", 16)
        default = self.kernel()
        self.assertIn("not tuned: there is no ", self.state())
        self.tomo("tune", *SHORT)
        self.change(self.rows()[-1], "fbp")
        good = self.get("costs.tomography")
        self.assertEqual(self.kernel(), self.rows()[-1])
        absent = "neon" if default != "neon" else "avx512"
        line = good.decode().splitlines()[-1].split(" ", 2)[2]
        for content, reason in (
                (b"", "not a list"), (b"\0" * 100, "not a list"), (b"\xff" * 100000, "not a list"),
                (good + b"\n", "not a list"), (good + f"slices {absent} {line}\n".encode(), "not a list"),
                (good[:-1], "not a list"),
                (good.replace(b"build ", b"build 0"), "another build"), (good.replace(b"cpu ", b"cpu X"), "CPU model"),
                (good[:good.rindex(b"slices")], "lacks a kernel")):
            self.put("costs.tomography", content)
            self.assertEqual(self.kernel(), default, content[:200])
            self.assertIn(reason, self.state())
        self.put("costs.tomography", good)
        os.chmod(self.path("costs.tomography"), 0o666)
        self.assertEqual(self.kernel(), default)
        self.assertIn("users other than you and root may write", self.state())
        os.remove(self.path("costs.tomography"))
        os.mkfifo(self.path("costs.tomography"))  # nobody waits for its other end
        self.assertEqual(self.kernel(), default)

    def test_what_is_written_where(self):
        report = json.loads(self.tomo("tune", *SHORT, "--dry-run", "--json"))
        self.assertEqual([work["name"] for work in report["works"]], [*WORKS, "cone"])
        for work in report["works"]:
            self.assertIn(work["tuned"], [row["kernel"] for row in work["kernels"]])
            self.assertTrue(all(row["ms_per_slice"] > 0 for row in work["kernels"]))
        self.assertEqual(os.listdir(self.folder), [])
        self.put("precious", b"precious")
        os.symlink(self.path("precious"), self.path("costs.tomography"))
        self.refused("is a symbolic link", "tune", *SHORT, status=4)
        self.assertEqual(self.get("precious"), b"precious")
        os.remove(self.path("costs.tomography"))
        self.put("file", b"")
        self.tomo("tune", *SHORT, tune=self.path("file/costs"), status=4)
        for words in ([], ["--reset"]):
            self.tomo("tune", *SHORT, *words, tune="off", status=2)
            self.assertIn("VERSHINA_TUNE=off", self.error)
        self.tomo("tune", *SHORT)
        self.tomo("tune", *SHORT)  # over the file that is there
        self.assertIn("there is no", self.tomo("tune", "--reset"))
        self.assertFalse(os.path.exists(self.path("costs.tomography")))
        self.tomo("tune", "--reset")


if __name__ == "__main__":
    support.main()
