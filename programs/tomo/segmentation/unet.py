"""The U-Net of Ronneberger, Fischer and Brox (2015, arXiv 1505.04597) as an ONNX graph: padded convolutions, so that a
mask is as large as its slice. Weights are OIHW; a name says what they belong to."""
import math

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


def layers(widths, classes):
    """Yields the name and the shape of each layer's weights; those of "up" are of a transposed convolution (IOHW)."""
    before = 1
    for level, width in enumerate(widths):
        yield f"down{level}a", (width, before, 3, 3)
        yield f"down{level}b", (width, width, 3, 3)
        before = width
    for level, width in reversed(list(enumerate(widths[:-1]))):
        yield f"up{level}", (before, width, 2, 2)
        yield f"up{level}a", (width, 2 * width, 3, 3)
        yield f"up{level}b", (width, width, 3, 3)
        before = width
    yield "classes", (classes, before, 1, 1)


def is_up(name):
    return name.startswith("up") and name[-1].isdigit()


def random_weights(widths, classes, seed):
    """He's initialisation (2015, arXiv 1502.01852); biases are 0."""
    random, weights = numpy.random.default_rng(seed), {}
    for name, shape in layers(widths, classes):
        inputs, outputs = (shape[0], shape[1]) if is_up(name) else (shape[1] * shape[2] * shape[3], shape[0])
        weights[name] = random.normal(0, math.sqrt(2 / inputs), shape).astype(numpy.float32)
        weights[name + ".bias"] = numpy.zeros(outputs, numpy.float32)
    return weights


def macs(widths, classes, size):
    """Multiplications with addition for one slice of size x size."""
    total = 0
    for name, shape in layers(widths, classes):
        level = len(widths) - 1 if name == "classes" else int("".join(filter(str.isdigit, name)))
        side = size >> (0 if name == "classes" else level)
        # Each output of a transposed convolution of stride 2 has one tap.
        total += side * side * (shape[0] * shape[1] if is_up(name) else math.prod(shape))
    return total


def model(weights, widths, labels, size):
    """An ONNX model from [1, 1, size, size] to scores [1, classes, size, size]; `labels` name the classes."""
    nodes = []

    def add(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolve(name, value, relu=True):
        side = weights[name].shape[2]
        value = add("Conv", [value, name, name + ".bias"], name + ".out", kernel_shape=[side, side],
                    pads=[side // 2] * 4)
        return add("Relu", [value], name + ".relu") if relu else value

    value, kept = "slice", []
    for level in range(len(widths)):
        if level > 0:
            value = add("MaxPool", [value], f"pool{level}", kernel_shape=[2, 2], strides=[2, 2])
        value = convolve(f"down{level}b", convolve(f"down{level}a", value))
        kept.append(value)
    for level in reversed(range(len(widths) - 1)):
        name = f"up{level}"
        value = add("ConvTranspose", [value, name, name + ".bias"], name + ".out", kernel_shape=[2, 2], strides=[2, 2])
        value = add("Concat", [kept[level], value], name + ".both", axis=1)
        value = convolve(name + "b", convolve(name + "a", value))
    nodes.append(helper.make_node("Identity", [convolve("classes", value, relu=False)], ["scores"]))

    def tensor(name, channels):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, size, size])

    graph = helper.make_graph(nodes, "unet", [tensor("slice", 1)], [tensor("scores", len(labels))],
                              [numpy_helper.from_array(value, name) for name, value in weights.items()])
    # Versions that ONNX Runtime has read since 1.10.
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7,
                             producer_name="vershina")
    helper.set_model_props(made, {"labels": ",".join(labels)})
    onnx.checker.check_model(made)
    return made
