#!/usr/bin/env python3
"""Reads what tests/support/recorder.c wrote.

Usage: recorded.py RECORD FINAL...

Each FINAL, a file or a folder, must have appeared whole: everything in it was written and brought to the disk under
another name before it got its own, and its folder was brought to the disk afterwards. Otherwise says what was wrong and
ends with 1.
"""
import os
import sys


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        calls = [line.rstrip("\n").split(" ") for line in file]
    return [[call, *(os.path.normpath(path) for path in paths)] for call, *paths in calls]


def faults(calls, final):
    """Why a power failure could leave something else than nothing, or the whole, under the name."""
    renames = [i for i, call in enumerate(calls) if call[0] == "rename" and call[2] == final]
    if not renames:
        return [f"{final}: did not get its name by a rename"]
    last = renames[-1]
    temporary = calls[last][1]
    dirty, found, written = {}, [], 0
    for i, call in enumerate(calls):
        if call[0] == "write":
            path = call[1]
            if i > last and (path == final or path.startswith((final + "/", temporary))):
                found.append(f"{path}: written after it had its name")
            if i < last and (path == temporary or path.startswith(temporary + "/")):
                dirty[path] = True
                written += 1
        elif i < last and call[0] == "sync":
            dirty.pop(call[1], None)
        elif i < last and call[0] == "syncfs":
            dirty.clear()
    found += [f"{path}: not on the disk when {final} got its name" for path in sorted(dirty)]
    if not written:
        found.append(f"{final}: nothing was seen to be written to {temporary}")
    if not any(call == ["sync", os.path.dirname(final)] for call in calls[last:]):
        found.append(f"{final}: its folder was not brought to the disk after the rename")
    return found


def main():
    calls = read(sys.argv[1])
    found = [fault for final in sys.argv[2:] for fault in faults(calls, os.path.realpath(final))]
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
