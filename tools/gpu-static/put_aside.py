"""Predicates that compilers spill to registers, if they have too few, and restore from there.

They are described by facts of secrets_flow.State: the instruction that computed the predicate.
"""

import functools
import re

import sass


@functools.cache
def _sources(test):
    """The registers read by a test."""
    bits = 0
    for text in test[1:]:
        for kind, number, _ in sass.registers(text):
            bits |= sass.mask(kind, number)
    return bits


def changes(one, test):
    """Whether the instruction may change the outcome of a test made before it."""
    if not one.written & _sources(test):
        return False
    bits = _bits(test[0], test[1:])
    return bits is None or one.writes != [test[1]] or not _spares(one, bits)


def _bits(name, reads):
    """The bits tested by "LOP3.LUT P0,RZ,Rx,0x…"."""
    if name == "LOP3.LUT" and reads[2:] == ("RZ", "0xc0", "!PT") and reads[1].startswith("0x"):
        return int(reads[1], 16)
    return None


def _spares(one, bits):
    """Whether Rx = Rx & constant, or Rx | constant, leaves these bits unchanged."""
    if one.name != "LOP3.LUT" or one.reads[0] != one.writes[0] or one.reads[2] != "RZ" or one.reads[1][:2] != "0x":
        return False
    constant, table = int(one.reads[1], 16), one.reads[3]
    return table == "0xc0" and bits & ~constant == 0 or table == "0xfc" and bits & constant == 0


def restored(one, state):
    """The fact restored by a test of a copy's bit: ISETP.NE Rx,RZ, or LOP3 Rx & bit."""
    first = sass.registers(one.reads[0]) if one.reads else []
    bits = state.copies.get(first[0][1]) if first and first[0][0] == "R" else None
    if not bits:
        return None
    if one.name in ("ISETP.NE.AND", "ISETP.NE.U32.AND", "ISETP.EQ.AND", "ISETP.EQ.U32.AND") and len(bits) == 1 and \
            one.reads[1:] == ["RZ", "PT"]:
        fact = next(iter(bits.values()))
        return fact if "NE" in one.modifiers else _negated(fact)
    if one.name == "LOP3.LUT" and one.writes[1:] == ["RZ"] and one.reads[2:] == ["RZ", "0xc0", "!PT"]:
        tested = int(one.reads[1], 16) if one.reads[1].startswith("0x") else 0
        return bits.get(tested.bit_length() - 1) if tested.bit_count() == 1 else None
    return None


def flag(one, state):
    """The fact of the flag tested by "LOP3 P0,RZ,Rx,bit"."""
    if one.name != "LOP3.LUT" or one.writes[1:] != ["RZ"] or one.reads[2:] != ["RZ", "0xc0", "!PT"]:
        return None
    tested = int(one.reads[1], 16) if one.reads[1].startswith("0x") else 0
    return state.flags.get(_number(one.reads[0]), {}).get(tested.bit_length() - 1) if tested.bit_count() == 1 else None


def flags_behind(one, before, flags):
    """Flags after the instruction: "Rx = Rx & ~bit" clears one, and "@P0 Rx = Rx | bit" stores P0 there."""
    written = {_number(operand) for operand in one.writes} if one.written else set()
    spared = lambda number, bit: _number(one.writes[0]) == number and _spares(one, 1 << bit)
    kept = {n: bits if n not in written and not one.written & sass.mask("R", n) else
            {b: fact for b, fact in bits.items() if spared(n, b)} for n, bits in flags.items()}
    if one.name == "LOP3.LUT" and one.reads[0] == one.writes[0] and one.reads[2] == "RZ" and one.reads[1][:2] == "0x":
        number, constant, table = _number(one.writes[0]), int(one.reads[1], 16), one.reads[3]
        cleared = ~constant & 0xffffffff
        if one.guard is None and table == "0xc0" and cleared.bit_count() == 1:
            kept[number] = {**kept.get(number, {}), cleared.bit_length() - 1: None}
        bit, fact = constant.bit_length() - 1, before.literal(one.guard)
        is_put = fact and table == "0xfc" and constant.bit_count() == 1 and not before.seen(None) & one.guarding
        if is_put and before.flags.get(number, {}).get(bit, 0) is None:
            kept[number] = {**kept.get(number, {}), bit: fact}
    return {n: bits for n, bits in kept.items() if bits}


def _number(operand):
    """104 for "R104"; None if it is not such a register."""
    found = re.fullmatch(r"R(\d+)", operand)
    return int(found[1]) if found else None
