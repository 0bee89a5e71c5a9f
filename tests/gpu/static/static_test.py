"""Tests the checks of tools/gpu-static: deliberate leaks, and known counts."""

import os
import re
import unittest

import compiler
import machine
import sass
import secrets_flow
import thread_run

HERE = os.path.dirname(os.path.abspath(__file__))
ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
POINTERS = [(8, 1 << 40), (8, 2 << 40)]


def kernels(name, architecture):
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        cubin = compiler.Cubin(file.read(), architecture, [])
    return {function.name: function for function in cubin.functions()}


class Secrets(unittest.TestCase):
    """Names in leaks.cu are the expected findings: leak_address_…, leak_branch_…, …; fine_…: nothing."""

    REASONS = {"address": "address depends", "branch": "branch depends", "store": "whether it is done depends",
               "time": "its time may depend"}

    def test_leaks_are_found(self):
        for architecture in ARCHITECTURES:
            found = kernels("leaks.cu", architecture)
            self.assertGreater(len(found), 10)
            for name, function in found.items():
                with self.subTest(architecture=architecture, kernel=name):
                    leaks = [reason for _, reason in secrets_flow.Flow(function).leaks()]
                    if name.startswith("fine_"):
                        self.assertEqual(leaks, [])
                        continue
                    # A predicated store and a branch around one are the compiler's choice.
                    wanted = name.split("_")[1]
                    allowed = {wanted, "branch"} if wanted == "store" else {wanted}
                    self.assertTrue(any(self.REASONS[a] in reason for a in allowed for reason in leaks), leaks)


class PutAside(unittest.TestCase):
    """A public predicate among a register's secret bits, as emitted by compilers for sm_75; and code that only looks
    like it."""

    LINES = ("LDG.E R2,[R4.64]", "ISETP.GE.U32.AND P6,PT,R0,0x21,PT", "LOP3.LUT R2,R2,0xfffffffd,RZ,0xc0,!PT",
             "@P6 LOP3.LUT R2,R2,0x2,RZ,0xfc,!PT", "LOP3.LUT R2,R2,0x70,RZ,0xc0,!PT",
             "LOP3.LUT P6,RZ,R2,0x2,RZ,0xc0,!PT", "@P6 STG.E [R4.64],R3")

    class Listing:
        def __init__(self, lines):
            parts = [re.fullmatch(r"(?:@(\S+) )?(\S+) (.*)", line).groups() for line in lines]
            self.code = [sass.Instruction({"predicate": guard or "", "opcode": opcode, "operands": rest}, 16 * i, {})
                         for i, (guard, opcode, rest) in enumerate(parts)]

        def successors(self, at, stack):
            return [(at + 1, stack)] if at + 1 < len(self.code) else []

    def leaks(self, changes):
        lines = [changes.get(i, line) for i, line in enumerate(self.LINES)]
        return secrets_flow.Flow(self.Listing([line for line in lines if line])).leaks()

    def test_flags(self):
        self.assertEqual(self.leaks({4: None}), [])
        self.assertEqual(self.leaks({4: "LOP3.LUT R2,R2,0x72,RZ,0xc0,!PT"}), [])
        for what, changes in {
                "the bit is cleared": {},
                "the predicate is secret": {1: "ISETP.GE.U32.AND P6,PT,R2,0x21,PT", 4: None},
                "there was no room": {2: None, 4: None},
                "room elsewhere": {2: "LOP3.LUT R2,R2,0xfffffffb,RZ,0xc0,!PT", 4: None},
                "the bit is changed": {4: "LOP3.LUT R2,R2,R7,RZ,0x3c,!PT"},
                "another bit is tested": {4: None, 5: "LOP3.LUT P6,RZ,R2,0x4,RZ,0xc0,!PT"},
                "one bit more is tested": {4: None, 5: "LOP3.LUT P6,RZ,R2,0x6,RZ,0xc0,!PT"}}.items():
            with self.subTest(what):
                self.assertNotEqual(self.leaks(changes), [])


class Counts(unittest.TestCase):
    """Kernels of counts.cu execute instructions that the source counts."""

    def executed(self, function, architecture, *numbers):
        return thread_run.Thread(function, architecture, POINTERS + [(4, n) for n in numbers]).run()

    def test_loops(self):
        for architecture in ARCHITECTURES:
            found = kernels("counts.cu", architecture)
            with self.subTest(architecture=architecture):
                lop3 = lambda *n: self.executed(found["loop"], architecture, *n).per_pipe()["LOP3"]
                self.assertEqual(lop3(47) - lop3(10), 37 * 5)
                nested = lambda *n: self.executed(found["nested"], architecture, *n).per_pipe()["POPC"]
                self.assertEqual(nested(7, 11), 7 * 11)
                divided = lambda *n: self.executed(found["divided"], architecture, *n).per_pipe()["POPC"]
                self.assertEqual(divided(1000003, 1001), 1000003 // 1001)
                self.assertEqual(divided(5, 3), 1)

    def test_memory(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture=architecture):
                thread = self.executed(kernels("counts.cu", architecture)["memory"], architecture, 9)
                self.assertEqual((dict(thread.loads), dict(thread.stores)), ({2: 9 * 16}, {1: 9 * 4}))

    def test_unknown_branch_is_an_error(self):
        with self.assertRaises(machine.Fault):
            self.executed(kernels("leaks.cu", "sm_90")["leak_branch_loop"], "sm_90")


if __name__ == "__main__":
    unittest.main(verbosity=2)
