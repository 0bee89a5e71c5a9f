import pytest
from gostcrypto import gostcipher
from hypothesis import given
from hypothesis import strategies as st
from vectors import records

from vershina import GOST28147, XTS, Cipher, Kuznyechik, Magma, modes

KEY = bytes(range(32))
CLASSES = {"kuznyechik": Kuznyechik, "magma": Magma, "gost28147": GOST28147}
MODES = {"ecb": modes.ECB, "cbc": modes.CBC, "ctr": modes.CTR, "ofb": modes.OFB, "cfb": modes.CFB, "cnt": modes.CNT,
         "ctr-acpkm": modes.CTR_ACPKM}  # fmt: skip


def vector_cases():
    for family in CLASSES:
        for section in [
            "ecb",
            "cbc",
            "ctr",
            "ofb",
            "cfb",
            "ctr-acpkm",
            "cnt",
            "cnt-meshing",
            "cfb-meshing",
            "cbc-meshing",
        ]:
            own = section.startswith("cnt") or section.endswith("meshing")
            if own != (family == "gost28147") and (own or section in ("ctr", "ofb", "ctr-acpkm")):
                continue
            for i, record in enumerate(records(f"{family}_modes.vec", section)):
                yield pytest.param(family, section, record, id=f"{family}-{section}-{i}")


def make(family, section, record):
    key = bytes.fromhex(record["Key"])
    algorithm = GOST28147(key, sbox=record["Sbox"]) if family == "gost28147" else CLASSES[family](key)
    options = {}
    if "IV" in record:
        options["iv"] = bytes.fromhex(record["IV"])
    if "Padding" in record:
        options["padding"] = record["Padding"]
    if "Segment" in record:
        options["segment_len"] = int(record["Segment"]) // 8
    if "Section" in record:
        options["section_len"] = int(record["Section"])
    if section.endswith("-meshing"):
        options["key_meshing"] = True
    return Cipher(algorithm, MODES[section.removesuffix("-meshing")](**options))


@pytest.mark.parametrize("family, section, record", list(vector_cases()))
def test_vectors(family, section, record):
    cipher = make(family, section, record)
    plain, secret = bytes.fromhex(record["In"]), bytes.fromhex(record["Out"])
    assert cipher.encrypt(plain) == secret
    back = cipher.decrypt(secret)
    assert back[: len(plain)] == plain and not any(back[len(plain) :])  # procedure 1 leaves its zeros
    for context, data, expected in ((cipher.encryptor(), plain, secret), (cipher.decryptor(), secret, back)):
        pieces = [context.update(data[i : i + 7]) for i in range(0, len(data), 7)]
        assert b"".join(pieces) + context.finalize() == expected


@given(
    st.sampled_from(["ecb", "cbc", "ctr", "ofb", "cfb"]),
    st.sampled_from(["kuznechik", "magma"]),
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=16, max_size=16),
    st.binary(min_size=1, max_size=200),
)
def test_against_gostcrypto(mode, name, key, random, data):
    algorithm = Kuznyechik(key) if name == "kuznechik" else Magma(key)
    block = algorithm.block_size
    iv = random[: block // 2] if mode == "ctr" else random[:block]
    if mode in ("ecb", "cbc"):
        data = (data * block)[: (len(data) // block + 1) * block]
        ours = MODES[mode](padding="none") if mode == "ecb" else modes.CBC(iv, padding="none")
    else:
        ours = MODES[mode](iv)
    options = {} if mode == "ecb" else {"init_vect": bytearray(iv)}
    peer = gostcipher.new(name, bytearray(key), getattr(gostcipher, "MODE_" + mode.upper()), **options)
    secret = Cipher(algorithm, ours).encrypt(data)
    assert secret == bytes(peer.encrypt(bytearray(data)))
    assert Cipher(algorithm, ours).decrypt(secret) == data


@given(st.sampled_from(["none", "2", "pkcs7"]), st.binary(max_size=100), st.lists(st.integers(0, 100), max_size=5))
def test_chunks_and_paddings(padding, data, cuts):
    if padding == "none":
        data = data[: len(data) // 16 * 16]
    cipher = Cipher(Kuznyechik(KEY), modes.CBC(bytes(16), padding))
    whole = cipher.encrypt(data)
    for context, source, expected in ((cipher.encryptor(), data, whole), (cipher.decryptor(), whole, data)):
        out, begin = b"", 0
        for end in [*sorted(cuts), len(source)]:
            out += context.update(source[begin:end])
            begin = max(begin, end)
        assert out + context.finalize() == expected


def test_update_into():
    cipher = Cipher(Kuznyechik(KEY), modes.CTR(bytes(8)))
    data = bytearray(b"in place, any number of bytes" * 200)
    expected = cipher.encrypt(data)
    buffer = bytearray(len(data) + 3)
    assert cipher.encryptor().update_into(data, buffer) == len(data)
    assert buffer == expected + bytes(3)
    context = cipher.encryptor()
    assert context.update_into(data, data) == len(data) and data == expected
    with pytest.raises(ValueError, match="too small.*buf has 3 bytes"):
        context.update_into(bytes(5), bytearray(3))
    with pytest.raises(ValueError, match="overlapping"):
        context.update_into(memoryview(data)[:64], memoryview(data)[16:])


def test_reset_and_seek():
    cipher = Cipher(Magma(KEY), modes.CTR(b"abcd"))
    whole = cipher.encrypt(bytes(100))
    context = cipher.encryptor()
    context.seek(37)
    assert context.update(bytes(63)) == whole[37:]
    context.reset(b"abcd")
    assert context.update(bytes(100)) == whole
    assert context.finalize() == b""
    with pytest.raises(ValueError, match="not possible in this state"):
        context.update(b"x")
    with pytest.raises(ValueError, match="state or mode"):
        Cipher(Magma(KEY), modes.CBC(bytes(8))).encryptor().seek(1)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Kuznyechik(bytes(31)), r"^wrong key length \(kuznyechik, key of 31 bytes, must be 32 bytes\)$"),
        (
            lambda: Cipher(Kuznyechik(KEY), modes.CTR(bytes(16))),
            "wrong IV length.*kuznyechik-ctr, IV of 16 bytes, must be 8 bytes",
        ),
        (lambda: Cipher(GOST28147(KEY), modes.OFB(bytes(8))), "no such mode: gost28147-ofb"),
        (lambda: Cipher(Kuznyechik(KEY), modes.ECB("pkcs5")), "padding.*pkcs5"),
        (lambda: Cipher(Kuznyechik(KEY), modes.ECB("none")).encrypt(bytes(17)), "whole number of blocks"),
        (lambda: Cipher(Kuznyechik(KEY), modes.CBC(bytes(16))).decrypt(bytes(32)), "bad padding"),
        (lambda: Cipher(Kuznyechik(KEY), modes.CFB(bytes(16), 17)), "segment"),
        (lambda: Cipher(Kuznyechik(KEY), modes.CTR_ACPKM(bytes(8), 17)), "section"),
        (lambda: Kuznyechik(KEY, kernel="x87"), "no kernel of that name.*kuznyechik, kernel x87"),
        (lambda: GOST28147(KEY, kernel="x87"), "no kernel of that name.*gost28147, kernel x87"),
        (lambda: Kuznyechik(KEY, kernel="tables"), "not constant-time"),
        (lambda: GOST28147(KEY, sbox="cryptopro-z"), "S-box.*cryptopro-z"),
        (lambda: GOST28147(KEY, sbox=bytes(127)), "128 bytes, not 127"),
        (lambda: XTS(bytes(64)), "64 bytes"),
        (lambda: XTS(bytes(range(64))).encrypt_sectors(bytes(512), 100, 0), "sector"),
        (lambda: XTS(bytes(range(64))).encrypt_sectors(bytes(513), 512, 0), "513 bytes in sectors of 512"),
        (lambda: XTS(bytes(range(64))).encrypt_unit(bytes(16), bytes(8)), "must be 16 bytes"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_custom_sbox():
    record = records("gost28147_block.vec", "block-user-sbox")[0]
    box = bytes(int(digit, 16) for digit in record["SboxRows"])
    cipher = Cipher(GOST28147(bytes.fromhex(record["Key"]), sbox=box), modes.ECB("none"))
    assert cipher.encrypt(bytes.fromhex(record["In"])).hex() == record["Out"]


@pytest.mark.parametrize("record", records("kuznyechik_disk.vec", "xts"), ids=lambda r: r["IV"][:8])
def test_xts_vectors(record):
    xts = XTS(bytes.fromhex(record["Keys"]))
    plain, secret, number = (bytes.fromhex(record[field]) for field in ("In", "Out", "IV"))
    assert xts.encrypt_unit(plain, number) == secret and xts.decrypt_unit(secret, number) == plain
    if len(plain) == 512 and int.from_bytes(number, "little") < 2**64:
        sector = int.from_bytes(number, "little")
        assert xts.encrypt_sectors(plain, 512, sector) == secret
        buffer = bytearray(secret)
        xts.decrypt_sectors_into(buffer, buffer, 512, sector)
        assert buffer == plain


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Cipher(KEY, modes.ECB()), r"a cipher is needed, not bytes: Cipher\(Kuznyechik\(key\), modes"),
        (lambda: Cipher(Kuznyechik(KEY), bytes(8)), r"mode: an object such as modes.CTR\(iv\) is needed, not bytes"),
        (lambda: Cipher(Kuznyechik(KEY), "ctr"), "is needed, not str"),
        (lambda: Cipher(Kuznyechik(KEY), modes.CTR), "is needed, not the class CTR"),
    ],
)
def test_other_objects(call, message):
    with pytest.raises(TypeError, match=message):
        call()
