"""How much points count: non-negative numbers, of points and of classes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["LARGEST_WEIGHT", "balanced", "checked_weights", "multiplied", "of_classes", "relative", "weight_of_one"]

LARGEST_WEIGHT = 2**31 - 1  # the most points that a tree can count
_WANTED = f"numbers from 0 to {LARGEST_WEIGHT}"


def checked_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Return the weights of points, non-negative numbers, in the type of the core."""
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        raise ValueError(f"sample_weight must hold {_WANTED}, got one that is masked")
    # A copy: another thread may change the array at any time, and what is learned must be what was checked.
    try:
        weights = np.array(sample_weight)
    except OverflowError:  # a number beyond every double, among others
        weights = np.array(sample_weight, dtype=object)
    if weights.ndim == 0:
        weights = np.broadcast_to(weights, (n,))
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight must have one weight for every row of X, {n:,} in all, got shape {weights.shape}"
        )
    if weights.dtype.kind not in "biuf":
        for weight in weights.tolist():
            if not isinstance(weight, Real) or not 0 <= _as_float(weight) <= LARGEST_WEIGHT:
                raise ValueError(f"sample_weight must hold {_WANTED}, got {weight!r}")
    return _within("sample_weight must hold", np.ascontiguousarray(weights, dtype=np.float64))


def weight_of_one(w: Any) -> float:
    """Return the weight of one point, a non-negative number, of whatever type."""
    if not isinstance(w, (Real, np.bool_)):
        raise TypeError(f"w must be a number from 0 to {LARGEST_WEIGHT}, got {w!r}")
    weight = _as_float(w)
    # NaN is in no range.
    if not 0 <= weight <= LARGEST_WEIGHT:
        raise ValueError(f"w must be a number from 0 to {LARGEST_WEIGHT}, got {w!r}")
    return weight


def relative(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of all points that there are, as `fit` takes them.

    Whole numbers say how often each point counts, and stay. Others say only how much points count beside each other:
    they are scaled to a mean of 1 over the points that count at all, so that the tree is grown on about as many points
    as there are, whether the weights come as shares of 1 or in thousands.
    """
    if np.array_equal(np.floor(weights), weights):
        return weights
    scaled = weights / weights.max()  # first: the sum of the largest and of the smallest numbers is finite, and not 0
    relative_to_mean: NDArray[np.float64] = scaled / scaled[scaled > 0].mean()
    return relative_to_mean


def of_classes(
    class_weight: Mapping[Hashable, float], classes: Sequence[Hashable], *, are_all: bool = False
) -> NDArray[np.float64]:
    """Return the weight of each class, 1 if it has none of its own.

    If these `are_all` that there will be, a key that is none of them is a mistake where a class has no weight.
    """
    missing = [label for label in classes if label not in class_weight]
    if are_all and missing and len(classes) - len(missing) < len(class_weight):
        unknown = next(key for key in class_weight if key not in set(classes))
        raise ValueError(f"class_weight must have classes for keys, {list(classes)!r:.200}, got {unknown!r}")
    return np.array([class_weight.get(label, 1) for label in classes], dtype=np.float64)


def balanced(codes: NDArray[np.intp], n_classes: int, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the weight of each class that gives all classes the same: their mean share by the share of each.

    A class without points has none to weigh.
    """
    of_class = np.bincount(codes, weights, minlength=n_classes).astype(np.float64)
    met = of_class > 0
    answers: NDArray[np.float64] = np.divide(of_class.sum() / max(1, met.sum()), of_class, where=met, out=met * 1.0)
    return answers


def multiplied(
    weights: NDArray[np.float64] | None, of_class: NDArray[np.float64], codes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the weights of points times those of their classes."""
    by_class: NDArray[np.float64] = of_class[codes]
    if weights is None:
        return by_class
    return _within("sample_weight times class_weight must be", weights * by_class)


def _within(constraint: str, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    right = (weights >= 0) & (weights <= LARGEST_WEIGHT)
    if not right.all():
        wrong = weights[np.argmin(right)].item()
        raise ValueError(f"{constraint} {_WANTED}, got {int(wrong) if wrong.is_integer() else wrong!r}")
    return weights


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
