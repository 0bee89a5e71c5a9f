"""Ends of a tunnel, packets for them, and a middle box that loses, reorders, repeats, changes and records."""
import ctypes
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HEAD, HELLO = 16, 88
MARKER = b"this text must never be seen between the ends"
# The program of the tests that are started with it as their first argument.
PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None


def main():
    del sys.argv[1]
    unittest.main(verbosity=2, warnings="ignore")


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          **more)


def ipv4(payload, number=0):
    """An IPv4 packet of UDP from 10.9.0.1 to 10.9.0.2; checksums do not matter here."""
    length = 28 + len(payload)
    header = bytes([0x45, 0]) + length.to_bytes(2, "big") + number.to_bytes(2, "big") + bytes([0, 0, 64, 17, 0, 0])
    udp = (5000).to_bytes(2, "big") * 2 + (8 + len(payload)).to_bytes(2, "big") + bytes(2)
    return header + bytes([10, 9, 0, 1, 10, 9, 0, 2]) + udp + payload


def free_ports(number, host="127.0.0.1"):
    """The first of `number` neighbouring UDP ports that are free now."""
    while True:
        first = random.randrange(20000, 32000)  # below those that Linux gives to sockets without one, such as a box's
        try:
            sockets = []
            for port in range(first, first + number):
                sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                sockets[-1].bind((host, port))
            return first
        except OSError:
            continue
        finally:
            for s in sockets:
                s.close()


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("in vain: " + what)
        time.sleep(0.02)


class End:
    """A running vershina-tunnel. Without `tun` its device is a socket pair, whose other end is `device`."""

    def __init__(self, program, key, listen, peer, options=(), queues=1, tun=None, prefix=(),
                 form=("--json",)):
        self.devices, theirs = [], []
        words = [*prefix, program, "run", *form, "--key", key, "--listen", listen, "--peer", peer, *options]
        if tun:
            words += ["--tun", tun]
        else:
            for _ in range(queues):
                ours, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                ours.settimeout(60)
                for s in (ours, other):
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
                self.devices.append(ours)
                theirs.append(other)
                words += ["--tun-fd", str(other.fileno())]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        pass_fds=[s.fileno() for s in theirs])
        for s in theirs:
            s.close()
        self.device = self.devices[0] if self.devices else None

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def wait_ready(self):
        wait_for(lambda: "the peer answers" in self.said() or self.process.poll() is not None, "an answer")
        assert self.process.poll() is None, self.said()

    def statistics(self):
        self.process.send_signal(signal.SIGUSR1)
        return json.loads(self.process.stdout.readline())

    def stop(self, by=signal.SIGTERM):
        """Ends it; returns its last statistics."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        out = self.process.communicate(timeout=60)[0]
        for s in self.devices:
            s.close()
        lines = out.strip().split("\n")
        return json.loads(lines[-1]) if by == signal.SIGTERM and lines[-1] else None


def socket_in(namespace, *kind):
    """A socket of a network namespace: it belongs to the one in which it was made. None: this one."""
    opened = []

    def open_there():
        if namespace:
            libc = ctypes.CDLL(None, use_errno=True)
            with open("/run/netns/" + namespace, "rb") as there:
                assert libc.setns(there.fileno(), 0x40000000) == 0, os.strerror(ctypes.get_errno())
        opened.append(socket.socket(*kind))

    thread = threading.Thread(target=open_there)
    thread.start()
    thread.join()
    return opened[0]


class MiddleBox:
    """Forwards datagrams between two ends, whose addresses are given. `change(data, from_left)` returns those to
    forward. host, namespace: where it is itself."""

    def __init__(self, left, right, host="127.0.0.1", namespace=None):
        self.host, self.namespace = host, namespace
        self.ends = [left, right]
        self.sides, self.left_behind = [self.open() for _ in range(2)], []
        self.recorded = []  # (from_left, data)
        self.change = lambda data, from_left: [data]
        self.running = True
        self.threads = [threading.Thread(target=self.forward, args=(i,), daemon=True) for i in range(2)]
        for t in self.threads:
            t.start()

    def open(self):
        s = socket_in(self.namespace, socket.AF_INET, socket.SOCK_DGRAM)
        s.bind((self.host, 0))
        s.settimeout(0.05)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        return s

    def address(self, side):
        """The address that the end on this side has for its peer; 0: left."""
        return "%s:%d" % self.sides[side].getsockname()

    def move(self, side):
        """The end on this side sees its peer at another address from now on; what it sends to the old one is lost."""
        self.left_behind.append(self.sides[side])
        self.sides[side] = self.open()

    def forward(self, side):
        while self.running:
            try:
                data = self.sides[side].recv(65536)
            except (TimeoutError, socket.timeout, ConnectionRefusedError):
                continue
            self.recorded.append((side == 0, data))
            for out in self.change(data, side == 0):
                self.inject(out, side == 0)

    def inject(self, data, from_left):
        try:
            self.sides[1 if from_left else 0].sendto(data, self.ends[1 if from_left else 0])
        except ConnectionRefusedError:
            pass

    def packets(self, from_left=True):
        """The ESP packets that came from a side: all but hellos."""
        return [data for left, data in self.recorded if left == from_left and len(data) != HELLO]

    def close(self):
        self.running = False
        for t in self.threads:
            t.join()
        for s in self.sides + self.left_behind:
            s.close()


class Ends:
    """Two ends, started by start(side) into self.ends, which are ready inside of `with` and killed behind it."""

    def __enter__(self):
        try:
            for side in (0, 1):
                self.start(side)
            wait_for(lambda: any(end.process.poll() is not None for end in self.ends) or
                     all("the peer answers" in end.said() for end in self.ends), "an answer")
            for end in self.ends:
                assert end.process.poll() is None, end.said()
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for end in self.ends:
            if end and end.process.poll() is None:
                end.process.kill()
                end.process.wait()


class Pair(Ends):
    """Two ends with a middle box, and their keys in a directory of their own."""

    def __init__(self, program, options=(), transform="kuznyechik-mgm-ktree", queues=1):
        self.program, self.options, self.queues = program, list(options), queues
        self.folder = tempfile.mkdtemp(prefix="vershina-tunnel-")
        self.keys = [os.path.join(self.folder, name) for name in ("left.key", "right.key")]
        subprocess.run([program, "keygen", *self.keys, "--transform", transform, "--queues", str(queues)], check=True)
        for name in os.listdir(self.folder):  # root gives up its rights before it needs them again: only at the start
            os.chmod(os.path.join(self.folder, name), 0o600)
        first = free_ports(2 * queues)
        self.ports = [first, first + queues]
        self.box = MiddleBox(*[("127.0.0.1", port) for port in self.ports]) if queues == 1 else None
        self.ends = [None, None]

    def start(self, side, key=None, options=(), prefix=()):
        peer = self.box.address(side) if self.box else "127.0.0.1:%d" % self.ports[1 - side]
        self.ends[side] = End(self.program, key or self.keys[side], "127.0.0.1:%d" % self.ports[side], peer,
                              [*self.options, *options], self.queues, prefix=prefix)
        return self.ends[side]

    def __exit__(self, *_):
        super().__exit__()
        if self.box:
            self.box.close()
        shutil.rmtree(self.folder)

    @property
    def left(self):
        return self.ends[0]

    @property
    def right(self):
        return self.ends[1]


def receive_all(device, quiet=0.5, count=0):
    """Returns packets until none arrives for a while; count: those that must, however busy the machine is."""
    packets = []
    try:
        while True:
            device.settimeout(quiet if len(packets) >= count else 60)
            packets.append(device.recv(65536))
    except (TimeoutError, socket.timeout):
        pass
    device.settimeout(60)
    return packets
