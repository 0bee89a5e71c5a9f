#!/usr/bin/env python3
"""Cycles per byte of a kernel on unavailable processors, by llvm-mca.

    tools/mca.py kuznyechik avx512 [--compiler g++] [--operation encrypt] [--cpus skylake-avx512,znver4]

The number of runs of each basic block of a pass is known because of constant time: no branch depends on data. So the
compiler's assembly is used twice. In the first copy every vector instruction is deleted and every block counts its
runs; the rest follows the same path as the whole, and runs on any x86-64, for any target of the kernel. The second copy
is cut into blocks for llvm-mca, and the cycles of each are multiplied by its count.

The model ignores caches, store-to-load forwarding, and the overlap of successive blocks. It treats each block as a
loop: correct for long straight-line code, too high for one-block kernels, where the core overlaps a message's
independent blocks. Kernels named `tables` are modelled as if every look-up hit the first-level cache.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPUS = "haswell,skylake-avx512,icelake-server,sapphirerapids,znver3,znver4,znver5"
WITHOUT = {"avx512": {"haswell", "znver3"}, "gfni": {"haswell", "skylake-avx512", "znver3"}}
PASSES = 4
COVERED = 0.998  # of all executed instructions; the rest is set-up and would only take time

VECTOR = re.compile(r"%[xyz]mm|%k[0-7]\b|^\s*v[a-z]")
ENDS_BLOCK = re.compile(r"^\s*(j[a-z]+|call[q]?|ret[q]?)\b")
CALL = re.compile(r"^\s*(call[q]?|ret[q]?)\b")
LABEL = re.compile(r"^([.\w$]+):")
COUNT = """\tmovq %rax, vsh_mca_kept(%rip)
\tmovq vsh_mca_count+{at}(%rip), %rax
\tleaq 1(%rax), %rax
\tmovq %rax, vsh_mca_count+{at}(%rip)
\tmovq vsh_mca_kept(%rip), %rax
"""

# Runs PASSES passes of the row and prints the counters.
DRIVER = """
#include <cstdio>
#include <cstring>
#include "core/kernel.hpp"
extern "C" { unsigned long vsh_mca_count[%(blocks)d], vsh_mca_kept; }
namespace vsh { extern const %(type)s vsh_kernel_%(family)s_%(variant)s; }
alignas(64) static unsigned char keys[1 << 16], schedule[1 << 20], in[1 << 20], out[1 << 20];
int main() {
  const auto& row = vsh::vsh_kernel_%(family)s_%(variant)s;
  %(prepare)s
  std::memset(vsh_mca_count, 0, sizeof vsh_mca_count);
  %(run)s
  std::printf("%%u %%u\\n", row.info.lanes, %(block_size)s);
  for (const unsigned long count : vsh_mca_count) std::printf("%%lu\\n", count);
}
"""


def fail(message):
    sys.exit(f"mca.py: {message}")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        fail(f"{' '.join(command[:4])} …: status {done.returncode}\n{done.stderr[:2000]}")
    return done.stdout


def lines_of(name, pattern):
    with open(os.path.join(ROOT, "src", name), encoding="utf-8") as file:
        return re.findall(pattern, file.read(), re.M)


def kernel_row(family, variant):
    """Kind (BLOCK or HASH), isa tag and its compiler flags."""
    for kind, row_family, row_variant, tag in lines_of("kernels.def", r"^VSH_(\w+)_KERNEL\((\w+), (\w+), (\w+)\)"):
        if (row_family, row_variant) == (family, variant):
            flags = dict(lines_of("isa.def", r'^VSH_ISA\((\w+), [^,]*, "([^"]*)"'))
            return kind, tag, flags[tag].split()
    fail(f"src/kernels.def has no kernel {family} {variant}")


def split(assembly):
    """Lines, each with the number of its block; None for lines without an instruction."""
    numbered, blocks, new = [], 0, True
    for line in assembly.splitlines():
        if LABEL.match(line):
            new = True
            numbered.append((line, None))
            continue
        text = line.split("#")[0]
        if not text.strip() or text.strip().startswith("."):
            numbered.append((line, None))
            continue
        if new:
            blocks += 1
        new = bool(ENDS_BLOCK.match(text))
        numbered.append((text, blocks - 1))
    return numbered, blocks


def counts_of(arguments, kind, numbered, blocks, folder):
    """Blocks a pass, bytes a block and how often each basic block runs in one pass."""
    counting, last = [], None
    for line, block in numbered:
        if block is not None and block != last:
            counting.append(COUNT.format(at=8 * block))
        last = block if block is not None else last
        if block is None or not VECTOR.search(line):
            counting.append(line + "\n")
    block_kernel = kind == "BLOCK"
    operation = arguments.operation
    more = ", in" if operation == "ctr" else ""
    driver = DRIVER % {
        "blocks": blocks, "family": arguments.family, "variant": arguments.variant,
        "type": "BlockKernel" if block_kernel else "HashKernel",
        "prepare": "row.prepare(schedule, keys);" if block_kernel else "",
        "run": f"row.{operation}(schedule, out, in, {PASSES} * row.info.lanes{more});" if block_kernel else
               f"row.absorb(reinterpret_cast<vsh::streebog::State*>(schedule), in, {PASSES});",
        "block_size": "unsigned(row.block_size)" if block_kernel else "64u",
    }
    names = {"counting.s": "".join(counting), "driver.cpp": driver}
    for name, text in names.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    program = os.path.join(folder, "counting")
    run([arguments.compiler, "-std=c++20", "-O1", "-I", os.path.join(ROOT, "src"), "-no-pie", "-o", program,
         os.path.join(folder, "driver.cpp"), os.path.join(folder, "counting.s"),
         os.path.join(ROOT, "src/core/wipe.cpp"), os.path.join(ROOT, "src/core/cpu.cpp")])
    first, *rest = run([program], timeout=60).splitlines()
    lanes, block_size = map(int, first.split())
    return lanes * block_size, [int(count) / PASSES for count in rest]


def hot_blocks(numbered, counts):
    """(count, instructions) of the blocks that matter, the busiest first."""
    bodies = {}
    for line, block in numbered:
        if block is not None and not CALL.match(line):
            bodies.setdefault(block, []).append(line)
    busy = sorted(((counts[b], body) for b, body in bodies.items() if counts[b] > 0),
                  key=lambda item: -item[0] * len(item[1]))
    total = sum(count * len(body) for count, body in busy)
    hot, covered = [], 0
    for count, body in busy:
        hot.append((count, body))
        covered += count * len(body)
        if covered >= COVERED * total:
            break
    return hot, total / covered


def model(mca, cpu, body):
    """Returns cycles and uops of one run of a block, and for each instruction whether it loads and stores."""
    iterations = max(10, 20000 // len(body))
    text = run([mca, f"-mcpu={cpu}", f"-iterations={iterations}", "-instruction-info", "-resource-pressure=0"],
               input="\n".join(body) + "\n")
    value = {name: int(re.search(rf"^{name}:\s+(\d+)", text, re.M).group(1)) for name in ("Total Cycles", "Total uOps")}
    table = text.split("Instructions:\n", 1)[1]
    flags = [("*" in line[20:26], "*" in line[26:33]) for line in table.splitlines() if line.strip()]
    return value["Total Cycles"] / iterations, value["Total uOps"] / iterations, flags


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=("kuznyechik", "magma", "streebog"))
    parser.add_argument("variant")
    parser.add_argument("--compiler", default="g++", help="g++ (default), clang++ …")
    parser.add_argument("--operation", default="encrypt", choices=("encrypt", "decrypt", "ctr"))
    parser.add_argument("--cpus", default=CPUS, help=f"default {CPUS}, less those that lack the instructions")
    parser.add_argument("--mca", default="", help="llvm-mca; default: the newest of llvm-mca-19 and llvm-mca")
    arguments = parser.parse_args()
    mca = arguments.mca or shutil.which("llvm-mca-19") or shutil.which("llvm-mca")
    if not mca:
        fail("llvm-mca not found; tools/setup.sh model installs it")
    kind, tag, flags = kernel_row(arguments.family, arguments.variant)

    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(ROOT, "src", arguments.family, f"kernel_{arguments.variant}.cpp")
        # As in cmake/library.cmake, except the stack protector, which is ignored here.
        assembly = run([arguments.compiler, "-std=c++20", "-O3", "-fno-stack-protector", *flags, "-I",
                        os.path.join(ROOT, "src"), "-S", "-o", "-", source])
        numbered, blocks = split(assembly)
        size, counts = counts_of(arguments, kind, numbered, blocks, folder)
    hot, scale = hot_blocks(numbered, counts)

    version = run([arguments.compiler, "--version"]).splitlines()[0]
    operation = arguments.operation if kind == "BLOCK" else "absorb"
    mca_version = run([mca, "--version"]).split("version ")[1].split()[0]
    print(f"{arguments.family} {arguments.variant}, {operation}: {size} bytes a pass; {version}; "
          f"llvm-mca {mca_version}")
    print(f"{'CPU':16} {'c/B':>7} {'cycles':>9} {'uops':>9} {'uops/B':>7} {'loads':>8} {'stores':>8} "
          f"{'stack loads':>11} {'stack stores':>12}   (on the stack: spilled vectors, planes)")
    for cpu in arguments.cpus.split(","):
        lacking = [word for word, cpus in WITHOUT.items() if word in tag and cpu in cpus]
        if lacking:
            print(f"{cpu:16} has no {lacking[0]}")
            continue
        sums = dict.fromkeys(("cycles", "uops", "loads", "stores", "stack_loads", "stack_stores"), 0)
        for count, body in hot:
            cycles, uops, info = model(mca, cpu, body)
            sums["cycles"] += count * cycles
            sums["uops"] += count * uops
            for line, (load, store) in zip(body, info):
                on_stack = bool(re.search(r"\(%r[sb]p", line) and VECTOR.search(line))
                for name, counts_it in (("loads", load), ("stores", store), ("stack_loads", load and on_stack),
                                        ("stack_stores", store and on_stack)):
                    sums[name] += count * counts_it
        total = {name: scale * value for name, value in sums.items()}
        print(f"{cpu:16} {total['cycles'] / size:7.2f} {total['cycles']:9.0f} {total['uops']:9.0f} "
              f"{total['uops'] / size:7.2f} {total['loads']:8.0f} {total['stores']:8.0f} "
              f"{total['stack_loads']:11.0f} {total['stack_stores']:12.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
