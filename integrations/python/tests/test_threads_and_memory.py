"""Objects shared by threads, forks, and memory that must come back."""

import ctypes
import gc
import os
import sys
import threading

import pytest

import vershina
from vershina import MGM, Cipher, Kuznyechik, Magma, mac, modes

KEY = bytes(range(32))
PIECE = bytes(5000)


def on_threads(work, count=4):
    errors = []

    def guarded():
        try:
            work()
        except BaseException as error:  # whatever it is, this thread must report it
            errors.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_shared_objects():
    context = Cipher(Kuznyechik(KEY), modes.CTR(bytes(8))).encryptor()
    tag = mac.HMAC(KEY)
    aead = MGM(Magma(KEY))
    sealed = aead.encrypt(bytes(8), PIECE)
    pieces = []

    def work():
        for _ in range(25):
            pieces.append(context.update(PIECE))
            tag.update(PIECE)
            tag.digest()
            assert aead.decrypt(bytes(8), sealed) == PIECE
            with pytest.raises(vershina.AuthenticationError):
                aead.decrypt(bytes(8), sealed[1:])

    on_threads(work)
    whole = Cipher(Kuznyechik(KEY), modes.CTR(bytes(8))).encrypt(PIECE * 100)
    assert sorted(pieces) == sorted(whole[i : i + len(PIECE)] for i in range(0, len(whole), len(PIECE)))
    assert tag.digest() == mac.HMAC(KEY, data=PIECE * 100).digest()


def test_fork():
    digest = vershina.streebog256(PIECE)
    child = os.fork()
    if child == 0:
        digest.update(PIECE)
        os._exit(0 if digest.digest() == vershina.streebog256(PIECE * 2).digest() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert digest.digest() == vershina.streebog256(PIECE).digest()


def failing():
    for call in (
        lambda: Cipher(Kuznyechik(KEY), modes.CTR(bytes(3))).encryptor(),
        lambda: MGM(Kuznyechik(KEY)).decrypt(bytes(16), PIECE),
        lambda: vershina.streebog256(memoryview(PIECE)[::2]),
    ):
        with pytest.raises((ValueError, vershina.AuthenticationError)):
            call()


class Mallinfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _names.split()]


def in_use():
    """Bytes of malloc, blocks of Python."""
    info = ctypes.CDLL(None).mallinfo2
    info.restype = Mallinfo
    found = info()
    return found.uordblks + found.hblkhd, sys.getallocatedblocks()


@pytest.mark.parametrize(
    "call",
    [
        lambda: vershina.streebog512(PIECE).copy().digest(),
        lambda: Cipher(Kuznyechik(KEY), modes.CBC(bytes(16))).decrypt(
            Cipher(Kuznyechik(KEY), modes.CBC(bytes(16))).encrypt(PIECE)
        ),
        lambda: MGM(Kuznyechik(KEY)).encryptor(bytes(16)).update(PIECE),
        lambda: mac.OMAC(Magma(KEY), PIECE).copy().hexdigest(),
        failing,
    ],
)
def test_nothing_leaks(call):
    """Counts allocations of malloc and Python's allocator: a context is more than 64 bytes, and 1000 of them would
    show.
    """
    for _ in range(100):
        call()
    gc.collect()
    before = in_use()
    for _ in range(1000):
        call()
    gc.collect()
    grown, blocks = (after - first for after, first in zip(in_use(), before))
    assert grown < 64_000 and blocks < 1000
