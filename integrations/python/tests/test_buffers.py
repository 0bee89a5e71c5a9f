"""Any object with a buffer is accepted; unusable ones are refused with the reason."""

import array
import mmap

import numpy as np
import pytest

import vershina
from vershina import Cipher, Kuznyechik, modes, sealed

DATA = bytes(range(64))


@pytest.mark.parametrize(
    "view",
    [
        bytearray(DATA),
        memoryview(DATA),
        memoryview(bytearray(DATA))[:],
        array.array("B", DATA),
        array.array("I", DATA),
        np.frombuffer(DATA, np.uint8),
        np.frombuffer(DATA, np.float64),
        np.frombuffer(DATA, np.uint8).reshape(4, 4, 4),
    ],
    ids=lambda view: type(view).__name__,
)
def test_anything_with_a_buffer(view):
    assert vershina.streebog256(view).digest() == vershina.streebog256(DATA).digest()
    key = memoryview(view).cast("B")[:32]
    assert Cipher(Kuznyechik(key), modes.CTR(key[:8])).encrypt(view) == Cipher(
        Kuznyechik(DATA[:32]), modes.CTR(DATA[:8])
    ).encrypt(DATA)


def test_mmap(tmp_path):
    (tmp_path / "file").write_bytes(DATA * 1000)
    with (tmp_path / "file").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        assert vershina.streebog512(view).digest() == vershina.streebog512(DATA * 1000).digest()


@pytest.mark.parametrize(
    "view", [memoryview(DATA)[::2], np.frombuffer(DATA, np.uint8)[::-1], np.frombuffer(DATA, np.uint8).reshape(8, 8).T]
)
def test_not_contiguous(view):
    with pytest.raises(ValueError, match="data: the buffer is not contiguous"):
        vershina.streebog256(view)


def test_outputs():
    context = Cipher(Kuznyechik(DATA[:32]), modes.CTR(bytes(8))).encryptor()
    with pytest.raises(ValueError, match="buf: the buffer is read-only"):
        context.update_into(DATA, bytes(64))
    with pytest.raises(ValueError, match="buf: the buffer is not contiguous"):
        context.update_into(DATA[:32], memoryview(bytearray(64))[::2])
    with pytest.raises(TypeError, match="buf: a bytes-like object is needed, not list"):
        context.update_into(DATA, [0] * 64)
    room = np.zeros((8, 8), np.uint8)
    assert context.update_into(DATA, room) == 64  # nothing of the refused calls was processed
    assert room.tobytes() == Cipher(Kuznyechik(DATA[:32]), modes.CTR(bytes(8))).encrypt(DATA)


def test_buffers_are_given_back():
    view = bytearray(DATA)
    for call in (
        lambda: vershina.streebog256(view),
        lambda: Cipher(Kuznyechik(view[:32]), modes.CTR(bytes(7))).encryptor().update(view),
        lambda: sealed.Key(bytes(view)),
    ):
        try:
            call()
        except ValueError:
            pass
    view += b"x"  # BufferError while it is held


def test_about_this_build():
    rows = vershina.kernels()
    assert {row.family for row in rows} >= {"kuznyechik", "magma", "streebog"}
    assert any(row.chosen and row.runnable and row.constant_time for row in rows)
    assert isinstance(vershina.cpu_features(), str) and "tc26-z" in vershina.sboxes()
    assert vershina.__version__.count(".") == 2
    vershina.selftest()
