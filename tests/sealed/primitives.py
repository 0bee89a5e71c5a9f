"""Kuznyechik and Streebog of OpenSSL's GOST engine, and what RFC 7836, 9058 and 9337 build on them, in plain Python."""
import ctypes
import ctypes.util


class Missing(Exception):
    """The engine, or OpenSSL, is not here."""


class Engine:
    """Digests and one block cipher of the GOST engine, through libcrypto's C interface."""

    def __init__(self):
        try:
            self.lib = lib = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
            names = ("ENGINE_by_id", "EVP_CIPHER_CTX_new", "EVP_MD_CTX_new", "ENGINE_get_cipher", "ENGINE_get_digest")
            for name in names:
                getattr(lib, name).restype = ctypes.c_void_p
        except (OSError, AttributeError) as e:
            raise Missing(f"no OpenSSL with engines: {e}") from e
        self.engine = ctypes.c_void_p(lib.ENGINE_by_id(b"gost"))
        if not self.engine or not lib.ENGINE_init(self.engine):
            raise Missing("OpenSSL has no GOST engine")
        self.cipher = self._find(lib.ENGINE_get_cipher, b"kuznyechik-ecb")
        self.digests = {bits: self._find(lib.ENGINE_get_digest, b"md_gost12_%d" % bits) for bits in (256, 512)}

    def _find(self, getter, name):
        found = ctypes.c_void_p(getter(self.engine, self.lib.OBJ_sn2nid(name)))
        if not found:
            raise Missing(f"the GOST engine has no {name.decode()}")
        return found

    def streebog(self, bits, data):
        ctx, out = ctypes.c_void_p(self.lib.EVP_MD_CTX_new()), ctypes.create_string_buffer(64)
        ok = (self.lib.EVP_DigestInit_ex(ctx, self.digests[bits], self.engine)
              and self.lib.EVP_DigestUpdate(ctx, data, ctypes.c_size_t(len(data)))
              and self.lib.EVP_DigestFinal_ex(ctx, out, None))
        self.lib.EVP_MD_CTX_free(ctx)
        assert ok
        return out.raw[:bits // 8]

    def encrypt_blocks(self, key, blocks):
        """ECB, whole blocks."""
        ctx, out = ctypes.c_void_p(self.lib.EVP_CIPHER_CTX_new()), ctypes.create_string_buffer(len(blocks) + 16)
        done = ctypes.c_int(0)
        ok = (self.lib.EVP_EncryptInit_ex(ctx, self.cipher, self.engine, key, None)
              and self.lib.EVP_CIPHER_CTX_set_padding(ctx, 0)
              and self.lib.EVP_EncryptUpdate(ctx, out, ctypes.byref(done), blocks, len(blocks)))
        self.lib.EVP_CIPHER_CTX_free(ctx)
        assert ok and done.value == len(blocks)
        return out.raw[:len(blocks)]


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


class Gost:
    def __init__(self, engine):
        self.engine = engine

    def hmac(self, bits, key, data):
        """RFC 7836 4.1; RFC 2104 with blocks of 64 bytes."""
        if len(key) > 64:
            key = self.engine.streebog(bits, key)
        key = key.ljust(64, b"\0")
        inner = self.engine.streebog(bits, xor(key, b"\x36" * 64) + data)
        return self.engine.streebog(bits, xor(key, b"\x5c" * 64) + inner)

    def kdf(self, key, label, seed):
        """RFC 7836 4.5 with R = 1, L = 256."""
        return self.hmac(256, key, b"\x01" + label + b"\0" + seed + b"\x01\x00")

    def pbkdf2(self, password, salt, iterations):
        """RFC 9337 clause 4, the first 64 bytes."""
        u = self.hmac(512, password, salt + (1).to_bytes(4, "big"))
        total = int.from_bytes(u, "big")
        for _ in range(iterations - 1):
            u = self.hmac(512, password, u)
            total ^= int.from_bytes(u, "big")
        return total.to_bytes(64, "big")

    def mgm(self, key, nonce, data, text):
        """RFC 9058 clause 4.1: the gamma for the text, and a function that gives the tag of a ciphertext."""
        assert len(nonce) == 16 and nonce[0] < 0x80
        n = -(-len(text) // 16)
        h = -(-len(data) // 16)
        y1, z1 = self._split(self.engine.encrypt_blocks(key, nonce + bytes([nonce[0] | 0x80]) + nonce[1:]))
        half = 1 << 64
        gamma = self.engine.encrypt_blocks(
            key, b"".join(y1[:8] + ((int.from_bytes(y1[8:], "big") + i) % half).to_bytes(8, "big") for i in range(n)))
        multipliers = self.engine.encrypt_blocks(
            key, b"".join(((int.from_bytes(z1[:8], "big") + i) % half).to_bytes(8, "big") + z1[8:]
                          for i in range(h + n + 1)))

        def tag(ciphertext):
            lengths = (8 * len(data)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
            blocks = pad(data) + pad(ciphertext) + lengths
            total = 0
            for i in range(0, len(blocks), 16):
                total ^= multiply(int.from_bytes(multipliers[i:i + 16], "big"), int.from_bytes(blocks[i:i + 16], "big"))
            return self.engine.encrypt_blocks(key, total.to_bytes(16, "big"))

        return gamma[:len(text)], tag

    @staticmethod
    def _split(two):
        return two[:16], two[16:]

    def seal(self, key, nonce, data, plaintext):
        gamma, tag = self.mgm(key, nonce, data, plaintext)
        ciphertext = xor(plaintext, gamma)
        return ciphertext + tag(ciphertext)

    def open(self, key, nonce, data, sealed):
        """None where the tag is wrong."""
        ciphertext = sealed[:-16]
        gamma, tag = self.mgm(key, nonce, data, ciphertext)
        return xor(ciphertext, gamma) if tag(ciphertext) == sealed[-16:] else None


def pad(data):
    return data + b"\0" * (-len(data) % 16)


def multiply(a, b):
    """GF(2^128), x^128 + x^7 + x^2 + x + 1, the most significant bit is the highest power."""
    product = 0
    while b:
        low = b & -b
        product ^= a * low  # a shift
        b ^= low
    for i in range(product.bit_length() - 129, -1, -1):
        if product >> (128 + i) & 1:
            product ^= ((1 << 128) | 0x87) << i
    return product
