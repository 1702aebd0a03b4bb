"""The errors and warnings of sapwood beyond Python's own."""

from __future__ import annotations

__all__ = ["ModelFormatError", "NumbersAsFlagsWarning"]


class ModelFormatError(ValueError):
    """Bytes or a file that are no model, or a damaged one. The message says what must hold and what was found."""


class NumbersAsFlagsWarning(UserWarning):
    """Numbers are learned as flags, on above a threshold, by a tree that does not compare them."""
