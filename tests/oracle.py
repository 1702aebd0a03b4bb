"""A brute-force twin of SplitFinder: plain, slow and obviously right.

Every score is computed from the definitions of conditional entropy, conditional Gini index
and the conditional impurity of Kearns and Mansour. Nothing is kept from one point to the next
except the counters themselves, in Python's integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Counts = tuple[tuple[int, ...], tuple[int, ...]]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TrueSplit(NamedTuple):
    """A feature and its exact worth, in the shape of sapwood.Split."""

    feature: int
    score: float
    gain: float
    counts: Counts


def _purity_loss(counts: Floats, criterion: str) -> Floats:
    """Return N times the impurity of the label counts along the last axis, N being their sum."""
    total = counts.sum(axis=-1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    if criterion == "entropy":
        terms = -xlogy(counts, share)
    elif criterion == "gini":
        terms = counts * (1.0 - share)
    elif criterion == "kearns_mansour":
        # One term, in the place of a sum over the classes, of which there are two.
        terms = total * 2.0 * np.sqrt(share[..., :1] * share[..., 1:])
    else:
        raise ValueError(f"BruteForce: criterion must be entropy, gini or kearns_mansour, got {criterion!r}")
    # Adding 0.0 turns -0.0 into 0.0: a pure split scores exactly zero, without a sign.
    return np.asarray(terms.sum(axis=-1) + 0.0, dtype=np.float64)


class Worth(NamedTuple):
    """How well a division of points splits them."""

    score: float
    gain: float


@lru_cache(maxsize=100_000)
def worth(counts: Counts, criterion: str) -> Worth:
    """Return n·impurity(D | division), and how much the impurity of a point falls on average, 0 without points."""
    table = np.array(counts, dtype=np.float64)
    score = float(_purity_loss(table, criterion).sum())
    n = table.sum()
    return Worth(score, (float(_purity_loss(table.sum(axis=0), criterion)) - score) / n if n > 0 else 0.0)


class BruteForce:
    """The exact best split of a stream, by looking at every seen feature.

    Ties between equal scores go to the smallest feature id. A feature stays seen when its points are removed.
    """

    def __init__(self, criterion: str = "entropy", n_classes: int = 2) -> None:
        """Start with no points; criterion is "entropy", "gini" or, for two classes, "kearns_mansour"."""
        self.criterion = criterion
        self.class_counts = (0,) * n_classes
        self._on: dict[int, list[int]] = {}
        self._judged: dict[int, TrueSplit] = {}

    @property
    def n(self) -> int:
        """The number of points."""
        return sum(self.class_counts)

    def add(self, features: Iterable[int], label: int, weight: int = 1) -> None:
        """Count one point `weight` times: its active features and its label."""
        self._judged.clear()
        self.class_counts = tuple(c + weight * (k == label) for k, c in enumerate(self.class_counts))
        for feature in features:
            self._on.setdefault(feature, [0] * len(self.class_counts))[label] += weight

    def add_many(self, points: Iterable[tuple[Iterable[int], int]]) -> None:
        """Count points one by one."""
        for features, label in points:
            self.add(features, label)

    def may_remove(self, features: Iterable[int], label: int, weight: int = 1) -> bool:
        """Whether the counts leave room: enough points of the class have each feature, and lack each of the others."""
        has = set(features)
        return self.class_counts[label] >= weight and all(
            self.counts(feature)[feature in has][label] >= weight for feature in has | set(self._on)
        )

    def remove(self, features: Iterable[int], label: int, weight: int = 1) -> None:
        """Take back a point that was added."""
        self.add(features, label, -weight)

    def merge(self, other: BruteForce, over: str = "points") -> None:
        """Take in other points, or other features of the same points."""
        self._judged.clear()
        if over == "points":
            self.class_counts = tuple(a + b for a, b in zip(self.class_counts, other.class_counts, strict=True))
        for feature, on in other._on.items():
            mine = self._on.get(feature, [0] * len(on))
            self._on[feature] = [a + b for a, b in zip(mine, on, strict=True)]

    @property
    def n_features_seen(self) -> int:
        """The number of features that were on at least once."""
        return len(self._on)

    @property
    def features(self) -> list[int]:
        """The seen features in ascending order."""
        return sorted(self._on)

    def counts(self, feature: int) -> Counts:
        """Return ``counts[v][k]`` of a feature, seen or not: the points of class k in which it has the value v."""
        on = tuple(self._on.get(feature, [0] * len(self.class_counts)))
        return tuple(c - a for c, a in zip(self.class_counts, on, strict=True)), on

    def scores(self) -> tuple[Ints, Floats]:
        """Return the seen features in ascending order, and the score of each."""
        features = np.array(self.features, dtype=np.int64)
        on = np.array([self._on[j] for j in self.features], dtype=np.float64).reshape(-1, len(self.class_counts))
        off = np.array(self.class_counts, dtype=np.float64) - on
        loss_on = _purity_loss(on, self.criterion)
        loss_off = _purity_loss(off, self.criterion)
        return features, loss_off + loss_on

    def score(self, feature: int) -> float:
        """Return n·impurity(D | feature)."""
        return worth(self.counts(feature), self.criterion).score

    def gain(self, feature: int) -> float:
        """Return how much the impurity of a point falls on average when the split is made; 0 without points."""
        return worth(self.counts(feature), self.criterion).gain

    def judge(self, feature: int) -> TrueSplit:
        """Return the split by a feature, worked out once a point however often it is asked for."""
        if feature not in self._judged:
            self._judged[feature] = TrueSplit(feature, self.score(feature), self.gain(feature), self.counts(feature))
        return self._judged[feature]

    def top(self, k: int) -> list[TrueSplit]:
        """Return the best k splits, best first; fewer when fewer features were seen."""
        features, scores = self.scores()
        # The sort is stable and the features ascend: ties go to the smallest id.
        order = np.argsort(scores, kind="stable")[:k]
        return [self.judge(int(feature)) for feature in features[order]]

    def best(self) -> TrueSplit | None:
        """Return the best split, or None before any feature was seen."""
        return next(iter(self.top(1)), None)
