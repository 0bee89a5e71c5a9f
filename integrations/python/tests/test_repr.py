"""Representations of objects: their kind, and nothing of a key."""

import pytest

import vershina
from vershina import mac, modes, streams

KEY = b"secret key of thirty-two letters"


@pytest.mark.parametrize(
    "made, text",
    [
        (vershina.streebog512(KEY), "<vershina hash streebog512>"),
        (vershina.Kuznyechik(KEY), "<vershina cipher kuznyechik>"),
        (vershina.GOST28147(KEY), "<vershina cipher gost28147>"),
        (vershina.Cipher(vershina.Magma(KEY), modes.CTR(bytes(4))), "<vershina cipher magma-ctr>"),
        (vershina.MGM(vershina.Kuznyechik(KEY), 12), "<vershina cipher kuznyechik-mgm, tags of 12 bytes>"),
        (vershina.XTS(KEY + KEY[::-1]), "<vershina cipher kuznyechik-xts>"),
        (mac.HMAC(KEY), "<vershina mac hmac-streebog256, tags of 32 bytes>"),
        (mac.OMAC(vershina.Magma(KEY), tag_len=4), "<vershina mac magma-mac, tags of 4 bytes>"),
        (streams.Streams("magma", [KEY]), "<vershina streams magma>"),
    ],
)
def test_repr(made, text):
    assert repr(made) == text
