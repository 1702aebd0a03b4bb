"""The intervals of the values of a number, in plain Python."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from reference_models import Counts

MOST_INTERVALS = 64


@dataclass
class Interval:
    """Values that are not told apart, and the number of the gap below them."""

    low: float
    high: float
    counts: Counts
    gap: int = 0


@dataclass
class Intervals:
    """At most 64 intervals of the values of a number at a node; a gap that is divided goes on as its lower part."""

    of: list[Interval] = field(default_factory=list)
    n_gaps: int = 0
    kept: float | None = None

    def add(self, value: float, label: int, times: int, n_classes: int) -> None:
        """Count a value; a new one has an interval of its own, for which the two lightest neighbours become one."""
        for each in self.of:
            if each.low <= value <= each.high:
                each.counts[label] += times
                return
        made = Interval(value, value, [0] * n_classes)
        made.counts[label] = times
        self._insert(made)
        self._unite_lightest()

    def add_bins(self, bins: list[tuple[float, float, Counts]]) -> None:
        """Count bins, ascending: one that overlaps intervals is one with them; then the lightest become one."""
        for low, high, counts in bins:
            here = [each for each in self.of if each.high >= low and each.low <= high]
            if not here:
                self._insert(Interval(low, high, list(counts)))
                continue
            first, *gone = here
            first.low, first.high = min(first.low, low), max(here[-1].high, high)
            for other in (*(each.counts for each in gone), counts):
                first.counts = [a + b for a, b in zip(first.counts, other, strict=True)]
            self.of = [each for each in self.of if not any(each is other for other in gone)]
        self._unite_lightest()

    def _insert(self, made: Interval) -> None:
        i = sum(each.high < made.low for each in self.of)
        if self.of:
            self.n_gaps += 1
            if i == len(self.of):
                made.gap = self.n_gaps
            else:
                made.gap, self.of[i].gap = self.of[i].gap, self.n_gaps
        self.of.insert(i, made)

    def _unite_lightest(self) -> None:
        """Make one of the two neighbours with the fewest points, but not across what is kept, until there is room."""
        while len(self.of) > MOST_INTERVALS:
            pairs = [
                j
                for j in range(len(self.of) - 1)
                if self.kept is None or not self.of[j].high <= self.kept < self.of[j + 1].low
            ]
            j = min(pairs, key=lambda j: (sum(self.of[j].counts) + sum(self.of[j + 1].counts), j))
            gone = self.of.pop(j + 1)
            self.of[j].high = gone.high
            self.of[j].counts = [a + b for a, b in zip(self.of[j].counts, gone.counts, strict=True)]

    def threshold(self, i: int) -> float:
        """Return a number between two intervals: the one that is kept, or else the middle."""
        below, above = self.of[i].high, self.of[i + 1].low
        if self.kept is not None and below <= self.kept < above:
            return self.kept
        middle = below + (above - below) / 2
        if not math.isfinite(middle):
            middle = below / 2 + above / 2
        return middle if below <= middle < above else below

    def gap_of(self, threshold: float) -> int | None:
        """Return the number of the gap that a threshold is in."""
        for below, above in zip(self.of, self.of[1:], strict=False):
            if below.high <= threshold < above.low:
                return above.gap
        return None
