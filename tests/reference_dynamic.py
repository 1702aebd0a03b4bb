"""ID3 in plain Python, over all points at once: what a tree that forgets must be after any additions and removals.

Nothing is kept from one call to the next. A point is a set of features and a label. Scores are computed in the order of
the definition, from sums of x ln x, so that features with equal counts have equal scores to the last bit.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any

Point = tuple[frozenset[Any], int]
LEAST_GAIN = 1e-9
# The features on the way to a node, each with whether it is on, and the feature that is tested there, None in a leaf.
Tests = dict[tuple[tuple[Any, bool], ...], Any]


def entropy_sum(counts: Sequence[int]) -> float:
    """N times the entropy in nats."""

    def x_log_x(x: int) -> float:
        return x * math.log(x) if x else 0.0

    if len(counts) == 2:
        return x_log_x(sum(counts)) - (x_log_x(counts[0]) + x_log_x(counts[1]))
    total = 0.0
    for count in counts:
        total += x_log_x(count)
    return x_log_x(sum(counts)) - total


def gini_sum(counts: Sequence[int]) -> float:
    """N times the Gini index."""
    n = sum(counts)
    return sum(count * (n - count) for count in counts) / n if n else 0.0


def log_kt(counts: Sequence[int]) -> float:
    """The logarithm of the probability that Krichevsky and Trofimov give to labels with these counts."""
    k = len(counts)
    sums = sum(math.lgamma(count + 0.5) - math.lgamma(0.5) for count in counts)
    return sums + math.lgamma(k / 2) - math.lgamma(sum(counts) + k / 2)


class BatchLearner:
    """A batch learner with the stopping rules of a dynamic tree."""

    def __init__(
        self,
        n_classes: int,
        *,
        criterion: str = "entropy",
        stopping: str = "none",
        delta: float = 0.05,
        min_gain: float = 0.0,
        min_samples: int = 2,
        max_depth: int | None = None,
        order: Callable[[Any], Any] = lambda feature: feature,
    ) -> None:
        self.n_classes = n_classes
        self.impurity = entropy_sum if criterion == "entropy" else gini_sum
        self.unit = 1 / math.log(2) if criterion == "entropy" else 1.0
        self.stopping = stopping
        self.delta = delta
        self.min_gain = min_gain
        self.min_samples = min_samples
        self.max_depth = max_depth
        self.order = order

    def counts(self, points: Iterable[Point]) -> list[int]:
        labels = [label for _, label in points]
        return [labels.count(k) for k in range(self.n_classes)]

    def scored(self, points: Sequence[Point]) -> list[tuple[float, list[Any]]]:
        """Return scores with the features that have each: most of many features have the counts of many others."""
        whole = self.counts(points)
        of_class = [Counter(chain.from_iterable(x for x, y in points if y == k)) for k in range(self.n_classes)]
        features = list(set().union(*of_class))
        with_counts: defaultdict[tuple[int, ...], list[Any]] = defaultdict(list)
        on = zip(*(map(counts.get, features, repeat(0)) for counts in of_class), strict=True)
        for feature, counts in zip(features, on, strict=True):
            with_counts[counts].append(feature)
        rests = [[a - b for a, b in zip(whole, counts, strict=True)] for counts in with_counts]
        scores = [self.impurity(counts) + self.impurity(rest) for counts, rest in zip(with_counts, rests, strict=True)]
        return list(zip(scores, with_counts.values(), strict=True))

    def scores(self, points: Sequence[Point]) -> dict[Any, float]:
        return {feature: score for score, features in self.scored(points) for feature in features}

    def gain(self, points: Sequence[Point], score: float) -> float:
        return (self.impurity(self.counts(points)) - score) / len(points) * self.unit

    def has_evidence(self, points: Sequence[Point], feature: Any) -> bool:
        whole = self.counts(points)
        on = self.counts([point for point in points if feature in point[0]])
        if sum(on) < 3:
            return False
        share = sum(on) / sum(len(features) for features, _ in points)
        evidence = log_kt(on) + log_kt([a - b for a, b in zip(whole, on, strict=True)]) + entropy_sum(whole)
        return evidence + math.log(share) + math.log(self.delta) >= 0

    def best(self, points: Sequence[Point], depth: int) -> Any:
        """Return the feature to split on; None if the points stay together."""
        if len(points) < self.min_samples or depth == self.max_depth or sum(c > 0 for c in self.counts(points)) < 2:
            return None
        scored = self.scored(points)
        if not scored:
            return None
        least = min(score for score, _ in scored)
        best = min((feature for score, features in scored if score == least for feature in features), key=self.order)
        if self.gain(points, least) <= max(self.min_gain, LEAST_GAIN):
            return None
        return best if self.stopping == "none" or self.has_evidence(points, best) else None

    def tests(self, points: Sequence[Point]) -> Tests:
        found: Tests = {}
        waiting: list[tuple[tuple[tuple[Any, bool], ...], Sequence[Point]]] = [((), points)]
        while waiting:
            way, here = waiting.pop()
            found[way] = feature = self.best(here, len(way))
            if feature is not None:
                for on in (False, True):
                    side = [point for point in here if (feature in point[0]) == on]
                    waiting.append(((*way, (feature, on)), side))
        return found
