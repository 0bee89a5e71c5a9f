#!/usr/bin/env python3
"""Measures vershina-tunnel between two network namespaces that it makes itself, everything on one core.

Usage: programs/bench/tunnel/run.py [--build DIR] [--seconds N] [--rounds N] [--cpu N] [--mtu N] [--json FILE]

iperf3 (TCP, one stream) over the bare veth pair, through the program with its cipher off (vershina-tunnel-bare, which
this script builds), and through vershina-tunnel; `vershina-bench --study esp` says what sealing and opening cost. Both
ends, both sides of iperf3 and the benchmark run on one core, in turns, so that the rates add up:
    expected = 1 / (1 / off + 1 / seal + 1 / open),
and `reached` is the tunnel's part of it; the goal is 85 %, with the bare pair instead of `off`. Root, ip and iperf3
are needed. On a machine that others use, these figures are worth nothing; those by processor time, of all processes,
and of the least disturbed round, still mean something. Where perf is installed, its samples say what the tunnel's
processes spend their time on: copies of memory, the rest of the kernel, the cipher (vershina's library), the rest of
the program.
"""
import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(TOP, "tests", "programs", "tunnel"))
import namespaces_test as net  # noqa: E402


def seconds_of(pid):
    """User and system time of a process."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return [int(fields[i]) / os.sysconf("SC_CLK_TCK") for i in (11, 12)]


def rates(report, others=0.0):
    """Gbit/s of a report of iperf3: by its clock, and by the processor time of both its sides and of others."""
    received, used = report["sum_received"], report["cpu_utilization_percent"]
    own = (used["host_total"] + used["remote_total"]) / 100 * received["seconds"]
    return received["bits_per_second"] / 1e9, 8e-9 * received["bytes"] / (own + others)


def network_of(program, mtu):
    """Its link carries packets of the tunnel's MTU."""
    net.PROGRAM = program
    return net.Network(mtu=mtu, link_mtu=mtu + 100)


def through_tunnel(program, seconds, mtu):
    with network_of(program, mtu) as network:
        network.iperf("-t", "1")  # warm
        before = [seconds_of(end.process.pid) for end in network.ends]
        report = network.iperf("-t", str(seconds))
        after = [seconds_of(end.process.pid) for end in network.ends]
        times = [sum(a[i] - b[i] for a, b in zip(after, before)) for i in (0, 1)]
        return *rates(report, sum(times)), times[0] / seconds, times[1] / seconds


def kind_of(symbol):
    """Returns the kind of a symbol in a line of perf: `[k]` or `[.]`, then the function."""
    if re.search(r"copy|rep_movs|mem(cpy|move)", symbol):
        return "copies"
    if symbol.startswith("[k]"):
        return "system calls"
    return "cipher" if re.search(r"\bvsh(::(?!tunnel|cli)|_)", symbol) else "the rest"


def shares(program, seconds, mtu):
    """Shares of the time of both tunnel processes, by samples of perf; empty if there are none."""
    if not shutil.which("perf"):
        return {}
    with network_of(program, mtu) as network, tempfile.TemporaryDirectory() as folder:
        network.iperf("-t", "1")
        file = os.path.join(folder, "samples")
        perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", file, "-p",
                                 ",".join(str(end.process.pid) for end in network.ends)], stderr=subprocess.DEVNULL)
        network.iperf("-t", str(seconds))
        perf.send_signal(signal.SIGINT)
        perf.wait()
        report = subprocess.run(["perf", "report", "-i", file, "--stdio", "--sort", "symbol"], capture_output=True,
                                text=True, check=False).stdout
    found = {}
    for percent, symbol in re.findall(r"^ +([\d.]+)% +(\[[.k]\] .*)", report, re.M):
        found[kind_of(symbol)] = found.get(kind_of(symbol), 0.0) + float(percent)
    return found


def over_veth(program, seconds, mtu):
    network = network_of(program, mtu)
    try:
        server = subprocess.Popen(["ip", "netns", "exec", network.names[1], "iperf3", "-s", "-1"],
                                  stdout=subprocess.DEVNULL)
        net.time.sleep(1)
        report = network.inside(0, "iperf3", "-J", "-c", "10.77.0.2", "-t", str(seconds)).stdout
        server.wait(30)
        return rates(json.loads(report)["end"])
    finally:
        network.__exit__()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", default=os.path.join(TOP, "build", "release"))
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--mtu", type=int, default=1400, help="of the device; that of the link is 100 more")
    parser.add_argument("--json")
    options = parser.parse_args()
    reason = net.why_not()
    if reason:
        print("skip: programs/bench/tunnel:", reason)
        return 77
    subprocess.run(["cmake", "--build", options.build, "--target", "vershina-tunnel", "vershina-tunnel-bare",
                    "vershina-bench"], check=True, stdout=subprocess.DEVNULL)
    os.sched_setaffinity(0, {options.cpu})  # and all that is started from here
    real, bare = (os.path.join(options.build, name) for name in ("vershina-tunnel", "vershina-tunnel-bare"))

    rows = []
    for _ in range(options.rounds):
        row = {}
        row["veth_gbps"], row["veth_processor_gbps"] = over_veth(real, options.seconds, options.mtu)
        for name, program in (("off", bare), ("tunnel", real)):
            (row[name + "_gbps"], row[name + "_processor_gbps"], row[name + "_user"],
             row[name + "_system"]) = through_tunnel(program, options.seconds, options.mtu)
        program = os.path.join(options.build, "vershina-bench")
        study = [program, "bench", "--study", "esp", "-s", str(options.mtu), "--json", "-"]
        study = json.loads(subprocess.run(study, check=True, capture_output=True, text=True).stdout)
        one = [r for r in study["rows"] if r["associations"] == 1 and r["algorithm"] == "kuznyechik"][0]
        row["seal_gbps"], row["open_gbps"] = one["seal_gbps_one_core"], one["open_gbps_one_core"]
        cipher = 1 / row["seal_gbps"] + 1 / row["open_gbps"]
        row["expected_gbps"] = 1 / (1 / row["off_gbps"] + cipher)
        row["reached"] = row["tunnel_gbps"] / row["expected_gbps"]
        row["reached_of_veth"] = row["tunnel_gbps"] * (1 / row["veth_gbps"] + cipher)
        rows.append(row)
    result = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
    cipher = 1 - result["tunnel_gbps"] / result["off_gbps"]
    print("one core, %d rounds of %d s, medians; Gbit/s of TCP payload, Kuznyechik, MTU %d" %
          (options.rounds, options.seconds, options.mtu))
    print("  bare veth pair             %8.2f" % result["veth_gbps"])
    print("  tunnel, cipher off         %8.2f   tunnel processes: user %2.0f %%, system %2.0f %% of the core" %
          (result["off_gbps"], 100 * result["off_user"], 100 * result["off_system"]))
    print("  tunnel                     %8.2f   tunnel processes: user %2.0f %%, system %2.0f %% of the core" %
          (result["tunnel_gbps"], 100 * result["tunnel_user"], 100 * result["tunnel_system"]))
    print("  vsh_esp_seal, vsh_esp_open %8.2f %8.2f" % (result["seal_gbps"], result["open_gbps"]))
    print("  expected                   %8.2f   reached: %.0f %%; the cipher's share of the time: %.0f %%" %
          (result["expected_gbps"], 100 * result["reached"], 100 * cipher))
    print("  with the bare pair for off            reached: %.0f %%" % (100 * result["reached_of_veth"]))
    print("by processor time, the best round: bare %.2f, cipher off %.2f, tunnel %.2f" %
          tuple(max(row[name + "_processor_gbps"] for row in rows) for name in ("veth", "off", "tunnel")))
    result["shares"] = shares(real, options.seconds, options.mtu)
    print("the tunnel's processes: " + (", ".join("%s %.0f %%" % (kind, result["shares"][kind])
                                                  for kind in sorted(result["shares"])) or "perf has no samples"))
    if options.json:
        with open(options.json, "w") as f:
            json.dump({"rounds": rows, "medians": result}, f, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
