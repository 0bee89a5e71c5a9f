import hashlib
import hmac
import threading

import pytest
from gostcrypto import gosthash
from hypothesis import given
from hypothesis import strategies as st
from vectors import records

import vershina

FUNCTIONS = {"256": vershina.streebog256, "512": vershina.streebog512}


@pytest.mark.parametrize("record", records("streebog.vec", "hash"), ids=lambda r: r["Bits"] + "-" + r["Out"][:8])
def test_streebog_vectors(record):
    data = bytes.fromhex(record["In"])
    for public in (False, True):
        digest = FUNCTIONS[record["Bits"]](data, usedforsecurity=not public)
        assert digest.hexdigest() == record["Out"]
        assert digest.digest() == bytes.fromhex(record["Out"])


@pytest.mark.parametrize("record", records("gost94.vec", "hash"), ids=lambda r: r["Sbox"] + "-" + r["Out"][:8])
def test_gost94_vectors(record):
    function = {"test-3411-94": vershina.gost94_test, "cryptopro-3411-94": vershina.gost94_cryptopro}[record["Sbox"]]
    assert function(bytes.fromhex(record["In"])).hexdigest() == record["Out"]


@given(st.binary(max_size=400), st.sampled_from(["256", "512"]), st.lists(st.integers(0, 400), max_size=4))
def test_against_gostcrypto(data, bits, cuts):
    digest = FUNCTIONS[bits]()
    begin = 0
    for end in [*sorted(cuts), len(data)]:
        digest.update(data[begin:end])
        begin = max(begin, end)
    assert digest.digest() == bytes(gosthash.new("streebog" + bits, data=bytearray(data)).digest())


@pytest.mark.parametrize("name", sorted(vershina.algorithms_available))
def test_interface_of_hashlib(name, tmp_path):
    known, ours = hashlib.sha256(b"abc"), vershina.new(name, b"abc")
    for attribute in ("digest", "hexdigest", "update", "copy", "digest_size", "block_size", "name"):
        assert hasattr(ours, attribute) and hasattr(known, attribute)
    assert ours.name == name and vershina.new(ours.name, b"abc").digest() == ours.digest()
    assert len(ours.digest()) == ours.digest_size
    assert ours.hexdigest() == ours.digest().hex()
    copy = ours.copy()
    ours.update(b"def")
    assert (
        ours.digest() == vershina.new(name, b"abcdef").digest() != copy.digest() == vershina.new(name, b"abc").digest()
    )
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100_000)
    if hasattr(hashlib, "file_digest"):
        with path.open("rb") as file:
            assert (
                hashlib.file_digest(file, lambda: vershina.new(name)).digest()
                == vershina.new(name, b"x" * 100_000).digest()
            )


@pytest.mark.parametrize("record", records("kdf.vec", "hmac"), ids=lambda r: r["Bits"])
def test_serves_the_standard_hmac(record):
    key, data = bytes.fromhex(record["Key"]), bytes.fromhex(record["In"])
    assert hmac.new(key, data, FUNCTIONS[record["Bits"]]).hexdigest() == record["Out"]


def test_refusals():
    with pytest.raises(ValueError, match="md5; there are streebog256, streebog512, gost94-cryptopro, gost94-test"):
        vershina.new("md5")
    with pytest.raises(TypeError, match="data: a bytes-like object is needed, not str"):
        vershina.streebog256("text")
    with pytest.raises(TypeError):
        vershina.streebog256(b"", True)


def test_one_object_on_many_threads():
    digest, piece = vershina.streebog256(), b"a" * 10_000  # long enough for the GIL to be released

    def work():
        for _ in range(20):
            digest.update(piece)
            digest.update(b"a" * 10)  # and short enough to keep it
            digest.digest()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert digest.digest() == vershina.streebog256(b"a" * (4 * 20 * 10_010)).digest()


def test_the_gil_is_released():
    """While one thread hashes for long, this one continues."""
    data, done = bytes(64 << 20), threading.Event()

    def work():
        vershina.streebog256(data)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    steps = 0
    while not done.is_set():
        steps += 1
    thread.join()
    assert steps > 100  # with the GIL held it would be one or two


def test_names_in_any_case():
    """Also those of the constructors, and what `vershina hash --tag` prints."""
    for given, name in (
        ("STREEBOG256", "streebog256"),
        ("Streebog-256", "streebog256"),
        ("Streebog-512", "streebog512"),
        ("gost94_cryptopro", "gost94-cryptopro"),
        ("GOST94-Test", "gost94-test"),
    ):
        assert vershina.new(given).name == name
    for name in ("streebog", "", "streebog-25", "md_gost12_256"):
        with pytest.raises(ValueError, match="unknown hash function"):
            vershina.new(name)
