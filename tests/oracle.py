"""A brute-force twin of SplitFinder: plain, slow and obviously right.

Every score is computed from the definitions of conditional entropy, conditional Gini index
and the conditional impurity of Kearns and Mansour. Nothing is kept from one point to the next
except the counters themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Counts = tuple[tuple[int, int], tuple[int, int]]
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


class BruteForce:
    """The exact best split of a stream, by looking at every seen feature.

    Ties between equal scores go to the smallest feature id.
    """

    def __init__(self, criterion: str = "entropy") -> None:
        """Start with no points; criterion is "entropy", "gini" or "kearns_mansour"."""
        self.criterion = criterion
        self.n = 0
        self.class_counts = (0, 0)
        self._on: dict[int, list[int]] = {}
        self._judged: dict[int, TrueSplit] = {}

    def add(self, features: Iterable[int], label: int) -> None:
        """Count one point: its active features and its label."""
        self._judged.clear()
        self.n += 1
        zeros, ones = self.class_counts
        self.class_counts = (zeros + (label == 0), ones + (label == 1))
        for feature in features:
            self._on.setdefault(feature, [0, 0])[label] += 1

    def add_many(self, points: Iterable[tuple[Iterable[int], int]]) -> None:
        """Count points one by one."""
        for features, label in points:
            self.add(features, label)

    @property
    def n_features_seen(self) -> int:
        """The number of features that were on at least once."""
        return len(self._on)

    @property
    def features(self) -> list[int]:
        """The seen features in ascending order."""
        return sorted(self._on)

    def counts(self, feature: int) -> Counts:
        """Return ((off0, off1), (on0, on1)) of a feature, seen or not."""
        on0, on1 = self._on.get(feature, (0, 0))
        off0, off1 = self.class_counts[0] - on0, self.class_counts[1] - on1
        return ((off0, off1), (on0, on1))

    def scores(self) -> tuple[Ints, Floats]:
        """Return the seen features in ascending order, and the score of each."""
        features = np.array(self.features, dtype=np.int64)
        on = np.array([self._on[j] for j in self.features], dtype=np.float64).reshape(-1, 2)
        off = np.array(self.class_counts, dtype=np.float64) - on
        loss_on = _purity_loss(on, self.criterion)
        loss_off = _purity_loss(off, self.criterion)
        return features, loss_off + loss_on

    def score(self, feature: int) -> float:
        """Return n·H(D | feature) or n·G(D | feature)."""
        table = np.array(self.counts(feature), dtype=np.float64)
        return float(_purity_loss(table, self.criterion).sum())

    def gain(self, feature: int) -> float:
        """Return how much the impurity of a point falls on average when the split is made."""
        whole = float(_purity_loss(np.array(self.class_counts, np.float64), self.criterion))
        return (whole - self.score(feature)) / self.n

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
