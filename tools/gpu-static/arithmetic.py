"""Semantics of instructions: values of their destinations from values of their sources.

A value is a number of 32 bits, or of 64 where the instruction has such. Predicates are 0 and 1.
"""

import functools
import math
import operator
import struct

from sass import Unknown

M32, M64 = 0xffffffff, 0xffffffffffffffff


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
                total = total + (int(x == 0) << 32)
    return [total & M32, int(total >> 32 >= 1), int(total >> 32 >= 2)][:num_writes]


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
    over = int(partial < c) | int(value < partial)
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
    shift = shift & bits - 1 if "W" in m else choose(int(shift < bits), shift, bits)
    if "L" in m:
        return [(c << 32 | a) << shift >> 32 & M32 if "HI" in m else a << shift & M32]
    ones, x = (M32, c) if "HI" in m else (M64, c << 32 | a)
    moved = x >> shift
    if m & {"S32", "S64"}:
        moved = moved | (x >> ones.bit_length() - 1) * (ones ^ (ones >> shift))
    return [moved & M32]


def logic(table, a, b, c, ones):
    """The function of an instruction's table, bit 4 a + 2 b + c."""
    terms = [(a if k & 4 else a ^ ones) & (b if k & 2 else b ^ ones) & (c if k & 1 else c ^ ones)
             for k in range(8) if table >> k & 1]
    return functools.reduce(operator.or_, terms, 0)


def _lop3(one, v, num_writes):
    a, b, c, table = v[:4]
    if one.reads[4:] not in ([], ["!PT"], ["!UPT"]):
        raise Unknown(str(one))
    out = logic(table, a, b, c, M32)
    return [int(out != 0), out] if num_writes == 2 else [out]  # a predicate before the register: whether it is not 0


def _plop3(_, v, __):
    return [logic(table, *v[:3], 1) for table in v[3:5]]


_COMPARE = {"EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b,
            "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}
_JOIN = {"AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b}


def _isetp(one, v, _):
    a, b, other, *lower = v
    compare = next(_COMPARE[m] for m in one.name.split(".") if m in _COMPARE)
    join = next(_JOIN[m] for m in one.name.split(".") if m in _JOIN)
    if "U32" not in one.modifiers:
        a, b = _ordered(a), _ordered(b)
    result = int(compare(a, b))
    if "EX" in one.modifiers:
        result = choose(int(a == b), lower[0], result)
    return [join(result, other), join(1 ^ result, other)]


def _sel(_, v, __):
    return [choose(v[2], v[0], v[1])]


def _prmt(one, v, _):
    a, selector, b = v[:3]
    if one.modifiers:
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
    return [v[0].bit_count()]


def _minmax(one, v, _):
    a, b, smaller = v[:3]
    less = int(a < b) if "U32" in one.modifiers else int(_ordered(a) < _ordered(b))
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

def _bits(x):
    """Of the number of 32 bits that is nearest to x."""
    try:
        return int.from_bytes(struct.pack("<f", x), "little")
    except OverflowError:
        return 0x7f800000


def _float(bits):
    return struct.unpack("<f", bits.to_bytes(4, "little"))[0]


def _i2f(one, v, _):
    if not one.modifiers & {"U32", "U64"}:
        raise Unknown(str(one))
    near = _bits(v[0])
    return [near + 1 if "RP" in one.modifiers and _float(near) < v[0] else near]  # RP: towards more


def _mufu(one, v, _):
    if "RCP" not in one.modifiers:
        raise Unknown(str(one))
    x = _float(v[0])
    return [_bits(1 / x if x else math.inf)]


def _f2i(one, v, _):
    x, most = _float(v[0]), M64 if "U64" in one.modifiers else M32
    return [0 if not x > 0 else most if x >= most else int(x)]


RULES = {"MOV": _mov, "R2UR": _mov, "S2R": _mov, "S2UR": _mov, "CS2R": _mov, "IADD3": _iadd3, "VIADD": _viadd,
         "IMAD": _imad, "LEA": _lea, "SHF": _shf, "LOP3": _lop3, "PLOP3": _plop3, "ISETP": _isetp, "SEL": _sel,
         "PRMT": _prmt, "POPC": _popc, "IMNMX": _minmax, "VIMNMX": _minmax, "VIADDMNMX": _viaddmnmx, "I2F": _i2f,
         "MUFU": _mufu, "F2I": _f2i, "HFMA2": _hfma2}


def rule(opcode):
    """The rule of an opcode, or None. Uniform instructions compute like others."""
    return RULES.get(opcode) or RULES.get(opcode.removeprefix("U"))
