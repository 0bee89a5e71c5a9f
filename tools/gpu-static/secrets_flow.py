"""Flow of secrets through machine code: finds branches, addresses and timings that depend on them.

All values read from global memory are secret: keys, data, counters, tables of S-boxes. Public are the kernel's own
arguments (lengths, pointers), the number of the work item, and constant tables at public indices. Shared memory and
each word of a thread's stack are as secret as anything stored there. All paths are followed to a fixed point, so the
result holds for every run. Secrets may pass only through the instructions of TIMELESS.
"""

import re

import put_aside
import sass

# Integer and logic instructions take the same time for every operand. Instructions that only compute may use a secret
# predicate: a predicated-off instruction takes the same time as any other.
TIMELESS = {op for op, pipe in sass.PIPES.items() if pipe in ("alu", "uniform")} | set("IMAD POPC BREV FLO".split())
MOVES = set("LDG STG LDS STS LDL STL LD ST SHFL".split())  # the value; never the address
LOADS = set("LDG LD".split())
CONSTANTS = set("LDC ULDC LDCU".split())
JUMPS = set("BRA EXIT CALL RET".split())


class State:
    """The secrets at one place of the code.

    secret    registers, as bits
    under     {fact: registers that are secret only where it holds}. A fact is (instruction and which of its results,
              truth): a predicate as it was last computed there. "@!P0 LDG R6,[R8]; @P0 LDG R6,[R6]" has no secret
              address.
    facts     {"P0": fact}: what the predicates hold
    frame     words of the thread's stack that are secret, as bits
    copies    {number of a register: {bit: fact}}: predicates that were put aside; all other bits are 0
    flags     {number of a register: {bit: fact, or None for 0}}: public predicates that were put aside among other
              bits, which may be secret
    tests     {test: fact}: of registers that have not been written since, so that the test would give the same again
    """

    __slots__ = ("secret", "frame", "under", "facts", "copies", "flags", "tests")

    def __init__(self, secret=0, frame=0, under=None, facts=None, copies=None, flags=None, tests=None):
        self.secret, self.frame, self.under = secret, frame, under or {}
        self.facts, self.copies, self.flags, self.tests = facts or {}, copies or {}, flags or {}, tests or {}

    def __eq__(self, other):
        return all(getattr(self, name) == getattr(other, name) for name in State.__slots__)

    def copy(self):
        return State(self.secret, self.frame, dict(self.under), dict(self.facts), dict(self.copies), dict(self.flags),
                     dict(self.tests))

    def join(self, other):
        under = {fact: self.under.get(fact, 0) | other.under.get(fact, 0) for fact in {*self.under, *other.under}}
        same = lambda a, b: {k: a[k] for k in a.keys() & b.keys() if a[k] == b[k]}
        return State(self.secret | other.secret, self.frame | other.frame, under, same(self.facts, other.facts),
                     same(self.copies, other.copies), same(self.flags, other.flags), same(self.tests, other.tests))

    def literal(self, text):
        """The fact that a predicate or its negation states; None if unknown."""
        fact = self.facts.get(text.lstrip("!")) if text else None
        return (fact[0], fact[1] ^ text.startswith("!")) if fact else None

    def seen(self, guard):
        """The registers that are secret if the guard holds."""
        found, excluded = self.secret, _negated(self.literal(guard))
        for fact, registers in self.under.items():
            if fact != excluded:
                found |= registers
        return found

    def _under_any(self):
        found = 0
        for registers in self.under.values():
            found |= registers
        return found

    def write(self, registers, secret, sources, guard):
        """secret: regardless of the sources. Else the result is as secret as they are, under the same facts."""
        fact = self.literal(guard)
        if guard is None:
            secret = secret or bool(self.secret & sources)
            facts = [] if secret else [k for k, held in self.under.items() if held & sources]
            self._clear(registers)
            self.secret |= registers if secret else 0
            for k in facts:
                self.under[k] |= registers
        elif secret or self.seen(guard) & sources:
            if fact is None:
                self.secret |= registers
            else:
                self.under[fact] = self.under.get(fact, 0) | registers & ~self.secret
        elif fact is not None:  # earlier secrets remain only if the guard does not hold
            left = registers & self.seen(None)
            self._clear(registers)
            self.under[_negated(fact)] = self.under.get(_negated(fact), 0) | left
        self.under = {k: held for k, held in self.under.items() if held}

    def _clear(self, registers):
        self.secret &= ~registers
        for k in self.under:
            self.under[k] &= ~registers

    def forget(self, site):
        """The instruction recomputes its predicates: earlier facts about them are invalid."""
        for fact in [f for f in self.under if f[0][0] == site]:
            self.secret |= self.under.pop(fact)
        self.facts = {k: f for k, f in self.facts.items() if f[0][0] != site}
        self.copies = {r: bits for r, bits in self.copies.items() if all(f[0][0] != site for f in bits.values())}
        self.flags = {r: {b: fact for b, fact in bits.items() if fact is None or fact[0][0] != site}
                      for r, bits in self.flags.items()}
        self.tests = {test: f for test, f in self.tests.items() if f[0][0] != site}


def _negated(fact):
    return fact and (fact[0], not fact[1])


class Flow:
    def __init__(self, function):
        self.function = function
        self.stored = set()  # "shared", "local": something secret was stored there, at a place that is not known
        before = None
        while before != self.stored:
            before = set(self.stored)
            self.states = self._fixed_point()

    def _fixed_point(self):
        """States by place: the number of the instruction, and the return addresses of the enclosing functions."""
        states = {(0, ()): State()}
        work = [(0, ())]
        while work:
            place = work.pop()
            state = self._after(self.function.code[place[0]], states[place])
            for following in self.function.successors(*place):
                joined = states[following].join(state) if following in states else state
                if following not in states or joined != states[following]:
                    states[following] = joined
                    work.append(following)
        return states

    @staticmethod
    def _frame_words(one):
        """The words of the stack frame that an access touches, as bits; 0 if its address is unknown."""
        found = re.fullmatch(r"\[R1(?:\+(0x[0-9a-f]+))?\]", one.address or "")
        return ((1 << one.width) - 1) << int(found[1] or "0", 16) // 4 if found else 0

    def _after(self, one, before):
        """The state after the instruction."""
        seen, sources = before.seen(one.guard), one.read | one.guarding
        secret = False  # whatever its sources are
        if one.opcode in LOADS or one.opcode.startswith("ATOM"):
            secret = True
        elif one.opcode == "LDS":
            secret = "shared" in self.stored
        elif one.opcode == "LDL":  # from an unknown place: as secret as any other
            words = self._frame_words(one)
            secret = "local" in self.stored or bool(before.frame & words if words else before.frame)
        elif one.opcode == "STS" and seen & sources:
            self.stored.add("shared")
        elif one.opcode == "STL":
            return self._after_push(one, before, bool(seen & sources))
        elif one.opcode in CONSTANTS or one.opcode == "SHFL":
            secret = bool(seen & one.addressing)
        written = one.written
        if not written:
            return before
        state = before.copy()
        state.write(written, secret, sources, one.guard)
        self._follow_predicates(one, before, state)
        return state

    def _after_push(self, one, before, secret):
        words, state = self._frame_words(one), before.copy()
        if not words and secret:
            self.stored.add("local")
        elif secret:
            state.frame |= words
        elif one.guard is None:
            state.frame &= ~words
        return state

    @staticmethod
    def _follow_predicates(one, before, state):
        """Facts and copies after the instruction."""
        predicates = [(k, o) for k, o in enumerate(one.writes) if sass.is_predicate(o) and o[-1] != "T"]
        if one.opcode == "R2P":
            predicates = [(k, f"P{k}") for k in range(7) if one.predicates() & sass.mask("P", k)]
        restored = put_aside.restored(one, before)
        flag = None if one.guard else put_aside.flag(one, before)
        test = (one.name, *one.reads)
        again = restored or flag or before.tests.get(test)
        if predicates:
            state.forget(one.where)
        state.copies = {n: bits for n, bits in state.copies.items() if not one.written & sass.mask("R", n)}
        state.tests = {t: fact for t, fact in state.tests.items() if not put_aside.changes(one, t)}
        state.flags = put_aside.flags_behind(one, before, state.flags)
        if flag:  # public, whatever the other bits are
            state._clear(sass.mask(*sass.registers(one.writes[0])[0][:2]))
        for k, name in predicates:
            if one.guard is not None:
                state.facts.pop(name, None)
                continue
            state.facts[name] = again if again and k == 0 else ((one.where, k), True)
            if k == 0 and one.opcode in ("ISETP", "LOP3"):
                state.tests[test] = state.facts[name]
        if one.opcode == "P2R" and one.guard is None and one.name == "P2R" and one.reads[-2] in ("RZ", one.writes[0]):
            bits = dict(before.copies.get(sass.registers(one.writes[0])[0][1], {})) if one.reads[-2] != "RZ" else {}
            known = one.reads[-2] == "RZ" or bits
            for k in range(7):
                if one.predicates() & sass.mask("P", k):
                    bits[k] = before.facts.get(f"P{k}")
            if known and None not in bits.values():
                state.copies[sass.registers(one.writes[0])[0][1]] = bits

    def leaks(self):
        """(instruction, reason) for each one that depends on a secret."""
        found = []
        for (i, _), state in sorted(self.states.items(), key=lambda item: item[0][0]):
            one = self.function.code[i]
            seen = state.seen(one.guard)
            if seen & one.addressing:
                found.append((one, "address depends on a secret"))
            if seen & one.guarding:
                if one.opcode in JUMPS:
                    found.append((one, "branch depends on a secret"))
                elif one.pipe in ("memory", "control") or one.opcode in CONSTANTS:
                    found.append((one, "whether it is done depends on a secret"))
            if seen & one.read:
                if one.pipe == "control":
                    found.append((one, "control depends on a secret"))
                elif one.opcode not in TIMELESS | MOVES:
                    found.append((one, "its time may depend on a secret"))
        return found
