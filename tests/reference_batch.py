"""Growth by batches in plain Python: all points of a batch are led and counted, then each touched leaf is asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from reference_evidence import OCCURRENCES_FOR_RANK
from reference_tree import Arbiter, ReferenceTree

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST_TEXT_ID = 1 << 63
Counted = tuple[dict[int, list[int]], Counter[tuple[int, int, int]]]


class BatchReference(ReferenceTree):
    """The tree of ``sapwood._core.Tree(growth="batch")`` by definition."""

    def learn_batch(self, points: Iterable[tuple[Sequence[int], int, int]], arbiter: Arbiter) -> None:
        """Learn from the points of a batch: features, label, whole weight."""
        touched: dict[int, set[int]] = {}
        for features, label, weight in points:
            if weight == 0:
                continue
            leaf = self.path(features)[-1]
            assert leaf.models is not None
            leaf.models.bayes.learn(features, label, weight)
            leaf.of_class[label] += weight
            self.n += weight
            # Weights are no evidence: there a point is one point.
            times = 1 if self.options.split_test == "evidence" else weight
            leaf.reached += times
            if not leaf.looks:
                continue
            leaf.counted[label] += times
            for j in features:
                leaf.on.setdefault(j, [0] * self.n_classes)[label] += times
                touched.setdefault(leaf.born, set()).add(j)
        for leaf in sorted(self.root.leaves(), key=lambda node: node.born):
            known = set(leaf.ranked)
            for j in sorted(touched.get(leaf.born, ())):
                if j not in known and sum(leaf.on[j]) >= OCCURRENCES_FOR_RANK:
                    leaf.ranked.append(j)
            if leaf.looks:
                self._split_if_due(leaf, arbiter)


def mixed(word: int) -> int:
    """Return the finaliser of splitmix64."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
    return word ^ (word >> 31)


def text_id(text: str) -> int:
    """Return the id of a text."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = (found ^ byte) * 0x100000001B3 & MASK
    return FIRST_TEXT_ID | mixed(found) >> 1


def row_hash(ids: Iterable[int], label: int) -> int:
    """Return the hash of what a point holds."""
    return mixed(mixed(label) + sum(mixed(each ^ GOLDEN) for each in ids) & MASK)


def part_of(ids: Iterable[int], label: int, n_parts: int) -> int:
    """Return the part of a batch that a point belongs to."""
    return (row_hash(ids, label) >> 32) * n_parts >> 32 if n_parts > 1 else 0


def hashed(word: int) -> int:
    """Return the step of splitmix64."""
    return mixed(word + GOLDEN & MASK)


def drawn(ids: Iterable[int], label: int, mean: float, *, seed: int, tree: int, batch: int) -> int:
    """Return how often a tree of a forest learns a point of weight 1: the quantile of a hash."""
    if mean == 0:
        return 1
    of_batch = hashed(hashed(hashed(seed) + tree & MASK) + batch & MASK)
    u = (hashed(of_batch + row_hash(ids, label) & MASK) >> 11) * 2.0**-53
    k, term = 0, math.exp(-mean)
    while u >= term:
        u -= term
        k += 1
        term *= mean / k
    return k


def counted(points: Iterable[tuple[Sequence[int], int, int]], leaves: Iterable[int], n_classes: int) -> Counted:
    """Return the points of each class in every leaf, and those of each leaf, feature and class, one by one."""
    of_class: dict[int, list[int]] = {}
    on: Counter[tuple[int, int, int]] = Counter()
    for (features, label, weight), leaf in zip(points, leaves, strict=True):
        if weight == 0:
            continue
        of_class.setdefault(leaf, [0] * n_classes)[label] += weight
        for j in features:
            on[leaf, j, label] += weight
    return of_class, on
