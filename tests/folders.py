#!/usr/bin/env python3
"""Compares the includes of the sources with the list of folders in ARCHITECTURE.md.

Usage: folders.py [--list] SOURCE_DIRECTORY

The list is the fenced block that begins with ```folders. A line is `FOLDER: FOLDER...`: the folders whose headers the
first one includes; an indented line continues the one before. On the right, names without a top folder are under src/.
Fails on an include that the list lacks, on an arrow of the list that no include uses, on a folder that the list lacks,
on a cycle, on an arrow through the wall between libraries and programs, on a folder with more than 45 sources, and on
`using namespace` in a header.
--list prints the block for the current includes. Last come the arrows between rooms: top folders, of programs/ each.
"""
import os
import re
import sys

ROOTS = ("src", "tomography", "measure", "programs", "integrations", "tests", "examples", "tools", "include")
COUNTED = ("src", "tomography", "measure", "programs", "tests", "integrations")
MOST_SOURCES = 45
INCLUDING = (".c", ".h", ".cpp", ".hpp", ".inc")
SOURCES = INCLUDING + (".py", ".sh", ".def")
# The rooms that a room, or a folder instead of its room, may include besides itself: no arrow goes upwards.
PROGRAM = {"include", "measure", "programs/common"}
SEEN = {"include": set(), "src": {"include"}, "tomography": {"include", "src"}, "measure": {"src"},
        "integrations": {"include"}, "integrations/nbdkit": {"include", "programs/common"},
        "examples": {"include"}, "tools": {"include", "src"},
        "programs/common": {"include"},
        "programs/common/text": {"include", "src/core"},  # invisible.def, the characters that show nothing
        "programs/bench": PROGRAM | {"src", "tomography"}}
# Data: test vectors, inputs of the fuzzers, circuits that tools/circuits writes.
DATA = re.compile(r"(^|/)(vectors|corpus|corpora|generated|__pycache__)(/|$)")
# Files that the build writes.
BUILT = re.compile(r"(\.inc|^\w+_built\.def)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# Literals add suffixes, no names.
USING = re.compile(r"^using namespace (?!.*\bliterals;)", re.MULTILINE)


def folders_of(top):
    """Yields each folder below the roots and the names of its files."""
    for root in ROOTS:
        for folder, below, files in os.walk(os.path.join(top, root)):
            below[:] = sorted(name for name in below if not name.startswith((".", "build", "__")))
            yield os.path.relpath(folder, top), sorted(files)


def find(top, folder, name):
    """Returns the path of an included file, or None if the tree does not have it."""
    for start in (folder, ".", "src", "include", "tests"):
        path = os.path.normpath(os.path.join(start, name))
        if os.path.isfile(os.path.join(top, path)):
            return path
    return None


def read_includes(top, faults):
    """Returns {folder: {folder that it includes: an example}}, folders without an include too."""
    arrows = {}
    for folder, files in folders_of(top):
        for name in files:
            if not name.endswith(INCLUDING):
                continue
            arrows.setdefault(folder, {})
            with open(os.path.join(top, folder, name), encoding="utf-8") as file:
                text = file.read()
            if name.endswith((".h", ".hpp")) and USING.search(text):
                faults.append(f"{folder}/{name}: a header must not bring a whole namespace into its includers")
            for quoted, public in INCLUDE.findall(text):
                path = find(top, folder, quoted or public)
                if path is None:
                    if (quoted or public.startswith("vershina/")) and not BUILT.search(quoted or public):
                        faults.append(f"{folder}/{name}: includes {quoted or public}, which was not found")
                elif os.path.dirname(path) != folder:
                    arrows[folder].setdefault(os.path.dirname(path), f"{name} includes {quoted or public}")
    return arrows


def long_name(name):
    return name if name.split("/")[0] in ROOTS else "src/" + name


def short_name(name):
    return name[4:] if name.startswith("src/") else name


def read_list(text, faults):
    """Returns {folder: set of folders} of the block in ARCHITECTURE.md."""
    blocks = re.findall(r"^```folders\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if len(blocks) != 1:
        faults.append(f"ARCHITECTURE.md has {len(blocks)} blocks ```folders, not one")
        return {}
    listed = {}
    for line in re.sub(r"\n[ \t]+", " ", blocks[0]).splitlines():
        folder, colon, rest = line.partition(":")
        if not colon or folder in listed:
            faults.append(f"ARCHITECTURE.md: the list has a line that cannot be read, or a folder twice: {line}")
        listed[folder] = {long_name(name) for name in rest.split()}
    return listed


def find_cycle(arrows):
    """Returns a cycle as a list of folders, the first one also last, or []."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        path.append(folder)
        for target in sorted(arrows.get(folder, ())):
            cycle = visit(target)
            if cycle:
                return cycle
        done.add(path.pop())
        return []

    for folder in sorted(arrows):
        cycle = visit(folder)
        if cycle:
            return cycle
    return []


def compare(listed, arrows, faults):
    for folder, targets in sorted(arrows.items()):
        if folder not in listed:
            faults.append(f"{folder}: a folder that the list in ARCHITECTURE.md does not have; add a line for it")
            continue
        for target in sorted(set(targets) - listed[folder]):
            faults.append(f"{folder} must not include {target}: the list has no such arrow ({targets[target]})")
        for target in sorted(listed[folder] - set(targets)):
            faults.append(f"{folder}: the list has an arrow to {target}, but no file includes anything there")
    for folder in sorted(set(listed) - set(arrows)):
        faults.append(f"{folder}: is in the list, but has no source")


def room(folder):
    parts = folder.split("/")
    return "/".join(parts[:2]) if parts[0] == "programs" else parts[0]


def check_wall(arrows, faults):
    """Libraries on one side, programs on the other. Returns {room: rooms that it includes}, tests left out."""
    between = {}
    for folder, targets in sorted(arrows.items()):
        here = room(folder)
        for target in sorted(targets):
            there = room(target)
            if here == there or here == "tests":
                continue
            between.setdefault(here, set()).add(there)
            allowed = SEEN.get(folder, SEEN.get(here, PROGRAM))
            if there not in allowed and target not in allowed:
                faults.append(f"{folder} must not include {target}: the wall between libraries and programs "
                              f"({targets[target]})")
    return between


def count_sources(top, faults):
    for folder, files in folders_of(top):
        if folder.split("/")[0] in COUNTED and not DATA.search(folder):
            count = sum(name.endswith(SOURCES) for name in files)
            if count > MOST_SOURCES:
                faults.append(f"{folder}: {count} sources, more than {MOST_SOURCES}; divide it")


def print_list(arrows):
    for folder in sorted(arrows, key=lambda name: (ROOTS.index(name.split("/")[0]), name)):
        line = folder + ":"
        for target in sorted(arrows[folder], key=lambda name: (not name.startswith("src/"), name)):
            if len(line.rsplit("\n", 1)[-1]) + 1 + len(short_name(target)) > 118:
                line += "\n "
            line += " " + short_name(target)
        print(line)


def main(arguments):
    listing = arguments[:1] == ["--list"]
    top = arguments[-1]
    faults = []
    arrows = read_includes(top, faults)
    if listing:
        print_list(arrows)
        return 0
    with open(os.path.join(top, "ARCHITECTURE.md"), encoding="utf-8") as file:
        listed = read_list(file.read(), faults)
    compare(listed, arrows, faults)
    cycle = find_cycle(arrows)
    if cycle:
        faults.append("cycle of folders: " + " -> ".join(cycle))
    between = check_wall(arrows, faults)
    count_sources(top, faults)
    for fault in faults:
        print(fault, file=sys.stderr)
    for here, targets in sorted(between.items()):
        print(f"{here} -> {' '.join(sorted(targets))}")
    print(f"{len(arrows)} folders, {sum(map(len, arrows.values()))} arrows, "
          f"{sum(map(len, between.values()))} between rooms, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
