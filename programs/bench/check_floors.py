#!/usr/bin/env python3
"""Compares results of `vershina bench --peers --json` and `--study batches --json` with the stored floors: `make
bench-check`.

A floor is a ratio: the best peer's cycles per byte over those of this library's fastest constant-time kernel, in the
same run (`floors.toml` has the classes of CPU; one that was never measured has targets, which fail nothing). For
batches it is their speed as a multiple of another one; the worst counts, rough rows do not. Run by hand on a quiet
machine, not by tests. Exit status: 0; 1 if a ratio is below its floor; 2 if a file cannot be read; 3 if nothing could
be compared.
"""
import argparse
import json
import sys
import tomllib

CHAINS = ("cbc", "cfb", "ofb", "mac", "imit")
WORK = ("algorithm", "mode", "operation", "bytes")


def cpu_class(features):
    """Returns the class of floors.toml of this CPU."""
    avx512 = "avx512f/bw/dq/vl" in features
    if avx512 and {"gfni", "vbmi"} <= features:
        return "zen5" if "zen5" in features else "avx512_gfni"
    return "avx512" if avx512 else "avx2" if "avx2" in features else None


def best(rows, fits):
    return min((row for row in rows if fits(row)), key=lambda row: row["cpb"], default=None)


def compare(floor, results):
    """Returns the line of a floor: the ratio or None, and the comparison or the reason for none."""
    rows = [row for row in results if row["threads"] == 1 and not row["in_place"] and row["alignment"] == 0
            and all(row[key] == floor[key] for key in WORK)]
    ours = best(rows, lambda row: row["peer"] is None and row["constant_time"])
    peer = best(rows, lambda row: row["peer"] is not None)
    if ours is None:
        return None, "not measured"
    if peer is None:
        return None, "no peer measured"
    text = f"{ours['kernel']} {ours['cpb']:.2f} c/B, {peer['peer']['name']} {peer['cpb']:.2f}"
    return peer["cpb"] / ours["cpb"], text


def name_of(row):
    keys = "one key" if row["keys"] == "one" else "own keys"
    return f"{row['algorithm']} {row['mode']}, {row['messages']} of {row['bytes']:g} bytes, {keys}"


def batch_ratios(rows):
    """Returns the batches' speeds, by the names of floors.toml: lists of (ratio, name of the batch)."""
    ratios = {}
    smaller = {}  # the batch of the next smaller number of messages
    one = {}
    for row in (row for row in rows if not row["rough"] and row["threads"] == 1):
        subject = tuple(row[key] for key in ("algorithm", "mode", "bytes", "lengths", "keys"))

        def add(what, other):
            ratios.setdefault(what, []).append((other / row["batch"], name_of(row)))

        add("one_by_one", row["one_by_one"])
        add("best_division", row["best"])
        if subject in smaller:
            add("fewer_messages", smaller[subject])
        smaller[subject] = row["batch"]
        if row["keys"] == "own" and row["messages"] >= 1024 and row["bytes"] >= 512:
            add("plain", row["plain"])
        if row["mode"] in CHAINS:
            one.setdefault(subject, row["one_by_one"])
            if row["messages"] in (4, 8, 16):
                add(f"chains_{row['messages']}_{row['algorithm']}", one[subject])
    return ratios


def check_batches(floors, rows):
    """Prints a line for each floor of batches; returns how many were compared, are below, were not measured."""
    ratios = batch_ratios(rows)
    below = 0
    for floor in floors:
        if floor["name"] not in ratios:
            print(f"{floor['name']:36} floor {floor['ratio']:6.2f}          not measured")
            continue
        ratio, name = min(ratios[floor["name"]])
        below += ratio < floor["ratio"]
        mark = "  BELOW" if ratio < floor["ratio"] else "" if ratio >= floor["target"] else "  short of the target"
        numbers = f"floor {floor['ratio']:6.2f}  now {ratio:6.2f}  target {floor['target']:5.2f}"
        print(f"{floor['name']:36} {numbers}  {name}{mark}")
    absent = sum(floor["name"] not in ratios for floor in floors)
    return len(floors) - absent, below, absent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("floors")
    parser.add_argument("--batches", help="the result of `--study batches --json`")
    arguments = parser.parse_args()
    try:
        with open(arguments.report, encoding="utf-8") as file:
            report = json.load(file)
        batches = None
        if arguments.batches:
            with open(arguments.batches, encoding="utf-8") as file:
                batches = json.load(file)["rows"]
        with open(arguments.floors, "rb") as file:
            stored = tomllib.load(file)
            floors = [dict(floor) for floor in stored["floor"]]
        features = set(report["machine"]["features"])
        results = report["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.exit(2, f"check_floors.py: {error}\n")

    wanted = cpu_class(features)
    print(f"{report['machine']['cpu']}, class {wanted or 'none'}, {report['machine']['compiler']}")
    below = absent = compared = 0
    for floor in (f for f in floors if f["class"] == wanted):
        ratio, text = compare(floor, results)
        kind, least = ("floor", floor["ratio"]) if "ratio" in floor else ("target", floor["target"])
        name = f"{floor['algorithm']:12} {floor['mode']:5} {floor['operation']:8} {floor['bytes']:>9}"
        if ratio is None:
            absent += 1
            print(f"{name}  {kind} {least:6.2f}          {text}")
            continue
        compared += 1
        below += ratio < least and kind == "floor"
        mark = "" if ratio >= least else "  BELOW" if kind == "floor" else "  short of the target"
        print(f"{name}  {kind} {least:6.2f}  now {ratio:6.2f}  {text}{mark}")
    if batches is not None:
        of_batches = check_batches([f for f in stored["batches"] if f["class"] == wanted], batches)
        compared, below, absent = (sum(pair) for pair in zip((compared, below, absent), of_batches))
    print(f"{compared} compared, {below} below their floor, {absent} not measured")
    if compared == 0:
        return 3
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
