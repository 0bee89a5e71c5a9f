#!/usr/bin/env python3
"""Target figures for an NVIDIA H200 next to those measured by `vershina bench --device --json`.

    gpu_figures.py BENCH.json...   exit status 1 if an H200 misses one of them; other devices are only shown
"""

import json
import sys

# Name, place of the row, algorithms, modes, least number of messages, least GB/s.
AIMS = [
    ("Magma, GOST 28147-89 CTR and CNT, device memory", "device", ("magma", "gost28147"), ("ctr", "cnt"), 1, 450),
    ("Kuznyechik CTR, device memory", "device", ("kuznyechik",), ("ctr",), 1, 120),
    ("GOST 28147-89 ECB and CNT, 512 bytes a key, from 2^18", "streams", ("gost28147",), ("ecb", "cnt"), 1 << 18, 100),
    ("the same with feedback: CFB and IMIT, from 2^20", "streams", ("gost28147",), ("cfb", "imit"), 1 << 20, 50),
]
COPIES = 0.9


def main():
    devices = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for device in json.load(file)["devices"]:
                devices.setdefault(device["id"], {**device, "rows": []})["rows"] += device["rows"]
    missed = 0
    for device in devices.values():
        print(f"\n{device['id']} {device['name']}: aims of an NVIDIA H200")
        is_h200 = "H200" in device["name"]
        for what, place, algorithms, modes, messages, aim in AIMS:
            rows = [row for row in device["rows"] if row["place"] == place and row["algorithm"] in algorithms
                    and row["mode"] in modes and row["messages"] >= messages]
            reached = min((row["gbps"] for row in rows), default=None)
            missed += is_h200 and (reached is None or reached < aim)
            print(f"  {what:55} {aim:6} GB/s  {'not measured' if reached is None else f'{reached:.1f} GB/s'}")
        shares = [row["share_of_copies"] for row in device["rows"] if row["place"] == "host"]
        reached = min(shares, default=None)
        missed += is_h200 and (reached is None or reached < COPIES)
        print(f"  {'host to host, of plain overlapped copies':55} {COPIES:6.0%}       "
              f"{'not measured' if reached is None else f'{reached:.0%}'}")
        published = [row for row in device["rows"] if row["place"] == "streams" and row["messages"] == 16384
                     and row["algorithm"] == "gost28147" and row["mode"] == "ecb"]
        for row in published:
            print(f"  {'published case, 16384 x 512 bytes':55}              {row['gbps']:.1f} GB/s")
        alone = {place: {(r["algorithm"], r["mode"]): r for r in device["rows"] if r["place"] == place}
                 for place in ("host", "together")}
        for key, row in alone["together"].items():
            host = alone["host"][key]
            total = host["gbps"] + host["processor_gbps"]
            what = "together with the processor, " + "-".join(key)
            print(f"  {what:55}    90%       {row['gbps'] / total:.0%} of the sum")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
