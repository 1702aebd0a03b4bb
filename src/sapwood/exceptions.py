"""The errors that sapwood raises beyond Python's own."""

from __future__ import annotations

__all__ = ["ModelFormatError"]


class ModelFormatError(ValueError):
    """Bytes or a file that are no model, or a damaged one. The message says what must hold and what was found."""
