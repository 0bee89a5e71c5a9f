"""Tests that tools/gpu-static/execute.py runs machine code like a device and detects faults: kernels of executed.cu,
their expected memory, and the same with a fault."""

import os
import random
import unittest

import numpy

import arithmetic
import compiler
import execute
import launches
import sass

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
M32, M64 = 0xffffffff, 0xffffffffffffffff
GROUP, WARP = 128, 32
LAST = 37  # threads of the last group for which `ways` has data


def bits(data, n):
    def one(x):
        source = x | n << 32
        permuted = sum((source >> 8 * k & 255) << 8 * i for i, k in enumerate((3, 5, 0, 7)))
        shifted = (x << 32 | n) << 11 >> 32 & M32
        return x & permuted | x & shifted | permuted & shifted
    return [one(x) for x in data]


def ways(data, n):
    def one(x):
        steps = 0
        while x > 1:
            x, steps = (3 * x + 1 if x % 2 else x // 2) & M32, steps + 1
        return steps
    return [one(x) for x in data[:n]]


def wide(data, n):
    return [x // n * 3 + x % 1000003 - (x * n if x > n else x << (n & 63)) & M64 for x in data]


def turned(data, n):
    return [data[i ^ GROUP - 1] + n & M32 for i in range(len(data))]


def lanes(data, n):
    out = []
    for i, x in enumerate(data):
        warp = data[i // WARP * WARP:][:WARP]
        total = 0
        for y in warp:
            total ^= y
        out.append(total + data[i - 3 if i % WARP >= 3 else i] + n * (5 in warp) & M32)
    return out


EXPECTED = {f.__name__: f for f in (bits, ways, wide, turned, lanes)}


def launch(kernel, n, expected, data):
    """Of as many groups as the data have."""
    kind, size = (numpy.uint64, 2) if kernel == "wide" else (numpy.uint32, 1)
    out = numpy.full(4 * size * len(expected), launches.FRESH, numpy.uint8)
    after = numpy.array(expected, kind).view(numpy.uint8)
    given = numpy.array(data, kind).view(numpy.uint8)
    return launches.Launch("", "", kernel, len(data), [(out, after), (given, given)], [(0, 0), (0, 1), (size, n)])


def random_launches(kernel):
    """Three, of different numbers of groups, and of different arguments."""
    numbers = random.Random(kernel)
    for groups in (1, 3, 2):
        most = 1000 if kernel == "ways" else M64 if kernel == "wide" else M32
        data = [numbers.randrange(1, most) >> numbers.choice((0, 0, 0, 20)) for _ in range(groups * GROUP)]
        data[40 * (groups - 1)] = 5
        n = len(data) - GROUP + LAST if kernel == "ways" else numbers.randrange(1, M64 if kernel == "wide" else M32)
        yield launch(kernel, n, EXPECTED[kernel](data, n), data)


def run(cubin, architecture, kernel, recorded):
    function = next(f for f in cubin.functions() if f.name == kernel)
    return list(execute.Run(cubin, function, architecture, list(recorded), counted=False).problems())


class Execution(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(HERE, "executed.cu"), encoding="ascii") as file:
            source = file.read()
        cls.cubins = {a: compiler.Cubin(source, a, []) for a in ARCHITECTURES}

    def test_kernels_do_what_their_source_says(self):
        for architecture, cubin in self.cubins.items():
            for kernel in EXPECTED:
                with self.subTest(architecture=architecture, kernel=kernel):
                    self.assertEqual(run(cubin, architecture, kernel, random_launches(kernel)), [])

    def test_another_result_is_seen(self):
        for kernel in EXPECTED:
            with self.subTest(kernel=kernel):
                recorded = list(random_launches(kernel))
                recorded[1].buffers[0][1][-1] ^= 1
                self.assertRegex(run(self.cubins["sm_90"], "sm_90", kernel, recorded)[0], "^1 bytes differ")

    def broken(self, architecture, kernel, old, new):
        """The report on the kernel with this text of its listing replaced."""
        cubin = compiler.Cubin.__new__(compiler.Cubin)
        vars(cubin).update(vars(self.cubins[architecture]))
        self.assertIn(old, cubin.listing)
        cubin.listing = cubin.listing.replace(old, new)
        problems = run(cubin, architecture, kernel, random_launches(kernel))
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def test_another_function_of_three_bits_is_seen(self):
        for architecture in ARCHITECTURES:
            self.assertIn("bytes differ", self.broken(architecture, "bits", b"0xe8", b"0xe9"))

    def test_a_missing_barrier_is_a_race(self):
        for architecture in ARCHITECTURES:
            self.assertIn("another thread", self.broken(architecture, "turned", b'"BAR.SYNC', b'"NOP.SYNC'))

    def test_races_and_what_lies_beyond(self):
        for architecture, cubin in self.cubins.items():
            data = [0] * (2 * GROUP)
            for kernel, reason in (("race_write", "writes what another"), ("race_read", "another thread"),
                                   ("beyond", "no such place")):
                with self.subTest(architecture=architecture, kernel=kernel):
                    self.assertIn(reason, run(cubin, architecture, kernel, [launch(kernel, 3, data, data)])[0])


class Arithmetic(unittest.TestCase):
    """Rules are equal for a number shared by all threads and for one of each."""

    def test_numbers_and_arrays_agree(self):
        numbers, tried = random.Random(1), set()
        for architecture in ARCHITECTURES:
            for name in ("executed.cu", "leaks.cu", "counts.cu"):
                with open(os.path.join(HERE, name), encoding="ascii") as file:
                    functions = compiler.Cubin(file.read(), architecture, []).functions()
                for one in (one for function in functions for one in function.code):
                    rule = arithmetic.rule(one.opcode)
                    if rule and one.opcode not in ("HFMA2", "I2F", "F2I", "MUFU"):
                        self.compare(one, rule, numbers)
                        tried.add(one.opcode)
        self.assertGreater(len(tried), 15)

    def compare(self, one, rule, numbers):
        kind = numpy.uint32 if arithmetic.fits_words(one) else numpy.uint64
        columns, fixed = [], [sass.operand(o) for o in one.reads]
        for what in fixed:
            most = 1 if what.kind in ("P", "UP") or what.sign == "!" else M32
            columns.append([what.number & M32 ^ (what.sign == "!") if what.kind == "number" else
                            numbers.choice((0, most, 1 << numbers.randrange(32) & most, numbers.randint(0, most)))
                            for _ in range(50)])
        arrays = [c[0] if what.kind == "number" else numpy.array(c, kind) for c, what in zip(columns, fixed)]
        found = rule(one, arrays, len(one.writes))
        for k in range(50):
            expected = rule(one, [c[k] for c in columns], len(one.writes))
            self.assertEqual([int(f[k]) if isinstance(f, numpy.ndarray) else f for f in found], expected, str(one))


if __name__ == "__main__":
    unittest.main(verbosity=2)
