"""Kuznyechik and Streebog of OpenSSL's GOST engine, and the constructions of RFC 7836, 9058 and 9337 over them, in
plain Python."""
import ctypes
import ctypes.util


class Missing(Exception):
    """The engine, or OpenSSL, is missing."""


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

    def encrypt_blocks(self, key, blocks, direction=1):
        """ECB, whole blocks. direction: 0 decrypts."""
        ctx, out = ctypes.c_void_p(self.lib.EVP_CIPHER_CTX_new()), ctypes.create_string_buffer(len(blocks) + 16)
        done = ctypes.c_int(0)
        ok = (self.lib.EVP_CipherInit_ex(ctx, self.cipher, self.engine, key, None, direction)
              and self.lib.EVP_CIPHER_CTX_set_padding(ctx, 0)
              and self.lib.EVP_CipherUpdate(ctx, out, ctypes.byref(done), blocks, len(blocks)))
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

    def mgm_gamma(self, key, nonce, length):
        """RFC 9058 clause 4.1: the keystream."""
        assert len(nonce) == 16 and nonce[0] < 0x80
        y = self.engine.encrypt_blocks(key, nonce)
        counters = ((int.from_bytes(y[8:], "big") + i) % (1 << 64) for i in range(-(-length // 16)))
        return self.engine.encrypt_blocks(key, b"".join(y[:8] + c.to_bytes(8, "big") for c in counters))[:length]

    def mgm_multipliers(self, key, nonce, num):
        """H_1, H_2, ... as numbers."""
        z = self.engine.encrypt_blocks(key, bytes([nonce[0] | 0x80]) + nonce[1:])
        counters = ((int.from_bytes(z[:8], "big") + i) % (1 << 64) for i in range(num))
        return numbers(self.engine.encrypt_blocks(key, b"".join(c.to_bytes(8, "big") + z[8:] for c in counters)))

    def mgm_tag(self, key, nonce, data, ciphertext):
        blocks = mgm_blocks(data, ciphertext)
        total = sum_of_products(self.mgm_multipliers(key, nonce, len(blocks)), blocks)
        return self.engine.encrypt_blocks(key, total.to_bytes(16, "big"))

    def seal(self, key, nonce, data, plaintext):
        ciphertext = xor(plaintext, self.mgm_gamma(key, nonce, len(plaintext)))
        return ciphertext + self.mgm_tag(key, nonce, data, ciphertext)

    def open(self, key, nonce, data, sealed):
        """None if the tag is wrong."""
        ciphertext = sealed[:-16]
        if self.mgm_tag(key, nonce, data, ciphertext) != sealed[-16:]:
            return None
        return xor(ciphertext, self.mgm_gamma(key, nonce, len(ciphertext)))


def pad(data):
    return data + b"\0" * (-len(data) % 16)


def numbers(blocks):
    return [int.from_bytes(blocks[i:i + 16], "big") for i in range(0, len(blocks), 16)]


def mgm_blocks(data, ciphertext):
    """The factors of MGM's multipliers, as numbers."""
    lengths = (8 * len(data)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    return numbers(pad(data) + pad(ciphertext) + lengths)


def sum_of_products(a, b):
    total = 0
    for x, y in zip(a, b):
        total ^= multiply(x, y)
    return total


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
