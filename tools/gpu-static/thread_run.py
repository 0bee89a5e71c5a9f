"""One thread of a kernel run without data: how often each instruction is executed, and the memory that it accesses.

The arguments, the item's number and counters of loops are known; values from memory and all results computed from them
are None. Every branch must be known, so the counts are exact for a thread with all its blocks; an unknown branch is a
fault. Pointers are known, so loads and stores are attributed to arguments.
"""

import collections

import machine
import sass
from machine import M32, Fault


def _without(v, *places):
    """The sources with 0 in places that do not matter."""
    return [0 if i in places and x is None else x for i, x in enumerate(v)]


def _imad(_, v):
    return _without(v, *([1] if v[0] == 0 else []), *([0] if v[1] == 0 else []))


def _shf(one, v):
    if "L" not in one.modifiers:
        return _without(v, 0) if "HI" in one.modifiers else v
    return _without(v, 2) if "HI" not in one.modifiers else _without(v, 0) if v[1] == 0 else v


def _sel(_, v):
    if v[2] is None:
        return [*v[:2], 0] if v[0] == v[1] else v
    return _without(v, 1 if v[2] else 0)


def _prmt(_, v):
    if v[1] is None:
        return v
    used = {v[1] >> 4 * i & 4 for i in range(4)}
    return _without(v, *([] if 0 in used else [0]), *([] if 4 in used else [2]))


# Sources that do not affect the result.
INDIFFERENT = {"IMAD": _imad, "SHF": _shf, "SEL": _sel, "PRMT": _prmt}


class Thread(machine.Machine):
    """
    arguments   (bytes of the parameter, value) of each one in order: pointers are multiples of 2^40
    """

    def __init__(self, function, architecture, arguments, block=1, lane=5):
        self.frame = {}  # words of its stack, by their bytes
        self.loads, self.stores = collections.Counter(), collections.Counter()  # bytes of each argument's memory
        self.unsure = False
        special = {"SR_TID.X": lane, "SR_CTAID.X": block, "SR_LANEID": lane % machine.WARP}
        super().__init__(function, special, machine.constants(architecture, arguments, 1 << 20))

    def per_pipe(self):
        counts = collections.Counter()
        for one, times in zip(self.function.code, self.executed):
            counts[one.pipe] += times
            counts[one.opcode] += times
        return counts

    def compute(self, rule, one, values, num_writes):
        if None in values:
            if one.opcode == "PLOP3":
                return self._agreed(rule, one, values)
            values = INDIFFERENT.get(one.opcode.removeprefix("U"), lambda _, v: v)(one, values)
            if None in values and not (one.opcode == "HFMA2" and None not in values[:2]):
                return [None] * num_writes
        return rule(one, values, num_writes)

    @staticmethod
    def _agreed(rule, one, values):
        """The result for any values of the unknown predicates."""
        choices = [[]]
        for value in values[:3]:
            choices = [[*c, bit] for c in choices for bit in ((0, 1) if value is None else (value,))]
        results = [rule(one, [*c, *values[3:]], 2) for c in choices]
        return [first if all(r[k] == first for r in results) else None for k, first in enumerate(results[0])]

    def uncertain(self, one, act):
        before = {(kind, n): self.registers[kind][n] for kind in self.registers
                  for n in range(len(self.registers[kind])) if one.written & sass.mask(kind, n)}
        self.unsure = True
        act()
        self.unsure = False
        for (kind, n), old in before.items():
            if self.registers[kind][n] != old:
                self.registers[kind][n] = None

    def load(self, one, address):
        if one.opcode == "LDL":
            return [None if address is None else self.frame.get(address + 4 * w) for w in range(one.width)]
        self._count(self.loads, one, address)
        return [None] * one.width

    def store(self, one, address, words):
        if one.opcode != "STL":
            return self._count(self.stores, one, address)
        if address is None:
            raise Fault(f"{self.function.name}: address of {one}")
        for w, value in enumerate(words):
            at = address + 4 * w
            self.frame[at] = value if not self.unsure or self.frame.get(at) == value else None

    def _count(self, tally, one, address):
        if one.opcode not in ("LDG", "STG"):
            return
        if address is None:
            raise Fault(f"{self.function.name}: address of {one}")
        tally[address >> 40] += one.num_bytes

    def together(self, one):
        if one.opcode == "R2UR":
            return self._arithmetic(one)
        write = self.writer(one)
        return lambda: write([None] * len(one.writes))

    def without_rule(self, one, write):
        return lambda: write([None] * len(one.writes))
