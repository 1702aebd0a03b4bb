"""What a finder is given, as the core has it, and what the core says of it."""

from __future__ import annotations

from numbers import Real
from operator import index
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from sapwood import _core

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["checked_classes", "integers", "raise_named"]


def checked_classes(criterion: object, search: object, alpha: object, n_classes: int) -> int:
    """Return the number of classes of a finder, whose other arguments are of the right types."""
    for name, word in (("criterion", criterion), ("search", search)):
        if not isinstance(word, str):
            raise TypeError(f"SplitFinder: {name} must be a string, got {word!r}")
    if not isinstance(alpha, Real):
        raise TypeError(f"SplitFinder: alpha must be a number, got {alpha!r}")
    try:
        classes = index(n_classes)
    except TypeError:
        raise TypeError(f"SplitFinder: n_classes must be an integer, got {n_classes!r}") from None
    if not 2 <= classes <= _core.MAX_CLASSES:  # noqa: PLR2004 - with one class there is nothing to split
        raise ValueError(f"SplitFinder: n_classes must be from 2 to {_core.MAX_CLASSES}, got {classes}")
    return classes


def integers(name: str, values: ArrayLike, n_dimensions: int) -> NDArray[np.int32]:
    """Return integers as the core has them."""
    array = np.asarray(values)
    if array.size == 0 and array.ndim == n_dimensions:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold integers, got an array of {array.dtype}")
    if array.ndim != n_dimensions:
        raise ValueError(f"{name} must have {n_dimensions} dimensions, got {array.ndim}")
    limit = np.iinfo(np.int32).max
    if array.size and not (array.min() >= 0 and array.max() <= limit):
        wrong = array.min() if array.min() < 0 else array.max()
        raise ValueError(f"{name} must hold numbers from 0 to {limit}, got {wrong}")
    return np.ascontiguousarray(array, dtype=np.int32)


def raise_named(owner: str, error: Exception) -> NoReturn:
    """Raise an error of the core again, under the name that the user called."""
    raise type(error)(f"{owner}: {error}") from None
