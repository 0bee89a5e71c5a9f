"""Starts and ends the viewer of `vershina tomo view`, and asks it."""
import http.client
import json
import re
import signal
import subprocess
import sys

from support import PROGRAM


def skip_without():
    """Ends the program with 77 if this build has no viewer, which `view` says in one line."""
    said = subprocess.run([PROGRAM, "tomo", "view", "nothing"], capture_output=True, text=True, check=False).stderr
    if re.fullmatch(r"vershina: this program was built without libmicrohttpd: .*\n", said):
        print("skip: tomo: needs libmicrohttpd-dev")
        sys.exit(77)


class Viewer:
    """`vershina tomo view WORDS`, until the end of the test."""

    def __init__(self, case, *words):
        self.process = subprocess.Popen([PROGRAM, "tomo", "view", *map(str, words)], cwd=case.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.end)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://(127\.0\.0\.1:(\d+))/([0-9a-f]{32})/", self.address)
        if match is None:
            raise AssertionError(f"no address: {self.address!r}, {self.process.communicate(timeout=120)}")
        self.host, self.port, self.token = match[1], int(match[2]), match[3]

    def get(self, path, method="GET", **headers):
        """The status, the headers and the body of the answer to exactly this path."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        reply = connection.getresponse()
        body = reply.read()
        connection.close()
        return reply.status, dict(reply.getheaders()), body

    def file(self, name):
        status, _, body = self.get(f"/{self.token}/{name}")
        if status != 200:
            raise AssertionError(f"{name}: {status}")
        return body

    def info(self):
        return json.loads(self.file("info"))

    def end(self, number=signal.SIGTERM):
        """Ends it; returns its status and what it said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said
