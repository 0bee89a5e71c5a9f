#!/usr/bin/env python3
"""Sealed files twice: by the library, and by sealed_format.py over the GOST engine's primitives.

  independent.py LIBVERSHINA   opens the library's files, and has the library open its own; checks the vectors again
  independent.py --vectors     prints tests/vectors/sealed.vec

Ends with 77 and the reason where OpenSSL has no GOST engine.
"""
import ctypes
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import primitives  # noqa: E402
import sealed_format as fmt  # noqa: E402

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "sealed.vec")
PASSPHRASE, KEY = fmt.PASSPHRASE, fmt.KEY


def counted(length, first=0):
    return bytes((first + 7 * i) % 256 for i in range(length))


# name, length of a slot, recipients (kind, secret, cost, label), generation, content, length of the plaintext
CASES = (
    ("empty", 512, ((PASSPHRASE, "пароль".encode(), 1000, b""),), 1, 0, 0),
    ("one chunk, not full", 512, ((KEY, counted(32, 1), 0, b""),), 1, 0, 13),
    ("one chunk, full; room for more recipients", 4096, ((KEY, counted(64, 2), 0, "сейф, 2-й этаж".encode()),), 2, 0,
     4096),
    ("three recipients, three chunks, said to be a directory", 1024,
     ((PASSPHRASE, b"correct horse battery staple", 2000, b"Alice"), (KEY, counted(45, 3), 0, b"x" * 64),
      (PASSPHRASE, b"*" * 1024, 1000, b"")), 7, 1, 2 * 4096 + 100),
    ("argon2id with PBKDF2 and a key", 1024,
     ((PASSPHRASE, b"six words drawn by chance", (3, 64, 4), "Боб".encode()), (PASSPHRASE, b"staple", 1000, b""),
      (PASSPHRASE, b"+" * 1024, (1, 8, 1), b""), (KEY, counted(32, 5), 0, b""),
      (PASSPHRASE, "другой пароль".encode(), (2, 75, 3), b"")), 1, 0, 13),
)


def vectors(g):
    """Every value of docs/sealed-format.md for the cases, as records of tests/vectors."""
    lines = ["# Sealed files, docs/sealed-format.md clause 11; made by tests/sealed/independent.py --vectors.",
             "# Chunks of 4096 bytes; byte i of a plaintext is 7 i mod 256.", ""]
    slots, wraps = ["[file]"], ["[recipient]"]
    for n, (name, slot_len, recipients, generation, content, length) in enumerate(CASES, 1):
        file_key = counted(32, 16 * n)
        pre = fmt.preamble(g, file_key, 12, content)
        file_id = pre[16:]
        entries = []
        for i, (kind, secret, cost, label) in enumerate(recipients):
            salt = counted(32, 200 + 10 * n + i)
            entries.append(fmt.recipient(g, pre, file_key, kind, secret, salt, cost, label))
            count, passes, memory, lanes = (cost, 0, 0, 0) if isinstance(cost, int) else (0, *cost)
            mask, mac_key = fmt.wrap_keys(g, pre, entries[-1][:112], secret)
            wraps += [f"# of file {n}", f"FileId = {file_id.hex()}", f"FileKey = {file_key.hex()}",
                      f"Content = {content}",
                      f"Kind = {kind}",
                      f"Secret = {secret.hex()}", f"Salt = {salt.hex()}", f"Count = {count}",
                      f"Passes = {passes}", f"Memory = {memory}", f"Lanes = {lanes}",
                      f"Label = {label.hex()}".rstrip(), f"Key = {mask.hex()}", f"MacKey = {mac_key.hex()}",
                      f"Out = {entries[-1][112:].hex()}", ""]
        slot = fmt.slot(g, pre, file_key, generation, entries, slot_len)
        slots += [f"# {n}: {name}", f"FileId = {file_id.hex()}", f"FileKey = {file_key.hex()}", f"Content = {content}",
                  f"Generation = {generation}",
                  f"MacKey = {g.kdf(file_key, b'vershina sealed header', file_id).hex()}",
                  f"Key = {fmt.chunk_key(g, pre, file_key, 0).hex()}", f"Slot = {slot.hex()}", f"Length = {length}",
                  f"Payload = {fmt.payload(g, pre, file_key, counted(length)).hex()}", ""]
    keys = ["[chunk key]"]
    file_key = counted(32, 16)
    pre = fmt.preamble(g, file_key, 12)
    file_id = pre[16:]
    for chunk in (0, 255, 256, 257, 2**40, 2**50 - 1):
        key = fmt.chunk_key(g, pre, file_key, chunk)
        keys += [f"FileId = {file_id.hex()}", f"FileKey = {file_key.hex()}", f"Index = {chunk}", f"Key = {key.hex()}",
                 ""]
    return "\n".join(lines + slots + wraps + keys[:-1]) + "\n"


# ---- The library, through its C ABI ----------------------------------------------------------------------------------

class Recipient(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("secret", ctypes.c_char_p), ("secret_len", ctypes.c_size_t),
                ("iterations", ctypes.c_uint32), ("label", ctypes.c_char_p)]


class Argon2id(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("passes", "memory", "lanes")]


class Status(Exception):
    """The status of a failed function."""


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ("update_capacity", "final_capacity"):
            for kind in ("sealer", "opener"):
                getattr(self.lib, f"vsh_{kind}_{name}").restype = ctypes.c_size_t
        for kind in ("sealer", "opener"):
            getattr(self.lib, f"vsh_{kind}_header_len").restype = ctypes.c_size_t

    def check(self, status):
        if status != 0:
            raise Status(status)

    def _streamed(self, kind, context, data, pieces):
        out, got = b"", ctypes.c_size_t(0)
        for piece in (data[i:i + pieces] for i in range(0, len(data), pieces)):
            room = getattr(self.lib, f"vsh_{kind}_update_capacity")(context, ctypes.c_size_t(len(piece)))
            buffer = ctypes.create_string_buffer(max(1, room))
            update = getattr(self.lib, f"vsh_{kind}_update")
            self.check(update(context, buffer, ctypes.c_size_t(room), ctypes.byref(got), piece,
                              ctypes.c_size_t(len(piece))))
            out += buffer.raw[:got.value]
        room = getattr(self.lib, f"vsh_{kind}_final_capacity")(context)
        buffer = ctypes.create_string_buffer(room)
        self.check(getattr(self.lib, f"vsh_{kind}_final")(context, buffer, ctypes.c_size_t(room), ctypes.byref(got)))
        return out + buffer.raw[:got.value]

    def seal(self, plaintext, recipients, chunk_len, pieces, slot_len=0):
        sealer = ctypes.c_void_p()
        self.check(self.lib.vsh_sealer_new(ctypes.byref(sealer), ctypes.c_size_t(chunk_len), None))
        self.check(self.lib.vsh_sealer_set_slot_len(sealer, ctypes.c_size_t(slot_len)))
        for kind, secret, cost, label in recipients:
            r = Recipient(kind, secret, len(secret), cost if isinstance(cost, int) else 0, label)
            if not isinstance(cost, int):
                self.check(self.lib.vsh_sealer_set_argon2id(sealer, ctypes.byref(Argon2id(*cost))))
            self.check(self.lib.vsh_sealer_add_recipient(sealer, ctypes.byref(r)))
        header = ctypes.create_string_buffer(self.lib.vsh_sealer_header_len(sealer))
        self.check(self.lib.vsh_sealer_header(sealer, header, ctypes.c_size_t(len(header))))
        sealed = header.raw + self._streamed("sealer", sealer, plaintext, pieces)
        self.lib.vsh_sealer_free(sealer)
        return sealed

    def open(self, data, kind, secret, pieces):
        opener, r = ctypes.c_void_p(), Recipient(kind, secret, len(secret), 0, None)
        self.check(self.lib.vsh_opener_new(ctypes.byref(opener), data, ctypes.c_size_t(len(data)), ctypes.c_uint64(0),
                                           None))
        try:
            self.check(self.lib.vsh_opener_unlock(opener, ctypes.byref(r)))
            return self._streamed("opener", opener, data[self.lib.vsh_opener_header_len(opener):], pieces)
        finally:
            self.lib.vsh_opener_free(opener)


def both_ways(g, library, rng, argon2id):
    """Opens files of each with the other; returns their number."""
    num = 0
    for length in (0, 1, 4095, 4096, 4097, 3 * 4096, 5 * 4096 + 17):
        plaintext = rng.randbytes(length)
        recipients = ((KEY, rng.randbytes(rng.randint(32, 64)), 0, "ключ".encode()),
                      (PASSPHRASE, b"passphrase %d" % length, 1000, b""))
        if argon2id and length < 4097:
            lanes = rng.randint(1, 5)
            cost = (rng.randint(1, 3), 8 * lanes + rng.randint(0, 30), lanes)
            recipients += ((PASSPHRASE, b"argon2id %d" % length, cost, "пароль".encode()),)
        slot_len = rng.choice(fmt.SLOT_LENGTHS[len(recipients) > 2:])
        ours = library.seal(plaintext, recipients, 4096, rng.randint(1000, 70000), slot_len)
        file_key = rng.randbytes(32)
        pre = fmt.preamble(g, file_key, 12)
        entries = [fmt.recipient(g, pre, file_key, *r[:2], rng.randbytes(32), *r[2:]) for r in recipients]
        slot = fmt.slot(g, pre, file_key, 1, entries, slot_len)
        theirs = slot + slot + fmt.payload(g, pre, file_key, plaintext)
        assert len(ours) == len(theirs), ("lengths", length, slot_len)
        for kind, secret, *_ in recipients:
            assert b"".join(fmt.open_chunks(g, ours, kind, secret)) == plaintext, ("library's file", length, kind)
            assert library.open(theirs, kind, secret, rng.randint(1000, 70000)) == plaintext, ("our file", length, kind)
            num += 2
    return num


def long_file(g, library, rng):
    """Chunks before and after a change of the key, shared by 256 chunks."""
    plaintext, key = rng.randbytes(514 * 4096 + 5), rng.randbytes(32)
    sealed = library.seal(plaintext, ((KEY, key, 0, None),), 4096, 1000003)
    wanted = (0, 255, 256, 511, 512, 514)
    chunks = fmt.open_chunks(g, sealed, KEY, key, wanted)
    assert chunks == [plaintext[i * 4096:(i + 1) * 4096] for i in wanted]


def main():
    try:
        g = primitives.Gost(primitives.Engine())
    except primitives.Missing as missing:
        print(f"skipped: {missing}")
        return 77
    if sys.argv[1:] == ["--vectors"]:
        sys.stdout.write(vectors(g))
        return 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(VECTORS, encoding="utf-8") as stored:
        assert stored.read() == vectors(g), "tests/vectors/sealed.vec is not what --vectors prints"
    seed = int(os.environ.get("VERSHINA_TEST_SEED", "1"), 0)
    library, rng = Library(sys.argv[1]), random.Random(seed)
    try:
        ctypes.CDLL("libargon2.so.1")
        argon2id = True
    except OSError:
        argon2id = False
    num = both_ways(g, library, rng, argon2id)
    long_file(g, library, rng)
    print(f"seed {seed}: {num} files of one implementation opened by the other; vectors made again")
    if not argon2id:
        print("skipped: libargon2 is not installed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
