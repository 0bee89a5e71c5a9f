#!/usr/bin/env python3
"""Measures volumes behind NBD with fio, by the six profiles of a published test of a storage array.

    programs/bench/storage/run.py [--build build/release] [--seconds 1] [--rounds 15] [--kernel-source FOLDER]
                                  [--json FILE] [--html FILE]

Contenders, all over a file in memory (fio's engine for NBD knows no direct I/O, and a disk would hide the cipher):

    file          nbdkit's own file server: no cipher; what the protocol costs
    kuznyechik    nbdkit with the plugin vershina, sectors of 4096 bytes
    aes-openssl   nbdkit with aes_plugin.c, compiled here: AES-256 in XTS by OpenSSL, sectors of 4096 bytes
    qemu-luks     qemu-nbd with a LUKS volume of AES-256 in XTS

and, for the work on sectors alone, the Linux kernel's generic Kuznyechik, compiled here in user space from
--kernel-source: the folder with kuznyechik_generic.c, as /usr/src/gost-crypto-* of Debian's package gost-crypto-dkms
(`apt-get download gost-crypto-dkms && dpkg -x gost-crypto-dkms_*.deb .` gets it without an installation).

A round measures XTS of such a request on all processors at once (`vershina bench`, one on each) and then each
contender, in this order and the reverse in turn. Every ratio is that of a round, and the median of the rounds is
printed: other work of the machine changes all parts of a round alike. `cores`: the processors that a measurement
had, without what other programs and other guests of the host (steal) took of them. `used`: the share of them in which
server and fio worked; the rest was idle, waiting for each other. Rounds in which others took more than a tenth count
only for `of CPU`.

`of bound`: the share of what the two measured parts allow together. The bare server's requests cost so much processor
time (server and fio), XTS so much more; with the processors there were that bounds the requests per second, and so do
the bare server's own requests per second. `of CPU`: the processor time of the two parts, of what a request of ours
takes; what else the machine does changes it least.

Targets computed from the measurement follow the table. Published figures are those of whole arrays with disks, and
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
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import tomllib
except ImportError:  # before Python 3.11
    tomllib = None

TOP = pathlib.Path(__file__).resolve().parents[3]
# The name in programs/bench/published/published.toml, and fio's options.
PROFILES = {
    "4k sequential read": ("read", 4096, 128, 16),
    "4k sequential write": ("write", 4096, 128, 16),
    "4k random read": ("randread", 4096, 64, 2),
    "4k random write": ("randwrite", 4096, 16, 2),
    "128k sequential read": ("read", 131072, 128, 16),
    "128k sequential write": ("write", 131072, 16, 2),
    "4k random read, one at a time": ("randread", 4096, 1, 1),  # not of the published test: added latency
}
CONTENDERS = ("file", "kuznyechik", "aes-openssl", "qemu-luks")
HERE = pathlib.Path(__file__).resolve().parent
ALONE = "4k random read, one at a time"


def parse():
    parser = argparse.ArgumentParser(description="Measures volumes behind NBD with fio.")
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/release")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=15, help="of each profile, contenders in turn, for medians")
    parser.add_argument("--size", type=int, default=256, help="of the volume, MiB")
    parser.add_argument("--folder", default="/dev/shm", help="for the backing files; in memory")
    parser.add_argument("--contenders", default=",".join(CONTENDERS))
    parser.add_argument("--kernel-source", type=pathlib.Path, help="with kuznyechik_generic.c of a kernel module")
    parser.add_argument("--profiles", default=",".join(PROFILES).replace(", ", "; "), help=argparse.SUPPRESS)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--html", type=pathlib.Path)
    return parser.parse_args()


def create_qemu_luks(image, size, secret):
    command = ["qemu-img", "create", "-q", "-f", "luks", "--object", secret, "-o", "key-secret=s,iter-time=10", image,
               str(size)]
    for _ in range(20):
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        # Its trial of the key derivation may fall between two ticks of the processor time, which it takes as an error.
        if "accurate CPU usage" not in result.stderr:
            break
    if result.returncode != 0:
        sys.exit(result.stderr)


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
            create_qemu_luks(image, size, secret)
            command = ["qemu-nbd", "--shared=32", "--persistent", "--cache=writeback", "--socket", self.socket,
                       "--pid-file", ready, "--object", secret, "--image-opts",
                       f"driver=luks,key-secret=s,file.filename={image}"]
        else:
            plugin = {
                "file": ["file", image],
                "aes-openssl": [os.path.join(folder, "aes.so"), image],
                "kuznyechik": [str(arguments.build / "nbdkit-vershina-plugin.so"), image, "format=plain",
                               "keyfile=" + key, "sector-size=4096"]}[name]
            if name == "aes-openssl":
                subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", plugin[0], str(HERE / "aes_plugin.c"),
                                "-lcrypto"], check=True)
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


def idle_seconds():
    """Seconds in which processors had nothing to do so far, all together."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = file.readline().split()
    return (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")


def run_fio(server, profile, arguments, folder):
    mode, block, depth, jobs = PROFILES[profile]
    size = (arguments.size << 20) // jobs // block * block
    command = ["fio", "--name=storage", "--ioengine=nbd", "--uri=" + server.uri, "--rw=" + mode, f"--bs={block}",
               f"--iodepth={depth}", f"--numjobs={jobs}", f"--size={size}", f"--offset_increment={size}", "--thread",
               "--time_based", f"--runtime={int(arguments.seconds * 1000)}ms", "--group_reporting",
               "--output-format=json", "--randrepeat=1"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    cpu, idle = server.cpu(), idle_seconds()
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    cpu, idle, wall = server.cpu() - cpu, idle_seconds() - idle, time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f"fio: {result.stderr}{result.stdout[:1000]}")
    report = json.loads(result.stdout[result.stdout.index("{"):])["jobs"][0]
    side = report["read" if "read" in mode else "write"]
    client = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = max(side["total_ios"], 1)
    # The rest, neither idle nor server nor fio, is other processes' work, or steal.
    cores = min((idle + cpu + client) / wall, os.cpu_count())
    return {"iops": side["iops"], "mb_per_s": side["bw_bytes"] / 1e6, "mean_us": side["clat_ns"]["mean"] / 1e3,
            "p99_us": side["clat_ns"].get("percentile", {}).get("99.000000", 0) / 1e3,
            "server_cpu_s_per_gib": cpu / (max(side["io_bytes"], 1) / 2**30),
            "server_cpu_us_per_request": cpu / done * 1e6, "cpu_us_per_request": (cpu + client) / done * 1e6,
            "cores": cores, "used": (cpu + client) / (idle + cpu + client)}


def bench(arguments, modes, size, processor):
    """Starts `vershina bench`; returns a function that waits for {(mode, operation): microseconds}, or for {}."""
    process = subprocess.Popen([arguments.build / "vershina", "bench", "--modes", modes, "--algorithms", "kuznyechik",
                                "--kernels", "default", "--sizes", str(size), "--threads", "1", "--processor",
                                str(processor), "--json", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def wait():
        out = process.communicate()[0]
        rows = json.loads(out)["results"] if process.returncode == 0 else []
        return {(row["mode"], row["operation"]): size / row["mbps"] for row in rows if row["mbps"]}

    return wait


def xts_work(arguments, profile):
    """Microseconds of XTS for a request of the profile while all processors do the same; None without the program."""
    mode, block, _, _ = PROFILES[profile]
    key = ("xts4096", "decrypt" if "read" in mode else "encrypt")
    running = [bench(arguments, "xts4096", block, processor) for processor in os.sched_getaffinity(0)]
    times = [wait().get(key) for wait in running]
    return statistics.mean(times) if all(times) else None


def sector_work(arguments):
    """Microseconds for 4 KiB, as {what: [encrypted, decrypted]}; without what this build or machine lacks."""
    work = {}
    with tempfile.TemporaryDirectory() as folder:
        rows = bench(arguments, "xts4096,ecb", 4096, max(os.sched_getaffinity(0)))()
        for mode, name in (("xts4096", "kuznyechik-xts"), ("ecb", "kuznyechik-ecb")):
            times = [rows.get((mode, operation)) for operation in ("encrypt", "decrypt")]
            if all(times):
                work[name] = times
        if arguments.kernel_source:
            sector = os.path.join(folder, "sector")
            for name in ("linux/crypto.h", "linux/module.h", "linux/version.h", "asm/unaligned.h", "crypto/algapi.h"):
                empty = pathlib.Path(folder, name)
                empty.parent.mkdir(exist_ok=True)
                empty.touch()
            subprocess.run(["cc", "-O2", "-I", folder, "-I", str(arguments.kernel_source), "-include",
                            str(HERE / "kernel_headers.h"), "-include", "kuznyechik_generic.c", "-o", sector,
                            str(HERE / "kernel_sector.c")], check=True)
            out = subprocess.run([sector, str(arguments.seconds)], check=True, capture_output=True, text=True).stdout
            work["kernel-generic-xts"] = [float(word) for word in out.split()]
    return work


def published():
    if tomllib is None:
        return {}
    figures = tomllib.loads((TOP / "programs/bench/published/published.toml").read_text(encoding="utf-8"))["figure"]
    found = {}
    for figure in figures:
        if figure.get("algorithm") == "storage":
            found.setdefault(figure["workload"], []).append(figure)
    return found


def text_of_published(figure):
    throughput = [f"{figure['kiops'] * 1000:.0f} IOPS" if "kiops" in figure else "",
                  f"{figure['gbps']} GB/s" if "gbps" in figure else ""]
    words = [*(throughput if any(throughput) else ["throughput not given"]),
             f"{figure['latency_ms']} ms" if "latency_ms" in figure else "latency not given",
             f"CPU load {figure['cpu']}" if "cpu" in figure else ""]
    return ", ".join(word for word in words if word)


def compare(ours, bare, xts_us):
    """Adds to a measurement of ours what those of the bare server and of XTS in the same round say of it. Requests per
    second are compared only where others took at most a tenth of the processors."""
    is_quiet = min(ours["cores"], bare["cores"]) >= 0.9 * os.cpu_count()
    ours["added_us"] = ours["mean_us"] - bare["mean_us"]
    if is_quiet:
        ours["of_bare"] = ours["iops"] / ours["cores"] / (bare["iops"] / bare["cores"])
    if xts_us:
        parts = bare["cpu_us_per_request"] + xts_us
        ours["xts_us_per_request"] = xts_us
        ours["of_cpu"] = parts / ours["cpu_us_per_request"]
        if is_quiet:
            ours["of_bound"] = ours["iops"] / (ours["cores"] * min(bare["iops"] / bare["cores"], 1e6 / parts))


def medians(rows):
    """Returns the median of each key, over the rows that have it."""
    return {key: statistics.median(values[key] for values in rows if key in values)
            for key in dict.fromkeys(key for values in rows for key in values)}


def measure(arguments):
    results, measured = {}, {}
    work = sector_work(arguments)
    profiles = [name.replace("; ", ", ") for name in arguments.profiles.split(",")]
    names = []
    for contender in arguments.contenders.split(","):
        if contender not in CONTENDERS:
            sys.exit(f"unknown contender {contender}: there are {', '.join(CONTENDERS)}")
        if contender == "qemu-luks" and not shutil.which("qemu-nbd"):
            print("skip: qemu-luks: qemu-nbd is not installed", file=sys.stderr)
            continue
        if contender == "aes-openssl" and subprocess.run(
                ["cc", "-fsyntax-only", str(HERE / "aes_plugin.c")], capture_output=True, check=False).returncode != 0:
            print("skip: aes-openssl: cc, nbdkit-plugin.h or OpenSSL's headers are missing", file=sys.stderr)
            continue
        names.append(contender)
    folder = tempfile.mkdtemp(prefix="vershina-storage-", dir=arguments.folder)
    try:
        servers = {name: Server(name, arguments, folder) for name in names}
        for profile in profiles:
            rounds = measured[profile] = {name: [] for name in names}
            for i in range(arguments.rounds):
                xts_us = xts_work(arguments, profile)
                for name in names if i % 2 == 0 else reversed(names):
                    rounds[name].append(run_fio(servers[name], profile, arguments, folder))
                if "kuznyechik" in rounds and "file" in rounds:
                    compare(rounds["kuznyechik"][-1], rounds["file"][-1], xts_us)
            results[profile] = {name: medians(rows) for name, rows in rounds.items()}
        for server in servers.values():
            server.end()
    finally:
        shutil.rmtree(folder)
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    return {"cpu": model[1] if model else platform.machine(), "processors": os.cpu_count(),
            "kernel": platform.release(), "date": time.strftime("%Y-%m-%d"), "seconds": arguments.seconds,
            "backing": arguments.folder, "command": " ".join(sys.argv), "sector_us": work, "results": results,
            "rounds": measured}


def quartiles(rounds, key):
    """How far the rounds differ, as a text."""
    found = [values[key] for values in rounds if key in values]
    if len(found) < 3:
        return f" (in {len(found)} of {len(rounds)} rounds)"
    first, _, third = statistics.quantiles(found, n=4, method="inclusive")
    return f" (half of {len(found)} rounds: {first:.0%} to {third:.0%})"


def targets(report):
    """Yields (what, its value, the least or the most it should be, whether it is reached), as texts."""
    for profile, row in report["results"].items():
        ours, bare = row.get("kuznyechik", {}), row.get("file", {})
        if profile == ALONE and ours and bare:
            added = ours["added_us"]
            yield "latency added to a 4 KiB read, one at a time", f"{added:.1f} us", "at most 15 us", added <= 15
        elif "xts_us_per_request" in ours and bare:
            key, what = "of_bound", "what the two parts allow"
            if bare["server_cpu_us_per_request"] > 6 * ours["xts_us_per_request"]:
                key, what = "of_bare", "the bare server"
            spread = quartiles(report["rounds"][profile]["kuznyechik"], key)
            share = ours.get(key)
            yield (f"{profile}: of {what}{spread}", f"{share:.0%}" if share else "-", "at least 85%",
                   (share or 0) >= 0.85)
    work = report["sector_us"]
    for index, direction in enumerate(("encrypted", "decrypted")):
        if "kuznyechik-xts" in work and "kuznyechik-ecb" in work:
            share = work["kuznyechik-ecb"][index] / work["kuznyechik-xts"][index]
            yield f"a sector {direction}: XTS of ECB's speed", f"{share:.0%}", "at least 90%", share >= 0.9
        if "kuznyechik-xts" in work and "kernel-generic-xts" in work:
            times = work["kernel-generic-xts"][index] / work["kuznyechik-xts"][index]
            yield (f"a sector {direction}: times the kernel's generic Kuznyechik", f"{times:.1f}", "at least 5",
                   times >= 5)


COLUMNS = (("IOPS", "iops", "{:.0f}"), ("MB/s", "mb_per_s", "{:.0f}"), ("mean us", "mean_us", "{:.0f}"),
           ("p99 us", "p99_us", "{:.0f}"), ("CPU s/GiB", "server_cpu_s_per_gib", "{:.2f}"),
           ("of bound", "of_bound", "{:.0%}"), ("of bare", "of_bare", "{:.0%}"),
           ("of CPU", "of_cpu", "{:.0%}"), ("cores", "cores", "{:.2f}"), ("used", "used", "{:.0%}"))


def rows_of(report):
    figures = published()
    for profile, row in report["results"].items():
        for contender, values in row.items():
            yield profile, contender, [form.format(values[key]) if key in values else "" for _, key, form in COLUMNS]
        for figure in figures.get(profile, []):
            yield profile, "published: " + figure["platform"], [text_of_published(figure)]
        if profile not in figures and profile != ALONE:
            yield profile, "published", ["not given"]


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
    if report["sector_us"]:
        print("\n4 KiB, one thread            encrypted  decrypted")
        for name, (encrypted, decrypted) in report["sector_us"].items():
            print(f"{name:26}{encrypted:9.2f} us{decrypted:8.2f} us")
    print("\ntargets")
    for what, value, wanted, is_reached in targets(report):
        print(f"  {'reached' if is_reached else 'short  '}  {value:>8}  {wanted:13}  {what}")


COLOURS = {"file": "#999", "kuznyechik": "#1a6", "aes-openssl": "#47a", "qemu-luks": "#c83"}


def plot(report, title, key, form):
    """Returns an SVG with a group of bars for each profile, each group in its own scale."""
    profiles = list(report["results"])
    width, height, group = 860, 190, 860 / max(len(profiles), 1)
    shapes = [f"<h2>{html.escape(title)}</h2><svg width={width} height={height + 34} font-size=10 "
              "font-family=sans-serif>"]
    for i, profile in enumerate(profiles):
        row = report["results"][profile]
        most = max(values[key] for values in row.values()) or 1
        bar = (group - 16) / len(CONTENDERS)
        for contender, values in row.items():
            x = i * group + 8 + CONTENDERS.index(contender) * bar
            length = (height - 30) * values[key] / most
            shapes.append(f"<rect x={x:.1f} y={height - length:.1f} width={bar - 2:.1f} height={length:.1f} "
                          f"fill='{COLOURS[contender]}'><title>{html.escape(contender)}: {form.format(values[key])}"
                          f"</title></rect><text x={x:.1f} y={height - length - 3:.1f} font-size=8>"
                          f"{form.format(values[key])}</text>")
        words = profile.split(" ", 1)
        for line, text in enumerate(words):
            shapes.append(f"<text x={i * group + 8:.1f} y={height + 12 + 12 * line}>{html.escape(text)}</text>")
    return "".join(shapes) + "</svg>"


def write_html(report, path):
    lines = ["<!doctype html><html lang=en><meta charset=utf-8><title>Storage</title>",
             "<style>body{font:14px sans-serif;margin:2em}td,th{padding:2px 10px;text-align:right}"
             "td:first-child{text-align:left}</style>",
             f"<h1>Volumes behind NBD</h1><p>{html.escape(report['cpu'])}, {report['processors']} processors, "
             f"{report['date']}, {report['seconds']} s each, store in {html.escape(report['backing'])}.<br>"
             f"<code>{html.escape(report['command'])}</code></p><p>"]
    lines += [f"<span style='color:{colour}'>&#9632;</span> {name} " for name, colour in COLOURS.items()]
    for title, key, form in (("Requests per second", "iops", "{:.0f}"), ("MB/s", "mb_per_s", "{:.0f}"),
                             ("Mean latency, microseconds", "mean_us", "{:.0f}"),
                             ("99th percentile of latency, microseconds", "p99_us", "{:.0f}"),
                             ("Processor seconds of the server per GiB", "server_cpu_s_per_gib", "{:.2f}")):
        lines.append(plot(report, title, key, form))
    last = None
    for profile, contender, cells in rows_of(report):
        if profile != last:
            lines.append(("</table>" if last else "") + f"<h2>{html.escape(profile)}</h2><table><tr><th></th>" +
                         "".join(f"<th>{html.escape(name)}</th>" for name, _, _ in COLUMNS) + "</tr>")
            last = profile
        if len(cells) == 1:
            lines.append(f"<tr><td colspan={len(COLUMNS) + 1}><i>{html.escape(contender)}: {html.escape(cells[0])}"
                         "</i></td></tr>")
            continue
        lines.append(f"<tr><td>{html.escape(contender)}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) +
                     "</tr>")
    lines.append("</table><h2>4 KiB, one thread, microseconds</h2><table><tr><th></th><th>encrypted</th>"
                 "<th>decrypted</th></tr>")
    for name, (encrypted, decrypted) in report["sector_us"].items():
        lines.append(f"<tr><td>{html.escape(name)}</td><td>{encrypted:.2f}</td><td>{decrypted:.2f}</td></tr>")
    lines.append("</table><h2>Targets</h2><table>")
    for what, value, wanted, is_reached in targets(report):
        lines.append(f"<tr><td>{html.escape(what)}</td><td>{value}</td><td>{wanted}</td>"
                     f"<td>{'reached' if is_reached else 'short'}</td></tr>")
    path.write_text("\n".join(lines) + "\n</table></html>\n", encoding="utf-8")


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
