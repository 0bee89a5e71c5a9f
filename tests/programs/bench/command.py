#!/usr/bin/env python3
"""`vershina bench` as a user calls it: the JSON's schema, absent and wrong peers, refused options.

Usage: command.py PROGRAM SOURCE_FOLDER. Nothing here depends on the speed of the machine.
"""
import html.parser
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import tomllib
import unittest
import xml.etree.ElementTree

from support import PROGRAM, SHORT, SOURCE, SVG, Case, bench

NUMBER = (int, float)
RESULT = {  # field: type; docs/benchmark.md describes them
    "algorithm": str, "mode": str, "operation": str, "kernel": (str, type(None)),
    "constant_time": (bool, type(None)), "bytes": int, "threads": int, "alignment": int, "in_place": bool,
    "chosen": bool, "efficiency": NUMBER + (type(None),), "copy_mbps": NUMBER + (type(None),),
    "mbps": NUMBER, "cpb": NUMBER, "cpb_tsc": NUMBER + (type(None),), "spread": NUMBER, "dropped": int,
    "peer": (dict, type(None)),
}
ALGORITHMS = {"kuznyechik", "magma", "gost28147", "streebog256", "streebog512", "gost94-cryptopro", "gost94-test",
              "aes256"}

# A library that `--peers` takes for RustCrypto's and that encrypts wrongly.
WRONG_PEER = """
#include <stddef.h>
#include <string.h>
static int handle;
const char* vershina_peer_version(void) { return "broken 1"; }
void* vershina_peer_new(const char* a, const char* m, int e, const void* k, size_t kn, const void* i,
                        size_t n) {
  (void)a, (void)m, (void)e, (void)k, (void)kn, (void)i, (void)n;
  return &handle;
}
void vershina_peer_run(void* h, unsigned char* out, const unsigned char* in, size_t len) {
  (void)h, (void)in;
  memset(out, 0, len);
}
void vershina_peer_free(void* h) { (void)h; }
"""


def short(value):
    """Three significant digits, as the program writes them."""
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"


class PageReader(html.parser.HTMLParser):
    """The tables with an id (rows of cells without the last one of notes if there are eleven), tags and text."""
    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.tables, self.text = [], set(), {}, ""
        self.table = []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.table = self.tables.setdefault(dict(attributes).get("id"), [])
        elif tag == "tr":
            self.table.append([])
        elif tag in ("td", "th"):
            self.table[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()
        if tag == "tr" and len(self.table[-1]) == 11:
            self.table[-1].pop()

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.table[-1][-1] += data


class Bench(Case):
    def test_schema(self):
        document, table = self.measured("--sizes", "4KiB", "--modes", "ecb,ctr,cnt,mac,imit,hash", "--all")
        self.assertEqual(set(document), {"machine", "results", "key_setup", "published"})
        self.assertEqual(set(document["machine"]), {"cpu", "features", "clocks", "compiler", "version", "processors",
                                                    "governor", "date", "pinned_to", "peers"})
        self.assertRegex(document["machine"]["date"], r"^20\d\d-\d\d-\d\dT\d\d:\d\dZ$")
        for clock in document["machine"]["clocks"].values():
            self.assertTrue(clock["source"])
        seen = set()
        for row in document["results"]:
            self.assertEqual(set(row), set(RESULT))
            for field, kind in RESULT.items():
                self.assertIsInstance(row[field], kind, field)
            self.assertIn(row["algorithm"], ALGORITHMS)
            self.assertIn(row["operation"], {"encrypt", "decrypt", "mac", "hash"})
            self.assertEqual((row["bytes"], row["threads"]), (4096, 1))
            self.assertEqual((row["alignment"], row["in_place"]), (0, False))
            self.assertIsNone(row["peer"])
            self.assertGreater(row["mbps"], 0)
            self.assertGreater(row["cpb"], 0)
            self.assertIn(row["kernel"], table)
            seen.add((row["algorithm"], row["mode"]))
        self.assertEqual(len(seen), 13)
        for figure in document["published"]:
            self.assertLessEqual({"algorithm", "platform", "source"}, set(figure))
        self.assertIn("published", table)

    def test_sizes_threads_alignment_and_in_place(self):
        document, table = self.measured("-a", "magma", "-m", "ctr", "-k", "default", "--sizes", "8,1MiB",
                                        "--threads", "1,2", "--alignment", "0,1", "--in-place", "both", "--all")
        rows = {(r["bytes"], r["threads"], r["alignment"], r["in_place"]) for r in document["results"]}
        self.assertEqual(len(rows), 16)
        self.assertIn("wall", table)
        self.assertIn("CPU", table)

    def test_json_on_standard_output(self):
        run = bench("-a", "magma", "-m", "ecb", "-k", "portable", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        kernels = {row["kernel"] for row in json.loads(run.stdout)["results"]}
        self.assertEqual(kernels, {"portable"})
        self.assertIn("portable", run.stderr)

    def test_absent_peers_are_named(self):
        document, table = self.measured("-a", "streebog256", "-k", "default", "--peers", "--all",
                                        "--library-dir", self.folder, "--peers-dir", self.folder)
        absent = {p["name"]: p["not_measured"] for p in document["machine"]["peers"]}
        self.assertEqual(set(absent), {"OpenSSL", "libgcrypt", "Nettle", "Botan", "RustCrypto"})
        for name, why in absent.items():
            self.assertIn("not found", why)
            self.assertIn(f"{name}: not measured", table)
            self.assertIn(f"{name} ({why})", table.split("\n\n")[0])

    def test_a_wrong_peer_is_not_timed(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            self.skipTest("no C compiler")
        source = os.path.join(self.folder, "peer.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(WRONG_PEER)
        library = os.path.join(self.folder, "libvershina_peer_rustcrypto.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        run = bench("-a", "magma", "-m", "ecb", "-k", "portable", "--peers", "--library-dir", self.folder,
                    "--peers-dir", self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("WRONG RESULT, not timed: magma ecb encrypt by RustCrypto", run.stdout)
        self.assertNotIn("times as fast\n", run.stdout)
        run = bench("-a", "magma", "-m", "ecb", "-k", "portable", "--peers", "--library-dir", self.folder,
                    "--peers-dir", self.folder, "--all", "--html", "-")
        self.assertEqual(run.returncode, 1)
        self.assertIn("RustCrypto: WRONG RESULT, not timed", run.stderr)
        self.assertNotIn("best peer", run.stderr)
        self.assertIn("magma ecb encrypt by RustCrypto: wrong result, not timed", run.stdout)

    # The file to send has figures, CPU and compiler, and nothing else about the machine or its user.
    def test_submission(self):
        run = bench("-a", "magma,streebog256", "-m", "ecb,hash", "-s", "16KiB", "-t", "1", "--submit", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        self.assertEqual(set(document), {"machine", "results"})
        self.assertEqual(set(document["machine"]), {"cpu", "features", "ghz", "compiler", "version"})
        works = [(row["algorithm"], row["mode"], row["operation"]) for row in document["results"]]
        self.assertEqual(works, [("magma", "ecb", "encrypt"), ("magma", "ecb", "decrypt"),
                                 ("streebog256", "hash", "hash")])
        for row in document["results"]:
            self.assertLessEqual(set(row), {"algorithm", "mode", "operation", "bytes", "threads", "chosen", "spread",
                                            "cpb", "rough"})
            self.assertGreater(row["cpb"][row["chosen"]], 0)
        for secret in (os.uname().nodename, os.getcwd(), time.strftime("%Y-%m")):
            self.assertNotIn(secret, run.stdout)
        path = self.write("cpu.json", run.stdout)
        script = os.path.join(SOURCE, "programs", "bench", "cpus.py")
        table = subprocess.run([sys.executable, script, path], capture_output=True, text=True, check=True).stdout
        self.assertIn("| work | cpu |", table)
        self.assertIn("| magma ecb decrypt | ", table)
        self.write("cpu.json", "{}")
        self.assertEqual(subprocess.run([sys.executable, script, path], capture_output=True).returncode, 2)

    def test_bad_options_are_refused(self):
        for arguments in (["--sizes", "0"], ["--sizes", "12"], ["--sizes", "4XB"], ["--sizes"],
                          ["--threads", "-1"], ["--algorithms", "des"], ["--modes", "gcm"],
                          ["--kernels", "mmx"], ["--alignment", "64"], ["--in-place", "maybe"],
                          ["--min-time", "0"], ["--plot", ""],
                          ["--plot", "p.svg", "--json", "p.json"], ["--html", ""], ["--html", "p", "--plot", "p.svg"],
                          ["--html", "p", "--study", "threads"],
                          ["--submit", "p", "--study", "threads"], ["--submit", "p", "--device", "all"],
                          ["--submit", ""],
                          ["--plot", "p.svg", "-t", "2"],
                          ["--study", "nothing"], ["--study", "threads", "-a", "magma"],
                          ["--study", "records", "-m", "mgm"], ["--study", "streams", "--plot", "p.svg"],
                           ["--processor", "9999"], ["--frobnicate"], ["extra"],
                          ["-a", "kuznyechik", "-m", "ecb", "--sizes", "8"]):
            run = bench(*arguments)
            self.assertEqual(run.returncode, 2, arguments)
            self.assertEqual(run.stdout, "", arguments)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_a_kernel_that_serves_nothing_is_an_error(self):
        run = bench("-a", "aes256", "--peers", "-k", "portable")
        self.assertEqual(run.returncode, 5)
        self.assertIn("portable", run.stderr)

    def test_json_that_cannot_be_written(self):
        path = os.path.join(self.folder, "missing", "result.json")
        run = bench("-a", "magma", "--json", path)
        self.assertEqual(run.returncode, 4)
        self.assertIn(path, run.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_json_replaces_an_older_one_and_nothing_else(self):
        target, other = self.write("result.json", "older"), self.write("other", "kept")
        os.chmod(target, 0o640)
        os.symlink(other, self.path("result.json.tmp"))
        run = bench(*SHORT, "--json", target)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("results", json.loads(self.read("result.json")))
        self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o640)
        self.assertEqual(self.read("other"), "kept")
        self.assertTrue(os.path.islink(self.path("result.json.tmp")))
        os.remove(self.path("result.json.tmp"))
        self.write("result.json.tmp", "mine")
        self.assertEqual(bench(*SHORT, "--json", target).returncode, 0)
        self.assertEqual(self.read("result.json.tmp"), "mine")
        self.assertEqual(sorted(os.listdir(self.folder)), ["other", "result.json", "result.json.tmp"])

    def test_json_through_a_link(self):
        target, link = self.write("target", "older"), self.path("link")
        os.symlink(target, link)
        run = bench(*SHORT, "--json", link)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(os.path.islink(link))
        self.assertIn("results", json.loads(self.read("target")))

    def test_json_into_a_pipe(self):
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        run = bench(*SHORT, "--json", pipe)
        text, _ = reader.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("results", json.loads(text))
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def private_device(self, name, kind, major, minor):
        """Never the system's own nodes: as root, a mistake would replace them for all users."""
        path = self.path(name)
        try:
            os.mknod(path, kind | 0o600, os.makedev(major, minor))
        except OSError as error:
            self.skipTest(f"no device nodes here: {error}")
        return path

    def test_json_into_devices(self):
        null = self.private_device("null", stat.S_IFCHR, 1, 3)
        full = self.private_device("full", stat.S_IFCHR, 1, 7)
        block = self.private_device("block", stat.S_IFBLK, 7, 255)
        try:
            open(null, "w", encoding="utf-8").close()
        except OSError as error:
            self.skipTest(f"device nodes cannot be opened here: {error}")
        run = bench(*SHORT, "--json", null)
        self.assertEqual(run.returncode, 0, run.stderr)
        run = bench(*SHORT, "--json", full)
        self.assertEqual(run.returncode, 4, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn("No space left", run.stderr)
        self.refused(bench(*SHORT, "--json", block), 4, block, "block device")
        for path in (null, full):
            self.assertTrue(stat.S_ISCHR(os.stat(path).st_mode), path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["block", "full", "null"])

    def test_json_is_opened_before_measuring(self):
        self.refused(bench(*SHORT, "--json", self.folder), 4, self.folder)
        self.refused(bench(*SHORT, "--json", self.path("missing/result.json")), 4, "missing")
        self.refused(bench(*SHORT, "--json", self.write("file", "") + "/result.json"), 4, "file/result.json")
        self.refused(bench(*SHORT, "--json", ""), 2, "--json")
        if os.geteuid() != 0:
            os.chmod(self.folder, 0o500)
            self.addCleanup(os.chmod, self.folder, 0o700)
            self.refused(bench(*SHORT, "--json", self.path("result.json")), 4, "result.json")

    def test_kernel_of_the_environment(self):
        for value, word in (("bogus", "bogus"), ("magma:bogus", "magma:bogus"), ("magma:tables", "--kernels")):
            run = bench(*SHORT, "--json", self.path("result.json"), kernel=value)
            self.refused(run, 5, value, "VERSHINA_KERNEL", word)
        self.assertEqual(os.listdir(self.folder), [])
        run = bench("-a", "magma", "-m", "ctr", "-k", "default", "-j", "-", kernel="magma:portable")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual({row["kernel"] for row in json.loads(run.stdout)["results"]}, {"portable"})
        head = next(line for line in run.stderr.splitlines() if line.startswith("run "))
        self.assertIn("VERSHINA_KERNEL=magma:portable", head)
        self.assertNotIn("VERSHINA_KERNEL", bench(*SHORT).stdout)

    def test_kernel_of_default_rows(self):
        kernels = subprocess.run([PROGRAM, "kernels", "--json"], capture_output=True, text=True, check=True)
        rows = [k for k in json.loads(kernels.stdout)["kernels"] if k["family"] == "kuznyechik"]
        many = next(k["kernel"] for k in rows if k["chosen"])
        one = next(k["kernel"] for k in rows if k["chosen_one_block"])
        run = bench("-a", "kuznyechik", "-m", "ctr,cbc,mac", "-k", "default," + one, "-s", "16,64KiB", "-j", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        ran = {}
        for row in json.loads(run.stdout)["results"]:
            ran.setdefault((row["mode"], row["operation"], row["bytes"]), []).append(row["kernel"])
        for (mode, operation, length), names in ran.items():
            sequential = mode == "mac" or (mode, operation) == ("cbc", "encrypt")
            both = not sequential and length > 16 and many != one
            self.assertEqual(names, [many, one] if both else [one], (mode, operation, length))

    def test_key_setup(self):
        document, table = self.measured("-a", "magma", "--quick", "-k", "portable,default", "--all")
        listed = document["key_setup"]
        self.assertIn("default", {row["kernel"] for row in listed})
        for row in listed:
            self.assertEqual(row["bytes_per_key"], 4096)
            self.assertGreater(row["cycles"], 0)
        self.assertIn("a new key", table)

    def test_copy_and_efficiency(self):
        document, table = self.measured("-a", "magma", "-m", "ecb,mac", "-k", "default", "-s", "8MiB", "-t", "1,2",
                                        "--all")
        for row in document["results"]:
            self.assertEqual(row["copy_mbps"] is None, row["mode"] == "mac", row)
            self.assertEqual(row["efficiency"] is None, row["threads"] == 1, row)
        self.assertIn("copy of the buffer by memcpy, 2 threads", table)
        self.assertRegex(table, r"efficiency \d")

    def test_summary(self):
        for arguments, most in ((["--quick"], 40),
                                (["-s", "16,64", "-m", "ctr,cnt,hash,mac", "-t", "1,2", "--peers"], 20)):
            run = bench(*arguments)
            self.assertEqual(run.returncode, 0, run.stderr)
            lines = run.stdout.splitlines()
            self.assertLessEqual(len(lines), most, run.stdout)
            for algorithm in ("kuznyechik", "magma", "gost28147", "streebog256", "streebog512"):
                self.assertEqual(sum(line.startswith(algorithm + " ") for line in lines), 1, run.stdout)
            self.assertIn("--all prints them", lines[-1])
        self.assertIn("2 THREADS", run.stdout)

    def test_summary_is_above_the_tables(self):
        document, text = self.measured("-a", "magma", "-m", "ctr,ecb", "-k", "default,portable", "-s", "4KiB", "--all")
        rate, cost, kernel = re.search(r"^magma +ctr +(\S+) +(\S+) +(\S+)$", text, re.M).groups()
        row, = (r for r in document["results"] if r["mode"] == "ctr" and r["chosen"])
        self.assertEqual((rate, cost, kernel), (short(row["mbps"]), short(row["cpb"]), row["kernel"]))
        self.assertLess(text.index("magma  "), text.index("core c/B"))
        self.assertEqual(text.split("core c/B")[1].count(" portable "), 3)

    def page(self, *arguments):
        """A run's JSON and page; whether the page is well formed, whole and on its own is checked here."""
        document, _ = self.measured("--html", self.path("page.html"), *arguments)
        text = self.read("page.html")
        page = PageReader()
        page.feed(text)
        page.close()
        self.assertEqual(page.open, [])
        self.assertFalse({"script", "link", "img", "iframe", "object"} & page.tags, "something to load or to run")
        self.assertNotRegex(text.replace('xmlns="http://www.w3.org/2000/svg"', ""), r"https?://|url\(|@import")
        pictures = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]
        for picture in pictures:
            self.assertTrue(picture.find(f"{SVG}title").text)
        return document, page, pictures, text

    def test_page(self):
        document, page, pictures, text = self.page("-a", "magma,streebog256", "-m", "ctr,ecb,hash", "-s", "8,4KiB",
                                                   "-t", "1,2", "-k", "default,portable", "--peers")
        self.assertIn("prefers-color-scheme: dark", text)
        machine = document["machine"]
        for word in (machine["cpu"], *machine["features"], machine["compiler"], machine["version"], machine["date"],
                     machine["governor"] or "not reported by the system"):
            self.assertIn(word, page.text)
        # Every row of the JSON, with the same numbers.
        self.assertEqual(page.tables["rows"][1:], [
            [row["algorithm"], row["mode"], row["operation"], str(row["bytes"]), str(row["threads"]),
             " ".join(row["peer"].values()) if row["peer"] else row["kernel"],
             f"{row['mbps']:.1f}", f"{row['cpb']:.2f}",
             f"{100 * row['spread']:.1f} %", str(row["dropped"])] for row in document["results"]])
        # Every bar is a measured or a published rate, and the table below it has it too.
        rates = {}
        for row in document["results"]:
            who = row["peer"]["name"] if row["peer"] else "Vershina"
            rates.setdefault(row["algorithm"], set()).add(f"{who}: {short(row['mbps'])} MB/s")
        bars = [bar.find(f"{SVG}title").text for picture in pictures for bar in picture.iter(f"{SVG}rect")
                if bar.get("class") in ("own", "peer")]
        for bar in bars:
            work, who = bar.split(", ", 1)
            if "thread" not in who:
                self.assertIn(who, rates[work.split()[0]], bar)
        self.assertTrue(any(bar.startswith("magma ctr, Vershina: ") for bar in bars), bars)
        shown = {row[3] for row in page.tables["algorithms"][1:]}
        for bar in pictures[0].iter(f"{SVG}rect"):
            value = bar.find(f"{SVG}title").text.rsplit(": ", 1)[1].removesuffix(" MB/s")
            if bar.get("class") in ("own", "peer"):
                self.assertIn(value, shown)
            else:
                self.assertIn(value, {row[2] for row in page.tables["published"][1:]})
        # By size and by threads.
        lines = [line for picture in pictures for line in picture.iter(f"{SVG}polyline")]
        self.assertGreaterEqual(len(lines), 2)
        for row in page.tables["threads"][1:]:
            found = [r for r in document["results"] if short(r["mbps"]) == row[4] and str(r["threads"]) == row[2]]
            self.assertTrue(found, row)
            if row[5]:
                self.assertIn(row[5], [f"{r['efficiency']:.2f}" for r in found if r["efficiency"] is not None])

    def test_page_of_a_quick_run(self):
        """Without --sizes and --threads a page has plots by size and by threads."""
        document, page, pictures, _ = self.page("-a", "magma", "--quick")
        sizes = {row["bytes"] for row in document["results"] if row["mode"] == "ctr" and row["chosen"]}
        self.assertGreaterEqual(len(sizes), 5)
        self.assertEqual(len([p for p in pictures if p.find(f"{SVG}polyline") is not None]), 1)
        if document["machine"]["processors"] > 1:
            self.assertGreater(len(page.tables["threads"]), 2)
        self.assertIn("bench --min-time 0.001 --json", page.text)

    def test_page_is_escaped(self):
        """The user's words stand in the page as text."""
        path = self.path("<b>&'\"<script>.html")
        run = bench(*SHORT, "--html", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        page = PageReader()
        page.feed(self.read("<b>&'\"<script>.html"))
        self.assertFalse({"script", "b"} & page.tags)
        self.assertIn("<b>&", page.text)

    def test_page_is_whole_or_not_there(self):
        self.refused(bench(*SHORT, "--html", self.path("missing/page.html")), 4, "missing")
        target = self.write("page.html", "older")
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([PROGRAM, "bench", "--min-time", "0.001", *SHORT, "--html", target], stdout=full,
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 4)
        self.assertEqual(self.read("page.html"), "older")
        self.assertEqual(os.listdir(self.folder), ["page.html"])
        run = bench(*SHORT, "--html", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.startswith("<!DOCTYPE html>"))
        self.assertIn("portable", run.stderr)

    def test_plot(self):
        path = self.path("plot.svg")
        run = bench("-a", "magma,kuznyechik", "-k", "portable,tables", "-s", "8,16,4KiB", "--all", "--plot", path)
        self.assertEqual(run.returncode, 0, run.stderr)
        root = xml.etree.ElementTree.parse(path).getroot()
        space = "{http://www.w3.org/2000/svg}"
        words = [text.text for text in root.iter(space + "text")]
        for word in ("magma ctr", "kuznyechik ctr", "library's choice", "portable", "tables (not constant-time)",
                     "core cycles per byte", "bytes of one message"):
            self.assertIn(word, words)
        lines = [line.get("points").split() for line in root.iter(space + "polyline")]
        self.assertEqual([len(points) for points in lines], [2] * 3 + [3] * 3)  # a Kuznyechik block has 16 bytes
        self.assertIn("magma ctr, core c/B", run.stdout)
        self.assertRegex(run.stdout,
                         "the library's choice costs at most [0-9.]+ times|every constant-time kernel was disturbed")
        run = bench(*SHORT, "--plot", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        xml.etree.ElementTree.fromstring(run.stdout)
        self.refused(bench(*SHORT, "--plot", self.path("missing/plot.svg")), 4, "missing")

    def test_model_of_other_processors(self):
        if not (shutil.which("llvm-mca-19") or shutil.which("llvm-mca")) or os.uname().machine != "x86_64":
            self.skipTest("no llvm-mca, or no x86-64")
        if not shutil.which("g++"):
            self.skipTest("no g++")

        def model(*arguments):
            return subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "mca.py"), *arguments],
                                  capture_output=True, text=True, timeout=120)
        # A round loads a key and looks up four bytes, plus the compiler's spills.
        run = model("magma", "tables", "--cpus", "haswell")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("8 bytes a pass", run.stdout)
        cpb, cycles, uops, _, loads, stores = map(float, run.stdout.splitlines()[-1].split()[1:7])
        self.assertAlmostEqual(cycles / 8, cpb, delta=0.1)
        self.assertGreaterEqual(loads, 32 * 5)
        self.assertLess(loads, 32 * 8)
        self.assertGreater(uops, loads)
        self.assertIn("has no avx512", model("magma", "avx512", "--cpus", "haswell").stdout)
        self.assertEqual(model("magma", "nothing").returncode, 1)

    def test_floors(self):
        machine = {"cpu": "a CPU", "compiler": "a compiler", "features": ["avx2"]}
        row = {"algorithm": "magma", "mode": "ctr", "operation": "encrypt", "bytes": 16384, "threads": 1,
               "alignment": 0, "in_place": False}
        ours = {**row, "kernel": "avx2", "constant_time": True, "peer": None, "cpb": 2.0}
        tables = {**row, "kernel": "tables", "constant_time": False, "peer": None, "cpb": 1.0}
        peer = {**row, "kernel": None, "constant_time": None, "peer": {"name": "P", "version": "1"}, "cpb": 50.0}
        floor = ('[[floor]]\nclass = "%s"\nalgorithm = "magma"\nmode = "ctr"\noperation = "encrypt"\n'
                 'bytes = 16384\nratio = %s\n')

        def check(rows, floors, status, *words, batches=None):
            report = self.write("report.json", json.dumps({"machine": machine, "results": rows}))
            words_of_run = [report, self.write("floors.toml", floors)]
            if batches:
                words_of_run += ["--batches", self.write("batches.json", json.dumps({"rows": batches}))]
            script = os.path.join(SOURCE, "programs", "bench", "check_floors.py")
            run = subprocess.run([sys.executable, script, *words_of_run],
                                 capture_output=True, text=True)
            self.assertEqual(run.returncode, status, run.stdout + run.stderr)
            for word in words:
                self.assertIn(word, run.stdout)

        check([ours, tables, peer], floor % ("avx2", 24), 0, "25.00", "1 compared, 0 below")
        check([ours, tables, peer], floor % ("avx2", 26), 1, "BELOW")
        check([ours], floor % ("avx2", 24), 3, "no peer measured")
        check([tables, peer], floor % ("avx2", 24), 3, "not measured")
        check([ours, peer], floor % ("avx512", 24), 3, "0 compared")
        machine["features"] = ["avx2", "avx512f/bw/dq/vl"]
        check([ours, peer], floor % ("avx512", 24) + floor % ("avx2", 99), 0, "1 compared")
        target = (floor % ("avx512", 99)).replace("\nratio", "\ntarget")
        check([ours, peer], target, 0, "short of the target", "1 compared, 0 below")
        machine["features"] += ["gfni", "vbmi"]
        check([ours, peer], floor % ("avx512_gfni", 24) + floor % ("avx512", 99), 0, "1 compared")
        machine["features"].append("zen5")
        check([ours, peer], floor % ("zen5", 24) + floor % ("avx512_gfni", 99), 0, "1 compared")
        machine["features"].remove("zen5")
        check([ours, peer], "floor = 1", 2)
        # Batches: 4 chains at 12 cycles a byte, 16 at 4, one at 20; rough figures do not count.
        batch = {"algorithm": "magma", "mode": "mac", "bytes": 512, "lengths": "equal", "keys": "own", "threads": 1,
                 "one_by_one": 24.0, "plain": 1.0, "best": 3.0, "rough": False}
        batches = [{**batch, "messages": n, "batch": c} for n, c in ((1, 20.0), (4, 12.0), (16, 4.0))]
        batches.append({**batch, "messages": 8, "batch": 100.0, "rough": True})
        of_batches = '[[batches]]\nclass = "avx512_gfni"\nname = "%s"\ntarget = 9\nratio = %s\n'
        one = floor % ("avx512_gfni", 24)
        for name, ratio in (("one_by_one", 1.2), ("best_division", 0.15), ("fewer_messages", 5 / 3),
                            ("chains_4_magma", 2), ("chains_16_magma", 6)):
            check([ours, peer], one + of_batches % (name, ratio - 0.01), 0, "2 compared, 0 below", batches=batches)
            check([ours, peer], one + of_batches % (name, ratio + 0.01), 1, "BELOW", batches=batches)
        check([ours, peer], one + of_batches % ("plain", 1), 0, "1 compared", "not measured", batches=batches)
        # The stored file: every class, and only entries of the benchmark.
        with open(os.path.join(SOURCE, "programs", "bench", "baselines", "floors.toml"), "rb") as file:
            stored = tomllib.load(file)
        floors = stored["floor"]
        self.assertEqual({f["class"] for f in floors}, {"avx2", "avx512", "avx512_gfni", "zen5"})
        for f in floors:
            least = "target" if f["class"] == "avx512" else "ratio"
            self.assertEqual(set(f), {"class", "algorithm", "mode", "operation", "bytes", least})
            self.assertIn(f["algorithm"], ALGORITHMS)
        for f in stored["batches"]:
            self.assertEqual(set(f), {"class", "name", "target", "ratio"})

    def test_picture(self):
        """README's picture is what the documented command draws; its Russian one is a test of messages."""
        def draw(*arguments):
            return subprocess.run([PROGRAM, "bench", "--bars", *arguments], capture_output=True, text=True)

        file = os.path.join(SOURCE, "programs", "bench", "baselines", "cpus", "granite-rapids.json")
        with open(os.path.join(SOURCE, "docs", "speed.svg"), encoding="utf-8") as picture:
            self.assertEqual(draw(file).stdout, picture.read())
        document = {"machine": {"cpu": "A <CPU>", "ghz": 2, "compiler": "cc"}, "results": [
            {"algorithm": "magma", "mode": mode, "operation": operation, "bytes": size, "threads": threads,
             "chosen": "wide", "cpb": {"wide": cpb, "narrow": 1}, "peers": {"Slow": 8, "Fast": 4}}
            for mode, operation, size, threads, cpb in (
                ("ctr", "encrypt", 16384, 1, 0.5), ("ctr", "encrypt", 64, 1, 7), ("ctr", "encrypt", 16384, 2, 7),
                ("mgm", "decrypt", 16384, 1, 7))]}
        run = draw(self.write("cpu.json", json.dumps(document)))
        bars = [bar.find(f"{SVG}title").text for bar in xml.etree.ElementTree.fromstring(run.stdout).iter(f"{SVG}rect")
                if bar.find(f"{SVG}title") is not None]
        self.assertEqual(bars, ["Magma CTR, Vershina: 4000 MB/s", "Magma CTR, Fast: 500 MB/s"])
        self.assertIn(">8.00 x<", run.stdout)
        whole = json.dumps(document)
        for text in ("", "{", "{}", whole.replace("wide", "other", 1), whole.replace("8", '"8"'),
                     whole.replace('"cpb"', '"x"'), whole.replace("0.5", "1e-320"),
                     whole.replace('"ghz": 2', '"ghz": 1e-320'), json.dumps({**document, "results": []})):
            run = draw(self.write("cpu.json", text))
            self.assertEqual((run.returncode, run.stdout), (1, ""), text)
        for arguments in (("--study", "esp"), ("-p",), ("--json", "-")):
            self.assertEqual(draw(file, *arguments).returncode, 2)

    def test_help(self):
        run = bench("--help")
        self.assertEqual(run.returncode, 0)
        for raw in ("{", "[", "UINT", "FLOAT", "TEXT", "INT in", "NONNEGATIVE"):
            self.assertNotIn(raw, run.stdout.split("Options:")[-1].split("Examples:")[0])
        self.assertRegex(run.stdout, re.compile(r"^Exit status: 0; 1 .*; 2 usage, .*; 4 ", re.M))

    def test_standard_output_that_fails(self):
        command = [PROGRAM, "bench", "--min-time", "0.001", "-a", "magma", "-m", "ecb", "-k", "portable"]
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 4)
        self.assertEqual(len(run.stderr.splitlines()), 1)
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((run.returncode, run.stderr), (141, ""))

    def test_compare(self):
        self.measured("-a", "magma", "-m", "ecb", "-k", "portable")
        path = os.path.join(self.folder, "result.json")
        compare = os.path.join(SOURCE, "programs", "bench", "compare.py")
        run = subprocess.run([sys.executable, compare, path, path], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("mean 1.000 times", run.stdout)
        for arguments, status in ((["--fail-below", "0.5"], 0), (["--fail-below", "2"], 1)):
            run = subprocess.run([sys.executable, compare, path, path, *arguments], capture_output=True)
            self.assertEqual(run.returncode, status)
        run = subprocess.run([sys.executable, compare, path, compare], capture_output=True)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
