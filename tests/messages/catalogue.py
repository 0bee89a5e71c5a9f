#!/usr/bin/env python3
"""Holds the Russian catalogue to the messages in the source.

Usage: catalogue.py SOURCE_DIRECTORY

Every message that xgettext finds has a translation with the same placeholders, nothing in the catalogue is obsolete,
fuzzy or English, the messages of the library are as they are in src/, and what the source prints as a message or throws
as a Failure has no English phrase outside of tr(). Exits with 77, skipped, without gettext.
"""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys

CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
# A word of code, or an argument: what may stand in a message that has nothing to translate.
CODE = re.compile(r"`[^`]*`|\{\d\}|[A-Za-z_]+[-_.:/][\w./:-]*|--?[a-z][\w-]*")
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
# Calls whose arguments a user reads, and what of these is in the catalogue.
SAYS = re.compile(r"\b(?:Failure|print_done|print_error|print_note|show_status_line)(\(|\{)")
COMMANDS = {"modprobe tun", "ip tuntap add ", " mode tun multi_queue", " mode tun user ", " multi_queue",
            "ip link set ", " mtu ", " up"}
TRANSLATED = re.compile(rf"\b(?:tr|mark)\(\s*(?:{LITERAL}\s*)+|\btr_count\([^\"]*(?:{LITERAL}[\s,]*)+")
KEYWORDS = ("--keyword", "--keyword=tr:1", "--keyword=tr_count:2,3", "--keyword=mark:1", "--keyword=manual:1")


def parse(text):
    """Returns the entries: {field: text} and, as "flags", the comments of gettext."""
    entries, entry, field, flags = [], None, None, ""
    for line in text.splitlines():
        match = re.match(r'(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) (".*")$', line)
        if line.startswith("#"):
            flags += line
        elif match:
            if match[1] == "msgid":
                entry = {"flags": flags}
                entries.append(entry)
                flags = ""
            field = match[1]
            entry[field] = ast.literal_eval(match[2])
        elif line.startswith('"'):
            entry[field] += ast.literal_eval(line)
    return entries, flags


def places(text):
    return sorted(re.findall(r"\{\d\}", text))


def sources(top):
    found = []
    for folder in ("programs",):
        found += glob.glob(os.path.join(top, folder, "**", "*.[ch]pp"), recursive=True)
    return sorted(path for path in found if not path.endswith(("/translate.hpp", "/translate.cpp")))


def untranslated(text):
    """Yields the English phrases that calls of SAYS are given outside of tr(), each with the number of its line."""
    text = re.sub(r"^[ \t]*//.*$", "", text, flags=re.MULTILINE)
    for call in SAYS.finditer(text):
        end, depth = call.end(), 1
        while depth and (token := re.compile(LITERAL + r"|'(?:\\.|.)'|.", re.DOTALL).match(text, end)):
            depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(token[0], 0)
            end = token.end()
        for words in re.findall(LITERAL, TRANSLATED.sub("(", text[call.end():end])):
            if re.search("[a-z]{2}", CODE.sub("", words)) and " " in words and words not in COMMANDS:
                yield text.count("\n", 0, call.start()) + 1, words


def compare(wanted, entries, fault):
    known = {entry["msgid"]: entry for entry in entries if entry["msgid"]}
    for entry in wanted:
        text = entry["msgid"]
        shown = text[:70].replace("\n", " ")
        translated = known.pop(text, None)
        if translated is None:
            fault(f"not translated: {shown}")
            continue
        if "fuzzy" in translated["flags"]:
            fault(f"fuzzy: {shown}")
        forms = [value for field, value in translated.items() if field.startswith("msgstr")]
        if ("msgid_plural" in entry) != (len(forms) == 3):
            fault(f"{len(forms)} forms: {shown}")
        for form in forms:
            if places(form) != places(text):
                fault(f"other placeholders: {shown}: {form[:70]}")
            if text.endswith("\n") != form.endswith("\n"):
                fault(f"another end: {shown}")
            if re.search("[a-z]{2}", CODE.sub("", text)) and not CYRILLIC.search(form):
                fault(f"is not Russian: {shown}")
            short = max(map(len, text.split("\n"))) <= 110  # as in help; longer ones are filled when printed
            for line in form.split("\n"):
                if "\n" in text and short and len(line) > 110:
                    fault(f"a line of more than 110 characters: {line[:70]}")
            examples = [re.findall(r"^  +\S.*?(?=   |$)", value, re.MULTILINE) for value in (text, form)]
            if [line.split()[:2] for line in examples[0]] != [line.split()[:2] for line in examples[1]]:
                fault(f"other examples: {shown}")
    for text in known:
        fault(f"obsolete: {text[:70]}")


def main(arguments):
    top = arguments[0]
    for tool in ("xgettext", "msgfmt"):
        if shutil.which(tool) is None:
            print(f"skip: messages.catalogue: {tool} is not installed")
            return 77
    faults = []
    catalogue = os.path.join(top, "programs/po/ru.po")
    xgettext = ["xgettext", "-o", "-", "--omit-header", "--language=C++", "--from-code=UTF-8", *KEYWORDS]
    extracted = subprocess.run(xgettext + sources(top), check=True, capture_output=True, text=True).stdout
    checked = subprocess.run(["msgfmt", "--check", "-o", os.devnull, catalogue], capture_output=True, text=True,
                             check=False)
    if checked.returncode != 0 or checked.stderr:
        faults.append(checked.stderr)
    with open(catalogue, encoding="utf-8") as file:
        entries, rest = parse(file.read())
    if rest:
        faults.append(f"a comment after the last entry: {rest[:60]}")
    wanted = parse(extracted)[0]
    if len(wanted) < 600:
        faults.append(f"only {len(wanted)} messages found in the source")
    compare(wanted, entries, faults.append)
    for path in sources(top):
        with open(path, encoding="utf-8") as file:
            faults += [f"{path}:{line}: not in tr(): {words}" for line, words in untranslated(file.read())]

    with open(os.path.join(top, "programs/vershina/text/library_messages.hpp"), encoding="utf-8") as file:
        marked = re.findall(r'mark\((".*")\)', file.read())
    library = ""
    for path in glob.glob(os.path.join(top, "src", "**", "*.cpp"), recursive=True):
        with open(path, encoding="utf-8") as file:
            library += file.read()
    faults += [f"is not a message of the library: {text}" for text in marked if text not in library]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(wanted)} messages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
