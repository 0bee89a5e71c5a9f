"""Groups of threads run with real memory: a device's behaviour as far as it is visible in memory.

All groups of all launches run in parallel, each group a row of neighbouring threads. Groups share only global memory;
if threads access others' data or violate barriers, the run ends with a fault.
"""

import numpy

import machine
from machine import WARP, Fault
from memory import Memory

STACK = 1 << 16  # bytes that each thread may have
DRIVERS = 0xdeadbeef  # words of c[0x0] set by drivers: descriptors of memory, which affect no result
RESERVED = 1024  # of shared memory in front of a kernel's own, from compute capability 9.0 on


class Groups(machine.Machine):
    """
    group, num_groups   threads of a group; groups in all
    item                {"SR_CTAID.X": number of the group in its launch}
    memory              global, whose byte 0 is at address `base`
    num_shared          bytes of shared memory of a group
    """

    def __init__(self, function, group, num_groups, item, constants, banks, memory, base, num_shared):
        num = group * num_groups
        self.threads = numpy.arange(num, dtype=numpy.int32)
        self.group, self.memory, self.base = group, memory, numpy.uint64(base)
        self.room = -(-(num_shared + RESERVED) // 16) * 16
        self.shared = Memory("shared", numpy.zeros(self.room * num_groups, numpy.uint8),
                             numpy.ones(self.room * num_groups, bool))
        self.frame = {}  # words of the threads' stacks, by their bytes
        self.waits = {}  # {instruction behind a barrier: threads}
        tid = (self.threads % group).astype(numpy.uint32)
        super().__init__(function, num, {"SR_TID.X": tid, "SR_LANEID": tid % WARP} | item, constants, banks)

    def constant(self, bank, at):
        value = super().constant(bank, at)
        if value is None and bank != "0x0":
            raise machine.Unknown(f"c[{bank}][{at:#x}]")
        return DRIVERS if value is None else value

    def of(self, value, mask, kind=numpy.uint32):
        """A value of each thread of the mask."""
        if not isinstance(value, numpy.ndarray):
            return numpy.full(self.num_threads if mask is None else int(mask.sum()), value, kind)
        return value if mask is None else value[mask]

    def _place(self, one, address, mask):
        threads = self.threads if mask is None else self.threads[mask]
        at = self.of(address, mask, numpy.uint64)
        if one.opcode in ("LDG", "STG"):
            return self.memory, (at - self.base).astype(numpy.int64), threads
        at = at.astype(numpy.int64)
        if (at >= self.room).any():
            raise Fault(f"{one}: beyond shared memory")
        return self.shared, at + threads // self.group * self.room, threads

    def load(self, one, address, mask):
        if one.opcode == "LDL":
            return [self._frame(one, address + 4 * w) for w in range(one.width)]
        memory, at, threads = self._place(one, address, mask)
        words = memory.load(one, at, threads)
        if mask is None:
            return words
        spread = []
        for word in words:
            spread.append(numpy.zeros(self.num_threads, numpy.uint32))
            spread[-1][mask] = word
        return spread

    def store(self, one, address, words, mask):
        if one.opcode == "STL":
            for w, word in enumerate(words):
                at = self._slot(one, address + 4 * w)
                old = self.frame.get(at, 0)
                self.frame[at] = word if mask is None else numpy.where(mask, word, old).astype(numpy.uint32)
            return
        memory, at, threads = self._place(one, address, mask)
        memory.store(one, at, [self.of(word, mask) for word in words], threads)

    def _slot(self, one, address):
        """Compilers spill to places shared by all threads."""
        if not isinstance(address, int):
            raise machine.Unknown(f"{one}: an index into a stack")
        if not 0 <= address < STACK or address % 4:
            raise Fault(f"{one}: beyond the stack")
        return address

    def _frame(self, one, address):
        at = self._slot(one, address)
        if at not in self.frame:
            raise Fault(f"{one}: nothing was stored there")
        return self.frame[at]

    # Barriers, shuffles, votes.

    def barrier(self, following, lanes):
        self.waits[following] = self.waits.get(following, False) | lanes

    def release(self):
        """When none can continue, all running threads of a group are at a barrier, which must be the same one."""
        waits, self.waits = self.waits, {}
        groups = sum(lanes.reshape(-1, self.group).any(1).astype(int) for lanes in waits.values())
        if numpy.any(groups > 1):
            raise Fault(f"{self.function.name}: threads of a group wait at several barriers")
        self.memory.settle()
        self.shared.settle()
        return waits

    def together(self, one):
        return {"SHFL": self._shuffle, "R2UR": self._to_uniform}.get(one.opcode, self._vote)(one)

    def _to_uniform(self, one):
        write, source = self.writer(one), self.operand(one.reads[0])

        def act(mask):
            value = source()
            if isinstance(value, numpy.ndarray):
                lanes = (self.all if mask is None else mask).reshape(-1, WARP)
                rows = value.reshape(-1, WARP)
                first = rows[numpy.arange(len(rows)), lanes.argmax(1)]
                if ((rows != first[:, None]) & lanes).any():
                    raise Fault(f"{one}: threads of a warp differ")
                value = numpy.repeat(first, WARP)
            write([value], mask)
        return act

    def _vote(self, one):
        write, source = self.writer(one), self.operand(one.reads[0])
        mode = next((m for m in ("ALL", "ANY") if m in one.modifiers), None)
        if mode is None:
            raise machine.Unknown(str(one))

        def act(mask):
            lanes = (self.all if mask is None else mask).reshape(-1, WARP)
            votes = numpy.broadcast_to(source(), self.num_threads).astype(bool).reshape(-1, WARP)
            for_it = votes & lanes
            ballot = numpy.repeat((for_it.astype(numpy.uint64) << numpy.arange(WARP, dtype=numpy.uint64)).sum(1), WARP)
            result = numpy.repeat(for_it.any(1) if mode == "ANY" else (votes | ~lanes).all(1), WARP)
            write([result if self._is_predicate(o) else ballot for o in one.writes], mask)
        return act

    @staticmethod
    def _is_predicate(text):
        return text.lstrip("U").startswith("P")

    def _shuffle(self, one):
        """As defined for shfl.sync in the PTX manual."""
        write, (value, b, c) = self.writer(one), [self.operand(o) for o in one.reads[:3]]
        mode = next(m for m in ("IDX", "UP", "DOWN", "BFLY") if m in one.modifiers)

        def act(mask):
            lane = self.threads % WARP
            x, by, control = (self.of(s(), None).astype(numpy.int64) for s in (value, b, c))
            by, clamp, segment = by & 31, control & 31, control >> 8 & 31
            most, least = lane & segment | clamp & ~segment, lane & segment
            j = {"UP": lane - by, "DOWN": lane + by, "BFLY": lane ^ by, "IDX": least | by & ~segment}[mode]
            inside = j >= most if mode == "UP" else j <= most
            source = self.threads - lane + numpy.where(inside, j, lane)
            if not (self.all if mask is None else mask)[source if mask is None else source[mask]].all():
                raise Fault(f"{one}: from a thread that is not there")
            write([inside, x[source].astype(numpy.uint32)], mask)
        return act
