#!/usr/bin/env python3
"""Holds the Russian pages to the English ones.

Usage: russian.py SOURCE_DIRECTORY

docs/ru has a page for each one of PAGES and a picture for each one of PICTURES, and README.ru.md belongs to README.md.
A pair must agree in its headings (number and levels), in its blocks of code (comments may be translated; of formulas,
words in small letters), in its tables (rows, cells, numbers, answers like `yes`, what stands in backquotes) and in its
links, which lead to a Russian page where there is one. In a Russian page every paragraph, item and cell is Russian.
"""
import os
import re
import sys

PAGES = ("benchmark.md", "cli.md", "disks.md", "limits.md", "openssl.md", "python.md", "sealed-files.md", "sectors.md",
         "tomography.md", "tunnel.md")
# Drawn twice, with words in each language.
PICTURES = ("speed.svg",)
# Cells of tables that are a word only; what stands as in English is the value of an option.
ANSWERS = {"yes": "да", "no": "нет", "none": "нет", "both": "оба", "all": "все"}
# Russian only.
ALONE = {"glossary.md"}
CODE = re.compile(r"`[^`]+`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
# Three words in small letters one after the other are a phrase, and no name.
PHRASE = re.compile(r"(?:\b[a-z]{2,}\b[ ,]+){2}\b[a-z]{2,}\b")
SWITCH = re.compile(r"\*\[(?:In English|По-русски)\]\(([^)]+)\)\*")
COMMENTS = {"sh": r"(^|\s)#.*", "python": r"(^|\s)#.*", "text": r"\s{2}# .*", "c": r"\s*(//.*|/\*.*?\*/)"}


class Page:
    def __init__(self, top, name):
        self.name = name
        with open(os.path.join(top, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.headings = []  # (level, text)
        self.blocks = []  # (language, text without comments, number of the line)
        self.tables = []  # [(cells of a row, number of the line)]
        self.texts = []  # (paragraph or item, number of the line)
        self.switch = None
        self.read(lines)

    def read(self, lines):
        fence, code, before = None, [], ""
        for number, line in enumerate(lines + [""], 1):
            if line.startswith("```"):
                if fence is None:
                    fence, code, first = line[3:], [], number
                else:
                    self.blocks.append((fence, strip_comments(fence, code), first))
                    fence = None
            elif fence is not None:
                code.append(line)
            elif line.startswith("    ") and (before == "formulas" or not before):
                if before != "formulas":
                    self.blocks.append(("formulas", [], number))
                self.blocks[-1][1].append(strip_words(line))
                before = "formulas"
                continue
            elif re.match("#+ ", line):
                marks, _, text = line.partition(" ")
                self.headings.append((len(marks), text))
            elif SWITCH.fullmatch(line):
                self.switch = SWITCH.fullmatch(line)[1]
            elif line.startswith("|"):
                if before != "table":
                    self.tables.append([])
                self.tables[-1].append(([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]], number))
                before = "table"
                continue
            elif line and not line.startswith("<!--"):
                if before == "text" and not re.match(r"\s*[-*] ", line):
                    self.texts[-1] = (self.texts[-1][0] + " " + line, self.texts[-1][1])
                else:
                    self.texts.append((line, number))
                before = "text"
                continue
            before = "" if fence is None and not line else "other"

    def anchors(self):
        return [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for _, text in self.headings]

    def links(self):
        """Returns the targets, seen from the top, sorted; those inside the page as the number of their heading."""
        found, anchors = [], self.anchors()
        parts = [text for text, _ in self.texts] + [cell for table in self.tables for row, _ in table for cell in row]
        for target in LINK.findall(" ".join(CODE.sub("", part) for part in parts)):
            if target.startswith("#"):
                found.append(f"heading {anchors.index(target[1:]) + 1}" if target[1:] in anchors else target)
            elif "://" in target:
                found.append(target)
            else:
                found.append(os.path.normpath(os.path.join(os.path.dirname(self.name), target)))
        return sorted(found)


def strip_comments(language, lines):
    pattern = COMMENTS.get("sh" if language == "console" else language)
    return [re.sub(pattern, "", line).rstrip() if pattern else line for line in lines]


def strip_words(line):
    """Returns a formula without the words between its parts; names of functions and subscripts stay."""
    line = line.replace("ГОСТ Р", "GOST R").replace(",", " ")
    return " ".join(re.sub("[А-Яа-яё]+|(?<![A-Za-z_])[a-z]{2,}(?![A-Za-z(])", "", line).split())


def counterpart(name):
    """Returns the Russian page of an English one and the English page of a Russian one; other names as they are."""
    pairs = {"README.md": "README.ru.md"}
    pairs.update({f"docs/{page}": f"docs/ru/{page}" for page in (*PAGES, *PICTURES)})
    return pairs.get(name, name)


def compare_tables(english, russian, fault):
    if len(english.tables) != len(russian.tables):
        fault(f"{len(russian.tables)} tables, not {len(english.tables)}")
        return
    for ours, theirs in zip(russian.tables, english.tables):
        if len(ours) != len(theirs):
            fault(f"{ours[0][1]}: a table of {len(ours)} lines, not {len(theirs)}")
            continue
        for (row, number), (other, _) in zip(ours, theirs):
            if len(row) != len(other):
                fault(f"{number}: {len(row)} cells, not {len(other)}")
            elif sorted(CODE.findall(" ".join(row))) != sorted(CODE.findall(" ".join(other))):
                fault(f"{number}: other words in backquotes than: {' | '.join(other)}")
            for cell, value in zip(row, other):
                if re.fullmatch(r"[\d.; /%-]*\d[\d.; /%-]*", value) and cell.replace(",", ".") != value:
                    fault(f"{number}: {cell} in place of {value}")
                if cell not in (value, ANSWERS.get(value, cell)):
                    fault(f"{number}: {cell} in place of {ANSWERS[value]}")


def compare(english, russian, fault):
    levels = [[level for level, _ in page.headings] for page in (english, russian)]
    if levels[0] != levels[1]:
        fault(f"headings of the levels {levels[1]}, not {levels[0]}")
    for (language, code, number), (other_language, other, _) in zip(russian.blocks, english.blocks):
        if language != other_language or len(code) != len(other):
            fault(f"{number}: another block than that of {english.name}")
            continue
        for distance, (line, wanted) in enumerate(zip(code, other), 0 if language == "formulas" else 1):
            if line != wanted:
                fault(f"{number + distance}: not as in {english.name}: {wanted}")
    if len(russian.blocks) != len(english.blocks):
        fault(f"{len(russian.blocks)} blocks of code, not {len(english.blocks)}")
    compare_tables(english, russian, fault)
    links = [target for target in russian.links() if os.path.basename(target) not in ALONE]
    wanted = [counterpart(target) for target in english.links()]
    for target in sorted(set(links + wanted)):
        count, expected = links.count(target), wanted.count(target)
        if count != expected:
            fault(f"{count} links to {target}, not {expected}")
    if russian.switch is None:
        fault("no line *[In English](...)*")
    else:
        target = os.path.normpath(os.path.join(os.path.dirname(russian.name), russian.switch))
        if target != english.name:
            fault(f"the line *[In English]* leads to {target}")


def check_language(page, fault):
    for text, number in page.texts:
        if not CYRILLIC.search(CODE.sub("", text)):
            fault(f"{number}: a paragraph that is not translated: {text[:60]}")
    for table in page.tables:
        for row, number in table:
            for cell in row:
                prose = CODE.sub("", LINK.sub("]", cell))
                if PHRASE.search(prose) and not CYRILLIC.search(prose):
                    fault(f"{number}: a cell that is not translated: {cell[:60]}")


def main(arguments):
    top = arguments[0]
    faults = []
    names = [("README.md", "README.ru.md")] + [(f"docs/{page}", f"docs/ru/{page}") for page in PAGES]
    for english, russian in names:
        if not os.path.isfile(os.path.join(top, russian)):
            faults.append(f"{russian}: is missing")
            continue
        page = Page(top, russian)

        def fault(words, name=russian):
            faults.append(f"{name}: {words}" if words[0].isalpha() else f"{name}:{words}")

        compare(Page(top, english), page, fault)
        check_language(page, fault)
    for name in PICTURES:
        for path in (f"docs/{name}", f"docs/ru/{name}"):
            if not os.path.isfile(os.path.join(top, path)):
                faults.append(f"{path}: is missing")
    for name in sorted(os.listdir(os.path.join(top, "docs/ru")) if os.path.isdir(os.path.join(top, "docs/ru")) else []):
        if name not in ALONE and name not in PAGES and name not in PICTURES:
            faults.append(f"docs/ru/{name}: is not in the list of tests/russian.py")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(names)} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
