#!/usr/bin/env python3
"""Holds the Russian manual pages to the English ones.

Usage: man.py SOURCE_DIRECTORY

docs/man/ru has a page for each one of docs/man, integrations/nbdkit/ru for that of the plugin, with the same date,
sections, options, names of files, variables and other pages, section by section, and the same examples. Headings and
paragraphs of a Russian page are Russian.
"""
import os
import re
import sys

SECTIONS = {
    "NAME": "ИМЯ", "SYNOPSIS": "СИНТАКСИС", "DESCRIPTION": "ОПИСАНИЕ", "OPTIONS": "ПАРАМЕТРЫ",
    "ENVIRONMENT": "ОКРУЖЕНИЕ", "FILES": "ФАЙЛЫ", "EXIT STATUS": "КОД ВОЗВРАТА", "EXAMPLES": "ПРИМЕРЫ",
    "SEE ALSO": "СМОТРИТЕ ТАКЖЕ", "STANDARDS": "СТАНДАРТЫ", "CAVEATS": "ПРЕДОСТЕРЕЖЕНИЯ", "PARAMETERS": "ПАРАМЕТРЫ",
    "LUKS2 HEADERS": "ЗАГОЛОВКИ LUKS2", "REQUESTS": "ЗАПРОСЫ",
}
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
# Words after these are the same in both languages; after others, as Ar, Pq and Sx, they are translated.
SAME = {"Fl", "Cm", "Li", "Ev", "Pa", "Xr", "Dv", "Ql", "In", "Fn", "Dl"}
MACROS = SAME | {"Ar", "Op", "Pq", "Po", "Pc", "Ns", "No", "Sx", "Nm", "Nd", "It", "Bl", "El", "Bd", "Ed", "Pp", "Dq"}


class Page:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        self.date = next((line for line in self.lines if line.startswith(".Dd")), "")
        self.sections = []  # (level, heading, words that both languages have, examples, number of the line)
        self.prose = []  # (text, number of the line)
        literal = False
        for number, line in enumerate(self.lines, 1):
            if line.startswith((".Sh ", ".Ss ")):
                self.sections.append((line[1:3], line[4:], [], [], number))
            elif not self.sections:
                continue
            elif line == ".Ed":
                literal = False
            elif literal or line.startswith('.\\" not run'):
                self.sections[-1][3].append(re.sub(r"\s{2}# .*", "", line))  # comments are translated
            elif line.startswith(".Bd -literal"):
                literal = True
            elif line.startswith(".") and not line.startswith('.\\"'):
                self.sections[-1][2].extend(same_words(line))
            elif not line.startswith("."):
                self.prose.append((line, number))


def same_words(line):
    """Returns "Fl -quiet" and so on: each word with the macro before it. .It and .Bl are words of their own."""
    words, macro = [], None
    parts = line[1:].split()
    if parts[0] in ("It", "Bl", "El"):
        words.append(parts[0])
    for part in parts:
        if part in MACROS:
            macro = part
        elif macro in SAME and not re.fullmatch(r"[|,.;:()]+", part) and not CYRILLIC.search(part):
            words.append(f"{macro} {part}")
    return words


def compare(english, russian, fault):
    if english.lines and english.lines[0].startswith(".so "):
        if english.lines != russian.lines:
            fault(f"is not {english.lines[0]}")
        return
    if english.date != russian.date:
        fault(f"the date is {russian.date[4:]}, not {english.date[4:]}: was the English page changed?")
    if len(english.sections) != len(russian.sections):
        fault(f"{len(russian.sections)} sections, not {len(english.sections)}")
        return
    for (level, heading, words, examples, _), (other_level, other, others, theirs, number) in zip(english.sections,
                                                                                               russian.sections):
        if level != other_level or (level == "Sh" and SECTIONS.get(heading) != other):
            fault(f"{number}: {other} in the place of {heading}")
        for word in sorted(set(words + others)):
            if words.count(word) != others.count(word):
                fault(f"{number}: {other}: {others.count(word)} times `{word}`, not {words.count(word)}")
        if examples != theirs:
            fault(f"{number}: {other}: other examples")
    for text, number in russian.prose:
        if re.search(r"\b[a-z]{2,} +[a-z]{2,} +[a-z]{2,}\b", text) and not CYRILLIC.search(text):
            fault(f"{number}: is not translated: {text[:60]}")


def main(arguments):
    faults, num_pages = [], 0
    for folder in ("docs/man", "integrations/nbdkit"):
        path = os.path.join(arguments[0], folder)
        english, russian = ({name for name in os.listdir(there) if name.endswith(".1")}
                            for there in (path, os.path.join(path, "ru")))
        faults += [f"{folder}/ru/{name}: is missing" for name in sorted(english - russian)]
        faults += [f"{folder}/ru/{name}: there is no English page" for name in sorted(russian - english)]
        for name in sorted(english & russian):
            def fault(words, name=f"{folder}/ru/{name}"):
                faults.append(f"{name}{':' if words[0].isdigit() else ': '}{words}")

            compare(Page(os.path.join(path, name)), Page(os.path.join(path, "ru", name)), fault)
        num_pages += len(english)
    for text in faults:
        print(text, file=sys.stderr)
    print(f"{num_pages} pages, {len(faults)} faults")
    return 1 if faults or num_pages < 16 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
