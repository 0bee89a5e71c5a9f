"""Devices: device= everywhere, and data that is on a CUDA device, against the processor's results."""

import importlib.util
import math
import sys
import types

import manual
import numpy as np
import pytest
from cuda import KDL_CPU, READ_ONLY, Block, Dlpack, Driver, Interface

import vershina
from vershina import GOST28147, XTS, Cipher, DeviceError, Kuznyechik, Magma, gpu, mac, modes, sealed
from vershina.streams import Streams, digest

KEY = bytes(range(32))
DATA = np.random.default_rng(6).integers(0, 256, 96 << 10, np.uint8).tobytes()  # above the processor's share


@pytest.fixture(scope="module")
def driver():
    if not any(device.id == "cuda:0" for device in vershina.devices()):
        pytest.skip("no CUDA device, and the fake CUDA driver was not built or is not in LD_LIBRARY_PATH")
    return Driver()


@pytest.fixture
def block(driver):
    """Makes blocks that go at the end of the test, after the ciphers: those wait for their streams."""
    made = []

    def make(content, stream=0):
        made.append(Block(driver, content, stream))
        return made[-1]

    yield make
    for one in made:
        one.free()


def test_without_a_device():
    assert isinstance(vershina.device_problems(), list)
    for device in vershina.devices():
        assert device.back_end in ("cuda", "opencl") and device.memory > 0 and device.units > 0
        assert device.id in repr(device) and device.id.startswith(device.back_end)
    assert Cipher(Magma(KEY, device="cpu"), modes.ECB("none")).encrypt(bytes(8)).hex()
    for call in (
        lambda: Cipher(Magma(KEY, device="cuda:99"), modes.CTR(bytes(4))).encryptor(),
        lambda: Cipher(Magma(KEY, device="gpu"), modes.CTR(bytes(4))).encryptor(),
        lambda: XTS(bytes(range(64)), device="cuda:99"),
        lambda: mac.OMAC(Magma(KEY, device="cuda:99")),
        lambda: sealed.Sealer(device="cuda:99"),
        lambda: Streams("magma", np.zeros((1, 32), np.uint8), device="cuda:99"),
        lambda: vershina.device_selftest("cuda:99"),
        lambda: gpu.Cipher(Magma(KEY), "cuda:99"),
        lambda: gpu.Cipher(Magma(KEY), "opencl:0.0"),
        lambda: gpu.XTS(bytes(range(64)), "cuda:99"),
        lambda: gpu.Streams("magma", "cpu"),
    ):
        with pytest.raises((DeviceError, ValueError)) as failure:
            call()
        assert "device" in str(failure.value)


def test_host_buffers(driver):
    cipher, here = (Cipher(Magma(KEY, device=device), modes.CTR(b"abcd")) for device in ("cuda:0", None))
    assert cipher.encrypt(DATA) == here.encrypt(DATA)
    rows = np.frombuffer(DATA, np.uint8).reshape(-1, 512)
    keys = np.frombuffer(DATA[: 32 * len(rows)], np.uint8).reshape(-1, 32)
    assert (Streams("magma", keys, device="cuda:0").mac(rows) == Streams("magma", keys).mac(rows)).all()
    assert (digest("streebog256", rows, device="all") == digest("streebog256", rows)).all()
    with pytest.raises(DeviceError, match="device"):
        Cipher(Magma(KEY, device="cuda:0"), modes.CBC(bytes(8))).encryptor()


@pytest.mark.parametrize(
    "kind", [Interface, Dlpack, lambda block: Dlpack(block, 0)], ids=["interface", "dlpack", "dlpack-0"]
)
@pytest.mark.parametrize(
    "algorithm, mode, encrypts",
    [
        (Magma(KEY), modes.CTR(b"abcd"), True),
        (Magma(KEY), modes.CBC(DATA[:24], "none"), False),
        (Magma(KEY), modes.ECB("none"), True),
        (GOST28147(KEY, sbox="cryptopro-a"), modes.CNT(DATA[:8]), False),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_as_on_the_processor(block, driver, kind, algorithm, mode, encrypts):
    data, out = kind(block(DATA[:8000])), kind(block(bytes(8000)))
    key = gpu.Cipher(algorithm)
    (key.encrypt_into if encrypts else key.decrypt_into)(mode, data, out)
    expected = getattr(Cipher(algorithm, mode), "encrypt" if encrypts else "decrypt")(DATA[:8000])
    assert out.block.read() == expected and data.block.read() == DATA[:8000]
    for one in (data, out):
        if isinstance(one, Dlpack):
            assert one.streams == [1] and one.given_back == 1


def test_in_place_and_from_a_position(block):
    data = Interface(block(DATA[:8000]))
    whole = Cipher(Magma(KEY), modes.CTR(b"abcd")).encrypt(bytes(160) + DATA[:8000])
    gpu.Cipher(Magma(KEY)).encrypt_into(modes.CTR(b"abcd"), data, data, position=160)
    assert data.block.read() == whole[160:]


def test_sectors(block):
    key = bytes(range(64))
    data, out = Dlpack(block(DATA[:8192])), Interface(block(bytes(8192)))
    xts = gpu.XTS(key)
    xts.encrypt_sectors_into(data, out, 512, 7)
    assert out.block.read() == XTS(key).encrypt_sectors(DATA[:8192], 512, 7)
    xts.decrypt_sectors_into(out, out, 512, 7)
    assert out.block.read() == DATA[:8192]
    with pytest.raises(ValueError, match="sectors of 500"):
        xts.encrypt_sectors_into(data, out, 500, 0)
    with pytest.raises(ValueError, match="key of 32 bytes"):
        gpu.XTS(KEY)


def test_many_messages(block):
    n, stride = 40, 128
    rows, keys, ivs = (np.frombuffer(DATA[at : at + n * len_], np.uint8).reshape(n, len_)
                       for at, len_ in ((0, stride), (20000, 32), (40000, 8)))  # fmt: skip
    data, key, iv = (Interface(block(array.tobytes())) for array in (rows, keys, ivs))
    out, tags = Dlpack(block(bytes(n * stride))), Dlpack(block(bytes(n * 8)))
    streams = gpu.Streams("gost28147", sbox="cryptopro-a")
    here = Streams("gost28147", keys, sbox="cryptopro-a")
    streams.encrypt_into("cbc", data, out, key, iv)
    assert out.block.read() == here.encrypt("cbc", rows, iv=ivs).tobytes()
    streams.decrypt_into("cnt", data, out, key, iv, message_len=100)
    got = np.frombuffer(out.block.read(), np.uint8).reshape(n, stride)
    assert (got[:, :100] == here.decrypt("cnt", rows[:, :100], iv=ivs)).all()
    streams.mac_into(data, tags, key)
    assert tags.block.read() == here.mac(rows).tobytes()
    for arguments, message in (
        (("ecb", data, tags, key), "out: 320 bytes"),
        (("cbc", data, out, key, tags.block), "iv: an object"),
        (("cbc", data, out, iv, iv), "iv: 320 bytes, 80 are needed"),
        (("xts", data, out, key, iv), "no such mode"),
        (("cbc", data, data, key, iv), "overlapping"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            streams.encrypt_into(*arguments)
    with pytest.raises(ValueError, match="message_len: 129"):
        streams.encrypt_into("cbc", data, out, key, iv, message_len=129)


class Stream:  # of cuda.core; the others have an attribute
    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


def test_streams(block, driver):
    one, two = driver.new_stream(), driver.new_stream()
    expected = Cipher(Magma(KEY), modes.ECB("none")).encrypt(DATA[:1600])
    key = gpu.Cipher(Magma(KEY))
    own = Interface(block(DATA[:1600], one))  # names its stream
    key.encrypt_into(modes.ECB("none"), own, own)
    assert own.block.read() == expected  # reading waits only for that stream
    tensor = Dlpack(block(DATA[:1600], two))
    key.encrypt_into(modes.ECB("none"), tensor, tensor, stream=Stream(two))
    assert tensor.block.read() == expected and tensor.streams == [two, two]
    with pytest.raises(ValueError, match="different streams"):
        key.encrypt_into(modes.ECB("none"), own, Interface(block(DATA[:1600], two)))
    with pytest.raises(ValueError, match="ambiguous"):
        key.encrypt_into(modes.ECB("none"), own, Interface(own.block, stream=0))
    with pytest.raises(TypeError, match="stream: .*not str"):
        key.encrypt_into(modes.ECB("none"), own, own, stream="s")


def test_refused_objects(block):
    key, ecb, data = gpu.Cipher(Magma(KEY)), modes.ECB("none"), block(DATA[:1600])
    host = np.zeros(1600, np.uint8)
    right = Interface(data)
    for wrong, message in (
        (bytes(1600), "out: an object on a CUDA device.*not bytes"),
        (host, "out: not in the memory of a CUDA device"),
        (Interface(data, shape=(1599,)), "out: 1599 bytes, 1600 are needed"),
        (Interface(data, strides=(2,)), "out: the memory is not contiguous"),
        (Interface(data, data=(data.address, True)), "out: the memory is read-only"),
        (Interface(data, mask=right), "out: a masked array"),
        (Interface(data, typestr="|O8"), "out: elements"),
        (Interface(data, shape=(1592,), data=(data.address + 8, False)), "1592 bytes"),
        (Dlpack(data, flags=READ_ONLY), "out: the memory is read-only"),
        (Dlpack(data, strides=(1, 2)), "out: the memory is not contiguous"),
        (Dlpack(data, 2), "out: DLPack of a version later"),
        (Dlpack(data, device_type=KDL_CPU), "out: not in the memory"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            key.encrypt_into(ecb, right, wrong)
    with pytest.raises(DeviceError, match="memory"):  # says that it is on a device, and is not
        key.encrypt_into(ecb, Interface(data, data=(host.ctypes.data, False)), right)
    with pytest.raises(ValueError, match="overlapping"):
        later = Interface(data, shape=(1592,), data=(data.address + 8, False))
        key.encrypt_into(ecb, Interface(data, shape=(1592,)), later)
    assert data.read() == DATA[:1600]


def test_refused_work(block):
    key, data = gpu.Cipher(Magma(KEY)), Interface(block(DATA[:1600]))
    for mode, message in (
        (modes.ECB(), "padding"),
        (modes.CFB(bytes(8), 1), "segments are blocks"),
        (modes.CTR(bytes(8)), "IV length"),
        (modes.CNT(bytes(8)), "no such mode: magma-cnt"),
    ):
        with pytest.raises(ValueError, match=message):
            key.decrypt_into(mode, data, data)
    with pytest.raises(ValueError, match="whole number of blocks"):
        odd = Interface(data.block, shape=(1599,))
        key.encrypt_into(modes.ECB("none"), odd, odd)
    with pytest.raises(DeviceError, match="cannot run on a device"):
        key.encrypt_into(modes.CBC(bytes(8), "none"), data, data)
    assert data.block.read() == DATA[:1600]


def test_examples_of_the_manual(block, tmp_path, monkeypatch):
    """docs/python.md with its section on devices; where CuPy is not installed, the little of it that is used there."""

    def zeros(shape, kind):
        return Interface(block(bytes(math.prod(shape) if isinstance(shape, tuple) else shape)))

    stand_in = types.ModuleType("cupy")
    stand_in.uint8 = np.uint8
    stand_in.zeros = zeros
    stand_in.empty_like = lambda like: zeros(like.block.size, np.uint8)
    stand_in.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=1))
    if importlib.util.find_spec("cupy") is None:
        print("without CuPy")
        monkeypatch.setitem(sys.modules, "cupy", stand_in)
    monkeypatch.chdir(tmp_path)
    done = manual.run({"Many machines": "test_manual has it"}, {}, {})
    assert done.count("Devices") == 2
