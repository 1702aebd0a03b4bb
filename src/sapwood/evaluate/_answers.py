"""Answered points as arrays: what every metric is made from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import methodcaller
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["NO_ANSWER", "Answers", "Coder", "as_matrix", "joined"]

NO_ANSWER = -1  # the code of a prediction that was not made
T = TypeVar("T")
_LEAST = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Answers:
    """A stretch of the stream, each point with what a model answered before it learned it.

    `true` and `predicted` are codes of classes, `NO_ANSWER` where a model had none. `unchanged` says whether the class
    is that of the point before. `scores` are the probabilities, one column per class; a class without a column has
    probability 0; `losses` their logarithmic losses. Both are None where a model gives no probabilities.
    """

    true: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    unchanged: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None
    losses: npt.NDArray[np.float64] | None
    found: dict[Hashable, Any] = field(default_factory=dict, compare=False)
    """What statistics have found out about these points, each under a key of its own, for others that ask the same."""

    def __len__(self) -> int:
        return len(self.true)

    def __getitem__(self, part: slice) -> Answers:
        if part.indices(len(self)) == (0, len(self), 1):
            # What has been found out about all of them holds.
            return self
        return Answers(
            self.true[part],
            self.predicted[part],
            self.unchanged[part],
            None if self.scores is None else self.scores[part],
            None if self.losses is None else self.losses[part],
        )

    def find(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what `find` returns, which is called once for a key."""
        if key not in self.found:
            self.found[key] = find()
        known: T = self.found[key]
        return known

    def most_classes(self) -> int:
        """Return the number of classes up to the last that is true of a point; there must be one."""
        return self.find("most classes", lambda: int(self.true.max()) + 1)

    def wide_scores(self, n_classes: int) -> npt.NDArray[np.float64]:
        """Return the probabilities with one column per class. There must be probabilities."""
        assert self.scores is not None
        if self.scores.shape[1] >= n_classes:
            return self.scores
        wide = np.zeros((len(self), n_classes))
        wide[:, : self.scores.shape[1]] = self.scores
        return wide


def joined(pieces: Sequence[Answers]) -> list[Answers]:
    """Return answers to points that follow each other as one; as several where only some have probabilities."""
    groups = [list(group) for _, group in groupby(filter(len, pieces), lambda piece: piece.scores is None)]
    return [_joined(group) for group in groups]


def _joined(pieces: list[Answers]) -> Answers:
    if len(pieces) == 1:
        return pieces[0]
    n_classes = max(0 if piece.scores is None else piece.scores.shape[1] for piece in pieces)
    scored = [(piece.wide_scores(n_classes), piece.losses) for piece in pieces if piece.losses is not None]
    return Answers(
        np.concatenate([piece.true for piece in pieces]),
        np.concatenate([piece.predicted for piece in pieces]),
        np.concatenate([piece.unchanged for piece in pieces]),
        np.concatenate([scores for scores, _ in scored]) if scored else None,
        np.concatenate([losses for _, losses in scored]) if scored else None,
    )


def as_matrix(
    probabilities: Sequence[Mapping[Hashable, float]],
) -> tuple[list[Hashable], npt.NDArray[np.float64], list[Hashable | None]]:
    """Return what models say by the name of the class as a matrix, with the class of each column.

    A class that a mapping does not mention has 0. The last are the most probable classes, of several the first in the
    mapping; None for an empty one.
    """
    classes: dict[Hashable, int] = {}
    parts = []
    best: list[Hashable | None] = []
    # Models name the same classes in the same order for long stretches.
    for names, group in groupby(probabilities, key=tuple):
        same = list(group)
        columns = [classes.setdefault(name, len(classes)) for name in names]
        k = len(names)
        values = np.fromiter(chain.from_iterable(map(_values, same)), np.float64, k * len(same)).reshape(len(same), k)
        parts.append((columns, values))
        best += [names[i] for i in values.argmax(axis=1).tolist()] if k else [None] * len(same)
    matrix = np.zeros((len(probabilities), len(classes)))
    start = 0
    for columns, values in parts:
        matrix[start : start + len(values), columns] = values
        start += len(values)
    return list(classes), matrix, best


_values = methodcaller("values")


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
        labels = list(labels)
        known = self._code
        found = [known.get(label, NO_ANSWER) for label in labels]
        if NO_ANSWER in found:
            found = [NO_ANSWER if label is None else self.code(label) for label in labels]
        return np.array(found, dtype=np.int64)

    def codes_of_numbers(self, classes: Sequence[Hashable], numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the codes of classes that are given by their numbers among `classes`, or as `NO_ANSWER`."""
        known = [self._code.get(label, NO_ANSWER) for label in classes]
        if known == list(range(len(known))):
            return numbers
        # NO_ANSWER, which is -1, is the last place.
        table = np.array([*known, NO_ANSWER], dtype=np.int64)
        codes = table[numbers]
        if NO_ANSWER not in known:
            return codes
        new = numbers[(codes == NO_ANSWER) & (numbers != NO_ANSWER)]
        if len(new) == 0:
            return codes
        for number in dict.fromkeys(new.tolist()):
            table[number] = self.code(classes[number])
        return table[numbers]

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
    if known.all():
        given = scores[np.arange(len(true)), true]
    else:
        given = np.zeros(len(true))
        given[known] = scores[known, true[known]]
    # As scikit-learn clips: the loss of a class held impossible is large, and finite.
    return -np.log(np.clip(given, _LEAST, 1 - _LEAST))
