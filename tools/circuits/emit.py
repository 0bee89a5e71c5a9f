"""Writes circuits as straight-line statements that C++, CUDA C and OpenCL C can include."""

from __future__ import annotations

import dataclasses

import netlist

COMMAND = "tools/circuits/generate --emit"


def _operand(name: str, input_text) -> str:
    return input_text(int(name[1:])) if name[0] == "x" else name


def _expression(gate: netlist.Gate, input_text) -> str:
    s = [_operand(n, input_text) for n in gate.inputs]
    if gate.op in ("and", "or", "xor"):
        return f"{s[0]} {dict(zip(('and', 'or', 'xor'), '&|^'))[gate.op]} {s[1]}"
    if gate.op == "andn":
        return f"VSH_ANDN({s[0]}, {s[1]})"
    if gate.op == "not":
        return f"~{s[0]}"
    return f"VSH_LUT3(0x{gate.lut:02x}, {s[0]}, {s[1]}, {s[2]})"


def _permuted(lut: int, order: tuple[int, int, int]) -> int:
    """The table of the same function with operand order[k] in place k."""
    table = 0
    for x in range(8):
        bits = [x >> 2 & 1, x >> 1 & 1, x & 1]
        old = [bits[order.index(k)] for k in range(3)]
        table |= (lut >> (4 * old[0] + 2 * old[1] + old[2]) & 1) << x
    return table


def placed(circuit: netlist.Circuit, *, linear: bool) -> netlist.Circuit:
    """Three-input gates with operands in vpternlog's order.

    It overwrites its first operand, so that should be a value at its last use (or else one that is loaded into a
    register anyway), and it can read its last one from memory.
    """
    last = {s: k for k, g in enumerate(circuit.gates) for s in g.inputs}

    def in_memory(s: str) -> bool:
        return linear and s[0] == "x"

    def arranged(position: int, g: netlist.Gate) -> netlist.Gate:
        if g.op != "lut3":
            return g
        dying = [k for k, s in enumerate(g.inputs) if not in_memory(s) and last[s] == position]
        loaded = [k for k, s in enumerate(g.inputs) if in_memory(s)]
        first = (dying or loaded or [0])[0]
        order = tuple(sorted(range(3), key=lambda k: (k != first, k in loaded)))
        return dataclasses.replace(g, inputs=tuple(g.inputs[k] for k in order),
                                   lut=_permuted(g.lut, order))

    return dataclasses.replace(
        circuit, gates=[arranged(position, g) for position, g in enumerate(circuit.gates)])


def statements(circuit: netlist.Circuit, *, first_bit: int = 0, linear: bool = False,
               output: str = "VSH_Y") -> list[str]:
    """One line a gate; an output is written as soon as it is known."""
    circuit = placed(circuit, linear=linear)
    lines = []
    if linear:
        def input_text(i: int) -> str:
            return f"VSH_XB({i // 8}, {i % 8})"
    else:
        used = {s for g in circuit.gates for s in g.inputs} | set(circuit.outputs)
        for i in range(circuit.num_inputs):
            if f"x{i}" in used:
                lines.append(f"const VSH_T x{i} = VSH_X({first_bit + i});")

        def input_text(i: int) -> str:
            return f"x{i}"
    pending = {}
    for i, o in enumerate(circuit.outputs):
        pending.setdefault(o, []).append(i)
    for g in circuit.gates:
        lines.append(f"const VSH_T {g.name} = {_expression(g, input_text)};")
        lines += [f"{output}({first_bit + i}, {g.name});" for i in pending.pop(g.name, [])]
    for o, outputs in pending.items():  # an output that is an input
        lines += [f"{output}({first_bit + i}, {_operand(o, input_text)});" for i in outputs]
    return lines


def program(circuit: netlist.Circuit, registers: int) -> list[str]:
    """A linear circuit with registers allocated: too many values for compilers' allocators.

    Belady's rule: the value whose next use is farthest is evicted. A value that is not in memory yet is stored by
    VSH_SPILL(slot, value); VSH_SLOT(slot), VSH_XB (inputs) and VSH_Z (outputs) load from memory again.
    """
    uses: dict[str, list[int]] = {}
    for at, g in enumerate(circuit.gates):
        for s in g.inputs:
            uses.setdefault(s, []).append(at)
    output = {o: i for i, o in enumerate(circuit.outputs)}
    lines: list[str] = []
    held: dict[str, str] = {}  # value -> the variable that has it
    slot_of: dict[str, int] = {}
    free: list[int] = []
    num_slots = 0

    def next_use(v: str) -> int:
        return uses[v][0] if uses.get(v) else 1 << 30

    def in_memory(v: str) -> bool:
        return v[0] == "x" or v in output or v in slot_of

    def memory(v: str) -> str:
        if v[0] == "x":
            return f"VSH_XB({int(v[1:]) // 8}, {int(v[1:]) % 8})"
        return f"VSH_Z({output[v]})" if v in output else f"VSH_SLOT({slot_of[v]})"

    def make_room(needed: tuple[str, ...]) -> None:
        nonlocal num_slots
        while len(held) >= registers:
            farthest = max((v for v in held if v not in needed),
                           key=lambda v: next_use(v) * (1.0 if in_memory(v) else 0.8))
            if not in_memory(farthest):
                if not free:
                    free.append(num_slots)
                    num_slots += 1
                slot_of[farthest] = free.pop()
                lines.append(f"VSH_SPILL({slot_of[farthest]}, {held[farthest]});")
            del held[farthest]

    for at, g in enumerate(circuit.gates):
        operands, from_memory = [], 0
        for s in g.inputs:
            if s not in held:
                from_memory += 1
                if from_memory > 1 or (len(uses[s]) > 1 and len(held) < registers - 1):
                    make_room(g.inputs)
                    held[s] = f"{s}_{at}"
                    lines.append(f"const VSH_T {held[s]} = {memory(s)};")
            operands.append(held.get(s) or memory(s))
        for s in g.inputs:
            uses[s].pop(0)
            if not uses[s]:
                held.pop(s, None)
                if s in slot_of:
                    free.append(slot_of.pop(s))
        if len(operands) == 2:
            expression = f"{operands[0]} ^ {operands[1]}"
        else:
            expression = f"VSH_LUT3(0x96, {', '.join(operands)})"
        lines.append(f"const VSH_T {g.name} = {expression};")
        if g.name in output:
            lines.append(f"VSH_Y({output[g.name]}, {g.name});")
        if uses.get(g.name):
            make_room(())
            held[g.name] = g.name
    return [f"VSH_SLOTS({num_slots})"] + lines


def header(title: str, basis: str, circuits: list[netlist.Circuit], inputs_live: bool) -> list[str]:
    total = sum(c.size for c in circuits)
    lines = [
        f"// Generated by `{COMMAND}`; do not edit.",
        "//",
        f"// {title}",
    ]
    if len(circuits) == 1:
        c = circuits[0]
        lines.append(f"// Basis {basis}: {c.size} gates, depth {netlist.depth(c)}, at most "
                     f"{netlist.most_live(c, inputs_live)} values alive in this order.")
    else:
        lines.append(f"// Basis {basis}: {total} gates in all; boxes 0 … {len(circuits) - 1}: "
                     + " ".join(str(c.size) for c in circuits) + ".")
    return lines + [""]


def single(title: str, circuit: netlist.Circuit, *, linear: bool = False, registers: int = 0) -> str:
    lines = header(title, circuit.basis, [circuit], not linear)
    if registers:
        return "\n".join(lines + program(circuit, registers)) + "\n"
    return "\n".join(lines + statements(circuit, linear=linear)) + "\n"


def side_by_side(title: str, sbox: netlist.Circuit, step: netlist.Circuit) -> str:
    """An S-box and a linear step that do not depend on each other, with interleaved gates.

    The S-box is bound by gates and by its depth, the step by loads: together they are bound by
    gates only. Values of the S-box are u0, u1, …, and its outputs go to VSH_U.
    """
    sbox = netlist.renamed(sbox, "u")
    lines = [
        f"// Generated by `{COMMAND}`; do not edit.",
        "//",
        f"// {title}",
        f"// Basis {step.basis}: {sbox.size} + {step.size} gates.",
        "",
    ]
    queues = [statements(sbox, output="VSH_U"), statements(step, linear=True)]
    lengths = [len(q) for q in queues]
    taken = [0, 0]
    while taken != lengths:
        k = 0 if taken[0] * lengths[1] <= taken[1] * lengths[0] else 1
        lines.append(queues[k][taken[k]])
        taken[k] += 1
    return "\n".join(lines) + "\n"


def boxes(title: str, circuits: list[netlist.Circuit]) -> str:
    lines = header(title, circuits[0].basis, circuits, True)
    for k, c in enumerate(circuits):
        lines.append(f"VSH_BOX({k}) {{  // {c.size} gates, depth {netlist.depth(c)}")
        lines += ["    " + s for s in statements(c, first_bit=4 * k)]
        lines.append("}")
    return "\n".join(lines) + "\n"


def rows(title: str, values: list[int]) -> str:
    lines = [f"// Generated by `{COMMAND}`; do not edit.", "//",
             f"// {title}", ", ".join(f"0x{v:02x}" for v in values)]
    return "\n".join(lines) + "\n"
