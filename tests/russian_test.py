#!/usr/bin/env python3
"""Plants each fault that russian.py must find into a small pair of pages."""
import unittest
from unittest import mock

import planted_faults
import russian

ENGLISH = """# Disks
A [table](limits.md), see [below](#speed), and `vershina`.

<!-- not run: an example -->
```sh
vershina hash plain   # a digest
```

    C = ceil(P_ij) for the ij-th block

- one item
- another item

| what | speed |
| --- | --- |
| `ecb`, by one thread | 2.5 |
| fast | yes |

## Speed
All of it.
"""
RUSSIAN = """# Диски

*[In English](../sectors.md)*

[Таблица](limits.md), см. [ниже](#скорость), и `vershina`.

<!-- not run: an example -->
```sh
vershina hash plain   # хэш-код
```

    C = ceil(P_ij) для ij-го блока

- один пункт
- другой пункт

| что | скорость |
| --- | --- |
| `ecb`, в одном потоке | 2,5 |
| быстро | да |

## Скорость
Всё.
"""
TREE = {
    "README.md": "*[По-русски](README.ru.md)*\n\n[disks](docs/sectors.md) ![speed](docs/speed.svg)\n",
    "README.ru.md": "*[In English](README.md)*\n\n[диски](docs/ru/sectors.md) ![скорость](docs/ru/speed.svg)\n",
    "docs/sectors.md": ENGLISH,
    "docs/limits.md": "# Limits\n",
    "docs/ru/sectors.md": RUSSIAN,
    "docs/ru/speed.svg": "<svg/>",
    "docs/speed.svg": "<svg/>",
    "docs/ru/glossary.md": "# Слова\n",
    "docs/ru/limits.md": "# Ограничения\n\n*[In English](../limits.md)*\n",
}


@mock.patch.object(russian, "PAGES", ("sectors.md", "limits.md"))
class Russian(unittest.TestCase):
    def run_on(self, changes):
        """Returns the exit status and what was printed for TREE with some files changed, or left out (None)."""
        return planted_faults.run_on(russian.main, {**TREE, **changes})

    def refuse(self, old, new, words, name="docs/ru/sectors.md"):
        self.assertIn(old, TREE[name])
        status, said = self.run_on({name: TREE[name].replace(old, new)})
        self.assertEqual(status, 1)
        self.assertIn(f"{name}:", said)
        self.assertIn(words, said)

    def test_equal_pages(self):
        self.assertEqual(self.run_on({}), (0, ""))

    def test_missing_page(self):
        self.assertEqual(self.run_on({"docs/ru/limits.md": None}), (1, "docs/ru/limits.md: is missing\n"))

    def test_pictures(self):
        for name in ("docs/speed.svg", "docs/ru/speed.svg"):
            self.assertEqual(self.run_on({name: None}), (1, f"{name}: is missing\n"))
        self.refuse("docs/ru/speed.svg", "docs/speed.svg", "1 links to docs/speed.svg, not 0", "README.ru.md")

    def test_unknown_page(self):
        self.assertEqual(self.run_on({"docs/ru/gpu.md": "# GPU\n"})[0], 1)

    def test_headings(self):
        self.refuse("## Скорость", "### Скорость", "headings of the levels [1, 3], not [1, 2]")
        self.refuse("## Скорость\n", "", "headings of the levels [1], not [1, 2]")

    def test_blocks(self):
        self.refuse("vershina hash plain", "vershina hash -a streebog512 plain", "9: not as in docs/sectors.md")
        self.refuse("```sh", "```console", "another block")
        self.refuse("    C = ceil(P_ij) для ij-го блока\n\n", "", "1 blocks of code, not 2")
        self.refuse("ceil(P_ij)", "floor(P_ij)", "12: not as in docs/sectors.md")
        self.refuse("P_ij", "P_ik", "12: not as in docs/sectors.md")
        self.refuse("C = ", "K = ", "12: not as in docs/sectors.md")

    def test_tables(self):
        self.refuse("| --- | --- |\n", "", "a table of 3 lines, not 4")
        self.refuse("| да |", "| нет |", "нет in place of да")
        self.refuse("2,5", "2,4", "2,4 in place of 2.5")
        self.refuse("`ecb`", "`cbc`", "other words in backquotes")
        self.refuse("| 2,5 |", "| 2,5 | |", "3 cells, not 2")

    def test_links(self):
        self.refuse("(limits.md)", "(../limits.md)", "1 links to docs/limits.md, not 0")
        self.refuse("[Таблица](limits.md)", "Таблица", "0 links to docs/ru/limits.md, not 1")
        self.refuse("#скорость", "#speed", "1 links to #speed, not 0")
        self.refuse("docs/ru/sectors.md", "docs/sectors.md", "1 links to docs/sectors.md, not 0", "README.ru.md")
        self.refuse("*[In English](../sectors.md)*\n", "", "no line *[In English]")
        self.refuse("../sectors.md", "../limits.md", "leads to docs/limits.md")

    def test_glossary_may_be_linked(self):
        self.assertEqual(self.run_on({"docs/ru/sectors.md": RUSSIAN.replace("Всё.", "[Всё](glossary.md).")}), (0, ""))

    def test_untranslated(self):
        self.refuse("Всё.", "All of it.", "a paragraph that is not translated: All of it.")
        self.refuse("Всё.", "`всё` it is.", "a paragraph that is not translated")
        self.refuse("- другой пункт", "- another item", "a paragraph that is not translated: - another item")
        self.refuse("`ecb`, в одном потоке", "`ecb`, by one thread", "a cell that is not translated")


if __name__ == "__main__":
    unittest.main()
