"""Netlists: reading, writing, proving and ordering of straight-line Boolean circuits.

A file of netlists has one or more sections:

    circuit NAME
    basis gates2 | lut3
    inputs N
    outputs M
    alpha 0x01 0x12 …         (streebog-s) x_i is the parity of input & alpha_i; see README.md
    t0 = xor x0 x1            and or xor andn not; andn a b is ~a & b
    t1 = lut3 0x96 x0 x1 t0   (basis lut3) value for (a, b, c) is bit a*4 + b*2 + c
    y0 = t1

Every function here is exact: an S-box is simulated on all of its inputs, a linear map symbolically.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re


@dataclasses.dataclass(frozen=True)
class Gate:
    name: str
    op: str  # and, or, xor, andn, not, lut3
    inputs: tuple[str, ...]
    lut: int = 0


@dataclasses.dataclass
class Circuit:
    name: str
    basis: str
    num_inputs: int
    gates: list[Gate]
    outputs: list[str]
    alpha: list[int] = dataclasses.field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.gates)


class NetlistError(Exception):
    """An invalid netlist file, or a wrong circuit."""


def parse(path: pathlib.Path, default_name: str = "") -> list[Circuit]:
    circuits: list[Circuit] = []
    current: Circuit | None = None
    for number, raw in enumerate(path.read_text().splitlines(), 1):
        line = raw.split("#")[0].strip()
        if not line:
            continue
        words = line.replace("=", " ").split()
        try:
            if words[0] == "circuit":
                current = Circuit(words[1], "", 0, [], [])
                circuits.append(current)
                continue
            if current is None:
                current = Circuit(default_name, "", 0, [], [])
                circuits.append(current)
            if words[0] == "basis":
                current.basis = words[1]
            elif words[0] == "inputs":
                current.num_inputs = int(words[1])
            elif words[0] == "outputs":
                pass  # counted from the y lines
            elif words[0] == "alpha":
                current.alpha = [int(w, 16) for w in words[1:]]
            elif re.fullmatch(r"y\d+", words[0]):
                current.outputs.append(words[1])
            elif words[1] == "lut3":
                current.gates.append(Gate(words[0], "lut3", tuple(words[3:6]), int(words[2], 16)))
            elif words[1] in ("and", "or", "xor", "andn", "not"):
                current.gates.append(Gate(words[0], words[1], tuple(words[2:])))
            else:
                raise NetlistError(f"unknown gate '{words[1]}'")
        except (IndexError, ValueError) as error:
            raise NetlistError(f"{path}:{number}: cannot read '{line}'") from error
    return circuits


def write(path: pathlib.Path, circuits: list[Circuit]) -> None:
    lines = ["# Best known circuits; see ../README.md."]
    for c in circuits:
        lines += [f"circuit {c.name}", f"basis {c.basis}", f"inputs {c.num_inputs}",
                  f"outputs {len(c.outputs)}"]
        if c.alpha:
            lines.append("alpha " + " ".join(f"0x{row:02x}" for row in c.alpha))
        for g in c.gates:
            imm = f" 0x{g.lut:02x}" if g.op == "lut3" else ""
            lines.append(f"{g.name} = {g.op}{imm} {' '.join(g.inputs)}")
        lines += [f"y{i} = {o}" for i, o in enumerate(c.outputs)]
    temporary = path.with_suffix(".new")
    temporary.write_text("\n".join(lines) + "\n")
    temporary.replace(path)


def simulate(circuit: Circuit) -> list[int]:
    """Truth tables of the outputs: bit x of a table is the output for input x."""
    count = 1 << circuit.num_inputs
    ones = (1 << count) - 1
    value: dict[str, int] = {}
    for i in range(circuit.num_inputs):
        period = 1 << i
        block = ((1 << period) - 1) << period
        table = 0
        for at in range(0, count, 2 * period):
            table |= block << at
        value[f"x{i}"] = table
    for g in circuit.gates:
        v = [value[s] for s in g.inputs]
        if g.op == "and":
            r = v[0] & v[1]
        elif g.op == "or":
            r = v[0] | v[1]
        elif g.op == "xor":
            r = v[0] ^ v[1]
        elif g.op == "andn":
            r = ~v[0] & v[1] & ones
        elif g.op == "not":
            r = ~v[0] & ones
        else:
            r = 0
            for x in range(8):
                if g.lut >> x & 1:
                    a = v[0] if x & 4 else ~v[0]
                    b = v[1] if x & 2 else ~v[1]
                    c = v[2] if x & 1 else ~v[2]
                    r |= a & b & c & ones
        value[g.name] = r
    return [value[o] for o in circuit.outputs]


def linear_forms(circuit: Circuit) -> list[int]:
    """The outputs of a circuit of XORs as sets of inputs (bit i: input i); refuses other gates."""
    form = {f"x{i}": 1 << i for i in range(circuit.num_inputs)}
    for g in circuit.gates:
        if g.op != "xor" and not (g.op == "lut3" and g.lut == 0x96):
            raise NetlistError(f"{circuit.name}: gate {g.name} is not an XOR")
        total = 0
        for s in g.inputs:
            total ^= form[s]
        form[g.name] = total
    return [form[o] for o in circuit.outputs]


def check_basis(circuit: Circuit) -> None:
    if circuit.basis not in ("gates2", "lut3"):
        raise NetlistError(f"{circuit.name}: unknown basis '{circuit.basis}'")
    known = {f"x{i}" for i in range(circuit.num_inputs)}
    for g in circuit.gates:
        if g.op == "lut3" and circuit.basis != "lut3":
            raise NetlistError(f"{circuit.name}: {g.name} has three inputs in basis gates2")
        if not set(g.inputs) <= known or g.name in known:
            raise NetlistError(f"{circuit.name}: {g.name} is not in topological order")
        known.add(g.name)


def depth(circuit: Circuit) -> int:
    level = {f"x{i}": 0 for i in range(circuit.num_inputs)}
    for g in circuit.gates:
        level[g.name] = 1 + max(level[s] for s in g.inputs)
    return max(level[o] for o in circuit.outputs)


def most_live(circuit: Circuit, inputs_live: bool) -> int:
    """The largest number of live values in the written order (a compiler may reorder)."""
    last = {}
    for position, g in enumerate(circuit.gates):
        for s in g.inputs:
            last[s] = position
    end = len(circuit.gates)
    for o in circuit.outputs:
        last[o] = end
    live = {f"x{i}" for i in range(circuit.num_inputs) if inputs_live and f"x{i}" in last}
    most = len(live)
    for position, g in enumerate(circuit.gates):
        live.add(g.name)
        most = max(most, len(live))
        live -= {s for s in g.inputs if last[s] == position}
    return most


def scheduled(circuit: Circuit, inputs_live: bool = True, width: int = 48) -> Circuit:
    """The same gates in an order with few live values: a beam search over the ready gates.

    inputs_live: whether inputs are in registers from the start (S-boxes) or are read where they are used (the linear
    step, whose 128 inputs are in memory).
    """
    gates = circuit.gates
    producer = {g.name: k for k, g in enumerate(gates)}
    readers: dict[str, int] = {}
    for g in gates:
        for s in set(g.inputs):
            readers[s] = readers.get(s, 0) + 1
    for o in circuit.outputs:
        readers[o] = readers.get(o, 0) + 1000  # outputs stay
    needs = [sum(s in producer for s in set(g.inputs)) for g in gates]
    used_by: dict[str, list[int]] = {}
    for k, g in enumerate(gates):
        for s in set(g.inputs):
            used_by.setdefault(s, []).append(k)

    # A state: (peak, sum of live, live, order, remaining readers, needs, ready)
    start_live = sum(f"x{i}" in readers for i in range(circuit.num_inputs)) if inputs_live else 0
    ready = tuple(k for k, n in enumerate(needs) if n == 0)
    beam = [(start_live, 0, start_live, (), dict(readers), tuple(needs), ready)]
    for _ in gates:
        found: dict[frozenset, tuple] = {}
        for peak, area, live, order, left, need, ready in beam:
            for k in ready:
                g = gates[k]
                freed = 0
                fresh_left = dict(left)
                for s in set(g.inputs):
                    fresh_left[s] -= 1
                    if fresh_left[s] == 0 and (inputs_live or s in producer):
                        freed += 1
                new_peak = max(peak, live + 1)
                new_live = live + 1 - freed
                fresh_need = list(need)
                fresh_ready = [r for r in ready if r != k]
                for u in used_by.get(g.name, ()):
                    fresh_need[u] -= 1
                    if fresh_need[u] == 0:
                        fresh_ready.append(u)
                state = (new_peak, area + new_live, new_live, order + (k,), fresh_left,
                         tuple(fresh_need), tuple(fresh_ready))
                key = frozenset(state[3])
                if key not in found or state[:2] < found[key][:2]:
                    found[key] = state
        beam = sorted(found.values(), key=lambda s: (s[0], s[1], s[3]))[:width]
    order = beam[0][3]
    return dataclasses.replace(circuit, gates=[gates[k] for k in order])


def renamed(circuit: Circuit, prefix: str = "t") -> Circuit:
    """Gates t0, t1, … in order."""
    names = {g.name: f"{prefix}{k}" for k, g in enumerate(circuit.gates)}
    return dataclasses.replace(
        circuit,
        gates=[Gate(names[g.name], g.op, tuple(names.get(s, s) for s in g.inputs), g.lut)
               for g in circuit.gates],
        outputs=[names.get(o, o) for o in circuit.outputs])
