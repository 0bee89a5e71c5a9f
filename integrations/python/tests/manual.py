"""docs/python.md as a program: its blocks of Python run one after the other, with one set of names."""

from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


def blocks():
    """(heading, number of the first line, text) of each block."""
    heading, start, lines = "", 0, PAGE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            heading = line[3:]
        elif line == "```python":
            start = number + 1
        elif line == "```" and start:
            yield heading, start, "\n".join(lines[start - 1 : number - 1])
            start = 0


def run(without, setups, names):
    """Runs the page except the sections `without`; setups: code that a section needs besides the page."""
    done = []
    for heading, line, text in blocks():
        if heading in without:
            print(f"not run: line {line}, {heading}: {without[heading]}")
            continue
        if heading in setups and heading not in done:
            print(f"before line {line}, {heading}: {setups[heading]}")
            exec(setups[heading], names)
        exec(compile("\n" * (line - 1) + text, PAGE.name, "exec"), names)
        done.append(heading)
    return done
