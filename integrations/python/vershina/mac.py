"""Message authentication codes with the interface of `hmac`: update, digest, hexdigest, verify, reset."""

from ._core import HMAC, IMIT, OMAC, OMAC_ACPKM, Mac

__all__ = ["HMAC", "IMIT", "OMAC", "OMAC_ACPKM", "Mac"]
