"""`vershina disk copy`: into a volume and out of it, interrupted and resumed."""
import os
import resource
import shlex
import signal
import subprocess
import sys
import time

import luks2
import support
from luks2 import DATA
from programs import MIB, PROGRAM, Programs


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

    def need_eval(self):
        nbdkit = subprocess.run(["nbdkit", "eval", "--dump-plugin"], capture_output=True, check=False)
        if nbdkit.returncode != 0 or b"vershina_libnbd=yes" not in subprocess.run(
                ["nbdkit", support.PLUGIN, "--dump-plugin"], capture_output=True, check=True).stdout:
            self.skipTest("needs nbdkit's plugin eval and a build with libnbd")

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

    def test_power_failure(self):
        """New files are on the disk before they get their names, and these before the command ends."""
        self.copy("--from", self.path("plain"))
        whole = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support", "recorded.py")
        for name, run in (("out", lambda **options: self.copy("--to", self.path("out"), **options)),
                          ("new", lambda **options: self.create("--size", "1M", self.path("new"), **options))):
            record = self.path(f"record of {name}")
            run(env={**os.environ, "LD_PRELOAD": os.environ["RECORDER"], "RECORD": record})
            judged = subprocess.run([sys.executable, whole, record, self.path(name)], capture_output=True, text=True,
                                    check=False)
            with self.subTest(name):
                self.assertEqual((judged.returncode, judged.stdout), (0, ""), judged.stderr)

    def test_holes(self):
        """A hole is zeros, over what the volume held."""
        old = self.random.randbytes(9 * MIB)
        self.put("plain", old)
        self.copy("--from", self.path("plain"))
        with open(self.path("sparse"), "wb") as file:
            file.write(b"begin")
            file.seek(7 * MIB)
            file.write(b"end")
        self.copy("--force", "--from", self.path("sparse"))
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
        command = [PROGRAM, "disk", "copy", "--force", *self.pw, "--from", self.path("plain"), self.image]
        result = subprocess.run(command,
                                check=False, capture_output=True,
                                env={**environment, "DIE_FILE": self.image, "DIE_AT": "9"})
        self.assertEqual(result.returncode, -signal.SIGKILL)
        self.copy("--resume", "--from", self.path("plain"))
        self.copy("--force", "--to", self.path("out"))
        self.assertEqual(self.get("out")[:len(changed)], changed)

    def test_volume_that_is_not_empty(self):
        self.copy("--from", self.path("plain"))
        before = self.get("image")
        other = self.random.randbytes(len(self.data))
        self.put("other", other)
        said = self.copy("--from", self.path("other"), status=4)
        self.assertIn("is not empty", said)
        self.assertIn("--force overwrites", said)
        said = self.copy("--resume", "--from", self.path("other"), status=4)
        self.assertIn("is not an interrupted copy of", said)
        self.assertEqual(self.get("image"), before)
        self.copy("--resume", "--from", self.path("plain"))
        self.assertEqual(self.get("image"), before)
        self.copy("--force", "--from", self.path("other"))
        self.copy("--to", self.path("out"))
        self.assertEqual(self.get("out")[:len(other)], other)

    def test_only_the_end_was_written(self):
        process, socket = self.serve_image()
        client = self.connect(socket)
        client.pwrite(b"x" * 4096, 9 * MIB - 4096)
        client.shutdown()
        self.end(process)
        self.assertIn("is not empty", self.copy("--from", self.path("plain"), status=4))

    def test_partial_of_somebody_else(self):
        """--resume writes plaintext into no file that others made, may read or write, or have a name of."""
        self.copy("--from", self.path("plain"))
        partial = self.path("out.partial")

        def refused(why):
            before = os.stat(partial)
            said = self.copy("--resume", "--to", self.path("out"), status=4)
            self.assertIn(partial + ": " + why, said)
            self.assertEqual(os.stat(partial), before)
            self.assertFalse(os.path.exists(self.path("out")))

        self.put("out.partial", b"")
        for mode, why in ((0o666, "others may write to it"), (0o640, "others may read it")):
            os.chmod(partial, mode)
            refused(why)
        os.chmod(partial, 0o600)
        os.link(partial, self.path("second"))
        refused("has a second name")
        os.remove(self.path("second"))
        if os.geteuid() == 0:
            os.chown(partial, 65534, -1)
            refused("belongs to another user")
            os.chown(partial, 0, -1)
        self.copy("--resume", "--to", self.path("out"))
        self.assertEqual(self.get("out")[:len(self.data)], self.data)

    def test_partial_with_other_content(self):
        """A file of the right name and length that is not a copy of this volume."""
        self.copy("--from", self.path("plain"))
        other = self.random.randbytes(9 * MIB)
        self.put("out.partial", other)
        os.chmod(self.path("out.partial"), 0o600)
        self.assertIn("not an interrupted copy", self.copy("--resume", "--to", self.path("out"), status=4))
        self.assertEqual(self.get("out.partial"), other)

    def test_name_that_changes(self):
        """Another volume under the name, between the lock of the first and the reading of its header."""
        self.put("pw", b"correct horse\n")
        first, second = self.path("first"), self.path("second")
        os.rename(self.image, first)
        self.create("--size", "9M", second)
        untouched = self.get("second")
        os.symlink(first, self.image)
        os.symlink(second, self.path("next"))
        self.copy("--from", self.path("plain"),
                  env={**os.environ, "LD_PRELOAD": os.environ["SWAP_AT_HEADER"], "SWAP_FROM": self.path("next"),
                       "SWAP_TO": self.image})
        self.assertEqual(os.readlink(self.image), second)
        self.assertEqual(self.get("second"), untouched)
        self.disk("copy", *self.pw, "--to", self.path("out"), first)
        self.assertEqual(self.get("out")[:len(self.data)], self.data)

    def test_unfinished_copy_that_is_replaced(self):
        """The written file gets the final name, not another one put under its name in the meantime."""
        self.need_eval()
        self.copy("--from", self.path("plain"))
        image, partial, other, moved = (shlex.quote(self.path(name)) for name in ("image", "out.partial", "other",
                                                                                  "moved"))
        for change, force, status in (
                (f"mv {partial} {moved}; mv {other} {partial}", False, 0), (f"mv {other} {partial}", False, 4),
                (f"mv {partial} {moved}; mv {other} {partial}", True, 4), ("", True, 0)):
            with self.subTest(change=change, force=force):
                for name in ("out", "out.partial", "moved"):
                    if os.path.exists(self.path(name)):
                        os.remove(self.path(name))
                self.put("other", b"other")
                if force:
                    self.put("out", b"before")
                with self.serve(f"get_size=stat -c %s {image}",
                                f"pread=if test -e {partial} -a -e {other}; then {change or ':'}; fi; "
                                f"dd if={image} skip=$4 count=$3 iflag=skip_bytes,count_bytes,fullblock status=none",
                                plugin="eval") as behind:
                    said = self.disk("copy", *self.pw, "--to", self.path("out"), *(["--force"] if force else []),
                                     behind.uri(), status=status)
                if status == 0:
                    self.assertEqual(self.get("out")[:len(self.data)], self.data)
                    continue
                self.assertIn(self.path("out.partial") + ": was replaced by another file in the meantime", said)
                self.assertEqual(os.path.exists(self.path("out")) and self.get("out"), force and b"before")
                self.assertEqual(self.get("out.partial"), b"other")

    def test_standard_streams(self):
        """A target that cannot be read back is refused, and no file of that name is made."""
        for words in (["--to", "-"], ["--to", "/dev/stdout"], ["--from", "-"]):
            said = self.copy(*words, status=2, cwd=self.folder)
            self.assertIn("cannot be read back", said)
        self.assertFalse(os.path.exists(self.path("-")))

    def test_store_that_forgets(self):
        """Behind a server that acknowledges writes and drops those of data."""
        self.need_eval()
        image = shlex.quote(self.image)
        command = [PROGRAM, "disk", "copy", *self.pw, "-q", "--from", self.path("plain")]
        result = subprocess.run(
            ["nbdkit", "-U", "-", "eval", f"get_size=stat -c %s {image}", "can_write=exit 0", "can_flush=exit 0",
             "flush=exit 0", "pwrite=cat > /dev/null",
             f"pread=dd if={image} skip=$4 count=$3 iflag=skip_bytes,count_bytes,fullblock status=none", "--run",
             f"{shlex.join(command)} nbd+unix:///?socket=$unixsocket"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertRegex(result.stderr, "read back, it differs from .* at byte 0")

    def test_memory(self):
        """While it copies, all its memory is locked: more than the buffers of the copy."""
        with open("/proc/self/status", encoding="utf-8") as status:
            rights = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
        if not rights >> 14 & 1 and resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != resource.RLIM_INFINITY:
            self.skipTest("needs to lock all memory (CAP_IPC_LOCK)")
        self.need_eval()
        image, folder, blocked = (shlex.quote(path) for path in (self.image, self.folder, self.path("blocked")))
        behind = self.serve(
            f"get_size=stat -c %s {image}",
            f"pread=if test $4 -ge {DATA}; then touch {blocked}; while test -d {folder}; do sleep 0.01; done; fi; "
            f"dd if={image} skip=$4 count=$3 iflag=skip_bytes,count_bytes,fullblock status=none", plugin="eval")
        self.addCleanup(behind.kill)
        with subprocess.Popen([PROGRAM, "disk", "copy", *self.pw, "-q", "--to", self.path("out"), behind.uri()],
                              stderr=subprocess.DEVNULL) as process:
            self.addCleanup(process.kill)
            while not os.path.exists(self.path("blocked")) and process.poll() is None:
                time.sleep(0.01)
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                kib = {line.split(":")[0]: int(line.split()[1]) for line in status if line.startswith("Vm")}
            process.kill()
        self.assertGreater(kib["VmLck"], kib["VmSize"] // 2)

    def test_source_is_not_repaired(self):
        luks2.damage(self.image, 1)
        before = self.get("image")
        self.copy("--to", self.path("out"))
        self.assertEqual(self.get("image"), before)

    def test_refusals(self):
        before = self.get("image")
        self.assertIn("neither --from nor --to is given: give", self.copy(status=2))
        self.copy("--from", self.path("plain"), "--to", self.path("out"), status=2)
        self.put("long", bytes(9 * MIB + 1))
        self.assertIn("and the volume only", self.copy("--from", self.path("long"), status=11))
        self.assertIn("is there already", self.copy("--to", self.path("plain"), status=4))
        self.assertIn("another program uses it", self.copy("--from", self.image, status=3))
        self.assertIn("is the volume itself", self.copy("--force", "--to", self.image, status=4))
        os.symlink(self.image, self.path("link"))
        self.assertIn("is the volume itself", self.copy("--force", "--to", self.path("link"), status=4))
        self.assertIn("is the volume itself", self.copy("--to", self.image, status=4))
        # The file under the name of an unfinished copy may be something else: the volume, for one.
        os.symlink(self.image, self.path("out.partial"))
        self.assertIn("not an interrupted copy", self.copy("--resume", "--to", self.path("out"), status=4))
        os.remove(self.path("out.partial"))
        os.link(self.image, self.path("out.partial"))
        self.assertIn("is the volume itself", self.copy("--resume", "--to", self.path("out"), status=4))
        os.remove(self.path("out.partial"))
        self.put("out.partial", self.data)
        os.chmod(self.path("out.partial"), 0o600)
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
