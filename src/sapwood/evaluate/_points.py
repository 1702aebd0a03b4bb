"""Answered points as arrays: what every metric is made from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["NO_ANSWER", "Answers", "Coder"]

NO_ANSWER = -1  # the code of a prediction that was not made
_LEAST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Answers:
    """A stretch of the stream, each point with what a model answered before it learned it.

    `true` and `predicted` are codes of classes, `NO_ANSWER` where a model had none. `unchanged` says whether the class
    is that of the point before. `scores` are the probabilities, a column a class, and a class without a column has
    probability 0; `losses` their logarithmic losses. Both are None where a model gives no probabilities.
    """

    true: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    unchanged: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None
    losses: npt.NDArray[np.float64] | None

    def __len__(self) -> int:
        return len(self.true)

    def __getitem__(self, part: slice) -> Answers:
        return Answers(
            self.true[part],
            self.predicted[part],
            self.unchanged[part],
            None if self.scores is None else self.scores[part],
            None if self.losses is None else self.losses[part],
        )

    def wide_scores(self, n_classes: int) -> npt.NDArray[np.float64]:
        """Return the probabilities with a column for each of so many classes. There must be probabilities."""
        assert self.scores is not None
        missing = n_classes - self.scores.shape[1]
        return np.pad(self.scores, ((0, 0), (0, missing))) if missing > 0 else self.scores


class Coder:
    """Gives classes numbers in the order in which it meets them, and remembers the class of the last point."""

    def __init__(self) -> None:
        self._code: dict[Hashable, int] = {}
        self._last = NO_ANSWER

    @property
    def classes(self) -> list[Hashable]:
        """The classes in the order of their codes."""
        return list(self._code)

    def __len__(self) -> int:
        return len(self._code)

    def code(self, label: Hashable) -> int:
        """Return the code of a class, a new one if need be."""
        return self._code.setdefault(label, len(self._code))

    def codes(self, labels: Iterable[Hashable]) -> npt.NDArray[np.int64]:
        """Return the codes of classes; of None, which is no class, `NO_ANSWER`."""
        known = self._code
        found = [known.get(label, NO_ANSWER) for label in (labels := list(labels))]
        if NO_ANSWER in found:
            found = [NO_ANSWER if label is None else self.code(label) for label in labels]
        return np.array(found, dtype=np.int64)

    def answers(
        self,
        true: npt.NDArray[np.int64],
        predicted: npt.NDArray[np.int64],
        scores: npt.NDArray[np.float64] | None,
    ) -> Answers:
        """Return the next points of the stream, by codes; the columns of `scores` are in the order of the codes."""
        unchanged = np.empty(len(true), dtype=np.bool_)
        if len(true):
            unchanged[0] = true[0] == self._last
            np.equal(true[1:], true[:-1], out=unchanged[1:])
            self._last = int(true[-1])
        return Answers(true, predicted, unchanged, scores, None if scores is None else _losses(true, scores))

    def scores(self, probabilities: Sequence[Mapping[Hashable, float]]) -> npt.NDArray[np.float64]:
        """Return what models say by the name of the class as a matrix; a class that is not mentioned has 0."""
        for labels in {tuple(given) for given in probabilities}:
            for label in labels:
                self.code(label)
        classes = self.classes
        rows = [[given.get(label, 0.0) for label in classes] for given in probabilities]
        return np.array(rows, dtype=np.float64).reshape(len(probabilities), len(classes))

    def scores_in_order(
        self, classes: Sequence[Hashable], probabilities: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Return probabilities whose columns are in the order of `classes` in that of the codes."""
        columns = self.codes(classes)
        if np.array_equal(columns, np.arange(len(self))):
            return probabilities
        scores = np.zeros((len(probabilities), len(self)))
        scores[:, columns] = probabilities
        return scores


def _losses(true: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    known = true < scores.shape[1]
    given = np.zeros(len(true))
    given[known] = scores[known, true[known]]
    # As scikit-learn clips: the loss of a class held impossible is large, and finite.
    return -np.log(np.clip(given, _LEAST, 1 - _LEAST))
