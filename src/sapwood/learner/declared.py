"""Classes that are declared before all of their points have come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood.data.labels import Labels

__all__ = ["check_declared", "declared"]


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


def _listed(classes: NDArray[Any]) -> str:
    return np.array2string(classes, threshold=10, separator=", ")
