#!/usr/bin/env python3
"""Compares a result of `vershina bench --peers --json` with the stored floors: `make bench-check`.

A floor is a ratio: the best peer's cycles per byte over those of this library's fastest constant-time kernel, in the
same run (`floors.toml` has the classes of CPU). Run by hand on a quiet machine, not by tests. Exit status: 0; 1 if a
ratio is below its floor; 2 if a file cannot be read; 3 if nothing could be compared.
"""
import argparse
import json
import sys
import tomllib

WORK = ("algorithm", "mode", "operation", "bytes")


def cpu_class(features):
    """Returns the class of floors.toml of this CPU."""
    avx512 = "avx512f/bw/dq/vl" in features
    if avx512 and {"gfni", "vbmi"} <= features:
        return "avx512_gfni"
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("floors")
    arguments = parser.parse_args()
    try:
        with open(arguments.report, encoding="utf-8") as file:
            report = json.load(file)
        with open(arguments.floors, "rb") as file:
            floors = [dict(floor) for floor in tomllib.load(file)["floor"]]
        features = set(report["machine"]["features"])
        results = report["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.exit(2, f"check_floors.py: {error}\n")

    wanted = cpu_class(features)
    print(f"{report['machine']['cpu']}, class {wanted or 'none'}, {report['machine']['compiler']}")
    below = absent = compared = 0
    for floor in (f for f in floors if f["class"] == wanted):
        ratio, text = compare(floor, results)
        name = f"{floor['algorithm']:12} {floor['mode']:5} {floor['operation']:8} {floor['bytes']:>9}"
        if ratio is None:
            absent += 1
            print(f"{name}  floor {floor['ratio']:6.2f}          {text}")
            continue
        compared += 1
        below += ratio < floor["ratio"]
        mark = "  BELOW" if ratio < floor["ratio"] else ""
        print(f"{name}  floor {floor['ratio']:6.2f}  now {ratio:6.2f}  {text}{mark}")
    print(f"{compared} compared, {below} below their floor, {absent} not measured")
    if compared == 0:
        return 3
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
