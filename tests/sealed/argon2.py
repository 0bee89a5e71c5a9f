"""Argon2id in plain Python, from RFC 9106 alone: slow, for a few KiB of memory."""
from hashlib import blake2b

WORDS = 128  # of 64 bits in a block
SLICES = 4
MASK = (1 << 64) - 1


def le32(number):
    return number.to_bytes(4, "little")


def hash_to(length, data):
    """H', clause 3.3."""
    if length <= 64:
        return blake2b(le32(length) + data, digest_size=length).digest()
    v = blake2b(le32(length) + data).digest()
    out = v[:32]
    for _ in range(-(-length // 32) - 3):
        v = blake2b(v).digest()
        out += v[:32]
    return out + blake2b(v, digest_size=length - len(out)).digest()


def words(data):
    return [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]


def gb(v, a, b, c, d):
    """Clause 3.6."""
    for first, second in ((32, 24), (16, 63)):
        v[a] = (v[a] + v[b] + 2 * (v[a] & 0xffffffff) * (v[b] & 0xffffffff)) & MASK
        x = v[d] ^ v[a]
        v[d] = (x >> first | x << (64 - first)) & MASK
        v[c] = (v[c] + v[d] + 2 * (v[c] & 0xffffffff) * (v[d] & 0xffffffff)) & MASK
        x = v[b] ^ v[c]
        v[b] = (x >> second | x << (64 - second)) & MASK


def permute(v, at):
    for column in range(4):
        gb(v, *(at[column + 4 * row] for row in range(4)))
    for column in range(4):
        gb(v, *(at[(column + row) % 4 + 4 * row] for row in range(4)))


ROWS = [[16 * row + i for i in range(16)] for row in range(8)]
COLUMNS = [[16 * row + 2 * column + i for row in range(8) for i in (0, 1)] for column in range(8)]


def compress(x, y):
    """G, clause 3.5."""
    r = [a ^ b for a, b in zip(x, y)]
    z = list(r)
    for at in ROWS + COLUMNS:
        permute(z, at)
    return [a ^ b for a, b in zip(z, r)]


def argon2id(password, salt, passes, memory, lanes, length, secret=b"", associated=b""):
    """Clause 3.2; memory in KiB."""
    h0 = blake2b(b"".join(map(le32, (lanes, length, memory, passes, 0x13, 2)))
                 + b"".join(le32(len(x)) + x for x in (password, salt, secret, associated))).digest()
    segment = memory // (SLICES * lanes)
    columns = SLICES * segment
    b = [[words(hash_to(1024, h0 + le32(j) + le32(lane))) for j in (0, 1)] + [None] * (columns - 2)
         for lane in range(lanes)]

    def addresses(turn, lane, slice_):
        """Clause 3.4.1.2: as many pseudo-random words as a segment has blocks."""
        out, zero, counter = [], [0] * WORDS, 0
        while len(out) < segment:
            counter += 1
            z = [turn, lane, slice_, columns * lanes, passes, 2, counter] + [0] * (WORDS - 7)
            out += compress(zero, compress(zero, z))
        return out

    def reference(turn, lane, slice_, index, j1_j2):
        """Clause 3.4.2: the lane and the column."""
        j1, j2 = j1_j2 & 0xffffffff, j1_j2 >> 32
        other = lane if turn == 0 and slice_ == 0 else j2 % lanes
        finished = (slice_ if turn == 0 else SLICES - 1) * segment
        size = finished + index - 1 if other == lane else finished - (index == 0)
        back = size - 1 - (size * (j1 * j1 >> 32) >> 32)
        start = 0 if turn == 0 else (slice_ + 1) % SLICES * segment
        return other, (start + back) % columns

    for turn in range(passes):
        for slice_ in range(SLICES):
            for lane in range(lanes):
                independent = addresses(turn, lane, slice_) if turn == 0 and slice_ < 2 else None
                for index in range(2 if turn == 0 and slice_ == 0 else 0, segment):
                    j = slice_ * segment + index
                    previous = b[lane][j - 1]  # the last one before the first
                    l, z = reference(turn, lane, slice_, index, independent[index] if independent else previous[0])
                    block = compress(previous, b[l][z])
                    b[lane][j] = block if turn == 0 else [x ^ y for x, y in zip(block, b[lane][j])]
    last = b[0][-1]
    for lane in range(1, lanes):
        last = [x ^ y for x, y in zip(last, b[lane][-1])]
    return hash_to(length, b"".join(word.to_bytes(8, "little") for word in last))


# Clause 5.3.
assert argon2id(b"\1" * 32, b"\2" * 16, 3, 32, 4, 32, b"\3" * 8, b"\4" * 12).hex() == (
    "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
