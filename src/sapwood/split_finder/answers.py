"""What a split search answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Above", "Among", "Asked", "Counts", "FinderCounts", "Present", "Split", "Trace", "split_of"]

Counts = tuple[tuple[int, ...], tuple[int, ...]]
"""``counts[v][k]``: the number of points of class k in which a feature has the value v."""


class Above(NamedTuple):
    """Whether a number is above a threshold."""

    number: str
    """The name of the number."""
    threshold: float
    """What the number must be above."""
    missing_passes: bool
    """Whether a point without the number counts as above."""


class Among(NamedTuple):
    """Whether a category has one of some values."""

    category: str
    """The name of the category."""
    values: tuple[str, ...]
    """The values, in the order in which they were first seen. A point without the category has none of them."""


class Present(NamedTuple):
    """Whether a point has a number, whatever it is."""

    number: str
    """The name of the number."""


Asked = int | Above | Among | Present
"""What a split asks of a point: the id of a feature, which may be on, or a test of a number or a category."""


class Split(NamedTuple):
    """What is asked of a point, and how well that splits the points seen."""

    feature: Asked
    """The id of the feature; or `Above`, `Among` or `Present`, if it is a number or a category that is asked for."""
    score: float
    """n · impurity(D | feature), in nats for entropy. Smaller is better."""
    gain: float
    """The impurity that the split removes per point: impurity(D) - impurity(D | feature). Larger is better."""
    counts: Counts
    """``counts[v][k]``: the number of points of class k that pass (v = 1), or do not (v = 0)."""

    @property
    def feature_id(self) -> int:
        """The id of the feature.

        Raises
        ------
        TypeError
            If it is a number or a category that is asked for.
        """
        if not isinstance(self.feature, int):
            raise TypeError(f"Split.feature_id: the split must be on a feature, got {self.feature}")
        return self.feature


class Trace(NamedTuple):
    """The best split after each of a series of points."""

    feature: NDArray[np.int64]
    """The feature; -1 where no feature had been seen."""
    score: NDArray[np.float64]
    """The score; NaN where no feature had been seen."""


class FinderCounts(NamedTuple):
    """All that a finder has counted."""

    class_counts: NDArray[np.int32]
    """The number of points of each class."""
    features: NDArray[np.int32]
    """The features seen, ascending."""
    on: NDArray[np.int32]
    """``on[k][i]``: the number of points of class k in which ``features[i]`` is on."""


_KINDS: dict[str, Any] = {"above": Above, "among": Among, "present": Present}


def split_of(found: tuple[Any, ...]) -> Split:
    """Return a split of the core with what it asks in words."""
    asked = found[0]
    if type(asked) is tuple:
        found = (_KINDS[asked[0]](*asked[1:]), *found[1:])
    # What the constructor does in the end, without unpacking the fields and packing them again.
    return tuple.__new__(Split, found)
