"""Cost of a compiled kernel: resources, instructions of each pipe a byte, and a model of an H200."""

import dataclasses

import thread_run

# NVIDIA H200 (SXM): multiprocessors, memory; lanes a clock of a multiprocessor for each pipe (CUDA's programming guide,
# throughput of native arithmetic instructions, compute capability 9.0), and for all issued instructions.
UNITS, CLOCK, MEMORY = 132, 1.7e9, 4.8e12
LANES = {"alu": 64, "fma": 64, "slow": 16, "memory": 32, "issue": 128}

GROUP = 128
DATA = ("in", "a", "data")  # names of arguments: a kernel's data


@dataclasses.dataclass
class Figures:
    program: str
    parameters: str
    kernel: str
    architecture: str
    registers: int
    stack: int
    spills: int
    shared: int
    code: int        # bytes
    num_bytes: int   # of data that a work item has
    counts: dict     # instructions of a thread, by pipe and by opcode
    traffic: int     # bytes of data, keys and results that a thread loads and stores
    leaks: list

    def per_byte(self, what):
        return self.counts.get(what, 0) / self.num_bytes if self.num_bytes else 0

    @property
    def groups(self):
        """Groups of 128 items that a multiprocessor holds: 64 Ki registers, allocated by eights for each thread."""
        return min(16, 65536 // (max(16, -(-self.registers // 8) * 8) * GROUP))

    def issued(self):
        return sum(self.counts.get(p, 0) for p in ("alu", "fma", "slow", "uniform", "memory", "control"))

    def model(self):
        """(bytes a second, limit): a model of an H200, not a measurement; latencies are assumed to be hidden."""
        if not self.num_bytes:
            return 0, ""
        clocks = {p: self.counts.get(p, 0) / LANES[p] for p in ("alu", "fma", "slow", "memory")}
        clocks["issue"] = self.issued() / LANES["issue"]
        limit = max(clocks, key=clocks.get)
        return UNITS * CLOCK * self.num_bytes / clocks[limit], limit


def measure(program, parameters, function, architecture, resources, kernel_parameters, values, leaks):
    """values: the scalar arguments by name."""
    arguments = []
    for k, (name, size, pointer) in enumerate(kernel_parameters):
        if not pointer and name not in values:
            raise KeyError(f"{program}, {function.name}: no value for the argument {name}")
        arguments.append((size, (k + 1) << 40 if pointer else values[name]))
    thread = thread_run.Thread(function, architecture, arguments).run()
    names = {k + 1: name for k, (name, _, _) in enumerate(kernel_parameters)}
    read = sum(size for k, size in thread.loads.items() if names.get(k) in DATA)
    written = sum(size for k, size in thread.stores.items() if names.get(k) == "out")
    return Figures(program, parameters, function.name, architecture, **resources, code=function.num_bytes,
                   num_bytes=written if 4 * written >= read else read, counts=dict(thread.per_pipe()),
                   traffic=sum(thread.loads.values()) + sum(thread.stores.values()), leaks=leaks)
