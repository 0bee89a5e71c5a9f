#!/usr/bin/env python3
"""Compiles every device program for NVIDIA's architectures and reads the machine code, on a machine without a GPU:

- registers, stack, spills and size of each kernel; instructions that a thread executes, for a byte, pipe by pipe;
- no branch, address or time that depends on secrets (secrets_flow.py);
- the bounds below; and that the note's tables equal the compiler's current output.

    check.py PROGRAMS NOTE [--write] [--all]

PROGRAMS: generated/gpu_programs.inc of a build. --write renews the tables. --all: every parameter set for every
architecture; else more sets for REFERENCE than for the others.
"""

import argparse
import concurrent.futures
import gc
import os
import re
import sys
import time

import compiler
import figures
import programs
import secrets_flow

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100")
REFERENCE = "sm_90"  # the H200's

# Instructions of the integer and logic pipe (LOP3 and its like) a byte. User-defined S-boxes take a slower path.
BOUNDS = {"magma": 26, "kuznyechik": 85}
CUSTOM = "-DVSH_SBOX=9"
MAY_USE_STACK = {"streebog"}


def compile_and_read(name, text, parameters, architecture):
    """Figures of every kernel of a program. Runs in a separate process."""
    program = programs.Program(name, text)
    definitions = parameters.split()
    cubin = compiler.Cubin(text, architecture, definitions)
    arguments = program.kernels(definitions)
    found = []
    for function in cubin.functions():
        leaks = secrets_flow.Flow(function).leaks()
        found.append(figures.measure(
            name, parameters, function, architecture, cubin.resources[function.name], arguments[function.name],
            programs.numbers(name, parameters, function.name), [f"{one} ({reason})" for one, reason in leaks]))
    return sorted(found, key=lambda f: list(arguments).index(f.kernel))


def all_figures(texts, architectures, everything, jobs):
    plan = [(name, text.text, parameters, architecture)
            for name, text in texts.items() for architecture in architectures
            for parameters in (programs.parameters(name, everything) if everything or architecture == REFERENCE
                               else programs.MAIN[name])]
    plan.sort(key=lambda job: -len(job[1]))  # long ones first
    with concurrent.futures.ProcessPoolExecutor(jobs, initializer=gc.disable) as pool:  # little is garbage
        results = list(pool.map(compile_and_read, *zip(*plan)))
    order = {(name, p): i for i, (name, p) in enumerate(
        (name, p) for name in programs.MAIN for p in programs.parameters(name, everything))}
    return sorted((f for kernels in results for f in kernels), key=lambda f: order[f.program, f.parameters])


def problems(found):
    for f in found:
        where = f"{f.program} {f.parameters} {f.kernel} for {f.architecture}"
        if (f.stack or f.spills) and f.program not in MAY_USE_STACK:
            yield f"{where}: {f.stack} bytes of stack, {f.spills} of spills"
        bound = BOUNDS.get(f.program)
        if bound and CUSTOM not in f.parameters and f.per_byte("alu") > bound:
            yield f"{where}: {f.per_byte('alu'):.1f} instructions a byte, at most {bound}"
        for leak in f.leaks[:5]:
            yield f"{where}: {leak}"


def short(parameters):
    """"-DVSH_SBOX=1 -DVSH_GOST28147=0" to "SBOX=1 GOST28147=0"."""
    return parameters.replace("-DVSH_", "")


def reference_table(found):
    yield ("| program | parameters | kernel | registers | groups | code, KiB | LOP3 | all of its pipe | IMAD's pipe | "
           "memory | issued | model, GB/s | limit |")
    yield "| --- | --- | --- | " + "--- | " * 10
    for f in found:
        if f.architecture != REFERENCE or f.parameters not in programs.MAIN[f.program]:
            continue
        rate, limit = f.model()
        pipes = [f"{f.per_byte(p):.2f}" for p in ("LOP3", "alu", "fma", "memory")] + [
            f"{f.issued() / f.num_bytes:.2f}" if f.num_bytes else ""]
        model = [f"{rate / 1e9:.0f}", limit]
        yield (f"| {f.program} | {short(f.parameters)} | {f.kernel} | {f.registers} | {f.groups} | "
               f"{f.code / 1024:.1f} | {' | '.join(pipes + model if f.num_bytes else [''] * 7)} |")


def architectures_table(found):
    yield "| program | parameters | kernel | " + " | ".join(
        f"{a}: registers | stack | a byte" for a in ARCHITECTURES) + " |"
    yield "| --- | --- | --- | " + "--- | " * 3 * len(ARCHITECTURES)
    rows = {}
    for f in found:
        if f.parameters in programs.MAIN[f.program]:
            rows.setdefault((f.program, f.parameters, f.kernel), {})[f.architecture] = f
    for (program, parameters, kernel), row in rows.items():
        cells = [f"{row[a].registers} | {row[a].stack} | {row[a].per_byte('alu'):.1f}" for a in ARCHITECTURES]
        yield f"| {program} | {short(parameters)} | {kernel} | {' | '.join(cells)} |"


def sets_table(found):
    yield "| program | parameters | registers | stack | LOP3 and its like a byte |"
    yield "| --- | --- | --- | --- | --- |"
    for name in programs.MAIN:
        for parameters in programs.parameters(name):
            kernels = [f for f in found if (f.program, f.parameters, f.architecture) == (name, parameters, REFERENCE)]
            if parameters in programs.MAIN[name] or not kernels:
                continue
            span = lambda values: f"{min(values)} to {max(values)}" if min(values) != max(values) else f"{min(values)}"
            costs = [round(f.per_byte("alu"), 1) for f in kernels if f.num_bytes]
            yield (f"| {name} | {short(parameters)} | {span([f.registers for f in kernels])} | "
                   f"{span([f.stack for f in kernels])} | {span(costs) if costs else ''} |")


TABLES = {"reference": reference_table, "architectures": architectures_table, "sets": sets_table}


def renewed(note, tables):
    """The note with the tables between its marks, "<!-- NAME -->" and "<!-- end -->"."""
    for name, lines in tables.items():
        mark = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        if not re.search(mark, note, re.S):
            raise SystemExit(f"the note has no place for the table {name}")
        note = re.sub(mark, lambda m, text="\n".join(lines): f"{m[1]}{text}\n{m[2]}", note, count=1, flags=re.S)
    return note


def main():
    options = argparse.ArgumentParser()
    options.add_argument("programs")
    options.add_argument("note")
    options.add_argument("--write", action="store_true")
    options.add_argument("--all", action="store_true")
    options = options.parse_args()
    start = time.monotonic()
    texts = programs.read(options.programs)
    if set(texts) != set(programs.MAIN):
        sys.exit(f"programs.py does not know these programs, or they are gone: {set(texts) ^ set(programs.MAIN)}")
    found = all_figures(texts, ARCHITECTURES, options.all, len(os.sched_getaffinity(0)))
    tables = {"compiler": [f"{compiler.version()}, {', '.join(ARCHITECTURES)}"],
              **{name: list(make(found)) for name, make in TABLES.items()}}
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    bad = list(problems(found))
    with open(options.note, encoding="utf-8") as file:
        note = file.read()
    fresh = renewed(note, tables)
    if options.write:
        with open(options.note, "w", encoding="utf-8") as file:
            file.write(fresh)
    elif fresh != note:
        bad.append(f"{options.note} has other figures: tools/gpu-static/run.sh write BUILD renews it")
    for problem in bad:
        print(f"FAILED: {problem}")
    kernels = len({(f.program, f.kernel) for f in found})
    print(f"{kernels} kernels, {len(found)} times compiled and read in {time.monotonic() - start:.0f} s; "
          f"{len(bad)} problems")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
