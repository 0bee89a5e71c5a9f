#!/usr/bin/env python3
"""man3.py OUT [HEADER...]: writes the manual pages of section 3 to OUT, from the comments of include/vershina/*.h, but
for those named.

A page for each group of declarations (between two headings of a header), one, vershina(3), for the conventions, and for
every function and type a link to its group's page. The headers say everything once; added are the library, the prefix
of statuses, which the headers leave out, and an example of examples/ or docs/."""
import datetime
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
HEADERS = ("vershina", "aead", "device", "disk", "esp", "keys", "sealed", "tuning", "tomography")
HEADING = re.compile(r"/\* ---- (.*?)[ -]*(?:\*/)?$")
# Pages with an example: a program, or the first block of C of a document.
EXAMPLES = {"vershina-encryption": "examples/encrypt_file.c", "vershina-hashing": "examples/hash.c",
            "vershina-streams": "docs/streams.md", "vershina-whole-messages": "examples/mgm.c",
            "vershina-packets": "examples/packets.c"}
STATUS = re.compile(r"\bVSH_(?:TOMO_)?E_(\w+) =")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"^(?:VSH_(?:TOMO_)?API|static inline) ([^;{]*?)\b(vsh_\w+)\(([^;{]*)\)\s*[;{]",
                      re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"\}\s*(vsh_\w+);|^typedef struct vsh_\w+ (vsh_\w+);", re.MULTILINE)
MACRO = re.compile(r"^#define (VSH_\w+)", re.MULTILINE)
FOR_THE_COMPILER = re.compile(r'#(?!define VSH_(?!(?:TOMO_)?API|VERSION_)\w+ )|extern "C"')


class Entry:
    """A comment, and the declarations that stand below it without a blank line."""

    def __init__(self, comment, code):
        bare = COMMENT.sub("", code)
        self.functions = [(kind.strip(), name, [" ".join(each.split()) for each in arguments.split(",")])
                          for kind, name, arguments in FUNCTION.findall(bare)]
        self.types = [defined or opaque for defined, opaque in TYPE.findall(bare)]
        self.heads = [f"Fn {name}" for _, name, _ in self.functions] + [f"Vt {name}" for name in self.types]
        self.heads += [f"Dv {name}" for name in MACRO.findall(bare)]
        self.text = text_of(comment)
        self.code = code.split("\n") if self.types or MACRO.search(bare) else []
        if self.functions:  # they stand in the synopsis
            self.code = [line for line in self.code if MACRO.match(line)] + \
                        [line for line in self.code if line.startswith("typedef")]
            # A comment behind a function belongs to it, once where several have the same.
            behind = re.findall(r"\b(vsh_\w+)\([^;]*\);\s*/\*\s*(.*?)\s*\*/", code)
            same = len({text for _, text in behind}) == 1
            self.text += [behind[0][1]] if same else [line for name, text in behind for line in (f"{name}: {text}", "")]


def text_of(comment):
    """Returns the lines of a comment without its delimiters and margin."""
    lines = re.sub(r"\s*\*/$", "", re.sub(r"^/\*\s?", "", comment.strip())).split("\n")
    return [re.sub(r"^\s*\*? ?", "", line, count=1).rstrip() if at else line for at, line in enumerate(lines)]


def escaped(line):
    line = line.replace("\\", "\\e")
    return "\\&" + line if line[:1] in (".", "'") else line


def filled(line):
    """mdoc wants each sentence to begin a line."""
    return map(escaped, re.sub(r"([.!?][)\"]?) +", r"\1\n", line.strip()).split("\n"))


def literal(lines):
    return [".Bd -literal", *map(escaped, lines), ".Ed"]


def with_prefix(lines, header):
    """Returns the lines with the names of statuses whole: VSH_E_TAG for TAG. An SPI is also what a packet has."""
    names = set(STATUS.findall((TOP / "include/vershina/vershina.h").read_text(encoding="utf-8"))) - {"SPI"}
    prefix = "VSH_"
    if header == "tomography.h":
        names = set(STATUS.findall((TOP / "include/vershina" / header).read_text(encoding="utf-8")))
        prefix = "VSH_TOMO_"
    status = re.compile(rf"(?<![\w'\"])(?:(OK)|({'|'.join(sorted(names, key=len, reverse=True))}|KERNEL_\*))(?!\w)")
    return [status.sub(lambda at: prefix + (at[1] or "E_" + at[2]), line) for line in lines]


def example(path):
    """Returns the lines of a program, or of a document's first block of C."""
    text = (TOP / path).read_text(encoding="utf-8").rstrip("\n")
    block = re.search(r"^```c\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    return (block[1] if block else text).split("\n")


def roff(lines):
    """Paragraphs are filled; `- ` begins an item; lines that are indented or have columns stay as they are."""
    out, table, in_list = [], [], False
    for line in lines + [""]:
        item = re.match(r" *- +(.*)", line)
        if in_list and not item and not line.startswith("  "):
            out.append(".El")
            in_list = False
        if not item and not in_list and (re.match(r" +\S", line) or re.search(r"\S {2,}\S", line)):
            table.append(line)
            continue
        if table:
            out += literal(table)
            table = []
        if item:
            out += ([] if in_list else [".Bl -dash -compact"]) + [".It", *filled(item[1])]
            in_list = True
        else:
            out += filled(line) if line.strip() else [".Pp"]
    return out[:-1]


def entries_of(lines):
    """Splits a group into entries; what only the compiler needs is left out, and the bodies of functions."""
    body = re.compile(r"^(static inline [^;{]*)\{(?:[^\n]*\}$|.*?^\})", re.DOTALL | re.MULTILINE)
    text = body.sub(r"\1;", "\n".join(lines))
    text = re.sub(r"^(#define.*)\\\n\s*", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"\n{2,}(?=[^\n]*\n*\Z)", "\n\n", text)
    kept = [line for line in text.split("\n") if not FOR_THE_COMPILER.match(line)]
    for part in re.split(r"\n\s*\n|\n(?=/\*)", "\n".join(kept)):
        part = part.strip("\n")
        comment = part[:part.index("*/") + 2] if part.startswith("/*") else ""
        code = part[len(comment):].strip("\n")
        if comment or (code and code != "}"):
            yield Entry(comment, "" if code == "}" else code)


def groups_of(header):
    """Yields the header's first comment, then (title, entries) of each group."""
    lines = header.read_text(encoding="utf-8").split("\n")
    end = next(at for at, line in enumerate(lines) if line.endswith("*/"))
    yield text_of("\n".join(line for line in lines[:end + 1] if "SPDX-" not in line))
    title, group = "", []
    for line in lines[end + 1:]:
        heading = HEADING.match(line)
        if not heading:
            group.append(line)
            continue
        yield title, list(entries_of(group))
        title, group = heading[1], []
    yield title, list(entries_of(group))


def page(name, header, title, intro, entries, others, date, version):
    """Returns the names that the page describes, and its text."""
    functions = [each for entry in entries for each in entry.functions]
    names = [each[1] for each in functions] + [each for entry in entries for each in entry.types] or [name]
    library = "vershina-tomography" if header == "tomography.h" else "vershina"
    # Strings of groff's macros, which else write "BSD Library Functions Manual" and leave no room for a title.
    out = [f".Dd {date}", ".ds doc-volume-operating-system Vershina", ".ds doc-volume-ds-3 C",
           f".Dt {name.upper()} 3", f".Os Vershina {version}", ".Sh NAME"]
    out += [f".Nm {each} ," for each in names[:-1]] + [f".Nm {names[-1]}", f".Nd {title}"]
    out += [".Sh LIBRARY", f"lib{library}:", f".Li cc program.c $(pkg-config --cflags --libs {library})"]
    out += [".Sh SYNOPSIS", f".In vershina/{header}"]
    for kind, function, arguments in functions:
        out += [f'.Ft "{kind}"', f".Fo {function}", *(f'.Fa "{each}"' for each in arguments), ".Fc"]
    out += [".Sh DESCRIPTION", *roff(with_prefix(intro, header))]
    in_list = False
    for entry in entries:
        if not entry.text and not entry.code:
            continue
        if in_list != bool(entry.heads):
            out.append(".Bl -tag -width Ds" if entry.heads else ".El")
            in_list = not in_list
        out += [".It " + " , ".join(entry.heads)] if entry.heads else [".Pp"]
        out += roff(with_prefix(entry.text, header)) + (literal(entry.code) if entry.code else [])
    out += [".El"] if in_list else []
    out += [".Sh EXAMPLES", *literal(example(EXAMPLES[name]))] if name in EXAMPLES else []
    out += [".Sh SEE ALSO", *(f".Xr {each} 3 ," for each in others[:-1]), f".Xr {others[-1]} 3"]
    # No paragraph where mdoc makes one itself.
    out = [line for at, line in enumerate(out)
           if line != ".Pp" or not (out[at - 1].startswith((".Pp", ".Sh", ".Ed", ".El", ".It"))
                                    or out[at + 1].startswith((".Bl", ".Bd", ".Sh", ".It", ".Pp", ".El")))]
    return names, "\n".join(out) + "\n"


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.3"):
        old.unlink()
    changes = (TOP / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \S+, (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    date = datetime.date.fromisoformat(released[1]).strftime("%B %-d, %Y")
    numbers = re.findall(r"#define VSH_VERSION_\w+ (\d+)",
                         (TOP / "include/vershina/vershina.h").read_text(encoding="utf-8"))
    pages = []
    for header in (each for each in HEADERS if each not in sys.argv[2:]):
        intro, *groups = groups_of(TOP / f"include/vershina/{header}.h")
        title = re.sub(r"^Vershina: ", "", re.split(r"[.:](?: |$)", " ".join(intro[:2]), maxsplit=2)[0])
        if header == "vershina":
            pages.append(("vershina", f"{header}.h", "Russian symmetric cryptography: the C interface", intro, []))
            intro = []
        for heading, entries in groups:
            if not any(entry.heads for entry in entries):
                continue
            slug = re.sub(r"[^a-z0-9]+", "-", heading.split(":")[0].lower()).strip("-") or header
            if header == "tomography":  # `Options` and the like: of what, in its own ABI
                slug = f"tomography-{slug}".removesuffix("-tomography")
            pages.append((f"vershina-{slug}", f"{header}.h", (heading or title).split(":")[0], intro, entries))
    for name, header, title, intro, entries in pages:
        others = [each[0] for each in pages if each[0] != name and (each[1] == header or name == "vershina")]
        others = sorted({"vershina", *others} - {name})
        names, text = page(name, header, title, intro, entries, others, date, ".".join(numbers))
        (out / f"{name}.3").write_text(text, encoding="utf-8")
        for each in names:
            if each != name:
                (out / f"{each}.3").write_text(f".so man3/{name}.3\n", encoding="utf-8")


main()
