"""Names for annotations. Not needed at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Buffer
else:
    Buffer = Any

__all__ = ["Buffer"]
