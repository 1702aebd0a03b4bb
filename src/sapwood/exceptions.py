"""The errors that sapwood raises beyond Python's own."""

from __future__ import annotations

__all__ = ["ModelFormatError"]


class ModelFormatError(ValueError):
    """Bytes or a file are no model, or a damaged one: the message says what must hold and what was found."""
