import ctypes
import io
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import records

from vershina import AuthenticationError, _core, sealed

KEY = sealed.Key(bytes(range(32)))
PASSPHRASE = sealed.Passphrase("пароль", 1000)
PLAIN = bytes(7 * i % 256 for i in range(20_000))
CLI = os.environ.get("VERSHINA_PROGRAM") or shutil.which("vershina")


def has_argon2():
    try:
        ctypes.CDLL("libargon2.so.1")
        return True
    except OSError:
        return False


needs_argon2 = pytest.mark.skipif(not has_argon2(), reason="libargon2 is not installed")


def seal(plain, recipients=(KEY,), **options):
    sink = io.BytesIO()
    sealed.seal(io.BytesIO(plain), sink, list(recipients), **options)
    return sink.getvalue()


def unseal(content, *secrets):
    sink = io.BytesIO()
    sealed.open(io.BytesIO(content), sink, list(secrets) or [KEY])
    return sink.getvalue()


def sealed_vectors():
    """Files of docs/sealed-format.md, made by an independent implementation."""
    files = records("sealed.vec", "file")
    recipients = records("sealed.vec", "recipient")
    assert len(files) >= 2 and recipients
    return files, recipients


def test_payload_vectors():
    files, recipients = sealed_vectors()
    secrets = []
    for recipient in recipients:
        secret = bytes.fromhex(recipient["Secret"])
        secrets.append(sealed.Key(secret) if recipient["Kind"] == "2" else sealed.Passphrase(secret))
    opened = 0
    for file in files:
        content = bytes.fromhex(file["Slot"]) * 2 + bytes.fromhex(file["Payload"])
        length = int(file["Length"])
        try:
            assert unseal(content, *secrets) == bytes(7 * i % 256 for i in range(length))
            opened += 1
        except AuthenticationError as error:  # a file whose recipient's secret is not among the vectors
            assert "opens this file" in str(error)
    assert opened > 0


@given(st.binary(max_size=20_000), st.sampled_from([4096, 8192, 0]))
def test_round_trip(plain, chunk_len):
    content = seal(plain, [KEY, sealed.Key(b"x" * 64)], chunk_len=chunk_len)
    assert unseal(content) == unseal(content, sealed.Key(b"y" * 32), sealed.Key(b"x" * 64)) == plain


@pytest.mark.skipif(not CLI, reason="the program `vershina` is not here (VERSHINA_PROGRAM)")
def test_with_the_command_line(tmp_path):
    (tmp_path / "key").write_bytes(KEY.secret)
    (tmp_path / "passphrase").write_text("пароль")
    (tmp_path / "plain").write_bytes(PLAIN)
    sealed.seal(tmp_path / "plain", tmp_path / "python.sealed", [PASSPHRASE, sealed.Key.from_file(tmp_path / "key")])
    for option in (["-k", "key"], ["--passphrase-file", "passphrase"]):
        subprocess.run([CLI, "open", *option, "python.sealed", "-o", "back", "--force"], cwd=tmp_path, check=True)
        assert (tmp_path / "back").read_bytes() == PLAIN
    subprocess.run([CLI, "seal", "-k", "key", "plain", "-o", "cli.sealed"], cwd=tmp_path, check=True)
    sealed.open(tmp_path / "cli.sealed", tmp_path / "opened", [KEY])
    assert (tmp_path / "opened").read_bytes() == PLAIN


def test_inspect():
    info = sealed.inspect(io.BytesIO(seal(b"", [PASSPHRASE, KEY], chunk_len=8192)))
    assert (info.version, info.cipher, info.content, info.chunk_len) == (2, "kuznyechik-mgm", "bytes", 8192)
    assert info.slot_len == 4096
    assert recipients(info) == [(1, "passphrase", 1000), (2, "key", 0)]
    assert info.generation == 1 and not info.slots_differ
    assert len(info.file_id) == 32
    assert repr(info) == (
        f"<vershina sealed file: version {info.version}, kuznyechik-mgm, chunks of 8192 bytes, generation 1; "
        "recipient 1: passphrase, 1000 iterations; recipient 2: key>"
    )
    assert repr(info.recipients[1]) == "<vershina recipient 2: key>"


@pytest.mark.parametrize("place", [8192, 8192 + 4096 + 16 + 5, -9, -1])
def test_damage_is_found(place, tmp_path):
    content = bytearray(seal(PLAIN, chunk_len=4096))
    content[place] ^= 1
    (tmp_path / "sealed").write_bytes(content)
    with pytest.raises(AuthenticationError, match="chunk" if place != -1 else "is truncated"):
        sealed.open(tmp_path / "sealed", tmp_path / "out", [KEY])
    assert [path.name for path in tmp_path.iterdir()] == ["sealed"]  # no half output, no temporary file


def test_truncation_and_strangers():
    content = seal(PLAIN, chunk_len=4096)
    for length in (8192, 8193, len(content) - 8, len(content) - 1):  # a header of 8192 bytes
        with pytest.raises(AuthenticationError):
            unseal(content[:length])
    for wrong in (b"", b"hello", content[:5000], bytes(9000)):
        with pytest.raises((ValueError, AuthenticationError)):
            unseal(wrong)
    with pytest.raises(AuthenticationError, match="no key or passphrase"):
        unseal(content, sealed.Key(bytes(32)), sealed.Passphrase("x"))
    with pytest.raises(ValueError, match="parameters"):
        sealed.open(io.BytesIO(seal(b"x", [PASSPHRASE])), io.BytesIO(), [PASSPHRASE], max_iterations=999)


def test_files_are_not_lost(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(PLAIN)
    target.write_bytes(b"precious")
    target.chmod(0o600)
    with pytest.raises(FileExistsError):
        sealed.seal(source, target, [KEY])
    with pytest.raises(ValueError):
        sealed.seal(source, target, [], overwrite=True)
    with pytest.raises(FileNotFoundError):
        sealed.seal(tmp_path / "none", target, [KEY], overwrite=True)
    assert target.read_bytes() == b"precious"
    sealed.seal(source, target, [KEY], overwrite=True)
    assert unseal(target.read_bytes()) == PLAIN and target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]
    with pytest.raises(IsADirectoryError):
        sealed.seal(source, tmp_path, [KEY], overwrite=True)


def test_a_killed_process_leaves_no_file_under_the_name(tmp_path):
    program = (
        "import os, sys; from vershina import sealed\n"
        "class Source:\n"
        "    pieces = 3\n"
        "    def read(self, n):\n"
        "        self.pieces -= 1\n"
        "        if self.pieces == 0: os.kill(os.getpid(), 9)\n"
        "        return bytes(100_000)\n"
        "sealed.seal(Source(), sys.argv[1], [sealed.Key(bytes(32))], overwrite=True)\n"
    )
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    assert subprocess.run([sys.executable, "-c", program, target]).returncode == -9
    assert target.read_bytes() == b"precious"


def recipients(info):
    return [(recipient.number, recipient.kind, recipient.iterations) for recipient in info.recipients]


def test_rekey(tmp_path):
    path = tmp_path / "sealed"
    path.write_bytes(seal(PLAIN, [KEY, PASSPHRASE]))
    other = sealed.Key(b"z" * 32)
    sealed.rekey(path, [PASSPHRASE], add=[other], remove=[1])
    info = sealed.inspect(path)
    assert recipients(info) == [(1, "passphrase", 1000), (2, "key", 0)] and info.generation == 2
    assert unseal(path.read_bytes(), other) == PLAIN
    with pytest.raises(AuthenticationError):
        unseal(path.read_bytes(), KEY)
    before = path.read_bytes()
    for remove, message in (
        ([1, 2], "nobody could open the file any more"),
        ([0], "no recipient 0; the file's recipients have the numbers 1 to 2"),
        ([3], "no recipient 3; the file's recipients have the numbers 1 to 2"),
        ([-1], "no recipient -1"),
        ([2, 2], "recipient 2 is to be removed twice"),
    ):
        with pytest.raises(ValueError, match=message):
            sealed.rekey(path, [other], remove=remove)
    with pytest.raises(AuthenticationError):
        sealed.rekey(path, [KEY], add=[KEY])
    assert path.read_bytes() == before


@pytest.mark.parametrize("length", [0, 100, 1_000_000, 1 << 20])
def test_headers_of_files_and_what_rekey_makes_of_them(tmp_path, length):
    source, path, plain = tmp_path / "source", tmp_path / "sealed", bytes(length)
    source.write_bytes(plain)
    alice = sealed.Key(b"a" * 32, "Alice, 2-й этаж")
    sealed.seal(source, path, [alice])
    long = length >= 1 << 20
    assert sealed.inspect(path).slot_len == (4096 if long else 512)
    path.chmod(0o640)
    inode, others = path.stat().st_ino, [sealed.Key(bytes([i]) * 32) for i in range(4)]
    sealed.rekey(path, [alice], add=others)
    info = sealed.inspect(path)
    assert info.slot_len == (4096 if long else 1024) and len(info.recipients) == 5 and info.generation == 2
    assert [r.label for r in info.recipients] == ["Alice, 2-й этаж", "", "", "", ""]
    assert "key, Alice, 2-й этаж" in repr(info)
    assert (path.stat().st_ino == inode) == long and path.stat().st_mode & 0o777 == 0o640
    for key in [alice, *others]:
        assert unseal(path.read_bytes(), key) == plain
    with pytest.raises(ValueError, match="at most 32"):
        sealed.rekey(path, [alice], add=others * 7)
    with pytest.raises(ValueError):
        sealed.rekey(path, [alice], add=[sealed.Key(b"b" * 32, "a\nb")])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sealed", "source"]


@pytest.mark.skipif(not CLI, reason="the program `vershina` is not here (VERSHINA_PROGRAM)")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_numbers_of_recipients_are_the_programs(tmp_path, number):
    keys = [sealed.Key(bytes([i]) * 32) for i in range(3)]
    for name in ("python", "program"):
        (tmp_path / name).write_bytes(seal(PLAIN, keys))
    for i, key in enumerate(keys):
        (tmp_path / f"key{i}").write_bytes(key.secret)
    opener = sealed.Opener((tmp_path / "python").read_bytes()[: sealed.HEADER_LEN])
    assert opener.unlock("key", keys[number - 1].secret) and opener.recipient() == number
    other = number % 3
    sealed.rekey(tmp_path / "python", [keys[other]], remove=[number])
    subprocess.run([CLI, "rekey", "-k", f"key{other}", "--remove", str(number), "program"], cwd=tmp_path, check=True)
    for name in ("python", "program"):
        for i, key in enumerate(keys):
            if i == number - 1:
                with pytest.raises(AuthenticationError):
                    unseal((tmp_path / name).read_bytes(), key)
            else:
                assert unseal((tmp_path / name).read_bytes(), key) == PLAIN


@needs_argon2
def test_argon2id(tmp_path):
    cost = sealed.Argon2id(2, 64, 2)
    alice = sealed.Passphrase("Alice's", label="Alice", argon2id=cost)
    content = seal(PLAIN, [PASSPHRASE, alice, KEY])
    assert unseal(content, sealed.Passphrase("Alice's")) == unseal(content, PASSPHRASE) == unseal(content) == PLAIN
    with pytest.raises(AuthenticationError):
        unseal(content, sealed.Passphrase("Bob's"))
    first, second, third = sealed.inspect(io.BytesIO(content)).recipients
    assert (first.argon2id, first.iterations) == (None, 1000) and third.argon2id is None
    assert (second.argon2id, second.iterations, second.kind) == ((2, 64, 2), 0, "passphrase")
    assert "argon2id with 2 passes, 64 KiB, 2 lanes, Alice" in repr(second)
    for bounds in ((63, 0), (0, 127)):
        with pytest.raises(ValueError, match="parameters"):
            sealed.open(io.BytesIO(content), io.BytesIO(), [alice], max_argon2id=bounds)
        with pytest.raises(ValueError, match="parameters"):
            sealed.Reader(io.BytesIO(content), [alice], max_argon2id=bounds)
        assert unseal(content) == PLAIN  # a key takes nothing of it
    sink = io.BytesIO()
    sealed.open(io.BytesIO(content), sink, [alice], max_argon2id=(64, 128))
    assert sink.getvalue() == PLAIN

    path = tmp_path / "file"
    path.write_bytes(content)
    bob = sealed.Passphrase("Bob's", argon2id=cost)
    sealed.rekey(path, [alice], add=[bob, sealed.Passphrase("Carol's", 1000)], remove=[2])
    assert [r.argon2id for r in sealed.inspect(path).recipients] == [None, None, (2, 64, 2), None]
    assert unseal(path.read_bytes(), sealed.Passphrase("Bob's")) == PLAIN
    with pytest.raises(AuthenticationError):
        unseal(path.read_bytes(), alice)
    with pytest.raises(ValueError, match="one cost"):
        sealed.rekey(path, [KEY], add=[bob, sealed.Passphrase("x", argon2id=sealed.Argon2id())])


@pytest.mark.parametrize("cost", [(0, 64, 1), (1, 7, 1), (1, 64, 0), (1, 2**21, 4), (17, 2**20, 4), (1, 1024, 65)])
def test_argon2id_beyond_the_bounds(cost):
    with pytest.raises(ValueError, match=f"argon2id with {cost[0]} passes"):
        seal(b"", [sealed.Passphrase("x", argon2id=sealed.Argon2id(*cost))])


def test_a_secret_behind_one_that_cannot_be_tried(monkeypatch):
    class Opener:  # there is no libargon2 for one of the passphrases
        def __init__(self, *words, **named):
            self.real = _core.Opener(*words, **named)

        def __getattr__(self, name):
            return getattr(self.real, name)

        def unlock(self, kind, secret):
            if secret == b"first":
                raise OSError("libargon2 is missing")
            return self.real.unlock(kind, secret)

    content = seal(PLAIN, [sealed.Passphrase("second", 1000)])
    monkeypatch.setattr(sealed, "Opener", Opener)
    first, second = sealed.Passphrase("first"), sealed.Passphrase("second")
    sink = io.BytesIO()
    sealed.open(io.BytesIO(content), sink, [first, second])
    assert sink.getvalue() == PLAIN
    with pytest.raises(OSError, match="libargon2"):
        sealed.open(io.BytesIO(content), io.BytesIO(), [first, sealed.Passphrase("third")])


def test_argon2id_and_iterations():
    with pytest.raises(ValueError, match="those of PBKDF2"):
        sealed.Passphrase("x", 1000, argon2id=sealed.Argon2id())


def test_reader():
    content = bytearray(seal(PLAIN, chunk_len=4096))
    reader = sealed.Reader(io.BytesIO(content), [KEY])
    for position, length in ((0, 10), (4090, 20), (19_990, 100), (20_000, 5), (0, 20_000)):
        assert reader.seek(position) == position
        assert reader.read(length) == PLAIN[position : position + length]
    assert reader.seek(-5, io.SEEK_END) == 19_995 and reader.readall() == PLAIN[-5:]
    assert io.BufferedReader(sealed.Reader(io.BytesIO(content), [KEY])).read() == PLAIN
    content[8192 + 4112 + 7] ^= 1  # chunk 1
    reader = sealed.Reader(io.BytesIO(content), [KEY])
    assert reader.read(4096) == PLAIN[:4096]
    with pytest.raises(AuthenticationError, match="chunk"):
        reader.read(1)
    with pytest.raises((AuthenticationError, ValueError)):
        sealed.Reader(io.BytesIO(content[:-4112]), [KEY])


def test_writer_left_by_an_exception():
    sink = io.BytesIO()
    with pytest.raises(KeyError), sealed.Writer(sink, [KEY]) as writer:
        writer.write(PLAIN)
        raise KeyError
    with pytest.raises(AuthenticationError):
        unseal(sink.getvalue())


@pytest.mark.parametrize(
    "error, call, message",
    [
        (ValueError, lambda: seal(b"", []), "nobody could open"),
        (ValueError, lambda: sealed.Key(bytes(31)), "a key of 31 bytes; it has 32 to 64"),
        (ValueError, lambda: sealed.Key(bytes(65)), "a key of 65 bytes"),
        (TypeError, lambda: sealed.Key("x" * 32), "a key is bytes, not str"),
        (TypeError, lambda: sealed.seal(b"text", io.BytesIO(), [KEY]), "source: .* not bytes; io.BytesIO"),
        (TypeError, lambda: sealed.seal(io.BytesIO(), bytearray(), [KEY]), "destination: .* not bytearray"),
        (ValueError, lambda: seal(b"", [sealed.Passphrase("x", 999)]), "999 iterations"),
        (ValueError, lambda: seal(b"", [KEY], chunk_len=5000), "chunks of 5000 bytes"),
        (ValueError, lambda: seal(b"", [KEY] * 33), "parameters"),
        (ValueError, lambda: sealed.Passphrase(""), "empty"),
        (TypeError, lambda: seal(b"", [b"secret"]), "a Passphrase or a Key is needed, not bytes"),
    ],
)
def test_misuse(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_one_recipient_needs_no_list(tmp_path):
    plain, packed, back = (tmp_path / name for name in ("plain", "sealed", "back"))
    plain.write_bytes(PLAIN)
    sealed.seal(plain, packed, KEY)
    sealed.rekey(packed, KEY, add=PASSPHRASE)
    sealed.open(packed, back, PASSPHRASE)
    with packed.open("rb") as file:
        assert sealed.Reader(file, KEY).read() == back.read_bytes() == PLAIN
    with pytest.raises(TypeError, match="a Passphrase or a Key is needed, not int"):
        sealed.open(packed, tmp_path / "other", KEY.secret)


def test_errors_name_the_file(tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("no sealed file")
    for call in (
        lambda: sealed.open(notes, tmp_path / "out", [KEY]),
        lambda: sealed.inspect(notes),
        lambda: sealed.rekey(notes, [KEY]),
    ):
        with pytest.raises(ValueError, match=r"notes\.txt: "):
            call()
    sealed.seal(notes, tmp_path / "notes.sealed", [KEY])
    with pytest.raises(AuthenticationError, match=r"notes\.sealed: no key or passphrase"):
        sealed.open(tmp_path / "notes.sealed", tmp_path / "out", [sealed.Key(bytes(32))])


def test_secrets_are_not_shown(tmp_path):
    assert "пароль" not in repr(PASSPHRASE) and "secret" not in repr(KEY)
    (tmp_path / "hex").write_text(KEY.secret.hex() + "\n")
    assert sealed.Key.from_file(tmp_path / "hex") == KEY
    (tmp_path / "short").write_bytes(bytes(31))
    with pytest.raises(ValueError, match="32 bytes or 64 hexadecimal digits"):
        sealed.Key.from_file(tmp_path / "short")


def test_calibrate():
    assert 100_000 <= sealed.calibrate(0.01) <= 4_000_000
