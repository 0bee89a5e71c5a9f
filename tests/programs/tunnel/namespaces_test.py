#!/usr/bin/env python3
"""vershina-tunnel with TUN devices in network namespaces, which this program makes and removes itself.

  namespace vshtPIDl                                         namespace vshtPIDr
  +--------------------------------------+                   +--------------------------------------+
  | ping, iperf3, TCP                    |                   |                    ping, iperf3, TCP |
  |   |                                  |                   |                                  |   |
  | vsh0 (TUN, mtu 1400)                 |                   |                 vsh0 (TUN, mtu 1400) |
  | 10.9.0.1, fd09::1                    |                   |                    10.9.0.2, fd09::2 |
  |   |                                  |                   |                                  |   |
  | vershina tunnel run, port 4500       |                   |       vershina tunnel run, port 4500 |
  |   |                                  |                   |                                  |   |
  |   |   middle box, if a test has one: |                   |                                  |   |
  |   +-- loses, reorders, repeats,      |                   |                                  |   |
  |   |   replays, forges                |                   |                                  |   |
  |   +-------------- v0 10.77.0.1/24 ---|-- veth, mtu 1500 -|--- v0 10.77.0.2/24 --------------+   |
  +--------------------------------------+  (a capture here) +--------------------------------------+

Usage: namespaces_test.py VERSHINA_TUNNEL [unittest arguments]
VSH_SOAK_SECONDS: length of the soak, 20 by default. Exits with 77, skipped, where namespaces or TUN cannot be had.
"""
import json
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import HEAD, HELLO, End, Ends, MiddleBox, socket_in, wait_for  # noqa: E402

PROGRAM = None
SOAK = float(os.environ.get("VSH_SOAK_SECONDS", "20"))
TAG = "vsht%d" % os.getpid()
MARKER = b"PLAINTEXT-MARKER-"
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

# Sends, or receives, 4 MiB of TCP, over IPv6 behind destination options (RFC 8200 4.6: PadN); prints their SHA-256.
TRANSFER = """
import hashlib, random, socket, sys
role, address = sys.argv[1:]
s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
if ":" in address:
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_DSTOPTS, bytes([0, 0, 1, 4, 0, 0, 0, 0]))
digest = hashlib.sha256()
if role == "server":
    s.bind((address, 7000))
    s.listen()
    print("listens", flush=True)
    for data in iter(lambda c=s.accept()[0]: c.recv(1 << 16), b""):
        digest.update(data)
else:
    sys.stdin.readline()
    s.connect((address, 7000))
    data = random.randbytes(1 << 20)
    for _ in range(4):
        digest.update(data)
        s.sendall(data)
    s.close()
print(digest.hexdigest())
"""


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120, **more)


def why_not():
    """Why the tests cannot run, or nothing."""
    if os.geteuid() != 0:
        return "root is needed for namespaces and devices"
    if not shutil.which("ip"):
        return "the program ip is missing"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    try:
        run("ip", "netns", "add", TAG + "x")
    except subprocess.CalledProcessError as error:
        return "no network namespaces: " + error.stderr.strip()
    try:
        run("ip", "-n", TAG + "x", "tuntap", "add", "t0", "mode", "tun")
        return None
    except subprocess.CalledProcessError as error:
        return "no TUN devices: " + error.stderr.strip()
    finally:
        subprocess.run(["ip", "netns", "delete", TAG + "x"], check=False)


class Network(Ends):
    """The namespaces of the drawing above, and a tunnel between them."""

    def __init__(self, queues=1, mtu=1400, transform="kuznyechik-mgm-ktree", has_box=False, link_mtu=1500):
        self.names = [TAG + "l", TAG + "r"]
        self.folder = "/tmp/" + TAG
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.keys = [os.path.join(self.folder, side + ".key") for side in "lr"]
        run(PROGRAM, "keygen", *self.keys, "--queues", str(queues), "--transform", transform)
        for name in self.names:
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        left, right = self.names
        run("ip", "link", "add", "v0", "netns", left, "type", "veth", "peer", "name", "v0", "netns", right)
        for i, name in enumerate(self.names):
            run("ip", "-n", name, "address", "add", "10.77.0.%d/24" % (i + 1), "dev", "v0")
            run("ip", "-n", name, "link", "set", "v0", "mtu", str(link_mtu), "up")
        self.mtu, self.ends, self.box = mtu, [None, None], None
        if has_box:  # on the left end's machine
            self.box = MiddleBox(("10.77.0.1", 4500), ("10.77.0.2", 4500), "10.77.0.1", left)

    def start(self, i, prefix=(), program=None):
        peer = self.box.address(i) if self.box else "10.77.0.%d:4500" % (2 - i)
        self.ends[i] = End(program or PROGRAM, self.keys[i], "10.77.0.%d:4500" % (i + 1), peer,
                           ["--mtu", str(self.mtu)], tun="vsh0",
                           prefix=("ip", "netns", "exec", self.names[i], *prefix))
        inside = ["ip", "-n", self.names[i]]
        show = [*inside, "link", "show", "vsh0"]
        wait_for(lambda: subprocess.run(show, capture_output=True, check=False).returncode == 0
                 or self.ends[i].process.poll() is not None, "the device")
        assert self.ends[i].process.poll() is None, self.ends[i].said()
        # A device that stays has its addresses already.
        run(*inside, "address", "replace", "10.9.0.%d" % (i + 1), "peer", "10.9.0.%d" % (2 - i), "dev", "vsh0")
        if self.has_ipv6():
            run(*inside, "address", "replace", "fd09::%d/64" % (i + 1), "dev", "vsh0", "nodad")

    def __exit__(self, *_):
        super().__exit__()
        if self.box:
            self.box.close()
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def has_ipv6(self):
        path = "/proc/sys/net/ipv6/conf/vsh0/disable_ipv6"
        return os.path.exists("/proc/sys/net/ipv6") and self.inside(0, "cat", path).stdout.strip() == "0"

    def inside(self, i, *words, **more):
        return run("ip", "netns", "exec", self.names[i], *words, **more)

    def ping(self, *options):
        return self.inside(0, "ping", "-q", "-c", "5", "-i", "0.05", "-W", "2", *options, "10.9.0.2").stdout

    def transfer(self, address):
        """Sends 4 MiB of TCP from left to right; returns the SHA-256 that each side has."""
        server, client = [subprocess.Popen(
            ["ip", "netns", "exec", self.names[i], sys.executable, "-c", TRANSFER, role, address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for i, role in ((1, "server"), (0, "client"))]
        try:
            assert server.stdout.readline() == "listens\n"
            return client.communicate("go\n", timeout=120)[0], server.communicate(timeout=120)[0]
        finally:
            for process in (server, client):
                process.kill()
                process.wait()

    def iperf(self, *options):
        """Runs iperf3 through the tunnel, over IPv6 by the option -6; returns its report."""
        address = "fd09::2" if "-6" in options else "10.9.0.2"
        server = subprocess.Popen(["ip", "netns", "exec", self.names[1], "iperf3", "-s", "-1", "-B", address],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            listening = re.compile(":%04X 0+:0000 0A" % 5201)
            tables = ["/proc/net/tcp"] + ["/proc/net/tcp6"] * ("-6" in options)
            wait_for(lambda: listening.search(self.inside(1, "cat", *tables).stdout), "iperf3 listens")
            return json.loads(self.inside(0, "iperf3", "-J", "-c", address, *options).stdout)["end"]
        finally:
            server.wait(60)


class Capture:
    """All frames of the outer link while it is open."""

    def __init__(self, network):
        self.frames, self.running = [], True
        self.socket = socket_in(network.names[1], socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind(("v0", 0))
        self.socket.settimeout(0.1)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while self.running:
            try:
                self.frames.append(self.socket.recv(65536))
            except (TimeoutError, socket.timeout):
                pass

    def close(self):
        time.sleep(0.3)
        self.running = False
        self.thread.join()
        self.socket.close()


def has(program):
    return unittest.skipUnless(shutil.which(program), "the program %s is missing" % program)


class Recipe(unittest.TestCase):
    @has("ping")
    def test_it_runs_as_printed(self):
        """Both pages, by `sh` without sudo, with other names of the namespaces."""
        shim = tempfile.mkdtemp(prefix="vershina-tunnel-")
        self.addCleanup(shutil.rmtree, shim)
        for name in "lr":
            self.addCleanup(self.remove, TAG + name)
        with open(os.path.join(shim, "vershina"), "w") as f:
            f.write('#!/bin/sh\n[ "$1" = tunnel ] && shift && exec "%s" "$@"\n' % PROGRAM)
        os.chmod(f.name, 0o755)
        for page in ("docs/tunnel.md", "docs/ru/tunnel.md"):
            with open(os.path.join(SOURCE, page), encoding="utf-8") as f:
                recipe = re.search(r"sudo sh -ex <<'END'\n(.*?)^END$", f.read(), re.M | re.S).group(1)
            for end in ("left", "right"):
                recipe = re.sub(r"\b%s\b" % end, TAG + end[0], recipe)
            with tempfile.TemporaryFile("w+") as out:  # not a pipe, which tunnels that are left would keep open
                done = subprocess.run(["sh", "-ex"], input=recipe, stdout=out, stderr=out, text=True, timeout=120,
                                      check=False, env={**os.environ, "PATH": shim + os.pathsep + os.environ["PATH"],
                                                        "TMPDIR": shim})
                out.seek(0)
                shown = out.read()
            self.assertEqual(done.returncode, 0, shown)
            self.assertRegex(shown, "[1-5] received", page)
            self.assertNotIn(TAG, run("ip", "netns", "list").stdout, page)

    @staticmethod
    def remove(namespace):
        pids = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False).stdout
        for pid in pids.split():
            os.kill(int(pid), signal.SIGKILL)
        subprocess.run(["ip", "netns", "delete", namespace], check=False, capture_output=True)


class Namespaces(unittest.TestCase):
    @has("ping")
    def test_ping_and_edges_of_the_mtu(self):
        for mtu in (1400, 1442):  # 1442: what 1500 bytes outside can carry
            with Network(mtu=mtu) as network:
                self.assertIn(" 0% packet loss", network.ping())
                self.assertIn(" 0% packet loss", network.ping("-M", "do", "-s", str(mtu - 28)))
                with self.assertRaises(subprocess.CalledProcessError):  # the kernel knows the device's MTU
                    network.ping("-M", "do", "-s", str(mtu - 27))
                self.assertIn(" 0% packet loss", network.ping("-s", str(3 * mtu)), "fragments inside")
                self.assertEqual(network.ends[0].statistics()["too_long"], 0)
        with Network(mtu=1443) as network:  # a byte too long for the path: dropped, counted, never in fragments
            with self.assertRaises(subprocess.CalledProcessError):
                network.ping("-M", "do", "-s", "1415")
            self.assertEqual(network.ends[0].statistics()["too_long"], 5)
            self.assertIn(" 0% packet loss", network.ping())

    @has("iperf3")
    def test_tcp_and_udp(self):
        for transform, queues in (("kuznyechik-mgm-ktree", 2), ("magma-mgm-ktree", 1)):
            with Network(queues=queues, transform=transform) as network:
                for version in ("-4", "-6") if network.has_ipv6() else ("-4",):
                    tcp = network.iperf("-n", "8M", "-P", "2", version)
                    self.assertGreater(tcp["sum_received"]["bytes"], 1 << 20)  # the rest is still in sockets
                # A busy machine loses datagrams in its own queues.
                udp = network.iperf("-u", "-b", "20M", "-l", "1000", "-n", "4M")
                self.assertLess(udp["sum"]["lost_percent"], 100)
                statistics = network.ends[1].stop()
                for name in ("forged", "replayed", "malformed", "unknown_spi", "own_spi"):
                    self.assertEqual(statistics[name], 0, name)

    @has("ping")
    def test_nothing_in_clear(self):
        with Network() as network:
            capture = Capture(network)
            pattern = (MARKER * 2)[:16].hex()
            network.ping("-p", pattern, "-s", "1000")
            network.ends[1].process.kill()  # the peer is gone
            network.ends[1].process.wait()
            with self.assertRaises(subprocess.CalledProcessError):
                network.ping("-p", pattern)
            network.start(1)
            network.ends[1].wait_ready()
            network.ping("-p", pattern, "-s", "1000")
            network.ends[0].stop()
            capture.close()
            udp = [f for f in capture.frames if f[12:14] == b"\x08\x00" and f[23] == 17]
            self.assertGreater(len(udp), 20)
            for frame in capture.frames:
                for start in range(len(MARKER) - 5):
                    self.assertNotIn(MARKER[start:start + 5], frame)
                if frame[12:14] == b"\x08\x00":
                    self.assertIn(frame[23], (17, 1), "only UDP, and ICMP about it")
                    self.assertEqual(int.from_bytes(frame[20:22], "big") & 0x3fff, 0, "no fragments")
            sizes = {len(f) - 42 for f in udp if int.from_bytes(f[38:40], "big") - 8 == HELLO}
            self.assertTrue(sizes, "hellos")

    def test_ipv6_with_extension_headers(self):
        """TCP behind destination options, in packets that the kernel leaves whole."""
        with Network() as network:
            if not network.has_ipv6():
                self.skipTest("no IPv6 here")
            sent, received = network.transfer("fd09::2")
            self.assertEqual(received, sent)
            self.assertRegex(sent, "^[0-9a-f]{64}\n$")
            statistics = network.ends[0].stop()
            self.assertGreater(statistics["sent_packets"], (4 << 20) // network.mtu, "divided")
            self.assertEqual(statistics["not_ip"] + statistics["too_long"], 0)

    @has("ping")
    def test_a_hostile_path(self):
        """Packets are lost, overtaken, repeated, replayed and forged under ping and TCP."""
        with Network(has_box=True) as network:
            box, chance, held = network.box, random.Random(1), {True: [], False: []}
            done = dict.fromkeys(("lost", "held", "repeated", "replayed", "forged"), 0)

            def change(data, from_left):
                if len(data) == HELLO:
                    return [data]
                what = next((name for name in done if chance.random() < 0.02), None)
                if what:
                    done[what] += 1
                if what == "lost":
                    return []
                if what == "held":
                    held[from_left].append(data)
                    return []
                out = [data]
                if what == "repeated":
                    out = [data, data]
                elif what == "replayed":
                    out.append(chance.choice(box.packets(from_left)[-3000:]))
                elif what == "forged":
                    forged = bytearray(data)
                    forged[chance.randrange(HEAD, len(data))] ^= 1 << chance.randrange(8)
                    out.insert(0, bytes(forged))
                if held[from_left] and chance.random() < 0.3:
                    out.append(held[from_left].pop())
                return out

            box.change = change
            ping = network.inside(0, "ping", "-q", "-c", "200", "-i", "0.01", "-W", "2", "10.9.0.2").stdout
            self.assertNotIn("duplicates", ping)
            self.assertGreater(int(re.search(r"(\d+) received", ping).group(1)), 100)
            sent, received = network.transfer("10.9.0.2")
            self.assertEqual(received, sent)
            self.assertRegex(sent, "^[0-9a-f]{64}\n$")
            self.assertGreater(min(done.values()), 10, done)
            box.change = lambda data, from_left: [data]
            self.assertIn(" 0% packet loss", network.ping())
            both = [end.stop() for end in network.ends]
            for name in ("replayed", "forged"):
                self.assertGreater(min(statistics[name] for statistics in both), 0, name)
            # A number left of the window is read as one of the next 2^32 (RFC 4303 A2.2), and is not authentic.
            self.assertLessEqual(sum(statistics["forged"] + statistics["replayed"] for statistics in both),
                                 sum(done.values()) - done["lost"])
            for name in ("malformed", "unknown_spi", "own_spi", "received_not_ip"):
                self.assertEqual([statistics[name] for statistics in both], [0, 0], name)

    @has("ping")
    @has("iperf3")
    @has("setpriv")
    def test_device_that_stays(self):
        """Made beforehand for a user, whose process has no right to make or change one."""
        unprivileged = ("setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin")
        with Network() as network:
            of_two = [key + ".2" for key in network.keys]
            run(PROGRAM, "keygen", *of_two, "--queues", "2")
            for i, several in ((0, ()), (1, ("multi_queue",))):
                network.ends[i].stop()
                inside = ["ip", "-n", network.names[i]]
                run(*inside, "tuntap", "add", "vsh0", "mode", "tun", "user", "root", *several)
                refused = End(PROGRAM, network.keys[i], "10.77.0.%d:4500" % (i + 1), "any", tun="vsh0",
                              prefix=("ip", "netns", "exec", network.names[i], *unprivileged))
                self.assertEqual(refused.process.wait(60), 4)
                self.assertIn("ip link set vsh0 mtu 1400 up", refused.said())
                for key, more in ((network.keys[i], ""), (of_two[i], " multi_queue")):
                    absent = End(PROGRAM, key, "10.77.0.%d:4500" % (i + 1), "any", tun="vsh9",
                                 prefix=("ip", "netns", "exec", network.names[i], *unprivileged))
                    self.assertEqual(absent.process.wait(60), 4)
                    self.assertIn("ip tuntap add vsh9 mode tun user root%s\n" % more, absent.said())
                run(*inside, "link", "set", "vsh0", "mtu", "1400", "up")
                network.start(i, prefix=unprivileged)
            for _ in range(2):
                for end in network.ends:
                    end.wait_ready()
                self.assertIn(" 0% packet loss", network.ping())
                self.assertGreater(network.iperf("-n", "4M")["sum_received"]["bytes"], 1 << 20)
                network.ends[0].stop()
                network.start(0, prefix=unprivileged)

    @has("ping")
    def test_restart_of_one_side(self):
        with Network() as network:
            self.assertIn(" 0% packet loss", network.ping())
            for i in (1, 0):
                network.ends[i].stop()
                network.start(i)
                network.ends[i].wait_ready()
                self.assertIn(" 0% packet loss", network.ping())

    def status(self, network, i=0):
        with open("/proc/%d/status" % self.real(network, i)) as f:
            return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)

    @has("setpriv")
    def test_capabilities_of_a_user_are_gone(self):
        """Ambient ones, which a unit of systemd may give to a user who is not root."""
        user = pwd.getpwnam("nobody")
        capabilities = "+net_admin,+dac_override"  # /dev/net/tun may be root's alone
        given = ("setpriv", "--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups",
                 "--inh-caps", capabilities, "--ambient-caps", capabilities)
        with Network() as network:
            network.ends[0].stop()
            program = shutil.copy(PROGRAM, network.folder)  # nobody may have no way to where it was built
            for name in (network.folder, network.keys[0], network.keys[0] + ".state"):
                os.chown(name, user.pw_uid, user.pw_gid)
            network.start(0, prefix=given, program=program)
            network.ends[0].wait_ready()
            status = self.status(network)
            self.assertEqual(status["Uid"].split(), [str(user.pw_uid)] * 4)
            self.assertEqual({name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")},
                             dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapAmb"), 0))
            self.assertEqual(status["NoNewPrivs"], "1")

    def test_privileges_are_gone(self):
        with Network() as network:
            status = self.status(network)
            self.assertNotIn("0", status["Uid"].split())
            self.assertNotIn("0", status["Gid"].split())
            self.assertEqual(status["Groups"].strip(), "")
            self.assertEqual(int(status["CapPrm"], 16) | int(status["CapEff"], 16), 0)
            self.assertEqual(status["NoNewPrivs"], "1")

    @staticmethod
    def real(network, i=0):
        return network.ends[i].process.pid  # `ip netns exec` becomes the program

    @has("iperf3")
    def test_soak(self):
        """Load for a while: memory stays flat, nothing is refused, numbers go on."""
        if "sanitizer" in run(PROGRAM, "--version").stdout:
            self.skipTest("sanitizers take memory of their own")
        with Network(queues=2) as network:
            def memory(i):
                return int(self.status(network, i)["RssAnon"].split()[0])  # KiB; pages of code come when they first run

            end, sizes = time.monotonic() + SOAK, []
            while time.monotonic() < end:
                length = str(min(5, max(1, int(end - time.monotonic()))))
                network.iperf("-t", length, "-P", "2", *(["-u", "-b", "30M"] if len(sizes) % 2 else []))
                sizes.append([memory(i) for i in range(2)])
            for i in range(2):
                # A queue takes the working memory of a full batch, 1.6 MiB, when the first one comes.
                self.assertLess(sizes[-1][i] - sizes[0][i], 8 << 10, sizes)
                if len(sizes) >= 40:  # a soak in which each queue had one in the first half
                    self.assertLess(sizes[-1][i] - sizes[len(sizes) // 2][i], 1 << 10, sizes)
                statistics = network.ends[i].stop()
                self.assertGreater(statistics["received_packets"], 1000)
                for name in ("forged", "malformed", "unknown_spi", "own_spi", "exhausted"):
                    self.assertEqual(statistics[name], 0, name)
                self.assertEqual(network.ends[i].process.returncode, 0)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    reason = why_not()
    if reason:
        print("skip: tunnel.namespaces_test:", reason)
        sys.exit(77)
    unittest.main(verbosity=2, warnings="ignore")
