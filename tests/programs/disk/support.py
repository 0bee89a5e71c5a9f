"""Starts nbdkit with the plugin, and computes XTS again over the Kuznyechik of OpenSSL's GOST engine."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import nbd
except ImportError:
    nbd = None

BUILD = os.environ["VERSHINA_BUILD"]
PLUGIN = os.path.join(BUILD, "nbdkit-vershina-plugin.so")
KEY = bytes.fromhex("2718281828459045235360287471352662497757247093699959574966967627"
                    "3141592653589793238462643383279502884197169399375105820974944592")


def need(*programs):
    for name in programs:
        if shutil.which(name) is None:
            raise unittest.SkipTest(f"needs {name}")


def main(module):
    """Runs the tests; 77 if the machine has not what all of them need."""
    for name in ("nbdkit", "openssl"):
        if shutil.which(name) is None:
            print(f"skip: disk: needs {name}")
            sys.exit(77)
    if nbd is None:
        print("skip: disk: needs python3-libnbd")
        sys.exit(77)
    if not has_engine():
        print("skip: disk: openssl has no GOST engine here")
        sys.exit(77)
    unittest.main(module=module, verbosity=2)


# ---- another implementation -----------------------------------------------------------------------------------------


def ecb(key, data, decrypt=False):
    command = ["openssl", "enc", "-d" if decrypt else "-e", "-engine", "gost", "-kuznyechik-ecb", "-nopad",
               "-K", key.hex()]
    result = subprocess.run(command, input=data, capture_output=True, check=True)
    # The program says `engine "gost" set.` on standard error.
    assert len(result.stdout) == len(data), (len(result.stdout), len(data))
    return result.stdout


def has_engine():
    try:
        return ecb(KEY[:32], bytes(16)) != bytes(16)
    except (AssertionError, subprocess.CalledProcessError):
        return False


def xts(data, sector_len=512, first=0, whole=False, decrypt=False, key=KEY):
    """IEEE 1619 over whole sectors, as dm-crypt's plain64 numbers them. first: of the first sector, in units of 512
    bytes; whole: the numbers count sectors (iv_large_sectors)."""
    assert len(data) % sector_len == 0
    units = sector_len // 512
    count = len(data) // sector_len
    numbers = [(first + i * units) // (units if whole else 1) for i in range(count)]
    start = ecb(key[32:], b"".join(n.to_bytes(16, "little") for n in numbers))
    tweaks = bytearray()
    for i in range(count):
        tweak = int.from_bytes(start[16 * i:16 * i + 16], "little")
        for _ in range(sector_len // 16):
            tweaks += tweak.to_bytes(16, "little")
            tweak = ((tweak << 1) ^ (0x87 if tweak >> 127 else 0)) & ((1 << 128) - 1)
    return xor(ecb(key[:32], xor(data, tweaks), decrypt), tweaks)


def xor(a, b):
    return (int.from_bytes(a, "little") ^ int.from_bytes(b, "little")).to_bytes(len(a), "little")


def on_terminal(answers, *command):
    """Runs the command on a new terminal, where a line of answers is typed at each question."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vershina/support/terminal.py")
    return subprocess.run([sys.executable, script, answers, *command], capture_output=True, check=False)


# ---- servers --------------------------------------------------------------------------------------------------------


class Server:
    """nbdkit with the plugin, or another one, on a Unix socket of its own folder."""

    def __init__(self, folder, *parameters, options=(), plugin=PLUGIN, owner=None, **popen):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.socket = os.path.join(self.folder, "s")
        self.ready = os.path.join(self.folder, "pid")  # written when clients may connect; the socket is there before
        self.log = os.path.join(self.folder, "log")
        owner = popen.get("user", owner)
        if owner is not None:
            os.chown(self.folder, owner, -1)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["nbdkit", "-f", "-U", self.socket, "-P", self.ready, *options, plugin, *parameters],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, **popen)
        limit = time.monotonic() + 60
        while not os.path.exists(self.ready):
            if self.process.poll() is not None:
                raise RuntimeError(f"nbdkit ended with {self.process.returncode}: {self.said()}")
            if time.monotonic() > limit:
                self.kill()
                raise RuntimeError("nbdkit does not start")
            time.sleep(0.01)

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()

    def connect(self):
        handle = nbd.NBD()
        handle.set_strict_mode(0)  # let the server check
        handle.connect_unix(self.socket)
        return handle

    def uri(self):
        return "nbd+unix:///?socket=" + self.socket

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        if status != 0:
            raise RuntimeError(f"nbdkit ended with {status}: {self.said()}")

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if self.process.poll() is not None:
            return
        if failed:
            self.kill()  # a client that is still connected would hold it
        else:
            self.stop()


def refusal(folder, *parameters, options=()):
    """Returns what nbdkit says when it refuses to start."""
    try:
        server = Server(folder, *parameters, options=options)
    except RuntimeError as error:
        assert "ended with" in str(error), error
        return str(error)
    server.kill()
    raise AssertionError("nbdkit has started: " + " ".join(parameters))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="vershina-disk-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.key = self.path("key")
        self.put("key", KEY)
        self.image = self.path("image")

    def assertEqual(self, first, second, msg=None):
        """Says where long data differs, instead of showing it."""
        if isinstance(first, (bytes, bytearray)) and len(first) > 64 and first != second:
            at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
            self.fail(f"{len(first)} and {len(second)} bytes differ from byte {at} on: "
                      f"{bytes(first[at:at + 16]).hex()} and {bytes(second[at:at + 16]).hex()}")
        super().assertEqual(first, second, msg)

    def path(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def serve(self, *parameters, **more):
        return Server(self.folder, *parameters, **more)

    def info_refused(self, store, status):
        """Returns the output of `vershina disk info` for it on standard error."""
        program = os.path.join(BUILD, "vershina")
        if not os.path.exists(program + "-disk"):
            self.skipTest("needs a build with vershina-disk")
        result = subprocess.run([program, "disk", "info", store], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        return result.stderr

    def refused(self, *parameters, options=()):
        return refusal(self.folder, *parameters, options=options)
