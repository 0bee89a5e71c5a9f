"""Volumes that are mounted: ext4 by FUSE alone, without root; as devices, by root: loop over nbdfuse with ext4, block
devices as stores; and fio's own checksums after SIGKILL."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import luks2
import support
from luks2 import DATA
from programs import MIB, PROGRAM, Programs
from support import need, xts

os.environ["PATH"] += ":/sbin:/usr/sbin"


class Ext4(Programs):
    """The commands that `serve` prints: nbdfuse, and fuse2fs in it."""

    def setUp(self):
        super().setUp()
        need("nbdfuse", "fuse2fs", "fusermount3", "mkfs.ext4", "e2fsck")
        self.create("--size", "32M", self.image)
        self.volume, self.files = self.path("volume"), self.path("files")
        os.mkdir(self.files)

    def start(self, command):
        """Runs a printed command in a process group of its own, without the & at its end."""
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
        mounted = self.start(self.commands[3].replace("DIRECTORY", "files").replace("fuse2fs", "fuse2fs -f"))
        self.addCleanup(self.unmount, self.files)
        while not os.path.ismount(self.files):
            self.assertIsNone(mounted.poll(), "fuse2fs has failed")
            time.sleep(0.05)
        return mounted

    def close(self, server, fuse, mounted):
        if mounted:
            subprocess.run(["fusermount3", "-u", self.files], check=True)
            mounted.wait(60)  # it writes the rest after it was unmounted
        checked = subprocess.run(["e2fsck", "-f", "-n", self.volume + "/nbd"], capture_output=True, text=True,
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
                subprocess.run(["mkfs.ext4", "-q", "-F", self.volume + "/nbd"], check=True)
            mounted = self.mount()
            if first:
                self.put_synced("file", content)
            else:
                self.assertEqual(self.get("files/file"), content)
            self.close(server, fuse, mounted)
        self.assertFalse(content[:64] in self.get("image"))

    def test_sigkill_under_load(self):
        """All of it is killed; synced data are there afterwards."""
        server, fuse = self.open()
        # e2fsck 1.47 aborts at an inode that is in use and whose checksum was not written any more.
        subprocess.run(["mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", self.volume + "/nbd"], check=True)
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
        # fuse2fs writes no journal: unfinished writes may be half there. e2fsck ends where it has to begin again.
        for _ in range(3):
            checked = subprocess.run(["e2fsck", "-f", "-y", self.volume + "/nbd"], capture_output=True, text=True,
                                     check=False)
            if checked.returncode == 0:
                break
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        mounted = self.mount()
        for name, content in synced.items():
            self.assertEqual(self.get("files/" + name), content)
        self.close(server, fuse, mounted)


class Devices(support.Case):
    def setUp(self):
        super().setUp()
        need("losetup", "mkfs.ext4", "e2fsck")
        if os.geteuid() != 0:
            self.skipTest("needs root for a loop device")
        self.random = random.Random(self.id())

    def loop(self, path, *options):
        result = subprocess.run(["losetup", "--find", "--show", *options, path], capture_output=True, text=True,
                                check=False)
        if result.returncode != 0:
            self.skipTest("needs a loop device")
        device = result.stdout.strip()
        self.addCleanup(lambda: subprocess.run(["losetup", "-d", device], check=False, capture_output=True))
        return device

    def mount(self, device):
        folder = self.path("mounted")
        os.makedirs(folder, exist_ok=True)
        result = subprocess.run(["mount", "-t", "ext4", device, folder], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            self.skipTest("needs to mount an ext4: " + result.stderr.split("\n")[0].split(": ")[-1])
        self.addCleanup(lambda: subprocess.run(["umount", "-l", folder], check=False, capture_output=True))
        return folder

    def fuse(self, socket):
        """The volume as a file, by nbdfuse."""
        need("nbdfuse", "fusermount3")
        folder = self.path("volume")
        os.makedirs(folder, exist_ok=True)
        process = subprocess.Popen(["nbdfuse", folder, "--unix", socket], stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is not None or process.kill())
        self.addCleanup(lambda: subprocess.run(["fusermount3", "-u", "-z", folder], check=False, capture_output=True))
        limit = time.monotonic() + 120
        while not os.path.exists(folder + "/nbd"):
            if process.poll() is not None or time.monotonic() > limit:
                self.skipTest("needs FUSE")
            time.sleep(0.05)
        return folder + "/nbd", process


class Loop(Devices):
    def test_ext4_survives_sigkill(self):
        """ext4 on a loop device over nbdfuse. All is killed under load; synced data are there afterwards."""
        need("cryptsetup")
        self.put("image", b"")
        os.truncate(self.image, DATA + 48 * MIB)
        luks2.format_volume(self.image, self.folder, support.KEY)
        secret = "passphrase=+" + self.path("passphrase")
        server = self.serve(self.image, secret)
        self.addCleanup(lambda: server.process.poll() is not None or server.kill())
        volume, fuse = self.fuse(server.socket)
        device = self.loop(volume)
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        folder = self.mount(device)
        synced = {}
        for i in range(8):
            content = self.random.randbytes(300000)
            with open(f"{folder}/synced{i}", "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            synced[f"synced{i}"] = content
        load = subprocess.Popen(["sh", "-c", "i=0; while :; do head -c 200000 /dev/urandom > load$((i % 50)); "
                                             "i=$((i + 1)); done"], cwd=folder, stderr=subprocess.DEVNULL)
        while not os.path.exists(folder + "/load9"):
            time.sleep(0.01)
        server.kill()
        fuse.kill()
        load.kill()
        load.wait(60)
        fuse.wait(60)
        subprocess.run(["umount", "-l", folder], check=False, capture_output=True)
        subprocess.run(["losetup", "-d", device], check=False, capture_output=True)
        subprocess.run(["fusermount3", "-u", "-z", os.path.dirname(volume)], check=False, capture_output=True)

        with self.serve(self.image, secret) as again:
            volume, fuse = self.fuse(again.socket)
            # 1: errors corrected, by the journal.
            checked = subprocess.run(["e2fsck", "-f", "-p", volume], capture_output=True, text=True, check=False)
            self.assertIn(checked.returncode, (0, 1), checked.stdout)
            device = self.loop(volume)
            folder = self.mount(device)
            for name, content in synced.items():
                with open(f"{folder}/{name}", "rb") as file:
                    self.assertEqual(file.read(), content)
            subprocess.run(["umount", folder], check=True)
            subprocess.run(["losetup", "-d", device], check=True)
            checked = subprocess.run(["e2fsck", "-f", "-n", volume], capture_output=True, text=True, check=False)
            self.assertEqual(checked.returncode, 0, checked.stdout)
            subprocess.run(["fusermount3", "-u", os.path.dirname(volume)], check=True)
            fuse.wait(60)
        stored = self.get("image")[DATA:]
        for content in synced.values():
            self.assertFalse(content[4096:4128] in stored)


class BlockDevice(Devices):
    def test_plain(self):
        data = self.random.randbytes(4 * MIB)
        self.put("image", xts(data, 4096))
        device = self.loop(self.image)
        parameters = [device, "format=plain", "keyfile=" + self.key, "sector-size=4096"]
        with self.serve(*parameters, "trim=true") as server:
            self.assertRegex(self.refused(*parameters), "in use|another program")
            client = server.connect()
            self.assertEqual(client.pread(4 * MIB, 0), data)
            client.pwrite(b"x" * 5000, 100000)
            client.trim(MIB, 2 * MIB)
            client.flush()
            client.shutdown()
        self.assertEqual(self.get("image")[:98304], xts(data, 4096)[:98304])
        changed = data[:100000] + b"x" * 5000 + data[105000:MIB]
        self.assertEqual(self.get("image")[:MIB], xts(changed, 4096))

    def test_trim_of_long_blocks(self):
        """Sectors of 512 bytes on a device with blocks of 4096: whole blocks are given back, others are kept."""
        data = self.random.randbytes(MIB)
        self.put("image", xts(data))
        device = self.loop(self.image, "--sector-size", "4096")
        with self.serve(device, "format=plain", "keyfile=" + self.key, "trim=true") as server:
            client = server.connect()
            client.trim(1024, 512)
            self.assertEqual(client.pread(MIB, 0), data)
            client.trim(65536, 4096 + 512)
            client.flush()
            self.assertEqual(client.pread(8192, 0), data[:8192])
            self.assertEqual(client.pread(MIB - 69632, 69632), data[69632:])
            client.shutdown()
        self.assertIn(self.get("image")[8192:69632], (bytes(61440), xts(data)[8192:69632]))

    def test_readers_share_a_device(self):
        self.put("image", bytes(MIB))
        parameters = [self.loop(self.image), "format=plain", "keyfile=" + self.key, "read-only=true"]
        with self.serve(*parameters), self.serve(*parameters):
            self.assertIn("another program uses it", self.refused(*parameters[:-1]))

    def test_file_of_a_loop_device_is_refused(self):
        """No program that writes to the device could hold a lock of the file."""
        self.put("image", bytes(MIB))
        os.link(self.image, self.path("link"))
        parameters = [self.path("link"), "format=plain", "keyfile=" + self.key]
        device = self.loop(self.image)
        for more in ([], ["read-only=true"]):
            self.assertIn(f"the loop device {device} uses it", self.refused(*parameters, *more))
        subprocess.run(["losetup", "-d", device], check=True)
        with self.serve(*parameters):
            pass

    def test_mounted_device_is_refused(self):
        self.put("image", b"")
        os.truncate(self.image, 32 * MIB)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
        device = self.loop(self.image)
        folder = self.mount(device)
        before = self.get("image")
        message = "mounted or otherwise in use"
        plain = [device, "format=plain", "keyfile=" + self.key]
        self.assertIn(message, self.refused(*plain))
        self.assertIn(message, self.refused(*plain, "read-only=true"))
        if os.path.exists(PROGRAM + "-disk"):
            self.put("pw", b"correct horse\n")
            secret = ["--passphrase-file", self.path("pw")]
            volume = self.path("other")
            subprocess.run([PROGRAM, "disk", "create", *secret, "--pbkdf-memory", "32K", "--pbkdf-passes", "4",
                            "--size", "32M", volume], check=True, stdin=subprocess.DEVNULL)
            for words in (["create", "--force", device], ["copy", "--force", "--to", device, volume],
                          ["copy", "--from", device, volume], ["copy", "--from", volume, device],
                          ["copy", "--to", self.path("out"), device], ["serve", device],
                          ["serve", "--read-only", device]):
                result = subprocess.run([PROGRAM, "disk", words[0], *secret, *words[1:]], capture_output=True,
                                        text=True, check=False, stdin=subprocess.DEVNULL)
                self.assertNotEqual(result.returncode, 0, words)
                self.assertIn(message, result.stderr, words)
        subprocess.run(["umount", folder], check=True)
        self.assertEqual(len(self.get("image")), len(before))
        checked = subprocess.run(["e2fsck", "-f", "-n", self.image], capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_programs(self):
        """create, info, copy in both directions, with devices."""
        if not os.path.exists(PROGRAM + "-disk"):
            self.skipTest("needs a build with libcryptsetup")
        need("cryptsetup")
        data = self.random.randbytes(2 * MIB)
        self.put("pw", b"correct horse\n")
        self.put("plain", data)
        self.put("image", b"")
        os.truncate(self.image, DATA + 2 * MIB)
        device, source = self.loop(self.image), self.loop(self.path("plain"))

        def disk(command, *words):
            return subprocess.run([PROGRAM, "disk", command, *words], check=True, capture_output=True, text=True).stdout

        secret = ["--passphrase-file", self.path("pw")]
        disk("create", *secret, "--pbkdf-memory", "32K", "--pbkdf-passes", "4", device)
        self.assertIn("kuznyechik-xts-plain64", disk("info", device))
        luks2.cryptsetup("isLuks", device)
        luks2.cryptsetup("open", "--test-passphrase", device, input=b"correct horse")
        disk("copy", *secret, "-q", "--from", source, device)
        self.put("out", bytes(2 * MIB))
        target = self.loop(self.path("out"))
        disk("copy", *secret, "-q", "--force", "--to", target, device)
        self.assertEqual(self.get("out"), data)

    def test_what_a_device_holds(self):
        """Is looked for at both ends, and by libblkid; --force does without."""
        if not os.path.exists(PROGRAM + "-disk"):
            self.skipTest("needs a build with libcryptsetup")
        self.put("pw", b"correct horse\n")
        create = [PROGRAM, "disk", "create", "--passphrase-file", self.path("pw"), "--pbkdf-memory", "32K",
                  "--pbkdf-passes", "4"]
        size = 40 * MIB
        for at, is_seen in ((16 * MIB - 1, True), (20 * MIB, False), (size - 1, True)):
            with self.subTest(at=at):
                with open(self.image, "wb") as file:
                    file.truncate(size)
                    file.seek(at)
                    file.write(b"\1")
                before = self.get("image")
                device = self.loop(self.image)
                result = subprocess.run([*create, device], capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 4 if is_seen else 0, result.stderr)
                if is_seen:
                    self.assertIn(f"is not empty: there is data at byte {at}", result.stderr)
                    self.assertIn("first and last 16 MiB were looked at", result.stderr)
                    subprocess.run(["losetup", "-d", device], check=True)
                    self.assertEqual(self.get("image"), before)
                    device = self.loop(self.image)
                    subprocess.run([*create, "--force", device], check=True, capture_output=True)
                subprocess.run(["losetup", "-d", device], check=True)

    def test_another_user(self):
        """Who may write to the device, but not to /run/cryptsetup, makes a volume on it, and uses it."""
        if not os.path.exists(PROGRAM + "-disk"):
            self.skipTest("needs a build with libcryptsetup")
        self.put("pw", b"correct horse\n")
        os.chmod(self.path("pw"), 0o600)
        self.put("image", b"")
        os.truncate(self.image, DATA + 2 * MIB)
        device = self.loop(self.image)
        user = {"user": 65534, "group": 65534, "extra_groups": []}
        # nobody may not reach the build folder.
        copies = [shutil.copy(path, self.folder) for path in (PROGRAM, PROGRAM + "-disk", support.PLUGIN)]
        os.chmod(self.folder, 0o711)
        os.mkdir(self.path("run"))
        for path in (device, self.path("pw"), self.path("run")):
            os.chown(path, 65534, 65534)
        self.addCleanup(os.chown, device, 0, 0)
        secret = ["--passphrase-file", self.path("pw")]
        for words in (["create", *secret, "--pbkdf-memory", "32K", "--pbkdf-passes", "4"], ["info"],
                      ["copy", "-q", *secret, "--to", self.path("run/out")]):
            result = subprocess.run([copies[0], "disk", *words, device], capture_output=True, text=True, check=False,
                                    stdin=subprocess.DEVNULL, **user)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with support.Server(self.path("run"), device, "passphrase=+" + self.path("pw"), plugin=copies[2],
                            **user) as server:
            client = server.connect()
            client.pwrite(b"x" * 4096, 0)
            client.shutdown()


class FullDevice(Devices, Programs):
    def test_flush_that_failed(self):
        """The kernel tells an error once: `serve` ends with it though the client was told before."""
        small = self.path("small")
        os.mkdir(small)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20M", "small", small], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("needs to mount a tmpfs")
        self.addCleanup(lambda: subprocess.run(["umount", "-l", small], check=False, capture_output=True))
        image = small + "/image"
        self.create("--size", "16M", image)
        process, socket = self.serve_image(image=self.loop(image))
        client = self.connect(socket)
        client.pwrite(self.random.randbytes(8 * MIB), 0)
        self.assertRaises(support.nbd.Error, client.flush)
        client.shutdown()
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 4, said)


class Fio(support.Case):
    def test_verify_after_sigkill(self):
        """fio writes blocks with checksums, has the server killed in the middle, and finds the acknowledged ones."""
        need("fio")
        if "nbd" not in subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("needs fio with the engine nbd")
        self.put("image", b"")
        os.truncate(self.image, 128 * MIB)
        parameters = [self.image, "format=plain", "keyfile=" + self.key, "sector-size=4096"]
        # A job has one request at a time: of deeper queues fio before 3.40 does not note which writes were
        # acknowledged, and may look for one that was not.
        common = ["--name=kill", "--ioengine=nbd", "--rw=randwrite", "--bs=4k", "--size=16m", "--offset_increment=16m",
                  "--numjobs=8", "--iodepth=1", "--verify=crc32c", "--thread", "--randseed=14"]
        server = self.serve(*parameters)
        # fio notes acknowledged writes (its verify state) and lets the command end the server, here as soon as the
        # image has a MiB that was written. At this rate, writing all of it would take 16 seconds.
        with subprocess.Popen(["fio", *common, "--uri=" + server.uri(), "--do_verify=0", "--fsync=64",
                               "--rate_iops=250", "--verify_state_save=1", "--trigger-file=" + self.path("trigger"),
                               f"--trigger=kill -9 {server.process.pid}"],
                              cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as fio:
            while fio.poll() is None and os.stat(self.image).st_blocks * 512 < MIB:
                time.sleep(0.01)
            self.put("trigger", b"")
            fio.wait(120)
        self.assertEqual(server.process.wait(60), -signal.SIGKILL)
        self.assertTrue([name for name in os.listdir(self.folder) if name.endswith(".state")])

        def verify():
            with self.serve(*parameters) as server:
                return subprocess.run(["fio", *common, "--uri=" + server.uri(), "--verify_only",
                                       "--verify_state_load=1", "--verify_fatal=1", "--output-format=json"],
                                      cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)

        result = verify()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        report = json.loads(result.stdout[result.stdout.index("{"):])
        self.assertGreater(sum(job["read"]["total_ios"] for job in report["jobs"]), 100)
        with open(self.image, "r+b") as file:
            file.truncate(0)
            file.truncate(128 * MIB)
        self.assertNotEqual(verify().returncode, 0)  # it would have seen missing data


if __name__ == "__main__":
    support.main(sys.modules[__name__])
