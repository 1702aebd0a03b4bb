"""The weights of classes on those of their points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sapwood.data.weights import LARGEST_WEIGHT, balanced, multiplied, of_classes, relative

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sapwood.data import Batch, Labels

__all__ = ["times_class_weight", "weighted", "weighted_in_fit"]


def weighted_in_fit(batch: Batch, class_weight: Any) -> Batch:
    """Return a batch of all points that there are, with the weights of their classes, relative to each other."""
    weights, (classes, codes) = batch.weights, batch.coded
    if class_weight is not None:
        names = classes.tolist()
        is_balanced = class_weight == "balanced"
        of_class = (
            balanced(codes, len(names), weights) if is_balanced else of_classes(class_weight, names, are_all=True)
        )
        weights = multiplied(weights, of_class, codes)
    if weights is None:
        return batch
    if not weights.any():
        what = "sample_weight" if class_weight is None else "sample_weight times class_weight"
        raise ValueError(f"{what} must hold a weight that is not zero, got none")
    return replace(batch, weights=relative(weights), coding=batch.coded)


def weighted(batch: Batch, class_weight: Any, method: str, labels: Labels | None = None) -> Batch:
    """Return a batch with the weights of the classes of its points.

    `method` is what an error names; `labels` may have declared all classes that there will be.
    """
    if class_weight is None:
        return batch
    _refuse_balanced(class_weight, method)
    if labels is not None and labels.declared:
        of_classes(class_weight, labels.classes.tolist(), are_all=True)
    classes, codes = batch.coded
    weights = multiplied(batch.weights, of_classes(class_weight, classes.tolist()), codes)
    return replace(batch, weights=weights, coding=batch.coded)


def times_class_weight(w: float, y: Hashable, class_weight: Any) -> float:
    """Return the weight of one point times that of its class."""
    _refuse_balanced(class_weight, "learn_one")
    weight: float = w * class_weight.get(y, 1)
    if weight > LARGEST_WEIGHT:
        raise ValueError(f"w times class_weight must be a number from 0 to {LARGEST_WEIGHT}, got {weight}")
    return weight


def _refuse_balanced(class_weight: Any, method: str) -> None:
    if class_weight == "balanced":
        # In the words of scikit-learn's SGDClassifier.
        raise ValueError(
            f"class_weight 'balanced' is not supported for {method}. In order to use 'balanced' weights, use "
            "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough sample "
            "of the full training set target to properly estimate the class frequency distributions. Pass the "
            "resulting weights as the class_weight parameter."
        )
