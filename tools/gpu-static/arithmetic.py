"""What instructions compute: values of their sources to values of their destinations; None where that is not known."""

import struct

M32 = 0xffffffff


def _signed(x, bits=32):
    return x - (1 << bits) if x >> (bits - 1) else x


def _float(bits):
    return struct.unpack("<f", struct.pack("<I", bits & M32))[0]


def _float_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def _mov(one, v, _):
    return v[-2:] if one.opcode == "IMAD" else v[:1]


def _iadd3(one, v, num_writes):
    terms, carries = v[:3], v[3:]
    if None in terms or "X" in one.modifiers and None in carries:
        return None
    total = sum(terms) + (sum(carries) if "X" in one.modifiers else 0)
    # A negative term is its complement and one: of 0 that is 2^32, which carries.
    if "X" not in one.modifiers:
        negated = [text.startswith("-") and not text.startswith("-0x") for text in one.reads[:3]]
        total += sum(1 << 32 for negative, x in zip(negated, terms) if negative and x == 0)
    return [total & M32, int(total >> 32 >= 1), int(total >> 32 >= 2)][:num_writes]


def _viadd(_, v, __):
    return None if None in v[:2] else [v[0] + v[1] & M32]


def _imad(one, v, num_writes):
    m = one.modifiers
    a, b, c, *carry = v
    if 0 in (a, b):
        product = 0
    elif None in (a, b):
        return None
    else:
        product = a * b if "U32" in m or not m & {"WIDE", "HI"} else _signed(a) * _signed(b)
    if c is None or "X" in m and None in carry:
        return None
    if "WIDE" not in m and "HI" not in m:
        return [product + c + (sum(carry) if "X" in m else 0) & M32]
    total = (product & (1 << 64) - 1) + c + (sum(carry) if "X" in m else 0)
    value = total & (1 << 64) - 1
    return [value >> 32 if "HI" in m else value, total >> 64][:num_writes]


def _lea(one, v, num_writes):
    if "HI" in one.modifiers:
        if "SX32" in one.modifiers:
            a, b, shift, *carry = v
            if a is None:
                return None
            c = M32 if a >> 31 else 0
        else:
            a, b, c, shift, *carry = v
    else:
        a, b, shift, *carry = v
        c = 0
    if None in (a, b, c, shift) or "X" in one.modifiers and None in carry:
        return None
    moved = (c << 32 | a) << shift
    total = (moved >> 32 if "HI" in one.modifiers else moved) & M32
    total += b + (sum(carry) if "X" in one.modifiers else 0)
    return [total & M32, total >> 32][:num_writes]


def _shf(one, v, _):
    m = one.modifiers
    a, shift, c = v[:3]
    if shift is None:
        return None
    bits = 64 if m & {"U64", "S64"} else 32
    shift = shift & bits - 1 if "W" in m else min(shift, bits)
    high = "HI" in m
    if "L" in m:
        a, c = (0 if a is None and shift >= 32 else a), (0 if not high else c)
        if None in (a, c):
            return None
        moved = (c << 32 | a) << shift
    else:
        if c is None or a is None and not high:
            return None
        a = a or 0
        whole = c << 32 | a
        if m & {"S32", "S64"}:
            whole = _signed(whole, 64)
        moved = whole >> shift
    return [moved >> 32 & M32 if high else moved & M32]


def _lop3(one, v, num_writes):
    a, b, c, table = v[:4]
    if None in (a, b, c, table):
        return None
    out = 0
    for k in range(8):
        if table >> k & 1:
            out |= (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
    out &= M32
    if num_writes == 2:  # a predicate before the register: whether it is not 0
        return [int(out != 0), out]
    return [out]


def _plop3(_, v, __):
    out = []
    for table in v[3:5]:
        if table is None:
            return None
        # Unknown inputs matter only where the table says so.
        choices = {0}
        for x in v[:3]:
            choices = {2 * k + bit for k in choices for bit in ((0, 1) if x is None else (x,))}
        results = {table >> k & 1 for k in choices}
        out.append(results.pop() if len(results) == 1 else None)
    return out


_COMPARE = {"EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b,
            "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}
_JOIN = {"AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b}


def _isetp(one, v, _):
    a, b, other, *lower = v
    name = next(m for m in one.name.split(".") if m in _COMPARE)
    join = next(m for m in one.name.split(".") if m in _JOIN)
    if None in (a, b) or "EX" in one.modifiers and None in lower:
        return None
    if "U32" not in one.modifiers and not ("EX" in one.modifiers and name in ("EQ", "NE")):
        a, b = _signed(a), _signed(b)
    result = int(_COMPARE[name](a, b))
    if "EX" in one.modifiers and a == b:
        result = lower[0]
    if other is None:
        return None
    return [_JOIN[join](result, other), _JOIN[join](1 - result, other)]


def _sel(_, v, __):
    a, b, choice = v[:3]
    if choice is None:
        return [a if a == b else None]
    return [a if choice else b]


def _prmt(one, v, _):
    a, selector, b = v[:3]
    if selector is None or one.modifiers:
        return None
    out = 0
    for i in range(4):
        nibble = selector >> 4 * i & 15
        word = a if nibble & 7 < 4 else b
        if word is None:
            return None
        byte = word >> 8 * (nibble & 3) & 255
        out |= (255 * (byte >> 7) if nibble & 8 else byte) << 8 * i
    return [out]


def _popc(_, v, __):
    return None if v[0] is None else [v[0].bit_count()]


def _minmax(one, v, _):
    a, b, smaller = v[:3]
    if None in (a, b, smaller):
        return None
    key = (lambda x: x) if "U32" in one.modifiers else _signed
    return [min(a, b, key=key) if smaller else max(a, b, key=key)]


def _hfma2(one, v, _):
    """Two halves of a constant: how compilers load one where the other pipe has no room."""
    if v[:2] != [0, 0] or len(one.reads) != 4:
        return None
    high, low = (struct.pack("<e", float(text)) for text in one.reads[2:])
    return [int.from_bytes(low + high, "little")]


def _viaddmnmx(one, v, _):
    a, b, c, smaller = v[:4]
    if None in (a, b, c, smaller):
        return None
    return _minmax(one, [a + b & M32, c, smaller], 1)


# Divisions of public numbers, which compilers make of a reciprocal and corrections.

def _i2f(_, v, __):
    return None if v[0] is None else [_float_bits(float(v[0]))]


def _mufu(one, v, _):
    if v[0] is None or "RCP" not in one.modifiers:
        return None
    return [_float_bits(1 / _float(v[0])) if _float(v[0]) else 0x7f800000]


def _f2i(_, v, __):
    if v[0] is None:
        return None
    x = _float(v[0])
    return [M32 if x == float("inf") else max(0, int(x))]


RULES = {"MOV": _mov, "S2R": _mov, "S2UR": _mov, "R2UR": _mov, "CS2R": _mov, "IADD3": _iadd3, "VIADD": _viadd, "IMAD":
         _imad, "LEA": _lea, "SHF": _shf, "LOP3": _lop3, "PLOP3": _plop3, "ISETP": _isetp, "SEL": _sel, "PRMT": _prmt,
         "POPC": _popc, "IMNMX": _minmax, "VIMNMX": _minmax, "VIADDMNMX": _viaddmnmx, "I2F": _i2f, "MUFU": _mufu,
         "F2I": _f2i, "HFMA2": _hfma2}
