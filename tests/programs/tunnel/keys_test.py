#!/usr/bin/env python3
"""Key files, state files and options of vershina-tunnel.

Usage: keys_test.py VERSHINA_TUNNEL [unittest arguments]
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import MARKER, PROGRAM, Pair, ipv4, main, run, wait_for  # noqa: E402


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
        """Runs that end at the latest when they are to listen at an address that this machine does not have."""
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
        """Someone who made the link would have numbers written into another file, too."""
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


if __name__ == "__main__":
    main()
