import hmac

import pytest
from gostcrypto import gostcipher
from hypothesis import given
from hypothesis import strategies as st
from vectors import records

import vershina
from vershina import GOST28147, AuthenticationError, Kuznyechik, Magma, kdf, keywrap, mac

KEY = bytes(range(32))


def fields(record, *names):
    return [bytes.fromhex(record[name]) for name in names]


def mac_cases():
    for family, algorithm in (("kuznyechik", Kuznyechik), ("magma", Magma)):
        for record in records(f"{family}_modes.vec", "mac"):
            key, data, out = fields(record, "Key", "In", "Out")
            yield pytest.param(mac.OMAC(algorithm(key), tag_len=len(out)), data, out, id=f"{family}-{out.hex()}")
        for record in records(f"{family}_modes.vec", "omac-acpkm"):
            key, data, out = fields(record, "Key", "In", "Out")
            sections = {"section_len": int(record["Section"]), "master_section_len": int(record["MasterSection"])}
            yield pytest.param(
                mac.OMAC_ACPKM(algorithm(key), tag_len=len(out), **sections),
                data,
                out,
                id=f"{family}-acpkm-{out.hex()}",
            )
    for section in ("imit", "imit-meshing"):
        for record in records("gost28147_modes.vec", section):
            key, data, out = fields(record, "Key", "In", "Out")
            object_ = mac.IMIT(GOST28147(key, sbox=record["Sbox"]), tag_len=len(out), key_meshing=section != "imit")
            yield pytest.param(object_, data, out, id=f"{section}-{out.hex()}")
    for record in records("kdf.vec", "hmac"):
        key, data, out = fields(record, "Key", "In", "Out")
        yield pytest.param(mac.HMAC(key, "streebog" + record["Bits"]), data, out, id=f"hmac-{record['Bits']}")


@pytest.mark.parametrize("object_, data, tag", list(mac_cases()))
def test_mac_vectors(object_, data, tag):
    half = len(data) // 2
    object_.update(data[:half])
    fork = object_.copy()
    object_.update(data[half:])
    assert object_.digest() == tag == object_.digest() and object_.hexdigest() == tag.hex()
    assert object_.digest_size == len(tag)
    object_.verify(tag)
    for wrong in (bytes([tag[0] ^ 1]) + tag[1:], tag[:-1], tag + b"\0", b""):
        with pytest.raises(AuthenticationError):
            object_.verify(wrong)
    fork.update(data[half:])
    assert fork.digest() == tag
    object_.reset()
    object_.update(data)
    assert object_.digest() == tag


@given(
    st.sampled_from(["kuznechik", "magma"]), st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=100)
)
def test_omac_against_gostcrypto(name, key, data):
    data = data[: len(data) // 16 * 16]  # its MAC takes only whole blocks
    ours = mac.OMAC(Kuznyechik(key) if name == "kuznechik" else Magma(key), data)
    peer = gostcipher.new(name, bytearray(key), gostcipher.MODE_MAC, data=bytearray(data))
    assert ours.digest() == bytes(peer.digest(ours.digest_size))


@given(st.binary(min_size=1, max_size=100), st.binary(max_size=100), st.sampled_from(["streebog256", "streebog512"]))
def test_hmac_against_the_standard_library(key, data, name):
    assert mac.HMAC(key, name, data).digest() == hmac.new(key, data, lambda d=b"": vershina.new(name, d)).digest()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: mac.OMAC(Magma(KEY), tag_len=9), "tag of 9 bytes"),
        (lambda: mac.OMAC(GOST28147(KEY)), "gost28147-mac"),
        (lambda: mac.IMIT(Magma(KEY)), "magma-imit"),
        (lambda: mac.HMAC(b""), "key of 0 bytes, must be at least 1 byte"),
        (lambda: mac.OMAC_ACPKM(Magma(KEY), section_len=7), "section"),
        (lambda: kdf.kdf(b"", b"", b""), "key of 0 bytes"),
        (lambda: kdf.kdf_tree(KEY, b"", b"", 32 * 256), "parameters"),
        (lambda: kdf.prf("prf-ssl", KEY, b"", 32), "prf-ssl"),
        (lambda: kdf.prf("prf-ipsec-prfplus-256", KEY, b"", 32 * 256), "parameters"),
        (lambda: kdf.pbkdf2(b"", b"", 0), "0 iterations"),
        (lambda: kdf.TLSTree("magma-ctr", KEY), "magma-ctr"),
        (lambda: kdf.TLSTree("kuznyechik-mgm-s", KEY).key(2**42), "record"),
        (lambda: kdf.ESPTree(bytes(31)), "root of 31 bytes"),
        (lambda: keywrap.wrap("kexp15", KEY, KEY, b""), "kexp15"),
        (lambda: keywrap.wrap("kexp15-magma", KEY, KEY, bytes(4)), "KEK of 32 bytes"),
        (lambda: keywrap.wrap("gost28147", KEY, KEY, bytes(7)), "IV of 7 bytes"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("record", records("kdf.vec", "prf"), ids=lambda r: r["Function"])
def test_prf_vectors(record):
    key, label, seed, out = fields(record, "Key", "Label", "Seed", "Out")
    assert kdf.prf(record["Function"], key, seed, len(out), label=label) == out


@pytest.mark.parametrize("record", records("kdf.vec", "kdf-tree"), ids=lambda r: r["Out"][:8])
def test_kdf_tree_vectors(record):
    key, label, seed, out = fields(record, "Key", "Label", "Seed", "Out")
    assert kdf.kdf_tree(key, label, seed, len(out), counter_len=int(record["CounterLen"])) == out
    if len(out) == 32 and record["CounterLen"] == "1":
        assert kdf.kdf(key, label, seed) == out


@pytest.mark.parametrize("record", records("kdf.vec", "pbkdf2"), ids=lambda r: r["Iterations"])
def test_pbkdf2_vectors(record):
    password, salt, out = fields(record, "Password", "Salt", "Out")
    assert kdf.pbkdf2(password, salt, int(record["Iterations"]), len(out)) == out


def test_tree_vectors():
    for record in records("kdf.vec", "tlstree"):
        assert (
            kdf.TLSTree(record["Suite"], bytes.fromhex(record["Key"])).key(int(record["Seqnum"])).hex() == record["Out"]
        )
    for record in records("kdf.vec", "esptree"):
        key, iv, out = fields(record, "Key", "IV", "Out")
        assert kdf.ESPTree(key).key(iv[0], int.from_bytes(iv[1:3], "big"), int.from_bytes(iv[3:5], "big")) == out


@pytest.mark.parametrize("name", ["kexp15-kuznyechik", "kexp15-magma", "cryptopro"])
def test_wrap_vectors(name):
    for record in records("wrap.vec", name):
        kek, iv, key, out = fields(record, "Kek", "IV", "In", "Out")
        box = {"sbox": record["Sbox"]} if "Sbox" in record else {}
        assert keywrap.wrap(name, kek, key, iv, **box) == out
        assert keywrap.unwrap(name, kek, out, iv, **box) == key
        with pytest.raises(AuthenticationError):
            keywrap.unwrap(name, kek, out[:-1] + bytes([out[-1] ^ 1]), iv, **box)


@pytest.mark.parametrize(
    "error, call, message",
    [
        (TypeError, lambda: mac.OMAC(KEY, b"x"), r"a cipher is needed, not bytes: OMAC\(Kuznyechik\(key\)\)"),
        (TypeError, lambda: mac.OMAC_ACPKM(KEY), "a cipher is needed, not bytes"),
        (TypeError, lambda: mac.IMIT(KEY), r"a cipher is needed, not bytes: IMIT\(GOST28147\(key\)\)"),
        (ValueError, lambda: mac.HMAC(KEY, "sha256"), "unknown hash function: sha256; there are streebog256"),
        (ValueError, lambda: mac.HMAC(KEY, "gost94-test"), "streebog256 or streebog512, not over gost94-test"),
    ],
)
def test_what_a_mac_is_made_of(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_names_of_hmac_in_any_case():
    assert mac.HMAC(KEY, "Streebog-512", b"x").digest() == mac.HMAC(KEY, "streebog512", b"x").digest()
