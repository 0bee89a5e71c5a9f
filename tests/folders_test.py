#!/usr/bin/env python3
"""Plants each fault that folders.py must find in a small tree."""
import unittest

import folders
import planted_faults

LIST = "# Map\n```folders\nsrc/core:\nsrc/modes: core\nprograms/vershina: include/vershina\ninclude/vershina:\n```\n"
TREE = {
    "ARCHITECTURE.md": LIST,
    "src/core/wipe.hpp": "#include <cstring>\n",
    "src/modes/ecb.hpp": '#include "core/wipe.hpp"\n#include "built.inc"\n',
    "programs/vershina/main.cpp": "#include <vershina/vershina.h>\n",
    "include/vershina/vershina.h": "",
}


class Folders(unittest.TestCase):
    def run_on(self, changes):
        """Returns the exit status and the output for TREE with some files changed."""
        return planted_faults.run_on(folders.main, {**TREE, **changes})

    def refuse(self, changes, words):
        status, said = self.run_on(changes)
        self.assertEqual(status, 1)
        self.assertIn(words, said)
        self.assertEqual(said.count("\n"), 1, said)

    def test_right_tree(self):
        self.assertEqual(self.run_on({}), (0, ""))

    def test_include_that_the_list_lacks(self):
        self.refuse({"src/core/ecb.cpp": '#include "vershina/vershina.h"\n'},
                    "src/core must not include include/vershina")

    def test_wall(self):
        """A program of the library's inside, another program; a library, a guest of a program."""
        for source, header, old, new in (
                ("programs/vershina/wipe.cpp", "core/wipe.hpp", "vershina: ", "vershina: core "),
                ("programs/vershina/other.cpp", "programs/disk/disk.hpp", "vershina: ", "vershina: programs/disk "),
                ("src/modes/up.cpp", "programs/disk/disk.hpp", "modes: ", "modes: programs/disk "),
                ("integrations/openssl/in.cpp", "programs/disk/disk.hpp", "include/vershina:\n",
                 "include/vershina:\nintegrations/openssl: programs/disk\n")):
            with self.subTest(source):
                listed = LIST.replace(old, new).replace("```folders\n", "```folders\nprograms/disk:\n")
                self.refuse({source: f'#include "{header}"\n', "programs/disk/disk.hpp": "", "ARCHITECTURE.md": listed},
                            "the wall between libraries and programs")

    def test_no_arrow_upwards(self):
        for header in ("measure/clock.hpp", "tomography/angles.hpp"):
            with self.subTest(header):
                folder = header.split("/")[0]
                listed = LIST.replace("modes: ", f"modes: {folder} ")
                listed = listed.replace("```folders\n", f"```folders\n{folder}:\n")
                self.refuse({"src/modes/up.cpp": f"#include <{header}>\n", header: "", "ARCHITECTURE.md": listed},
                            "the wall between libraries and programs")

    def test_namespace_in_a_header(self):
        self.refuse({"src/core/wipe.hpp": "namespace vsh {\nusing namespace std;\n}\n"}, "a whole namespace")
        self.assertEqual(self.run_on({"src/core/wipe.hpp": "using namespace std::literals;\n"}), (0, ""))

    def test_arrow_without_an_include(self):
        self.refuse({"src/modes/ecb.hpp": ""}, "src/modes: the list has an arrow to src/core")

    def test_new_folder(self):
        self.refuse({"src/disks/xts.hpp": ""}, "src/disks: a folder that the list in ARCHITECTURE.md does not have")

    def test_folder_that_is_gone(self):
        self.refuse({"ARCHITECTURE.md": LIST.replace("programs/vershina:", "src/old:\nprograms/vershina:")},
                    "src/old: is in the list")

    def test_cycle_that_the_list_allows(self):
        self.refuse({"ARCHITECTURE.md": LIST.replace("src/core:", "src/core: modes"),
                     "src/core/engine.hpp": '#include "modes/ecb.hpp"\n'},
                    "cycle of folders: src/core -> src/modes -> src/core")

    def test_header_that_is_nowhere(self):
        self.refuse({"src/core/lost.hpp": '#include "core/nowhere.hpp"\n'}, "core/nowhere.hpp, which was not found")

    def test_too_many_sources(self):
        many = {f"src/core/kernel_{number}.cpp": "" for number in range(45)}
        self.refuse(many, "src/core: 46 sources")
        data = {f"src/core/generated/{number}.inc": "" for number in range(46)}
        data["ARCHITECTURE.md"] = LIST.replace("programs/vershina:", "src/core/generated:\nprograms/vershina:")
        self.assertEqual(self.run_on(data), (0, ""))

    def test_no_list(self):
        status, said = self.run_on({"ARCHITECTURE.md": "# Map\n"})
        self.assertEqual(status, 1)
        self.assertIn("has 0 blocks ```folders", said)


if __name__ == "__main__":
    unittest.main()
