"""Which classes there may be: those that are declared before all of their points have come, and how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from sapwood.data.labels import Labels

__all__ = ["check_declared", "check_number_of_classes", "declared"]


def declared(labels: Labels, given: NDArray[Any] | None) -> Labels:
    """Return the labels with the classes that are declared, if they are."""
    if given is None:
        if not labels.declared and not labels.order:
            raise ValueError("classes must be passed on the first call to partial_fit, got None")
        return labels
    if labels.declared:
        if set(given.tolist()) != set(labels.column):
            raise ValueError(f"classes must be the same as before, {_listed(labels.classes)}, got {_listed(given)}")
        return labels
    missing = [label for label in labels.order if label not in set(given.tolist())]
    if missing:
        raise ValueError(f"classes must hold all classes that were learned, got none equal to {missing[0]!r}")
    if len(given) == 0:
        raise ValueError("classes must hold a class, got none")
    return labels.declare(given)


def check_declared(labels: Labels, classes: NDArray[Any]) -> None:
    """Raise ValueError unless the classes of some points are among those of the labels."""
    for label in classes.tolist():
        if label not in labels.column:
            raise ValueError(f"y must hold the classes {_listed(labels.classes)} only, got {label!r}")


def check_number_of_classes(n_classes: int, parameters: Mapping[str, Any]) -> None:
    """Refuse classes that the search cannot tell apart now, not when the first point of one comes."""
    if n_classes > _core.MAX_CLASSES:
        raise ValueError(f"the number of classes must be at most {_core.MAX_CLASSES}, got {n_classes}")
    criterion, search = parameters["criterion"], parameters["search"]
    if search not in _core.searches_for(criterion, max(n_classes, 2)):
        raise ValueError(f"the number of classes must be 2 for {criterion=} with {search=}, got {n_classes}")


def _listed(classes: NDArray[Any]) -> str:
    return np.array2string(classes, threshold=10, separator=", ")
