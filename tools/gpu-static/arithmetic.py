"""Semantics of instructions: values of their destinations from values of their sources.

A value is a number shared by all threads (int), or one for each thread (a numpy array): of 32 bits if that suffices for
the instruction (`fits_words`), else of 64. Predicates are 0 and 1.
"""

import functools
import struct

import numpy

from sass import Unknown

M32, M64 = 0xffffffff, 0xffffffffffffffff


def _bit(condition):
    return condition.astype(numpy.uint64) if isinstance(condition, numpy.ndarray) else int(condition)


def choose(condition, a, b):
    """a where the condition is 1, b where it is 0."""
    return b ^ (a ^ b) * condition


def _extended(x):
    """A signed number of 32 bits, modulo 2^64."""
    return (x ^ 0x80000000) + (M64 - 0x7fffffff) & M64


def _ordered(x):
    """Order of signed numbers as that of unsigned ones."""
    return x ^ 0x80000000


def _mov(_, v, __):
    return v[:1]


def _iadd3(one, v, num_writes):
    total = v[0] + v[1] + v[2]
    if "X" in one.modifiers:
        total = total + sum(v[3:])
    else:  # a negative term is its complement and one: of 0 that is 2^32, which carries
        for text, x in zip(one.reads[:3], v):
            if text.startswith("-") and not text.startswith("-0x"):
                total = total + (_bit(x == 0) << 32)
    return [total & M32, _bit(total >> 32 >= 1), _bit(total >> 32 >= 2)][:num_writes]


def _viadd(_, v, __):
    return [v[0] + v[1] & M32]


def _imad(one, v, num_writes):
    m = one.modifiers
    a, b, c, *carry = v
    carry = sum(carry) if "X" in m else 0
    if "WIDE" not in m and "HI" not in m:
        return [a * b + c + carry & M32]
    if "U32" not in m:
        a, b = _extended(a), _extended(b)
    product = a * b & M64
    partial = product + c & M64
    value = partial + carry & M64
    over = _bit(partial < c) | _bit(value < partial)
    return [value >> 32 if "HI" in m else value, over][:num_writes]


def _lea(one, v, num_writes):
    if "HI" in one.modifiers and "SX32" not in one.modifiers:
        a, b, c, shift, *carry = v
    else:
        a, b, shift, *carry = v
        c = (a >> 31) * M32 if "SX32" in one.modifiers else 0
    moved = (c << 32 | a) << shift
    total = (moved >> 32 if "HI" in one.modifiers else moved) & M32
    total = total + b + (sum(carry) if "X" in one.modifiers else 0)
    return [total & M32, total >> 32][:num_writes]


def _shf(one, v, _):
    m = one.modifiers
    a, shift, c = v[:3]
    bits = 64 if m & {"U64", "S64"} else 32
    shift = shift & bits - 1 if "W" in m else choose(_bit(shift < bits), shift, bits)
    if "L" in m:
        return [(c << 32 | a) << shift >> 32 & M32 if "HI" in m else a << shift & M32]
    ones, x = (M32, c) if "HI" in m else (M64, c << 32 | a)
    moved = x >> shift
    if m & {"S32", "S64"}:
        moved = moved | (x >> ones.bit_length() - 1) * (ones ^ (ones >> shift))
    return [moved & M32]


@functools.cache
def _expressions():
    """For each function of three bits the text of an expression, `n` for all ones, and of few operations."""
    found = {0xf0: "a", 0xcc: "b", 0xaa: "c", 0x00: "0", 0xff: "n"}
    costs = [dict(found)]
    while len(found) < 256:
        fresh = {}
        for i, left in enumerate(costs):  # so that it has len(costs) operations
            for x, p in left.items():
                for y, q in costs[len(costs) - 1 - i].items():
                    for table, sign in ((x & y, "&"), (x | y, "|"), (x ^ y, "^")):
                        if table not in found and table not in fresh:
                            fresh[table] = f"({p} {sign} {q})"
        found.update(fresh)
        costs.append(fresh)
    return found


@functools.cache
def logic(table, zeros=(False, False, False)):
    """f(a, b, c, n): the function of an instruction's table, bit 4 a + 2 b + c. zeros: which of them are 0."""
    for weight, zero in zip((4, 2, 1), zeros):
        if zero:
            table = sum((table >> (k & ~weight) & 1) << k for k in range(8))
    return eval(f"lambda a, b, c, n: {_expressions()[table]}")  # text built here


def _lop3(one, v, num_writes):
    a, b, c, table = v[:4]
    if one.reads[4:] not in ([], ["!PT"], ["!UPT"]):
        raise Unknown(str(one))
    out = logic(table, tuple(isinstance(x, int) and x == 0 for x in (a, b, c)))(a, b, c, M32)
    return [_bit(out != 0), out] if num_writes == 2 else [out]  # a predicate before the register: whether it is not 0


def _plop3(_, v, __):
    return [logic(table)(*v[:3], 1) for table in v[3:5]]


_COMPARE = {"EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b,
            "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}
_JOIN = {"AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b}


def _isetp(one, v, _):
    a, b, other, *lower = v
    compare = next(_COMPARE[m] for m in one.name.split(".") if m in _COMPARE)
    join = next(_JOIN[m] for m in one.name.split(".") if m in _JOIN)
    if "U32" not in one.modifiers:
        a, b = _ordered(a), _ordered(b)
    result = _bit(compare(a, b))
    if "EX" in one.modifiers:
        result = choose(_bit(a == b), lower[0], result)
    return [join(result, other), join(1 ^ result, other)]


def _sel(_, v, __):
    return [choose(v[2], v[0], v[1])]


def _prmt(one, v, _):
    a, selector, b = v[:3]
    if one.modifiers or not isinstance(selector, int):
        raise Unknown(str(one))
    moved, signs = {}, {}  # bytes of the result: by word and distance; by word and which byte's sign
    for i in range(4):
        nibble = selector >> 4 * i & 15
        word, byte = divmod(nibble & 7, 4)
        if nibble & 8:
            signs[word, byte] = signs.get((word, byte), 0) | 255 << 8 * i
        else:
            moved[word, i - byte] = moved.get((word, i - byte), 0) | 255 << 8 * i
    out = 0
    for (word, distance), mask in moved.items():
        x = b if word else a
        out = out | (x << 8 * distance if distance > 0 else x >> -8 * distance) & mask
    for (word, byte), mask in signs.items():
        out = out | ((b if word else a) >> 8 * byte + 7 & 1) * mask
    return [out]


def _popc(_, v, __):
    return [v[0].bit_count() if isinstance(v[0], int) else numpy.bitwise_count(v[0]).astype(numpy.uint64)]


def _minmax(one, v, _):
    a, b, smaller = v[:3]
    less = _bit(a < b) if "U32" in one.modifiers else _bit(_ordered(a) < _ordered(b))
    chosen = choose(less ^ smaller ^ 1, a, b)
    return [chosen * (chosen >> 31 ^ 1) if "RELU" in one.modifiers else chosen]


def _hfma2(one, v, _):
    """Two halves of a constant: used by compilers to load one when the other pipe is full."""
    if v[:2] != [0, 0] or len(one.reads) != 4:
        raise Unknown(str(one))
    high, low = (struct.pack("<e", float(text)) for text in one.reads[2:])
    return [int.from_bytes(low + high, "little")]


def _viaddmnmx(one, v, _):
    a, b, c, smaller = v[:4]
    return _minmax(one, [a + b & M32, c, smaller], 1)


# Divisions of public numbers, compiled to a reciprocal and corrections. A device's reciprocal may differ in its last
# bit; the corrected result is the same.

def _of_arrays(rule):
    """Applies a rule for arrays to numbers, too."""
    def either(one, v, num_writes):
        if isinstance(v[0], numpy.ndarray):
            return [rule(one, v[0])]
        return [int(rule(one, numpy.array([v[0]], numpy.uint64))[0])]
    return either


@_of_arrays
def _i2f(one, x):
    if not one.modifiers & {"U32", "U64"}:
        raise Unknown(str(one))
    near = x.astype(numpy.float32)
    if "RP" in one.modifiers:  # towards more
        fits = near < 2.0**64
        below = fits & (numpy.where(fits, near, 0).astype(numpy.uint64) < x)
        near = numpy.where(below, numpy.nextafter(near, numpy.float32(numpy.inf)), near)
    return near.view(numpy.uint32).astype(numpy.uint64)


def _floats(bits):
    return bits.astype(numpy.uint32).view(numpy.float32).astype(numpy.float64)


@_of_arrays
def _mufu(one, x):
    if "RCP" not in one.modifiers:
        raise Unknown(str(one))
    with numpy.errstate(divide="ignore", over="ignore"):
        return (1 / _floats(x)).astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)


@_of_arrays
def _f2i(one, x):
    most = M64 if "U64" in one.modifiers else M32
    x = _floats(x)
    inside = (x > 0) & (x < float(most))
    return numpy.where(x >= float(most), numpy.uint64(most), numpy.where(inside, x, 0).astype(numpy.uint64))


RULES = {"MOV": _mov, "R2UR": _mov, "S2R": _mov, "S2UR": _mov, "CS2R": _mov, "IADD3": _iadd3, "VIADD": _viadd,
         "IMAD": _imad, "LEA": _lea, "SHF": _shf, "LOP3": _lop3, "PLOP3": _plop3, "ISETP": _isetp, "SEL": _sel,
         "PRMT": _prmt, "POPC": _popc, "IMNMX": _minmax, "VIMNMX": _minmax, "VIADDMNMX": _viaddmnmx, "I2F": _i2f,
         "MUFU": _mufu, "F2I": _f2i, "HFMA2": _hfma2}


def rule(opcode):
    """The rule of an opcode, or None. Uniform instructions compute like others."""
    return RULES.get(opcode) or RULES.get(opcode.removeprefix("U"))


def fits_words(one):
    """Whether the rule reads and writes only the low 32 bits of values."""
    opcode, m = one.opcode.removeprefix("U"), one.modifiers
    if opcode == "IMAD":
        return not m & {"WIDE", "HI", "X"}
    if opcode == "SHF":
        return "S64" not in m and ("HI" in m) != ("L" in m)
    return opcode in ("MOV", "LOP3", "PRMT", "S2R", "S2UR", "CS2R", "R2UR")
