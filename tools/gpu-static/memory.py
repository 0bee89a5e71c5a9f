"""Memory shared by threads: its content, permissions and accesses."""

import numpy

from machine import Fault

NOBODY, SEVERAL = -1, -2


class Memory:
    """
    image   bytes, a multiple of 16
    valid   those that a program may access

    A write to data that another thread has read or written since the last synchronisation is a race, even if both write
    the same value.
    """

    def __init__(self, name, image, valid):
        self.name, self.image, self.valid = name, image, valid
        self.readers = numpy.full(len(image) // 4, NOBODY, numpy.int32)  # of each word
        self.writers = self.readers.copy()

    def settle(self):
        """All threads have synchronised."""
        self.readers[:] = self.writers[:] = NOBODY

    def _check(self, one, at, size, threads):
        bad = (at % size != 0) | (at < 0) | (at >= len(self.image))
        if not bad.any():
            bad = ~(self.valid[at] & self.valid[at + size - 1])
        if bad.any():
            self._fault(one, "no such place", at, bad, threads)

    def _fault(self, one, what, at, bad, threads):
        k = int(numpy.flatnonzero(bad)[0])
        raise Fault(f"{one}: thread {threads[k]}, {self.name} memory, byte {int(at[k]):#x}: {what}")

    def load(self, one, at, threads):
        """The words of an access at the bytes `at`, one for each thread."""
        size = one.num_bytes
        self._check(one, at, size, threads)
        words = at // 4
        for w in range(max(1, size // 4)):
            self._reads(one, words + w, at, threads)
        if size < 4:
            part = self.image.view(f"{'i' if one.modifiers & {'S8', 'S16'} else 'u'}{size}")[at // size]
            return [part.astype(numpy.int32).view(numpy.uint32)]
        vectors = self.image.view(numpy.uint32).reshape(-1, size // 4)[at // size]
        return [numpy.ascontiguousarray(vectors[:, w]) for w in range(size // 4)]

    def store(self, one, at, values, threads):
        size = one.num_bytes
        self._check(one, at, size, threads)
        words = at // 4
        for w in range(max(1, size // 4)):
            self._writes(one, words + w, at, threads)
        if size < 4:
            self.image.view(f"u{size}")[at // size] = values[0].astype(f"u{size}")
        else:
            self.image.view(numpy.uint32).reshape(-1, size // 4)[at // size] = numpy.stack(values, 1)

    def _reads(self, one, words, at, threads):
        writers = self.writers[words]
        bad = (writers != NOBODY) & (writers != threads)
        if bad.any():
            self._fault(one, "reads what another thread writes", at, bad, threads)
        readers = self.readers[words]
        self.readers[words] = numpy.where((readers == NOBODY) | (readers == threads), threads, SEVERAL)
        last = self.readers[words]
        self.readers[words[(last != threads) & (last != SEVERAL)]] = SEVERAL  # several of these threads

    def _writes(self, one, words, at, threads):
        readers, writers = self.readers[words], self.writers[words]
        self.writers[words] = threads
        bad = ((readers != NOBODY) & (readers != threads)) | ((writers != NOBODY) & (writers != threads))
        bad |= self.writers[words] != threads
        if bad.any():
            self._fault(one, "writes what another thread reads or writes", at, bad, threads)
