#!/usr/bin/env python3
"""Times the U-Net of 256 x 256 on one thread of ONNX Runtime, compared with the published times.

Those are in programs/bench/published, tomo2020.

Usage: figures.py [RUNS]          RUNS: after two to warm up; default 11

Weights are random, which changes no time. The published work says neither widths nor precision: 64 to 1024 channels are
those of the paper of 2015, 32 to 512 its usual smaller form; float32. Prints medians of the time and of the thread's
own processor time, which other programs change less. Needs onnx and onnxruntime (requirements.txt).
"""
import os
import statistics
import sys
import time
import tomllib

import numpy
import onnxruntime

import unet

SIZE, CLASSES = 256, 2


def measure(widths, runs):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = unet.model(unet.random_weights(widths, CLASSES, 1), widths, [str(i) for i in range(CLASSES)], SIZE)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    value = numpy.random.default_rng(2).random((1, 1, SIZE, SIZE), numpy.float32)
    walls, processors = [], []
    for _ in range(runs + 2):
        wall, processor = time.perf_counter(), time.process_time()
        session.run(None, {"slice": value})
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return statistics.median(walls[2:]), statistics.median(processors[2:])


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    print(f"ONNX Runtime {onnxruntime.__version__}, one thread, medians of {runs} runs")
    for widths in ((32, 64, 128, 256, 512), (64, 128, 256, 512, 1024)):
        macs = unet.macs(widths, CLASSES, SIZE) / 1e9
        wall, processor = measure(widths, runs)
        print(f"{widths[0]} to {widths[-1]} channels: {macs:.1f} GMAC, {wall:.3f} s, processor {processor:.3f} s, "
              f"{2 * macs / processor:.0f} GFLOP/s", flush=True)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/published/published.toml")
    with open(path, "rb") as file:
        for figure in tomllib.load(file)["figure"]:
            if figure["algorithm"] == f"unet-{SIZE}x{SIZE}":
                print(f"published, {figure['platform']}: {figure['seconds']} s")


if __name__ == "__main__":
    main()
