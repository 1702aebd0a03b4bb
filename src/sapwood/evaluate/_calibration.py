"""Calibration: how often a class was the true one, by the probability that it was given."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Answers
from sapwood.evaluate._memory import Statistic

__all__ = ["N_BINS", "Reliability", "ReliabilityCurve"]

# As many as in Guo and others (2017), whose error with bins of equal width this is.
N_BINS = 10
# Probabilities are added up in steps of this, so that sums of up to 2^29 points are exact: in whatever pieces points
# come, and when a window takes them out again.
_STEP = 2.0**-24


@dataclass(frozen=True)
class ReliabilityCurve:
    """Points in ten bins of equal width by the probability of a class: their number, mean probability and true share.

    In an empty bin `mean` and `share` are nan. `error` is the expected calibration error: the mean over the points of
    the distance between the two in their bin.
    """

    n: tuple[float, ...]
    mean: tuple[float, ...]
    """The mean of the probabilities that were given."""
    share: tuple[float, ...]
    """The share of the points that were of the class."""
    error: float


class _Binned(NamedTuple):
    """Points in their bins."""

    answered: npt.NDArray[np.bool_] | None
    """Which points had an answer, None if all had one; the others are in no bin."""
    place: npt.NDArray[np.int64]
    given: npt.NDArray[np.float64]
    true: npt.NDArray[np.float64]


class Reliability(Statistic):
    """The sums that a reliability curve is made from: of the most probable class, or of one class.

    If t classes share the largest probability, a point of one of them counts as 1 / t right, so that the order of the
    classes makes no difference. A point without an answer, with all probabilities 0, is left out.
    """

    def __init__(self, code: int | None = None) -> None:
        self._code = code
        self._sums = np.zeros((3, N_BINS))  # points, their probabilities, those that came true

    def shift(self, answers: Answers, weights: npt.NDArray[np.float64]) -> None:
        """Add points with weights."""
        if _has_scores(answers):
            self._sums += self._sums_of(answers, weights)

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight, 1 or -1."""
        if _has_scores(answers):
            key = "sums of a reliability curve", self._code
            # Exact, and so the same with either sign.
            self._sums += weight * answers.find(key, lambda: self._sums_of(answers, np.ones(len(answers))))

    def _sums_of(self, answers: Answers, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the points, their probabilities and those that came true, by bin."""
        binned = answers.find(("bins of a reliability curve", self._code), lambda: self._binned(answers))
        answered, place, given, true = binned
        if answered is not None:
            weights = weights[answered]
        rows = weights, weights * given, weights * true
        return np.array([np.bincount(place, weights=row, minlength=N_BINS) for row in rows])

    def _binned(self, answers: Answers) -> _Binned:
        answered = answers.find("answered", lambda: _answered(answers))
        given, true = self._given_and_true(answers)
        if answered is not None:
            given, true = given[answered], true[answered]
        given, true = _stepped(given), _stepped(true)
        return _Binned(answered, np.minimum((given * N_BINS).astype(np.int64), N_BINS - 1), given, true)

    def _given_and_true(self, answers: Answers) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the probability of the class in question, and whether it was the true one (1 / t of t classes)."""
        if self._code is not None:
            given = answers.wide_scores(self._code + 1)[:, self._code]
            return given, (answers.true == self._code).astype(np.float64)
        # By class, as NumPy goes through few long rows far sooner than through many short ones.
        scores = np.ascontiguousarray(answers.wide_scores(answers.most_classes()).T)
        given = scores.max(axis=0)
        among = scores == given
        return given, among[answers.true, np.arange(len(given))] / among.sum(axis=0)

    def scale(self, factor: float) -> None:
        """Multiply every sum."""
        self._sums *= factor

    def error(self) -> float:
        """Return the expected calibration error; nan if there is no point."""
        n, given, true = self._sums
        total = n.sum()
        return float(np.abs(given - true).sum() / total) if total > 0 else math.nan

    def curve(self) -> ReliabilityCurve:
        """Return the curve."""
        n, given, true = self._sums
        with np.errstate(invalid="ignore"):
            mean, share = np.where(n > 0, given / n, np.nan), np.where(n > 0, true / n, np.nan)
        return ReliabilityCurve(tuple(n.tolist()), tuple(mean.tolist()), tuple(share.tolist()), self.error())


def _has_scores(answers: Answers) -> bool:
    return answers.scores is not None and len(answers) > 0 and answers.scores.shape[1] > 0


def _answered(answers: Answers) -> npt.NDArray[np.bool_] | None:
    """Return which points had an answer; None if all had one, as all but the first have."""
    assert answers.scores is not None
    answered: npt.NDArray[np.bool_] = np.any(np.ascontiguousarray(answers.scores.T), axis=0)
    return None if answered.all() else answered


def _stepped(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = np.round(values / _STEP) * _STEP
    return found
