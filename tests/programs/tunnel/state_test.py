#!/usr/bin/env python3
"""The sequence numbers of vershina-tunnel: no number twice, whatever becomes of ends and state files.

Usage: state_test.py VERSHINA_TUNNEL [unittest arguments]
"""
import os
import shutil
import signal
import socket
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import HELLO, MARKER, PROGRAM, End, Pair, free_ports, ipv4, main, receive_all, run, wait_for  # noqa: E402


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
            self.assertGreaterEqual(len(writes), 2, "one for the numbers sent, one at the end")
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
                pair.box.change = lambda data, from_left: []  # the program's work must not hide it
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
            # In either order: this end ends, and the peer need not have heard of it.
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


if __name__ == "__main__":
    main()
