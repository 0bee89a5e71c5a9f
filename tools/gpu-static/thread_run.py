"""One thread of a kernel played instruction by instruction: how often each is executed, and what memory it touches.

Registers hold known numbers (the arguments, the item's number, counters of loops) or None: what comes out of memory and
all that is computed from it. Every branch must be known, so the counts are exact for a thread whose blocks are all
there; a branch that is not known ends the run with an error. Pointers are known, so loads and stores tell which
argument they belong to.
"""

import collections
import re

import arithmetic
import sass

M32 = arithmetic.M32
PARAMETERS = {7: 0x160, 8: 0x160, 9: 0x210, 10: 0x380, 12: 0x380}  # where c[0x0] has the arguments, by major version
LIMIT = 20_000_000


class Undetermined(Exception):
    """A branch or an address that arguments and item number do not tell."""


class Thread:
    """
    arguments   (bytes of the parameter, value) of each one in order
    """

    def __init__(self, function, architecture, arguments, block=1, lane=5):
        self.function = function
        self.block, self.lane = block, lane
        # Compilers gather predicates in registers bit by bit, beginning with what happens to be there: no matter what.
        self.registers = {"R": [0] * 256, "UR": [0] * 256, "P": [0] * 8, "UP": [0] * 8}
        self.constants, at = {}, PARAMETERS[int(architecture[3:]) // 10]  # words of c[0x0] by their places
        for size, value in arguments:
            at += -at % size
            self.constants.update({at + half: value >> 8 * half & M32 for half in range(0, size, 4)})
            at += size
        self.frame = {}  # words of its stack, by number
        self.executed = [0] * len(function.code)
        self.loads, self.stores = collections.Counter(), collections.Counter()  # bytes of each argument's memory
        self.steps = [self._decode(i, one) for i, one in enumerate(function.code)]

    def run(self):
        at, left = 0, LIMIT
        while at is not None:
            self.executed[at] += 1
            at = self.steps[at]()
            left -= 1
            if left == 0:
                raise Undetermined(f"{self.function.name}: still running after {LIMIT} instructions")
        return self

    def per_pipe(self):
        counts = collections.Counter()
        for one, times in zip(self.function.code, self.executed):
            counts[one.pipe] += times
            counts[one.opcode] += times
        return counts

    # Operands: functions without arguments that yield what is there now.

    def _operand(self, text):
        if text.startswith("!"):
            inner = self._operand(text[1:])
            return lambda: None if (v := inner()) is None else 1 - v
        if text.startswith("~"):
            inner = self._operand(text[1:])
            return lambda: None if (v := inner()) is None else ~v & M32
        if text.startswith("-") and not text.startswith("-0x"):
            inner = self._operand(text[1:])
            return lambda: None if (v := inner()) is None else -v & M32
        found = sass.registers(text)
        if text.startswith("c["):
            if found:
                return lambda: None
            offset = int(text.split("[")[2].rstrip("]"), 16)
            value = self.constants.get(offset) if text.startswith("c[0x0]") else None
            return lambda: value
        if found:
            kind, number, _ = found[0]
            bank = self.registers.get(kind)
            return (lambda: bank[number]) if bank is not None else (lambda: None)
        value = {"RZ": 0, "URZ": 0, "SRZ": 0, "PT": 1, "UPT": 1, "SR_TID.X": self.lane, "SR_CTAID.X": self.block,
                 "SR_TID.Y": 0, "SR_TID.Z": 0, "SR_CTAID.Y": 0, "SR_CTAID.Z": 0, "SR_LANEID": self.lane % 32}.get(text)
        if value is None:
            try:
                value = int(text, 0) & M32
            except ValueError:
                pass
        return lambda: value

    def _predicate(self, text):
        return self._operand(text) if text else (lambda: 1)

    # Instructions: functions that act and yield the index of the next instruction; None ends the thread.

    def _decode(self, i, one):
        guard = self._predicate(one.guard)
        following = i + 1 if i + 1 < len(self.function.code) else None
        if one.opcode in ("BRA", "EXIT", "CALL", "RET"):
            return self._control(one, guard, following)
        if one.pipe == "control":
            return lambda: following
        if one.opcode in ("LDL", "STL") and one.address.startswith("[R1") and len(sass.registers(one.address)) == 1:
            act = self._stack(one)
        elif one.pipe == "memory" and one.opcode not in ("S2R", "CS2R", "LDC", "SHFL"):
            act = self._memory(one)
        else:
            act = self._arithmetic(one)
        if one.guard is None:
            def step():
                act(False)
                return following
        else:
            def step():
                taken = guard()
                if taken != 0:
                    act(taken is None)
                return following
        return step

    def _control(self, one, guard, following):
        conditions = [self._predicate(o) for o in one.operands if sass.is_predicate(o)]
        target = one.target // 16 if one.target is not None else None
        if "DIV" in one.modifiers:  # for a warp that is not together
            return lambda: following
        back = self._operand(one.operands[0]) if one.opcode == "RET" else None

        def step():
            taken = guard()
            for condition in conditions:
                value = condition()
                taken = None if taken is None or value is None else taken & value
            if taken is None:
                raise Undetermined(f"{self.function.name}: {one}")
            if not taken:
                return following
            return back() // 16 if back else target
        return step

    def _memory(self, one):
        write = self._writer(one)
        found = sass.registers(one.address.split("[", 1)[1] if "desc" not in one.address else one.address.split("[")[2])
        tail = one.address.rstrip("]").rsplit("+", 1)[-1] if "+" in one.address else ""
        offset = int(tail, 16) if tail.startswith(("0x", "-0x")) else 0
        tally = self.stores if one.opcode in sass.STORES else self.loads
        is_global = one.opcode in ("LDG", "STG")

        def pair(kind, number, suffix):
            bank = self.registers[kind]
            low, high = bank[number], 0 if suffix == ".U32" else bank[number + 1]
            return None if low is None or high is None else high << 32 | low

        def act(_):
            if is_global:
                address = offset
                for register in found:
                    part = pair(*register)
                    if part is None:
                        raise Undetermined(f"{self.function.name}: address of {one}")
                    address += part
                tally[address >> 40] += one.num_bytes
            write(None, True)
        return act

    def _stack(self, one):
        """Words of the stack frame, which R1 points to throughout."""
        write, at = self._writer(one), int((re.search(r"\+(0x[0-9a-f]+)", one.address) or [0, "0"])[1], 16) // 4
        if one.opcode == "LDL":
            def load(uncertain):
                words = [self.frame.get(at + w) for w in range(one.width)]
                write([None if None in words else sum(word << 32 * w for w, word in enumerate(words))], uncertain)
            return load
        kind, number, _ = (sass.registers(one.reads[0]) or [(None, 0, "")])[0]

        def store(uncertain):
            for w in range(one.width):
                value = self.registers[kind][number + w] if kind else 0
                self.frame[at + w] = value if not uncertain or self.frame.get(at + w) == value else None
        return store

    def _writer(self, one):
        """Puts values, one for each operand written, into registers; None for all of them forgets them."""
        places = []
        for operand in one.writes:
            for kind, number, _ in sass.registers(operand):
                places.append((self.registers.get(kind), number, one._write_width(kind)))
            if not sass.registers(operand):
                places.append((None, 0, 1))

        def write(values, uncertain):
            for k, (bank, number, width) in enumerate(places):
                if bank is None:
                    continue
                value = values[k] if values is not None and k < len(values) else None
                for w in range(width):
                    known = None if value is None else value >> 32 * w & M32
                    bank[number + w] = None if uncertain and bank[number + w] != known else known
        return write

    def _arithmetic(self, one):
        write = self._writer(one)
        rule = arithmetic.RULES.get(one.opcode) or arithmetic.RULES.get(one.opcode.removeprefix("U"))
        if one.opcode in ("LDC", "ULDC", "LDCU"):
            return self._constant(one, write)
        if one.opcode in ("P2R", "R2P"):
            return self._predicates(one, write)
        if rule is None:
            return lambda uncertain: write(None, True)
        sources = [self._operand(o) for o in one.reads]
        if one.opcode in ("IMAD", "UIMAD") and one.modifiers & {"WIDE", "HI"}:
            sources[2] = self._pair(one.reads[2], sources[2])
        elif one.opcode == "I2F" and "U64" in one.modifiers:
            sources[0] = self._pair(one.reads[0], sources[0])
        num_writes = len(one.writes)

        def act(uncertain):
            values = [s() for s in sources]
            write(rule(one, values, num_writes), uncertain)
        return act

    def _pair(self, text, low):
        """An operand of 64 bits."""
        if text.startswith("c[0x0]") and not sass.registers(text):
            high = self.constants.get(int(text.split("[")[2].rstrip("]"), 16) + 4)
            return lambda: None if low() is None or high is None else high << 32 | low()
        found = sass.registers(text)
        if not found or found[0][0] not in ("R", "UR"):
            return low
        bank, number = self.registers[found[0][0]], found[0][1] + 1
        return lambda: None if low() is None or bank[number] is None else bank[number] << 32 | low()

    def _predicates(self, one, write):
        """A register's bits to predicates, or the other way; the last operand says which."""
        bank, source, taken = self.registers["P"], self._operand(one.reads[-2]), int(one.operands[-1], 16)
        which = [k for k in range(7) if taken >> k & 1]

        def to_register(uncertain):
            value = source()
            known = value is not None and None not in [bank[k] for k in which] and one.name == "P2R"
            write([value & ~taken | sum(bank[k] << k for k in which)] if known else None, uncertain)

        def to_predicates(uncertain):
            value = source() if one.name == "R2P" else None
            for k in which:
                known = None if value is None else value >> k & 1
                bank[k] = None if uncertain and bank[k] != known else known
        return to_register if one.opcode == "P2R" else to_predicates

    def _constant(self, one, write):
        text = one.address
        if not text.startswith("c[0x0]") or sass.registers(text):
            return lambda uncertain: write(None, True)
        offset = int(text.split("[")[2].rstrip("]"), 16)
        words = [self.constants.get(offset + 4 * w) for w in range(one.width)]
        value = None if None in words else sum(word << 32 * w for w, word in enumerate(words))
        return lambda uncertain: write([value], uncertain)
