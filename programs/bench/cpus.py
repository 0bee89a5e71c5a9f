#!/usr/bin/env python3
"""Prints CPUs side by side from files of `vershina bench --submit`: docs/speed.md has the table.

Core cycles a byte of the library's choice, 16 KiB on one thread; in brackets the row. An asterisk marks what was
disturbed nearly all the time.
"""
import argparse
import json
from pathlib import Path

BYTES = 16384


def load(path):
    """Returns the machine, and the lines of one thread and 16 KiB by work."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    lines = {}
    for line in document["results"]:
        if line["bytes"] == BYTES and line["threads"] == 1 and "chosen" in line:
            lines[f"{line['algorithm']} {line['mode']} {line['operation']}"] = line
    return document["machine"], lines


def cell(line):
    """Returns the text of one figure."""
    if line is None:
        return ""
    chosen = line["chosen"]
    return f"{line['cpb'][chosen]:.3g}{'*' * (chosen in line.get('rough', []))} ({chosen})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted((Path(__file__).parent / "baselines" / "cpus").glob("*.json"))
    try:
        cpus = {path.stem: load(path) for path in files}
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.exit(2, f"cpus.py: not a file of `vershina bench --submit`: {error}\n")
    for name, (machine, _) in cpus.items():
        print(f"{name}: {machine['cpu']}, {machine['ghz']} GHz, {machine['compiler']}, Vershina {machine['version']}")
    print("\n| work | " + " | ".join(cpus) + " |")
    print("| --- |" + " --- |" * len(cpus))
    works = list(dict.fromkeys(work for _, lines in cpus.values() for work in lines))
    for work in works:
        print(f"| {work} | " + " | ".join(cell(lines.get(work)) for _, lines in cpus.values()) + " |")


if __name__ == "__main__":
    main()
