"""The plugin of nbdkit over plain volumes: bytes, requests, failures."""
import errno
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time
from unittest import mock

import support
from support import KEY, need, xts

MIB = 1 << 20


class Plain(support.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())
        self.parameters = [self.image, "format=plain", "keyfile=" + self.key]

    def serve_plain(self, *more, **options):
        return self.serve(*self.parameters, *more, **options)

    def refused_plain(self, *more):
        return self.refused(*self.parameters, *more)


class Bytes(Plain):
    """The file has the ciphertext of another implementation of XTS."""

    def test_sectors_and_numbers(self):
        for sector_len, whole in ((512, False), (1024, False), (2048, False), (4096, False), (4096, True),
                                  (1024, True)):
            with self.subTest(sector_len=sector_len, whole=whole):
                begin, size, first = 3 * 512, 24 * 4096, 8 * 1000003
                before = self.random.randbytes(begin + size + 700)
                self.put("image", before)
                layout = [f"offset={begin}", f"size={size}", f"sector-size={sector_len}", f"iv-offset={first}",
                          f"iv-large-sectors={str(whole).lower()}"]
                with self.serve_plain(*layout) as server:
                    client = server.connect()
                    self.assertEqual(client.get_size(), size)
                    inside = before[begin:begin + size]
                    self.assertEqual(client.pread(size, 0), xts(inside, sector_len, first, whole, decrypt=True))
                    data = self.random.randbytes(size)
                    client.pwrite(data, 0)
                    client.shutdown()
                after = self.get("image")
                self.assertEqual(after[begin:begin + size], xts(data, sector_len, first, whole))
                self.assertEqual(after[:begin], before[:begin])
                self.assertEqual(after[begin + size:], before[begin + size:])

    def test_requests_of_any_size(self):
        for sector_len in (512, 4096):
            with self.subTest(sector_len=sector_len):
                begin, size = 4096, 300 * 4096
                model = bytearray(self.random.randbytes(size))
                guard = self.random.randbytes(begin)
                self.put("image", guard + xts(bytes(model), sector_len) + guard)
                layout = [f"offset={begin}", f"size={size}", f"sector-size={sector_len}"]
                with self.serve_plain(*layout) as server:
                    client = server.connect()
                    for _ in range(400):
                        length = self.random.choice((1, 15, 511, 512, 513, 4095, 4096, 5000, 70000, 600000))
                        at = self.random.randrange(size - length)
                        if self.random.random() < 0.3:
                            at = at // sector_len * sector_len
                        action = self.random.randrange(3)
                        if action == 0:
                            self.assertEqual(client.pread(length, at), model[at:at + length])
                        elif action == 1:
                            data = self.random.randbytes(length)
                            client.pwrite(data, at)
                            model[at:at + length] = data
                        else:
                            client.zero(length, at)
                            model[at:at + length] = bytes(length)
                    self.assertEqual(client.pread(size, 0), model)
                    client.shutdown()
                after = self.get("image")
                self.assertEqual(after[begin:-begin], xts(bytes(model), sector_len))
                self.assertEqual((after[:begin], after[-begin:]), (guard, guard))

    def test_32_mib_at_once(self):
        self.put("image", bytes(33 * MIB))
        data = self.random.randbytes(32 * MIB)
        with self.serve_plain() as server:
            client = server.connect()
            client.pwrite(data, 512)
            self.assertEqual(client.pread(32 * MIB, 512), data)
            client.shutdown()
        stored = self.get("image")[512:]
        for at in (0, 256 * 1024 - 512, 16 * MIB, 32 * MIB - 512):  # the first, the last, and both sides of a piece
            self.assertEqual(stored[at:at + 512], xts(data[at:at + 512], first=1 + at // 512))

    def test_hexadecimal_key(self):
        self.put("image", bytes(512))
        self.put("key", KEY.hex().encode() + b"\n")
        with self.serve_plain() as server:
            client = server.connect()
            self.assertEqual(client.pread(512, 0), xts(bytes(512), decrypt=True))
            client.shutdown()

    def test_no_plaintext_in_the_store(self):
        marker = b"a marker that no ciphertext has!"
        self.put("image", bytes(MIB))
        with self.serve_plain() as server:
            client = server.connect()
            client.pwrite(marker * 8192, 0)
            client.pwrite(marker, MIB - 100)
            client.pwrite(marker * 100, MIB // 2 + 7)
            client.zero(MIB // 4, MIB // 4)
            client.shutdown()
        stored = self.get("image")
        self.assertFalse(marker[:16] in stored)
        self.assertFalse(bytes(16) in stored[MIB // 4:MIB // 2])  # nor a block of zeros


class Flags(Plain):
    def test_requests_run_side_by_side(self):
        said = subprocess.run(["nbdkit", support.PLUGIN, "--dump-plugin"], capture_output=True, text=True, check=True)
        self.assertIn("\nthread_model=parallel\n", said.stdout)

    def test_what_the_server_offers(self):
        self.put("image", bytes(MIB))
        for trims in (False, True):
            with self.serve_plain(f"trim={str(trims).lower()}") as server:
                client = server.connect()
                self.assertTrue(client.can_fua() and client.can_flush() and client.can_zero())
                self.assertTrue(client.can_multi_conn())
                self.assertFalse(client.is_read_only() or client.can_fast_zero())
                self.assertEqual(client.can_trim(), trims)
                client.pwrite(bytes(512), 0, support.nbd.CMD_FLAG_FUA)
                client.flush()
                client.shutdown()

    def test_trim_gives_space_back_and_spares_neighbours(self):
        size = 4 * MIB
        data = self.random.randbytes(size)
        self.put("image", xts(data, 4096))
        with self.serve_plain("sector-size=4096", "trim=true") as server:
            client = server.connect()
            client.flush()
            blocks = os.stat(self.image).st_blocks
            client.trim(2 * MIB, MIB + 100)  # parts of sectors at both ends
            self.assertLess(os.stat(self.image).st_blocks, blocks)
            self.assertEqual(client.pread(MIB + 4096, 0), data[:MIB + 4096])
            self.assertEqual(client.pread(MIB, 3 * MIB), data[3 * MIB:])
            client.zero(2 * MIB, MIB)
            self.assertEqual(client.pread(2 * MIB, MIB), bytes(2 * MIB))
            client.shutdown()

    def test_zero_that_may_trim_is_written(self):
        self.put("image", self.random.randbytes(MIB))
        with self.serve_plain("trim=true") as server:
            client = server.connect()
            client.zero(MIB, 0)  # without CMD_FLAG_NO_HOLE: a hole would be permitted
            self.assertEqual(client.pread(MIB, 0), bytes(MIB))
            client.shutdown()
        self.assertEqual(self.get("image"), xts(bytes(MIB)))

    def test_read_only(self):
        data = self.random.randbytes(MIB)
        self.put("image", xts(data))
        with self.serve_plain("read-only=true") as server, self.serve_plain("read-only=true") as other:
            for client in (server.connect(), other.connect()):
                self.assertTrue(client.is_read_only())
                self.assertEqual(client.pread(MIB, 0), data)
                self.assertRaises(support.nbd.Error, client.pwrite, bytes(512), 0)
                client.shutdown()
            self.assertIn("another program uses it", self.refused_plain())
        self.assertEqual(self.get("image"), xts(data))

    def test_one_writer(self):
        self.put("image", bytes(MIB))
        with self.serve_plain():
            self.assertIn("another program uses it", self.refused_plain())
            self.assertIn("another program uses it", self.refused_plain("read-only=true"))
        with self.serve_plain():
            pass


class Together(Plain):
    """Many requests at once, for parts of the same sectors."""

    def hammer(self, sector_len, part, connections):
        size = 4 * sector_len
        self.put("image", xts(bytes(size), sector_len))
        model = bytearray(size)
        with self.serve_plain(f"sector-size={sector_len}") as server:
            faults = []

            def write(own, seed):
                generator = random.Random(seed)
                try:
                    client = server.connect()
                    for _ in range(12):
                        cookies = []
                        for at in own:
                            data = generator.randbytes(min(part, size - at))
                            model[at:at + len(data)] = data
                            cookies.append((client.aio_pwrite(support.nbd.Buffer.from_bytearray(bytearray(data)), at)))
                        while cookies:
                            client.poll(-1)
                            cookies = [c for c in cookies if not client.aio_command_completed(c)]
                    client.shutdown()
                except Exception as error:  # pylint: disable=broad-except
                    faults.append(error)

            parts = list(range(0, size, part))
            self.random.shuffle(parts)
            threads = [threading.Thread(target=write, args=(parts[i::connections], i)) for i in range(connections)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(faults, [])
            client = server.connect()
            self.assertEqual(client.pread(size, 0), model)
            client.shutdown()
        self.assertEqual(self.get("image"), xts(bytes(model), sector_len))

    def test_parts_of_one_sector(self):
        self.hammer(4096, 100, 4)

    def test_parts_and_whole_sectors(self):
        # Parts of 1.5 sectors: each sector is written whole by one request and in part by another one or two.
        self.hammer(512, 768, 3)
        self.hammer(4096, 6144, 3)


class Refusals(Plain):
    def test_parameters(self):
        self.put("image", bytes(MIB))
        for parameters, text in (
                (["ofset=512"], "did you mean offset=?"),
                (["offset=512", "offset=512"], "offset= is given twice"),
                (["offset=511"], "multiple of 512"),
                (["offset=1M"], "behind the end of the store"),
                (["size=1025K"], "behind the end of the store"),
                (["sector-size=513"], "513"),
                (["sector-size=8192"], "8192"),
                (["offset=512", "sector-size=4096"], "not a whole number of 4096-byte sectors"),
                (["sector-size=4096", "iv-offset=9"], "lies inside of a sector"),
                (["iv-offset=18446744073709551615"], "more sectors than numbers"),
                (["iv-offset=-1"], "iv-offset="),
                (["trim=maybe"], "true or false"),
                (["size="], "size= is empty")):
            with self.subTest(parameters=parameters):
                self.assertIn(text, self.refused_plain(*parameters))
        self.assertIn("one of passphrase= and keyfile= is needed", self.refused(self.image))
        self.assertIn("not for plain volumes", self.refused_plain("passphrase=+" + self.key))
        self.assertIn("header= is for LUKS2 volumes", self.refused_plain("header=" + self.image))
        self.assertIn("are for format=veracrypt", self.refused_plain("pim=1"))
        self.assertIn("unknown format luks1", self.refused(self.image, "format=luks1"))
        self.assertIn("file= is missing", self.refused("format=plain", "keyfile=" + self.key))
        self.assertIn("keyfile= is missing", self.refused(self.image, "format=plain"))
        self.assertEqual(self.get("image"), bytes(MIB))

    def test_keys(self):
        self.put("image", bytes(MIB))
        for content, text in ((b"", "is empty"), (KEY[:63], "64 raw bytes"), (KEY + b"\n", "64 raw bytes"),
                              (KEY.hex().encode()[:-1] + b"g", "64 raw bytes"), (bytes(1000), "more than 129 bytes"),
                              (KEY[:32] * 2, "halves of the volume key are the same")):
            with self.subTest(text=text):
                self.put("key", content)
                said = self.refused_plain()
                self.assertIn(text, said)
                self.assertNotIn(content.hex()[:16] or "\0", said)
        os.remove(self.key)
        self.assertIn("No such file", self.refused_plain())

    def test_files(self):
        self.assertIn("No such file", self.refused_plain())
        self.put("image", b"")
        self.assertIn("behind the end of the store", self.refused_plain())
        self.put("image", bytes(1000))
        self.assertIn("not a whole number", self.refused_plain())
        os.remove(self.image)
        os.mkfifo(self.image)
        self.assertIn("neither a file nor a block device", self.refused_plain())

    def test_wrong_key_ends_run_too(self):
        self.put("image", bytes(MIB))
        self.put("key", b"short")
        done = self.path("done")
        result = subprocess.run(["nbdkit", "-U", "-", support.PLUGIN, *self.parameters, "--run", f"touch {done}"],
                                capture_output=True, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(os.path.exists(done))


class Failures(Plain):
    def expect_error(self, number, function, *arguments):
        with self.assertRaises(support.nbd.Error) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.errnum, number)

    def test_file_becomes_shorter(self):
        data = self.random.randbytes(MIB)
        self.put("image", xts(data))
        with self.serve_plain() as server:
            client = server.connect()
            os.truncate(self.image, MIB // 2)
            self.assertEqual(client.pread(4096, 0), data[:4096])
            self.expect_error(errno.EIO, client.pread, 4096, MIB // 2 - 2048)
            self.expect_error(errno.EIO, client.pwrite, bytes(4096), MIB - 4096)
            self.expect_error(errno.EIO, client.pwrite, bytes(100), MIB - 4096)
            self.expect_error(errno.EIO, client.flush)
            self.assertIn("the file has become shorter", server.said())
            client.shutdown()
        self.assertEqual(self.get("image"), xts(data)[:MIB // 2])

    def test_behind_the_end(self):
        self.put("image", bytes(2 * MIB))
        with self.serve_plain("size=1M") as server:
            client = server.connect()
            self.expect_error(errno.EINVAL, client.pread, 512, MIB)
            self.expect_error(errno.EINVAL, client.pread, 513, MIB - 512)
            with self.assertRaises(support.nbd.Error):
                client.pwrite(bytes(513), MIB - 512)
            client.shutdown()
        self.assertEqual(self.get("image"), bytes(2 * MIB))

    def test_full_disk(self):
        mount = self.path("small")
        os.mkdir(mount)
        result = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "none", mount], capture_output=True,
                                check=False)
        if result.returncode != 0:
            self.skipTest("may not mount a small tmpfs")
        try:
            image = os.path.join(mount, "image")
            with open(image, "wb") as file:
                file.truncate(4 * MIB)
            data = self.random.randbytes(512 * 1024)
            with self.serve(image, "format=plain", "keyfile=" + self.key) as server:
                client = server.connect()
                client.pwrite(data, 0)
                self.expect_error(errno.ENOSPC, client.pwrite, bytes(2 * MIB), MIB)
                self.assertEqual(client.pread(len(data), 0), data)
                client.shutdown()
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_killed_under_load(self):
        """Every acknowledged and flushed write is there after SIGKILL, and no sector is half of two."""
        size, block = 4 * MIB, 8192
        self.put("image", xts(bytes(size), 4096))
        server = self.serve_plain("sector-size=4096")
        acknowledged = {}  # block number -> generation

        def kill():  # in the middle of whatever is under way then
            while len(acknowledged) < 64:
                time.sleep(0.001)
            server.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        client = server.connect()
        generation = 0
        try:
            while True:
                generation += 1
                written = {}
                for _ in range(8):
                    at = self.random.randrange(size // block)
                    client.pwrite(generation.to_bytes(8, "little") * (block // 8), at * block)
                    written[at] = generation
                client.flush()
                acknowledged.update(written)
        except support.nbd.Error:
            pass
        killer.join()
        self.assertGreater(len(acknowledged), 8)
        stored = xts(self.get("image"), 4096, decrypt=True)
        for at, least in acknowledged.items():
            for sector in range(2):
                content = stored[at * block + sector * 4096:at * block + sector * 4096 + 4096]
                found = int.from_bytes(content[:8], "little")
                self.assertEqual(content, content[:8] * 512)
                self.assertTrue(least <= found <= generation, (at, least, found))

    def test_client_vanishes(self):
        self.put("image", xts(bytes(MIB)))
        with self.serve_plain() as server:
            for _ in range(20):
                client = server.connect()
                client.aio_pwrite(support.nbd.Buffer.from_bytearray(bytearray(b"x" * (MIB // 2))), 0)
                del client
            client = server.connect()
            content = client.pread(MIB, 0)
            for at in range(0, MIB, 512):
                self.assertIn(content[at:at + 512], (bytes(512), b"x" * 512))
            client.shutdown()

    def test_memory(self):
        self.put("image", bytes(MIB))
        with self.serve_plain() as server:
            with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
                locked = [line for line in status if line.startswith("VmLck")]
            if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] not in range(4 << 20):
                self.assertGreater(int(locked[0].split()[1]), 0)

    def test_no_core_dumps(self):
        """A process that must not be dumped belongs to root in /proc, no matter which user runs it."""
        self.put("image", bytes(MIB))
        plugin, user = support.PLUGIN, {}
        if os.geteuid() == 0:  # root owns everything: run it as nobody, which may not reach the build folder
            plugin, user = shutil.copy(plugin, self.folder), {"user": 65534, "group": 65534, "extra_groups": []}
            os.chmod(self.folder, 0o711)
            for path in (self.image, self.key):
                os.chown(path, 65534, 65534)
        with mock.patch.object(support, "PLUGIN", plugin), self.serve_plain(**user) as server:
            with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
                self.assertNotIn("Uid:\t0\t", status.read())
            self.assertEqual(os.stat(f"/proc/{server.process.pid}/environ").st_uid, 0)

    def test_no_core_dumps_of_another_user(self):
        """nbdkit changes the user after the key was read, which may undo it (fs.suid_dumpable)."""
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        self.put("image", bytes(MIB))
        os.chmod(self.folder, 0o711)
        environment = {**os.environ, "LD_PRELOAD": os.environ["DUMPABLE_RECORDER"], "RECORD": self.path("record")}
        with self.serve_plain(options=["-u", "65534"], owner=65534, env=environment) as server:
            server.connect().shutdown()  # served once all of that is done
            self.assertEqual(self.get("record").decode().split(), ["private", "user", "private"])


class Programs(Plain):
    """Other programs as clients."""

    def test_nbdcopy(self):
        need("nbdcopy")
        data = self.random.randbytes(5 * MIB) + bytes(2 * MIB) + self.random.randbytes(MIB)
        self.put("image", bytes(len(data)))
        self.put("data", data)
        with self.serve_plain("sector-size=4096") as server:
            subprocess.run(["nbdcopy", "--flush", self.path("data"), server.uri()], check=True)
            subprocess.run(["nbdcopy", server.uri(), self.path("again")], check=True)
        self.assertEqual(self.get("again"), data)
        begin, end = 5 * MIB - 8192, 5 * MIB + 8192
        self.assertEqual(xts(self.get("image")[begin:end], 4096, begin // 512, decrypt=True), data[begin:end])

    def test_fio(self):
        """Random writes of several jobs, verified by their checksums."""
        need("fio")
        engines = subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout
        if "nbd" not in engines:
            self.skipTest("needs fio with the engine nbd")
        self.put("image", bytes(8 * MIB))
        with self.serve_plain("sector-size=4096") as server:
            result = subprocess.run(["fio", "--name=verify", "--ioengine=nbd", "--uri=" + server.uri(),
                                     "--rw=randwrite", "--bsrange=512-64k", "--blocksize_unaligned=0", "--size=4m",
                                     "--numjobs=2", "--offset_increment=4m", "--iodepth=16", "--verify=crc32c",
                                     "--do_verify=1", "--verify_fatal=1", "--end_fsync=1", "--thread",
                                     "--group_reporting"],
                                    cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_qemu(self):
        need("qemu-io", "qemu-img")
        self.put("image", xts(bytes(4 * MIB)))
        with self.serve_plain() as server:
            commands = ["write -P 0x11 0 1M", "write -P 0x22 1000 3000", "write -f -P 0x33 1M 64k",
                        "write -z 1536k 100k", "read -P 0x11 0 1000", "read -P 0x22 1000 3000",
                        "read -P 0x11 4000 100000", "read -P 0x33 1M 64k", "read -P 0 1536k 100k", "flush"]
            arguments = [word for command in commands for word in ("-c", command)]
            result = subprocess.run(["qemu-io", "-f", "raw", *arguments, server.uri()], capture_output=True, text=True,
                                    check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertNotIn("failed", result.stdout)
            subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", "raw", server.uri(), self.path("out")],
                           check=True)
        out = self.get("out")
        self.assertEqual(out, xts(self.get("image"), decrypt=True))
        self.assertEqual(out[1000:4000], b"\x22" * 3000)


if __name__ == "__main__":
    support.main(sys.modules[__name__])
