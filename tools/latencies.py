#!/usr/bin/env python3
"""Latencies and rates of the vector instructions that kernels for AVX-512, VBMI and GFNI are made of.

    tools/latencies.py [--compiler cc]

Core cycles are counted by a chain of dependent additions just before and just after each sample: virtual machines hide
the cycle counter, and the clock changes with the load of the neighbours. A sample counts if both chains took the same
time within 2 %; medians are printed, with the number of samples that counted. Latency: one chain through the operand
named, or through the instructions named. Cycles: for one of many side by side, or for all of a mixture, which shows
what shares a port.
"""
import argparse
import os
import subprocess
import sys
import tempfile

# D: the register of the chain; A, B: others; M: memory. Intel's order of operands.
LATENCIES = {
    "vpermb, index": "vpermb D, D, A",
    "vpermb, table": "vpermb D, A, D",
    "vpermi2b, index": "vpermi2b D, A, B",
    "vpermt2b, table": "vpermt2b D, A, B",
    "vpshufb, index": "vpshufb D, A, D",
    "vgf2p8affineqb, bytes": "vgf2p8affineqb D, D, A, 0",
    "vgf2p8affineqb, matrix": "vgf2p8affineqb D, A, D, 0",
    "vgf2p8mulb": "vgf2p8mulb D, D, A",
    "vpternlogq": "vpternlogq D, A, B, 0x96",
    "vpaddd": "vpaddd D, D, A",
    "vprold": "vprold D, D, 11",
    "vpsrld": "vpsrld D, D, 4",
    "vpunpcklbw": "vpunpcklbw D, D, A",
    "vpshufd": "vpshufd D, D, 0x4e",
    "vpermd": "vpermd D, A, D",
    "vshufi64x2": "vshufi64x2 D, D, D, 1",
    "vpmovb2m + vpmovm2b": "vpmovb2m k2, D; vpmovm2b D, k2",
    "vpmovb2m + vpblendmb": "vpmovb2m k2, D; vpblendmb D{k2}, A, B",
    "vptestmb + vpmovm2b": "vptestmb k2, D, A; vpmovm2b D, k2",
}
RATES = [
    "vpermb D, A, B",
    "vpermb D{k1}, A, B",
    "vpermi2b D, A, B",
    "vpshufb D, A, B",
    "vgf2p8affineqb D, A, B, 0",
    "vgf2p8affineqb D, A, M, 0",
    "vgf2p8mulb D, A, B",
    "vpternlogq D, A, B, 0x96",
    "vpternlogq D, A, M, 0x96",
    "vpxorq D, A, B",
    "vpaddd D, A, B",
    "vprold D, A, 11",
    "vpsrld D, A, 4",
    "vpunpcklbw D, A, B",
    "vpshufd D, A, 0x4e",
    "vpermd D, A, B",
    "vshufi64x2 D, A, B, 1",
    "vpmovb2m k2, A",
    "vptestmb k2, A, B",
    "vpmovm2b D, k1",
    "vpblendmb D{k1}, A, B",
    "vmovdqu64 D, M",
    "vmovdqu64 M, A",
    "vpbroadcastq D, [rsi]",
    "vpermb D, A, B; vgf2p8affineqb D, A, B, 0",
    "vpermb D, A, B; vpternlogq D, A, B, 0x96",
    "vpermb D, A, B; vpshufb D, A, B",
    "vpermb D, A, B; vpunpcklbw D, A, B",
    "vpermb D, A, B; vprold D, A, 11",
    "vpermb D, A, B; vpmovb2m k2, A",
    "vpermi2b D, A, B; vgf2p8affineqb D, A, B, 0",
    "vpermi2b D, A, B; vpternlogq D, A, B, 0x96",
    "vpermi2b D, A, B; vpermi2b D, A, B; vpmovb2m k2, A; vpblendmb D{k2}, A, B",
    "vgf2p8affineqb D, A, B, 0; vpxorq D, A, B",
    "vgf2p8affineqb D, A, B, 0; vpternlogq D, A, B, 0x96",
    "vgf2p8affineqb D, A, B, 0; vpshufb D, A, B",
    "vgf2p8affineqb D, A, B, 0; vprold D, A, 11",
    "vgf2p8affineqb D, A, B, 0; vpmovb2m k2, A",
    "vpshufb D, A, B; vpternlogq D, A, B, 0x96",
    "vpshufb D, A, B; vpunpcklbw D, A, B",
    "vpshufb D, A, B; vprold D, A, 11",
    "vprold D, A, 11; vpsrld D, A, 4",
    "vpaddd D, A, B; vpternlogq D, A, B, 0x96",
    "vpmovb2m k2, A; vpternlogq D, A, B, 0x96",
]
SIDE_BY_SIDE = range(4, 16)
REPEATS = 480  # of a text, in one turn of its loop
TURNS = 20

DRIVER = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
typedef void probe(uint64_t);
static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static uint64_t now(void) {
  unsigned core;
  const uint64_t t = __rdtscp(&core);
  _mm_lfence();
  return t;
}
static double addition(void) {
  uint64_t turns = 100, x = 0;
  const uint64_t start = now();
  __asm__ volatile("1:\n.rept 100\nadd $1, %1\n.endr\ndec %0\njnz 1b" : "+r"(turns), "+r"(x) : : "cc");
  return (double)(now() - start) / 10000;
}
static void measure(const char* name, probe* f) {
  enum { wanted = 201 };
  static double kept[wanted];
  int n = 0;
  for (int i = 0; i < 10 * wanted && n < wanted; ++i) {
    const double before = addition();
    const uint64_t start = now();
    f(TURNS);
    const double time = (double)(now() - start), after = addition();
    if (before < 1.02 * after && after < 1.02 * before) kept[n++] = time / (REPEATS * TURNS) / ((before + after) / 2);
  }
  qsort(kept, (size_t)n, sizeof *kept, by_value);
  printf("%s\t%.2f\t%d\n", name, n ? kept[n / 2] : 0.0, n);
}
"""


def text_of(template, bits, register):
    letter = {256: "y", 512: "z"}[bits]
    words = {"D": f"{letter}mm{register}", "A": f"{letter}mm0", "B": f"{letter}mm1",
             "M": f"{letter}mmword ptr [rsi]"}
    for word, operand in words.items():
        for before in " ":
            for after in ",{;":
                template = template.replace(before + word + after, before + operand + after)
        if template.endswith(" " + word):
            template = template[:-1] + operand
    return template


def function(number, texts):
    body = "\n".join(texts[i % len(texts)] for i in range(REPEATS))
    return f"""__asm__(".intel_syntax noprefix\\n.text\\n.balign 64\\nprobe{number}:\\nlea rsi, [rsp - 64]\\n"
"and rsi, -64\\nvpxor xmm0, xmm0, xmm0\\nvpxor xmm1, xmm1, xmm1\\nkxorq k1, k1, k1\\n1:\\n"
{chr(10).join(f'"{line}{chr(92)}n"' for line in body.splitlines())}
"dec rdi\\njnz 1b\\nvzeroupper\\nret\\n.att_syntax prefix\\n");
probe probe{number};
"""


def run(compiler):
    functions, calls = [], []

    def add(name, texts):
        functions.append(function(len(calls), texts))
        calls.append(f'measure("{name}", probe{len(calls)});')

    for bits in (256, 512):
        for name, template in LATENCIES.items():
            add(f"latency\t{name}\t{bits}", [text_of(template, bits, 4)])
        for template in RATES:
            add(f"cycles\t{template}\t{bits}", [text_of(template, bits, r) for r in SIDE_BY_SIDE])
    with tempfile.TemporaryDirectory() as work:
        source, program = os.path.join(work, "probe.c"), os.path.join(work, "probe")
        with open(source, "w") as f:
            f.write(f"#define REPEATS {REPEATS}\n#define TURNS {TURNS}\n" + DRIVER + "\n".join(functions)
                    + "int main(void) {\n" + "\n".join(calls) + "\n}\n")
        subprocess.run([compiler, "-O2", "-fno-pie", "-no-pie", "-o", program, source], check=True)
        return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    with open("/proc/cpuinfo") as f:
        missing = {"avx512vbmi", "avx512bw", "gfni"} - set(f.read().split())
    if missing:
        sys.exit(f"latencies.py: this CPU lacks {' '.join(sorted(missing))}")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_args()
    results = {}
    for line in run(options.compiler).splitlines():
        kind, name, bits, value, samples = line.split("\t")
        results.setdefault((kind, name), {})[bits] = (float(value), int(samples))
    print(f"{'':8} {'core cycles, medians':60} {'256':>6} {'512':>6}  samples")
    for (kind, name), of in results.items():
        print(f"{kind:8} {name:60} {of['256'][0]:6.2f} {of['512'][0]:6.2f}  {of['256'][1]}, {of['512'][1]}")


if __name__ == "__main__":
    sys.exit(main())
