"""Execution of machine code by one thread: registers, predicates, control flow.

A register holds a number, or None: unknown (thread_run.py says what is).
"""

import arithmetic
import sass
from sass import Unknown

M32 = arithmetic.M32
WARP = 32
PARAMETERS = {7: 0x160, 8: 0x160, 9: 0x210, 10: 0x380, 12: 0x380}  # where c[0x0] has the arguments, by major version
STACK_TOP = {7: 0x28, 8: 0x28, 9: 0x28, 10: 0x37c, 12: 0x37c}  # where it has the end of a thread's stack
SPECIAL = {f"SR_{name}.{axis}": 0 for name in ("TID", "CTAID") for axis in "YZ"} | {"SR_CgaCtaId": 0}
LIMIT = 20_000_000
# One thread waits for no other.
NOTHING = set("NOP YIELD BSSY BSYNC BREAK BMOV WARPSYNC BAR MEMBAR DEPBAR LDGDEPBAR ERRBAR CCTL NANOSLEEP".split())


class Fault(Exception):
    """The program violates a rule, or depends on unknown values."""


def constants(architecture, arguments, stack):
    """c[0x0] as {byte: word}. arguments: (bytes of the parameter, value)."""
    version = int(architecture[3:]) // 10
    words, at = {STACK_TOP[version]: stack}, PARAMETERS[version]
    for size, value in arguments:
        at += -at % size
        for half in range(0, size, 4):
            words[at + half] = value >> 8 * half & M32
        at += size
    return words


class Machine:
    """
    special     what S2R reads, by name
    constants   as from constants()
    """

    def __init__(self, function, special, constants_):
        self.function = function
        # Compilers gather predicates in registers bit by bit, beginning with arbitrary contents.
        self.registers = {"R": [0] * 256, "UR": [0] * 256, "P": [0] * 8, "UP": [0] * 8}
        self.special, self.constants = SPECIAL | special, constants_
        self.executed = [0] * len(function.code)  # how often
        self.operands = {}  # functions that yield them, by their text
        self.steps = [self._decode(one) for one in function.code]

    def run(self):
        at = 0
        for _ in range(LIMIT):
            if at is None or at == len(self.steps):
                return self
            self.executed[at] += 1
            is_control, step = self.steps[at]
            at = step() if is_control else step() or at + 1
        raise Fault(f"{self.function.name}: still running after {LIMIT} instructions")

    # Operands: functions without arguments that return the current value.

    def operand(self, text):
        if text not in self.operands:
            self.operands[text] = self._operand(text)
        return self.operands[text]

    def _operand(self, text):
        what = sass.operand(text)
        get = self._plain(what)
        if what.sign == "!":
            return lambda: None if (v := get()) is None else 1 - v
        if what.sign == "~":
            return lambda: None if (v := get()) is None else v ^ M32
        if what.sign == "-":
            return lambda: None if (v := get()) is None else ((v ^ M32) + 1) & M32
        return get

    def _plain(self, what):
        if what.kind in self.registers:
            bank, number = self.registers[what.kind], what.number
            return lambda: bank[number]
        if what.kind == "c":
            if what.name:
                raise Unknown(f"c[{what.bank}][{what.name}]")
            value = self.constant(what.bank, what.number)
        elif what.kind == "number":
            value = what.number & M32
        else:
            value = self.special.get(what.name)
        return lambda: value

    def constant(self, bank, at):
        return self.constants.get(at) if bank == "0x0" else None

    def pair(self, text):
        """An operand of 64 bits."""
        what = sass.operand(text)
        low = self._plain(what)
        if what.kind == "c":
            high = self._plain(sass.Operand("", "c", what.number + 4, what.bank))
        elif what.kind in ("R", "UR"):
            high = self._plain(sass.Operand("", what.kind, what.number + 1))
        else:
            return self.operand(text)

        def both():
            a, b = low(), high()
            value = None if a is None or b is None else b << 32 | a
            return -value & arithmetic.M64 if what.sign == "-" and value is not None else value
        return both

    # Instructions: (whether it controls the flow, its function). That of control returns the next instruction, or None.

    def _decode(self, one):
        guard = self.operand(one.guard) if one.guard else None
        if one.opcode in ("BRA", "EXIT", "CALL", "RET"):
            return True, self._control(one, guard)
        act = self._act(one)
        if guard is None:
            return False, act

        def guarded():
            taken = guard()
            if taken is None:
                self.uncertain(one, act)
            elif taken:
                act()
        return False, guarded

    def _act(self, one):
        if one.opcode in NOTHING:
            return lambda: None
        if one.opcode in ("LDC", "ULDC", "LDCU"):
            return self._constant(one)
        if one.opcode in ("SHFL", "VOTE", "VOTEU", "R2UR"):
            return self.together(one)
        if one.pipe == "memory" and one.opcode not in ("S2R", "CS2R"):
            return self._memory(one)
        if one.opcode in ("P2R", "UP2UR", "R2P"):
            return self._predicates(one)
        return self._arithmetic(one)

    def _control(self, one, guard):
        here = one.where // 16
        conditions = [self.operand(o) for o in one.operands if sass.is_predicate(o)]
        if guard:
            conditions.append(guard)
        back = self.operand(one.operands[0]) if one.opcode == "RET" else None

        def step():
            if "DIV" in one.modifiers:  # for a diverged warp
                return here + 1
            values = [condition() for condition in conditions]
            if None in values:
                raise Fault(f"{self.function.name}: {one}: a branch that is not known")
            if not all(values):
                return here + 1
            return None if one.opcode == "EXIT" else back() // 16 if back else one.target // 16
        return step

    def writer(self, one):
        """write(values): one value, or the words of one, for each operand written."""
        places = []
        for operand in one.writes:
            what = sass.operand(operand)
            bank = self.registers.get(what.kind)
            places.append((bank, what.number, one._write_width(what.kind)))

        def write(values):
            for (bank, number, width), value in zip(places, values):
                if bank is None:
                    continue
                if not isinstance(value, list):
                    value = [value] if width == 1 else [low(value), low(value, 32)]
                for k, word in enumerate(value):
                    bank[number + k] = word
        return write

    def _arithmetic(self, one):
        write, rule = self.writer(one), arithmetic.rule(one.opcode)
        if rule is None:
            return self.without_rule(one, write)
        sources = [self.operand(o) for o in one.reads]
        if one.opcode in ("IMAD", "UIMAD") and one.modifiers & {"WIDE", "HI"}:
            sources[2] = self.pair(one.reads[2])
        elif one.opcode == "I2F" and "U64" in one.modifiers:
            sources[0] = self.pair(one.reads[0])
        num_writes, compute = len(one.writes), self.compute
        return lambda: write(compute(rule, one, [s() for s in sources], num_writes))

    def _memory(self, one):
        write, address = self.writer(one), self._address(one)
        if one.opcode not in sass.STORES:
            return lambda: write([self.load(one, address())])
        what = sass.operand(one.reads[0])
        if what.kind == "number":
            words = [self._plain(what)] * one.width
        else:
            words = [self._plain(sass.Operand("", what.kind, what.number + w)) for w in range(one.width)]
        return lambda: self.store(one, address(), [w() for w in words])

    def _address(self, one):
        """Of global memory with 64 bits, modulo 2^64; else with 32."""
        text = one.address.rsplit("[", 1)[1].rstrip("]")
        is_global = one.opcode in ("LDG", "STG")
        parts, offset = [], 0  # parts: (operand, its factor)
        for term in text.replace("-0x", "+-0x").split("+"):
            name, _, suffix = term.partition(".")
            if not sass.registers(term):
                offset += int(term, 16) if term not in ("RZ", "URZ", "") else 0
            elif is_global and suffix != "U32":
                parts.append((self.pair(name), 1))
            else:
                parts.append((self.operand(name), int(suffix.lstrip("UX") or "1") if "X" in suffix else 1))
        ones = arithmetic.M64 if is_global else M32

        def address():
            total = offset & ones
            for part, scale in parts:
                value = part()
                total = None if value is None or total is None else total + value * scale & ones
            return total
        return address

    def _constant(self, one):
        write, (bank, place) = self.writer(one), one.address.removeprefix("c[").rstrip("]").split("][")
        words = [None] * one.width
        if not sass.registers(place):
            words = [self.constant(bank, int(place, 16) + 4 * w) for w in range(one.width)]
        return lambda: write([words])

    def _predicates(self, one):
        """A register's bits to predicates, or the reverse; the last operand selects it."""
        if one.name not in ("P2R", "UP2UR", "R2P"):
            return self.without_rule(one, self.writer(one))
        bank = self.registers["UP" if one.opcode == "UP2UR" else "P"]
        source, taken = self.operand(one.reads[-2]), int(one.operands[-1], 16)
        which, write = [k for k in range(7) if taken >> k & 1], self.writer(one)

        def to_register():
            values = [source()] + [bank[k] for k in which]
            if any(v is None for v in values):
                return write([None])
            value = values[0] & (M32 ^ taken)
            for k, bit in zip(which, values[1:]):
                value = value | bit << k
            write([value])

        def to_predicates():
            value = source()
            for k in which:
                bank[k] = None if value is None else value >> k & 1
        return to_predicates if one.opcode == "R2P" else to_register


def low(value, shift=0):
    return None if value is None else value >> shift & M32
