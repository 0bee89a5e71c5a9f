"""Vershina: Russian symmetric cryptography, fast and in constant time.

Hashes (hashlib's interface)   streebog256, streebog512, gost94_cryptopro, gost94_test, new
Block ciphers                  Kuznyechik, Magma, GOST28147; in a mode: Cipher(Kuznyechik(key), modes.CTR(iv))
Disk sectors                   XTS
Authenticated encryption       MGM, CTR_ACPKM_OMAC
Message authentication         mac: HMAC, OMAC, OMAC_ACPKM, IMIT
Keys                           kdf: kdf, kdf_tree, prf, pbkdf2, TLSTree, ESPTree; keywrap: wrap, unwrap
Files                          sealed: seal, open, rekey, inspect, Reader, Writer
Many messages at a time        streams (NumPy), dask (many machines): import them by name
Computed tomography            tomography (NumPy): import it by name
Devices                        devices, device_problems, device_selftest; gpu: data on a CUDA device
About this build               kernels, cpu_features, selftest, sboxes

Any object with a contiguous buffer is accepted as bytes. Errors are ValueErrors that name the cause,
AuthenticationError for data that is not authentic, and DeviceError. docs/python.md is the manual.
"""

from . import _core, gpu, kdf, keywrap, mac, modes, sealed
from ._core import (
    GOST28147,
    XTS,
    AuthenticationError,
    BlockCipher,
    Device,
    DeviceError,
    Hash,
    Kernel,
    Kuznyechik,
    Magma,
    cpu_features,
    device_problems,
    device_selftest,
    devices,
    gost94_cryptopro,
    gost94_test,
    kernels,
    new,
    sboxes,
    selftest,
    streebog256,
    streebog512,
)
from .ciphers import CTR_ACPKM_OMAC, MGM, Cipher

__version__: str = _core.version()

#: Names for new().
algorithms_available: frozenset[str] = frozenset(_core.hash_names())

# Their public module, for messages and for pickle.
AuthenticationError.__module__ = DeviceError.__module__ = __name__

__all__ = [
    "CTR_ACPKM_OMAC",
    "GOST28147",
    "MGM",
    "XTS",
    "AuthenticationError",
    "BlockCipher",
    "Cipher",
    "Device",
    "DeviceError",
    "Hash",
    "Kernel",
    "Kuznyechik",
    "Magma",
    "__version__",
    "algorithms_available",
    "cpu_features",
    "device_problems",
    "device_selftest",
    "devices",
    "gost94_cryptopro",
    "gost94_test",
    "gpu",
    "kdf",
    "kernels",
    "keywrap",
    "mac",
    "modes",
    "new",
    "sboxes",
    "sealed",
    "selftest",
    "streebog256",
    "streebog512",
]
