"""A caller's memory on a CUDA device, as in CuPy and PyTorch: the driver's own functions, through ctypes. Tests run
over the fake CUDA driver (tests/gpu/fakes/cuda) if there is no device.
"""

from __future__ import annotations

import ctypes as c

KDL_CPU, KDL_CUDA, READ_ONLY = 1, 2, 1


class Driver:
    """The primary context of device 0, current in this thread."""

    def __init__(self) -> None:
        self.library = c.CDLL("libcuda.so.1")
        context = c.c_void_p()
        self.call("cuInit", c.c_uint(0))
        self.call("cuDevicePrimaryCtxRetain", c.byref(context), c.c_int(0))
        self.call("cuCtxPushCurrent_v2", context)

    def call(self, name: str, *arguments: object) -> None:
        status = getattr(self.library, name)(*arguments)
        assert status == 0, f"{name}: {status}"

    def new_stream(self) -> int:
        stream = c.c_void_p()
        self.call("cuStreamCreate", c.byref(stream), c.c_uint(1))
        return stream.value or 0

    def wait(self, stream: int) -> None:
        self.call("cuStreamSynchronize", c.c_void_p(0 if stream == 1 else stream))


class Block:
    """Bytes on the device. Erased when freed: the fake driver demands it."""

    def __init__(self, driver: Driver, content: bytes, stream: int = 0) -> None:
        self.driver, self.size, self.stream = driver, len(content), stream
        self._room = -(-max(self.size, 1) // 4) * 4
        pointer = c.c_uint64()
        driver.call("cuMemAlloc_v2", c.byref(pointer), c.c_size_t(self._room))
        self.address = pointer.value
        driver.call("cuMemcpyHtoDAsync_v2", pointer, content, c.c_size_t(self.size), c.c_void_p(stream))
        driver.wait(stream)

    def read(self) -> bytes:
        content = c.create_string_buffer(self.size)
        stream = c.c_void_p(self.stream)
        self.driver.call("cuMemcpyDtoHAsync_v2", content, c.c_uint64(self.address), c.c_size_t(self.size), stream)
        self.driver.wait(self.stream)
        return content.raw

    def free(self) -> None:
        stream = c.c_void_p(self.stream)
        self.driver.call("cuMemsetD32Async", c.c_uint64(self.address), c.c_uint(0), c.c_size_t(self._room // 4), stream)
        self.driver.wait(self.stream)
        self.driver.call("cuMemFree_v2", c.c_uint64(self.address))


class Interface:
    """An object with the CUDA array interface; `changes` replaces entries of it."""

    def __init__(self, block: Block, **changes: object) -> None:
        self.block = block
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (block.size,),
            "typestr": "|u1",
            "data": (block.address, False),
            "stream": block.stream or 1,
        } | changes


class _Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device_type", c.c_int32),
        ("device_id", c.c_int32),
        ("ndim", c.c_int32),
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


_Deleter = c.CFUNCTYPE(None, c.c_void_p)


class _Managed(c.Structure):
    _fields_ = [("tensor", _Tensor), ("context", c.c_void_p), ("deleter", _Deleter)]


class _ManagedVersioned(c.Structure):
    _fields_ = [
        ("major", c.c_uint32),
        ("minor", c.c_uint32),
        ("context", c.c_void_p),
        ("deleter", _Deleter),
        ("flags", c.c_uint64),
        ("tensor", _Tensor),
    ]


class Dlpack:
    """An object with DLPack, of version 0 or 1. `streams`: those requested; `given_back`: number of releases."""

    def __init__(
        self, block: Block, version: int = 1, flags: int = 0, strides: tuple[int, ...] | None = None, *,
        device_type: int = KDL_CUDA,
    ) -> None:  # fmt: skip
        self.block, self.version, self.flags, self.strides = block, version, flags, strides
        self.device_type = device_type
        self.streams: list[int] = []
        self.given_back = 0
        self._kept: list[object] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_type, 0

    def __dlpack__(self, *, stream: int, **more: object) -> object:
        if self.version == 0 and more:
            raise TypeError("max_version")
        self.streams.append(stream)
        shape = (c.c_int64 * 2)(2, self.block.size // 8)
        strides = (c.c_int64 * 2)(*self.strides) if self.strides else None
        # Begins 4 bytes before the block: byte_offset counts.
        tensor = _Tensor(self.block.address - 4, KDL_CUDA, 0, 2, 1, 32, 1, shape, strides, 4)
        deleter = _Deleter(self._give_back)
        managed: c.Structure
        if self.version == 0:
            managed, name = _Managed(tensor, None, deleter), b"dltensor"
        else:
            managed, name = _ManagedVersioned(self.version, 0, None, deleter, self.flags, tensor), b"dltensor_versioned"
        self._kept += [shape, strides, deleter, managed, name]
        new = c.pythonapi.PyCapsule_New
        new.restype, new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]
        return new(c.addressof(managed), name, None)

    def _give_back(self, managed: int) -> None:
        self.given_back += 1
