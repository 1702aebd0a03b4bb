"""Which points of the past count in a metric, and how much: all alike, the last ones, or the later the more."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from functools import partial
from numbers import Integral

import numpy as np
import numpy.typing as npt

from sapwood.evaluate._answers import Answers

__all__ = ["Cumulative", "Fading", "Memory", "Statistic", "Window", "checked_fading", "checked_window", "memory_of"]

# A weight may grow so far before all are made smaller; far from the largest number, which is 1.8e308.
_LARGEST_WEIGHT = 1e100


class Statistic(ABC):
    """Sums over answered points from which metrics are made."""

    @abstractmethod
    def shift(self, answers: Answers, weights: npt.NDArray[np.float64]) -> None:
        """Add points with weights. A point that was added is taken out again by its weight below zero."""

    def shift_alike(self, answers: Answers, weight: float) -> None:
        """Add points that have the same weight, 1 or -1."""
        self.shift(answers, np.full(len(answers), weight))

    @abstractmethod
    def scale(self, factor: float) -> None:
        """Multiply every sum."""


class Memory(ABC):
    """Feeds answered points to a statistic, each with its weight."""

    def __init__(self, statistic: Statistic) -> None:
        self.statistic = statistic

    @abstractmethod
    def add(self, answers: Answers) -> None:
        """Take the next points of the stream."""


class Cumulative(Memory):
    """All points count alike."""

    def add(self, answers: Answers) -> None:
        """Take the next points of the stream."""
        self.statistic.shift_alike(answers, 1.0)


class Window(Memory):
    """The last `size` points count, alike."""

    def __init__(self, statistic: Statistic, size: int) -> None:
        super().__init__(statistic)
        self._size = size
        self._length = 0
        self.parts: deque[Answers] = deque()  # the points in the window, in order

    def add(self, answers: Answers) -> None:
        """Take the next points of the stream."""
        answers = answers[max(0, len(answers) - self._size) :]
        self.parts.append(answers)
        self._length += len(answers)
        self.statistic.shift_alike(answers, 1.0)
        while self._length > self._size:
            old = self.parts.popleft()
            surplus = self._length - self._size
            if len(old) > surplus:
                self.parts.appendleft(old[surplus:])
                old = old[:surplus]
            self._length -= len(old)
            self.statistic.shift_alike(old, -1.0)


class Fading(Memory):
    """A point counts `factor` times as much as the one after it (Gama, Sebastião and Rodrigues, 2013).

    Instead of making all sums smaller at every point, each point is given a larger weight than the one before; metrics
    are ratios of sums, so the scale does not matter.
    """

    def __init__(self, statistic: Statistic, factor: float) -> None:
        super().__init__(statistic)
        self._factor = factor
        self._weight = 1.0  # of the next point
        growth = -math.log(factor)
        self._at_once = max(1, int(math.log(_LARGEST_WEIGHT) / growth)) if growth > 0 else None

    def add(self, answers: Answers) -> None:
        """Take the next points of the stream."""
        step = self._at_once or max(1, len(answers))
        for start in range(0, len(answers), step):
            part = answers[start : start + step]
            if self._weight > _LARGEST_WEIGHT:
                self.statistic.scale(1 / self._weight)
                self._weight = 1.0
            weights = part.find(("fading", self._factor, self._weight), partial(self._weights, len(part)))
            self.statistic.shift(part, weights)
            self._weight = float(weights[-1]) / self._factor

    def _weights(self, n: int) -> npt.NDArray[np.float64]:
        """Return the weights of the next points."""
        found: npt.NDArray[np.float64] = self._weight * self._factor ** -np.arange(n, dtype=np.float64)
        return found


def memory_of(owner: str, statistic: Statistic, window: int | None, fading: float | None) -> Memory:
    """Return the memory that the parameters of a metric ask for."""
    if window is not None and fading is not None:
        raise ValueError(f"{owner}: window must be None where fading is given, got {window!r}")
    if window is not None:
        return Window(statistic, checked_window(owner, window))
    if fading is not None:
        return Fading(statistic, checked_fading(owner, fading))
    return Cumulative(statistic)


def checked_window(owner: str, window: object, name: str = "window") -> int:
    """Return a positive integer."""
    if isinstance(window, bool) or not isinstance(window, Integral):
        raise TypeError(f"{owner}: {name} must be an integer, got {window!r}")
    if window < 1:
        raise ValueError(f"{owner}: {name} must be at least 1, got {window!r}")
    return int(window)


def checked_fading(owner: str, fading: object) -> float:
    """Return a number from above 0 to 1."""
    if isinstance(fading, bool) or not isinstance(fading, (int, float, np.number)):
        raise TypeError(f"{owner}: fading must be a number, got {fading!r}")
    # The inverse must be finite.
    if not _LARGEST_WEIGHT**-1 <= float(fading) <= 1:
        raise ValueError(f"{owner}: fading must be above 0 and at most 1, got {fading!r}")
    return float(fading)
