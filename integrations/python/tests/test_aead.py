import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import records

import vershina
from vershina import CTR_ACPKM_OMAC, MGM, AuthenticationError, Kuznyechik, Magma

KEY = bytes(range(32))


def cases():
    for family, algorithm in (("kuznyechik", Kuznyechik), ("magma", Magma)):
        for i, record in enumerate(records("mgm.vec", family)):
            yield pytest.param(
                algorithm, {field: bytes.fromhex(value) for field, value in record.items()}, id=f"{family}-{i}"
            )


@pytest.mark.parametrize("algorithm, r", list(cases()))
def test_mgm_vectors(algorithm, r):
    mgm = MGM(algorithm(r["Key"]), len(r["Tag"]))
    assert mgm.encrypt(r["Nonce"], r["In"], r["Aad"]) == r["Out"] + r["Tag"]
    assert mgm.decrypt(r["Nonce"], r["Out"] + r["Tag"], r["Aad"]) == r["In"]

    encryptor = mgm.encryptor(r["Nonce"])
    for byte in r["Aad"]:
        encryptor.authenticate_additional_data(bytes([byte]))
    text = b"".join(encryptor.update(r["In"][i : i + 5]) for i in range(0, len(r["In"]), 5))
    with pytest.raises(ValueError, match="after finalize"):
        encryptor.tag
    assert text + encryptor.finalize() == r["Out"] and encryptor.tag == r["Tag"]

    for name in ("unverified_decryptor", "verifier"):
        for tag in (r["Tag"], bytes([r["Tag"][0] ^ 1]) + r["Tag"][1:]):
            context = getattr(mgm, name)(r["Nonce"])
            context.authenticate_additional_data(r["Aad"])
            plain = context.update(r["Out"])
            assert plain == (r["In"] if name == "unverified_decryptor" else None)
            if tag == r["Tag"]:
                context.finalize_with_tag(tag)
            else:
                with pytest.raises(AuthenticationError):
                    context.finalize_with_tag(tag)


@given(st.sampled_from(["mgm", "omac"]), st.binary(min_size=1, max_size=100), st.binary(max_size=40), st.data())
def test_every_change_is_noticed(mode, text, header, data):
    if mode == "mgm":
        aead, header = MGM(Kuznyechik(KEY)), header
    else:
        aead, header = CTR_ACPKM_OMAC(Kuznyechik(KEY), section_len=32), None
    nonce = bytes(aead.nonce_len)
    sealed = aead.encrypt(nonce, text, header)
    assert aead.decrypt(nonce, sealed, header) == text
    place = data.draw(st.integers(0, len(sealed) - 1))
    forged = bytearray(sealed)
    forged[place] ^= 1 << data.draw(st.integers(0, 7))
    buffer = bytearray(b"?" * len(text))
    with pytest.raises(AuthenticationError):
        aead.decrypt_into(nonce, forged, header, buffer)
    assert bytes(buffer) in (b"?" * len(text), bytes(len(text)))  # as it was, or erased
    with pytest.raises(AuthenticationError):
        aead.decrypt(nonce, sealed[:-1], header)
    with pytest.raises(AuthenticationError):
        aead.decrypt(nonce[:-1] + b"\1", sealed, header)
    if mode == "mgm":
        with pytest.raises(AuthenticationError):
            aead.decrypt(nonce, sealed, (header or b"") + b"\0")


def test_into_and_in_place():
    mgm = MGM(Magma(KEY))
    buffer = bytearray(b"some text" + bytes(mgm.tag_len))
    expected = mgm.encrypt(bytes(8), b"some text", b"header")
    assert mgm.encrypt_into(bytes(8), memoryview(buffer)[:9], b"header", buffer) == 17 and buffer == expected
    assert mgm.decrypt_into(bytes(8), buffer, b"header", buffer) == 9 and buffer[:9] == b"some text"


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: MGM(vershina.GOST28147(KEY)), "no such mode: gost28147-mgm"),
        (lambda: MGM(Kuznyechik(KEY), 7), "short tag"),
        (lambda: MGM(Kuznyechik(KEY), 17), "tag length"),
        (lambda: MGM(Kuznyechik(KEY)).encrypt(b"\x80" + bytes(15), b"x"), "nonce is not allowed"),
        (lambda: MGM(Kuznyechik(KEY)).encrypt(bytes(12), b"x"), "nonce of 12 bytes, must be 16 bytes, 1 byte of data"),
        (lambda: MGM(Kuznyechik(KEY)).encrypt(bytes(16), b""), "or is empty where it must not be"),
        (lambda: MGM(Kuznyechik(KEY)).encrypt_into(bytes(16), b"x", None, bytearray(16)), "too small"),
        (lambda: CTR_ACPKM_OMAC(Magma(KEY)).encrypt(bytes(12), b"x", b"header"), "."),
        (lambda: CTR_ACPKM_OMAC(Magma(KEY), section_len=9), "section"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_key_in_place_of_a_cipher():
    """The habit of AESGCM(key)."""
    with pytest.raises(TypeError, match=r"a cipher is needed, not bytes: MGM\(Kuznyechik\(key\)\)"):
        MGM(KEY)
    with pytest.raises(TypeError, match="a cipher is needed, not bytes"):
        CTR_ACPKM_OMAC(KEY)


def test_a_generated_key():
    key = MGM.generate_key()
    assert len(key) == 32 and key != MGM.generate_key()
    for cipher, length in ((Kuznyechik, 16), (Magma, 8)):
        mgm = MGM(cipher(key))
        assert mgm.decrypt(bytes(length), mgm.encrypt(bytes(length), b"x")) == b"x"


def test_short_tags_on_demand():
    assert len(MGM(Kuznyechik(KEY), 4, allow_short_tags=True).encrypt(bytes(16), b"x")) == 5


def test_authentication_error_is_no_value_error():
    assert not issubclass(AuthenticationError, ValueError)
    assert f"{AuthenticationError.__module__}.{AuthenticationError.__qualname__}" == "vershina.AuthenticationError"
