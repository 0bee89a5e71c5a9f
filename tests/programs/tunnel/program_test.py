#!/usr/bin/env python3
"""vershina-tunnel without privileges: socket pairs instead of TUN devices, datagrams over the loopback.

Usage: program_test.py VERSHINA_TUNNEL [unittest arguments]
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import HELLO, MARKER, PROGRAM, End, Pair, ipv4, main, receive_all, run, wait_for  # noqa: E402


def sequence(packet):
    return int.from_bytes(packet[4:8], "big")


class Traffic(unittest.TestCase):
    def test_both_directions(self):
        for transform in ("kuznyechik-mgm-ktree", "magma-mgm-ktree"):
            for options in ((), ("--no-segments",)):
                with self.subTest(transform=transform, options=options), Pair(PROGRAM, options, transform) as pair:
                    sent = [ipv4(MARKER + bytes(i % 900), i) for i in range(300)]
                    for source, target in ((pair.left, pair.right), (pair.right, pair.left)):
                        for packet in sent:
                            source.device.send(packet)
                        self.assertEqual(receive_all(target.device, count=len(sent)), sent)
                    statistics = pair.left.stop()
                    self.assertEqual(statistics["sent_packets"], 300)
                    self.assertEqual(statistics["sent_bytes"], sum(map(len, sent)))
                    self.assertEqual(statistics["received_packets"], 300)
                    self.assertEqual(statistics["received_bytes"], sum(map(len, sent)))
                    self.assertEqual(pair.left.process.returncode, 0)

    def test_statistics_as_text(self):
        with Pair(PROGRAM) as pair:
            pair.left.stop()
            pair.ends[0] = End(PROGRAM, pair.keys[0], "127.0.0.1:%d" % pair.ports[0], pair.box.address(0),
                               ["--statistics", "1"], form=())
            pair.left.wait_ready()
            pair.left.device.send(ipv4(MARKER))
            pair.right.device.recv(2000)
            lines = [pair.left.process.stdout.readline() for _ in range(2)]
            self.assertRegex(lines[0], r"^sending [0-9.]+ Gbit/s, receiving [0-9.]+ Gbit/s$")
            self.assertRegex(lines[1], r"^  last answer of the peer: \d+ s ago$")
            pair.left.process.send_signal(signal.SIGINT)
            self.assertIn("  packets sent: 1\n", pair.left.process.communicate(timeout=60)[0])
            self.assertEqual(pair.left.process.returncode, 0)

    def test_the_last_statistics_are_of_the_whole_run(self):
        with Pair(PROGRAM) as pair:
            between = [pair.left.statistics() for _ in range(2)]
            last = pair.left.stop()
            self.assertGreater(last["seconds"], sum(s["seconds"] for s in between))
            self.assertGreaterEqual(last["silence"], 0)

    def test_a_peer_that_does_not_answer(self):
        """It is said once, and so is an answer after that; also where an answer had come before."""
        pair = Pair(PROGRAM)
        try:
            end = pair.start(0)
            wait_for(lambda: pair.box.recorded, "a hello")
            self.assertIsNone(end.statistics()["silence"])
            silence = "no answer from %s yet: does the other end run" % pair.box.address(0)
            wait_for(lambda: silence in end.said(), "a message")
            pair.start(1).wait_ready()
            end.wait_ready()
            self.assertEqual(end.said().count("no answer"), 1, end.said())
            self.assertNotIn("again", end.said())
            self.assertEqual(end.stop()["forged_hellos"], 0)
            for host, advice in (("127.0.0.1", "run with --peer 127.0.0.1:%d,"),
                                 ("0.0.0.0", "run with --peer, this machine's address and port %d,")):
                waits = End(PROGRAM, pair.keys[0], "%s:%d" % (host, pair.ports[0]), "any")
                wait_for(lambda: advice % pair.ports[0] in waits.said(), "a message")
                waits.process.kill()
                waits.process.wait()
            if "sanitizer" in run("--version").stdout:
                return  # they come before preloaded libraries
            # Half a minute goes by at each of the clock's leaps.
            end = pair.start(0, prefix=("env", "LD_PRELOAD=" + os.environ["JUMPING_CLOCKS"]))
            end.wait_ready()
            pair.right.stop(signal.SIGKILL)
            wait_for(lambda: "no answer from the peer for 30 seconds" in end.said(), "a message")
            pair.start(1)
            wait_for(lambda: "the peer answers again" in end.said(), "a message")
        finally:
            pair.__exit__()

    def passes(self, pair):
        pair.left.device.send(ipv4(MARKER))
        self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER))

    def test_a_reader_of_statistics_that_stalls(self):
        with Pair(PROGRAM) as pair:
            process, reader = pair.left.process, pair.left.process.stdout.fileno()
            writer = os.open("/proc/self/fd/%d" % reader, os.O_WRONLY | os.O_NONBLOCK)

            def fill():
                written = 0
                try:
                    while True:
                        written += os.write(writer, bytes(4096))
                except BlockingIOError:
                    return written

            for goes_on in (True, False):
                written = fill()
                process.send_signal(signal.SIGUSR1)
                time.sleep(0.3)  # left out
                self.passes(pair)
                if goes_on:
                    while written:
                        written -= len(os.read(reader, written))
                    wait_for(lambda: pair.left.statistics()["sent_packets"] == 1, "statistics again")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(60), 4)
            self.assertIn("write error", pair.left.said())
            os.close(writer)

    def test_a_reader_of_statistics_that_has_gone(self):
        with Pair(PROGRAM) as pair:
            pair.left.process.stdout.close()
            for _ in range(10):
                pair.left.process.send_signal(signal.SIGUSR1)
                time.sleep(0.05)
                self.passes(pair)
            self.assertIsNone(pair.left.process.poll())
            pair.left.process.send_signal(signal.SIGTERM)
            self.assertEqual(pair.left.process.wait(60), 141, "the last ones are missed")

    def test_nothing_in_clear(self):
        with Pair(PROGRAM) as pair:
            packets = [ipv4(MARKER * n) for n in (1, 5, 20)] + [MARKER, b"E" + MARKER, ipv4(MARKER * 40)]
            for packet in packets:  # no IP packets, and one longer than the MTU, among them
                pair.left.device.send(packet)
            self.assertEqual(receive_all(pair.right.device, count=3), packets[:3])
            self.assertEqual(pair.left.statistics()["not_ip"], 2)
            self.assertEqual(pair.left.statistics()["too_long"], 1)
            pair.right.stop(signal.SIGKILL)
            for packet in packets:  # nobody is there
                pair.left.device.send(packet)
            pair.start(1).wait_ready()
            for packet in packets:
                pair.left.device.send(packet)
            receive_all(pair.right.device, count=3)
            self.assertGreaterEqual(len(pair.box.packets()), 6)
            for _, data in pair.box.recorded:
                for start in range(0, len(MARKER) - 6):
                    self.assertNotIn(MARKER[start:start + 6], data)

    def test_clocks_that_jump(self):
        """The time of day changes nothing; an hour that has gone by brings a hello at most."""
        if "sanitizer" in run("--version").stdout:
            self.skipTest("sanitizers come before preloaded libraries")
        clocks = ("env", "LD_PRELOAD=" + os.environ["JUMPING_CLOCKS"])
        with Pair(PROGRAM) as pair:
            for side in (0, 1):
                pair.ends[side].stop()
                pair.start(side, prefix=clocks)
            pair.left.wait_ready()
            pair.right.wait_ready()
            sent = [ipv4(MARKER, i) for i in range(300)]
            for source, target in ((pair.left, pair.right), (pair.right, pair.left)):
                for packet in sent:
                    source.device.send(packet)
                self.assertEqual([target.device.recv(2000) for _ in sent], sent)
            statistics = pair.left.stop()
            self.assertGreater(statistics["seconds"], 3600, "the clock was ours")
            for name in ("not_ready", "replayed", "forged", "no_room", "unreachable"):
                self.assertEqual(statistics[name], 0, name)

    def test_memory_stays_private(self):
        """No core file, and no other process reads the keys: from the beginning, and again after a change of the user,
        which may undo it."""
        if "sanitizer" in run("--version").stdout:
            self.skipTest("sanitizers come before preloaded libraries")
        with Pair(PROGRAM) as pair, tempfile.NamedTemporaryFile() as record:
            pair.left.stop()
            pair.start(0, prefix=("env", "LD_PRELOAD=" + os.environ["DUMPABLE_RECORDER"], "RECORD=" + record.name))
            pair.left.wait_ready()
            change = ["user"] if os.geteuid() == 0 else []
            self.assertEqual(record.read().decode().split(), ["private", *change, "private"])

    def test_nothing_before_an_answer(self):
        pair = Pair(PROGRAM)
        try:
            end = pair.start(0)
            wait_for(lambda: pair.box.recorded, "a hello")
            for i in range(20):
                end.device.send(ipv4(MARKER, i))
            wait_for(lambda: end.statistics()["not_ready"] == 20, "packets refused")
            self.assertEqual(pair.box.packets(), [])
            self.assertTrue(pair.box.recorded)
            self.assertTrue(all(len(data) == HELLO for _, data in pair.box.recorded))
        finally:
            pair.__exit__()

    def test_loss_reordering_and_repetition(self):
        with Pair(PROGRAM) as pair:
            held = []

            def change(data, from_left):
                if len(data) == HELLO or not from_left:
                    return [data]
                n = sequence(data)
                if n % 10 == 0:
                    return []  # lost
                if n % 7 == 0:
                    held.append(data)
                    return []
                out = [data, data] if n % 5 == 0 else [data]
                if n % 7 == 5 and held:
                    out.append(held.pop())  # overtaken by several
                return out

            pair.box.change = change
            for i in range(1000):
                pair.left.device.send(ipv4(MARKER, i))
                if i % 20 == 19:
                    time.sleep(0.002)
            received = receive_all(pair.right.device, count=880)
            self.assertEqual(len(received), len(set(received)), "nothing twice")
            self.assertGreater(len(received), 880)
            statistics = pair.right.statistics()
            self.assertGreater(statistics["replayed"], 80)
            self.assertEqual(statistics["forged"] + statistics["malformed"], 0)

    def test_replayed_and_forged_packets(self):
        with Pair(PROGRAM) as pair:
            for i in range(100):
                pair.left.device.send(ipv4(MARKER, i))
            self.assertEqual(len(receive_all(pair.right.device, count=100)), 100)
            packets = pair.box.packets()
            for packet in packets:
                pair.box.inject(packet, True)  # replayed
            number = sequence(packets[-1])
            for i in range(len(packets[0])):  # forged in each byte, as a packet that has not been sent yet
                forged = bytearray(packets[0])
                forged[4:8] = (number + 1 + i).to_bytes(4, "big")
                forged[i] ^= 1 << i % 8
                pair.box.inject(bytes(forged), True)
                if i % 16 == 15:
                    time.sleep(0.002)
            for hello in [bytearray(data) for left, data in pair.box.recorded if left and len(data) == HELLO][:1]:
                hello[-1] ^= 1
                pair.box.inject(bytes(hello), True)
            for junk in (b"", b"\xff", b"\0\0\0\0ike", b"x" * 27, os.urandom(100), os.urandom(HELLO), bytes(HELLO)):
                pair.box.inject(junk, True)
            for packet in packets[:10]:
                pair.box.inject(packet, False)  # mirrored
            self.assertEqual(receive_all(pair.right.device), [])
            self.assertEqual(receive_all(pair.left.device), [])
            statistics = pair.right.statistics()
            dropped = sum(statistics[name] for name in ("replayed", "forged", "unknown_spi", "malformed"))
            self.assertEqual(dropped, 100 + len(packets[0]) + 4)
            self.assertGreaterEqual(statistics["replayed"], 100)
            self.assertEqual(statistics["unknown_spi"], 4 + 3)
            self.assertEqual(statistics["keepalives"], 3)
            self.assertEqual(statistics["forged_hellos"], 1)
            self.assertEqual(pair.left.statistics()["own_spi"], 10)
            pair.left.device.send(ipv4(MARKER))  # the window did not move
            self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER))

    def test_edges_of_the_mtu(self):
        for mtu in (576, 1400, 9000):
            with self.subTest(mtu=mtu), Pair(PROGRAM, ["--mtu", str(mtu)]) as pair:
                fits, over = [ipv4(b"m" * (n - 28)) for n in (mtu, mtu + 1)]
                for packet in (over, fits, ipv4(b""), over):
                    pair.left.device.send(packet)
                self.assertEqual(receive_all(pair.right.device, count=2), [fits, ipv4(b"")])
                self.assertEqual(pair.left.statistics()["too_long"], 2)

    def test_ends_with_different_mtus(self):
        with Pair(PROGRAM) as pair:
            for side, mtu in enumerate(("9000", "576")):
                pair.ends[side].stop()
                pair.start(side, options=("--mtu", mtu))
            for end in pair.ends:
                end.wait_ready()
            large, small, over = [ipv4(b"m" * (n - 28)) for n in (9000, 576, 577)]
            pair.left.device.send(large)
            self.assertEqual(pair.right.device.recv(10000), large, "an end takes what arrives")
            for packet in (over, small):
                pair.right.device.send(packet)
            self.assertEqual(pair.left.device.recv(10000), small)
            self.assertEqual(pair.right.statistics()["too_long"], 1)

    def test_queues(self):
        with Pair(PROGRAM, queues=3) as pair:
            for device in pair.left.devices:
                device.send(ipv4(MARKER))
            for device in pair.right.devices:
                self.assertEqual(device.recv(2000), ipv4(MARKER))

    def test_ipv6_outside(self):
        try:
            with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
                s.bind(("::1", 0))
        except OSError:
            self.skipTest("no IPv6 here")
        with Pair(PROGRAM) as pair:
            for i, end in enumerate(pair.ends):
                end.stop()
                pair.ends[i] = End(PROGRAM, pair.keys[i], "[::1]:%d" % pair.ports[i], "[::1]:%d" % pair.ports[1 - i])
            pair.left.wait_ready()
            pair.right.wait_ready()
            pair.left.device.send(ipv4(MARKER))
            self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER))

    def test_ipv6_inside(self):
        with Pair(PROGRAM) as pair:
            packet = bytes([0x60, 0, 0, 0, 0, 4, 59, 64]) + bytes(32) + b"abcd"
            pair.left.device.send(packet)
            self.assertEqual(pair.right.device.recv(2000), packet)

    def test_the_peer_moves(self):
        with Pair(PROGRAM) as pair:
            # The left end goes on from another address: a restart behind another port.
            pair.left.stop()
            pair.ports[0] += 0
            other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            other.bind(("127.0.0.1", 0))
            port = other.getsockname()[1]
            other.close()
            pair.ends[0] = End(PROGRAM, pair.keys[0], "127.0.0.1:%d" % port, "127.0.0.1:%d" % pair.ports[1])
            pair.left.wait_ready()
            pair.right.device.send(ipv4(MARKER))
            self.assertEqual(pair.left.device.recv(2000), ipv4(MARKER))
            self.assertEqual(pair.right.statistics()["address_changes"], 1)

    def test_the_peer_is_behind_a_nat_that_forgets_it(self):
        """Its address changes while both ends run: they are together again after two hellos at most."""
        with Pair(PROGRAM) as pair:
            pair.box.move(1)
            pair.left.device.send(ipv4(MARKER, 1))
            self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER, 1), "packets arrive from anywhere")
            self.assertEqual(pair.right.statistics()["address_changes"], 0, "and move nothing")
            wait_for(lambda: pair.right.statistics()["address_changes"] == 1, "hellos of the left end")
            for source, target in ((pair.right, pair.left), (pair.left, pair.right)):
                source.device.send(ipv4(MARKER, 2))
                self.assertEqual(target.device.recv(2000), ipv4(MARKER, 2))

    def test_forgeries_do_not_move_the_peer(self):
        with Pair(PROGRAM) as pair:
            stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            stranger.bind(("127.0.0.1", 0))
            stranger.settimeout(0.5)
            hellos = [data for left, data in pair.box.recorded if left and len(data) == HELLO]
            for data in hellos + pair.box.packets():
                stranger.sendto(data, ("127.0.0.1", pair.ports[1]))
            pair.right.device.send(ipv4(MARKER))
            self.assertEqual(pair.left.device.recv(2000), ipv4(MARKER))
            self.assertEqual(pair.right.statistics()["address_changes"], 0)
            for answer in iter(lambda: self.answer(stranger), None):
                self.assertEqual(len(answer), HELLO)
            stranger.close()

    @staticmethod
    def answer(s):
        try:
            return s.recv(2000)
        except (TimeoutError, socket.timeout):
            return None


class Privileges(unittest.TestCase):
    def test_groups_are_given_up(self):
        if os.geteuid() != 0:
            self.skipTest("only root has groups to give up")
        if not shutil.which("setpriv"):
            self.skipTest("the program setpriv is missing")
        with Pair(PROGRAM) as pair:
            pair.left.stop()
            pair.start(0, prefix=("setpriv", "--groups", "4,24")).wait_ready()
            with open("/proc/%d/status" % pair.left.process.pid) as f:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
            self.assertNotIn("0", status["Uid"].split())
            self.assertEqual(status["Groups"].split(), [], "the starting user's groups are kept")


class Unit(unittest.TestCase):
    """The unit of systemd, with the built program instead of the installed one."""

    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("the program systemd-analyze is missing")
        self.folder = tempfile.mkdtemp(prefix="vershina-tunnel-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.unit = os.path.join(self.folder, "vershina-tunnel@.service")
        with open(os.path.join(os.environ["VSH_SOURCE_DIR"], "packaging", "vershina-tunnel@.service.in")) as f:
            text = f.read()
        with open(self.unit, "w") as f:
            f.write(text.replace("@VSH_PROGRAMS@/vershina-tunnel", PROGRAM))

    def analyze(self, *words):
        return subprocess.run(["systemd-analyze", *words, self.unit], capture_output=True, text=True, timeout=60)

    def test_is_right(self):
        done = self.analyze("verify", "--man=no", "--recursive-errors=no")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_has_few_rights(self):
        done = self.analyze("security", "--offline=true", "--no-pager", "--threshold=40")  # 0: none, 100: all
        self.assertEqual(done.returncode, 0, done.stdout[-300:] + done.stderr)


class Help(unittest.TestCase):
    def test_no_ike_is_said_first(self):
        self.assertTrue(run("--help").stdout.startswith("No IKE"))
        for words in (("--help",), ("run", "--help")):
            self.assertEqual(run(*words).stdout.count("No IKE"), 1, words)
        for folder, heading, words in (("man1", "DESCRIPTION", "No IKE"), ("man1/ru", "ОПИСАНИЕ", "Без IKE")):
            with open(os.path.join(os.path.dirname(PROGRAM), folder, "vershina-tunnel.1"), encoding="utf-8") as f:
                page = f.read()
            described = page.split(f".Sh {heading}")[1]
            self.assertTrue(described.strip().startswith(words), described[:80])
            for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", run("run", "--help").stdout, re.M):
                self.assertTrue(option == "--help" or option[1:] in page, option)


if __name__ == "__main__":
    main()
