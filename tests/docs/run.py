#!/usr/bin/env python3
"""run.py BUILD CMAKE CC [PAGE...]: runs the commands of the pages with an installed copy.

Blocks of `sh` and `console` are run line by line, in order, each page in an empty directory: every line must end with
0, and print what a `console` block shows below it (… stands for anything). Passphrases are typed on a terminal. Blocks
of `c` are compiled, without a warning, and run, those of OpenSSL with the provider; README's are whole programs, those
of other pages may be statements. A comment above a block names lines that cannot run here, with the reason:

    <!-- not run: needs a GPU -->                  the whole block
    <!-- not run (make|vershina tune): minutes --> its lines that begin so

Such lines are printed and counted, and there may be no more of them than MAX_NOT_RUN. Blocks of `python` are left to
integrations/python/tests. In a man page, the lines of EXAMPLES are run as a block of `sh`; there the comment is roff's:

    .\\" not run (pg_dump): needs PostgreSQL
"""
import fcntl
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_NOT_RUN = 32
PASSPHRASE = b"correct horse battery staple\n"
# Files that a reader has already; a name that ends with / is a directory with a file in it, one with ~ is in the home
# directory, and a number after a colon is a file's length.
FIXTURES = {
    "README.md": ["report.pdf"],
    "README.ru.md": ["report.pdf"],
    "docs/cms.md": ["plain"],
    "docs/sectors.md": ["image"],
    "docs/openssl.md": ["plain"],
    "docs/sealed-files.md": ["report.pdf", "photos/", "src/", "a.txt", "b.txt", "c.txt", "plan.odt"],
    "docs/man/vershina.1": ["plain.txt", "debian.iso"],
    "docs/man/vershina-completion.1": ["~/.config/fish/completions/", "~/.zfunc/"],
    "docs/man/vershina-encrypt.1": ["k.bin:32", "k64.bin:64", "plain.txt", "disk.enc"],
    "docs/man/vershina-hash.1": ["disk.img", "debian.iso", "dir/", "photos/"],
    "docs/man/vershina-inspect.1": ["report.pdf", "office.key:32"],
    "docs/man/vershina-kdf.1": ["k.bin:32", "root.bin:32"],
    "docs/man/vershina-mac.1": ["k.bin:32", "letter.txt", "a.dat", "b.dat"],
    "docs/man/vershina-open.1": ["report.pdf", "photos/", "base", "film.mkv", "a.pdf", "b.pdf", "c.pdf",
                                 "office.key:32", "backup.key:32"],
    "docs/man/vershina-rekey.1": ["report.pdf", "plan.odt", "office.key:32", "bob.key:32"],
    "docs/man/vershina-seal.1": ["report.pdf", "photos/", "plan.odt", "letter.odt", "secret.txt", "a.pdf", "b.pdf",
                                 "c.pdf", "alice.key:32", "bob.key:32"],
    "docs/man/vershina-wrap.1": ["kek.bin:32", "kek64.bin:64", "key.bin:32"],
}
# Commands that a reader has run already.
BEFORE = {
    "docs/man/vershina-inspect.1": "vershina seal -p -k office.key report.pdf",
    "docs/man/vershina-open.1": "vershina seal report.pdf && vershina seal film.mkv && "
                                "vershina seal -k office.key photos a.pdf b.pdf c.pdf && "
                                "vershina seal -k backup.key base -o base.sealed && rm -r *.pdf photos",
    "docs/man/vershina-rekey.1": "vershina seal report.pdf && vershina seal -p -p -k office.key plan.odt",
    "docs/man/vershina-wrap.1": "vershina wrap -a cryptopro --sbox cryptopro-a --kek-file kek.bin "
                                "--iv-hex 0123456789abcdef key.bin -o theirs.wrapped",
}
# Programs needed for a page, and the check for them.
NEEDS = {
    "docs/cms.md": ("OpenSSL with the GOST engine", "openssl dgst -engine gost -md_gost12_256 /dev/null"),
    "docs/openssl.md": ("OpenSSL, and the provider built",
                        "OPENSSL_CONF=/usr/local/share/vershina/provider.cnf openssl dgst -md_gost12_256 /dev/null"),
    "docs/python.md": ("the provider built, and a Python over that OpenSSL",
                       "OPENSSL_CONF=/usr/local/share/vershina/provider.cnf python3 -c "
                       "'import hashlib; hashlib.new(\"md_gost12_256\")'"),
    "docs/man/vershina-inspect.1": ("jq", "jq --version"),
    "docs/man/vershina-tunnel.1": ("a build with vershina-tunnel", "vershina tunnel --help"),
    "docs/tunnel.md": ("a build with vershina-tunnel", "vershina tunnel --help"),
    "docs/man/vershina-tomo.1": ("a build with vershina-tomo", "vershina tomo --help"),
    "docs/tomography.md": ("a build with vershina-tomo", "vershina tomo --help"),
    "docs/man/vershina-disk.1": ("a build with libcryptsetup", "vershina disk --help"),
}
# Before a page's lines. A failure on the left of a pipe is one, too.
PROLOGUE = '''_out=$(dirname "$PWD")
_ended() { [ "$1" -eq 0 ] || { echo "$2 $1" > "$_out/failed"; exit 1; }; }
set -o pipefail
'''
LANGUAGES = {"sh", "console", "c", "python", "text"}
# Text like a command outside any block visible to the test.
HIDDEN_COMMAND = re.compile(r" {4}(vershina|openssl|head|tail|tar|make|cmake|git|pip|cc|sudo|apt|apt-get) ")
NOT_RUN = re.compile(r"<!-- not run(?: \((.*)\))?: (.+) -->")
ROFF_NOT_RUN = re.compile(r'\.\\" not run(?: \((.*)\))?: (.+)')


class Fault(Exception):
    """A fault of a page, with its line."""


class Block:
    def __init__(self, language, first_line, marker):
        self.language, self.first_line, self.marker, self.lines = language, first_line, marker, []


def read_blocks(path):
    """The fenced blocks of a page."""
    blocks, block, marker = [], None, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = re.fullmatch(r"```(\S*)", line)
        if fence and block:
            blocks.append(block)
            block = marker = None
        elif fence:
            if fence[1] not in LANGUAGES:
                raise Fault(f"{number}: a block of {fence[1] or 'no language'}: one of {sorted(LANGUAGES)}")
            block = Block(fence[1], number + 1, marker)
        elif block:
            block.lines.append(line)
        elif HIDDEN_COMMAND.match(line):
            raise Fault(f"{number}: a command outside of a block ```sh, where no test sees it")
        else:
            marker = NOT_RUN.fullmatch(line) or (marker if not line else None)
    return blocks


def read_examples(path):
    """The lines of a man page's EXAMPLES, as blocks of sh."""
    blocks, block, marker, section = [], None, None, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(".Sh "):
            section = line[4:]
        elif section != "EXAMPLES":
            continue
        elif line == ".Bd -literal":
            block = Block("sh", number + 1, marker)
        elif line == ".Ed":
            blocks.append(block)
            block = marker = None
        elif block:
            block.lines.append(of_roff(line, number))
        elif line.startswith(".Dl "):
            blocks.append(Block("sh", number, marker))
            blocks[-1].lines.append(of_roff(line[4:], number))
        else:
            marker = ROFF_NOT_RUN.fullmatch(line) or marker
    return blocks


def of_roff(line, number):
    if line.startswith(".") or re.search(r"\\[^e-]", line):
        raise Fault(f"{number}: of roff, only \\e and \\- are known here")
    return line.replace("\\e", "\\").replace("\\-", "-")


def is_complete(text):
    """Returns whether a shell would not wait for another line."""
    return not text.endswith("\\") and subprocess.run(["bash", "-n", "-c", text], capture_output=True).returncode == 0


def read_commands(block):
    """(number of the line, command, expected output or None) of a block of sh or console."""
    commands, text = [], ""
    for number, line in enumerate(block.lines, block.first_line):
        if block.language == "console" and not text:
            if not line.startswith("$ "):
                commands[-1][2].append(line)
                continue
            line = line[2:]
        if not text and not line.split("#")[0].strip():
            continue
        if not text:
            first = number
        text += line
        if is_complete(text):
            commands.append((first, text, [] if block.language == "console" else None))
            text = ""
        else:
            text += "\n"
    if text:
        raise Fault(f"{first}: not a whole command")
    return commands


class Page:
    def __init__(self, name, installed):
        self.name, self.installed = name, installed
        self.not_run = 0
        self.num_run = 0

    def marked(self, block, number, command):
        if not block.marker or not command.startswith(tuple((block.marker[1] or "").split("|"))):
            return False
        print(f"  not run  {self.name}:{number}: {command.splitlines()[0].split('  #')[0].rstrip()}: {block.marker[2]}")
        self.not_run += 1
        return True

    def run(self):
        """Throws Fault."""
        self.blocks = (read_examples if self.name.endswith(".1") else read_blocks)(ROOT / self.name)
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder) / "page"
            self.folder.mkdir()
            for fixture in FIXTURES.get(self.name, []):
                fixture, _, length = fixture.partition(":")
                path = self.folder / fixture.replace("~", self.installed.environment["HOME"])
                path = path / "file" if fixture.endswith("/") else path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(f"This is {fixture}.\n".encode() * 2**17)
                os.truncate(path, int(length or 2**21))  # whole sectors: one fixture is a disk
            self.run_shell()
            for block in self.blocks:
                if block.language == "c":
                    self.run_c(block)

    def run_shell(self):
        script, expected = "", {}
        # Also mounts of the reader, and world-writable folders.
        places = {"/usr/local": self.installed.prefix, "/media/usb": "$_out", "/tmp": "$_out"}
        for block in self.blocks:
            if block.language not in ("sh", "console"):
                continue
            for number, command, output in read_commands(block):
                if self.marked(block, number, command):
                    continue
                self.num_run += 1
                expected[number] = output
                command = re.sub("|".join(places), lambda place: places[place[0]], command)
                script += f'exec > "$_out/out.{number}"\n{command}\n_ended $? {number}\n'
        if not script:
            return
        if before := BEFORE.get(self.name):
            script = f"{before} > /dev/null\n_ended $? 0\n{script}"
        shown = self.installed.run_on_terminal(["bash", "-c", PROLOGUE + script], self.folder)
        failed = self.folder.parent / "failed"
        if failed.exists():
            number, status = failed.read_text().split()
            raise Fault(f"{number}: exit status {status}\n{shown}")
        for number, lines in expected.items():
            got = (self.folder.parent / f"out.{number}").read_text(errors="replace")
            if lines is None:
                continue
            pattern = "".join(re.escape(line).replace("…", ".*") + "\n" for line in lines)
            if not re.fullmatch(pattern, got):
                raise Fault(f"{number}: the page shows another output than\n{got}")

    def run_c(self, block):
        text = "\n".join(block.lines)
        if self.marked(block, block.first_line, text):
            return
        self.num_run += 1
        source = self.folder / "block.c"
        if "int main(" not in text:  # statements, below the headers that they need
            if Path(self.name).name.startswith("README"):
                raise Fault(f"{block.first_line}: not a whole program, which a reader of README pastes")
            headers = [line for line in block.lines if line.startswith("#include")]
            rest = [line for line in block.lines if not line.startswith("#include")]
            text = "\n".join(headers + ["int main(void) {"] + rest + ["return 0;", "}"])
        source.write_text(text + "\n")
        of_openssl = "#include <openssl/" in text
        flags = self.installed.output(["pkg-config", "--cflags", "--libs",
                                       "libcrypto" if of_openssl else "vershina"]).split()
        environment = dict(self.installed.environment)
        if of_openssl:
            environment["OPENSSL_CONF"] = f"{self.installed.prefix}/share/vershina/provider.cnf"
        for command in ([self.installed.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "block.c", *flags],
                        ["./a.out"]):
            done = subprocess.run(command, cwd=self.folder, env=environment, text=True, capture_output=True)
            if done.returncode != 0 or done.stderr:
                raise Fault(f"{block.first_line}: {command[0]}: {done.returncode}\n{done.stderr}")


class Installed:
    def __init__(self, build, cmake, cc, folder):
        self.cc, self.prefix = cc, str(folder / "prefix")
        subprocess.run([cmake, "--install", build, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)
        lib = next(Path(self.prefix).glob("**/libvershina.so")).parent
        home = folder / "home"
        home.mkdir()
        self.environment = {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(lib),
                            "PKG_CONFIG_PATH": str(lib / "pkgconfig"), "HOME": str(home), "LC_ALL": "C.UTF-8",
                            "TERM": "xterm", "OCL_ICD_VENDORS": "/nonexistent"}  # PoCL would compile for a minute

    def output(self, command):
        return subprocess.run(command, env=self.environment, check=True, text=True, capture_output=True).stdout

    def has(self, command):
        command = command.replace("/usr/local", self.prefix)
        return subprocess.run(["sh", "-c", command], env=self.environment, capture_output=True).returncode == 0

    def run_on_terminal(self, command, folder, seconds=300):
        """Types the passphrase at each prompt. Returns the output of terminal and standard error."""
        ours, theirs = os.openpty()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(command, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stderr=theirs,
                                   preexec_fn=take_terminal)
        os.close(theirs)
        shown, answered, deadline = b"", 0, time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 0.2)[0]:
                continue
            try:
                data = os.read(ours, 4096)
            except OSError:  # the last of them has closed it
                break
            shown += data
            if re.search(rb"assphrase[^\n]*: $", shown[answered:]):
                answered = len(shown)
                os.write(ours, PASSPHRASE)
        else:
            process.kill()
            shown += b"\n(cut off after %d s)" % seconds
        if process.wait() != 0 and not (folder.parent / "failed").exists():
            (folder.parent / "failed").write_text(f"0 {process.returncode}")
        os.close(ours)
        return shown.decode(errors="replace")


def main():
    build, cmake, cc, *names = sys.argv[1:]
    names = names or ["README.md", "README.ru.md"] + sorted(
        str(p.relative_to(ROOT)) for pages in ("*.md", "man/*.1") for p in (ROOT / "docs").glob(pages))
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        print(f"SKIPPED: no pseudo-terminal to type passphrases on: {error}")
        sys.exit(77)
    if not shutil.which("pkg-config"):
        print("SKIPPED: pkg-config is not installed")
        sys.exit(77)
    good, not_run, num_run = True, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        installed = Installed(build, cmake, cc, Path(folder))
        for name in names:
            page = Page(name, installed)
            what, probe = NEEDS.get(name, ("", "true"))
            if not installed.has(probe):
                print(f"SKIPPED {name}: needs {what}")
                continue
            try:
                page.run()
                if page.num_run:
                    print(f"ok  {name}: {page.num_run}")
            except Fault as fault:
                print(f"FAILED {name}:{fault}")
                good = False
            not_run += page.not_run
            num_run += page.num_run
    print(f"{num_run} lines and blocks run, {not_run} not run")
    if not_run > MAX_NOT_RUN:
        print(f"FAILED: no more than {MAX_NOT_RUN} may be marked as not run")
        good = False
    sys.exit(not good)


main()
