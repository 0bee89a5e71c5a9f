import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vershina
from vershina import GOST28147, MGM, AuthenticationError, Cipher, Kuznyechik, Magma, kdf, mac, modes, streams

COUNT = 40
RANDOM = np.random.default_rng(20260101)
KEYS = RANDOM.integers(0, 256, (COUNT, 32), np.uint8)
DATA = RANDOM.integers(0, 256, (COUNT, 512), np.uint8)
CLASSES = {"kuznyechik": (Kuznyechik, 16), "magma": (Magma, 8), "gost28147": (GOST28147, 8)}
MODES = [
    (name, mode)
    for name in CLASSES
    for mode in ("ecb", "cbc", "cfb", "ctr", "ofb", "cnt")
    if (mode in ("ctr", "ofb")) <= (name != "gost28147") and (mode == "cnt") <= (name == "gost28147")
]


def one(name, mode, key, iv, data):
    make = {"ecb": lambda: modes.ECB("none"), "cbc": lambda: modes.CBC(iv, "none"), "ctr": lambda: modes.CTR(iv)}
    make |= {"ofb": lambda: modes.OFB(iv), "cfb": lambda: modes.CFB(iv), "cnt": lambda: modes.CNT(iv)}
    return Cipher(CLASSES[name][0](key), make[mode]()).encrypt(data)


@pytest.mark.parametrize("name, mode", MODES)
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_are_single_messages(name, mode, threads):
    block = CLASSES[name][1]
    ivs = RANDOM.integers(0, 256, (COUNT, block // 2 if mode == "ctr" else block), np.uint8)
    iv = None if mode == "ecb" else ivs
    batch = streams.Streams(name, KEYS, threads=threads)
    before = DATA.copy()
    secret = batch.encrypt(mode, DATA, iv=iv)
    for i in range(COUNT):
        assert secret[i].tobytes() == one(name, mode, KEYS[i], ivs[i], DATA[i])
    assert (batch.decrypt(mode, secret, iv=iv) == DATA).all() and (DATA == before).all()


def test_no_copies():
    """Rows of a larger array, in place, in the opposite order."""
    records = np.zeros((COUNT, 600), np.uint8)
    records[:, 10:522] = DATA
    payload = records[::-1, 10:522]
    ivs = np.zeros((COUNT, 16), np.uint8)
    batch = streams.Streams("kuznyechik", KEYS)
    assert batch.encrypt("cbc", payload, iv=ivs, out=payload) is payload
    assert (payload == batch.encrypt("cbc", DATA[::-1].copy(), iv=ivs)).all()
    assert not records[:, :10].any() and not records[:, 522:].any()


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=20), st.data())
def test_messages_of_any_length(messages, data):
    index = data.draw(st.lists(st.integers(0, COUNT - 1), min_size=len(messages), max_size=len(messages)))
    ivs = [bytes([i] * 4) for i in range(len(messages))]
    secret = streams.Streams("magma", KEYS).encrypt("ctr", messages, iv=ivs, key_index=index)
    assert secret == [one("magma", "ctr", KEYS[k], iv, m) for k, iv, m in zip(index, ivs, messages)]
    assert [d.tobytes() for d in streams.digest("streebog256", messages)] == [
        vershina.streebog256(m).digest() for m in messages
    ]


def test_macs_hashes_and_passwords():
    for name, tags in (("kuznyechik", 16), ("magma", 4)):
        found = streams.Streams(name, KEYS).mac(DATA, tag_len=tags)
        assert [t.tobytes() for t in found] == [
            mac.OMAC(CLASSES[name][0](k), d, tag_len=tags).digest() for k, d in zip(KEYS, DATA)
        ]
    found = streams.hmac("streebog512", KEYS, DATA, tag_len=20, threads=2)
    assert [t.tobytes() for t in found] == [
        mac.HMAC(k, "streebog512", d, tag_len=20).digest() for k, d in zip(KEYS, DATA)
    ]
    found = streams.pbkdf2([b"one", b"two"], [b"salt", b"pepper"], 10, 70)
    assert [k.tobytes() for k in found] == [kdf.pbkdf2(b"one", b"salt", 10, 70), kdf.pbkdf2(b"two", b"pepper", 10, 70)]


def test_packets():
    batch = streams.Streams("kuznyechik", KEYS[:1])
    nonces = RANDOM.integers(0, 128, (COUNT, 16), np.uint8)
    headers = DATA[:, :20]
    sealed = batch.mgm_encrypt(nonces, DATA, associated_data=headers)
    for i in range(COUNT):
        assert sealed[i].tobytes() == MGM(Kuznyechik(KEYS[0])).encrypt(nonces[i], DATA[i], headers[i].copy())
    assert (batch.mgm_decrypt(nonces, sealed, associated_data=headers) == DATA).all()
    sealed[7, 100] ^= 1
    sealed[9, -1] ^= 1
    verified = np.ones(COUNT, bool)
    plain = batch.mgm_decrypt(nonces, sealed, associated_data=headers, verified=verified)
    assert (
        list(np.flatnonzero(~verified)) == [7, 9]
        and not plain[[7, 9]].any()
        and (plain[verified] == DATA[verified]).all()
    )
    with pytest.raises(AuthenticationError, match="message 7; 2 of 40 failed"):
        batch.mgm_decrypt(nonces, sealed, associated_data=headers)


BATCH = streams.Streams("kuznyechik", KEYS)
IVS = np.zeros((COUNT, 16), np.uint8)
READ_ONLY = np.zeros((COUNT, 512), np.uint8)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "error, call, message",
    [
        (ValueError, lambda: BATCH.encrypt("cbc", DATA[:, :15], iv=IVS), "message 0, data of 15 bytes; 40 of 40"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA, iv=IVS[:, :7]), "message 0, IV of 7 bytes, must be 16"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA, iv=IVS[1:]), "iv: 39 rows for 40 messages"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA, iv=IVS, out=READ_ONLY), "out: the array is read-only"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA[:, ::2], iv=IVS), "bytes of a row must follow each other"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA.astype(np.uint16), iv=IVS), "items must be bytes"),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA[0], iv=IVS), "two dimensions"),
        (
            ValueError,
            lambda: BATCH.encrypt("cbc", DATA, iv=IVS, out=np.lib.stride_tricks.as_strided(DATA, (40, 512), (8, 1))),
            "overlap",
        ),
        (ValueError, lambda: BATCH.encrypt("cbc", DATA), "message 0, no IV: iv= is missing"),
        (ValueError, lambda: BATCH.mgm_encrypt(IVS[:, :12], DATA), "message 0, IV of 12 bytes, must be 16"),
        (ValueError, lambda: BATCH.encrypt("gcm", DATA, iv=IVS), "kuznyechik have no mode gcm: ecb, cbc, ctr"),
        (ValueError, lambda: BATCH.encrypt("cnt", DATA, iv=IVS[:, :8]), "kuznyechik have no mode cnt"),
        (ValueError, lambda: BATCH.encrypt("ctr-acpkm", DATA, iv=IVS), "have no mode ctr-acpkm"),
        (ValueError, lambda: BATCH.encrypt("ecb", DATA, key_index=[COUNT] * COUNT), "message 0"),
        (ValueError, lambda: BATCH.encrypt("ecb", DATA, key_index=[-1] * COUNT), "from 0 on"),
        (ValueError, lambda: BATCH.encrypt("ecb", DATA, key_index=[0]), "a uint64 for each"),
        (ValueError, lambda: BATCH.encrypt("ecb", DATA[:5]), "key_index: needed"),
        (ValueError, lambda: streams.Streams("kuznyechik", KEYS[:, :31]), "key 0"),
        (ValueError, lambda: streams.Streams("aes", KEYS), "unknown cipher: aes; there are kuznyechik, magma"),
        (TypeError, lambda: streams.Streams(Kuznyechik(bytes(32)), KEYS), "such as 'kuznyechik' is needed, not Kuzny"),
        (ValueError, lambda: streams.digest("gost94-test", DATA), "over streebog256 or streebog512, not over gost94-t"),
        (ValueError, lambda: streams.hmac("sha256", KEYS, DATA), "unknown hash function: sha256; there are"),
        (TypeError, lambda: streams.digest("streebog256", np.array([b"a", b"bb"])), r"given as column.tolist\(\)"),
        (TypeError, lambda: BATCH.encrypt("ecb", 5), "."),
    ],
)
def test_misuse(error, call, message):
    with pytest.raises(error, match=message):
        call()


def test_names_in_any_case():
    batch = streams.Streams("Kuznyechik", KEYS)
    np.testing.assert_array_equal(batch.encrypt("CBC", DATA, iv=IVS), BATCH.encrypt("cbc", DATA, iv=IVS))
    np.testing.assert_array_equal(streams.digest("Streebog-256", DATA), streams.digest("streebog256", DATA))
    np.testing.assert_array_equal(
        streams.hmac("STREEBOG512", KEYS, DATA), streams.hmac("streebog512", KEYS, DATA)
    )
    column = np.array([b"a", b"bb"])
    assert streams.digest("streebog256", column.tolist())[1].tobytes() == vershina.streebog256(b"bb").digest()


def test_a_bad_message_fails_alone():
    messages = [bytes(16), bytes(15), bytes(16)]
    out = [bytearray(16), bytearray(15), bytearray(16)]
    batch = streams.Streams("kuznyechik", KEYS[:1])
    with pytest.raises(ValueError, match="message 1, data of 15 bytes; 1 of 3 failed, the others are done"):
        batch.encrypt("ecb", messages, out=out)
    assert out[0] == out[2] != bytes(16) and out[1] == bytes(15)
