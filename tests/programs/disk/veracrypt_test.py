"""The plugin of nbdkit over VeraCrypt's volumes with Kuznyechik."""
import ctypes
import hashlib
import os
import random
import subprocess
import sys
import zlib
from unittest import mock

import support
from support import KEY, xts

MIB = 1 << 20
HEADERS = 131072
VOLUME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "veracrypt_volume.txt")


def read_volume(wanted="volume"):
    image = bytearray()
    with open(VOLUME, encoding="ascii") as file:
        for line in file:
            word, _, rest = line.partition(" ")
            if word == "size":
                image = bytearray(int(rest))
            elif word == "streebog":
                if wanted == word:
                    return bytes.fromhex(rest)
            elif word != "#":
                image[int(word):int(word) + 512] = bytes.fromhex(rest)
    return bytes(image)


def header_xts(key, data, decrypt=False):
    """The part behind the salt: one data unit of 448 bytes, number 0."""
    return xts(data + bytes(64), 512, 0, decrypt=decrypt, key=key)[:448]


def make_header(passphrase, name, iterations, volume_size, salt, **fields):
    field = {"magic": b"VERA", "version": 5, "offset": HEADERS, "size": volume_size, "flags": 0, "keys": KEY, **fields}
    keys = field["keys"].ljust(256, b"\0")
    plain = bytearray(192)
    plain[0:4] = field["magic"]
    plain[4:6] = field["version"].to_bytes(2, "big")
    plain[6:8] = b"\x01\x0b"
    plain[8:12] = zlib.crc32(keys).to_bytes(4, "big")
    plain[36:44] = volume_size.to_bytes(8, "big")
    plain[44:52] = field["offset"].to_bytes(8, "big")
    plain[52:60] = field["size"].to_bytes(8, "big")
    plain[60:64] = field["flags"].to_bytes(4, "big")
    plain[64:68] = (512).to_bytes(4, "big")
    plain[188:192] = zlib.crc32(plain[:188]).to_bytes(4, "big")
    if "damage" in field:
        plain[field["damage"]] ^= 1
    key = hashlib.pbkdf2_hmac(name, passphrase, salt, iterations, 64)
    return salt + header_xts(key, bytes(plain) + keys)


def mixed(passphrase, files):
    """VeraCrypt's mixture of a passphrase and key files, from its documentation."""
    pool = bytearray(128 if len(passphrase) > 64 else 64)
    for content in files:
        cursor = 0
        for i in range(1, min(len(content), 1 << 20) + 1):
            crc = zlib.crc32(content[i - 1:i], crc) if i > 1 else zlib.crc32(content[:1])
            for byte in (crc ^ 0xffffffff).to_bytes(4, "big"):
                pool[cursor] = (pool[cursor] + byte) % 256
                cursor = (cursor + 1) % len(pool)
    padded = passphrase.ljust(len(pool), b"\0")
    return bytes((a + b) % 256 for a, b in zip(padded, pool))


class VeraCrypt(support.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())
        self.put("pw", b"aaaaaaaaaaaa")
        self.parameters = [self.image, "format=veracrypt", "passphrase=+" + self.path("pw")]

    def serve_volume(self, *more):
        return self.serve(*self.parameters, *more)

    def make(self, name="sha512", pim=1, size=MIB, passphrase=b"aaaaaaaaaaaa", **fields):
        self.data = self.random.randbytes(size)
        headers = [make_header(passphrase, name, 15000 + 1000 * pim, size, self.random.randbytes(64), **fields).ljust(
            HEADERS, b"\xaa") for _ in range(2)]
        self.put("image", headers[0] + xts(self.data, 512, HEADERS // 512) + headers[1])


class Theirs(VeraCrypt):
    """A container of cryptsetup's tests, which VeraCrypt has made."""

    def test_both_headers(self):
        image = read_volume()
        self.put("image", image)
        key = hashlib.pbkdf2_hmac("sha512", b"aaaaaaaaaaaa", image[:64], 500000, 64)
        plain = header_xts(key, image[64:512], decrypt=True)
        self.assertEqual(plain[:4], b"VERA")
        keys, size = plain[192:256], len(image) - 2 * HEADERS
        for more in ((), ("backup-header=true",), ("hash=sha512",)):
            with self.serve_volume(*more, "read-only=true") as server:
                client = server.connect()
                self.assertEqual(client.get_size(), size)
                content = client.pread(size, 0)
                client.shutdown()
            self.assertEqual(content, xts(image[HEADERS:-HEADERS], 512, 256, decrypt=True, key=keys))
            self.assertEqual((content[3:11], content[39:43]), (b"MSDOS5.0", bytes.fromhex("bebaadde")))
        data = self.random.randbytes(size)
        with self.serve_volume() as server:
            client = server.connect()
            client.pwrite(data, 0)
            client.shutdown()
        after = self.get("image")
        self.assertEqual(after[HEADERS:-HEADERS], xts(data, 512, 256, key=keys))
        self.assertEqual((after[:HEADERS], after[-HEADERS:]), (image[:HEADERS], image[-HEADERS:]))

    def test_damaged_header(self):
        image = bytearray(read_volume())
        image[300] ^= 1
        self.put("image", image)
        self.assertIn("backup-header=true may open it", self.refused(*self.parameters, "hash=sha512"))
        with self.serve_volume("backup-header=true"):
            pass
        self.assertEqual(self.get("image"), image)  # no header is ever written


    def test_streebog(self):
        """VeraCrypt's PBKDF2 with Streebog is the library's, shown by a header whose cipher OpenSSL has."""
        library = os.path.join(support.BUILD, "libvershina.so")
        if not os.path.exists(library):
            self.skipTest("needs libvershina.so")
        header, key, password = read_volume("streebog"), ctypes.create_string_buffer(64), b"aaaaaaaaaaaa"
        self.assertEqual(ctypes.CDLL(library).vsh_pbkdf2(
            key, ctypes.c_size_t(64), password, ctypes.c_size_t(len(password)), header[:64], ctypes.c_size_t(64),
            ctypes.c_uint32(500000), None), 0)

        def camellia(key, data, decrypt=False):
            command = ["openssl", "enc", "-d" if decrypt else "-e", "-camellia-256-ecb", "-nopad", "-K", key.hex()]
            return subprocess.run(command, input=data, capture_output=True, check=True).stdout

        with mock.patch.object(support, "ecb", camellia):
            self.assertEqual(header_xts(key.raw, header[64:], decrypt=True)[:6], b"VERA\0\5")


class Ours(VeraCrypt):
    def test_hashes_and_pim(self):
        for name, hash_name in (("sha512", "sha512"), ("sha256", "sha256"), ("blake2s", "blake2s")):
            with self.subTest(name=name):
                self.make(name, pim=2)
                for more in ([], ["hash=" + hash_name], ["backup-header=true"]):
                    with self.serve_volume("pim=2", *more) as server:
                        client = server.connect()
                        self.assertEqual(client.pread(MIB, 0), self.data)
                        client.shutdown()
                self.assertIn("opens no VeraCrypt volume", self.refused(*self.parameters, "pim=1"))

    def test_whirlpool(self):
        legacy = ["openssl", "kdf", "-provider", "default", "-provider", "legacy", "-keylen", "64", "-kdfopt",
                  "digest:WHIRLPOOL", "-kdfopt", "pass:aaaaaaaaaaaa", "-kdfopt", "hexsalt:" + "11" * 64, "-kdfopt",
                  "iter:16000", "-binary", "PBKDF2"]
        derived = subprocess.run(legacy, capture_output=True, check=False)
        if derived.returncode != 0:
            self.skipTest("needs OpenSSL's legacy provider")
        with mock.patch.object(hashlib, "pbkdf2_hmac", lambda *_: derived.stdout):
            with mock.patch.object(self.random, "randbytes", lambda n: bytes([0x11] * n)):
                self.make("whirlpool")
        for more in ([], ["hash=whirlpool"]):
            with self.serve_volume("pim=1", *more) as server:
                client = server.connect()
                self.assertEqual(client.pread(MIB, 0), self.data)
                client.shutdown()
        self.assertIn("opens no VeraCrypt volume", self.refused(*self.parameters, "pim=1", "hash=sha512"))

    def test_key_files(self):
        files = [self.random.randbytes(100), b"k", self.random.randbytes((1 << 20) + 1000)]
        for i, content in enumerate(files):
            self.put(f"file{i}", content)
        for passphrase, used in ((b"aaaaaaaaaaaa", [0]), (b"", [1]), (b"x" * 64, [0, 1, 2]), (b"x" * 65, [2, 0]),
                                 (b"x" * 128, [1, 2])):
            with self.subTest(length=len(passphrase), used=used):
                self.make(passphrase=mixed(passphrase, [files[i] for i in used]))
                self.put("pw", passphrase)
                words = self.parameters if passphrase else self.parameters[:2]
                words = [*words, "pim=1", "hash=sha512"]
                key_files = ["keyfile=" + self.path(f"file{i}") for i in reversed(used)]
                with self.serve(*words, *key_files) as server:
                    client = server.connect()
                    self.assertEqual(client.pread(MIB, 0), self.data)
                    client.shutdown()
                if passphrase:
                    self.assertIn("opens no VeraCrypt volume", self.refused(*words))
        self.put("file0", b"")
        self.assertIn("is empty", self.refused(*self.parameters, "keyfile=" + self.path("file0")))

    def test_key_files_of_cryptsetup(self):
        """cryptsetup opens a header of AES that this file makes from the same mixture."""
        support.need("cryptsetup")
        self.put("file", self.random.randbytes(5000))
        self.put("image", b"")
        salt, size = self.random.randbytes(64), MIB

        def aes(key, data, decrypt=False):
            command = ["openssl", "enc", "-d" if decrypt else "-e", "-aes-256-ecb", "-nopad", "-K", key.hex()]
            return subprocess.run(command, input=data, capture_output=True, check=True).stdout

        with mock.patch.object(support, "ecb", aes):
            header = make_header(mixed(b"aaaaaaaaaaaa", [self.get("file")]), "sha512", 16000, size, salt)
        self.put("image", header.ljust(HEADERS, b"\xaa") + bytes(size) + bytes(HEADERS))
        for more, opens in ((["--key-file", self.path("file")], True), ([], False)):
            opened = subprocess.run(["cryptsetup", "tcryptDump", "--veracrypt", "--veracrypt-pim", "1", *more,
                                     self.image], input=b"aaaaaaaaaaaa", capture_output=True, check=False)
            self.assertEqual(opened.returncode == 0, opens, opened.stderr)

    def test_passphrases(self):
        self.make(passphrase=b"x" * 128)
        self.put("pw", b"x" * 128)
        with self.serve_volume("pim=1"):
            pass
        for content, text in ((b"x" * 127, "opens no VeraCrypt volume"), (b"x" * 129, "at most 128 bytes")):
            self.put("pw", content)
            self.assertIn(text, self.refused(*self.parameters, "pim=1"))

    def test_hostile_headers(self):
        most = 1 << 64
        for fields, text in (
                ({"version": 6}, "has version 6"), ({"flags": 1}, "in-place encryption"),
                ({"flags": 2}, "in-place encryption"), ({"offset": 0}, "inside of the header"),
                ({"offset": HEADERS - 512}, "inside of the header"), ({"offset": HEADERS + 1}, "multiple of 512"),
                ({"size": MIB + 512}, "behind the end of the store"), ({"offset": HEADERS + 512}, "behind the end"),
                ({"size": 0}, "empty"), ({"size": 1000}, "whole number of"), ({"size": most - 512}, "behind the end"),
                ({"offset": most - 512}, "behind the end"), ({"keys": KEY[:32] * 2}, "halves of the volume key"),
                ({"magic": b"TRUE"}, "opens no VeraCrypt"), ({"damage": 20}, "opens no VeraCrypt"),
                ({"damage": 8}, "opens no VeraCrypt"), ({"damage": 190}, "opens no VeraCrypt")):
            with self.subTest(fields=fields):
                keys = {name: value for name, value in fields.items() if name != "size"}
                self.make(**keys)
                if "size" in fields:
                    head = make_header(b"aaaaaaaaaaaa", "sha512", 16000, MIB, bytes(64), **fields)
                    self.put("image", head + self.get("image")[512:])
                before = self.get("image")
                self.assertIn(text, self.refused(*self.parameters, "pim=1", "hash=sha512"))
                self.assertEqual(self.get("image"), before)

    def test_cascades(self):
        """Their headers are noise to one cipher: the message names the cipher tried, and cascades."""
        self.make()
        with self.serve_volume("pim=1"):
            pass
        self.put("image", self.random.randbytes(len(self.get("image"))))
        said = self.refused(*self.parameters, "pim=1", "hash=sha512")
        self.assertIn("opens no VeraCrypt volume with the cipher Kuznyechik", said)
        self.assertIn("cascades of ciphers and volumes with Argon2id are not opened", said)

    def test_parameters(self):
        self.make()
        for more, text in ((["pim=10001"], "10000"), (["hash=md5"], "unknown hash"),
                           (["hash=argon2id"], "Argon2id is not supported"), (["offset=512"], "format=plain"),
                           (["header=" + self.image], "LUKS2")):
            self.assertIn(text, self.refused(*self.parameters, *more))
        self.assertIn("are for format=veracrypt", self.refused(self.image, "format=plain",
                                                                    "keyfile=" + self.key, "pim=1"))

    def test_short_files(self):
        for size in (0, 511, HEADERS, 2 * HEADERS - 1):
            self.put("image", bytes(size))
            self.assertIn("too short", self.refused(*self.parameters))
        self.put("image", bytes(2 * HEADERS))
        self.assertIn("opens no VeraCrypt volume", self.refused(*self.parameters, "pim=1"))


if __name__ == "__main__":
    support.main(sys.modules[__name__])
