"""What a learner answers: for one point, and for points before it learned them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray
    from typing_extensions import Self

    from sapwood.data.labels import Labels

__all__ = ["Answers", "by_class", "most_probable"]


def most_probable(labels: Labels, probabilities: list[float]) -> Hashable:
    """Return the class with the largest probability, of several the first in ``labels.classes``; None if none is."""
    if not probabilities:
        return None
    # The core has two classes at least; the second may not have been met.
    probabilities = probabilities[: len(labels.order)]
    largest = max(probabilities)
    if probabilities.count(largest) == 1:
        return labels.order[probabilities.index(largest)]
    tied = [label for label, each in zip(labels.order, probabilities, strict=False) if each == largest]
    return min(tied, key=labels.column.__getitem__)


def by_class(labels: Labels, probabilities: list[float]) -> dict[Hashable, float]:
    """Return the probability of each class, in the order of ``labels.classes``; an empty dict if there is none."""
    if not probabilities:
        return {}
    if len(labels.order) == 1:
        probabilities = [1.0]
    # The labels may be newer than the probabilities: what these did not know is not met.
    answers = dict.fromkeys(labels.column, 0.0)
    answers.update(zip(labels.order, probabilities, strict=False))
    return answers


class Answers(NamedTuple):
    """The predictions of a learner for points before it learned them, by the numbers of the classes."""

    classes: tuple[Hashable, ...]
    """The classes by number, as they are known after the last point."""
    true: NDArray[np.int64]
    predicted: NDArray[np.int64]
    """-1 where no class had been met."""
    probabilities: NDArray[np.float64]
    """One column per class; a class that had not been met has probability 0."""

    @classmethod
    def of_core(
        cls,
        classes: tuple[Hashable, ...],
        n_known: int,
        predicted: NDArray[Any],
        probabilities: NDArray[np.float64],
        true: NDArray[Any],
    ) -> Self:
        """Return the answers of a tree of the core, which had met `n_known` classes before the first point."""
        true = true.astype(np.int64)
        # The core has two classes at least. Before the second was met the first has all probability, before that none.
        known = _known_before(true, n_known)
        probabilities[known == 0] = 0
        probabilities[known == 1] = np.arange(probabilities.shape[1]) == 0
        # The number of the last class that is known; of none it is -1.
        answered = np.minimum(predicted.astype(np.int64), known - 1)
        return cls(classes, true, answered, probabilities[:, : len(classes)])


def _known_before(labels: NDArray[np.int64], n_known: int) -> NDArray[np.int64]:
    """Return how many classes the tree had met before each point. They are numbered as they are met."""
    met = np.concatenate(([n_known - 1], labels[:-1]))
    return np.maximum.accumulate(met) + 1
