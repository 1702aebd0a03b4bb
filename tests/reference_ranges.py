"""What the models of leaves see of a number, in plain Python: the ranges that it is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from reference_intervals import Intervals

# Of each kind the ranges, and the values after which it is made. The first has features for its edges.
KINDS = ((6, 8), (18, 64), (54, 512))
MOST_SHARES = 4
TIMES_BETTER = 2


@dataclass
class Division:
    """Ranges up to each of some edges and one above, or edges; a feature is a slot."""

    of_edges: bool
    edges: list[float]
    slots: list[int] = field(default_factory=list)

    def range_of(self, value: float) -> int:
        """Return the range that a value is in."""
        return sum(edge < value for edge in self.edges)

    @property
    def n_slots(self) -> int:
        """The features that it has."""
        return 2 * len(self.edges) if self.of_edges else len(self.edges) + 1

    def on(self, value: float) -> list[int]:
        """Return the features that are on for a value."""
        if not self.of_edges:
            return [self.slots[self.range_of(value)]]
        above, not_above = self.slots[: len(self.edges)], self.slots[len(self.edges) :]
        return [(above if value > edge else not_above)[b] for b, edge in enumerate(self.edges)]

    def largest_share(self, values: Intervals) -> float:
        """Return the share of some values that the fullest range has; an interval is where its lower end is."""
        held = [0] * (len(self.edges) + 1)
        for each in values.of:
            held[self.range_of(each.low)] += each.counts[0]
        return max(held) / sum(held)


def divided(values: Intervals, n_ranges: int) -> list[float]:
    """Return edges that leave about as many values in each range; all thresholds if they are few."""
    n = sum(each.counts[0] for each in values.of)
    edges: list[float] = []
    below = 0
    for i, each in enumerate(values.of[:-1]):
        below += each.counts[0]
        is_due = len(values.of) <= n_ranges or below * n_ranges >= (len(edges) + 1) * n
        if is_due and len(edges) + 1 < n_ranges:
            edges.append(values.threshold(i))
    return edges


@dataclass
class Ranges:
    """The ranges of one number, from the value on that was the first to differ."""

    n: int = 0
    recent: Intervals = field(default_factory=Intervals)
    used: dict[int, Division] = field(default_factory=dict)

    def meet(self, value: float, reserve: Callable[[], int]) -> None:
        """Note a value; after a power of two of them, divide anew what is no longer divided."""
        self.n += 1
        self.recent.add(value, 0, 1, 1)
        if self.n & (self.n - 1):
            return
        self.review(reserve)
        if self.n >= KINDS[-1][1]:
            self.recent = Intervals()

    def review(self, reserve: Callable[[], int]) -> None:
        """Divide anew what is not divided by the recent values, or no longer."""
        for kind, (n_ranges, made_after) in enumerate(KINDS):
            tells_all = len(self.recent.of) <= (KINDS[kind - 1][0] if kind else 1)
            if self.n < made_after or tells_all:
                continue
            made = Division(kind == 0, divided(self.recent, n_ranges))
            if kind in self.used:
                largest = self.used[kind].largest_share(self.recent)
                if largest * n_ranges <= MOST_SHARES or largest < TIMES_BETTER * made.largest_share(self.recent):
                    continue
            made.slots = [reserve() for _ in range(made.n_slots)]
            self.used[kind] = made

    def on(self, value: float) -> list[int]:
        """Return the features that are on for a value."""
        return [slot for kind in sorted(self.used) for slot in self.used[kind].on(value)]


@dataclass
class KnownNumber:
    """What is known of a number: its first value, whether it differed, and in which points it was."""

    presence: int
    first: float
    met_after: int
    n_present: int = 0
    varies: bool = False
    ranges: Ranges = field(default_factory=Ranges)

    def meet(self, value: float, reserve: Callable[[], int]) -> None:
        """Note a value that is to be learned."""
        self.varies |= value != self.first
        self.n_present += 1
        if self.varies:
            self.ranges.meet(value, reserve)

    def seen_by_models(self, value: float, n_points: int) -> list[int]:
        """Return what is on: that it is present only if it was ever missing."""
        was_missing = n_points - self.met_after > self.n_present
        return [self.presence] * was_missing + self.ranges.on(value)
