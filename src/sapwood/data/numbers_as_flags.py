"""Saying that numbers are learned as flags, by a learner that compares none with thresholds."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from sapwood.exceptions import NumbersAsFlagsWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["warns_of_numbers"]

# The threshold that nobody has chosen.
_DEFAULT_BINARIZE = 0.0
_FLAGS = frozenset({0, 1})


def warns_of_numbers(values: Iterable[Any], binarize: float | None, *, levels: int) -> bool:
    """Warn if one of some numbers is no flag, unless the threshold was chosen; return whether it did.

    `levels`: how far up the caller stands whom the warning concerns.
    """
    if binarize != _DEFAULT_BINARIZE:
        return False
    for value in values:
        if value in _FLAGS or value != value:  # noqa: PLR0124 - NaN, which is what does not equal itself, is missing
            continue
        warnings.warn(
            f"a number that is neither 0 nor 1, such as {value}, is learned as a flag that is on above 0, because a "
            "tree that forgets compares no numbers with thresholds; choose another threshold by binarize, or make "
            "categories of numbers",
            NumbersAsFlagsWarning,
            stacklevel=levels,
        )
        return True
    return False
