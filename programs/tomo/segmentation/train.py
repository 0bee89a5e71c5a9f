#!/usr/bin/env python3
"""Trains phantom-unet.onnx, the small network of the tests, on noisy slices of random phantoms.

Usage: train.py VERSHINA OUT.onnx [--slices N] [--steps N]

VERSHINA is the program: it projects the phantoms, adds noise and reconstructs by FBP, so the network sees the noise and
the streaks of real slices. Random numbers have fixed seeds. Needs jax and onnx (requirements.txt), some minutes of two
cores, no GPU. Prints Dice's coefficients of slices that it was not trained on.
"""
import argparse
import os
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy

import phantoms
import unet

WIDTHS, SIZE, CROP, BATCH, RATE = (8, 16, 32), 256, 96, 8, 3e-3
WEIGHTS = jnp.array([1., 1., 2., 2.])  # of the classes in the loss


def slices(vershina, num, seed):
    """Yields a reconstruction and its true mask; noise of 1 to 5 in line integrals of up to 218."""
    random = numpy.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        text, scan, out = (os.path.join(folder, name) for name in ("object.txt", "scan.h5", "slice.npy"))
        for i in range(num):
            found = phantoms.random_object(random)
            with open(text, "w", encoding="utf-8") as file:
                file.write(phantoms.object_text(found))
            words = ["--object", text, "--size", SIZE, "--rows", 1, "--projections", 180, "--noise",
                     round(random.uniform(1, 5), 3), "--seed", i + 1, "-o", scan]
            for command in (["phantom", "-fq", *words], ["reconstruct", "-fq", scan, "-o", out]):
                subprocess.run([vershina, "tomo", *map(str, command)], check=True)
            yield numpy.load(out)[0], phantoms.true_mask(found, SIZE)


def forward(weights, value):
    """Scores [batch, row, column, class]; the same network as unet.model()."""
    def convolve(name, value):
        value = jax.lax.conv_general_dilated(value, weights[name], (1, 1), "SAME", dimension_numbers=(
            "NHWC", "OIHW", "NHWC"))
        return value + weights[name + ".bias"]

    def twice(name, value):
        return jax.nn.relu(convolve(name + "b", jax.nn.relu(convolve(name + "a", value))))

    kept = []
    for level in range(len(WIDTHS)):
        if level > 0:
            value = value.reshape(value.shape[0], value.shape[1] // 2, 2, value.shape[2] // 2, 2, -1).max((2, 4))
        value = twice(f"down{level}", value)
        kept.append(value)
    for level in reversed(range(len(WIDTHS) - 1)):
        name, (num, rows, columns, _) = f"up{level}", value.shape
        value = jnp.einsum("nhwi,ioab->nhawbo", value, weights[name]).reshape(num, 2 * rows, 2 * columns, -1)
        value = twice(name, jnp.concatenate([kept[level], value + weights[name + ".bias"]], -1))
    return convolve("classes", value)


def loss(weights, values, masks):
    scores = jax.nn.log_softmax(forward(weights, values[..., None]))
    chosen = jnp.take_along_axis(scores, masks[..., None].astype(jnp.int32), -1)[..., 0]
    return -(chosen * WEIGHTS[masks]).mean()


@jax.jit
def step(weights, first, second, values, masks, index, steps):
    """Adam (arXiv 1412.6980), its rate falling as a cosine."""
    slope = jax.grad(loss)(weights, values, masks)
    rate = RATE * (1 + jnp.cos(jnp.pi * index / steps)) / 2
    first = jax.tree.map(lambda m, g: .9 * m + .1 * g, first, slope)
    second = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, second, slope)
    weights = jax.tree.map(lambda w, m, v: w - rate * (m / (1 - .9 ** (index + 1))) /
                           (jnp.sqrt(v / (1 - .999 ** (index + 1))) + 1e-8), weights, first, second)
    return weights, first, second


def train(data, steps):
    random = numpy.random.default_rng(3)
    weights = {name: jnp.array(value) for name, value in unet.random_weights(WIDTHS, len(phantoms.LABELS), 4).items()}
    first = second = jax.tree.map(jnp.zeros_like, weights)
    for index in range(steps):
        values, masks = [], []
        for _ in range(BATCH):
            value, mask = data[random.integers(len(data))]
            y, x = random.integers(0, SIZE - CROP + 1, 2)
            turn, flip = random.integers(4), random.integers(2)
            for out, part in ((values, value), (masks, mask)):
                part = numpy.rot90(part[y:y + CROP, x:x + CROP], turn)
                out.append(part[::-1] if flip else part)
        weights, first, second = step(weights, first, second, jnp.array(numpy.stack(values)),
                                      jnp.array(numpy.stack(masks)), float(index), float(steps))
        if index % 100 == 99:
            value = loss(weights, jnp.array(numpy.stack(values)), jnp.array(numpy.stack(masks)))
            print(f"step {index + 1}: {value:.4f}", flush=True)
    return weights


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("vershina")
    parser.add_argument("out")
    parser.add_argument("--slices", type=int, default=160)
    parser.add_argument("--steps", type=int, default=600)
    chosen = parser.parse_args()
    weights = train(list(slices(chosen.vershina, chosen.slices, 1)), chosen.steps)
    masks, truths = [], []
    for value, truth in slices(chosen.vershina, 16, 2):
        masks.append(numpy.array(forward(weights, jnp.array(value)[None, ..., None])[0].argmax(-1)))
        truths.append(truth)
    for label, name in enumerate(phantoms.LABELS):
        print(f"{name}: Dice {phantoms.dice(numpy.stack(masks), numpy.stack(truths), label):.4f}")
    made = unet.model({name: numpy.asarray(value) for name, value in weights.items()}, WIDTHS, phantoms.LABELS, SIZE)
    with open(chosen.out, "wb") as file:
        file.write(made.SerializeToString())


if __name__ == "__main__":
    main()
