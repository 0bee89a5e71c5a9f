"""Sealed files, only from docs/sealed-format.md; without the library."""
from argon2 import argon2id

MAGIC, END = b"\x89VSH\r\n\x1a\n", b"\x89VSHEND\n"
SLOT_LENGTHS, MAX_HEADER, TAG = (512, 1024, 2048, 4096, 8192), 16384, 16
PASSPHRASE, KEY = 1, 2
ENTRY = 176  # bytes of a recipient


class Refused(Exception):
    pass


def preamble(g, file_key, chunk_log2, content=0):
    head = MAGIC + b"\0\2" + b"\1\1" + bytes([chunk_log2, content]) + bytes(2)
    return head + g.kdf(file_key, b"vershina sealed file id", head)


def wrap_keys(g, pre, head, secret):
    """The mask of the file key and the key of its MAC for a recipient whose first 112 bytes are head."""
    if head[0] == PASSPHRASE and head[1] == 1:
        secret = g.pbkdf2(secret, head[16:48], int.from_bytes(head[4:8], "big"))
    elif head[0] == PASSPHRASE:
        secret = argon2id(secret, head[16:48], *numbers(head[4:16]), 64)
    return g.kdf(secret, b"vershina sealed wrap", pre + head), g.kdf(secret, b"vershina sealed wrap MAC", pre + head)


def numbers(bytes_):
    return [int.from_bytes(bytes_[i:i + 4], "big") for i in range(0, len(bytes_), 4)]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def recipient(g, pre, file_key, kind, secret, salt, cost, label=b""):
    """cost: of a passphrase the iterations of PBKDF2, or passes, KiB of memory and lanes of argon2id; of a key 0."""
    derivation = 0 if kind == KEY else 1 if isinstance(cost, int) else 2
    parameters = (cost,) if isinstance(cost, int) else cost
    head = bytes([kind, derivation, len(label), 0])
    head += b"".join(n.to_bytes(4, "big") for n in parameters).ljust(12, b"\0")
    head += salt + label.ljust(64, b"\0")
    mask, mac_key = wrap_keys(g, pre, head, secret)
    masked = xor(file_key, mask)
    return head + masked + g.hmac(256, mac_key, masked)


def slot(g, pre, file_key, generation, recipients, length=512):
    body = pre + generation.to_bytes(8, "big") + bytes([length.bit_length() - 1, len(recipients)]) + bytes(6)
    body = (body + b"".join(recipients)).ljust(length - 64, b"\0")
    assert len(body) == length - 64
    body += g.hmac(256, g.kdf(file_key, b"vershina sealed header", pre[16:48]), body)
    return with_digest(g, body + bytes(32))


def with_digest(g, slot_):
    return slot_[:-32] + g.engine.streebog(256, slot_[:-32])


def chunk_key(g, pre, file_key, i):
    return g.kdf(file_key, b"vershina sealed payload", pre[16:48] + (i // 256).to_bytes(8, "big"))


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


def is_label(text):
    try:
        return all(ord(c) >= 0x20 and not 0x7f <= ord(c) < 0xa0 for c in text.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def is_recipient(entry):
    kind, derivation, label_len = entry[:3]
    if (kind, derivation) == (PASSPHRASE, 1):
        is_derivation = int.from_bytes(entry[4:8], "big") >= 1000 and not any(entry[8:16])
    elif (kind, derivation) == (PASSPHRASE, 2):
        passes, memory, lanes = numbers(entry[4:16])
        is_derivation = passes >= 1 and 1 <= lanes <= 64 and memory >= 8 * lanes
    else:
        is_derivation = (kind, derivation) == (KEY, 0) and not any(entry[4:16])
    return (is_derivation and label_len <= 64 and entry[3] == 0
            and is_label(entry[48:48 + label_len]) and not any(entry[48 + label_len:112]))


def entries(slot_):
    return [slot_[at:at + ENTRY] for at in range(64, 64 + ENTRY * slot_[57], ENTRY)]


def intact(g, bytes_, length=None):
    """The slot at the beginning, if its digest is correct, else None."""
    claimed = 4096 if bytes_[8:10] == b"\0\1" else 1 << bytes_[56] if len(bytes_) > 56 else 0
    if bytes_[:8] != MAGIC or claimed not in SLOT_LENGTHS or length not in (None, claimed) or len(bytes_) < claimed:
        return None
    slot_ = bytes_[:claimed]
    return slot_ if with_digest(g, slot_) == slot_ else None


def is_whole(slot_):
    length, r = len(slot_), slot_[57]
    return (slot_[8:12] == b"\0\2\1\1" and 12 <= slot_[12] <= 24 and slot_[13] <= 1 and not any(slot_[14:16])
            and any(slot_[48:56]) and 1 <= r <= min(32, (length - 128) // ENTRY) and not any(slot_[58:64])
            and all(is_recipient(entry) for entry in entries(slot_))
            and not any(slot_[64 + ENTRY * r:length - 64]))


def slots(g, data):
    """Both slots, None for a damaged one, and their length."""
    first = intact(g, data[:MAX_HEADER])
    if first:
        if len(data) < 2 * len(first):
            raise Refused("truncated")
        return first, intact(g, data[len(first):2 * len(first)], len(first)), len(first)
    for length in SLOT_LENGTHS:
        if second := intact(g, data[length:2 * length], length):
            return None, second, length
    raise Refused("header")


def find_key(g, slot_, kind, secret):
    for entry in entries(slot_):
        if entry[0] != kind:
            continue
        mask, mac_key = wrap_keys(g, slot_[:48], entry[:112], secret)
        key = xor(entry[112:144], mask)
        if g.hmac(256, mac_key, entry[112:144]) == entry[144:] and is_authentic(g, slot_, key):
            return key
    return None


def is_authentic(g, slot_, key):
    mac = g.hmac(256, g.kdf(key, b"vershina sealed header", slot_[16:48]), slot_[:-64])
    return slot_[:48] == preamble(g, key, slot_[12], slot_[13]) and mac == slot_[-64:-32]


def generation(slot_):
    return int.from_bytes(slot_[48:56], "big")


def unlock(g, data, kind, secret):
    """The slot in force, and the file key (clause 5)."""
    first, second, _ = slots(g, data)
    both = [s for s in (first, second) if s]
    if not all(map(is_whole, both)):
        raise Refused("unknown")
    if len(both) == 2 and both[0] != both[1] and (
            both[0][:48] != both[1][:48] or generation(both[0]) == generation(both[1])):
        raise Refused("tampered")
    both.sort(key=generation, reverse=True)
    key = find_key(g, both[0], kind, secret)
    if key is None:
        raise Refused("secret")
    if not all(is_authentic(g, s, key) for s in both[1:]):
        raise Refused("tampered")
    return both[0], key


def open_chunks(g, data, kind, secret, wanted=None):
    """A list of chunks: those with these numbers, or all."""
    s, key = unlock(g, data, kind, secret)
    pre, rest = s[:48], data[2 * len(s):]
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
