"""Speed from Python, in MB/s (10^6 bytes), next to the package `cryptography` (AES, a yardstick) and hashlib.

    pip install cryptography
    python integrations/python/bench/benchmark.py [--seconds 0.2] [--json FILE]

Each figure is the best of five runs of --seconds: other load on the machine can only slow it down. Everything runs on
one thread. These processors have AES instructions, but none for the GOST ciphers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable

import vershina
from vershina import MGM, Cipher, Kuznyechik, Magma, mac, modes

SIZES = (64, 1024, 16 * 1024, 1024 * 1024)
KEY = bytes(range(32))
Work = Callable[[bytes, bytearray], object]


def ours() -> dict[str, Work]:
    def stream(cipher: Cipher) -> Work:
        context = cipher.encryptor()
        return context.update_into

    mgm = MGM(Kuznyechik(KEY))
    return {
        "kuznyechik-ctr": stream(Cipher(Kuznyechik(KEY), modes.CTR(bytes(8)))),
        "magma-ctr": stream(Cipher(Magma(KEY), modes.CTR(bytes(4)))),
        "kuznyechik-mgm": lambda data, out: mgm.encrypt_into(bytes(16), data, None, out),
        "streebog256": lambda data, out: vershina.streebog256(data).digest(),
        "streebog256 public": lambda data, out: vershina.streebog256(data, usedforsecurity=False).digest(),
        "hmac-streebog256": lambda data, out: mac.HMAC(KEY, "streebog256", data).digest(),
        "kuznyechik-mac": lambda data, out: mac.OMAC(Kuznyechik(KEY), data).digest(),
    }


def others() -> dict[str, Work]:
    rows: dict[str, Work] = {
        "sha256 (hashlib)": lambda data, out: hashlib.sha256(data).digest(),
        "sha3-256 (hashlib)": lambda data, out: hashlib.sha3_256(data).digest(),
        "blake2b (hashlib)": lambda data, out: hashlib.blake2b(data).digest(),
    }
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher as TheirCipher
        from cryptography.hazmat.primitives.ciphers import algorithms
        from cryptography.hazmat.primitives.ciphers import modes as their_modes
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        print("cryptography is not installed: no AES")
        return rows
    context = TheirCipher(algorithms.AES(KEY), their_modes.CTR(bytes(16))).encryptor()
    gcm = AESGCM(KEY)
    rows["aes-256-ctr (cryptography)"] = context.update_into
    rows["aes-256-gcm (cryptography)"] = lambda data, out: gcm.encrypt(bytes(12), data, None)
    return rows


def speed(work: Work, size: int, seconds: float) -> float:
    """MB/s."""
    data, out = os.urandom(size), bytearray(size + 64)
    rounds, best = 1, 0.0
    for _ in range(5):
        while True:
            begin = time.perf_counter()
            for _ in range(rounds):
                work(data, out)
            taken = time.perf_counter() - begin
            if taken >= seconds / 2:
                break
            rounds *= 2
        best = max(best, rounds * size / taken / 1e6)
    return best


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=0.2)
    arguments.add_argument("--json")
    given = arguments.parse_args()
    print(f"vershina {vershina.__version__}, Python {platform.python_version()}, {vershina.cpu_features()}; MB/s")
    print(f"{'':28}" + "".join(f"{size:>12}" for size in SIZES))
    table = {}
    for name, work in {**ours(), **others()}.items():
        table[name] = {str(size): speed(work, size, given.seconds / 5) for size in SIZES}
        print(f"{name:28}" + "".join(f"{figure:12.1f}" for figure in table[name].values()), flush=True)
    if given.json:
        with open(given.json, "w") as file:
            json.dump(table, file, indent=2)


if __name__ == "__main__":
    main()
