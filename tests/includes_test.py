#!/usr/bin/env python3
"""Plants each fault that includes.py must find in a small tree."""
import unittest

import includes
import planted_faults

SORT = "void f() { std::sort(a, b); }\n"
TREE = {
    "src/core/names.hpp": "#include <string>\n#include <vector>\n",
    "src/core/list.hpp": "#include <algorithm>\n" + '#include "core/names.hpp"\n',
    "src/core/list.cpp": '#include "core/list.hpp"\n' + "std::string s;  // not std::map\n" + SORT,
}


class Includes(unittest.TestCase):
    def run_on(self, changes):
        """Returns the exit status and the output for TREE with some files changed."""
        return planted_faults.run_on(includes.main, {**TREE, **changes})

    def refuse(self, path, text, words):
        self.assertEqual(self.run_on({path: text}), (1, f"{path}: {words}\n"))

    def test_right_tree(self):
        self.assertEqual(self.run_on({}), (0, ""))

    def test_header_that_nobody_includes(self):
        self.refuse("src/core/new.cpp", '#include "core/names.hpp"\nstd::optional<int> n;\n',
                    "std::optional needs <optional>")

    def test_algorithm_of_another_header(self):
        self.refuse("src/core/new.cpp", '#include "core/list.hpp"\n' + SORT, "std::sort needs <algorithm>")

    def test_name_that_several_headers_have(self):
        text = "auto n = std::end(array);\n"
        self.refuse("src/core/new.cpp", text, "std::end needs <iterator>")
        self.assertEqual(self.run_on({"src/core/new.cpp": '#include "core/names.hpp"\n' + text}), (0, ""))

    def test_ranges(self):
        self.refuse("src/core/new.cpp", "std::ranges::sort(v);\n", "std::sort needs <algorithm>")

    def test_header_named_like_the_test(self):
        self.assertEqual(self.run_on({"tests/core/list_test.cpp": '#include "core/list.hpp"\n' + SORT}), (0, ""))

    def test_text_is_no_code(self):
        self.assertEqual(self.run_on({"src/core/new.cpp": "char q = '\"', *s = \"std::map\";\n"}), (0, ""))


if __name__ == "__main__":
    unittest.main()
