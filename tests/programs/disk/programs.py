"""Runs `vershina disk` as a user does, on volumes whose key slots cost little."""
import os
import random
import re
import shlex
import signal
import subprocess

import support
from support import BUILD, need

MIB = 1 << 20
PROGRAM = os.path.join(BUILD, "vershina")
CHEAP = ["--pbkdf-memory", "32K", "--pbkdf-passes", "4"]


class Programs(support.Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(os.path.join(BUILD, "vershina-disk")):
            self.skipTest("needs a build with libcryptsetup")
        need("cryptsetup")
        self.random = random.Random(self.id())
        self.put("pw", b"correct horse\n")
        os.chmod(self.path("pw"), 0o600)
        self.pw = ["--passphrase-file", self.path("pw")]

    def disk(self, *arguments, status=0, **options):
        result = subprocess.run([PROGRAM, "disk", *arguments], capture_output=True, text=True, check=False,
                                stdin=subprocess.DEVNULL, **options)
        self.assertEqual(result.returncode, status, f"{arguments}: {result.stdout}{result.stderr}")
        return result.stdout if status == 0 else result.stderr

    def create(self, *arguments, **options):
        return self.disk("create", *self.pw, *CHEAP, *arguments, **options)

    def serve_image(self, *more, image=None, pw=None):
        """Starts `vershina disk serve`; returns the process and its socket."""
        pw = self.pw if pw is None else pw
        process = subprocess.Popen([PROGRAM, "disk", "serve", *pw, *more, image or self.image], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        line = process.stdout.readline()
        found = re.search(r"is served on (.+); Ctrl-C", line)
        if not found:
            self.fail(line + process.communicate()[1])
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        lines = [process.stdout.readline() for _ in range(9)]
        self.commands = [line.strip() for line in lines if line.startswith("  ")]
        self.assertEqual([command.split()[0] for command in self.commands],
                         ["mkdir", "until", "#", "fuse2fs", "nbd-client", "nbdcopy"])
        return process, shlex.split(found[1])[0]

    def end(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, out + err)

    def connect(self, socket):
        client = support.nbd.NBD()
        client.connect_unix(socket)
        return client
