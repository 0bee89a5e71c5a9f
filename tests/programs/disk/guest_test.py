"""Volumes that Linux's own dm-crypt wrote, with Debian's kernel module for Kuznyechik: guest/make_volumes.sh."""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile

import support

VOLUMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest/volumes.tar.xz")
FILE = "".join(f"line {i}, written by dm-crypt\n" for i in range(300)).encode()


class Guest(support.Case):
    def setUp(self):
        super().setUp()
        with tarfile.open(VOLUMES) as archive:
            for name in ("log.txt", "luks2.img", "plain.img"):
                self.put(name, archive.extractfile(name).read())
        self.log = self.get("log.txt").decode()

    def test_luks2(self):
        self.assertIn("content: " + hashlib.sha256(FILE).hexdigest(), self.log)
        self.put("pw", b"guest passphrase")
        before = self.get("luks2.img")
        with self.serve(self.path("luks2.img"), "passphrase=+" + self.path("pw")) as server:
            client = server.connect()
            content = client.pread(client.get_size(), 0)
            client.shutdown()
        self.assertEqual(self.get("luks2.img"), before)
        self.assertEqual(content[0x438:0x43a], b"\x53\xef")  # ext4's magic number
        self.assertEqual(content.find(FILE[:4096]) % 4096, 0)
        debugfs = shutil.which("debugfs", path="/sbin:/usr/sbin:" + os.environ["PATH"])
        if debugfs:
            self.put("content", content)
            self.assertEqual(subprocess.run([debugfs, "-R", "cat file", self.path("content")], check=True,
                                            capture_output=True).stdout, FILE)

    def test_plain(self):
        key = bytes(i * 37 % 256 for i in range(64))
        self.put("key", key)
        volumes = re.findall(r"^plain: (\d+) --sector-size ((\d+)( --iv-large-sectors)?(?: --skip (\d+))?)$", self.log,
                             re.MULTILINE)
        self.assertEqual(len(volumes), 8)
        for place, options, sector_len, counts_sectors, skip in volumes:
            with self.subTest(options=options):
                text = "".join(f"{options}: line {i}\n" for i in range(500)).encode()[:8192]
                with self.serve(self.path("plain.img"), "format=plain", "keyfile=" + self.key,
                                f"offset={int(place) << 16}", "size=8192", "sector-size=" + sector_len,
                                "iv-offset=" + (skip or "0"),
                                "iv-large-sectors=" + ("true" if counts_sectors else "false")) as server:
                    client = server.connect()
                    content = client.pread(8192, 0)
                    client.shutdown()
                self.assertGreater(len(text), 6000)
                self.assertEqual(content[:len(text)], text)


if __name__ == "__main__":
    support.main(sys.modules[__name__])
