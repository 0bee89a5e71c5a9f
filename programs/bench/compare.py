#!/usr/bin/env python3
"""Compares two results of `vershina bench --json`: the ratio of speed of NEW to OLD, row by row.

Rows are compared by cycles per byte of the core clock, so that a change of clock between the runs does not count. Rows
in only one of the files are listed. With --fail-below R the exit status is 1 if a row of this library is less than R
times as fast as before.
"""
import argparse
import json
import math
import sys

KEY = ("algorithm", "mode", "operation", "bytes", "threads", "alignment", "in_place")


def load(path):
    """Returns rows by work and implementation."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    rows = {}
    for row in document["results"]:
        who = row["kernel"] if row["peer"] is None else row["peer"]["name"]
        rows[tuple(row[k] for k in KEY) + (who,)] = row
    return document["machine"], rows


def describe(key):
    algorithm, mode, operation, size, threads, alignment, in_place, who = key
    notes = [f"{threads} threads"] * (threads > 1)
    notes += [f"offset {alignment}"] * (alignment > 0) + ["in place"] * in_place
    return f"{algorithm:12} {mode:5} {operation:8} {size:>11} {who:14} {', '.join(notes)}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--fail-below", type=float, metavar="R")
    arguments = parser.parse_args()
    try:
        (old_machine, old), (new_machine, new) = load(arguments.old), load(arguments.new)
    except (OSError, ValueError, KeyError) as error:
        parser.exit(2, f"compare.py: not a result of `vershina bench --json`: {error}\n")

    for what in ("cpu", "compiler", "version"):
        if old_machine[what] != new_machine[what]:
            print(f"{what}: {old_machine[what]} -> {new_machine[what]}")
    print(f"{'old c/B':>9} {'new c/B':>9} {'times':>7}")
    logarithms, slower = [], []
    for key in (k for k in new if k in old):
        before, after = old[key]["cpb"], new[key]["cpb"]
        times = before / after
        # Beyond the spread of both medians?
        noise = 1 + 3 * (old[key]["spread"] + new[key]["spread"])
        mark = "" if 1 / noise <= times <= noise else "faster" if times > 1 else "slower"
        print(f"{before:9.2f} {after:9.2f} {times:7.3f} {describe(key)} {mark}".rstrip())
        if new[key]["peer"] is None:
            logarithms.append(math.log(times))
            if arguments.fail_below and times < arguments.fail_below:
                slower.append(key)
    for name, ours, other in (("old", old, new), ("new", new, old)):
        for key in (k for k in ours if k not in other):
            print(f"only in {name}: {describe(key)}")
    if logarithms:
        mean = math.exp(sum(logarithms) / len(logarithms))
        print(f"{len(logarithms)} own rows, geometric mean {mean:.3f} times as fast")
    for key in slower:
        print(f"below {arguments.fail_below}: {describe(key)}", file=sys.stderr)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
