#!/usr/bin/env python3
"""Executes NVIDIA's machine code of every device program on the processor, on launches recorded by tests, and compares
all memory with that after them, which the tests have compared with the references and the standards' vectors. No GPU is
needed.

    execute.py PROGRAMS LAUNCHES [--all]

PROGRAMS: generated/gpu_programs.inc of a build. LAUNCHES: the folder written by tests (tests/gpu/support/recorder.hpp).
--all: all launches, with every parameter set, on the code for every architecture; else a choice of each.
"""

import argparse
import collections
import concurrent.futures
import gc
import multiprocessing
import os
import sys
import time

import numpy

import compiler
import group_run
import launches
import machine
import memory
import programs
import thread_run
from check import ARCHITECTURES, REFERENCE
from figures import GROUP

BASE = 0x7ffff8000  # of global memory: soon behind it the low word of an address has its carry
ELSEWHERE = ("gf2n", "magma_streams", "probe")  # programs of a short run for the other architectures
BETWEEN = 256  # guard bytes around each buffer


def choice(recorded):
    """Launches of a kernel for a short run: of those with the same numbers two, and none that is long."""
    seen, chosen = collections.Counter(), []
    for launch in recorded:
        alike = launch.num_items, *((kind, value) for kind, value in launch.arguments)
        seen[alike] += 1
        if seen[alike] <= 2 and (launch.kernel != "lockstep" or launch.numbers[2] <= 4):  # blocks of a stream
            chosen.append(launch)
    return chosen


class Run:
    """ A kernel's launches in parallel, each with its own memory.

    counted     whether thread_run.py has to count the same instructions
    """

    def __init__(self, cubin, function, architecture, recorded, counted=True):
        self.recorded, self.function, self.architecture, self.counted = recorded, function, architecture, counted
        self.groups = [-(-launch.num_items // GROUP) for launch in recorded]
        places = self._lay_out()
        self.arguments = []
        for k, (kind, _) in enumerate(recorded[0].arguments):
            values = [self._value(launch.arguments[k], begins) for launch, begins in zip(recorded, places)]
            self.arguments.append((launches.SIZES[kind], self._each(values)))
        group = numpy.concatenate([numpy.repeat(numpy.arange(n, dtype=numpy.uint32), GROUP) for n in self.groups])
        self.machine = group_run.Groups(
            function, GROUP, sum(self.groups), {"SR_CTAID.X": group},
            machine.constants(architecture, self.arguments, group_run.STACK), cubin.constants(function.name),
            self.memory, BASE, cubin.resources[function.name]["shared"])

    def _lay_out(self):
        """Addresses of the buffers of each launch, all in one memory."""
        places, end = [], BETWEEN
        for launch in self.recorded:
            places.append([])
            for before, _ in launch.buffers:
                places[-1].append(end)
                end += -(-len(before) // BETWEEN) * BETWEEN + BETWEEN
        image, valid = numpy.zeros(end, numpy.uint8), numpy.zeros(end, bool)
        self.expected = image.copy()
        self.owners = []
        for number, (launch, begins) in enumerate(zip(self.recorded, places)):
            for k, (begin, (before, after)) in enumerate(zip(begins, launch.buffers)):
                image[begin:begin + len(before)] = before
                self.expected[begin:begin + len(after)] = after
                valid[begin:begin + len(before)] = True
                self.owners.append((begin, len(before), number, k))
        self.memory = memory.Memory("global", image, valid)
        return places

    @staticmethod
    def _value(argument, begins):
        kind, value = argument
        if kind != launches.BUFFER:
            return value
        return 0 if value is None else BASE + begins[value]

    def _each(self, values):
        """An argument of each thread; a number if all launches have the same."""
        if len(set(values)) == 1:
            return values[0]
        return numpy.repeat(numpy.array(values, numpy.uint64), [n * GROUP for n in self.groups])

    def problems(self):
        try:
            self.machine.run()
        except (machine.Fault, machine.Unknown) as fault:
            yield f"{type(fault).__name__}: {fault}"
            return
        wrong = numpy.flatnonzero(self.memory.image != self.expected)
        for at in wrong[:1]:
            for begin, size, number, k in self.owners:
                if begin <= at < begin + size:
                    launch = self.recorded[number]
                    yield (f"{len(wrong)} bytes differ, the first is byte {at - begin} of buffer {k} of the launch "
                           f"of {launch.num_items} items with {launch.numbers}")
        counted = self._counted() if self.counted else self.machine.executed
        if counted != self.machine.executed:
            yield f"{sum(self.machine.executed)} instructions executed, {sum(counted)} by thread_run.py"

    def _counted(self):
        """How often the first thread executes each instruction, by the code behind the figures."""
        first = [(size, value if isinstance(value, int) else int(value[0])) for size, value in self.arguments]
        return thread_run.Thread(self.function, self.architecture, first, block=0, lane=0).run().executed


RECORDED = {}  # {(program, definitions): {kernel: launches}}; the processes of the pool inherit it


def run_program(name, text, definitions, architecture, everything):
    """Problems of a program, and its runs: {kernel: (launches, threads, instructions, how many were reached)}."""
    cubin = compiler.Cubin(text, architecture, definitions.split())
    bad, done = [], {}
    for number, function in enumerate(cubin.functions()):
        where = f"{name} {definitions} {function.name} for {architecture}"
        recorded = RECORDED.get((name, definitions), {}).get(function.name)
        if not recorded:
            bad.append(f"{where}: no test launches it")
            continue
        run = Run(cubin, function, architecture, recorded, counted=everything or number == 0)
        bad += [f"{where}: {problem}" for problem in run.problems()]
        done[function.name] = (len(recorded), run.machine.num_threads, len(function.code), sum(run.machine.reached))
    return bad, done


def plan(texts, everything):
    """The arguments of run_program()."""
    for name, text in texts.items():
        for definitions in programs.parameters(name, everything):
            for architecture in ARCHITECTURES:
                if everything or architecture == REFERENCE or name in ELSEWHERE and definitions in programs.MAIN[name]:
                    yield name, text.text, definitions, architecture, everything


def main():
    options = argparse.ArgumentParser()
    options.add_argument("programs")
    options.add_argument("launches")
    options.add_argument("--all", action="store_true")
    options = options.parse_args()
    start = time.monotonic()
    for launch in launches.read(options.launches):
        kernels = RECORDED.setdefault((launch.program, launch.definitions), {})
        kernels.setdefault(launch.kernel, []).append(launch)
    if not options.all:
        for kernels in RECORDED.values():
            kernels.update({name: choice(recorded) for name, recorded in kernels.items()})
    jobs = sorted(plan(programs.read(options.programs), options.all), key=lambda job: -len(job[1]))
    bad, total = [], collections.Counter()
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0)), fork, gc.disable) as pool:
        for job, (problems, done) in zip(jobs, pool.map(run_program, *zip(*jobs))):
            bad += problems
            for kernel, (num_launches, threads, length, reached) in done.items():
                total.update(kernels=1, launches=num_launches, threads=threads, length=length, reached=reached)
                print(f"{job[0]} {job[2]} {job[3]} {kernel}: {num_launches} launches, {threads} threads, "
                      f"{reached} of {length} instructions")
    for problem in bad:
        print(f"FAILED: {problem}")
    print(f"{total['kernels']} times a kernel, {total['launches']} launches, {total['threads']} threads; "
          f"{100 * total['reached'] / max(1, total['length']):.1f} % of all instructions were reached; "
          f"{time.monotonic() - start:.0f} s; {len(bad)} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
