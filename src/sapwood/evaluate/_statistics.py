"""The sums that metrics are made from, and the formulas."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Answers
from sapwood.evaluate._memory import Statistic

__all__ = ["Confusion", "Losses", "Outcomes"]

_Sums = npt.NDArray[np.float64]
_FEW_PAIRS = 4096
_ROUNDING = 1e-12  # what differs from 1 by less is 1


class _OutcomeSums(NamedTuple):
    """What points add to `Outcomes`."""

    n: float
    right: float
    unchanged: float
    true: _Sums
    predicted: _Sums
    """One place further, so that no answer is in the first."""
    both: _Sums

    def times(self, factor: float) -> _OutcomeSums:
        """Return every sum multiplied."""
        n, right, unchanged, true, predicted, both = self
        sums = n * factor, right * factor, unchanged * factor
        return _OutcomeSums(*sums, true * factor, predicted * factor, both * factor)


class Outcomes(Statistic):
    """How often each class was true, predicted, and both."""

    def __init__(self) -> None:
        self.n = 0.0
        self.right = 0.0
        self.unchanged = 0.0
        self.true: _Sums = np.zeros(0)
        self.predicted: _Sums = np.zeros(0)
        self.both: _Sums = np.zeros(0)

    def shift(self, answers: Answers, weights: _Sums) -> None:
        """Add points with weights."""
        self._add(_sums_of(answers, weights))

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight, 1 or -1."""
        # Whole numbers, and so the same with either sign.
        counts = answers.find("outcomes", lambda: _counts_of(answers))
        self._add(counts if weight == 1 else counts.times(weight))

    def _add(self, more: _OutcomeSums) -> None:
        self.n += more.n
        self.right += more.right
        self.unchanged += more.unchanged
        self.true = _plus(self.true, more.true)
        self.predicted = _plus(self.predicted, more.predicted)
        self.both = _plus(self.both, more.both)

    def scale(self, factor: float) -> None:
        """Multiply every sum."""
        self.n *= factor
        self.right *= factor
        self.unchanged *= factor
        self.true *= factor
        self.predicted *= factor
        self.both *= factor

    def accuracy(self) -> float:
        """Return the share of points whose class was predicted."""
        return self.right / self.n if self.n > 0 else math.nan

    def kappa(self) -> float:
        """Return Cohen's kappa: 1 minus the share of errors over that expected of independent answers."""
        if self.n <= 0:
            return math.nan
        k = min(len(self.true), len(self.predicted) - 1)
        by_chance = float(self.true[:k] @ self.predicted[1 : k + 1]) / self.n**2
        return _beyond(self.right / self.n, by_chance)

    def kappa_temporal(self) -> float:
        """Return 1 minus the share of errors over that of answering with the class of the point before."""
        return _beyond(self.right / self.n, self.unchanged / self.n) if self.n > 0 else math.nan

    def f1(self, positive: int | None = None) -> float:
        """Return the harmonic mean of precision and recall of a class; of None, the mean over classes that occur."""
        k = max(len(self.true), len(self.predicted) - 1)
        if self.n <= 0:
            return math.nan
        occurs = _wide(self.true, k) + _wide(self.predicted[1:], k)
        both = _wide(self.both, k)
        if positive is not None:
            at_all = positive < k and occurs[positive] > 0
            return float(2 * both[positive] / occurs[positive]) if at_all else math.nan
        there = occurs > 0
        if not there.all():
            occurs, both = occurs[there], both[there]
        # By itself, as np.mean takes several times as long for a few classes.
        return float((2 * both / occurs).sum() / len(occurs)) if len(occurs) else math.nan


class Losses(Statistic):
    """The sum of logarithmic losses.

    What leaves a window is taken out of the sum as it was added; that the roundings of both do not add up without
    bound, the sum is kept in two parts (Neumaier, 1974).
    """

    def __init__(self) -> None:
        self.n = 0.0
        self._sum = 0.0
        self._rest = 0.0

    def shift(self, answers: Answers, weights: _Sums) -> None:
        """Add points with weights."""
        if answers.losses is None:
            return
        self._add(float(weights.sum()), math.fsum((answers.losses * weights).tolist()))

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight, 1 or -1."""
        losses = answers.losses
        if losses is None:
            return
        # Rounded once, and so the same with either sign.
        self._add(weight * len(answers), weight * answers.find("losses", lambda: math.fsum(losses.tolist())))

    def _add(self, n: float, term: float) -> None:
        self.n += n
        total = self._sum + term
        large, small = (self._sum, term) if abs(self._sum) >= abs(term) else (term, self._sum)
        self._rest += (large - total) + small
        self._sum = total

    def scale(self, factor: float) -> None:
        """Multiply every sum."""
        self.n *= factor
        self._sum *= factor
        self._rest *= factor

    def mean(self) -> float:
        """Return the mean loss, in nats."""
        return (self._sum + self._rest) / self.n if self.n > 0 else math.nan


class Confusion(Statistic):
    """How often each class was answered where each was true. Takes memory by the pairs that occur."""

    def __init__(self) -> None:
        self.pairs: dict[tuple[int, int], float] = {}

    def shift(self, answers: Answers, weights: _Sums) -> None:
        """Add points with weights."""
        if not len(answers):
            return
        width = int(answers.predicted.max()) + 2
        keys = answers.true * width + answers.predicted + 1
        # Few pairs are counted in place; a table of many would be larger than the points.
        if int(keys.max()) < _FEW_PAIRS:
            sums = np.bincount(keys, weights=weights)
            found = np.flatnonzero(sums)
            sums = sums[found]
        else:
            found, place = np.unique(keys, return_inverse=True)
            sums = np.bincount(place.reshape(-1), weights=weights)
        for key, weight in zip(found.tolist(), sums.tolist(), strict=True):
            pair = (key // width, key % width - 1)
            total = self.pairs.get(pair, 0.0) + weight
            if total == 0:
                self.pairs.pop(pair, None)
            else:
                self.pairs[pair] = total

    def scale(self, factor: float) -> None:
        """Multiply every sum."""
        self.pairs = {pair: weight * factor for pair, weight in self.pairs.items()}


def _beyond(share: float, reference: float) -> float:
    """Return how much of what a reference leaves to be done was done; nan where it leaves nothing."""
    left = 1 - reference
    return (share - reference) / left if left > _ROUNDING else math.nan


def _sums_of(answers: Answers, weights: _Sums) -> _OutcomeSums:
    true, predicted, unchanged = answers.true, answers.predicted, answers.unchanged
    right = answers.find("right", lambda: true == predicted)
    of_right = weights[right]
    return _OutcomeSums(
        float(weights.sum()),
        float(of_right.sum()),
        float(weights[unchanged].sum()),
        _counts(true, weights),
        _counts(predicted + 1, weights),
        _counts(true[right], of_right),
    )


def _counts_of(answers: Answers) -> _OutcomeSums:
    """Return the sums of points of weight 1: the same numbers, found sooner."""
    true, predicted = answers.true, answers.predicted
    right = answers.find("right", lambda: true == predicted)
    return _OutcomeSums(
        float(len(answers)),
        float(np.count_nonzero(right)),
        float(np.count_nonzero(answers.unchanged)),
        np.bincount(true).astype(np.float64),
        np.bincount(predicted + 1).astype(np.float64),
        np.bincount(true[right]).astype(np.float64),
    )


def _counts(places: npt.NDArray[np.int64], weights: _Sums) -> _Sums:
    # Of no places at all the counts are integers.
    return np.bincount(places, weights=weights).astype(np.float64, copy=False)


def _plus(sums: _Sums, more: _Sums) -> _Sums:
    if len(sums) == len(more):
        return sums + more
    k = max(len(sums), len(more))
    return _wide(sums, k) + _wide(more, k)


def _wide(sums: _Sums, k: int) -> _Sums:
    if len(sums) == k:
        return sums
    wide = np.zeros(k)
    wide[: len(sums)] = sums
    return wide
