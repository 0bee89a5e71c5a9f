"""Keys encrypted under other keys: KExp15 and KImp15, and the wraps of RFC 4357 and RFC 7836."""

from ._core import unwrap, wrap

__all__ = ["unwrap", "wrap"]
