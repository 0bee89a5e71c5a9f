"""`vershina disk`: create, info, serve, as a user has them."""
import fcntl
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import luks2
import support
from luks2 import DATA
from support import BUILD, need

MIB = 1 << 20
PROGRAM = os.path.join(BUILD, "vershina")
CHEAP = ["--pbkdf-memory", "32K", "--pbkdf-passes", "4"]


class Programs(support.Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(os.path.join(BUILD, "vershina-disk")):
            self.skipTest("needs a build with libcryptsetup")
        need("cryptsetup")
        self.random = random.Random(self.id())
        self.put("pw", b"correct horse\n")
        os.chmod(self.path("pw"), 0o600)
        self.pw = ["--passphrase-file", self.path("pw")]

    def disk(self, *arguments, status=0, **options):
        result = subprocess.run([PROGRAM, "disk", *arguments], capture_output=True, text=True, check=False,
                                stdin=subprocess.DEVNULL, **options)
        self.assertEqual(result.returncode, status, f"{arguments}: {result.stdout}{result.stderr}")
        return result.stdout if status == 0 else result.stderr

    def create(self, *arguments, **options):
        return self.disk("create", *self.pw, *CHEAP, *arguments, **options)

    def serve_image(self, *more, image=None, pw=None):
        """Starts `vershina disk serve`; returns the process and its socket."""
        pw = self.pw if pw is None else pw
        process = subprocess.Popen([PROGRAM, "disk", "serve", *pw, *more, image or self.image], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        line = process.stdout.readline()
        found = re.search(r"is served on (.+); Ctrl-C", line)
        if not found:
            self.fail(line + process.communicate()[1])
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        lines = [process.stdout.readline() for _ in range(7)]
        self.commands = [line.strip() for line in lines if line.startswith("  ")]
        self.assertEqual([command.split()[0] for command in self.commands],
                         ["mkdir", "fuse2fs", "nbd-client", "nbdcopy"])
        return process, shlex.split(found[1])[0]

    def end(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, out + err)

    def connect(self, socket):
        client = support.nbd.NBD()
        client.connect_unix(socket)
        return client


class Create(Programs):
    def test_new_file(self):
        self.create("--size", "1M", self.image)
        self.assertEqual(os.path.getsize(self.image), DATA + MIB)
        self.assertEqual(os.stat(self.image).st_mode & 0o777, 0o600)
        luks2.cryptsetup("isLuks", self.image)
        luks2.cryptsetup("open", "--test-passphrase", self.image, input=b"correct horse")
        luks2.cryptsetup("luksHeaderBackup", self.image, "--header-backup-file", self.path("backup"))
        for copy in (0, 1):
            metadata = luks2.metadata_of(self.image, copy)
            self.assertEqual(metadata["segments"]["0"]["encryption"], "kuznyechik-xts-plain64")
            self.assertEqual(metadata["keyslots"]["0"]["area"]["encryption"], "aes-xts-plain64")
            self.assertEqual(metadata["keyslots"]["0"]["kdf"]["type"], "argon2id")
        self.assertEqual(os.listdir(self.folder).count("image"), 1)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".vershina")])

    def test_typed_passphrase_at_the_default_costs(self):
        command = [PROGRAM, "disk", "create", "--size", "1M", self.image]
        for typed in (b"correct horse\ncorrect house\n", b"\n\n"):
            result = support.on_terminal(typed, *command)
            self.assertEqual(result.returncode, 2, result.stdout)
            self.assertFalse(os.path.exists(self.image))
        result = support.on_terminal(b"correct horse\ncorrect horse\n", *command)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn(b"correct horse", result.stdout)
        slot = json.loads(self.disk("info", "--json", self.image))["slots"][0]
        # As much memory as libcryptsetup takes by itself: 1 GiB, or half of what there is.
        self.assertGreaterEqual(slot["memory_kib"], 64 << 10)
        process, _ = self.serve_image()
        self.end(process)

    def test_full_disk(self):
        """Nothing half-made under the name; over a file that is there, no volume."""
        mount = self.path("small")
        os.mkdir(mount)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", mount], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("may not mount a small tmpfs")
        try:
            image = os.path.join(mount, "image")
            self.assertIn("No space left on device", self.create("--size", "1M", image, status=4))
            self.assertEqual(os.listdir(mount), [])
            with open(image, "wb") as file:
                file.truncate(DATA + MIB)
            self.assertIn("No space left on device", self.create(image, status=4))
            self.disk("info", image, status=7)
            os.remove(image)
            self.create("--size", "9M", self.image)
            self.put("plain", self.random.randbytes(9 * MIB))
            self.disk("copy", *self.pw, "--from", self.path("plain"), self.image)
            said = self.disk("copy", *self.pw, "--to", os.path.join(mount, "out"), self.image, status=4)
            self.assertIn("No space left on device", said)
            self.assertIn("--resume goes on", said)
            self.assertEqual(os.listdir(mount), ["out.partial"])
        finally:
            subprocess.run(["umount", mount], check=True)

    def test_volumes_have_keys_of_their_own(self):
        self.create("--size", "1M", self.image)
        first = self.get("image")
        os.remove(self.image)
        self.create("--size", "1M", self.image)
        self.assertNotEqual(first[32768:40000], self.get("image")[32768:40000])

    def test_choices(self):
        self.create("--size", "1M", "--cipher", "kuznyechik-xts-plain64", "--sector-size", "512", "--label", "ключи",
                    self.image)
        info = json.loads(self.disk("info", "--json", self.image))
        self.assertEqual((info["segments"][0]["sector_size"], info["label"], info["size"]), (512, "ключи", MIB))
        self.assertEqual((info["slots"][0]["memory_kib"], info["slots"][0]["passes"]), (32, 4))
        rows = dict(re.findall(r"^  (\S+) +(.+)", self.disk("info", self.image), re.MULTILINE))
        with open("/proc/crypto", encoding="ascii") as file:
            has_cipher = bool(re.search("^name.*kuznyechik", file.read(), re.MULTILINE))
        self.assertEqual((info["nbdkit"], info["plugin"], info["problem"], info["kernel_cipher"]),
                         (True, True, None, has_cipher))
        self.assertEqual((rows["size"], rows["served"], rows["dm-crypt"]),
                         ("1048576 bytes", "by `vershina disk serve`",
                          "this kernel has the cipher" if has_cipher else "this kernel lacks the cipher"))
        os.remove(self.image)
        self.create("--size", str(MIB + 512), self.image)
        self.assertEqual(json.loads(self.disk("info", "--json", self.image))["segments"][0]["sector_size"], 512)

    def test_detached_header_and_key_file(self):
        self.put("secret", self.random.randbytes(100))
        header, key = self.path("header"), ["--key-file", self.path("secret")]
        uuid = "01234567-89ab-cdef-0123-456789abcdef"
        self.disk("create", *key, *CHEAP, "--pbkdf-parallel", "1", "--size", "1M", "--header", header, "--uuid", uuid,
                  self.image)
        self.assertEqual(self.get("image"), bytes(MIB))
        self.assertEqual(os.stat(header).st_mode & 0o777, 0o600)
        luks2.cryptsetup("open", "--test-passphrase", *key, "--header", header, self.image)
        info = json.loads(self.disk("info", "--json", "--header", header, self.image))
        self.assertEqual((info["uuid"], info["size"], info["segments"][0]["offset"]), (uuid, MIB, 0))
        self.assertEqual(info["slots"][0]["lanes"], 1)
        data = self.random.randbytes(MIB)
        self.put("plain", data)
        self.disk("copy", *key, "--header", header, "--from", self.path("plain"), self.image)
        self.disk("copy", *key, "--header", header, "--to", self.path("out"), self.image)
        self.assertEqual(self.get("out"), data)
        self.assertFalse(data[:16] in self.get("image"))
        # Neither the header nor the volume is overwritten by another one.
        before, volume = self.get("header"), self.get("image")
        self.assertIn("is there already", self.disk("create", *key, *CHEAP, "--header", header, self.image, status=4))
        self.disk("create", *key, *CHEAP, "--header", self.path("second"), self.image)
        self.assertEqual((self.get("header"), self.get("image")), (before, volume))
        # No half of both.
        self.disk("create", *key, *CHEAP, "--size", "1M", "--header", self.path("third"), self.path("none/image"),
                  status=4)
        self.assertFalse(os.path.exists(self.path("third")))
        self.disk("create", *key, *self.pw, "--size", "1M", self.path("new"), status=2)
        self.disk("create", *key, "--uuid", "1234", "--size", "1M", self.path("new"), status=2)

    def test_time(self):
        self.disk("create", *self.pw, "--iter-time", "50", "--pbkdf-memory", "1M", "--size", "1M", self.image)
        self.assertGreaterEqual(json.loads(self.disk("info", "--json", self.image))["slots"][0]["passes"], 4)

    def test_over_a_file(self):
        self.put("image", self.random.randbytes(DATA + MIB))
        data = self.get("image")[DATA:]
        self.create(self.image)
        self.assertEqual(self.get("image")[DATA:], data)
        self.assertIn("holds crypto_LUKS", self.create(self.image, status=4))
        before = self.get("image")
        self.assertIn("--force", self.create(self.image, status=4))
        self.assertEqual(self.get("image"), before)
        self.create("--force", self.image)
        self.assertNotEqual(self.get("image"), before)

    def test_known_content_stays(self):
        if shutil.which("mkfs.ext4", path=os.environ["PATH"] + ":/sbin:/usr/sbin") is None:
            self.skipTest("needs mkfs.ext4")
        self.put("image", b"")
        os.truncate(self.image, 32 * MIB)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True, env={**os.environ, "PATH": "/sbin:/usr/sbin:/bin"})
        before = self.get("image")
        self.assertIn("holds ext4", self.create(self.image, status=4))
        self.assertEqual(self.get("image"), before)

    def test_refusals(self):
        self.assertIn("give --size", self.create(self.image, status=2))
        self.assertIn("the only cipher is kuznyechik-xts-plain64",
                      self.create("--cipher", "aes-xts-plain64", "--size", "1M", self.image, status=2))
        self.assertIn("in a file or a device", self.create("--size", "1M", "nbd+unix:///?socket=s", status=2))
        self.assertFalse(os.path.exists(self.image))
        self.put("image", bytes(DATA))
        self.assertIn("the header takes 16 MiB", self.create(self.image, status=11))
        self.assertIn("is there already", self.create("--size", "1M", self.image, status=4))
        self.assertEqual(self.get("image"), bytes(DATA))
        self.assertIn("No such file", self.create("--size", "1M", self.path("none/image"), status=4))
        for bad in (["--sector-size", "1000"], ["--size", "1000"], ["--pbkdf-passes", "1"], ["--pbkdf-memory", "5G"]):
            self.create(*bad, self.path("new"), status=2)
        self.put("pw", b"")
        self.create("--size", "1M", self.path("new"), status=2)
        self.assertFalse(os.path.exists(self.path("new")))

    def test_served_volume_is_not_overwritten(self):
        self.create("--size", "1M", self.image)
        before = self.get("image")
        process, _ = self.serve_image()
        self.assertIn("another program uses it", self.create("--force", self.image, status=3))
        self.end(process)
        self.assertEqual(self.get("image"), before)

    def test_header_that_cryptsetup_works_on(self):
        self.create("--size", "1M", self.image)
        before = self.get("image")
        with open(self.image, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            said = self.create("--force", self.image, status=4)
        self.assertIn("the header cannot be locked", said)
        self.assertIn("cryptsetup is working on it", said)
        self.assertEqual(self.get("image"), before)
        self.create("--force", self.image)

    def test_killed_at_every_write(self):
        """Over an old volume of AES: what is left is no volume, or one of Kuznyechik; never one of AES again."""
        self.put("image", b"")
        os.truncate(self.image, DATA + MIB)
        self.put("old", b"old")
        luks2.cryptsetup("luksFormat", "--type", "luks2", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000",
                         self.image, self.path("old"))
        old = self.get("image")
        found = []
        for at in range(1, 30):
            self.put("image", old)
            result = subprocess.run([PROGRAM, "disk", "create", *self.pw, *CHEAP, "--force", self.image],
                                    capture_output=True, check=False,
                                    env={**os.environ, "LD_PRELOAD": os.environ["DIE_AT_WRITE"], "DIE_AT": str(at),
                                         "DIE_FILE": self.image})
            dump = subprocess.run(["cryptsetup", "luksDump", self.image], capture_output=True, check=False)
            if result.returncode == 0:
                found.append("done")
                break
            self.assertEqual(result.returncode, -signal.SIGKILL)
            if dump.returncode != 0:
                found.append("none")
                self.disk("info", self.image, status=7)
                continue
            self.assertIn(b"kuznyechik-xts-plain64", dump.stdout)
            found.append("kuznyechik")
            for copy in (self.image, self.path("repaired")):
                if copy != self.image:
                    shutil.copy(self.image, copy)
                luks2.cryptsetup("open", "--test-passphrase", copy, input=b"correct horse")
        # The first write may die before half a page of the old header is gone.
        self.assertEqual(found[-1], "done")
        self.assertIn("none", found)
        self.assertIn("kuznyechik", found)

    def test_killed_new_file(self):
        for at in range(1, 9):
            subprocess.run([PROGRAM, "disk", "create", *self.pw, *CHEAP, "--size", "1M", self.image], check=True,
                           capture_output=True, env={**os.environ, "LD_PRELOAD": os.environ["DIE_AT_WRITE"],
                                                     "DIE_AT": str(at), "DIE_FILE": self.image})
            os.remove(self.image)  # nothing is ever written under this name


class Texts(Programs):
    def test_manual_page(self):
        """Every option of --help is in the manual page, and the other way round."""
        with open(os.path.join(os.path.dirname(__file__), "../../docs/man/vershina-disk.1"), encoding="utf-8") as file:
            page = file.read()
        options = set()
        for command in ("create", "info", "serve", "copy"):
            help_text = self.disk(command, "--help")
            options |= set(re.findall(r"^  (?:-[a-z],)?--([a-z-]+)", help_text, re.MULTILINE)) - {"help"}
            self.assertFalse([line for line in help_text.splitlines() if len(line) > 110])
        self.assertEqual(options, set(re.findall(r"Fl -([a-z-]+)", page)))

    def test_help_and_completion(self):
        self.assertIn("serve", self.disk(status=2))
        self.assertIn("create", self.disk("--help"))
        words = subprocess.run([PROGRAM, "completion", "--candidates", "--", "disk", "create", "--s"],
                               capture_output=True, text=True, check=True).stdout
        self.assertEqual([line.split("\t")[0] for line in words.splitlines()], ["--size", "--sector-size"])
        self.assertIn("create", self.disk("creat", status=2))


class Info(Programs):
    def test_nothing_is_changed(self):
        self.create("--size", "1M", self.image)
        luks2.damage(self.image, 0)
        before = self.get("image")
        self.assertIn("kuznyechik-xts-plain64", self.disk("info", self.image))
        self.assertEqual(self.get("image"), before)

    def test_what_cannot_be_served(self):
        self.create("--size", "1M", self.image)
        luks2.edit(self.image, lambda m: m["segments"]["0"].update(encryption="aes-xts-plain64"))
        result = subprocess.run([PROGRAM, "disk", "info", self.image], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 11)
        self.assertIn("no: " + self.image + ": the volume's cipher is aes-xts-plain64", result.stdout)
        result = subprocess.run([PROGRAM, "disk", "info", "--json", self.image], capture_output=True, text=True,
                                check=False)
        self.assertIn("cryptsetup opens it", json.loads(result.stdout)["problem"])

    def test_strange_texts(self):
        self.create("--size", "1M", self.image)
        luks2.edit(self.image, lambda m: m["segments"]["0"].update(encryption="\x1b[31mred\n\"x"))
        result = subprocess.run([PROGRAM, "disk", "info", self.image], capture_output=True, text=True, check=False)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        result = subprocess.run([PROGRAM, "disk", "info", "--json", self.image], capture_output=True, text=True,
                                check=False)
        if result.returncode == 11:
            self.assertEqual(json.loads(result.stdout)["segments"][0]["cipher"], "\x1b[31mred\n\"x")

    def test_no_volume(self):
        self.put("image", bytes(MIB))
        self.assertIn("no valid LUKS2 header", self.disk("info", self.image, status=7))
        self.disk("info", self.path("none"), status=3)


class Serve(Programs):
    def serve_behind(self):
        """Serves a new volume by nbdkit's plugin eval, which notes each flush in a file; returns the URI."""
        if subprocess.run(["nbdkit", "eval", "--dump-plugin"], capture_output=True, check=False).returncode != 0:
            self.skipTest("needs nbdkit's plugin eval")
        if b"vershina_libnbd=yes" not in subprocess.run(["nbdkit", support.PLUGIN, "--dump-plugin"],
                                                        capture_output=True, check=True).stdout:
            self.skipTest("needs a build with libnbd")
        self.create("--size", "1M", self.image)
        image, flushed = shlex.quote(self.image), shlex.quote(self.path("flushed"))
        server = support.Server(
            self.folder, f"get_size=stat -c %s {image}", "can_write=exit 0", "can_flush=exit 0",
            f"flush=echo flush >> {flushed}",
            f"pwrite=dd of={image} seek=$4 oflag=seek_bytes conv=notrunc status=none",
            f"pread=dd if={image} skip=$4 count=$3 iflag=skip_bytes,count_bytes,fullblock status=none", plugin="eval")
        self.addCleanup(server.kill)
        return server.uri()

    def test_round(self):
        self.create("--size", "4M", self.image)
        data = self.random.randbytes(4 * MIB)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process, socket = self.serve_image()
            self.assertEqual(os.stat(os.path.dirname(socket)).st_mode & 0o777, 0o700)
            client = self.connect(socket)
            client.pwrite(data, 0)
            client.shutdown()
            self.end(process, number)
            self.assertFalse(os.path.exists(os.path.dirname(socket)))
            process, socket = self.serve_image()
            client = self.connect(socket)
            self.assertEqual(client.pread(len(data), 0), data)
            client.shutdown()
            self.end(process)
            data = data[1000:] + data[:1000]

    def test_socket_of_ones_own(self):
        self.create("--size", "1M", self.image)
        socket = self.path("my socket&'%41;+#é")
        process, said = self.serve_image("--socket", socket)
        self.assertEqual(said, socket)
        self.assertIn("is there already", self.disk("serve", *self.pw, "--socket", socket, self.image, status=4))
        self.connect(socket).shutdown()
        client = support.nbd.NBD()
        client.connect_uri(shlex.split(self.commands[3])[-1])  # of nbdcopy
        client.shutdown()
        self.end(process)
        self.assertFalse(os.path.exists(socket))

    def test_refusals(self):
        self.create("--size", "1M", self.image)
        process, _ = self.serve_image()
        self.disk("info", self.image)
        self.assertIn("another program uses it", self.disk("serve", *self.pw, self.image, status=3))
        self.end(process)
        self.put("wrong", b"wrong")
        self.assertIn("no key slot opens",
                      self.disk("serve", "--passphrase-file", self.path("wrong"), self.image, status=3))
        self.put("other", bytes(MIB))
        self.assertIn("no valid LUKS2 header", self.disk("serve", *self.pw, self.path("other"), status=3))

    def test_server_ends_with_the_program(self):
        self.create("--size", "1M", self.image)
        process, socket = self.serve_image()
        process.kill()
        process.wait()
        for _ in range(200):
            try:
                self.connect(socket).shutdown()
            except support.nbd.Error:
                break
            time.sleep(0.05)
        else:
            self.fail("nbdkit lives on")
        process, _ = self.serve_image()  # and holds no lock
        self.end(process)
        shutil.rmtree(os.path.dirname(socket), ignore_errors=True)

    def wait_until_idle(self, process):
        """Until nbdkit waits for requests: a connection on which it does not yet ends by itself at a signal."""
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            nbdkit = int(file.read())
        states = {"R"}
        while states != {"S"}:
            states = set()
            for task in os.listdir(f"/proc/{nbdkit}/task"):
                with open(f"/proc/{nbdkit}/task/{task}/stat", encoding="ascii") as file:
                    states.add(file.read().rpartition(")")[2].split()[0])

    def test_client_that_stays_connected(self):
        """The first signal waits for it and says so; the next one cuts it off."""
        self.create("--size", "1M", self.image)
        data = self.random.randbytes(MIB)
        process, socket = self.serve_image()
        client = self.connect(socket)
        client.pwrite(data, 0)
        self.wait_until_idle(process)
        process.send_signal(signal.SIGTERM)
        self.assertIn("a client is still connected", process.stderr.readline())
        self.end(process)
        self.assertRaises(support.nbd.Error, client.pread, MIB, 0)
        self.assertFalse(os.path.exists(os.path.dirname(socket)))
        process, socket = self.serve_image()
        client = self.connect(socket)
        self.assertEqual(client.pread(MIB, 0), data)
        self.wait_until_idle(process)
        process.send_signal(signal.SIGTERM)
        client.shutdown()
        self.end(process)

    def test_server_behind_it_is_flushed(self):
        """What was written through a URI is on the disk of its server in the end, without a flush of the client."""
        uri = self.serve_behind()
        process, socket = self.serve_image(image=uri)
        client = self.connect(socket)
        client.pwrite(b"x" * 4096, 0)
        client.shutdown()
        self.assertFalse(os.path.exists(self.path("flushed")))
        self.end(process)
        self.assertTrue(self.get("flushed"))
        # Cut off, it does not say that it was.
        process, socket = self.serve_image(image=uri)
        client = self.connect(socket)
        self.wait_until_idle(process)
        process.send_signal(signal.SIGTERM)
        self.assertIn("a client is still connected", process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        self.assertIn("may not be on its disk yet", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, 4)

    def test_options(self):
        self.put("secret", b"a key file")
        os.chmod(self.path("secret"), 0o600)
        key, header = ["--key-file", self.path("secret")], ["--header", self.path("header")]
        detached = self.path("detached")
        self.disk("create", *key, *CHEAP, *header, "--size", "1M", detached)
        behind = self.serve_behind()
        # The image, options, whether the passphrase is given; whether it is read-only, and trims.
        for image, options, with_passphrase, is_read_only, trims in (
                (self.image, [], True, False, False),
                (self.image, ["--read-only"], True, True, False),
                (self.image, ["--trim"], True, False, True),
                (self.image, ["--read-only", "--trim"], True, True, False),
                (detached, [*key, *header], False, False, False),
                (behind, [], True, False, False),
                (behind, ["--read-only"], True, True, False)):
            with self.subTest(image=image, options=options):
                process, socket = self.serve_image(*options, image=image, pw=self.pw if with_passphrase else [])
                client = self.connect(socket)
                self.assertEqual((client.is_read_only(), client.can_trim(), client.get_size()),
                                 (is_read_only, trims, MIB))
                if not is_read_only:
                    client.pwrite(b"%d" % len(options) * 4096, 0)
                    self.assertEqual(client.pread(4096, 0), b"%d" % len(options) * 4096)
                client.shutdown()
                self.end(process)

    def test_no_passphrase_in_the_arguments(self):
        self.create("--size", "1M", self.image)
        process, _ = self.serve_image()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read()
            except OSError:
                continue
            self.assertNotIn(b"correct horse", words)
        self.end(process)


class Ext4(Programs):
    """The commands that `serve` prints: nbdfuse, and fuse2fs in it."""

    def setUp(self):
        super().setUp()
        need("nbdfuse", "fuse2fs", "fusermount3")
        path = "/sbin:/usr/sbin:" + os.environ["PATH"]
        self.mkfs, self.e2fsck = (shutil.which(name, path=path) for name in ("mkfs.ext4", "e2fsck"))
        if not self.mkfs or not self.e2fsck:
            self.skipTest("needs e2fsprogs")
        self.create("--size", "32M", self.image)
        self.volume, self.files = self.path("volume"), self.path("files")
        os.mkdir(self.files)

    def start(self, command):
        """Runs a printed command in a session of its own, without the & at its end."""
        process = subprocess.Popen(["sh", "-c", command.rstrip(" &")], cwd=self.folder, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is not None or os.killpg(process.pid, signal.SIGKILL))
        return process

    def unmount(self, folder):
        subprocess.run(["fusermount3", "-u", "-z", folder], check=False, capture_output=True)

    def open(self):
        """Serves the image and has nbdfuse make a file of it."""
        server, _ = self.serve_image()
        fuse = self.start(self.commands[0])
        self.addCleanup(self.unmount, self.volume)
        while not os.path.exists(self.volume + "/nbd"):
            if fuse.poll() is not None:
                self.end(server)
                self.skipTest("needs FUSE")
            time.sleep(0.05)
        return server, fuse

    def mount(self):
        mounted = self.start(self.commands[1].replace("DIRECTORY", "files").replace("fuse2fs", "fuse2fs -f"))
        self.addCleanup(self.unmount, self.files)
        while not os.path.ismount(self.files):
            self.assertIsNone(mounted.poll(), "fuse2fs has failed")
            time.sleep(0.05)
        return mounted

    def close(self, server, fuse, mounted):
        if mounted:
            subprocess.run(["fusermount3", "-u", self.files], check=True)
            mounted.wait(60)  # it writes the rest after it was unmounted
        checked = subprocess.run([self.e2fsck, "-f", "-n", self.volume + "/nbd"], capture_output=True, text=True,
                                 check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        subprocess.run(["fusermount3", "-u", self.volume], check=True)
        fuse.wait(60)
        self.end(server)

    def put_synced(self, name, content):
        with open(os.path.join(self.files, name), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    def test_again_and_again(self):
        content = self.random.randbytes(3 * MIB)
        for first in (True, False):
            server, fuse = self.open()
            if first:
                subprocess.run([self.mkfs, "-q", "-F", self.volume + "/nbd"], check=True)
            mounted = self.mount()
            if first:
                self.put_synced("file", content)
            else:
                self.assertEqual(self.get("files/file"), content)
            self.close(server, fuse, mounted)
        self.assertFalse(content[:64] in self.get("image"))

    def test_sigkill_under_load(self):
        """All of it is killed; what was synced is there afterwards."""
        server, fuse = self.open()
        # e2fsck 1.47 aborts at an inode that is in use and whose checksum was not written any more.
        subprocess.run([self.mkfs, "-q", "-F", "-O", "^metadata_csum", self.volume + "/nbd"], check=True)
        mounted = self.mount()
        synced = {f"synced{i}": self.random.randbytes(100000) for i in range(4)}
        for name, content in synced.items():
            self.put_synced(name, content)
        load = self.start("cd files; i=0; while :; do head -c 50000 /dev/urandom > load$((i % 50)); "
                          "i=$((i + 1)); done")
        while not os.path.exists(self.files + "/load4"):
            self.assertIsNone(load.poll())
            time.sleep(0.01)
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as file:
            for nbdkit in file.read().split():
                os.kill(int(nbdkit), signal.SIGKILL)
        for process in (mounted, fuse, load):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)
        server.kill()
        server.wait(60)
        self.unmount(self.files)
        self.unmount(self.volume)

        server, fuse = self.open()
        # fuse2fs writes no journal: what was under way may be half there. e2fsck ends where it has to begin again.
        for _ in range(3):
            checked = subprocess.run([self.e2fsck, "-f", "-y", self.volume + "/nbd"], capture_output=True, text=True,
                                     check=False)
            if checked.returncode == 0:
                break
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        mounted = self.mount()
        for name, content in synced.items():
            self.assertEqual(self.get("files/" + name), content)
        self.close(server, fuse, mounted)


class Copy(Programs):
    def setUp(self):
        super().setUp()
        self.create("--size", "9M", self.image)
        self.data = self.random.randbytes(3 * MIB) + bytes(4 * MIB) + self.random.randbytes(MIB + 777)
        self.put("plain", self.data)

    def copy(self, *arguments, **options):
        return self.disk("copy", *self.pw, *arguments, self.image, **options)

    def volume_key(self):
        """The volume's key, by cryptsetup."""
        luks2.cryptsetup("luksDump", "--dump-volume-key", "--volume-key-file", self.path("vk"), self.image,
                         input=b"correct horse")
        return self.get("vk")

    def test_in_and_out(self):
        self.copy("--from", self.path("plain"))
        stored = self.get("image")[DATA:]
        last = len(self.data) // 4096 * 4096
        self.assertEqual(stored[:last], support.xts(self.data[:last], 4096, key=self.volume_key()))
        self.copy("--to", self.path("out"))
        out = self.get("out")
        self.assertEqual(len(out), 9 * MIB)
        self.assertEqual(out[:len(self.data)], self.data)
        self.assertLess(os.stat(self.path("out")).st_blocks * 512, 6 * MIB)  # the zeros are a hole
        self.assertFalse(os.path.exists(self.path("out.partial")))

    def test_holes(self):
        """A hole is zeros, over what the volume held."""
        old = self.random.randbytes(9 * MIB)
        self.put("plain", old)
        self.copy("--from", self.path("plain"))
        with open(self.path("sparse"), "wb") as file:
            file.write(b"begin")
            file.seek(7 * MIB)
            file.write(b"end")
        self.copy("--from", self.path("sparse"))
        self.copy("--to", self.path("out"))
        self.assertEqual(self.get("out"), self.get("sparse") + old[7 * MIB + 3:])

    def test_killed_and_resumed(self):
        self.copy("--from", self.path("plain"))
        environment = {**os.environ, "LD_PRELOAD": os.environ["DIE_AT_WRITE"], "DIE_FILE": self.path("out.partial")}
        result = subprocess.run([PROGRAM, "disk", "copy", *self.pw, "--to", self.path("out"), self.image], check=False,
                                capture_output=True, env={**environment, "DIE_AT": "2"})
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertIn("--resume finishes it", self.copy("--to", self.path("out"), status=4))
        self.copy("--resume", "--to", self.path("out"))
        self.assertEqual(self.get("out")[:len(self.data)], self.data)
        # Into the volume.
        changed = self.random.randbytes(len(self.data))
        self.put("plain", changed)
        result = subprocess.run([PROGRAM, "disk", "copy", *self.pw, "--from", self.path("plain"), self.image],
                                check=False, capture_output=True,
                                env={**environment, "DIE_FILE": self.image, "DIE_AT": "9"})
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.copy("--resume", "--from", self.path("plain"))
        self.copy("--force", "--to", self.path("out"))
        self.assertEqual(self.get("out")[:len(changed)], changed)

    def test_store_that_forgets(self):
        """Behind a server that acknowledges writes and drops those of data."""
        nbdkit = subprocess.run(["nbdkit", "eval", "--dump-plugin"], capture_output=True, check=False)
        if nbdkit.returncode != 0 or b"vershina_libnbd=yes" not in subprocess.run(
                ["nbdkit", support.PLUGIN, "--dump-plugin"], capture_output=True, check=True).stdout:
            self.skipTest("needs nbdkit's plugin eval and a build with libnbd")
        image = shlex.quote(self.image)
        command = [PROGRAM, "disk", "copy", *self.pw, "-q", "--from", self.path("plain")]
        result = subprocess.run(
            ["nbdkit", "-U", "-", "eval", f"get_size=stat -c %s {image}", "can_write=exit 0", "can_flush=exit 0",
             "flush=exit 0", "pwrite=cat > /dev/null",
             f"pread=dd if={image} skip=$4 count=$3 iflag=skip_bytes,count_bytes,fullblock status=none", "--run",
             f"{shlex.join(command)} nbd+unix:///?socket=$unixsocket"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stderr, "read back, it differs from .* at byte 0")

    def test_source_is_not_repaired(self):
        luks2.damage(self.image, 1)
        before = self.get("image")
        self.copy("--to", self.path("out"))
        self.assertEqual(self.get("image"), before)

    def test_refusals(self):
        before = self.get("image")
        self.assertIn("what is copied", self.copy(status=2))
        self.copy("--from", self.path("plain"), "--to", self.path("out"), status=2)
        self.put("long", bytes(9 * MIB + 1))
        self.assertIn("and the volume only", self.copy("--from", self.path("long"), status=11))
        self.assertIn("is there already", self.copy("--to", self.path("plain"), status=4))
        self.assertIn("another program uses it", self.copy("--from", self.image, status=3))
        self.assertIn("is the volume itself", self.copy("--force", "--to", self.image, status=4))
        os.symlink(self.image, self.path("link"))
        self.assertIn("is the volume itself", self.copy("--force", "--to", self.path("link"), status=4))
        self.assertIn("is the volume itself", self.copy("--to", self.image, status=4))
        # What --resume finds under the name of an unfinished copy may be something else: the volume, for one.
        os.symlink(self.image, self.path("out.partial"))
        self.copy("--resume", "--to", self.path("out"), status=4)
        os.remove(self.path("out.partial"))
        os.link(self.image, self.path("out.partial"))
        self.assertIn("is the volume itself", self.copy("--resume", "--to", self.path("out"), status=4))
        os.remove(self.path("out.partial"))
        self.put("out.partial", self.data)
        self.assertIn("not an interrupted copy", self.copy("--resume", "--to", self.path("out"), status=4))
        self.assertEqual(self.get("out.partial"), self.data)
        os.remove(self.path("out.partial"))
        os.mkfifo(self.path("out.partial"))
        self.copy("--resume", "--to", self.path("out"), status=4)
        os.remove(self.path("out.partial"))
        process, _ = self.serve_image()
        self.assertIn("another program uses it", self.copy("--from", self.path("plain"), status=3))
        self.end(process)
        self.put("pw", b"wrong")
        self.assertIn("no key slot opens", self.copy("--to", self.path("out"), status=6))
        self.assertFalse(os.path.exists(self.path("out.partial")))
        self.assertEqual(self.get("image"), before)
        self.assertEqual(self.get("plain"), self.data)


if __name__ == "__main__":
    support.main(sys.modules[__name__])
