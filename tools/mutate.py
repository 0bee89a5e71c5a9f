#!/usr/bin/env python3
"""Breaks the promises of mutants.toml, one at a time, and looks whether the tests named there fail.

Usage: mutate.py check              each mutant's old text is in its file exactly once
       mutate.py run FOLDER [WORD]  all, or those whose promise, file or test has WORD; in a copy of the tree in FOLDER

A mutant is caught if one of its tests fails. A test that only waits until its time is over says nothing of the cause,
a mutant that does not build shows nothing, nor does a test that fails without it: these are not caught. Mutants whose
tests are skipped here are named and counted. Exit status: 0, or 1 if one was not caught or cannot be applied.
"""
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_SECONDS = 300  # of the tests of a mutant


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read_mutants(top):
    """Returns the mutants; prints what is wrong with them."""
    with open(os.path.join(top, "tools", "mutants.toml"), "rb") as file:
        mutants = tomllib.load(file)["mutant"]
    faults = 0
    for mutant in mutants:
        path = os.path.join(top, mutant["file"])
        count = read(path).count(mutant["old"]) if os.path.isfile(path) else 0
        if count != 1 or mutant["old"] == mutant["new"] or not mutant["tests"]:
            print(f"mutants.toml: {mutant['file']} has {count} times, and not once: {mutant['old']}", file=sys.stderr)
            faults += 1
    return mutants, faults


def targets(mutants):
    names = set()
    for mutant in mutants:
        names.update(mutant.get("build", ["tests_" + test.split(".")[0] for test in mutant["tests"]]))
    return sorted(names)


class Tree:
    """A copy of the sources, and its build."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.source = os.path.join(self.folder, "tree")
        self.build_folder = os.path.join(self.folder, "build")
        for name in subprocess.run(["git", "-C", TOP, "ls-files", "-z"], check=True, capture_output=True,
                                   text=True).stdout.split("\0"):
            self.copy(name)
        self.run("cmake", "-G", "Ninja", "-S", self.source, "-B", self.build_folder, "-DCMAKE_BUILD_TYPE=Release",
                 "-DVSH_BUILD_TESTS=ON", "-DVSH_UNITE=OFF", check=True)

    def copy(self, name):
        """Files that are the same stay, so that an earlier run's objects serve."""
        source, target = os.path.join(TOP, name), os.path.join(self.source, name)
        if not os.path.isfile(source):
            return
        with open(source, "rb") as file:
            text = file.read()
        if os.path.isfile(target):
            with open(target, "rb") as file:
                if file.read() == text:
                    return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)

    def run(self, *words, check=False):
        with open(os.path.join(self.folder, "log"), "a", encoding="utf-8") as log:
            return subprocess.run(words, stdout=log, stderr=log, check=check).returncode

    def build(self, names):
        jobs = os.environ.get("JOBS") or str(os.cpu_count())
        return not names or self.run("cmake", "--build", self.build_folder, "-j", jobs, "--target", *names) == 0

    def test(self, names, seconds=None):
        """Returns {test: "passed", "failed", "hung", "skipped" or, if the build has none of that name, "absent"}."""
        results = os.path.join(self.folder, "junit.xml")
        pattern = "^(" + "|".join(name.replace(".", "\\.") for name in names) + ")$"
        with open(os.path.join(self.folder, "log"), "a", encoding="utf-8") as log:
            ctest = subprocess.Popen(["ctest", "--test-dir", self.build_folder, "-R", pattern, "--output-on-failure",
                                      "--output-junit", results], stdout=log, stderr=log, start_new_session=True)
            try:
                ctest.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(ctest.pid, signal.SIGKILL)
                ctest.wait()
                return dict.fromkeys(names, "hung")
        verdicts = dict.fromkeys(names, "absent")
        for case in xml.etree.ElementTree.parse(results).iter("testcase"):
            if case.get("name") not in verdicts:  # a fixture, whose failure says nothing of the promise
                continue
            if case.find("failure") is not None:
                verdicts[case.get("name")] = "failed"
            else:
                verdicts[case.get("name")] = "passed" if case.get("status") == "run" else "skipped"
        return verdicts


def verdict_of(tree, mutant):
    path = os.path.join(tree.source, mutant["file"])
    text = read(path)
    write(path, text.replace(mutant["old"], mutant["new"]))
    try:
        if not tree.build(targets([mutant])):
            return "DOES NOT BUILD"
        verdicts = tree.test(mutant["tests"], MOST_SECONDS).values()
    finally:
        write(path, text)
    return "caught" if "failed" in verdicts else "HUNG" if "hung" in verdicts else "SURVIVED"


def run(folder, word=""):
    mutants, faults = read_mutants(TOP)
    mutants = [m for m in mutants if any(word in text for text in (m["promise"], m["file"], *m["tests"]))]
    tree = Tree(folder)
    if not tree.build(targets(mutants)):
        sys.exit(f"the tree does not build: {tree.folder}/log")
    before = tree.test(sorted({test for mutant in mutants for test in mutant["tests"]}))
    counts = {}
    for mutant in mutants:
        begin = time.monotonic()
        states = {before[test] for test in mutant["tests"]}
        verdict = ("FAILS WITHOUT IT" if "failed" in states else "skipped" if "skipped" in states
                   else verdict_of(tree, mutant))
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict}: {mutant['promise']} ({mutant['file']}; {', '.join(mutant['tests'])}; "
              f"{time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{len(mutants)} mutants: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if faults or set(counts) - {"caught", "skipped"} else 0


def main(arguments):
    if arguments[:1] == ["run"] and len(arguments) in (2, 3):
        return run(*arguments[1:])
    if arguments[:1] == ["check"] and len(arguments) < 3:
        return 1 if read_mutants(arguments[1] if len(arguments) == 2 else TOP)[1] else 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
