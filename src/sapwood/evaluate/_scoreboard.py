"""All metrics of a stream at once: over all points, over the last ones, and fading."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Answers, Coder, joined
from sapwood.evaluate._calibration import Reliability, ReliabilityCurve
from sapwood.evaluate._memory import Cumulative, Fading, Memory, Statistic, Window
from sapwood.evaluate._roc import Nothing, ScoreHistograms, area_of_parts
from sapwood.evaluate._statistics import Confusion, Losses, Outcomes

__all__ = ["MEMORIES", "METRICS", "Answered", "Scoreboard", "column_of"]

METRICS = ("accuracy", "kappa", "kappa_temporal", "f1", "log_loss", "roc_auc", "calibration_error")
MEMORIES = ("all", "window", "fading")

# The number of probabilities (points times classes) counted at a time, since the bins of each take memory.
_CELLS_AT_ONCE = 1 << 20
# Those that wait to be counted: in about a megabyte.
_CELLS_UNCOUNTED = 1 << 15


def column_of(metric: str, memory: str) -> str:
    """Return what a metric is called in a record: ``accuracy``, ``accuracy_window``, ``accuracy_fading``."""
    return metric if memory == "all" else f"{metric}_{memory}"


@dataclass
class Answered:
    """What a model answered to points that it learned after that, by the names of the classes.

    `probabilities` are a matrix whose columns `classes` names, or None. `numbers` has, in place of `true` and
    `predicted`, the numbers of the classes among `classes`, `NO_ANSWER` for no answer.
    """

    true: list[Hashable] = field(default_factory=list)
    predicted: list[Hashable | None] = field(default_factory=list)
    probabilities: npt.NDArray[np.float64] | None = None
    classes: Sequence[Hashable] = ()
    numbers: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None


class _Side:
    """The metrics over one memory."""

    def __init__(self, memory: str, window: int, fading: float, *, auc: bool) -> None:
        self.outcomes = Outcomes()
        self.losses = Losses()
        self.reliability = Reliability()
        self.histograms = ScoreHistograms()
        self.auc = auc

        def remember(statistic: Statistic) -> Memory:
            if memory == "window":
                return Window(statistic, window)
            return Fading(statistic, fading) if memory == "fading" else Cumulative(statistic)

        self.memories = [remember(self.outcomes), remember(self.losses), remember(self.reliability)]
        if auc:
            self.memories.append(remember(Nothing() if memory == "window" else self.histograms))

    def values(self, positive: int | None) -> dict[str, float]:
        return {
            "accuracy": self.outcomes.accuracy(),
            "kappa": self.outcomes.kappa(),
            "kappa_temporal": self.outcomes.kappa_temporal(),
            "f1": self.outcomes.f1(positive),
            "log_loss": self.losses.mean(),
            "roc_auc": self._area(),
            "calibration_error": self.reliability.error(),
        }

    def _area(self) -> float:
        if not self.auc:
            return math.nan
        last = self.memories[-1]
        return area_of_parts(last.parts) if isinstance(last, Window) else self.histograms.area()


class Scoreboard:
    """Keeps every metric over every memory. Sums are shared, so a point costs less than with a metric each."""

    def __init__(self, window: int, fading: float, positive: Hashable | None, *, auc: bool) -> None:
        self.n = 0
        self._coder = Coder()
        self._positive = None if positive is None else self._coder.code(positive)
        self._sides = {memory: _Side(memory, window, fading, auc=auc) for memory in MEMORIES}
        self._confusion = Confusion()
        self._of_class = (Reliability(0), Reliability(1))  # of the classes, where there are two
        self._uncounted: list[Answers] = []  # of the last three
        self._n_uncounted = 0

    def add(self, *pieces: Answered) -> None:
        """Count the next points of the stream. In how many pieces they come makes no difference, even of rounding."""
        for answers in joined([self._answers(piece) for piece in pieces]):
            step = max(1, _CELLS_AT_ONCE // max(1, len(self._coder)))
            for start in range(0, len(answers), step):
                part = answers[start : start + step]
                for side in self._sides.values():
                    for memory in side.memories:
                        memory.add(part)
            self.n += len(answers)
            # What nobody asks for before the end is counted in larger pieces, which give the same sums.
            self._uncounted.append(answers)
            self._n_uncounted += len(answers) * max(1, len(self._coder))
            if self._n_uncounted >= _CELLS_UNCOUNTED:
                self._count()

    def _count(self) -> None:
        """Count what has not been counted by confusion and class."""
        pieces, self._uncounted, self._n_uncounted = self._uncounted, [], 0
        for answers in joined(pieces):
            for statistic in (self._confusion, *self._of_class):
                statistic.shift_alike(answers, 1.0)

    def _answers(self, answered: Answered) -> Answers:
        coder = self._coder
        if answered.numbers is None:
            true = coder.codes(answered.true)
            predicted = coder.codes(answered.predicted)
        else:
            true, predicted = (coder.codes_of_numbers(answered.classes, numbers) for numbers in answered.numbers)
        scores = answered.probabilities
        if scores is not None:
            scores = coder.scores_in_order(answered.classes, scores)
        return coder.answers(true, predicted, scores)

    def accuracy(self, memory: str = "all") -> float:
        """Return the accuracy alone, which takes no time."""
        return self._sides[memory].outcomes.accuracy()

    def values(self) -> dict[str, float]:
        """Return every metric, by the name of its column."""
        found = {}
        for memory, side in self._sides.items():
            for metric, value in side.values(self._positive).items():
                found[column_of(metric, memory)] = value
        return found

    @property
    def classes(self) -> list[Hashable]:
        """The classes in the order in which they were met."""
        return self._coder.classes

    def reliability(self) -> dict[Hashable | None, ReliabilityCurve]:
        """Return the reliability curves over all points: under None that of the predicted class, then by class.

        Only if there are two classes do they have curves; without probabilities there is no curve at all.
        """
        self._count()
        found: dict[Hashable | None, ReliabilityCurve] = {None: self._sides["all"].reliability.curve()}
        classes = self.classes
        if len(classes) == len(self._of_class):
            for label, statistic in zip(classes, self._of_class, strict=True):
                found[label] = statistic.curve()
        return {label: curve for label, curve in found.items() if not math.isnan(curve.error)}

    def confusion(self) -> dict[tuple[Hashable, Hashable | None], int]:
        """Return how often each class was answered, None for no answer, where each was true; only what occurred."""
        self._count()
        classes = self.classes
        return {
            (classes[true], classes[predicted] if predicted >= 0 else None): int(weight)
            for (true, predicted), weight in sorted(self._confusion.pairs.items())
        }
