"""Common parts of the tests of `vershina bench`. Their arguments: PROGRAM SOURCE_FOLDER."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = sys.argv[1], sys.argv[2]
SVG = "{http://www.w3.org/2000/svg}"
SHORT = ("-a", "magma", "-m", "ecb", "-k", "portable", "--sizes", "4KiB")  # one row


def bench(*arguments, kernel=None):
    command = [PROGRAM, "bench", "--min-time", "0.001", *arguments]
    environment = {k: v for k, v in os.environ.items() if k != "VERSHINA_KERNEL"}
    if kernel is not None:
        environment["VERSHINA_KERNEL"] = kernel
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def measured(self, *arguments):
        path = os.path.join(self.folder, "result.json")
        run = bench("--json", path, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(path, encoding="utf-8") as file:
            return json.load(file), run.stdout

    def refused(self, run, status, *words):
        """Expects a refusal in one line, before any measurement."""
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("vershina: "), run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()
