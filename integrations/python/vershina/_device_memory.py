"""Address and stream of an object's data on a CUDA device: DLPack, or the CUDA array interface.

CUDA array interface: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3.
DLPack: https://dmlc.github.io/dlpack/latest/python_spec.html, versions 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _core

__all__ = ["LEGACY", "Memory", "memory", "stream_of"]

LEGACY = 1  #: the legacy default stream, in both interfaces; 2 is the default stream of each thread

_CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged


@dataclass(frozen=True)
class Memory:
    """Contiguous bytes on a device."""

    address: int
    size: int
    held: Any  # keeps the memory alive


def stream_of(stream: Any, *objects: Any) -> int:
    """Returns the stream for the work: the given one (an address, or an object of CuPy, PyTorch or cuda.core), else the
    one that the objects name, else the default stream.
    """
    handle: Any
    if stream is not None:
        if hasattr(stream, "__cuda_stream__"):
            handle = stream.__cuda_stream__()[1]
        else:
            handle = getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
        if not isinstance(handle, int):
            raise TypeError(f"stream: a CUDA stream is needed, not {type(stream).__name__}")
        return int(handle) or LEGACY
    named: set[Any] = {_interface(data).get("stream") for data in objects if data is not None}
    named.discard(None)
    if 0 in named:
        raise ValueError("stream: 0 in a CUDA array interface is ambiguous; pass stream=")
    if len(named) > 1:
        raise ValueError("stream: the objects are on different streams; pass stream=")
    return int(named.pop()) if named else LEGACY


def memory(name: str, data: Any, stream: int, writable: bool = False) -> Memory:
    """Returns the bytes of an object, ready for work on the stream. Errors begin with the argument's name."""
    if hasattr(data, "__dlpack_device__"):
        if data.__dlpack_device__()[0] not in _CUDA:
            raise ValueError(f"{name}: not in the memory of a CUDA device")
        tensor = _core.Tensor(name, _capsule(data, stream), writable)
        return Memory(tensor.address, tensor.size, tensor)
    interface = _interface(data)
    if not interface:
        raise TypeError(
            f"{name}: an object on a CUDA device is needed (DLPack, CUDA array interface), not {type(data).__name__}"
        )
    if interface.get("mask") is not None:
        raise ValueError(f"{name}: a masked array")
    address, read_only = interface["data"]
    if writable and read_only:
        raise ValueError(f"{name}: the memory is read-only")
    size, gaps = _item_size(name, interface["typestr"]), False
    strides = interface.get("strides") or (None,) * len(interface["shape"])
    for extent, stride in zip(reversed(interface["shape"]), reversed(strides), strict=True):
        gaps |= extent > 1 and stride not in (None, size)
        size *= extent
    if size and gaps:
        raise ValueError(f"{name}: the memory is not contiguous; pass a contiguous copy of it")
    return Memory(address or 0, size, data)


def _interface(data: Any) -> dict[str, Any]:
    return getattr(data, "__cuda_array_interface__", None) or {}


def _capsule(data: Any, stream: int) -> object:
    try:  # version 1 marks read-only data
        return data.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # before the array API 2023.12
        return data.__dlpack__(stream=stream)


def _item_size(name: str, typestr: str) -> int:
    digits = typestr[2:].partition("[")[0]
    if typestr[1:2] in "tO" or not digits.isdecimal():
        raise ValueError(f"{name}: elements of type {typestr!r} are not bytes")
    return int(digits) * (4 if typestr[1] == "U" else 1)
