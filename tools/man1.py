#!/usr/bin/env python3
"""man1.py OUT: writes the manual pages of section 1 to OUT and OUT/ru, from docs/man and the tables of options.

A page of docs/man is prose. The rest comes from the sources of the programs, which are read and not run, so that a
build for another machine makes the pages too:

    .\\" options [COMMAND[, COMMAND]]: SOURCE...

lists what these sources, below programs/, declare: an option with the text beside it (`manual`), else with that of
--help. SOURCE[--NAME,...] takes these options only, SOURCE[!--NAME,...] all others; VARIABLE=TEXT in the place of a
source gives a variable, from which names are joined there. Options listed before are only named. From the same
declarations come, for each COMMAND of a page,

    .\\" synopsis
    .\\" exit status

and from the library's table of algorithms of tomography, which of these options each reads:

    .\\" algorithms

A Russian page has `.\\" options` alone: the sources are those of the English one, the texts in programs/po/ru.po.

In texts `this` is typed as it stands, CAPITALS are values, and "- `word`: " begins an item of a list.
tests/programs/vershina/command_table_test.cpp holds the pages to the table that the programs have when they run."""
import ast
import re
import sys
import textwrap
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
OPTIONS, SYNOPSIS, EXIT_STATUS = '.\\" options', '.\\" synopsis', '.\\" exit status'
ALGORITHMS = '.\\" algorithms'
STRING = r'"(?:[^"\\\n]|\\.)*"'
STRINGS = rf"(?:{STRING}\s*)+"
TOKEN = re.compile(rf"//[^\n]*|{STRING}|'(?:\\.|[^'\\])'|.", re.DOTALL)
NAMES = re.compile(r"(?:-\w,)?--[a-z][a-z0-9-]*(?:,--[a-z-]+)*|[A-Z][A-Z-]+")
# The word for the value where the function that declares an option chooses it.
TYPES = {"add_number": "N", "add_hex": "HEX", "add_pair": "LOW:HIGH", "add_range": "FIRST:END", "add_names": "NAME",
         "add_bytes": "HEX", "add": "N"}
# Functions that declare one option, with a text of the caller.
OWN = {"add_seconds": "--min-time SECONDS", "add_threads_option": "--threads N", "add_suffix_option": "--suffix SUFFIX"}
RUSSIAN = {"All codes, including 70 and 141, are in": "Все коды, включая 70 и 141, описаны в",
           "options": "параметры", "as above": "как выше", "cone beam": "конический пучок"}


def balanced(text, start):
    """Returns the arguments of a call that opens before `start`, split at their commas, and where it ends."""
    parts, depth, at = [""], 1, start
    while depth:
        token = TOKEN.match(text, at)[0]
        at += len(token)
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(token, 0)
        if token == "," and depth == 1:
            parts.append("")
        elif depth and not token.startswith("//"):
            parts[-1] += token
    return [part.strip() for part in parts], at


def literal(code):
    """Returns the text of adjacent string literals; None for other code."""
    parts = re.findall(STRING, code) if re.fullmatch(STRINGS, code) else None
    return parts and "".join(map(ast.literal_eval, parts))


def joined(code, variables):
    """Returns the text of literals and variables joined by +; None for other code."""
    parts = [literal(part.strip()) if '"' in part else variables.get(part.strip()) for part in code.split("+")]
    return None if None in parts else "".join(parts)


class Option:
    """An option or an operand, from the arguments of the call that declares it and the calls that follow on it."""

    def __init__(self, function, arguments, chain, source, variables):
        self.names = self.type = self.text = None
        for argument in arguments:
            plain = joined(argument, variables) or ""
            if match := re.fullmatch(rf"(?:cli::)?tr\(\s*({STRINGS})\)", argument):
                self.text = literal(match[1])
            elif self.names is None and NAMES.fullmatch(plain):
                self.names = plain.split(",")
            elif self.names and self.type is None and re.fullmatch(r"[A-Z]\S*", plain):
                self.type = plain
            elif self.names and self.type is None and re.fullmatch(rf"\w+ \? {STRING} : {STRING}", argument):
                self.type = "|".join(map(ast.literal_eval, re.findall(STRING, argument)))
        if self.names is None and function in OWN and self.text:
            name, self.type = OWN[function].split()
            self.names = [name]
        self.type = self.type or TYPES.get(function)
        self.has_manual = "manual" in chain
        if self.has_manual:
            self.text = literal(chain["manual"][0])
        self.is_required = "required" in chain
        self.is_operand = bool(self.names) and not self.names[0].startswith("-")
        variable = re.sub(r".*\W", "", arguments[1]) if self.is_operand else "(?!)"
        self.repeats = re.search(rf"(?:Texts|vector<std::string>) [\w, ]*\b{variable}\b", source) is not None

    def key(self):
        return tuple(self.names)


def declared(source, variables):
    """Returns the options that a source declares, and its exit status: [(code, text or None)]."""
    source, _, wanted = source.rstrip("]").partition("[")
    text = (TOP / "programs" / source).read_text(encoding="utf-8")
    options = []
    for call in re.finditer(r"\b(add(?:_\w+)?)\(", text):
        arguments, end = balanced(text, call.end())
        chain = {}
        while following := re.compile(r"\s*->(\w+)\(").match(text, end):
            chain[following[1]], end = balanced(text, following.end())
        option = Option(call[1], arguments, chain, text, variables)
        is_listed = bool(option.names) and option.names[-1] in wanted.strip("!").split(",")
        if option.names and (not wanted or is_listed != wanted.startswith("!")):
            options.append(option)
    codes = []
    for call in re.finditer(r"\bexit_status\(\s*\{", text):
        for code in balanced(text, call.end())[0]:
            words = re.search(rf"tr\(({STRINGS})\)", code)
            codes.append((re.search(r"ExitCode::(\w+)", code)[1], literal(words[1]) if words else None))
    return options, codes


class Words:
    """The texts of a language."""

    def __init__(self, catalogue):
        self.known = dict(RUSSIAN) if catalogue else {}
        for entry in re.split(r"\n\n+", catalogue):
            text = dict(re.findall(rf"^(msgid|msgstr) ({STRINGS})", entry, re.MULTILINE))
            if "msgstr" in text:
                self.known[literal(text["msgid"])] = literal(text["msgstr"])

    def say(self, text):
        return self.known.get(text) or text


def marked(text, types):
    """Sets typed text in bold, and the names of values in italics."""
    def bold(match):
        return "\\fB" + match[1].replace("-", "\\-") + "\\fR"

    text = re.sub(r"`([^`]+)`", bold, text.replace("\\", "\\e"))
    text = re.sub(r"(?<![\w\\-])(--?[a-z][a-z0-9-]*)", bold, text)
    return re.sub(r"(?<![\w./:'-])([A-Z]{2,}(?:[:|-][A-Z]+)*|N)(?![\w-])",
                  lambda at: f"\\fI{at[1]}\\fR" if at[1] in types else at[1], text)


def roff(text, types=()):
    """Returns the lines of a text, each sentence on its own, and each page that it refers to."""
    lines, in_list = [], False
    for paragraph in text.split("\n"):
        if item := re.match(r"- (`[^`]+`(?:, `[^`]+`)*): ", paragraph):
            lines += ([] if in_list else [".Bl -tag -width Ds"]) + [".It " + marked(item[1], types)]
            paragraph, in_list = paragraph[item.end():], True
        elif in_list:
            lines.append(".El")
            in_list = False
        elif lines:
            lines.append(".Pp")
        for sentence in re.split(r"(?<=[.!?])(?<!см\.) +(?=[A-ZА-ЯЁ0-9`-])", paragraph):
            for part in re.split(r" (?=[\w.-]+\(\d\))|(?<=\(\d\))([,.;:)]*) ", sentence):
                if page := re.fullmatch(r"([\w.-]+)\((\d)\)([,.;:)]*)", part or ""):
                    lines.append(" ".join([".Xr", page[1], page[2], *page[3]]))
                elif part and re.fullmatch(r"[,.;:)]+", part):
                    lines[-1] += " " + " ".join(part)
                elif part:
                    lines += textwrap.wrap(marked(part, types), 100, break_long_words=False, break_on_hyphens=False)
    return [re.sub(r"^(?='|\.(?![A-Z][a-z]\b))", r"\\&", line) for line in lines + ([".El"] if in_list else [])]


class Page:
    def __init__(self, lines, words):
        self.lines, self.words = lines, words
        self.commands = []  # (name, its options, its exit status)
        self.lists = {}  # line: (options, those that were listed before)
        listed = set()
        for line in lines:
            if not (match := re.fullmatch(re.escape(OPTIONS) + r"(?: ([\w ,]+))?: (.*)", line)):
                continue
            parts = match[2].split()
            variables = dict(part.split("=") for part in parts if "=" in part)
            options, before, codes, places = {}, [], [], set()
            for source in (part for part in parts if "=" not in part):
                found, status = declared(source, variables)
                codes += status
                for option in found:
                    place = source.partition("[")[0], option.key()
                    if options.setdefault(option.key(), option) is option:
                        before += [option] if place in listed else []
                    places.add(place)
            listed |= places
            self.lists[line] = [option for option in options.values() if option not in before], before
            self.commands += [(name, options.values(), codes) for name in (match[1] or "").split(", ") if name]
        every = [option for fresh, before in self.lists.values() for option in fresh + before]
        self.types = {part for option in every for word in (option.type or "", option.names[0])
                      for part in (word, *re.split(r"[|:]", word))}

    def synopsis(self):
        for number, (name, options, _) in enumerate(self.commands):
            if number and self.words.known:  # mdoc separates them only under its English heading
                yield ".Pp"
            yield from (".Nm vershina", f".Cm {name}", f".Op Ar {self.words.say('options')}")
            for option in options:
                if option.is_required and not option.is_operand:
                    yield f".Fl {option.names[0][1:]} Ar {option.type}"
            for option in options:
                if option.is_operand:
                    word = option.names[0] + (" ..." if option.repeats else "")
                    yield f".Ar {word}" if option.is_required else f".Op Ar {word}"

    def list_of(self, line):
        options, before = ([each for each in part if not each.is_operand] for part in self.lists[line])
        if before:
            yield from roff(", ".join(each.names[-1] for each in before) + f": {self.words.say('as above')}.")
        if options:
            yield ".Bl -tag -width Ds"
        for option in options:
            value = f" Ar {option.type}" if option.type else ""
            yield ".It " + " , ".join(f"Fl {name[1:]}{value}" for name in option.names)
            if not option.text:
                sys.exit(f"man1.py: {option.names[-1]} has no text of its own: give it one with ->manual()")
            text = self.words.say(option.text).rstrip(".") + "."
            yield from roff(text if option.has_manual else text.replace("\n", " "), self.types)
        if options:
            yield ".El"

    def exit_status(self):
        table = (TOP / "programs/common/text/exit_code.hpp").read_text(encoding="utf-8")
        numbers = dict(re.findall(r"^  (\w+) = (\d+)", table, re.MULTILINE))
        yield ".Bl -tag -width 3n"
        for code, text in re.findall(rf"\{{ExitCode::(\w+), mark\({STRING}\), mark\(({STRING})\)\}}", table):
            texts = dict.fromkeys(self.words.say(own or literal(text)) for _, _, codes in self.commands
                                  for which, own in codes if which == code)
            if texts:
                words = "; ".join(each for each in texts if not any(each in other for other in texts if other != each))
                yield from (f".It {numbers[code]}", *roff(words[0].upper() + words[1:] + "."))
        yield from (".El", ".Pp", self.words.say("All codes, including 70 and 141, are in"), ".Xr vershina 1 .")

    def algorithms(self):
        table, program = ((TOP / path).read_text(encoding="utf-8")
                          for path in ("tomography/api/plan.cpp", "programs/tomo/commands/engine.cpp"))
        names = re.findall(r'\{(VSH_TOMO_OPTION_\w+), "(--[\w-]+)"\}', program)
        shared = dict(re.findall(r"constexpr unsigned (\w+) = ([^;]*);", table))
        yield ".Bl -tag -width Ds"
        for of_cone, algorithm, read in re.findall(r"\{(true|false), VSH_TOMO_(\w+), ([^}]*)\}", table):
            beam = f" No ({self.words.say('cone beam')})" if of_cone == "true" else ""
            read = re.sub(r"\w+", lambda at: shared.get(at[0], at[0]), read)
            options = [name for which, name in names if re.search(rf"{which}\b", read)]
            if not options:
                sys.exit(f"man1.py: {algorithm} reads no options: is its table written in another way?")
            yield from (f".It Cm {algorithm.lower()}{beam}", *roff(", ".join(options) + "."))
        yield ".El"

    def text(self):
        made = {SYNOPSIS: self.synopsis, EXIT_STATUS: self.exit_status, ALGORITHMS: self.algorithms}
        lines = []
        for line in self.lines:
            lines += self.list_of(line) if line in self.lists else made[line]() if line in made else [line]
        return "\n".join(lines)


def main(out):
    for folder, catalogue in ((".", ""), ("ru", (TOP / "programs/po/ru.po").read_text(encoding="utf-8"))):
        (out / folder).mkdir(parents=True, exist_ok=True)
        words = Words(catalogue)
        for path in sorted((TOP / "docs/man").glob("*.1")):
            lines = path.read_text(encoding="utf-8").split("\n")
            if catalogue:
                sources = iter([line for line in lines if line.startswith(OPTIONS)])
                lines = [next(sources) if line == OPTIONS else line
                         for line in (TOP / "docs/man/ru" / path.name).read_text(encoding="utf-8").split("\n")]
            (out / folder / path.name).write_text(Page(lines, words).text(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
