"""A parameter: its name, what it may be, and what users are told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.parameters.values import Flag, Number, OfClasses, Seed, Whole, Word

__all__ = ["Parameter"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tree."""

    name: str
    annotation: str
    """Its type in the constructors."""
    value: Word | Number | Whole | Seed | Flag | OfClasses
    """What it may be."""
    default: Any
    sentence: str
    """What it means, for documentation and for the help of the command line."""
    more: str = ""
    """What else documentation says."""
    option: str | None = None
    """The option of the command line, if it is called otherwise; empty if commands that learn have none."""
    unset: str = ""
    """What the command line says of None, if None means more than that there is no limit."""
    is_of_core: bool = True
    """Whether the core has an option of this name."""
    is_of_fit: bool = False
    """Whether it is for all points at once, so that what learns from points as they come has no use for it."""
    is_of_matrices: bool = False
    """Whether it is for matrices, so that what learns from single points has no use for it."""
    may_change: bool = False
    """Whether it may change while a model learns: nothing that is learned depends on it."""
    is_left_out: bool = False
    """Whether the file of a model leaves it out at its default, because older files have none."""
