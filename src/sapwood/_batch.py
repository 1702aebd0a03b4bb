"""Points to learn from: their features, labels and weights, all checked before the first is learned."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike, NDArray

    from sapwood._rows import Columns, Rows

LARGEST_WEIGHT = 2**31 - 1


class Batch(NamedTuple):
    """Points to learn from, all checked."""

    rows: Rows
    classes: NDArray[Any]
    """The distinct labels of the points."""
    codes: NDArray[np.intp]
    """The number of the label of each point among them."""
    weights: NDArray[np.int32] | None
    columns: Columns

    def order(self, n_rows: int | None = None) -> list[Hashable]:
        """Return the labels of the points, or of the first so many, by first appearance; a weight of 0 is none."""
        codes = self.codes[:n_rows]
        if self.weights is not None:
            codes = codes[self.weights[:n_rows] > 0]
        found, first = np.unique(codes, return_index=True)
        names = self.classes.tolist()
        return [names[code] for code in found[np.argsort(first)].tolist()]

    def rows_of(self, n_points: int) -> int:
        """Return how many rows have been learned once so many points, by weight, have."""
        if self.weights is None:
            return n_points
        return int(np.searchsorted(np.cumsum(self.weights, dtype=np.int64), n_points, side="right"))


def checked_labels(y: ArrayLike) -> NDArray[Any]:
    """Return labels as an array of one dimension, in which every number is whole and finite."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    if labels.dtype.kind in "fc":
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    return labels


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
