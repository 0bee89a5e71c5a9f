#!/usr/bin/env python3
"""programs/bench/files/run.py: what it measures, absent programs and wrong results. No figure is judged.

Usage: files.py PROGRAM SOURCE_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

from support import PROGRAM, SOURCE, Case

FAKES = {"sha256sum": 'for file; do echo "$(printf "%064d" 1)  $file"; done', "age-keygen": ": > identity",
         "age": 'cat "${@: -1}" > /dev/null; : > "${@: -2:1}"'}


class Files(Case):
    def measured(self, path=""):
        run = subprocess.run([sys.executable, os.path.join(SOURCE, "programs", "bench", "files", "run.py"), "--program",
                              PROGRAM, "--size", "100001", "--files", "7", "--rounds", "1", "--folder", self.folder],
                             capture_output=True, text=True, env=dict(os.environ, PATH=path or os.environ["PATH"]))
        self.assertEqual(os.listdir(self.folder), [name for name in os.listdir(self.folder) if name == "bin"])
        return run

    def test_all_that_is_installed(self):
        run = self.measured()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for program, name, count in (
                ("sha256sum", "sha256sum", 2), ("rhash", "rhash (Streebog-256)", 2), ("b3sum", "b3sum (BLAKE3)", 2),
                ("age", "age (ChaCha20-Poly1305)", 1), ("age", "tar | age", 1), ("gpg", "gpg (AES-256)", 1),
                ("gpg", "tar | gpg", 1), ("tar", "tar", 1), ("bash", "vershina hash (Streebog-256)", 1),
                ("bash", "vershina hash -r (Streebog-256)", 1), ("bash", "vershina seal (Kuznyechik-MGM)", 2),
                ("bash", "vershina encrypt (Kuznyechik-CTR)", 1)):
            line = r" +\d+\.\d\d s" if shutil.which(program) else ": absent, not measured"
            self.assertEqual(len(re.findall(f"^  {re.escape(name)}{line}", run.stdout, re.M)), count, name)

    def test_wrong_results_are_not_timed(self):
        """Programs that print another hash, or restore another file."""
        os.mkdir(self.path("bin"))
        for name, text in FAKES.items():
            with open(self.path(f"bin/{name}"), "w", encoding="ascii") as file:
                file.write(f"#!/bin/bash\n{text}\n")
            os.chmod(self.path(f"bin/{name}"), 0o755)
        run = self.measured(f"{self.path('bin')}:{os.environ['PATH']}")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stdout.count("  sha256sum: WRONG RESULT, not timed\n"), 2)
        self.assertIn("  age (ChaCha20-Poly1305): WRONG RESULT, not timed\n", run.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
