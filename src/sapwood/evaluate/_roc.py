"""The area under the ROC curve of a stream of scores."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Answers
from sapwood.evaluate._memory import Statistic

__all__ = ["Nothing", "ScoreHistograms", "area_of_parts"]

# The bins are equally wide in log-odds, as models are sure or unsure by factors: 2048 of them, from odds of e^-32 to
# e^32, are 1/32 wide, so that two scores in one bin have odds within 3.2 % of each other.
_BINS = 2048
_FARTHEST = 32.0
_LEAST = math.exp(-_FARTHEST)


class Nothing(Statistic):
    """Keeps nothing: what a window needs that is asked for all of its points."""

    def shift(self, answers: Answers, weights: npt.NDArray[np.float64]) -> None:
        """Add points with weights."""

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight."""

    def scale(self, factor: float) -> None:
        """Multiply every sum."""


class ScoreHistograms(Statistic):
    """For each class how the scores that its points, and all points, were given for it are spread.

    Pairs of scores in one bin count half, as ties do. So an area is off by at most half the share of such pairs, which
    `largest_error` tells.
    """

    def __init__(self) -> None:
        self._own: npt.NDArray[np.float64] = np.zeros((0, _BINS))
        self._all: npt.NDArray[np.float64] = np.zeros((0, _BINS))
        # Points before a class was heard of had score 0 for it, which is in the first bin: each class has all points.
        self._n = 0.0
        self._n_own: npt.NDArray[np.float64] = np.zeros(0)

    def shift(self, answers: Answers, weights: npt.NDArray[np.float64]) -> None:
        """Add points with weights."""
        self._shift(answers, weights)

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight, 1 or -1."""
        # Whole numbers, whether they are counted or added up.
        self._shift(answers, None if weight == 1 else np.full(len(answers), weight))

    def _shift(self, answers: Answers, weights: npt.NDArray[np.float64] | None) -> None:
        """Add points with weights, each 1 if there are none."""
        if answers.scores is None or not len(answers):
            return
        k = max(len(self._own), answers.scores.shape[1], answers.most_classes())
        self._cover(k)
        places = _places_of(answers, k)
        of_true = answers.find(("bins of the true class", k), lambda: places[np.arange(len(answers)), answers.true])
        of_all = None if weights is None else np.repeat(weights, k)
        self._own += np.bincount(of_true, weights, k * _BINS).reshape(k, _BINS)
        self._all += np.bincount(places.reshape(-1), of_all, k * _BINS).reshape(k, _BINS)
        self._n_own += np.bincount(answers.true, weights, k)
        self._n += len(answers) if weights is None else float(weights.sum())

    def scale(self, factor: float) -> None:
        """Multiply every sum."""
        self._own *= factor
        self._all *= factor
        self._n_own *= factor
        self._n *= factor

    def area(self) -> float:
        """Return the mean over the classes of the area of each against the rest; nan if none has both."""
        return self._means()[0]

    def largest_error(self) -> float:
        """Return how far `area` can be from that of the exact scores."""
        return self._means()[1]

    def _cover(self, k: int) -> None:
        more = k - len(self._own)
        if more > 0:
            self._own = np.vstack([self._own, np.zeros((more, _BINS))])
            self._n_own = np.concatenate([self._n_own, np.zeros(more)])
            met_before = np.zeros((more, _BINS))
            met_before[:, 0] = self._n
            self._all = np.vstack([self._all, met_before])

    def _means(self) -> tuple[float, float]:
        # What is left of nothing by rounding is nothing.
        both = (self._n_own > 0) & (self._n - self._n_own > self._n * 1e-12)
        if not both.any():
            return math.nan, math.nan
        own, everyone, n_own = self._own, self._all, self._n_own
        if not both.all():
            own, everyone, n_own = own[both], everyone[both], n_own[both]
        other = np.maximum(everyone - own, 0)
        n_pairs = n_own * (self._n - n_own)
        ties = np.einsum("kb,kb->k", own, other) / 2
        # Half of the ties are below, half above: a running sum up to the middle of each bin.
        in_order = np.einsum("kb,kb->k", own, np.cumsum(other, axis=1)) - ties
        k = len(n_pairs)
        # By itself, as np.mean takes several times as long for a few classes.
        return float((in_order / n_pairs).sum() / k), float((ties / n_pairs).sum() / k)


def area_of_parts(parts: Iterable[Answers]) -> float:
    """Return the exact area over some points: the mean over the classes of that of each against the rest."""
    answered = [part for part in parts if part.scores is not None and len(part)]
    if not answered:
        return math.nan
    true = np.concatenate([part.true for part in answered])
    k = max(int(true.max()) + 1, *(part.wide_scores(0).shape[1] for part in answered), 1)
    scores = np.concatenate([part.wide_scores(k) for part in answered])
    return _mean(_area(scores[:, c], true == c) for c in np.flatnonzero(np.bincount(true)).tolist())


def _area(scores: npt.NDArray[np.float64], own: npt.NDArray[np.bool_]) -> float:
    """Return the share of pairs of a point of a class and one of the rest that are in order; ties count half."""
    n_own = int(own.sum())
    n_other = len(own) - n_own
    if n_own == 0 or n_other == 0:
        return math.nan
    other = np.sort(scores[~own])
    # Places of numbers in order are found far sooner.
    mine = np.sort(scores[own])
    below = np.searchsorted(other, mine, side="left")
    not_above = np.searchsorted(other, mine, side="right")
    return float(below.sum() + not_above.sum()) / (2 * n_own * n_other)


def _places_of(answers: Answers, k: int) -> npt.NDArray[np.int64]:
    """Return the bin of each score, those of one class after those of another; found once for several histograms."""
    return answers.find(("bins", k), lambda: _bins_of(answers.wide_scores(k)) + np.arange(k) * _BINS)


def _bins_of(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    clipped = np.clip(scores, _LEAST, 1 - _LEAST)
    odds = np.log(clipped) - np.log1p(-clipped)
    place = ((odds + _FARTHEST) * (_BINS / (2 * _FARTHEST))).astype(np.int64)
    return np.clip(place, 0, _BINS - 1)


def _mean(values: Iterable[float]) -> float:
    numbers = [value for value in values if not math.isnan(value)]
    return math.fsum(numbers) / len(numbers) if numbers else math.nan
