#!/usr/bin/env python3
"""Measures volumes behind NBD with fio, by the six profiles of a published test of a storage array.

    bench/storage/run.py [--build build/release] [--seconds 5] [--json FILE] [--html FILE]

Contenders, all over a file in memory (fio's engine for NBD knows no direct I/O, and a disk would hide the cipher):

    file          nbdkit's own file server: no cipher; what the protocol costs
    kuznyechik    nbdkit with the plugin vershina, sectors of 4096 bytes
    qemu-luks     qemu-nbd with a LUKS volume of AES-256 in XTS

`of bound`: the share of what the two measured parts allow together. The bare server's requests cost so much processor
time (server and fio), XTS of such a request so much more, measured by `vershina bench`; with as many processors as the
bare server kept busy that bounds the requests per second. Published figures are those of whole arrays with disks, and
stand apart."""
import argparse
import html
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

TOP = pathlib.Path(__file__).resolve().parents[2]
# The name in bench/published/published.toml, and fio's options.
PROFILES = {
    "4k sequential read": ("read", 4096, 128, 16),
    "4k sequential write": ("write", 4096, 128, 16),
    "4k random read": ("randread", 4096, 64, 2),
    "4k random write": ("randwrite", 4096, 16, 2),
    "128k sequential read": ("read", 131072, 128, 16),
    "128k sequential write": ("write", 131072, 16, 2),
    "4k random read, one at a time": ("randread", 4096, 1, 1),  # not of the published test: added latency
}
CONTENDERS = ("file", "kuznyechik", "qemu-luks")


def parse():
    parser = argparse.ArgumentParser(description="Measures volumes behind NBD with fio.")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/release")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--size", type=int, default=256, help="of the volume, MiB")
    parser.add_argument("--folder", default="/dev/shm", help="for the backing files; in memory")
    parser.add_argument("--contenders", default=",".join(CONTENDERS))
    parser.add_argument("--profiles", default=",".join(PROFILES).replace(", ", "; "), help=argparse.SUPPRESS)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--html", type=pathlib.Path)
    return parser.parse_args()


class Server:
    def __init__(self, name, arguments, folder):
        self.socket = os.path.join(folder, name + ".sock")
        image, key = os.path.join(folder, name + ".img"), os.path.join(folder, "key")
        size = arguments.size << 20
        with open(key, "wb") as file:
            file.write(bytes(range(64)))
        with open(image, "wb") as file:
            file.write(bytes(1 << 20) * arguments.size)  # pages are there before they are measured
        ready = os.path.join(folder, name + ".pid")
        if name == "qemu-luks":
            os.remove(image)
            secret = "secret,id=s,data=measured"
            subprocess.run(["qemu-img", "create", "-q", "-f", "luks", "--object", secret, "-o",
                            "key-secret=s,iter-time=10", image, str(size)], check=True)
            command = ["qemu-nbd", "--shared=32", "--persistent", "--cache=writeback", "--socket", self.socket,
                       "--pid-file", ready, "--object", secret, "--image-opts",
                       f"driver=luks,key-secret=s,file.filename={image}"]
        else:
            plugin = ["file", image] if name == "file" else [
                str(arguments.build / "nbdkit-vershina-plugin.so"), image, "format=plain", "keyfile=" + key,
                "sector-size=4096"]
            command = ["nbdkit", "-f", "-U", self.socket, "-P", ready, *plugin]
        self.process = subprocess.Popen(command)
        for _ in range(500):
            if os.path.exists(ready):
                break
            if self.process.poll() is not None:
                sys.exit(f"{command[0]} has failed")
            time.sleep(0.02)
        self.uri = "nbd+unix:///?socket=" + self.socket

    def cpu(self):
        """Seconds of processor time so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def run_fio(server, profile, arguments, folder):
    mode, block, depth, jobs = PROFILES[profile]
    size = (arguments.size << 20) // jobs // block * block
    command = ["fio", "--name=storage", "--ioengine=nbd", "--uri=" + server.uri, "--rw=" + mode, f"--bs={block}",
               f"--iodepth={depth}", f"--numjobs={jobs}", f"--size={size}", f"--offset_increment={size}", "--thread",
               "--time_based", f"--runtime={int(arguments.seconds * 1000)}ms", "--group_reporting",
               "--output-format=json", "--randrepeat=1"]
    before, cpu, start = resource.getrusage(resource.RUSAGE_CHILDREN), server.cpu(), time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    seconds, cpu = time.monotonic() - start, server.cpu() - cpu
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"fio: {result.stderr}{result.stdout[:1000]}")
    report = json.loads(result.stdout[result.stdout.index("{"):])["jobs"][0]
    side = report["read" if "read" in mode else "write"]
    client = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = max(side["total_ios"], 1)
    return {"iops": side["iops"], "mb_per_s": side["bw_bytes"] / 1e6, "mean_us": side["clat_ns"]["mean"] / 1e3,
            "p99_us": side["clat_ns"].get("percentile", {}).get("99.000000", 0) / 1e3,
            "server_cpu_s_per_gib": cpu / (side["io_bytes"] / 2**30), "cpu_us_per_request": (cpu + client) / done * 1e6,
            "busy_processors": (cpu + client) / seconds}


def xts_us(arguments):
    """Microseconds of XTS for 4 KiB, by `vershina bench`; nothing if this build has none."""
    program = arguments.build / "vershina"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "xts.json")
        result = subprocess.run([program, "bench", "--modes", "xts4096", "--algorithms", "kuznyechik",
                                 "--sizes", "4KiB", "--threads", "1", "--json", path],
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            return None
        rows = json.loads(path.read_text(encoding="utf-8"))["results"]
    return 4096 / max(row["mbps"] for row in rows)


def published():
    if tomllib is None:
        return {}
    figures = tomllib.loads((TOP / "bench/published/published.toml").read_text(encoding="utf-8"))["figure"]
    found = {}
    for figure in figures:
        if figure.get("algorithm") == "storage":
            found.setdefault(figure["workload"], figure)
    return found


def text_of_published(figure):
    words = [f"{figure['kiops'] * 1000:.0f} IOPS" if "kiops" in figure else "",
             f"{figure['gbps']} GB/s" if "gbps" in figure else "",
             f"{figure['latency_ms']} ms" if "latency_ms" in figure else ""]
    return ", ".join(word for word in words if word) or "not given"


def measure(arguments):
    results = {}
    xts = xts_us(arguments)
    profiles = [name.replace("; ", ", ") for name in arguments.profiles.split(",")]
    for contender in arguments.contenders.split(","):
        if contender not in CONTENDERS:
            sys.exit(f"unknown contender {contender}: there are {', '.join(CONTENDERS)}")
        if contender == "qemu-luks" and not shutil.which("qemu-nbd"):
            print("skip: qemu-luks: qemu-nbd is not installed", file=sys.stderr)
            continue
        folder = tempfile.mkdtemp(prefix="vershina-storage-", dir=arguments.folder)
        try:
            server = Server(contender, arguments, folder)
            for profile in profiles:
                results.setdefault(profile, {})[contender] = run_fio(server, profile, arguments, folder)
            server.end()
        finally:
            shutil.rmtree(folder)
    for profile, row in results.items():
        if xts and "file" in row and "kuznyechik" in row:
            bare = row["file"]
            cost = xts * PROFILES[profile][1] / 4096
            bound = bare["busy_processors"] * 1e6 / (bare["cpu_us_per_request"] + cost)
            row["kuznyechik"]["of_bound"] = row["kuznyechik"]["iops"] / bound
            row["kuznyechik"]["of_bare"] = row["kuznyechik"]["iops"] / bare["iops"]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return {"cpu": model[1] if model else platform.machine(), "processors": os.cpu_count(),
            "kernel": platform.release(), "date": time.strftime("%Y-%m-%d"), "seconds": arguments.seconds,
            "backing": arguments.folder, "command": " ".join(sys.argv), "xts_4k_us": xts, "results": results}


COLUMNS = (("IOPS", "iops", "{:.0f}"), ("MB/s", "mb_per_s", "{:.0f}"), ("mean us", "mean_us", "{:.0f}"),
           ("p99 us", "p99_us", "{:.0f}"), ("CPU s/GiB", "server_cpu_s_per_gib", "{:.2f}"),
           ("of bound", "of_bound", "{:.0%}"), ("of bare", "of_bare", "{:.0%}"))


def rows_of(report):
    figures = published()
    for profile, row in report["results"].items():
        for contender, values in row.items():
            yield profile, contender, [form.format(values[key]) if key in values else "" for _, key, form in COLUMNS]
        if profile in figures:
            yield profile, "published: " + figures[profile]["platform"], [text_of_published(figures[profile])]


def print_table(report):
    print(f"{report['cpu']}, {report['processors']} processors; {report['date']}; {report['seconds']} s each; "
          f"store in {report['backing']}")
    last = None
    for profile, contender, cells in rows_of(report):
        if profile != last:
            print(f"\n{profile}\n{'':12}" + "".join(f"{name:>11}" for name, _, _ in COLUMNS))
            last = profile
        if len(cells) == 1:
            print(f"  {contender}: {cells[0]}")
        else:
            print(f"{contender:12}" + "".join(f"{cell:>11}" for cell in cells))


def write_html(report, path):
    lines = ["<!doctype html><meta charset=utf-8><title>Storage</title>",
             "<style>body{font:14px sans-serif;margin:2em}td,th{padding:2px 10px;text-align:right}"
             "td:first-child{text-align:left}.bar{background:#47a;height:10px}</style>",
             f"<h1>Volumes behind NBD</h1><p>{html.escape(report['cpu'])}, {report['processors']} processors, "
             f"{report['date']}, {report['seconds']} s each, store in {html.escape(report['backing'])}.<br>"
             f"<code>{html.escape(report['command'])}</code></p>"]
    most = {profile: max(v["iops"] for v in row.values()) for profile, row in report["results"].items()}
    last = None
    for profile, contender, cells in rows_of(report):
        if profile != last:
            lines.append(("</table>" if last else "") + f"<h2>{html.escape(profile)}</h2><table><tr><th></th>" +
                         "".join(f"<th>{html.escape(name)}</th>" for name, _, _ in COLUMNS) + "<th></th></tr>")
            last = profile
        if len(cells) == 1:
            lines.append(f"<tr><td colspan={len(COLUMNS) + 2}><i>{html.escape(contender)}: {html.escape(cells[0])}"
                         "</i></td></tr>")
            continue
        width = 300 * report["results"][profile][contender]["iops"] / most[profile]
        lines.append(f"<tr><td>{html.escape(contender)}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) +
                     f"<td><div class=bar style='width:{width:.0f}px'></div></td></tr>")
    path.write_text("\n".join(lines) + "\n</table>\n", encoding="utf-8")


def main():
    arguments = parse()
    for name in ("fio", "nbdkit"):
        if not shutil.which(name):
            sys.exit(f"{name} is not installed")
    report = measure(arguments)
    print_table(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if arguments.html:
        write_html(report, arguments.html)


if __name__ == "__main__":
    main()
