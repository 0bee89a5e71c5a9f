#!/usr/bin/env python3
"""commits.py [REPOSITORY [BASE]]: holds the commits after BASE to "Commits" of CONTRIBUTING.md.

A subject of at most 72 characters without ";", a body, and at most 1,000 added lines. Lines do not count that the
same commit removes elsewhere (a move), nor those of files that a program writes (GENERATED). Where the history is not
at hand, as in a released tree or a shallow clone, it says so and ends with 0."""
import collections
import re
import subprocess
import sys

BASE = "4abcc8c7edc62e399503873ab342ab0bf6c4e799"  # the rules hold for what follows it
MOST_COLUMNS, MOST_LINES = 72, 1000
GENERATED = re.compile(r"/generated/|\.(svg|json|png|vec)$|(^|/)programs/po/ru\.po$|symbols$")


def git(top, *words):
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", top, *words], capture_output=True, check=False)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None


def added(top, commit):
    """Returns how many lines a commit adds that it does not take from elsewhere."""
    lines, path = collections.Counter(), ""
    for line in git(top, "show", "-M", "--format=", "--unified=0", "--no-color", commit).split("\n"):
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith(("+", "-")) and not line.startswith("--- ") and line[1:].strip():
            if line[0] == "-" or not GENERATED.search(path):
                lines[line[1:].strip()] += 1 if line[0] == "+" else -1
    return sum(number for number in lines.values() if number > 0)


def faults(top, commit):
    subject, _, body = git(top, "log", "-1", "--format=%B", commit).strip().partition("\n")
    if len(subject) > MOST_COLUMNS:
        yield f"a subject of {len(subject)} characters"
    if ";" in subject:
        yield 'a ";" in the subject'
    if not body.strip():
        yield "no body that says why"
    if (number := added(top, commit)) > MOST_LINES:
        yield f"{number} added lines"


def main(top=".", base=BASE):
    listed = git(top, "rev-list", "--no-merges", f"{base}..HEAD")
    if listed is None:
        print("commits: left out: the history since the rules is not here")
        return 0
    commits = listed.split()
    found = [f"{git(top, 'log', '-1', '--format=%h %s', commit).strip()}: {fault}"
             for commit in commits for fault in faults(top, commit)]
    for fault in found:
        print(f"commits: {fault}", file=sys.stderr)
    print(f"commits: {len(commits)}, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
