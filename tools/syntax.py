#!/usr/bin/env python3
"""Reads every source of the build, tests too, with a compiler that writes no code, and without precompiled headers.

Usage: syntax.py FOLDER C_COMPILER C++_COMPILER [FLAG...]

FOLDER is configured first. Flags are added for C++. Fails on an error; warnings are printed.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import time

# Code and debugging are not made; the warnings of _FORTIFY_SOURCE need optimisation.
LEFT_OUT = ("-O", "-D_FORTIFY_SOURCE", "-g")


def read(entry, flags):
    """Returns the exit status and what the compiler says of one file."""
    words = [word for word in shlex.split(entry["command"]) if not word.startswith(LEFT_OUT)]
    output = words.index("-o")
    words[output:output + 2] = ["-fsyntax-only", *(flags if entry["file"].endswith("pp") else ())]
    run = subprocess.run(words, cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.returncode, run.stdout


def main(folder, c_compiler, cxx_compiler, *flags):
    start = time.monotonic()
    top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    subprocess.run(["cmake", "--fresh", "-G", "Ninja", "-S", top, "-B", folder, "--log-level=WARNING",
                    "-DCMAKE_BUILD_TYPE=Release", "-DVSH_BUILD_TESTS=ON", "-DVSH_UNITE=OFF",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON",
                    f"-DCMAKE_C_COMPILER={c_compiler}", f"-DCMAKE_CXX_COMPILER={cxx_compiler}"],
                   check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}  # once each
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        for status, said in pool.map(read, entries.values(), [flags] * len(entries)):
            print(said, end="", flush=True)
            failed += status != 0
    print(f"{cxx_compiler} {' '.join(flags)}: {len(entries)} sources, {failed} with errors, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed or len(entries) < 500 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
