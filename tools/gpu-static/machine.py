"""Execution of machine code: registers, predicates, control flow of many threads in parallel.

A register holds a number shared by all threads (int), an array with one for each thread, or None if a thread runs
without data (thread_run.py). Threads on different paths run one path after the other, always those furthest behind,
until they meet; so all are together again where the paths join. Where warps and groups matter, neighbouring threads are
neighbours in the arrays.
"""

import numpy

import arithmetic
import sass
from sass import Unknown

M32 = arithmetic.M32
WARP = 32
PARAMETERS = {7: 0x160, 8: 0x160, 9: 0x210, 10: 0x380, 12: 0x380}  # where c[0x0] has the arguments, by major version
STACK_TOP = {7: 0x28, 8: 0x28, 9: 0x28, 10: 0x37c, 12: 0x37c}  # where it has the end of a thread's stack
SPECIAL = {f"SR_{name}.{axis}": 0 for name in ("TID", "CTAID") for axis in "YZ"} | {"SR_CgaCtaId": 0}
LIMIT = 20_000_000
# Waiting and order within a warp follow from running the paths one by one.
NOTHING = set("NOP YIELD BSSY BSYNC BREAK BMOV WARPSYNC MEMBAR DEPBAR LDGDEPBAR ERRBAR CCTL NANOSLEEP".split())


class Fault(Exception):
    """The program violates a rule, or depends on unknown values."""


def constants(architecture, arguments, stack):
    """c[0x0] as {byte: word}. arguments: (bytes of the parameter, value), where values may be arrays."""
    version = int(architecture[3:]) // 10
    words, at = {STACK_TOP[version]: stack}, PARAMETERS[version]
    for size, value in arguments:
        at += -at % size
        for half in range(0, size, 4):
            word = value >> 8 * half & M32
            words[at + half] = word.astype(numpy.uint32) if isinstance(word, numpy.ndarray) else word
        at += size
    return words


class Machine:
    """
    special     what S2R reads, by name
    constants   as from constants()
    banks       {"0x3": bytes}: other constant memory
    """

    def __init__(self, function, num_threads, special, constants_, banks=None):
        self.function, self.num_threads = function, num_threads
        # Compilers gather predicates in registers bit by bit, beginning with arbitrary contents.
        self.registers = {"R": [0] * 256, "UR": [0] * 256, "P": [0] * 8, "UP": [0] * 8}
        self.special, self.constants, self.banks = SPECIAL | special, constants_, banks or {}
        self.executed = [0] * len(function.code)  # how often by the watched thread
        self.watched = 0
        self.reached = [False] * len(function.code)  # by any
        self.all = numpy.ones(num_threads, bool)
        self.operands = {}  # functions that yield them, by their text
        self.steps = [self._decode(one) for one in function.code]

    # Differences between machines. mask: the active threads; None: all. Addresses and values have the form of
    # registers.

    def load(self, one, address, mask):
        """Words of global, shared or local memory."""
        raise NotImplementedError

    def store(self, one, address, words, mask):
        raise NotImplementedError

    def together(self, one):
        """act(mask) of an instruction in which the threads of a warp interact."""
        raise Unknown(str(one))

    def barrier(self, following, lanes):
        raise Unknown("a barrier")

    def release(self):
        """{instruction: threads} that may continue when no other can."""
        return {}

    def compute(self, rule, one, values, num_writes):
        return rule(one, values, num_writes)

    def run(self):
        waiting, left = {0: self.all}, LIMIT
        while waiting or (waiting := self.release()):
            at = min(waiting)
            lanes = waiting.pop(at)
            meet = min(waiting, default=len(self.steps))
            active = None if lanes.all() else lanes
            watched = int(lanes[self.watched])
            while at < meet:
                self.executed[at] += watched
                self.reached[at] = True
                is_control, step = self.steps[at]
                left -= 1
                if is_control:
                    ways = step(lanes)
                    break
                step(active)
                at += 1
            else:
                ways = [(at, lanes)]
            if left < 0:
                raise Fault(f"{self.function.name}: still running after {LIMIT} instructions")
            for way, part in ways:
                waiting[way] = waiting[way] | part if way in waiting else part
        return self

    # Operands: functions without arguments that return the current value.

    def operand(self, text):
        if text not in self.operands:
            self.operands[text] = self._operand(text)
        return self.operands[text]

    def _operand(self, text):
        what = sass.operand(text)
        get = self._plain(what)
        if what.sign == "!":
            return lambda: self._negated(get())
        if what.sign == "~":
            return lambda: None if (v := get()) is None else v ^ M32
        if what.sign == "-":
            return lambda: None if (v := get()) is None else ((v ^ M32) + 1) & M32
        return get

    @staticmethod
    def _negated(value):
        return value if value is None else 1 - value if isinstance(value, int) else ~value

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
        if bank == "0x0":
            return self.constants.get(at)
        held = self.banks.get(bank)
        return None if held is None else int.from_bytes(held[at:at + 4], "little")

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
            value = None if a is None or b is None else wide(b) << 32 | wide(a)
            return -value & arithmetic.M64 if what.sign == "-" and value is not None else value
        return both

    # Instructions: (whether it controls the flow, its function). Others are called with the mask; control with the
    # threads, and yields [(instruction, threads)].

    def _decode(self, one):
        guard = self.operand(one.guard) if one.guard else None
        if one.opcode in ("BRA", "EXIT", "CALL", "RET", "BAR"):
            return True, self._control(one, guard)
        act = self._act(one)
        if guard is None:
            return False, act
        def guarded(mask):
            taken = guard()
            if isinstance(taken, numpy.ndarray):
                taken = taken if mask is None else taken & mask
                if taken.any():
                    act(taken)
            elif taken is None:
                self.uncertain(one, act)
            elif taken:
                act(mask)
        return False, guarded

    def uncertain(self, one, act):
        """Its execution is unknown."""
        raise Fault(f"{self.function.name}: {one}")

    def _act(self, one):
        if one.opcode in NOTHING:
            return lambda mask: None
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

        def ways(lanes):
            if one.opcode == "BAR":
                self.barrier(here + 1, lanes)
                return []
            if one.opcode == "EXIT":
                return []
            if not back:
                return [(one.target // 16, lanes)]
            to = back()
            if isinstance(to, int):
                return [(to // 16, lanes)]
            return [(int(address) // 16, lanes & (to == address)) for address in numpy.unique(to[lanes])]

        def step(lanes):
            if "DIV" in one.modifiers:  # for a diverged warp
                return [(here + 1, lanes)]
            taken = True
            for condition in conditions:
                value = condition()
                if value is None:
                    raise Fault(f"{self.function.name}: {one}: a branch that is not known")
                taken = value & taken
            if isinstance(taken, numpy.ndarray):
                left, taken = lanes & ~taken, lanes & taken
                return (ways(taken) if taken.any() else []) + ([(here + 1, left)] if left.any() else [])
            return ways(lanes) if taken else [(here + 1, lanes)]
        return step

    def writer(self, one):
        """write(values, mask): one value, or the words of one, for each operand written."""
        places = []
        for operand in one.writes:
            what = sass.operand(operand)
            bank = self.registers.get(what.kind)
            places.append((bank, what.number, one._write_width(what.kind), what.kind in ("P", "UP")))

        def write(values, mask):
            for (bank, number, width, is_predicate), value in zip(places, values):
                if bank is None:
                    continue
                if not isinstance(value, list):
                    value = [value] if width == 1 else [low(value), low(value, 32)]
                for k, word in enumerate(value):
                    self.put(one, bank, number + k, word, mask, is_predicate)
        return write

    @staticmethod
    def put(one, bank, number, value, mask, is_predicate=False):
        """Results of the threads of the mask. A warp has one uniform register for all of its threads."""
        kind = bool if is_predicate else numpy.uint32
        if isinstance(value, numpy.ndarray):
            value = value.astype(kind, copy=False)
        elif value is not None:
            value = int(value)
        old = bank[number]
        if mask is not None and not (isinstance(value, int) and isinstance(old, int) and value == old):
            if one.pipe == "uniform":
                mask = numpy.repeat(mask.reshape(-1, WARP).any(1), WARP)
            value = numpy.where(mask, numpy.asarray(value, kind), numpy.asarray(old, kind))
        bank[number] = value

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
        if arithmetic.fits_words(one):
            return lambda mask: write(compute(rule, one, [s() for s in sources], num_writes), mask)
        return lambda mask: write(compute(rule, one, [wide(s()) for s in sources], num_writes), mask)

    def without_rule(self, one, write):
        raise Unknown(str(one))

    def _memory(self, one):
        write, address = self.writer(one), self._address(one)
        if one.opcode not in sass.STORES:
            return lambda mask: write([self.load(one, address(), mask)], mask)
        what = sass.operand(one.reads[0])
        if what.kind == "number":
            words = [self._plain(what)] * one.width
        else:
            words = [self._plain(sass.Operand("", what.kind, what.number + w)) for w in range(one.width)]
        return lambda mask: self.store(one, address(), [w() for w in words], mask)

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
                total = None if value is None or total is None else total + wide(value) * scale & ones
            return total
        return address

    def _constant(self, one):
        write, (bank, place) = self.writer(one), one.address.removeprefix("c[").rstrip("]").split("][")
        width = one.width
        if not sass.registers(place):
            at = int(place, 16)
            words = [self.constant(bank, at + 4 * w) for w in range(width)]
            return lambda mask: write([words], mask)
        terms = place.split("+")
        index, offset = self.operand(terms[0]), int(terms[1], 16) if len(terms) > 1 else 0
        held = self.banks.get(bank)
        table = None if held is None else numpy.frombuffer(held[:len(held) // 4 * 4], numpy.uint32)

        def act(mask):
            at = index()
            if at is None or table is None:
                return write([[None] * width], mask)
            at = (wide(at) + (offset & M32) & M32) // 4
            inside = at if mask is None or isinstance(at, int) else at * mask
            write([[table[inside + w] for w in range(width)]], mask)
        return act

    def _predicates(self, one):
        """A register's bits to predicates, or the reverse; the last operand selects it."""
        if one.name not in ("P2R", "UP2UR", "R2P"):
            return self.without_rule(one, self.writer(one))
        bank = self.registers["UP" if one.opcode == "UP2UR" else "P"]
        source, taken = self.operand(one.reads[-2]), int(one.operands[-1], 16)
        which, write = [k for k in range(7) if taken >> k & 1], self.writer(one)

        def to_register(mask):
            values = [source()] + [bank[k] for k in which]
            if any(v is None for v in values):
                return write([None], mask)
            value = wide(values[0]) & (M32 ^ taken)
            for k, bit in zip(which, values[1:]):
                value = value | wide(bit) << k
            write([value], mask)

        def to_predicates(mask):
            value = source()
            for k in which:
                bit = None if value is None else value >> k & 1
                self.put(one, bank, k, bit, mask, True)
        return to_predicates if one.opcode == "R2P" else to_register


def wide(value):
    return value.astype(numpy.uint64) if isinstance(value, numpy.ndarray) else value


def low(value, shift=0):
    return None if value is None else value >> shift & M32
