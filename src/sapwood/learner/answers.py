"""What a learner answered for points before it learned them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = ["Answers"]


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
