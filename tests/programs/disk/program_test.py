"""`vershina disk`: create, info, serve, as a user has them."""
import contextlib
import fcntl
import gzip
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time

import luks2
import support
from luks2 import DATA
from programs import CHEAP, MIB, PROGRAM, Programs


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
        self.assertIn(b"New passphrase: ", result.stdout)
        slot = json.loads(self.disk("info", "--json", self.image))["slots"][0]
        # As much memory as libcryptsetup takes by itself: 1 GiB, or half of what there is.
        self.assertGreaterEqual(slot["memory_kib"], 64 << 10)
        process, _ = self.serve_image()
        self.end(process)

    def test_echo(self):
        """Characters typed while a key is derived are not shown."""
        self.put("plain", b"data")
        for typed, words in ((b"correct horse\n" * 2, ["create", *CHEAP, "--size", "1M"]),
                             (b"correct horse\n", ["copy", "--from", self.path("plain")])):
            with self.subTest(words=words):
                self.put("echo", b"")
                result = support.on_terminal(typed, "env", "LD_PRELOAD=" + os.environ["ECHO_AT_UNLOCK"],
                                             "ECHO_FILE=" + self.path("echo"), PROGRAM, "disk", *words, self.image)
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertEqual(self.get("echo"), b"00")

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
        second = ["--header", self.path("second"), self.image]
        self.assertIn("is not empty", self.disk("create", *key, *CHEAP, *second, status=4))
        self.assertFalse(os.path.exists(self.path("second")))
        self.disk("create", *key, *CHEAP, "--force", *second)
        self.assertEqual((self.get("header"), self.get("image")), (before, volume))
        # No half of both.
        self.disk("create", *key, *CHEAP, "--size", "1M", "--header", self.path("third"), self.path("none/image"),
                  status=4)
        self.assertFalse(os.path.exists(self.path("third")))
        self.disk("create", *key, *self.pw, "--size", "1M", self.path("new"), status=2)
        self.disk("create", *key, "--uuid", "1234", "--size", "1M", self.path("new"), status=2)

    def test_key_file_that_others_may_read(self):
        key, note = self.path("secret"), "other users may read this key"
        self.put("secret", self.random.randbytes(100))
        self.put("image", bytes(DATA + MIB))
        for mode, num_notes in ((0o644, 1), (0o600, 0)):
            os.chmod(key, mode)
            for words in (["create", "--force", *CHEAP], ["copy", "--to", self.path("out"), "--force"]):
                result = subprocess.run([PROGRAM, "disk", *words, "--key-file", key, self.image], capture_output=True,
                                        text=True, check=True)
                self.assertEqual(result.stderr.count(f"{key}: {note}: run `chmod 600 {key}`"), num_notes, words)
            process, _ = self.serve_image("--key-file", key, pw=[])
            process.terminate()
            self.assertEqual(process.communicate(timeout=60)[1].count(note), num_notes)

    def test_time(self):
        self.disk("create", *self.pw, "--iter-time", "50", "--pbkdf-memory", "1M", "--size", "1M", self.image)
        self.assertGreaterEqual(json.loads(self.disk("info", "--json", self.image))["slots"][0]["passes"], 4)

    def test_over_a_file(self):
        """Zeros and holes become a volume. Nothing behind the header's place is written."""
        self.put("image", bytes(DATA))
        os.truncate(self.image, DATA + MIB)
        self.create(self.image)
        self.put("image", self.random.randbytes(DATA + MIB))
        data = self.get("image")[DATA:]
        self.create("--force", self.image)
        self.assertEqual(self.get("image")[DATA:], data)
        self.assertIn("holds crypto_LUKS", self.create(self.image, status=4))
        before = self.get("image")
        self.assertIn("--force", self.create(self.image, status=4))
        self.assertEqual(self.get("image"), before)
        self.create("--force", self.image)
        self.assertNotEqual(self.get("image"), before)

    def test_whatever_a_file_holds_stays(self):
        """A file that libblkid does not know need not be empty: it is looked through to its end."""
        size = DATA + MIB
        self.put("plain", self.random.randbytes(size))
        with tarfile.open(self.path("tar"), "w") as archive:
            archive.add(self.path("plain"))
        with gzip.open(self.path("gz"), "wb", compresslevel=1) as file:
            file.write(self.get("plain"))
        with contextlib.closing(sqlite3.connect(self.path("sqlite"))) as base:
            base.execute("create table texts (text)")
            base.execute("insert into texts values (zeroblob(?))", (size,))
            base.commit()
        subprocess.run([PROGRAM, "seal", *self.pw, "-o", self.path("sealed"), self.path("plain")], check=True,
                       capture_output=True)
        names = ["tar", "gz", "sqlite", "sealed"]
        for at in (0, DATA - 1, DATA, size - 1):
            names.append(f"byte at {at}")
            with open(self.path(names[-1]), "wb") as file:
                file.truncate(size)
                file.seek(at)
                file.write(b"\1")
        for name in names:
            with self.subTest(name):
                before = self.get(name)
                self.assertGreaterEqual(len(before), DATA + 4096)
                said = self.create(self.path(name), status=4)
                self.assertIn("is not empty", said)
                self.assertIn("the whole file is looked through; --force makes it a volume, and everything in it is "
                              "lost", said)
                self.assertEqual(self.get(name), before)
                self.assertIn("would be lost", self.create("--size", "1M", self.path(name), status=4))
        self.assertIn("data at byte 16777215", self.create(self.path(f"byte at {DATA - 1}"), status=4))

    def test_known_content_stays(self):
        if shutil.which("mkfs.ext4", path=os.environ["PATH"] + ":/sbin:/usr/sbin") is None:
            self.skipTest("needs mkfs.ext4")
        self.put("image", b"")
        os.truncate(self.image, 32 * MIB)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True, env={**os.environ, "PATH": "/sbin:/usr/sbin:/bin"})
        before = self.get("image")
        for words in ([], ["--header", self.path("header")]):
            self.assertIn("holds ext4: the whole file is looked through", self.create(*words, self.image, status=4))
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
        """Over an old volume of AES: the result is not a volume, or one of Kuznyechik; never one of AES again."""
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
        page = os.path.join(os.path.dirname(PROGRAM), "man1/vershina-disk.1")
        with open(page, encoding="utf-8") as file:
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
        for word in ("open", "mount"):
            self.assertIn("`vershina disk serve`", self.disk(word, "image", status=2))


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

    def test_plugin_that_others_may_write(self):
        """info names the reason that serve does."""
        self.create("--size", "1M", self.image)
        os.mkdir(self.path("programs"))
        for name in ("vershina", "vershina-disk", "nbdkit-vershina-plugin.so"):
            shutil.copy(os.path.join(support.BUILD, name), self.path("programs/" + name))
        plugin = self.path("programs/nbdkit-vershina-plugin.so")
        os.chmod(plugin, 0o666)
        program = [self.path("programs/vershina-disk")]
        said = subprocess.run([*program, "info", self.image], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"not here: {plugin}: others may write to it", said)
        result = subprocess.run([*program, "serve", *self.pw, self.image], capture_output=True, text=True, check=False)
        self.assertIn(f"{plugin}: others may write to it", result.stderr)

    def test_without_proc(self):
        bare = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
        if subprocess.run([*bare, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting over /proc is not permitted here")
        self.create("--size", "1M", self.image)
        result = subprocess.run([*bare, PROGRAM + "-disk", "info", self.image], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(self.image + ": cannot be opened, because /proc is not mounted", result.stderr)

    def test_no_volume(self):
        self.put("image", bytes(MIB))
        self.assertIn("no valid LUKS2 header", self.disk("info", self.image, status=7))
        self.disk("info", self.path("none"), status=3)
        os.mkfifo(self.path("fifo"))
        for header in (self.path("fifo"), self.folder):
            for words in (["info"], ["copy", *self.pw, "--to", self.path("out")]):
                said = self.disk(*words, "--header", header, self.image, status=3, timeout=60)
                self.assertIn(header + ": neither a file nor a block device", said)


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
        client.connect_uri(shlex.split(self.commands[-1])[-1])  # of nbdcopy
        client.shutdown()
        self.end(process)
        self.assertFalse(os.path.exists(socket))

    def test_refusals(self):
        self.create("--size", "1M", self.image)
        process, _ = self.serve_image()
        self.disk("info", self.image)
        self.assertIn(self.image + ": another program uses it", self.disk("serve", *self.pw, self.image, status=3))
        self.end(process)
        self.assertIn("none: No such file", self.disk("serve", *self.pw, self.path("none"), status=3))
        self.put("wrong", b"wrong")
        self.assertIn("no key slot opens",
                      self.disk("serve", "--passphrase-file", self.path("wrong"), self.image, status=3))
        self.put("other", bytes(MIB))
        self.assertIn("no valid LUKS2 header", self.disk("serve", *self.pw, self.path("other"), status=3))

    def test_name_that_changes(self):
        """Another volume under the name, after serve has opened the first one and before nbdkit does."""
        first, second = self.path("first"), self.path("second")
        for image in (first, second):
            self.create("--size", "1M", image)
        untouched, before = self.get("second"), self.get("first")
        os.symlink(first, self.image)
        os.symlink(second, self.path("next"))
        read, write = os.pipe()
        process = subprocess.Popen([PROGRAM, "disk", "serve", "--passphrase-fd", str(read), self.image],
                                   pass_fds=[read], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        os.close(read)
        limit = time.monotonic() + 20
        while time.monotonic() < limit and process.poll() is None:
            with contextlib.suppress(OSError):
                folder = f"/proc/{process.pid}/fd"
                if first in [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]:
                    break
            time.sleep(0.01)
        os.rename(self.path("next"), self.image)
        os.write(write, b"correct horse")
        os.close(write)
        found = re.search(r"is served on (.+); Ctrl-C", process.stdout.readline())
        client = self.connect(shlex.split(found[1])[0])
        client.pwrite(b"x" * 4096, 0)
        client.shutdown()
        self.end(process)
        self.assertEqual(self.get("second"), untouched)
        self.assertNotEqual(self.get("first"), before)

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
        """The first signal waits for it, with a message; the next one cuts it off."""
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
        """Data written through a URI are on the disk of its server in the end, without a flush of the client."""
        uri = self.serve_behind()
        process, socket = self.serve_image(image=uri)
        client = self.connect(socket)
        client.pwrite(b"x" * 4096, 0)
        client.shutdown()
        self.assertFalse(os.path.exists(self.path("flushed")))
        self.end(process)
        self.assertTrue(self.get("flushed"))
        # Cut off, it does not report that the data are on the disk.
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


if __name__ == "__main__":
    support.main(sys.modules[__name__])
