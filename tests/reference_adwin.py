"""ADWIN as plain Python that keeps every value: the twin of the compiled one."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray


class ReferenceAdwin:
    """The window as a list of values; everything is added up from them when it is asked for."""

    def __init__(
        self,
        delta: float = 0.002,
        clock: int = 32,
        max_buckets: int = 5,
        min_window_length: int = 5,
        grace_period: int = 10,
    ) -> None:
        self.delta, self.clock, self.max_buckets = delta, clock, max_buckets
        self.least, self.grace_period = min_window_length, grace_period
        # The values, the oldest first, and how many of them each bucket has.
        self.values: list[float] = []
        self.sizes: list[int] = []
        self.n_seen = 0
        self.n_detections = 0
        self.drift_detected = False
        self.rose = False

    @property
    def width(self) -> int:
        return len(self.values)

    @property
    def total(self) -> float:
        return float(np.sum(self.values))

    @property
    def mean(self) -> float:
        return float(np.mean(self.values)) if self.values else 0.0

    @property
    def variance(self) -> float:
        return float(np.var(self.values)) if self.values else 0.0

    def update(self, x: float) -> None:
        self.n_seen += 1
        self.values.append(float(x))
        self.sizes.append(1)
        size = 1
        while self.sizes.count(size) > self.max_buckets:
            first = self.sizes.index(size)
            self.sizes[first : first + 2] = [2 * size]
            size *= 2
        self.drift_detected = self.rose = False
        if self.n_seen % self.clock == 0 and self.width > self.grace_period:
            before = self.mean
            while self.shows_change():
                self.drift_detected = True
                del self.values[: self.sizes.pop(0)]
            self.rose = self.drift_detected and self.mean > before
            self.n_detections += self.drift_detected

    def shows_change(self) -> bool:
        values: NDArray[np.float64] = np.array(self.values)
        variance = values.var()
        border = 0
        for size in self.sizes:
            border += size
            old, new = values[:border], values[border:]
            if min(len(old), len(new)) < self.least:
                continue
            rate = 1 / (len(old) - self.least + 1) + 1 / (len(new) - self.least + 1)
            logarithm = log(2 * log(len(values)) / self.delta)
            if abs(old.mean() - new.mean()) > sqrt(2 * variance * logarithm * rate) + 2 / 3 * logarithm * rate:
                return True
        return False
