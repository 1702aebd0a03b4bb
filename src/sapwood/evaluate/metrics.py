"""Metrics of a stream of predictions: over all points, over the last n, or fading.

Each metric takes the predictions one by one, in constant time and memory for a given number of classes. Classes are any
hashable labels and may appear at any time. `None` as a prediction means no prediction, and counts as wrong. A value
that is not defined, such as the area under the ROC curve with one class, is nan.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Coder, as_matrix
from sapwood.evaluate._calibration import Reliability, ReliabilityCurve
from sapwood.evaluate._memory import Statistic, Window, memory_of
from sapwood.evaluate._roc import Nothing, ScoreHistograms, area_of_parts
from sapwood.evaluate._statistics import Confusion, Losses, Outcomes

__all__ = [
    "F1",
    "Accuracy",
    "CalibrationError",
    "ConfusionMatrix",
    "Kappa",
    "KappaTemporal",
    "LogLoss",
    "Metric",
    "ReliabilityCurve",
    "RocAuc",
]

# Points are counted this number at a time, since counting them one by one in NumPy takes longer.
_AT_ONCE = 256


class Metric(ABC):
    """A metric of the predictions for a stream. Without `window` and `fading`, all points count alike.

    Parameters
    ----------
    window : int or None
        Count only the last `window` points.
    fading : float or None
        The factor by which the weight of a point falls with each further point: above 0, at most 1.
    """

    _needs_probabilities = False

    def __init__(self, *, window: int | None = None, fading: float | None = None) -> None:
        self.window = window
        self.fading = fading
        self._memory = memory_of(type(self).__name__, self._make_statistic(), window, fading)
        self._coder = Coder()
        self._waiting: list[tuple[Hashable, Hashable, Mapping[Hashable, float]]] = []

    def update(self, y_true: Hashable, y_pred: Hashable | None, proba: Mapping[Hashable, float] | None = None) -> None:
        """Count the next point: its class, the predicted class and the probability of each class.

        A class that `proba` does not mention has probability 0. Metrics of predictions ignore `proba`, and metrics of
        probabilities ignore `y_pred`. A call that fails changes nothing.
        """
        if y_true is None:
            raise ValueError(f"{type(self).__name__}.update: y_true must be a class, got None")
        probabilities = self._checked(proba) if self._needs_probabilities else {}
        # Found out now if they are no labels, so that what waits can be counted.
        hash(y_true)
        hash(y_pred)
        self._waiting.append((y_true, y_pred, probabilities))
        if len(self._waiting) >= _AT_ONCE:
            self._count()

    @property
    def value(self) -> float:
        """The current value; nan where it is not defined."""
        self._count()
        return self._value()

    @abstractmethod
    def _make_statistic(self) -> Statistic: ...

    @abstractmethod
    def _value(self) -> float: ...

    def _checked(self, proba: Mapping[Hashable, float] | None) -> dict[Hashable, float]:
        if not isinstance(proba, Mapping):
            raise TypeError(f"{type(self).__name__}.update: proba must map each class to a number, got {proba!r}")
        given = {label: float(share) for label, share in proba.items()}
        for label, share in given.items():
            if not 0 <= share <= 1:
                raise ValueError(
                    f"{type(self).__name__}.update: proba must hold numbers from 0 to 1, got {share!r} for {label!r}"
                )
        return given

    def _count(self) -> None:
        """Count the points that wait for it."""
        if not self._waiting:
            return
        true = self._coder.codes(point[0] for point in self._waiting)
        predicted = self._coder.codes(point[1] for point in self._waiting)
        scores = None
        if self._needs_probabilities:
            classes, matrix, _ = as_matrix([point[2] for point in self._waiting])
            scores = self._coder.scores_in_order(classes, matrix)
        self._waiting.clear()
        self._memory.add(self._coder.answers(true, predicted, scores))

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self._parameters().items() if value is not None]
        return f"{type(self).__name__}({', '.join(given)}): {self.value:.6g}"

    def _parameters(self) -> dict[str, object]:
        return {"window": self.window, "fading": self.fading}


class _OfOutcomes(Metric):
    def _make_statistic(self) -> Outcomes:
        self._outcomes = Outcomes()
        return self._outcomes


class Accuracy(_OfOutcomes):
    """The share of points whose class was predicted correctly.

    >>> accuracy = Accuracy(window=2)
    >>> for y_true, y_pred in [("ham", "ham"), ("spam", "ham"), ("spam", "spam")]:
    ...     accuracy.update(y_true, y_pred)
    >>> accuracy.value
    0.5
    """

    def _value(self) -> float:
        return self._outcomes.accuracy()


class Kappa(_OfOutcomes):
    """Cohen's kappa (1960): the accuracy relative to chance predictions with the same class frequencies.

    It is 1 for a model without errors, 0 for one as good as chance, and nan where chance makes no error.
    """

    def _value(self) -> float:
        return self._outcomes.kappa()


class KappaTemporal(_OfOutcomes):
    """The accuracy relative to predicting the class of the last point again (Žliobaitė and others, 2015).

    It is below 0 where repeating the last class is better than the model. At the first point that prediction is wrong.
    """

    def _value(self) -> float:
        return self._outcomes.kappa_temporal()


class F1(_OfOutcomes):
    """The harmonic mean of precision and recall: of one class, or the mean over the classes that occur.

    Parameters
    ----------
    positive : label or None
        The class; None for the mean over all classes that occur as true or predicted.
    window, fading
        As for every metric.
    """

    def __init__(
        self, *, positive: Hashable | None = None, window: int | None = None, fading: float | None = None
    ) -> None:
        super().__init__(window=window, fading=fading)
        self.positive = positive
        if positive is not None:
            self._coder.code(positive)

    def _value(self) -> float:
        return self._outcomes.f1(None if self.positive is None else self._coder.code(self.positive))

    def _parameters(self) -> dict[str, object]:
        return {"positive": self.positive, **super()._parameters()}


class LogLoss(Metric):
    """The mean of minus the logarithm of the predicted probability of the true class, in nats.

    Probabilities are clipped to between 2.2e-16 and 1 − 2.2e-16, as in scikit-learn, so a true class with probability
    0 costs 36.04 rather than infinity.
    """

    _needs_probabilities = True

    def _make_statistic(self) -> Losses:
        self._losses = Losses()
        return self._losses

    def _value(self) -> float:
        return self._losses.mean()


class RocAuc(Metric):
    """The area under the ROC curve: the mean over the classes of the area of each class against the rest.

    For two classes whose probabilities add up to 1, the areas of both are the same. Over a window it is exact (the
    prequential AUC of Brzeziński and Stefanowski, 2017). Over all points, or fading, scores are counted in 2048 bins of
    their log-odds, and two scores in one bin count as equal; `largest_error` bounds the error of that. Over a few dozen
    points, many of which have nearly the same score, it can be a hundredth or two; over thousands it is far less.
    """

    _needs_probabilities = True

    def _make_statistic(self) -> Statistic:
        self._histograms = ScoreHistograms()
        return Nothing() if self.window is not None else self._histograms

    def _value(self) -> float:
        if isinstance(self._memory, Window):
            return area_of_parts(self._memory.parts)
        return self._histograms.area()

    @property
    def largest_error(self) -> float:
        """A bound on the error of `value` that comes from the bins; 0 over a window."""
        self._count()
        return 0.0 if isinstance(self._memory, Window) else self._histograms.largest_error()


class CalibrationError(Metric):
    """The expected calibration error: how far the probability of the most probable class is from how often it is right.

    Points are put in ten bins of equal width by that probability; in each, the mean of it is compared with the share of
    points that are of that class, and the differences are averaged over the points (Guo and others, 2017). A model
    whose 0.8 comes true in eight of ten points has 0. Points without an answer are left out. `curve` has the bins.
    """

    _needs_probabilities = True

    def _make_statistic(self) -> Reliability:
        self._reliability = Reliability()
        return self._reliability

    def _value(self) -> float:
        return self._reliability.error()

    @property
    def curve(self) -> ReliabilityCurve:
        """The reliability curve: for each bin the points, the mean probability and the share that came true."""
        self._count()
        return self._reliability.curve()


class ConfusionMatrix(Metric):
    """The number of points per true and predicted class; its value is the accuracy."""

    def _make_statistic(self) -> Confusion:
        self._confusion = Confusion()
        return self._confusion

    def _value(self) -> float:
        total = sum(self._confusion.pairs.values())
        right = sum(weight for (true, predicted), weight in self._confusion.pairs.items() if true == predicted)
        return right / total if total > 0 else float("nan")

    @property
    def classes(self) -> list[Hashable]:
        """The classes met so far, in the order of appearance."""
        self._count()
        return self._coder.classes

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """The matrix: one row per true class, one column per predicted class, and a last column for no prediction.

        The sum is the number of points. A fading matrix holds shares, whose sum is 1.
        """
        self._count()
        k = len(self._coder)
        matrix = np.zeros((k, k + 1))
        for (true, predicted), weight in self._confusion.pairs.items():
            matrix[true, predicted if predicted >= 0 else k] = weight
        return matrix / matrix.sum() if self.fading is not None and matrix.any() else matrix
