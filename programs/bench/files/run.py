#!/usr/bin/env python3
"""Measures what a user waits for: a large file and many small ones through programs that people have.

    programs/bench/files/run.py [--program build/release/vershina] [--size 1000000000] [--files 10000] [--rounds 5]
                                [--folder FOLDER]

Each program runs once before it is timed, and what it does must be right: a hash is that of another program (BLAKE3's
of a published example), what was encrypted comes back byte for byte. Then they are run in turns, A B C A B C, as
processes, from file to file in FOLDER (a new one in the system's temporary directory), in the page cache. Printed are
medians of the wall time. A program that is not installed is named; a wrong result ends the run with exit status 1.
"""
import argparse
import datetime
import hashlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KEY = "8899aabbccddeeff0011223344556677fedcba98765432100123456789abcdef"
IV = "1234567890abcef0"
GOST = "openssl {} -provider gostprov -provider default"
ENC = f"{GOST.format('enc')} -kuznyechik-ctr -K {KEY} -iv {IV}"
OWN_CTR = f"-f -c kuznyechik-ctr -k key --iv-hex {IV}"
EACH = "find tree -type f -print0 | LC_ALL=C sort -z | xargs -0 "
AES = "gpg --batch --pinentry-mode loopback --passphrase-file passphrase --compress-algo none --cipher-algo AES256 "
BLAKE3_OF_ABC = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"
# (program, what it is called, command, command that restores `back`). The programs of a group have one result.
TASKS = {
    "hash of a file": (
        ("vershina", "vershina hash (Streebog-256)", "vershina hash big", ""),
        ("rhash", "rhash (Streebog-256)", "rhash --gost12-256 big", ""),
        ("openssl", "openssl dgst (Streebog-256)", GOST.format("dgst") + " -md_gost12_256 -r big", ""),
        ("sha256sum", "sha256sum", "sha256sum big", ""),
        ("b3sum", "b3sum (BLAKE3)", "b3sum big", "")),
    "encryption of a file": (
        ("vershina", "vershina seal (Kuznyechik-MGM)", "vershina seal -qf -k key big -o out",
         "vershina open -qf -k key out -o back"),
        ("age", "age (ChaCha20-Poly1305)", "age -e -i identity -o out big", "age -d -i identity -o back out"),
        ("gpg", "gpg (AES-256)", AES + "--yes -o out -c big", AES + "--yes -o back -d out"),
        ("vershina", "vershina encrypt (Kuznyechik-CTR)", f"vershina encrypt {OWN_CTR} big -o out",
         f"vershina decrypt {OWN_CTR} out -o back"),
        ("openssl", "openssl enc (Kuznyechik-CTR)", f"{ENC} -in big -out out", f"{ENC} -d -in out -out back")),
    "hashes of small files": (
        ("vershina", "vershina hash -r (Streebog-256)", "vershina hash -r tree", ""),
        ("rhash", "rhash (Streebog-256)", EACH + "rhash --gost12-256", ""),
        ("sha256sum", "sha256sum", EACH + "sha256sum", ""),
        ("b3sum", "b3sum (BLAKE3)", EACH + "b3sum", "")),
    "encryption of small files": (
        ("vershina", "vershina seal (Kuznyechik-MGM)", "vershina seal -qf -k key tree -o out",
         "vershina open -q -k key out -o back"),
        ("age", "tar | age", "tar c tree | age -e -i identity -o out", "age -d -i identity out | tar x -C into"),
        ("gpg", "tar | gpg", f"tar c tree | {AES}--yes -o out -c", f"{AES} -d out | tar x -C into"),
        ("tar", "tar", "tar cf out tree", "tar xf out -C into")),
}


def run(command, folder, program, capture=False):
    """Returns the seconds that it took and what it printed. A failure ends the measurement."""
    environment = dict(os.environ, PATH=f"{os.path.dirname(program)}:{os.environ['PATH']}", GNUPGHOME=f"{folder}/gnupg")
    start = time.monotonic()
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE if capture else subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"run.py: {command}: exit status {done.returncode}\n{done.stderr}")
    return seconds, done.stdout


def make_data(folder, size, files):
    """Pseudo-random, so that nothing compresses, and the same in every run."""
    block = b"".join(hashlib.sha256(i.to_bytes(8, "big")).digest() for i in range(1 << 15))
    with open(f"{folder}/big", "wb") as file:
        for at in range(0, size, len(block)):
            file.write(at.to_bytes(8, "big") + block[8:min(len(block), size - at)])
    os.truncate(f"{folder}/big", size)
    for i in range(files):
        name = f"{folder}/tree/{i % 100:02}/{i:05}"
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(i.to_bytes(8, "big") + block[i % 4096:][:i * 7919 % 20000])
    for name, text in (("key", KEY), ("passphrase", "correct horse")):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o600)
    os.mkdir(f"{folder}/gnupg", 0o700)


def clear(folder):
    """Leaves nothing of the command before."""
    subprocess.run(["rm", "-rf", "back", "into"], cwd=folder, check=True)
    os.mkdir(f"{folder}/into")


def hashes(text):
    """{file: digest} of a list of any of these programs."""
    pairs = (line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != ";")
    return {name.lstrip("*"): digest.lower() for digest, name in pairs}


def right(name, program, command, restore, folder, vershina, known):
    """Whether it does what the others do. known: the digests of an algorithm, of the first program that has it."""
    _, text = run(command, folder, vershina, capture=not restore)
    if restore:
        with open(f"{folder}/out", "rb") as out:
            ciphertext = hashlib.file_digest(out, "sha256").digest()
        if "CTR" in name and known.setdefault("CTR", ciphertext) != ciphertext:
            return False
        run(restore, folder, vershina)
        back = ("big", "back") if "big" in command else \
            ("tree", "back" if os.path.exists(f"{folder}/back") else "into/tree")
        return subprocess.run(["diff", "-rq", *back], cwd=folder).returncode == 0
    if program == "b3sum":
        return run("printf abc | b3sum", folder, vershina, True)[1].split()[0] == BLAKE3_OF_ABC
    found = hashes(text)
    if program == "sha256sum":
        for file, digest in found.items():
            with open(f"{folder}/{file}", "rb") as content:
                if hashlib.file_digest(content, "sha256").hexdigest() != digest:
                    return False
        return bool(found)
    algorithm = name.rsplit("(", 1)[1], command.split()[-1] == "big"
    return found == known.setdefault(algorithm, found)


def measure(options, folder):
    vershina, known, wrong = os.path.realpath(options.program), {}, False
    make_data(folder, options.size, options.files)
    run("age-keygen -o identity" if shutil.which("age") else "true", folder, vershina)
    for title, contenders in TASKS.items():
        print(f"\n{title}: " + (f"{options.size} bytes" if title.endswith("a file") else f"{options.files} files"))
        samples, checked = {}, []
        for program, name, command, restore in contenders:
            clear(folder)
            if program != "vershina" and not shutil.which(program):
                print(f"  {name}: absent, not measured")
            elif program == "openssl" and subprocess.run(["bash", "-c", GOST.format("list")], stderr=subprocess.DEVNULL,
                                                         stdout=subprocess.DEVNULL).returncode:
                print(f"  {name}: absent, no provider gostprov")
            elif not right(name, program, command, restore, folder, vershina, known):
                wrong = True
                print(f"  {name}: WRONG RESULT, not timed")
            else:
                checked.append((name, command, restore))
        for _ in range(options.rounds):
            for name, command, restore in checked:
                clear(folder)
                forth = run(command, folder, vershina)[0]
                samples.setdefault(name, []).append((forth, run(restore, folder, vershina)[0] if restore else None))
        for name, times in samples.items():
            there, back = zip(*times)
            print(f"  {name:34} {statistics.median(there):8.2f} s" +
                  (f", and back {statistics.median(back):8.2f} s" if None not in back else ""), flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/vershina")
    parser.add_argument("--size", type=int, default=10**9)
    parser.add_argument("--files", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder")
    options = parser.parse_args()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in file)}
    print(f"{cpu.get('model name', platform.machine())} (family {cpu.get('cpu family')}, model {cpu.get('model')}), "
          f"{len(os.sched_getaffinity(0))} processors, {datetime.date.today()}; median of {options.rounds} runs")
    with tempfile.TemporaryDirectory(prefix="vershina-files-", dir=options.folder) as folder:
        wrong = measure(options, folder)
        run("gpgconf --kill all" if shutil.which("gpgconf") else "true", folder, options.program)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
