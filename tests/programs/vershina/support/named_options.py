"""named_options.py BINARY SOURCE_DIR: every option named in a message, a help text, a manual page or a document exists
in the command; commands and options come from the program itself. Prints the others, and ends with 1."""
import pathlib
import re
import subprocess
import sys

binary, source = sys.argv[1], pathlib.Path(sys.argv[2])
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*\b(?!-)")


def candidates(*words):
    command = [binary, "completion", "--candidates", "--", *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0] for line in answer.splitlines()}


PROGRAMS = {"disk", "tunnel", "tomo"}  # with commands of their own; they need not be built
commands = {name: candidates(name, "--") | {"--help"} for name in candidates("") - PROGRAMS}
for program in PROGRAMS:
    try:
        commands[program] = {option for name in candidates(program, "") for option in candidates(program, name, "--")}
    except subprocess.CalledProcessError:
        pass
every = set().union(*commands.values())
problems = []
num = 0


def check(where, option, known):
    global num
    num += 1
    if option not in known:
        problems.append(f"{where}: {option}")


# Messages and help: in a command's own file the options of that command (and of the one that undoes it), in what
# several share those of any; where a text names another command, that one's.
PAIRS = {"encrypt": "decrypt", "wrap": "unwrap"}
FOREIGN = {"--exclude", "--bsd", "--device-trial"}  # of tar and rhash; how the program starts itself
INFORMATION = {"devices", "kernels"}  # what they say is about the options of others
for path in sorted([*source.glob("programs/common/*/*.cpp"), *source.glob("programs/vershina/**/*.cpp"),
                    source / "programs/bench/command.cpp", *source.glob("programs/bench/tune/*.cpp")]):
    text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
    raw = re.compile(r'R"(?:text)?\((.*?)\)(?:text)?"', flags=re.S)
    literals = raw.findall(text) + re.findall(r'"((?:[^"\\\n]|\\.)*)"', raw.sub("", text))
    own = re.match(r"(\w+?)(?:_check)?\.cpp", path.name) if path.parent.name == "commands" else None
    name = path.parent.name if path.parent.name in ("bench", "tune") else own.group(1) if own else None
    if path.name == "tomography.cpp":  # `vershina tomo tune`
        name = "tomo"
    known = set(every)
    if name in commands and name not in INFORMATION:
        known = commands[name] | commands.get(PAIRS.get(name), set())
    for literal in literals:
        for line in literal.splitlines():
            others = [commands[other] for other in re.findall(r"vershina ([a-z]+)", line) if other in commands]
            for option in OPTION.findall(line):
                if option not in FOREIGN:
                    check(f"{path.name}: {line.strip()[:60]}", option, known.union(*others))

# Command lines in documents: up to what ends the command.
for path in [*source.glob("docs/*.md"), *source.glob("README*.md"), *source.glob("integrations/*/README.md"),
             source / "SECURITY.md", *source.glob("docs/man/*.1")]:
    text = path.read_text().replace("\\e\n", " ").replace("\\\n", " ")
    for line in text.splitlines():
        for name, rest in re.findall(r"\bvershina ([a-z]+)((?:(?!\bvershina\b)[^|;&`#])*)", line):
            for option in OPTION.findall(rest) if name in commands else []:
                check(f"{path.name}: {line.strip()[:60]}", option, commands[name])

# Manual pages: `.Fl -name` of a command's page.
for path in sorted(source.glob("docs/man/vershina-*.1")):
    name = path.stem.removeprefix("vershina-")
    known = commands.get(name, set()) | commands.get(PAIRS.get(name), set())
    for line in path.read_text().splitlines():
        if name in commands and name not in INFORMATION and not re.search(r"openssl|vershina ", line):
            for option in re.findall(r"\bFl (-[a-z][a-z0-9-]*)", line):
                check(f"{path.name}: {line}", "-" + option, known | commands["hash"] if name == "hash" else known)

print("\n".join(problems) or f"{num} options named, all of them there")
sys.exit(1 if problems or num < 300 else 0)
