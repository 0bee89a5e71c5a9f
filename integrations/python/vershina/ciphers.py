"""A block cipher in a mode, and the authenticated modes."""

from __future__ import annotations

import secrets

from . import _core
from ._typing import Buffer
from .modes import Mode

__all__ = ["Cipher", "CTR_ACPKM_OMAC", "MGM"]


class Cipher:
    """A block cipher with its key in a mode, as in the package `cryptography`.

    >>> cipher = Cipher(Kuznyechik(key), modes.CTR(iv))
    >>> encryptor = cipher.encryptor()
    >>> ciphertext = encryptor.update(b"any number of bytes") + encryptor.update(b"and times") + encryptor.finalize()

    Errors are ValueErrors, raised here, that name the cause: a mode that the cipher lacks, an IV, padding, segment or
    section that the mode does not allow, an unknown kernel.
    """

    def __init__(self, algorithm: _core.BlockCipher, mode: Mode) -> None:
        if not isinstance(algorithm, _core.BlockCipher):
            given = type(algorithm).__name__
            raise TypeError(f"a cipher is needed, not {given}: Cipher(Kuznyechik(key), modes.CTR(iv))")
        if not isinstance(mode, Mode):
            given = f"the class {mode.__name__}" if isinstance(mode, type) else type(mode).__name__
            raise TypeError(f"mode: an object such as modes.CTR(iv) is needed, not {given}")
        self.algorithm = algorithm
        self.mode = mode
        self._parameters = mode._parameters()
        self._context(encrypt=True)  # refuses here what it would refuse later

    def __repr__(self) -> str:
        return f"<vershina cipher {self.algorithm.name}-{self.mode.name}>"

    def encryptor(self) -> _core.CipherContext:
        """A context that encrypts one message in pieces."""
        return self._context(encrypt=True)

    def decryptor(self) -> _core.CipherContext:
        """A context that decrypts one message in pieces."""
        return self._context(encrypt=False)

    def encrypt(self, data: Buffer) -> bytes:
        """Encrypts a whole message. A new message needs a new IV, so a new Cipher."""
        return _core.encrypt(self.algorithm, self._parameters, self.mode.initialization_vector, data)

    def decrypt(self, data: Buffer) -> bytes:
        """Decrypts a whole message. The padding is checked first: if it is wrong, ValueError and no output.
        """
        return _core.decrypt(self.algorithm, self._parameters, self.mode.initialization_vector, data)

    def _context(self, encrypt: bool) -> _core.CipherContext:
        return _core.CipherContext(self.algorithm, self._parameters, self.mode.initialization_vector, encrypt)


class MGM(_core.AeadKey):
    """Multilinear Galois mode, RFC 9058, R 1323565.1.026-2019: Kuznyechik and Magma.

    >>> mgm = MGM(Kuznyechik(key))
    >>> sealed = mgm.encrypt(nonce, b"text", b"associated data")    # ciphertext, then the tag
    >>> mgm.decrypt(nonce, sealed, b"associated data")              # or AuthenticationError
    b'text'

    A nonce has 16 bytes (Magma: 8), of which the first bit is 0, and must never be used twice under one key; a counter
    is a good nonce. tag_len: bytes of every tag, 0 for the longest (16, Magma 8); 4 to 7 only with
    allow_short_tags=True. Limits of one key: docs/limits.md; beyond the last line there, ValueError. A message in
    pieces is counted separately.
    """

    def __init__(self, algorithm: _core.BlockCipher, tag_len: int = 0, *, allow_short_tags: bool = False) -> None:
        super().__init__(algorithm, "mgm", tag_len, 0, allow_short_tags)

    @staticmethod
    def generate_key() -> bytes:
        """Returns a random key, 32 bytes, of Kuznyechik or Magma."""
        return secrets.token_bytes(32)


class CTR_ACPKM_OMAC(_core.AeadKey):
    """CTR-ACPKM with an OMAC of the plaintext, as in CMS (R 1323565.1.025-2019): Kuznyechik and Magma.

    The nonce is the UKM: n / 2 bytes for CTR-ACPKM, then 8 of seed (16 bytes; Magma 12). No associated data.
    section_len: bytes, a multiple of the block; 0 means that of CMS, 262144 for Kuznyechik and 8192 for Magma. Slower
    than MGM.
    """

    def __init__(
        self, algorithm: _core.BlockCipher, tag_len: int = 0, *, section_len: int = 0, allow_short_tags: bool = False
    ) -> None:
        super().__init__(algorithm, "ctr-acpkm-omac", tag_len, section_len, allow_short_tags)
