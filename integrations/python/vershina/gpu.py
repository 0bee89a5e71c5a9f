"""Data already on a CUDA device: arrays of CuPy, tensors of PyTorch, any object with DLPack or the CUDA array
interface. No copies, no waiting.

>>> key = gpu.Cipher(Magma(secret), device="cuda:0")
>>> key.encrypt_into(modes.CTR(iv), tensor, tensor)             # in place

Objects must be contiguous; types and shapes do not matter, only bytes. A call enqueues work on a stream and returns:
read the results on that stream, or wait for it, and keep the objects alive until then. The stream is the one given (an
object of CuPy, PyTorch or cuda.core, or its address), else the one that the objects name in the CUDA array interface
(CuPy's current stream), else the default stream. PyTorch's tensors name none: under torch.cuda.stream(s) pass stream=s.
DLPack's objects make that stream wait for earlier work on theirs; otherwise the caller is responsible for the order.

One object may be used by several threads, one after the other. Its key on the device is erased on destruction; the
stream of its last call must still exist. For data in host memory use the cipher's device=. TypeError: not on a device.
ValueError: sizes, alignment, overlapping or read-only memory. DeviceError: no such device, the data is on another one,
the device does not support the operation, or it failed.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._device_memory import memory, stream_of
from ._typing import Buffer
from .modes import Mode

__all__ = ["XTS", "Cipher", "Streams"]


class Cipher:
    """A block cipher with its key on a device.

    Modes: ECB, CTR, CNT; decryption in CBC and CFB, whose encryption is a chain. No padding: ECB and CBC need
    padding="none" and whole blocks. Segments are blocks; no key meshing.
    """

    def __init__(self, algorithm: _core.BlockCipher, device: str = "cuda:0") -> None:
        self._block_size = algorithm.block_size
        self._key = _core.DeviceCipher(algorithm, device)
        self._text = f"<vershina cipher {algorithm.name} on {device}>"

    def __repr__(self) -> str:
        return self._text

    def encrypt_into(self, mode: Mode, data: Any, out: Any, *, position: int = 0, stream: Any = None) -> None:
        """Encrypts data into out, an object of the same size: data itself, or memory that does not overlap it.

        position: CTR and CNT begin at this byte of the message, a multiple of the block; 0 elsewhere.
        """
        self._crypt(True, mode, data, out, position, stream)

    def decrypt_into(self, mode: Mode, data: Any, out: Any, *, position: int = 0, stream: Any = None) -> None:
        """The inverse."""
        self._crypt(False, mode, data, out, position, stream)

    def _crypt(self, encrypt: bool, mode: Mode, data: Any, out: Any, position: int, stream: Any) -> None:
        if getattr(mode, "padding", "none") != "none":
            raise ValueError('padding: nothing is padded on a device; take padding="none"')
        if getattr(mode, "segment_len", 0) not in (0, self._block_size) or getattr(mode, "key_meshing", False):
            raise ValueError(f"{mode.name}: on a device segments are blocks, and there is no key meshing")
        handle, source, target = _places(data, out, stream)
        self._key.crypt(
            encrypt, mode.name, target.address, source.address, source.size, mode.initialization_vector, position,
            handle,
        )  # fmt: skip


class XTS:
    """vershina.XTS with its key of 64 bytes on a device."""

    def __init__(self, key: Buffer, device: str = "cuda:0") -> None:
        self._key = _core.DeviceCipher(key, device)
        self._text = f"<vershina cipher kuznyechik-xts on {device}>"

    def __repr__(self) -> str:
        return self._text

    def encrypt_sectors_into(
        self, data: Any, out: Any, sector_len: int, first_sector: int, *, stream: Any = None
    ) -> None:
        """Encrypts consecutive whole sectors into out, which may be data; first_sector: the number of the first."""
        self._sectors(True, data, out, sector_len, first_sector, stream)

    def decrypt_sectors_into(
        self, data: Any, out: Any, sector_len: int, first_sector: int, *, stream: Any = None
    ) -> None:
        """The inverse."""
        self._sectors(False, data, out, sector_len, first_sector, stream)

    def _sectors(self, encrypt: bool, data: Any, out: Any, sector_len: int, first: int, stream: Any) -> None:
        handle, source, target = _places(data, out, stream)
        self._key.sectors(encrypt, target.address, source.address, source.size, sector_len, first, handle)


class Streams:
    """Many messages of one length on a device, each with its own key, also on the device.

    algorithm: 'kuznyechik', 'magma' or 'gost28147'; sbox: for the last, a name or 128 bytes. data has a row for each
    message, of equal size, multiples of the block, keys 32 bytes each, iv a block each (in CTR the left half is used;
    None in ECB); all begin at multiples of 16. message_len: bytes of each message, if a row is longer; the rest of a
    row of out is then undefined. out must not overlap the others.
    """

    def __init__(self, algorithm: str, device: str = "cuda:0", *, sbox: str | Buffer | None = None) -> None:
        self._streams = _core.DeviceStreams(algorithm, device, sbox)
        self._text = f"<vershina streams {algorithm} on {device}>"

    def __repr__(self) -> str:
        return self._text

    def encrypt_into(
        self, mode: str, data: Any, out: Any, keys: Any, iv: Any = None, *, message_len: int = 0, stream: Any = None
    ) -> None:
        """Mode 'ecb', 'cbc', 'ctr', 'cfb', 'ofb' or 'cnt'; CBC and ECB need whole blocks, without padding."""
        self._run(_core.StreamWork.ENCRYPT, mode, data, out, keys, iv, message_len, stream)

    def decrypt_into(
        self, mode: str, data: Any, out: Any, keys: Any, iv: Any = None, *, message_len: int = 0, stream: Any = None
    ) -> None:
        """The inverse."""
        self._run(_core.StreamWork.DECRYPT, mode, data, out, keys, iv, message_len, stream)

    def mac_into(self, data: Any, out: Any, keys: Any, *, message_len: int = 0, stream: Any = None) -> None:
        """Computes a MAC of each message, a block (GOST 28147-89: IMIT); out has n blocks."""
        self._run(_core.StreamWork.MAC, "", data, out, keys, None, message_len, stream)

    def _run(
        self, work: _core.StreamWork, mode: str, data: Any, out: Any, keys: Any, iv: Any, message_len: int, stream: Any
    ) -> None:
        handle = stream_of(stream, data, out, keys, iv)
        key = memory("keys", keys, handle)
        n, rest = divmod(key.size, 32)
        source, target = memory("data", data, handle), memory("out", out, handle, writable=True)
        if rest or n == 0 or source.size % n:
            raise ValueError(f"keys: {key.size} bytes, 32 for each row are needed; data: {source.size} bytes")
        block = n * self._streams.block_size
        _same_size("out", target.size, block if work == _core.StreamWork.MAC else source.size)
        ivs = None if iv is None else memory("iv", iv, handle)
        if ivs is not None:
            _same_size("iv", ivs.size, block)
        stride = source.size // n
        if not 0 <= message_len <= stride:
            raise ValueError(f"message_len: {message_len}, a row has {stride} bytes")
        self._streams.run(
            work, mode, target.address, source.address, key.address, ivs.address if ivs else 0, n,
            message_len or stride, stride, handle,
        )  # fmt: skip


def _places(data: Any, out: Any, stream: Any) -> tuple[int, Any, Any]:
    handle = stream_of(stream, data, out)
    source, target = memory("data", data, handle), memory("out", out, handle, writable=True)
    _same_size("out", target.size, source.size)
    return handle, source, target


def _same_size(name: str, size: int, expected: int) -> None:
    if size != expected:
        raise ValueError(f"{name}: {size} bytes, {expected} are needed")
