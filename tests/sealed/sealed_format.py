"""Sealed files from docs/sealed-format.md alone; not a line of the library."""
MAGIC, END = b"\x89VSH\r\n\x1a\n", b"\x89VSHEND\n"
SLOT, TAG = 4096, 16
PASSPHRASE, KEY = 1, 2


class Refused(Exception):
    pass


def preamble(chunk_log2, file_id, content=0):
    return MAGIC + b"\0\1" + b"\1\1" + bytes([chunk_log2, content]) + bytes(18) + file_id


def wrapping_key(g, kind, secret, salt, iterations):
    if kind == PASSPHRASE:
        return g.kdf(g.pbkdf2(secret, salt, iterations), b"vershina sealed passphrase", salt)
    return g.kdf(secret, b"vershina sealed key", salt)


def recipient(g, pre, file_key, kind, secret, salt, iterations):
    head = bytes([kind, 0, 0, 0]) + iterations.to_bytes(4, "big") + bytes(8) + salt
    return head + g.seal(wrapping_key(g, kind, secret, salt, iterations), bytes(16), pre + head, file_key)


def slot(g, pre, file_key, generation, recipients):
    body = pre + generation.to_bytes(8, "big") + bytes([len(recipients)]) + bytes(7) + b"".join(recipients)
    body = body.ljust(4032, b"\0")
    body += g.hmac(256, g.kdf(file_key, b"vershina sealed header", pre[32:64]), body)
    return body + g.engine.streebog(256, body)


def chunk_key(g, pre, file_key, i):
    return g.kdf(file_key, b"vershina sealed payload", pre[32:64] + (i // 256).to_bytes(8, "big"))


def nonce(i, is_last):
    return bytes(7) + bytes([is_last]) + i.to_bytes(8, "big")


def payload(g, pre, file_key, plaintext):
    size = 1 << pre[12]
    num = max(1, -(-len(plaintext) // size))
    out = b""
    for i in range(num):
        chunk = plaintext[i * size:(i + 1) * size]
        out += g.seal(chunk_key(g, pre, file_key, i), nonce(i, i == num - 1), pre, chunk)
    return out + END


def read_slot(g, bytes_):
    """None where the slot is not whole."""
    if bytes_[:10] != MAGIC + b"\0\1" or g.engine.streebog(256, bytes_[:4064]) != bytes_[4064:]:
        return None
    r = bytes_[72]
    is_fine = (bytes_[10:12] == b"\1\1" and 12 <= bytes_[12] <= 24 and bytes_[13] <= 1 and not any(bytes_[14:32])
               and any(bytes_[64:72])
               and 1 <= r <= 32 and not any(bytes_[73:80]) and not any(bytes_[80 + 96 * r:4032]))
    return bytes_ if is_fine else None


def find_key(g, slot_, kind, secret):
    for at in range(80, 80 + 96 * slot_[72], 96):
        entry = slot_[at:at + 96]
        if entry[0] != kind:
            continue
        iterations = int.from_bytes(entry[4:8], "big")
        w = wrapping_key(g, kind, secret, entry[16:48], iterations)
        key = g.open(w, bytes(16), slot_[:64] + entry[:48], entry[48:])
        if key is not None:
            return key
    return None


def is_authentic(g, slot_, key):
    return g.hmac(256, g.kdf(key, b"vershina sealed header", slot_[32:64]), slot_[:4032]) == slot_[4032:4064]


def generation(slot_):
    return int.from_bytes(slot_[64:72], "big")


def unlock(g, header, kind, secret):
    """The slot that holds, and the file key (clause 5)."""
    slots = [s for s in (read_slot(g, header[:SLOT]), read_slot(g, header[SLOT:2 * SLOT])) if s]
    if not slots:
        raise Refused("header")
    slots.sort(key=generation, reverse=True)
    for s in slots:
        key = find_key(g, s, kind, secret)
        if key is None or not is_authentic(g, s, key):
            continue
        if any(generation(t) > generation(s) and is_authentic(g, t, key) for t in slots):
            raise Refused("secret was taken away")
        return s, key
    raise Refused("secret")


def open_chunks(g, data, kind, secret, wanted=None):
    """A list of chunks: those of these numbers, or all."""
    s, key = unlock(g, data[:2 * SLOT], kind, secret)
    pre, rest = s[:64], data[2 * SLOT:]
    if rest[-8:] != END:
        raise Refused("truncated")
    rest, stride = rest[:-8], (1 << s[12]) + TAG
    num = -(-len(rest) // stride)
    last = len(rest) - (num - 1) * stride
    if last < TAG or (last == TAG and num > 1):
        raise Refused("truncated")
    chunks = []
    for i in wanted or range(num):
        sealed = rest[i * stride:(i + 1) * stride]
        chunk = g.open(chunk_key(g, pre, key, i), nonce(i, i == num - 1), pre, sealed)
        if chunk is None:
            raise Refused(f"chunk {i}")
        chunks.append(chunk)
    return chunks
