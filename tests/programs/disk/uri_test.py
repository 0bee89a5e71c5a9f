"""Volumes whose ciphertext another NBD server keeps, and errors from there."""
import errno
import os
import random
import signal
import socket
import subprocess
import sys
import time

import luks2
import support
from luks2 import DATA
from support import need, xts

MIB = 1 << 20


class Upstream:
    """Another nbdkit, on a Unix socket."""

    def __init__(self, folder, *words):
        self.socket, ready = os.path.join(folder, "upstream"), os.path.join(folder, "upstream.pid")
        self.uri = "nbd+unix:///?socket=" + self.socket
        self.process = subprocess.Popen(["nbdkit", "-f", "-U", self.socket, "-P", ready, *words],
                                        stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while not os.path.exists(ready):
            if self.process.poll() is not None or time.monotonic() > limit:
                self.kill()
                raise RuntimeError("the upstream nbdkit does not start: " + " ".join(words))
            time.sleep(0.01)
        os.remove(ready)

    def kill(self):
        self.process.kill()
        self.process.wait(60)
        if os.path.exists(self.socket):
            os.remove(self.socket)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Uri(support.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())
        if "vershina_libnbd=yes" not in subprocess.run(["nbdkit", support.PLUGIN, "--dump-plugin"],
                                                       capture_output=True, text=True, check=True).stdout:
            self.skipTest("needs a build with libnbd")

    def upstream(self, *words):
        return Upstream(self.folder, *words)

    def serve_plain(self, upstream, *more):
        return self.serve("uri=" + upstream.uri, "format=plain", "keyfile=" + self.key, *more)

    def raised(self, function, *arguments):
        with self.assertRaises(support.nbd.Error) as caught:
            function(*arguments)
        return caught.exception.errnum


class Volumes(Uri):
    def test_plain(self):
        """Requests of any size, of several connections at a time; what the other server gets is ciphertext."""
        size = 2 * MIB
        model = bytearray(size)
        self.put("image", xts(bytes(size), 4096))
        with self.upstream("file", self.image) as upstream:
            with self.serve_plain(upstream, "sector-size=4096") as server:
                clients = [server.connect() for _ in range(3)]
                for i in range(200):
                    client = clients[i % 3]
                    length = self.random.choice((1, 511, 4096, 5000, 70000, 600000))
                    at = self.random.randrange(size - length)
                    if i % 3 == 0:
                        self.assertEqual(client.pread(length, at), bytes(model[at:at + length]))
                    else:
                        data = self.random.randbytes(length)
                        client.pwrite(data, at)
                        model[at:at + length] = data
                clients[0].pwrite(b"x", 0, support.nbd.CMD_FLAG_FUA)
                model[0] = ord("x")
                clients[0].flush()
                for client in clients:
                    client.shutdown()
        self.assertEqual(self.get("image"), xts(bytes(model), 4096))

    def test_luks2(self):
        need("cryptsetup")
        self.put("image", b"")
        os.truncate(self.image, DATA + MIB)
        luks2.format_volume(self.image, self.folder, support.KEY)
        header = self.get("image")[:DATA]
        data = self.random.randbytes(MIB)
        secret = "passphrase=+" + self.path("passphrase")
        with self.upstream("file", self.image) as upstream:
            with self.serve("uri=" + upstream.uri, secret) as server:
                client = server.connect()
                client.pwrite(data, 0)
                client.shutdown()
            self.put("wrong", b"wrong")
            self.assertIn("no key slot opens", self.refused("uri=" + upstream.uri, "passphrase=+" + self.path("wrong")))
            program = [os.path.join(support.BUILD, "vershina"), "disk"]
            if os.path.exists(program[0] + "-disk"):
                said = subprocess.run([*program, "info", upstream.uri], check=True, capture_output=True, text=True)
                self.assertIn("kuznyechik-xts-plain64", said.stdout)
                subprocess.run([*program, "copy", "-q", "--passphrase-file", self.path("passphrase"), "--to",
                                self.path("out"), upstream.uri], check=True)
                self.assertEqual(self.get("out"), data)
        self.assertEqual(self.get("image"), header + xts(data, 4096))
        with self.serve(self.image, secret):
            pass
        luks2.damage(self.image, 0)
        damaged = self.get("image")
        with self.upstream("file", self.image) as upstream, self.serve("uri=" + upstream.uri, secret) as server:
            client = server.connect()
            self.assertEqual(client.pread(MIB, 0), data)
            client.shutdown()
        self.assertEqual(self.get("image"), damaged)  # read from its second copy; headers behind NBD are not repaired

    def test_trim(self):
        with self.upstream("memory", "1M") as upstream, self.serve_plain(upstream, "trim=true") as server:
            client = server.connect()
            client.pwrite(b"a" * MIB, 0)
            client.trim(MIB // 2, 0)
            self.assertEqual(client.pread(512, 0), xts(bytes(512), decrypt=True))
            self.assertEqual(client.pread(512, MIB // 2), b"a" * 512)
            client.shutdown()

    def test_fua(self):
        """Flushes the store before it is acknowledged; other writes do not."""
        self.put("log", b"")
        fua = support.nbd.CMD_FLAG_FUA
        with self.upstream("eval", "get_size=echo 1M", "can_write=exit 0", "can_flush=exit 0", "can_trim=exit 0",
                           "pread=head -c $3 /dev/zero", "pwrite=cat > /dev/null", "trim=exit 0",
                           f"flush=printf x >> {self.path('log')}") as upstream:
            with self.serve_plain(upstream, "trim=true") as server:
                client = server.connect()
                client.pwrite(bytes(4096), 0)
                client.pwrite(bytes(100), 700)
                client.zero(4096, 0)
                client.trim(4096, 0)
                self.assertEqual(self.get("log"), b"")
                for i, write in enumerate((lambda: client.pwrite(bytes(4096), 0, fua),
                                           lambda: client.pwrite(bytes(100), 700, fua),
                                           lambda: client.zero(4096, 0, fua), lambda: client.trim(4096, 0, fua),
                                           client.flush)):
                    write()
                    self.assertEqual(len(self.get("log")), i + 1)
                client.shutdown()

    def test_info_of_a_store_that_fails(self):
        """In the middle of the header: an error of the input."""
        with self.upstream("eval", "get_size=echo 32M", "pread=test $4 -lt 1048576 || { echo EIO lost >&2; exit 1; }; "
                           "head -c $3 /dev/zero") as upstream:
            self.assertIn("cannot be read", self.info_refused(upstream.uri, 3))

    def test_silent_server(self):
        """One that takes the connection and says nothing, and one that says nothing from the first request on."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("silent"))
            listener.listen()
            uri = "nbd+unix:///?socket=" + self.path("silent")
            self.assertIn("the server does not answer", self.info_refused(uri, 3))
        blocked = self.path("blocked")
        self.put("blocked", b"")
        self.put("pw", b"correct horse")
        copy = [os.path.join(support.BUILD, "vershina"), "disk", "copy", "--to", self.path("out"), "--passphrase-file",
                self.path("pw")]
        with self.upstream("eval", "thread_model=echo parallel", "get_size=echo 32M",
                           f"pread=while test -e {blocked}; do sleep 0.05; done") as upstream:
            process = subprocess.Popen([*copy, upstream.uri], stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.kill)
            self.assertIn("the server does not answer", self.info_refused(upstream.uri, 3))
            self.assertIn("the server does not answer", process.communicate(timeout=60)[1])
            self.assertEqual(process.returncode, 3)
            self.assertIn("the server does not answer",
                          self.refused("uri=" + upstream.uri, "passphrase=+" + self.path("pw")))
            os.remove(blocked)

    def test_read_only(self):
        self.put("image", xts(bytes(MIB)))
        for server_options, more in ((["-r"], []), ([], ["read-only=true"])):
            with self.upstream(*server_options, "file", self.image) as upstream:
                with self.serve_plain(upstream, *more) as server:
                    client = server.connect()
                    self.assertTrue(client.is_read_only())
                    self.assertEqual(client.pread(MIB, 0), bytes(MIB))
                    client.shutdown()


    def test_in_the_background(self):
        """The process that nbdkit leaves behind when it goes there does not disconnect the one that serves."""
        self.put("image", xts(bytes(MIB)))
        socket, ready = self.path("s"), self.path("pid")
        with self.upstream("file", self.image) as upstream:
            subprocess.run(["nbdkit", "-U", socket, "-P", ready, support.PLUGIN, "uri=" + upstream.uri, "format=plain",
                            "keyfile=" + self.key], check=True, stdin=subprocess.DEVNULL, timeout=60)
            limit = time.monotonic() + 60
            while not (os.path.exists(ready) and self.get("pid")) and time.monotonic() < limit:
                time.sleep(0.01)
            server = int(self.get("pid"))
            try:
                client = support.nbd.NBD()
                client.connect_unix(socket)
                client.pwrite(b"a" * 4096, 0)
                client.flush()
                self.assertEqual(client.pread(8192, 0), b"a" * 4096 + bytes(4096))
                client.shutdown()
            finally:
                os.kill(server, signal.SIGTERM)
                while os.path.exists(f"/proc/{server}/exe") and time.monotonic() < limit:
                    time.sleep(0.01)
        self.assertEqual(self.get("image")[:4096], xts(b"a" * 4096))


class Connections(Uri):
    """All are made at the start: a later one might reach a server that has lost what it acknowledged before."""

    def counting(self, *more):
        """An upstream that adds a line to `opens` for each connection."""
        return self.upstream("eval", "thread_model=echo parallel", "can_multi_conn=exit 0", "can_write=exit 0",
                             "pwrite=cat > /dev/null", *more)

    def count(self):
        return len(self.get("opens"))

    def test_none_is_made_later(self):
        self.put("opens", b"")
        blocked, release = self.path("blocked"), self.path("release")
        wait = f"touch {blocked}; while test ! -e {release} -a -e {self.folder}; do sleep 0.01; done"
        with self.counting(f"open=printf x >> {self.path('opens')}", "get_size=echo 1M",
                           f"pread=if test $4 = 0; then {wait}; fi; head -c $3 /dev/zero") as upstream:
            with self.serve_plain(upstream) as server:
                at_start = self.count()
                self.assertEqual(at_start, 8)
                clients = [server.connect() for _ in range(4)]
                waiting = clients[0].aio_pread(support.nbd.Buffer(512), 0)
                limit = time.monotonic() + 60
                while not os.path.exists(blocked) and time.monotonic() < limit:
                    clients[0].poll(10)
                for client in clients[1:]:
                    client.pread(512, 4096)
                self.assertFalse(clients[0].aio_command_completed(waiting))
                self.assertEqual(self.count(), at_start)
                self.put("release", b"")
                while not clients[0].aio_command_completed(waiting):
                    clients[0].poll(-1)
                for client in clients:
                    client.shutdown()
            self.assertEqual(self.count(), at_start)

    def test_servers_that_take_few(self):
        """Whether they refuse a further connection or let it wait, those that are there are used."""
        opens = self.path("opens")
        for what in ("exit 1", f"while test -e {opens}; do sleep 0.1; done"):
            with self.subTest(what=what):
                self.put("opens", b"")
                with self.counting(f"open=printf x >> {opens}; if test $(wc -c < {opens}) -gt 2; then {what}; fi",
                                   "get_size=echo 1M", "pread=head -c $3 /dev/zero") as upstream:
                    with self.serve_plain(upstream) as server:
                        clients = [server.connect() for _ in range(3)]
                        for _ in range(2):
                            for client in clients:
                                client.pread(512, 0)
                        for client in clients:
                            client.shutdown()
                    self.assertEqual(self.count(), 3)
                os.remove(opens)

    def test_another_export(self):
        opens = self.path("opens")
        self.put("opens", b"")
        with self.counting(f"open=printf x >> {opens}; wc -c < {opens}", "get_size=echo ${2}M",
                           "pread=head -c $3 /dev/zero") as upstream:
            self.assertIn("another size", self.refused("uri=" + upstream.uri, "format=plain", "keyfile=" + self.key))


class Refusals(Uri):
    def test_parameters(self):
        self.put("image", bytes(MIB))
        plain = ["format=plain", "keyfile=" + self.key]
        self.assertIn("exclude each other", self.refused(self.image, "uri=nbd://localhost", *plain))
        self.assertIn("upstream", self.refused("uri=nbd+unix:///?socket=" + self.path("upstream"), *plain))
        self.assertIn("error", self.refused("uri=http://localhost", *plain))

    def test_blocks_of_the_other_server(self):
        with self.upstream("--filter=blocksize-policy", "memory", "1M", "blocksize-minimum=4096",
                           "blocksize-preferred=4096", "blocksize-maximum=1M") as upstream:
            self.assertIn("multiples of 4096 bytes only",
                          self.refused("uri=" + upstream.uri, "format=plain", "keyfile=" + self.key))


class Errors(Uri):
    def test_error_filter(self):
        """EIO and ENOSPC from below reach the client, and end where they end below."""
        trigger = self.path("trigger")
        for name, number in (("EIO", errno.EIO), ("ENOSPC", errno.ENOSPC)):
            with self.subTest(name=name):
                with self.upstream("--filter=error", "memory", "1M", "error=" + name, "error-rate=100%",
                                   "error-file=" + trigger) as upstream, self.serve_plain(upstream) as server:
                    client = server.connect()
                    data = self.random.randbytes(MIB)
                    client.pwrite(data, 0)
                    self.put("trigger", b"")
                    self.assertEqual(self.raised(client.pread, 512, 0), number)
                    self.assertEqual(self.raised(client.pwrite, bytes(512), 0), number)
                    self.assertEqual(self.raised(client.pwrite, bytes(100), 700), number)
                    self.assertEqual(self.raised(client.zero, 4096, 0), number)
                    os.remove(trigger)
                    self.assertEqual(client.pread(MIB, 0), data)
                    client.shutdown()

    def test_failed_flush(self):
        self.put("image", xts(bytes(MIB)))
        trigger = self.path("trigger")
        with self.upstream("eval", "get_size=echo 1M", "can_write=exit 0", "can_flush=exit 0",
                           f"pread=dd if={self.image} skip=$4 count=$3 iflag=skip_bytes,count_bytes status=none",
                           f"pwrite=dd of={self.image} seek=$4 conv=notrunc oflag=seek_bytes status=none",
                           f"flush=test ! -e {trigger} || {{ echo EIO no >&2; exit 1; }}") as upstream:
            with self.serve_plain(upstream) as server:
                client = server.connect()
                client.pwrite(b"a" * 4096, 0)
                client.flush()
                self.put("trigger", b"")
                self.assertEqual(self.raised(client.flush), errno.EIO)
                os.remove(trigger)
                # It is not known what the failed one has lost.
                self.assertEqual(self.raised(client.flush), errno.EIO)
                self.assertEqual(client.pread(4096, 0), b"a" * 4096)
                client.shutdown()

    def test_error_during_another_flush(self):
        """An error that the other server tells once is one of every flush that was under way."""
        blocked, release = self.path("blocked"), self.path("release")
        with self.upstream("eval", "thread_model=echo parallel", "can_multi_conn=exit 0", "get_size=echo 1M",
                           "can_write=exit 0", "can_flush=exit 0", "pread=head -c $3 /dev/zero",
                           f"flush=mkdir {blocked} || exit 0; while test ! -e {release} -a -e {self.folder}; do "
                           "sleep 0.01; done; echo EIO no >&2; exit 1") as upstream:
            with self.serve_plain(upstream) as server:
                clients = [server.connect() for _ in range(2)]
                flushes = [clients[0].aio_flush()]
                limit = time.monotonic() + 60
                while not os.path.exists(blocked) and time.monotonic() < limit:
                    clients[0].poll(10)
                flushes.append(clients[1].aio_flush())
                clients[1].poll(1000)  # sends it; an answer would come at once
                self.put("release", b"")
                for client, flush in zip(clients, flushes):
                    with self.assertRaises(support.nbd.Error) as caught:
                        while not client.aio_command_completed(flush):
                            client.poll(-1)
                    self.assertEqual(caught.exception.errnum, errno.EIO)
                for client in clients:
                    client.shutdown()

    def test_some_errors(self):
        """Half of all writes fail below: each sector is old or new, and an acknowledged one is new."""
        self.put("image", xts(bytes(MIB)))
        written = {}
        with self.upstream("--filter=error", "file", self.image, "error-pwrite=EIO",
                           "error-pwrite-rate=50%") as upstream:
            with self.serve_plain(upstream) as server:
                client = server.connect()
                failed = 0
                for at in range(0, MIB, 4096):
                    try:
                        client.pwrite(b"n" * 4096, at)
                        written[at] = True
                    except support.nbd.Error as error:
                        self.assertEqual(error.errnum, errno.EIO)
                        failed += 1
                client.shutdown()
        self.assertTrue(failed > 20 and len(written) > 20)
        plain = xts(self.get("image"), decrypt=True)
        for at in range(0, MIB, 4096):
            self.assertEqual(plain[at:at + 4096], (b"n" if at in written else b"\0") * 4096)

    def test_other_server_killed(self):
        self.put("image", xts(bytes(MIB)))
        upstream = self.upstream("file", self.image)
        with self.serve_plain(upstream) as server:
            client = server.connect()
            client.pwrite(b"a" * 4096, 0)
            upstream.process.send_signal(signal.SIGKILL)
            upstream.process.wait(60)
            self.assertEqual(self.raised(client.pwrite, b"b" * 4096, 0), errno.EIO)
            os.remove(upstream.socket)
            with self.upstream("file", self.image):  # it is there again, but its losses are not known
                self.assertEqual(self.raised(client.flush), errno.EIO)
                self.assertEqual(self.raised(client.pread, 512, 0), errno.EIO)
            client.shutdown()
        self.assertEqual(self.get("image")[:4096], xts(b"a" * 4096))


if __name__ == "__main__":
    support.main(sys.modules[__name__])
