#!/usr/bin/env python3
"""vershina-tunnel without privileges: socket pairs in place of TUN devices, datagrams over the loopback.

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
from support import HEAD, HELLO, End, Pair, free_ports, ipv4, receive_all, wait_for  # noqa: E402

PROGRAM = None
MARKER = b"this text must never be seen between the ends"


def run(*words, **more):
    return subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          **more)


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
            waits = End(PROGRAM, pair.keys[0], "127.0.0.1:%d" % pair.ports[0], "any")
            wait_for(lambda: "run with --peer 127.0.0.1:%d" % pair.ports[0] in waits.said(), "a message")
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
            self.assertEqual(status["Groups"].split(), [], "groups of who started it are kept")


class SequenceNumbers(unittest.TestCase):
    def numbers(self, pair):
        return [(data[:4], data[4:8], data[8:16]) for left, data in pair.box.recorded if left and len(data) != HELLO]

    def test_numbers_are_reserved_on_the_disk(self):
        """A power failure takes back nothing that was used: the state is flushed before anything is sent after it."""
        if "sanitizer" in run("--version").stdout:
            self.skipTest("sanitizers come before preloaded libraries")
        with Pair(PROGRAM) as pair:
            pair.left.stop()
            record = os.path.join(pair.folder, "record")
            state = os.path.realpath(pair.keys[0] + ".state")
            pair.start(0, prefix=("env", "RECORD=" + record, "LD_PRELOAD=" + os.environ["RECORDER"])).wait_ready()
            for i in range(10):
                pair.left.device.send(ipv4(MARKER, i))
            self.assertEqual(len(receive_all(pair.right.device)), 10)
            pair.left.stop()
            with open(record) as f:
                calls = [call for call in f.read().splitlines() if call in ("send", "write " + state, "sync " + state)]
            self.assertIn("send", calls)
            writes = [i for i, call in enumerate(calls) if call.startswith("write")]
            self.assertGreaterEqual(len(writes), 2, "one for what was sent, one at the end")
            for i in writes:
                self.assertEqual(calls[i + 1:i + 2], ["sync " + state], "numbers were used that are not on the disk")

    def test_never_reused_over_restarts(self):
        with Pair(PROGRAM) as pair:
            for count, by in enumerate((signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM), 1):
                for i in range(70):
                    pair.left.device.send(ipv4(MARKER, i))
                wait_for(lambda count=count: len(self.numbers(pair)) == 70 * count, "packets")
                receive_all(pair.right.device, 0.2)
                pair.left.stop(by)
                pair.start(0).wait_ready()
            pair.left.device.send(ipv4(MARKER))
            self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER))
            numbers = self.numbers(pair)
            self.assertEqual(len(numbers), 281)
            self.assertEqual(len(set(numbers)), 281, "a sequence number or an IV was used twice")

    def test_killed_at_any_time(self):
        with Pair(PROGRAM) as pair:
            for delay in range(12):
                for i in range(50):
                    pair.left.device.send(ipv4(MARKER, i))
                time.sleep(delay * 0.0005)
                pair.left.stop(signal.SIGKILL)
                pair.start(0).wait_ready()
            numbers = self.numbers(pair)
            self.assertEqual(len(set(numbers)), len(numbers))

    def test_the_other_side_restarts_and_refuses_recordings(self):
        with Pair(PROGRAM) as pair:
            for i in range(50):
                pair.left.device.send(ipv4(MARKER, i))
            self.assertEqual(len(receive_all(pair.right.device, count=50)), 50)
            for by in (signal.SIGKILL, signal.SIGTERM):
                recorded = [data for left, data in pair.box.recorded if left]
                pair.right.stop(by)
                pair.start(1).wait_ready()
                for data in recorded:  # packets and hellos
                    pair.box.inject(data, True)
                self.assertEqual(receive_all(pair.right.device), [])
                self.assertGreaterEqual(pair.right.statistics()["replayed"], 50)
                pair.left.device.send(ipv4(MARKER))
                self.assertEqual(pair.right.device.recv(2000), ipv4(MARKER))

    def test_a_lost_state(self):
        with Pair(PROGRAM) as pair:
            pair.left.stop()
            state = pair.keys[0] + ".state"
            os.rename(state, state + ".kept")
            end = pair.start(0)
            self.assertEqual(end.process.wait(60), 3)
            self.assertIn("lost", end.said())
            for damage in (b"", bytes(8192)):
                with open(state, "wb") as f:
                    f.write(damage)
                end = pair.start(0)
                self.assertEqual(end.process.wait(60), 3)
                self.assertIn("damaged", end.said())
            shutil.copy(pair.keys[1] + ".state", state)  # of other keys
            end = pair.start(0)
            self.assertEqual(end.process.wait(60), 3)

    def test_half_of_a_write_is_lost(self):
        with Pair(PROGRAM) as pair:
            pair.left.device.send(ipv4(MARKER))
            pair.right.device.recv(2000)
            pair.left.stop(signal.SIGKILL)
            state = pair.keys[0] + ".state"
            with open(state, "rb") as f:
                slots = f.read()
            newest = max((0, 1), key=lambda i: slots[4096 * i + 8:4096 * i + 16])
            with open(state, "r+b") as f:
                f.seek(4096 * newest + 2000)
                f.write(b"x" * 2000)
            pair.start(0)  # the older slot says less: the peer knows better
            wait_for(lambda: pair.left.process.poll() is not None, "the roll back was seen")
            self.assertIn("rolled back", pair.left.said())

    @staticmethod
    def send(pair, count=10):
        for i in range(count):
            pair.left.device.send(ipv4(MARKER, i))

    def assert_stops_unheard(self, pair):
        """The left end, started with what there is of its state, sends nothing but hellos and ends."""
        before = len(pair.box.packets())
        while pair.left.process.poll() is None and len(pair.box.packets()) == before:
            try:
                self.send(pair, 1)
            except OSError:
                break
            time.sleep(0.02)
        self.assertEqual(len(pair.box.packets()), before, "nothing was sent")
        self.assertEqual(pair.left.process.wait(60), 3)
        self.assertIn("rolled back", pair.left.said())

    def test_a_rolled_back_state(self):
        for used in (0, 30):
            with self.subTest(used=used), Pair(PROGRAM) as pair:
                self.send(pair, used)
                self.assertEqual(len(receive_all(pair.right.device, count=used)), used)
                pair.left.stop()
                state = pair.keys[0] + ".state"
                shutil.copy(state, state + ".backup")
                pair.start(0).wait_ready()
                self.send(pair)
                self.assertEqual(len(receive_all(pair.right.device, count=10)), 10)
                pair.left.stop()
                shutil.copy(state + ".backup", state)
                pair.box.change = lambda data, from_left: []  # what the program does meanwhile must not hide it
                pair.start(0)
                time.sleep(1)
                pair.box.change = lambda data, from_left: [data]
                self.assert_stops_unheard(pair)

    def test_a_rolled_back_state_whose_numbers_were_lost(self):
        """The peer has received none of them: it knows them from a hello, also when it crashes behind that."""
        for crash in (False, True):
            with self.subTest(crash=crash), Pair(PROGRAM) as pair:
                state = pair.keys[0] + ".state"
                pair.left.stop()
                shutil.copy(state, state + ".backup")
                pair.start(0).wait_ready()
                pair.box.change = lambda data, from_left: [data] if len(data) == HELLO else []
                self.send(pair)
                wait_for(lambda: len(pair.box.packets()) == 10, "packets")
                pair.left.stop()
                if crash:
                    pair.right.stop()
                    pair.start(1)
                pair.start(0).wait_ready()
                pair.right.wait_ready()
                if crash:
                    pair.right.stop(signal.SIGKILL)
                pair.left.stop()
                shutil.copy(state + ".backup", state)
                if crash:
                    pair.start(1)
                pair.start(0)
                self.assert_stops_unheard(pair)

    def test_both_ends_rolled_back_one(self):
        """The peer knows from its own state file, also after its restart."""
        with Pair(PROGRAM) as pair:
            state = pair.keys[0] + ".state"
            pair.left.stop()
            shutil.copy(state, state + ".backup")
            pair.start(0).wait_ready()
            pair.left.device.send(ipv4(MARKER))
            pair.right.device.recv(2000)
            pair.left.stop()
            pair.right.stop()
            shutil.copy(state + ".backup", state)
            for side in (0, 1):
                pair.start(side)
            # Whoever hears of the other first: this end ends, and the peer need not have heard of it.
            self.assertEqual(pair.left.process.wait(60), 3)
            self.assertIn("rolled back", pair.left.said())

    def test_the_full_disk_ends_it(self):
        with Pair(PROGRAM) as pair:
            pair.left.stop(signal.SIGKILL)  # with the next numbers reserved
            before = len(pair.box.packets())
            end = pair.start(0, prefix=("prlimit", "--fsize=0"))
            wait_for(lambda: "peer answers" in pair.right.said(), "an answer")
            for i in range(100):
                try:
                    end.device.send(ipv4(MARKER, i))
                except OSError:
                    break
                time.sleep(0.02)
            self.assertEqual(end.process.wait(60), 4)
            self.assertEqual(len(pair.box.packets()), before, "nothing is sent unreserved")

    def test_two_processes(self):
        with Pair(PROGRAM) as pair:
            port = free_ports(1)
            end = End(PROGRAM, pair.keys[0], "127.0.0.1:%d" % port, "any")

            def listens():
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                    try:
                        s.bind(("127.0.0.1", port))
                    except OSError:
                        return True
                return False

            try:
                wait_for(lambda: end.process.poll() is not None or listens(), "an end or a beginning")
                self.assertEqual(end.process.poll(), 2, "a second process uses the same sequence numbers")
                self.assertIn("another process", end.said())
            finally:
                end.process.kill()
                end.process.wait()


class Keys(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="vershina-tunnel-")
        self.key = os.path.join(self.folder, "a.key")
        made = run("keygen", self.key, os.path.join(self.folder, "b.key"))
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(self.key) as f:
            self.text = f.read()
        self.device, self.other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def tearDown(self):
        self.device.close()
        self.other.close()
        shutil.rmtree(self.folder)

    def start(self, *options, fd=None):
        """What ends at the latest when it is to listen at an address that is none of this machine."""
        fd = self.other.fileno() if fd is None else fd
        return run("run", "--key", self.key, "--listen", "192.0.2.1:4500", "--tun-fd", str(fd), *options,
                   pass_fds=[self.other.fileno()])

    def test_files_of_both_ends(self):
        for name in sorted(os.listdir(self.folder)):
            self.assertEqual(os.stat(os.path.join(self.folder, name)).st_mode & 0o777, 0o600, name)
        with open(os.path.join(self.folder, "b.key")) as f:
            other = dict(re.findall(r"^(\w+) = (.*)$", f.read(), re.M))
        ours = dict(re.findall(r"^(\w+) = (.*)$", self.text, re.M))
        self.assertEqual((ours["send"], ours["receive"]), (other["receive"], other["send"]))
        self.assertNotEqual(ours["send"], ours["receive"])
        again = run("keygen", self.key, os.path.join(self.folder, "c.key"))
        self.assertEqual(again.returncode, 4)
        with open(self.key) as f:
            self.assertEqual(f.read(), self.text)

    def test_descriptors_that_the_caller_has_closed(self):
        """Their numbers are those that the program's own files get."""
        for fd in set(range(3, 12)) - {self.other.fileno()}:
            refused = self.start(fd=fd)
            self.assertEqual(refused.returncode, 4, refused.stderr)
            self.assertIn("descriptor %d: " % fd, refused.stderr)

    def test_permissions(self):
        for mode in (0o640, 0o604, 0o660, 0o620):
            os.chmod(self.key, mode)
            refused = self.start()
            self.assertEqual(refused.returncode, 2)
            self.assertIn("chmod 600 " + self.key, refused.stderr)

    def test_permissions_of_the_state(self):
        state = self.key + ".state"
        for mode in (0o620, 0o602, 0o666):
            os.chmod(state, mode)
            refused = self.start()
            self.assertEqual(refused.returncode, 2)
            self.assertIn("chmod 600 " + state, refused.stderr)
        os.chmod(state, 0o644)
        self.assertIn("192.0.2.1:4500", self.start().stderr)  # what comes next

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_files_of_another_user(self):
        for name in (self.key, self.key + ".state"):
            os.chown(name, 65534, -1)
            refused = self.start()
            self.assertEqual(refused.returncode, 2)
            self.assertIn(name + ": belongs to another user", refused.stderr)
            os.chown(name, 0, -1)

    def test_state_with_a_second_name(self):
        """Numbers would be written into another file, too, by whoever made the link."""
        os.link(self.key + ".state", os.path.join(self.folder, "second"))
        refused = self.start()
        self.assertEqual(refused.returncode, 2)
        self.assertIn(self.key + ".state: has a second name", refused.stderr)

    def test_names_that_are_no_line(self):
        """The other end's name is a comment in the key file, and nothing else."""
        key = os.path.join(self.folder, "one.key")
        made = run("keygen", key, os.path.join(self.folder, "other\nqueues = 16\r\x1b[2J"))
        self.assertEqual(made.returncode, 0, made.stderr)
        with open(key, "rb") as f:
            lines = f.read().split(b"\n")
        self.assertEqual([line.split(b" ")[0] for line in lines],
                         [b"#", b"transform", b"queues", b"send", b"receive", b""])
        self.assertNotRegex(lines[0], rb"[\x00-\x1f]")

    def test_bad_key_files(self):
        send = re.search("send = (.*)", self.text).group(1)
        for change, words in (
                (lambda t: re.sub("receive = .*", "receive = " + send, t), "are equal"),
                (lambda t: t.replace(send, send[:-1]), "wrong size: 63"),
                (lambda t: t.replace(send, send + "00"), "wrong size: 66"),
                (lambda t: t.replace(send, "g" + send[1:]), "hexadecimal"),
                (lambda t: t.replace("receive =", "recieve ="), "line 5: an unknown name"),
                (lambda t: t.replace("receive =", "# receive ="), "`receive =` is missing"),
                (lambda t: t + "queues = 2\n", "queues is given twice"),
                (lambda t: t.replace("queues = 1", "queues = 17"), "1 to 16"),
                (lambda t: t.replace("queues = 1", "queues = 1x"), "1 to 16"),
                (lambda t: t.replace("kuznyechik-mgm-ktree", "kuznyechik-mgm-mac-ktree"), "nothing in clear"),
                (lambda t: t.replace("kuznyechik-mgm-ktree", "aes"), "unknown transform"),
                (lambda t: t + "nonsense\n", "NAME = VALUE"),
                (lambda t: "", "is missing")):
            with open(self.key, "w") as f:
                f.write(change(self.text))
            refused = self.start()
            self.assertEqual(refused.returncode, 2, words)
            self.assertIn(words, refused.stderr)
            self.assertNotIn(send[:20], refused.stderr, "a key in a message")

    def test_ends_that_read_their_files_differently(self):
        with Pair(PROGRAM, transform="magma-mgm-ktree") as pair:
            pair.left.stop()
            # The same keys, another transform: other SPIs, so that nothing is taken for anything else.
            with open(pair.keys[0]) as f:
                text = f.read()
            with open(pair.keys[0], "w") as f:
                f.write(text.replace("magma", "kuznyechik"))
            refused = pair.start(0)
            self.assertEqual(refused.process.wait(60), 3)
            self.assertIn("of another key file", refused.said())
            # New keys at one end only.
            other = os.path.join(pair.folder, "other.key")
            subprocess.run([PROGRAM, "keygen", other, os.path.join(pair.folder, "peer.key")], check=True)
            pair.start(0, key=other)
            wait_for(lambda: "unknown SPI" in pair.right.said(), "a message")
            self.assertGreater(pair.right.statistics()["unknown_spi"], 0)

    def test_the_same_key_file_at_both_ends(self):
        pair = Pair(PROGRAM)
        try:
            copy = os.path.join(pair.folder, "copy.key")
            for suffix in ("", ".state"):
                shutil.copy(pair.keys[0] + suffix, copy + suffix)
            for side, key in ((0, pair.keys[0]), (1, copy)):
                pair.start(side, key=key)
            for end in pair.ends:
                for i in range(10):
                    end.device.send(ipv4(MARKER, i))
            for end in pair.ends:
                wait_for(lambda e=end: "same key file" in e.said(), "a message")
            self.assertEqual(pair.box.packets(True) + pair.box.packets(False), [], "nothing was sent under that key")
        finally:
            pair.__exit__()

    def test_options(self):
        for words, said in ((("--peer", "here"), "not an address"), (("--peer", "[::1]:4500"), "family"),
                            (("--mtu", "100"), "--mtu"), (("--window", "100"), "--window"),
                            (("--tun-fd", str(self.other.fileno())), "once for each queue"),
                            (("--peer", "127.0.0.1:0"), "not an address"),
                            (("--peer", "127.0.0.1:99999"), "not an address"),
                            (("--peer", "host.invalid:4500"), "`getent ahosts host.invalid`")):
            refused = self.start(*words)
            self.assertEqual(refused.returncode, 2, said)
            self.assertIn(said, refused.stderr)


class Unit(unittest.TestCase):
    """The unit of systemd, with the program that was built in place of the installed one."""

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
        for folder, words in (("docs/man", "No IKE"), ("docs/man/ru", "Без IKE")):
            with open(os.path.join(os.environ["VSH_SOURCE_DIR"], folder, "vershina-tunnel.1"), encoding="utf-8") as f:
                page = f.read()
            described = page.split(".Sh DESCRIPTION" if folder == "docs/man" else ".Sh ОПИСАНИЕ")[1]
            self.assertTrue(described.strip().startswith(words), described[:80])
            for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", run("run", "--help").stdout, re.M):
                self.assertTrue(option == "--help" or option[1:] in page, option)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2, warnings="ignore")
