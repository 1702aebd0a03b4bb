"""What the columns of a table hold: the words for it, and which may stand for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["KINDS", "Kind", "Kinds"]

Kind = Literal["flag", "number", "category"]
"""What a column holds: whether something is so, a number, or one of several texts."""
KINDS: tuple[Kind, ...] = ("flag", "number", "category")

if TYPE_CHECKING:
    Kinds: TypeAlias = Kind | tuple[Kind | None, ...]
    """Of all columns of a matrix: one word, or one for each; None for a column that was empty so far."""
