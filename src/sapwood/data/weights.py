"""How often points count: non-negative integers."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LARGEST_WEIGHT", "checked_weights", "weight_of_one"]

LARGEST_WEIGHT = 2**31 - 1


def checked_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.int32] | None:
    """Return the weights of points, non-negative integers, in the type of the core."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.ndim == 0:
        weights = np.broadcast_to(weights, (n,))
    if weights.shape != (n,):
        raise ValueError(f"sample_weight must have one weight for each of the {n} rows of X, got shape {weights.shape}")
    if weights.dtype.kind == "O":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("sample_weight must hold numbers, got other objects") from None
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"sample_weight must hold numbers, got an array of {weights.dtype}")
    right = (weights >= 0) & (weights <= LARGEST_WEIGHT)
    if weights.dtype.kind == "f":
        right &= np.floor(weights) == weights
    if not right.all():
        wrong = weights[np.argmin(right)].item()
        raise ValueError(f"sample_weight must hold non-negative integers up to {LARGEST_WEIGHT}, got {wrong!r}")
    return np.ascontiguousarray(weights, dtype=np.int32)


def weight_of_one(w: Any) -> int:
    """Return the weight of one point, a non-negative integer, of whatever type."""
    wanted = f"w must be a non-negative integer up to {LARGEST_WEIGHT}, got {w!r}"
    if not isinstance(w, (Real, np.bool_)):
        raise TypeError(wanted)
    try:
        weight = float(w)
    except OverflowError:
        weight = math.inf
    # NaN is in no range.
    if not 0 <= weight <= LARGEST_WEIGHT or not weight.is_integer():
        raise ValueError(wanted)
    return int(weight)
