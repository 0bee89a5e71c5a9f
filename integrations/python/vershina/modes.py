"""Modes of operation of a Cipher, one class each.

n is the block in bytes: 16 for Kuznyechik, 8 for Magma and GOST 28147-89. A wrong length is a ValueError when the
Cipher is made. None of these modes detects changed data: see vershina.MGM, or authenticate IV and ciphertext with a
MAC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from . import _core
from ._typing import Buffer

__all__ = ["CBC", "CFB", "CNT", "CTR", "CTR_ACPKM", "ECB", "Mode", "OFB", "Padding"]

# : "2" (the default), "1": the procedures of GOST R 34.13-2015 4.1; "pkcs7": RFC 5652 6.3, as `openssl enc` pads; :
# "none": the data must be whole blocks. Procedure 1 (zeros) cannot be removed; decryption leaves it.
Padding = Literal["default", "none", "1", "2", "pkcs7"]


@dataclass(frozen=True)
class Mode:
    """Common base of all modes."""

    name: ClassVar[str]

    @property
    def initialization_vector(self) -> Buffer:
        """The IV; empty in ECB."""
        return getattr(self, "iv", b"")

    def _parameters(self) -> _core.Mode:
        fields = ("padding", "segment_len", "section_len", "key_meshing")
        return _core.Mode(self.name, **{field: getattr(self, field) for field in fields if hasattr(self, field)})


@dataclass(frozen=True)
class ECB(Mode):
    """Electronic codebook, GOST R 34.13-2015 5.1: reveals equal blocks. Only for random blocks."""

    name: ClassVar[str] = "ecb"
    padding: Padding = "default"


@dataclass(frozen=True)
class CBC(Mode):
    """Cipher block chaining, GOST R 34.13-2015 5.4, RFC 4357.

    iv: n bytes, or z * n (z up to 16) for a longer register; must not be predictable.
    key_meshing: GOST 28147-89, a new key every 1024 bytes (RFC 4357 2.3.2).
    """

    name: ClassVar[str] = "cbc"
    iv: Buffer
    padding: Padding = "default"
    key_meshing: bool = False


@dataclass(frozen=True)
class CTR(Mode):
    """Counter, GOST R 34.13-2015 5.2: Kuznyechik and Magma.

    iv: n / 2 bytes, never twice under one key. segment_len: s, 1 to n bytes of keystream from each block; 0 means n.
    """

    name: ClassVar[str] = "ctr"
    iv: Buffer
    segment_len: int = 0


@dataclass(frozen=True)
class CTR_ACPKM(Mode):
    """CTR whose key changes after every section, RFC 8645 6.2.2, R 1323565.1.017-2018: Kuznyechik and Magma.

    iv: n / 2 bytes. section_len: bytes, a multiple of n; 0 means that of TLS 1.2 (RFC 9189), 4096 for Kuznyechik and
    1024 for Magma; CMS has 262144 and 8192.
    """

    name: ClassVar[str] = "ctr-acpkm"
    iv: Buffer
    section_len: int = 0
    segment_len: int = 0


@dataclass(frozen=True)
class OFB(Mode):
    """Output feedback, GOST R 34.13-2015 5.3: Kuznyechik and Magma.

    iv: z * n bytes, z from 1 to 16, never twice under one key. segment_len: as CTR.
    """

    name: ClassVar[str] = "ofb"
    iv: Buffer
    segment_len: int = 0


@dataclass(frozen=True)
class CFB(Mode):
    """Cipher feedback, GOST R 34.13-2015 5.5, RFC 5830 clause 7.

    iv: n bytes, or z * n of Kuznyechik and Magma; must not be predictable. segment_len: as CTR. key_meshing: GOST
    28147-89 (RFC 4357 2.3.2), as in OpenSSL's `gost89`.
    """

    name: ClassVar[str] = "cfb"
    iv: Buffer
    segment_len: int = 0
    key_meshing: bool = False


@dataclass(frozen=True)
class CNT(Mode):
    """GOST 28147-89's own counter mode, RFC 5830 clause 6.

    iv: 8 bytes, never twice under one key. key_meshing: RFC 4357 2.3.2, as in OpenSSL's `gost89-cnt`.
    """

    name: ClassVar[str] = "cnt"
    iv: Buffer
    key_meshing: bool = False
