"""Launches of kernels recorded by tests: arguments, memory before and after.

Format: tests/gpu/support/recorder.hpp."""

import dataclasses
import os
import struct

import numpy

PAGE, FRESH = 4096, 0xa5
BUFFER, SIZES = 0, (8, 4, 8)  # the type of an argument that is a pointer; bytes of each type


@dataclasses.dataclass
class Launch:
    program: str
    definitions: str
    kernel: str
    num_items: int
    buffers: list    # (bytes before, bytes after) of each
    arguments: list  # (type, number, or which buffer, or None)

    @property
    def numbers(self):
        return [value for kind, value in self.arguments if kind != BUFFER]


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, form):
        values = struct.unpack_from("=" + form, self.data, self.at)
        self.at += struct.calcsize("=" + form)
        return values

    def text(self):
        length, = self.numbers("I")
        self.at += length
        return self.data[self.at - length:self.at].decode("ascii")

    def pages(self, memory):
        """Overwrites the memory with the recorded pages."""
        for _ in range(self.numbers("I")[0]):
            begin = self.numbers("I")[0] * PAGE
            part = memory[begin:begin + PAGE]
            part[:] = numpy.frombuffer(self.data, numpy.uint8, len(part), self.at)
            self.at += len(part)
        return memory

    def launch(self):
        names = [self.text() for _ in range(3)]
        num_items, num_buffers = self.numbers("QI")
        buffers = []
        for _ in range(num_buffers):
            before = self.pages(numpy.full(self.numbers("Q")[0], FRESH, numpy.uint8))
            buffers.append((before, self.pages(before.copy())))
        arguments = []
        for _ in range(self.numbers("I")[0]):
            kind, value = self.numbers("BQ")
            arguments.append((kind, None if kind == BUFFER and value == (1 << 64) - 1 else value))
        return Launch(*names, num_items, buffers, arguments)


def read(folder):
    """All of a folder, file by file in the order of creation."""
    paths = [os.path.join(folder, name) for name in os.listdir(folder)]
    for path in sorted(paths, key=os.path.getmtime):
        with open(path, "rb") as file:
            reader = _Reader(file.read())
        while reader.at < len(reader.data):
            yield reader.launch()
