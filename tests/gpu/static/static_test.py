"""Whether tools/gpu-static sees what it should: kernels that leak on purpose, and counts that are known."""

import os
import unittest

import compiler
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
    """Names in leaks.cu say what must be found: leak_address_…, leak_branch_…, …; fine_…: nothing."""

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
        with self.assertRaises(thread_run.Undetermined):
            self.executed(kernels("leaks.cu", "sm_90")["leak_branch_loop"], "sm_90")


if __name__ == "__main__":
    unittest.main(verbosity=2)
