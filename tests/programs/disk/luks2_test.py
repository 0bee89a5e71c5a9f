"""The plugin of nbdkit over LUKS2 volumes: passphrases, hostile headers, damage."""
import base64
import os
import random
import shutil
import subprocess
import sys

import luks2
import support
from luks2 import DATA, PASSPHRASE
from support import KEY, need, xts

MIB = 1 << 20
SIZE = MIB


class Luks2(support.Case):
    def setUp(self):
        super().setUp()
        need("cryptsetup")
        self.random = random.Random(self.id())
        self.put("pw", PASSPHRASE + b"\n")
        self.secret = "passphrase=+" + self.path("pw")

    def format(self, sector_len=4096, size=DATA + SIZE, **more):
        self.put("image", b"")
        os.truncate(self.image, size)
        luks2.format_volume(self.image, self.folder, KEY, sector_len, **more)

    def expect_content(self, data, server):
        client = server.connect()
        self.assertEqual(client.get_size(), len(data))
        self.assertEqual(client.pread(len(data), 0), data)
        client.shutdown()


class Info(Luks2):
    def refused(self, path):  # pylint: disable=arguments-differ
        return self.info_refused(path, 7)

    def test_what_else_it_is(self):
        need("mkfs.ext4")
        self.put("image", b"")
        self.assertIn("no valid LUKS2 header", self.refused(self.image))
        os.truncate(self.image, 20 * MIB)
        self.assertIn("no valid LUKS2 header", self.refused(self.image))
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
        self.assertIn("it holds ext4", self.refused(self.image))
        luks2.cryptsetup("luksFormat", "--type", "luks1", "--pbkdf-force-iterations", "1000", self.image,
                         self.path("pw"))
        self.assertIn("it holds LUKS1", self.refused(self.image))
        self.format()
        for copy in (0, 1):
            luks2.damage(self.image, copy)
        self.assertIn("no valid LUKS2 header", self.refused(self.image))


class Volumes(Luks2):
    def test_bytes(self):
        for sector_len in (512, 1024, 2048, 4096):
            with self.subTest(sector_len=sector_len):
                self.format(sector_len)
                header = self.get("image")[:DATA]
                data = self.random.randbytes(SIZE)
                with self.serve(self.image, self.secret) as server:
                    client = server.connect()
                    client.pwrite(data, 0)
                    client.shutdown()
                after = self.get("image")
                self.assertEqual(after[:DATA], header)
                self.assertEqual(after[DATA:], xts(data, sector_len))
                with self.serve("file=" + self.image, "format=luks2", self.secret) as server:
                    self.expect_content(data, server)

    def test_segment_with_offset_size_and_numbers(self):
        self.format()
        data = self.random.randbytes(8 * 4096)

        def change(metadata):
            metadata["segments"]["0"].update(offset=str(DATA + 8192), size=str(8 * 4096), iv_tweak="80")

        luks2.edit(self.image, change)
        with open(self.image, "r+b") as file:
            file.seek(DATA + 8192)
            file.write(xts(data, 4096, 80))
        with self.serve(self.image, self.secret) as server:
            self.expect_content(data, server)

    def test_rest_of_a_sector_at_the_end(self):
        self.format()
        os.truncate(self.image, DATA + SIZE + 1000)
        with self.serve(self.image, self.secret) as server:
            self.assertEqual(server.connect().get_size(), SIZE)

    def test_detached_header(self):
        header = self.path("header")
        self.put("header", bytes(16 * MIB))
        self.put("image", b"")
        os.truncate(self.image, SIZE)
        luks2.format_volume(self.image, self.folder, KEY, header=header)
        data = self.random.randbytes(SIZE)
        self.put("image", xts(data, 4096))
        with self.serve(self.image, self.secret, "header=" + header) as server:
            self.expect_content(data, server)
        self.assertIn("no valid LUKS2 header", self.refused(self.image, self.secret))

    def test_slots_of_cryptsetup(self):
        """A slot that cryptsetup adds, with argon2id, opens the volume; one that it kills does not."""
        self.format()
        self.put("new", b"another passphrase")
        luks2.cryptsetup("luksAddKey", "--key-file", self.path("passphrase"), "--pbkdf", "argon2id", "--pbkdf-memory",
                         "32", "--pbkdf-force-iterations", "4", "--pbkdf-parallel", "1", self.image, self.path("new"))
        for secret in (self.secret, "passphrase=+" + self.path("new"), "keyfile=" + self.path("new")):
            with self.serve(self.image, secret):
                pass
        luks2.cryptsetup("luksKillSlot", self.image, "0")
        self.assertIn("no key slot opens", self.refused(self.image, self.secret))
        with self.serve(self.image, "passphrase=+" + self.path("new")):
            pass

    def test_cryptsetup_accepts_it(self):
        self.format()
        luks2.cryptsetup("isLuks", self.image)
        luks2.cryptsetup("open", "--test-passphrase", "--key-file", self.path("passphrase"), self.image)
        self.assertIn(b"kuznyechik-xts-plain64", luks2.cryptsetup("luksDump", self.image))

    def test_default_costs(self):
        """One slot with what cryptsetup takes by itself."""
        self.format()
        luks2.cryptsetup("luksChangeKey", "--key-file", self.path("passphrase"), "--pbkdf", "argon2id", "--iter-time",
                         "200", self.image, self.path("pw"))
        slots = luks2.metadata_of(self.image)["keyslots"].values()
        self.assertEqual([slot["kdf"]["type"] for slot in slots], ["argon2id"])
        with self.serve(self.image, "keyfile=" + self.path("pw")):
            pass


class Passphrases(Luks2):
    def test_ways_to_give_it(self):
        self.format()
        for content in (PASSPHRASE, PASSPHRASE + b"\n"):
            self.put("pw", content)
            with self.serve(self.image, self.secret):
                pass
        read, write = os.pipe()
        os.write(write, PASSPHRASE + b"\n")
        os.close(write)
        with self.serve(self.image, f"passphrase=-{read}", pass_fds=[read]):
            pass
        os.close(read)

    def test_on_the_terminal(self):
        need("nbdinfo")
        self.format()
        command = ["nbdkit", "-U", "-", support.PLUGIN, self.image, "passphrase=-", "--run", 'nbdinfo --size "$uri"']
        for typed, serves in ((PASSPHRASE, True), (b"wrong", False), (b"", False)):
            with self.subTest(typed=typed):
                result = support.on_terminal(typed + b"\n", *command)
                self.assertEqual(result.returncode == 0, serves, result.stdout)
                self.assertEqual(str(SIZE).encode() in result.stdout, serves)
                self.assertNotIn(PASSPHRASE, result.stdout)

    def test_wrong_ones(self):
        self.format()
        before = self.get("image")
        for content, text in ((b"wrong", "no key slot opens with this passphrase"), (b"", "is empty"),
                              (b"\n", "the passphrase is empty"), (PASSPHRASE + b"\n\n", "no key slot opens"),
                              (PASSPHRASE + b" ", "no key slot opens"), (b"x" * 513, "at most 512 bytes"),
                              (b"x" * 5000, "more than 513 bytes")):
            with self.subTest(content=content):
                self.put("pw", content)
                self.assertIn(text, self.refused(self.image, self.secret))
        # A key file is taken as it is, and its newline belongs to it.
        self.put("pw", PASSPHRASE + b"\n")
        self.assertIn("no key slot opens", self.refused(self.image, "keyfile=" + self.path("pw")))
        self.assertEqual(self.get("image"), before)

    def test_not_on_the_command_line(self):
        self.format()
        said = self.refused(self.image, "passphrase=hunter2")
        self.assertIn("sees the command line", said)
        self.assertNotIn("hunter2", said.split("ended with")[1])
        self.assertIn("one of passphrase= and keyfile= is needed", self.refused(self.image))
        self.assertIn("one of passphrase= and keyfile=", self.refused(self.image, self.secret, "keyfile=" + self.key))
        self.assertIn("passphrase=-", self.refused(self.image, "passphrase=-0"))
        self.assertIn("Bad file descriptor", self.refused(self.image, "passphrase=-77"))

    def test_run_is_not_started(self):
        self.format()
        self.put("pw", b"wrong")
        done = self.path("done")
        result = subprocess.run(["nbdkit", "-U", "-", support.PLUGIN, self.image, self.secret, "--run",
                                 f"touch {done}"], capture_output=True, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertFalse(os.path.exists(done))


class Damage(Luks2):
    def setUp(self):
        super().setUp()
        self.format()
        self.data = self.random.randbytes(SIZE)
        with open(self.image, "r+b") as file:
            file.seek(DATA)
            file.write(xts(self.data, 4096))

    def test_one_copy_of_the_header(self):
        for copy in (0, 1):
            with self.subTest(copy=copy):
                luks2.damage(self.image, copy)
                with self.serve(self.image, self.secret) as server:
                    self.expect_content(self.data, server)
                # libcryptsetup has repaired it, because metadata locking is on.
                self.assertEqual(luks2.metadata_of(self.image, copy)["segments"]["0"]["encryption"],
                                 "kuznyechik-xts-plain64")

    def test_read_only_repairs_nothing(self):
        for copy in (0, 1):
            luks2.damage(self.image, copy)
            before = self.get("image")
            with self.serve(self.image, self.secret, "read-only=true") as server:
                self.expect_content(self.data, server)
            self.assertEqual(self.get("image"), before)
            with self.serve(self.image, self.secret):  # which repairs it
                pass
            self.assertNotEqual(self.get("image"), before)

    def test_first_copy_gone(self):
        with open(self.image, "r+b") as file:
            file.write(bytes(4096))
        with self.serve(self.image, self.secret) as server:
            self.expect_content(self.data, server)

    def test_both_copies(self):
        luks2.damage(self.image, 0)
        luks2.damage(self.image, 1)
        before = self.get("image")
        self.assertIn("no valid LUKS2 header", self.refused(self.image, self.secret))
        self.assertEqual(self.get("image"), before)

    def test_key_slot(self):
        with open(self.image, "r+b") as file:
            file.seek(int(luks2.metadata_of(self.image)["keyslots"]["0"]["area"]["offset"]) + 5000)
            file.write(bytes(4096))
        self.assertIn("no key slot opens", self.refused(self.image, self.secret))

    def test_cut(self):
        for size in (0, 511, 4096, 16384, DATA - 1, DATA):
            with self.subTest(size=size):
                shutil.copy(self.image, self.path("cut"))
                os.truncate(self.path("cut"), size)
                said = self.refused(self.path("cut"), self.secret)
                self.assertRegex(said, "no valid LUKS2 header|behind the end of the store")

    def test_other_formats(self):
        self.put("image", bytes(DATA))
        self.assertIn("no valid LUKS2 header", self.refused(self.image, self.secret))
        self.put("image", self.random.randbytes(DATA))
        self.assertIn("no valid LUKS2 header", self.refused(self.image, self.secret))
        self.put("passphrase", PASSPHRASE)
        luks2.cryptsetup("luksFormat", "--type", "luks1", "--pbkdf-force-iterations", "1000", self.image,
                         self.path("passphrase"))
        self.assertIn("no valid LUKS2 header", self.refused(self.image, self.secret))


class Hostile(Luks2):
    """Headers with right checksums, made to cost work for a passphrase, or to get a key or data in the clear."""

    def setUp(self):
        super().setUp()
        self.format()
        self.good = self.get("image")

    def expect(self, text, change, copies=(0, 1)):
        with self.subTest(text=text):
            self.put("image", self.good)
            luks2.edit(self.image, change, copies)
            data = self.get("image")[DATA:]
            said = self.refused(self.image, self.secret)
            self.assertIn(text, said)
            self.assertEqual(self.get("image")[DATA:], data)

    def segment(self, **members):
        return lambda metadata: metadata["segments"]["0"].update(members)

    def slot(self, part, **members):
        return lambda metadata: metadata["keyslots"]["0"][part].update(members)

    def test_ciphers(self):
        for cipher in ("aes-xts-plain64", "cipher_null-ecb", "null", "kuznyechik-xts-plain",
                       "kuznyechik-xts-essiv:sha256", "kuznyechik-cbc-plain64", "magma-xts-plain64",
                       "capi:xts(kuznyechik)-plain64"):
            self.expect("the volume's cipher is", self.segment(encryption=cipher))

    def test_ciphers_of_slots(self):
        for cipher in ("cipher_null-ecb", "aes-ecb", "null-xts-plain64", "capi:xts(aes)-plain64"):
            self.expect("is protected by the cipher", self.slot("area", encryption=cipher))

    def test_costs(self):
        argon2 = {"type": "argon2id", "time": 4, "memory": 1 << 20, "cpus": 4, "salt": "A" * 43 + "="}
        for kdf in ({"memory": (4 << 20) + 1}, {"memory": 4 << 20, "time": 17}, {"time": 65}, {"cpus": 5},
                    {"time": 4294967295}, {"memory": 4294967295}):
            def change(metadata, kdf=kdf):
                metadata["keyslots"]["0"]["kdf"] = {**argon2, **kdf}

            self.expect("demands Argon2 with", change)
        # PBKDF2 with SHA-256 iterates twice for a key of 64 bytes.
        self.expect("demands 50000001 iterations of PBKDF2, times 2 for", self.slot("kdf", iterations=50000001))
        self.expect("demands 18446744073709551615 iterations", self.slot("kdf", iterations=(1 << 64) - 1))
        for name in ("sha512", "blake2b-512", "whirlpool"):
            self.expect("demands 100000001 iterations of PBKDF2, times 1 for",
                        self.slot("kdf", iterations=100000001, hash=name))

        def digest(metadata):
            metadata["digests"]["0"]["iterations"] = 10000001

        self.expect("the digest demands", digest)

        def many(metadata):
            for i in range(1, 6):
                metadata["keyslots"][str(i)] = {**metadata["keyslots"]["0"]}
                metadata["keyslots"][str(i)]["area"] = {**metadata["keyslots"]["0"]["area"],
                                                        "offset": str(32768 + i * 258048)}
                metadata["digests"]["0"]["keyslots"].append(str(i))
            for slot in metadata["keyslots"].values():
                slot["kdf"] = {**slot["kdf"], "iterations": 49999999}

        self.expect("all key slots together", many)

    def test_sizes_of_keys(self):
        """Derived keys, and keys that a slot holds, have bounds before anything is derived."""
        for size in (0, 16, 48, 65, 10 ** 7, (1 << 31) - 1, (1 << 64) - 1):
            self.expect("is protected under a key of", self.slot("area", key_size=size))

        def other(metadata):
            metadata["keyslots"]["1"] = {**metadata["keyslots"]["0"], "key_size": 513}
            metadata["keyslots"]["1"]["area"] = {**metadata["keyslots"]["0"]["area"], "offset": str(32768 + 258048),
                                                 "size": str(513 * 4000 + 96)}  # whole pages
            metadata["digests"]["1"] = {**metadata["digests"]["0"], "keyslots": ["1"], "segments": []}

        self.expect("key slot 1 has a key of 513 bytes", other)

    def test_segments(self):
        self.expect("behind the end of the store", self.segment(offset=str(DATA + SIZE)))
        self.expect("behind the end of the store", self.segment(size=str(SIZE + 4096)))
        self.expect("behind the end of the store", self.segment(size=str((1 << 64) - 4096)))
        self.expect("lies inside of a sector", self.segment(iv_tweak="9"))
        self.expect("more sectors than numbers", self.segment(iv_tweak=str((1 << 64) - 8)))

        def two(metadata):
            metadata["segments"]["0"]["size"] = "4096"
            metadata["segments"]["1"] = {**metadata["segments"]["0"], "offset": str(DATA + 4096), "size": "dynamic"}
            metadata["digests"]["0"]["segments"].append("1")

        self.expect("2 segments", two)
        integrity = {"type": "hmac(sha256)", "journal_encryption": "none", "journal_integrity": "none"}
        self.expect("integrity layer", self.segment(integrity=integrity))
        self.expect("unknown flag", self.segment(flags=["strange"]))

    def test_volume_over_the_header(self):
        # Refused by libcryptsetup or by us: a client that writes to sector 0 must not overwrite the header.
        for offset in ("0", "4096", "32768", "1048576"):
            with self.subTest(offset=offset):
                self.put("image", self.good)
                luks2.edit(self.image, self.segment(offset=offset))
                self.assertRegex(self.refused(self.image, self.secret),
                                 "inside of the header|no valid LUKS2 header|multiple")

    def test_requirements(self):
        def require(name):
            def change(metadata):
                metadata["config"]["requirements"] = {"mandatory": [name]}
            return change

        for name in ("online-reencrypt-v2", "online-reencrypt", "offline-reencrypt"):
            self.put("image", self.good)
            luks2.edit(self.image, require(name))
            # libcryptsetup itself refuses a header that does not have the slot of an online re-encryption.
            self.assertRegex(self.refused(self.image, self.secret), "re-encryption is under way|no valid LUKS2 header")
        self.expect("demands something unknown: future", require("future"))

    def test_no_metadata(self):
        for raw in (b"", b"{", b"[]", b"null", b'{"segments":{}}', b"[" * 10000, b'{"a":' * 2000, b"\xff\xfe"):
            with self.subTest(raw=raw[:20]):
                self.put("image", self.good)
                luks2.edit(self.image, None, raw=raw)
                self.assertRegex(self.refused(self.image, self.secret), "no valid LUKS2 header|damaged")

    def test_cases_of_cryptsetup(self):
        """The headers of cryptsetup's own tests (tests/generators), each with right checksums."""
        def of(path, *names, **members):
            def change(metadata):
                for name in path.split("/"):
                    metadata = metadata[name]
                for name in names:
                    del metadata[name]
                metadata.update(members)
            return change

        segment, slot, digest = "segments/0", "keyslots/0", "digests/0"
        most = str((1 << 64) - 1)
        cases = [of(segment, name) for name in ("type", "offset", "size", "encryption", "iv_tweak", "sector_size")]
        cases += [of(segment, **members) for members in (
            {"type": 42}, {"type": "linear"}, {"type": "some_type"}, {"offset": -42}, {"offset": "-42"},
            {"offset": "what"}, {"size": 4096}, {"size": "automatic"}, {"size": "511"}, {"size": most},
            {"size": str(1 << 63)}, {"size": "18446744073709551616"}, {"encryption": ""}, {"encryption": {}},
            {"iv_tweak": "dynamic"}, {"iv_tweak": 0}, {"sector_size": 1023}, {"sector_size": "4096"},
            {"sector_size": -1}, {"sector_size": 8192}, {"flags": "hello"}, {"flags": ["hello", 1]})]
        cases += [of(slot, name) for name in ("type", "key_size", "area", "af", "kdf")]
        cases += [of(slot, **members) for members in (
            {"area": 42}, {"af": {}}, {"kdf": "none"}, {"key_size": 0}, {"key_size": -64}, {"key_size": 1 << 40})]
        cases += [of(slot + "/area", **members) for members in (
            {"offset": "0"}, {"offset": "4096"}, {"offset": most}, {"offset": str(DATA)}, {"size": str(1 << 40)},
            {"size": most}, {"type": "datashift"}, {"key_size": 0})]
        cases += [of(slot + "/af", **members) for members in ({"stripes": 0}, {"stripes": 1 << 31}, {"hash": "md6"})]
        cases += [of(slot + "/kdf", **members) for members in (
            {"type": "none"}, {"iterations": 0}, {"iterations": "many"}, {"iterations": -1}, {"salt": 0})]
        cases += [of(digest, name) for name in ("type", "keyslots", "segments", "salt")]
        cases += [of(digest, **members) for members in (
            {"keyslots": ["7"]}, {"keyslots": []}, {"keyslots": "0"}, {"segments": ["7"]}, {"segments": []},
            {"type": "none"}, {"iterations": 0})]
        cases += [of("config", "json_size"), of("config", "keyslots_size")]
        cases += [of("config", **members) for members in (
            {"json_size": "16384"}, {"json_size": most}, {"json_size": 12288}, {"keyslots_size": "4095"},
            {"keyslots_size": str(1 << 40)}, {"keyslots_size": most}, {"flags": "x"}, {"requirements": []},
            {"requirements": {"mandatory": "online-reencrypt"}}, {"requirements": {"mandatory": [1]}})]

        def overlapping(metadata):
            area = {**metadata["keyslots"]["0"]["area"], "offset": "36864"}
            metadata["keyslots"]["1"] = {**metadata["keyslots"]["0"], "area": area}
            metadata["digests"]["0"]["keyslots"].append("1")

        def two_digests(metadata):
            metadata["digests"]["1"] = metadata["digests"]["0"]

        cases += [overlapping, two_digests]
        for name in ("keyslots", "segments", "digests", "tokens", "config"):
            cases += [lambda metadata, name=name: metadata.pop(name), lambda m, name=name: m.update({name: []})]
        cases += [lambda m: m["keyslots"].update({"32": m["keyslots"]["0"]}),
                  lambda m: m["tokens"].update({"0": {"type": "x", "keyslots": ["9"]}}),
                  lambda m: m["tokens"].update({"0": {"keyslots": []}}),
                  lambda m: m["tokens"].update({"0": 42})]
        for number, change in enumerate(cases):
            with self.subTest(number=number):
                self.put("image", self.good)
                luks2.edit(self.image, change)
                before = self.get("image")
                self.assertIn(self.image + ": ", self.refused(self.image, self.secret))
                self.assertEqual(self.get("image"), before)

    def test_cases_of_cryptsetup_around_the_metadata(self):
        _, binary, area = luks2.read_headers(self.image)[0]
        text = area.rstrip(b"\0")

        def put(binary, area):
            self.put("image", self.good)
            for offset, own, _ in luks2.read_headers(self.image):
                changed = bytearray(binary)
                changed[:6] = own[:6]  # which copy it is
                if changed[256:264] == bytes(8):
                    changed[256:264] = own[256:264]  # where it lies
                luks2.write_header(self.image, offset, changed, area)

        def field(at, content):
            return binary[:at] + content + binary[at + len(content):]

        for name, changed, metadata in (
                ("a byte behind the metadata", binary, text + b"\0" * 9 + b"X" + area[len(text) + 10:]),
                ("no end", binary, text + b" " * (len(area) - len(text))),
                ("another beginning", binary, b"X" + area[1:]),
                ("a length of 0", field(8, bytes(8)), area),
                ("a length of a byte less", field(8, (len(area) + 4095).to_bytes(8, "big")), area),
                ("the largest length", field(8, b"\xff" * 8), area),
                ("version 3", field(6, b"\0\3"), area), ("version 0", field(6, b"\0\0"), area),
                ("an unknown checksum", field(72, b"md5\0".ljust(32, b"\0")), area),
                ("no checksum", field(72, bytes(32)), area),
                ("another place", field(256, (8192).to_bytes(8, "big")), area)):
            with self.subTest(name=name):
                put(changed, metadata)
                before = self.get("image")
                self.assertIn(self.image + ": no valid LUKS2 header", self.refused(self.image, self.secret))
                self.assertEqual(self.get("image"), before)
        put(binary, text[:-1] + b" " * (len(area) - len(text) - 1) + text[-1:] + b"\0")  # full to the last byte
        with self.serve(self.image, self.secret):
            pass

    def test_digest_of_no_key(self):
        """libcryptsetup 2.6.1 takes every key, and so every passphrase, for right where it cannot compare."""
        own = base64.b64decode(luks2.metadata_of(self.image)["digests"]["0"]["digest"])
        self.put("wrong", b"wrong")
        for members in ({"digest": None}, {"digest": ""}, {"digest": 5}, {"digest": "AAAA"}, {"digest": own[:31]},
                        {"digest": own + b"x"}, {"digest": own + own}, {"hash": "md6"}, {"hash": "sha512"},
                        {"hash": 5}):
            with self.subTest(members=members):
                def change(metadata, members=members):
                    for name, value in members.items():
                        text = base64.b64encode(value).decode() if isinstance(value, bytes) else value
                        metadata["digests"]["0"][name] = text
                        if value is None:
                            del metadata["digests"]["0"][name]

                self.put("image", self.good)
                luks2.edit(self.image, change)
                for secret in (self.secret, "passphrase=+" + self.path("wrong")):
                    # A later libcryptsetup may refuse such a header itself.
                    self.assertRegex(self.refused(self.image, secret),
                                     "image: (the LUKS2 header is damaged|no valid LUKS2|the key cannot|no key slot)")

    def test_second_copy_alone(self):
        """Every length that LUKS2 has: the first copy's, and so the place of the second one, is not known."""
        for kib in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096):
            with self.subTest(kib=kib):
                self.format(more=("--luks2-metadata-size", f"{kib}k"))
                with open(self.image, "r+b") as file:
                    file.write(bytes(4096))
                with self.serve(self.image, self.secret):
                    pass

    def test_newer_second_copy(self):
        """The copy that libcryptsetup takes is the one that is checked."""
        offset, binary, area = luks2.read_headers(self.image)[1]
        binary = bytearray(binary)
        binary[16:24] = (1000).to_bytes(8, "big")  # its sequence number
        changed = area.replace(b'"kuznyechik-xts-plain64"', b'"cipher_null-ecb"       ', 1)
        self.assertEqual(len(changed), len(area))
        luks2.write_header(self.image, offset, binary, changed)
        self.assertIn("cipher_null", self.refused(self.image, self.secret))


if __name__ == "__main__":
    support.main(sys.modules[__name__])
