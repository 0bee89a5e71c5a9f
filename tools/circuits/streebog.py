"""Streebog's S and l without the linear layers of the S-box.

pi(x) = omega(s(alpha(x))) + pi(0) with alpha and omega linear: the circuit `streebog-s` computes s, and `streebog-l`
computes alpha l omega, in the basis of alpha, in which states are kept. GOST R 34.11-2012, clauses 5.2 and 5.4 (RFC
6986, sections 6.2 and 6.4).
"""

from __future__ import annotations

import pathlib
import re

import netlist

CONSTANTS = pathlib.Path(__file__).resolve().parent.parent.parent / "src" / "streebog" / "constants.hpp"


def matrix_a() -> list[int]:
    body = re.search(r"kMatrixA\[64\] = \{([^}]*)\}", CONSTANTS.read_text()).group(1)
    rows = [int(v, 16) for v in re.findall(r"0x[0-9a-f]{16}", body)]
    if len(rows) != 64:
        raise netlist.NetlistError("constants.hpp does not look as expected")
    return rows


def parity(x: int) -> int:
    return x.bit_count() & 1


def apply(rows: list[int], x: int) -> int:
    return sum(parity(row & x) << k for k, row in enumerate(rows))


def inverse(rows: list[int]) -> list[int]:
    """The rows of the inverse of an invertible map of bytes."""
    argument = {apply(rows, x): x for x in range(256)}
    return [sum((argument[1 << bit] >> k & 1) << bit for bit in range(8)) for k in range(8)]


def omega_columns(circuit: netlist.Circuit, pi: list[int]) -> list[int]:
    """Image of unit vector k under omega; refuses a circuit that is not pi up to alpha, omega and pi(0)."""
    if len(circuit.alpha) != 8 or len({apply(circuit.alpha, x) for x in range(256)}) != 256:
        raise netlist.NetlistError(f"{circuit.name}: alpha is not invertible")
    tables = netlist.simulate(circuit)
    image: dict[int, int] = {}  # s(alpha(x)) -> pi(x) + pi(0)
    for x in range(256):
        z = apply(circuit.alpha, x)
        image[sum((t >> z & 1) << k for k, t in enumerate(tables))] = pi[x] ^ pi[0]
    columns = [image.get(1 << k, 0) for k in range(8)]
    for z in range(256):
        total = 0
        for k in range(8):
            total ^= columns[k] * (z >> k & 1)
        if image.get(z) != total:
            raise netlist.NetlistError(f"{circuit.name} is not pi up to linear maps")
    return columns


def l_forms(circuit: netlist.Circuit, pi: list[int]) -> list[int]:
    """Output bit 8 i + b of alpha l omega as the set of inputs that it sums; input 8 j + b is bit b of byte j."""
    a = matrix_a()
    omega = omega_columns(circuit, pi)
    forms = [0] * 64
    for j in range(8):
        for b in range(8):
            word = 0
            for bit in range(8):
                if omega[b] >> bit & 1:
                    word ^= a[63 - (8 * j + bit)]
            for i in range(8):
                byte = apply(circuit.alpha, word >> 8 * i & 255)
                for bit in range(8):
                    forms[8 * i + bit] |= (byte >> bit & 1) << (8 * j + b)
    return forms
