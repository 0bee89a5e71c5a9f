"""Key derivation, passwords, and trees of keys for records and packets."""

from ._core import ESPTree, TLSTree, kdf, kdf_tree, pbkdf2, prf

__all__ = ["ESPTree", "TLSTree", "kdf", "kdf_tree", "pbkdf2", "prf"]
