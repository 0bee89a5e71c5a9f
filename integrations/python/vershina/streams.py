"""Batches: many independent messages in parallel, over NumPy arrays, without copies.

A row of a two-dimensional uint8 array is a message; the rows may have gaps (a slice of a larger array, fields of a
record). Messages of different lengths are a list of buffers. Results go to `out`, which may be the input itself (in
place) if the lengths allow it; without `out` a new array (for a list: bytearrays) is created. docs/streams.md explains
the speed of batches.

>>> keys = np.frombuffer(os.urandom(1000 * 32), np.uint8).reshape(1000, 32)
>>> streams = Streams("kuznyechik", keys)
>>> sealed = streams.encrypt("cbc", sectors, iv=ivs)          # sectors: (1000, 512), ivs: (1000, 16); key i for row i

A bad message raises ValueError, which names the first one; all others are done. The GIL is released.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._typing import Buffer

__all__ = ["Streams", "digest", "hmac", "pbkdf2"]

Array = npt.NDArray[np.uint8]
Rows = Union[Array, Sequence[Buffer]]


class Streams:
    """Keys prepared for batches in any mode. Several threads may run batches over one object at the same time.

    algorithm: 'kuznyechik', 'magma' or 'gost28147'. keys: (k, 32). segment_len: of CTR, CFB and OFB, 0 means a block.
    sbox: of GOST 28147-89, a name or 128 bytes. threads: 0 means all. device: for batches of messages of equal length,
    see Kuznyechik. key_index of a batch: the key of each message; without it the i-th message has the i-th key, or all
    have the only one.
    """

    def __init__(
        self,
        algorithm: str,
        keys: Rows,
        *,
        segment_len: int = 0,
        sbox: str | Buffer | None = None,
        threads: int = 1,
        kernel: str | None = None,
        allow_tables: bool = False,
        allow_short_tags: bool = False,
        device: str | None = None,
    ) -> None:
        if not isinstance(algorithm, str):
            raise TypeError(f"algorithm: a name such as 'kuznyechik' is needed, not {type(algorithm).__name__}")
        self._name = algorithm
        self._streams = _core.Streams(
            algorithm, keys, segment_len, sbox, threads, kernel, allow_tables, allow_short_tags, device
        )

    def __repr__(self) -> str:
        return f"<vershina streams {self._name}>"

    @property
    def lanes(self) -> int:
        """Messages of one pass: a batch should have at least this many."""
        return self._streams.lanes

    @property
    def kernel(self) -> str:
        """The kernel with a message in each lane, such as 'avx2'."""
        return self._streams.kernel

    def encrypt(
        self,
        mode: str,
        data: Rows,
        *,
        iv: Rows | None = None,
        out: Rows | None = None,
        key_index: npt.ArrayLike | None = None,
    ) -> Any:
        """Encrypts each message: mode 'ecb', 'cbc', 'ctr', 'ofb', 'cfb' or 'cnt'. ECB and CBC need whole blocks,
        without padding.
        """
        out = _room(data, 0) if out is None else out
        self._streams.encrypt_rows(mode, data, out, iv, _indices(key_index))
        return out

    def decrypt(
        self,
        mode: str,
        data: Rows,
        *,
        iv: Rows | None = None,
        out: Rows | None = None,
        key_index: npt.ArrayLike | None = None,
    ) -> Any:
        """The inverse."""
        out = _room(data, 0) if out is None else out
        self._streams.decrypt_rows(mode, data, out, iv, _indices(key_index))
        return out

    def mac(
        self, data: Rows, *, tag_len: int = 0, out: Rows | None = None, key_index: npt.ArrayLike | None = None
    ) -> Any:
        """A tag of each message: (n, tag_len), 0 means a block. Compare tags in constant time (hmac.compare_digest)."""
        out = np.empty((len(data), tag_len or self._streams.block_size), np.uint8) if out is None else out
        self._streams.mac_rows(data, out, _indices(key_index))
        return out

    def mgm_encrypt(
        self,
        nonce: Rows,
        data: Rows,
        *,
        associated_data: Rows | None = None,
        out: Rows | None = None,
        key_index: npt.ArrayLike | None = None,
        tag_len: int = 0,
    ) -> Any:
        """Encrypts each packet in MGM: ciphertext, then the tag of tag_len bytes (0 means a block). nonce: a block
        each.
        """
        tag_len = tag_len or self._streams.block_size
        out = _room(data, tag_len) if out is None else out
        self._streams.mgm_rows(True, nonce, data, out, associated_data, _indices(key_index), tag_len, None)
        return out

    def mgm_decrypt(
        self,
        nonce: Rows,
        data: Rows,
        *,
        associated_data: Rows | None = None,
        out: Rows | None = None,
        key_index: npt.ArrayLike | None = None,
        tag_len: int = 0,
        verified: npt.NDArray[np.bool_] | None = None,
    ) -> Any:
        """Verifies and decrypts each packet. A forged one has no output: its row of `out` is unchanged (zeros if
        created here; from 4096 bytes on always zeros), and AuthenticationError names the first. With `verified`, an
        array of n booleans for the verdicts, nothing is raised.
        """
        tag_len = tag_len or self._streams.block_size
        out = _room(data, -tag_len) if out is None else out
        self._streams.mgm_rows(False, nonce, data, out, associated_data, _indices(key_index), tag_len, verified)
        return out


def digest(
    name: str,
    data: Rows,
    *,
    out: Rows | None = None,
    threads: int = 1,
    kernel: str | None = None,
    usedforsecurity: bool = True,
    device: str | None = None,
) -> Any:
    """Hashes each message by 'streebog256' or 'streebog512': (n, 32) or (n, 64)."""
    out = np.empty((len(data), _core.new(name).digest_size), np.uint8) if out is None else out
    _core.hash_rows(name, data, out, threads, kernel, usedforsecurity, device)
    return out


def hmac(
    name: str,
    keys: Rows,
    data: Rows,
    *,
    tag_len: int = 0,
    out: Rows | None = None,
    threads: int = 1,
    kernel: str | None = None,
) -> Any:
    """HMAC of each message under its own key; name is that of the hash. tag_len: 0 means the longest."""
    out = np.empty((len(data), tag_len or _core.new(name).digest_size), np.uint8) if out is None else out
    _core.hmac_rows(name, keys, data, out, threads, kernel)
    return out


def pbkdf2(
    passwords: Rows,
    salts: Rows,
    iterations: int,
    length: int = 32,
    *,
    out: Rows | None = None,
    threads: int = 1,
    kernel: str | None = None,
) -> Any:
    """PBKDF2 with HMAC-Streebog-512 of each password with its salt: (n, length)."""
    out = np.empty((len(passwords), length), np.uint8) if out is None else out
    _core.pbkdf2_rows(passwords, salts, iterations, out, threads, kernel)
    return out


def _room(data: Rows, longer: int) -> Rows:
    """Creates the results: zeros, so that a failed message reveals no earlier content of the memory."""
    if isinstance(data, np.ndarray):
        if data.ndim != 2:
            raise ValueError("data: the array must have two dimensions, a row for each message")
        return np.zeros((data.shape[0], max(data.shape[1] + longer, 0)), np.uint8)
    return [bytearray(max(memoryview(message).nbytes + longer, 0)) for message in data]


def _indices(key_index: npt.ArrayLike | None) -> npt.NDArray[np.uint64] | None:
    if key_index is None:
        return None
    indices = np.asarray(key_index)
    if indices.size and (indices.dtype.kind not in "iu" or indices.min() < 0):
        raise ValueError("key_index: numbers of keys from 0 on are needed")
    return np.ascontiguousarray(indices, np.uint64)
