"""Calibration: how often a class was the true one, by the probability that it was given."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
        if answers.scores is None or not len(answers) or answers.scores.shape[1] == 0:
            return
        answered = answers.scores.any(axis=1)
        given, true = (_stepped(values[answered]) for values in self._given_and_true(answers))
        weights = weights[answered]
        place = np.minimum((given * N_BINS).astype(np.int64), N_BINS - 1)
        for row, values in enumerate((weights, weights * given, weights * true)):
            self._sums[row] += np.bincount(place, weights=values, minlength=N_BINS)

    def _given_and_true(self, answers: Answers) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the probability of the class in question, and whether it was the true one (1 / t of t classes)."""
        if self._code is not None:
            given = answers.wide_scores(self._code + 1)[:, self._code]
            return given, (answers.true == self._code).astype(np.float64)
        if answers.best is None:
            scores = answers.wide_scores(int(answers.true.max()) + 1)
            given = scores.max(axis=1)
            among = scores == given[:, np.newaxis]
            true = among[np.arange(len(among)), answers.true] / among.sum(axis=1)
            object.__setattr__(answers, "best", (given, true))
            return given, true
        return answers.best

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


def _stepped(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = np.round(values / _STEP) * _STEP
    return found
