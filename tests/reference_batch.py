"""Growth by batches in plain Python: all points of a batch are led and counted, then each touched leaf is asked."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from reference_evidence import OCCURRENCES_FOR_RANK
from reference_models import LEAF_STEP, RATE, TrunkWeights, Weights, gradient_of
from reference_tree import Arbiter, Node, ReferenceTree

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST_TEXT_ID = 1 << 63
# Slopes are rounded to whole parts of this many.
ONE = 2**20
Counted = tuple[dict[int, list[int]], Counter[tuple[int, int, int]]]


class BatchReference(ReferenceTree):
    """The tree of ``sapwood._core.Tree(growth="batch")`` by definition."""

    def learn_batch(self, points: Iterable[tuple[Sequence[int], int, int]], arbiter: Arbiter) -> None:
        """Learn from the points of a batch: features, label, whole weight."""
        touched: dict[int, set[int]] = {}
        points = [point for point in points if point[2] > 0]
        if self.options.leaf_prediction in {"logistic", "adaptive", "mixed"}:
            self._learn_slopes(points)
        for features, label, weight in points:
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

    def models_see(self, features: Any) -> Sequence[int]:
        """Return what the models of leaves see of a point: here its features."""
        seen: Sequence[int] = features
        return seen

    def _learn_slopes(self, points: Sequence[tuple[Sequence[int], int, int]]) -> None:
        """Let what is not counts take one step along the slopes of all points, each taken at the weights before."""
        leaves: dict[int, Node] = {}
        of_leaf: dict[int, list[int]] = {}
        of_feature: dict[int, dict[int, list[int]]] = {}
        for features, label, weight in points:
            leaf, seen = self.path(features)[-1], self.models_see(features)
            slopes = [round(slope * ONE) for slope in self._slopes(leaf, seen, label, weight)]
            leaves[leaf.born] = leaf
            add(of_leaf, leaf.born, slopes)
            for j in seen:
                add(of_feature.setdefault(leaf.born, {}), j, slopes[: self._n_regressions * self._n_outputs])
        of_stream: dict[int, list[int]] = {}
        of_features: dict[int, list[int]] = {}
        for born, slopes in of_leaf.items():
            add(of_stream, 0, slopes[: self._n_regressions * self._n_outputs])
            for j, sums in of_feature.get(born, {}).items():
                add(of_features, j, sums)
        rate, first_square = 0.15, 0.05
        if self.options.leaf_prediction == "mixed":
            for features, label, weight in points:
                self.mixing.meet(self.models_see(features))
                self.mixing.bayes.learn(self.models_see(features), label, weight)
            scale = self.mixing.scale()
            rate, first_square = LEAF_STEP * scale, 1.0
        for sums in of_stream.values():
            self._step_trunk(None, sums)
        for j, sums in of_features.items():
            self._step_trunk(j, sums)
        for born, slopes in of_leaf.items():
            models = leaves[born].models
            assert models is not None
            correction = models.correction
            correction.intercept.step(self._of_regression(slopes, -1), rate, first_square)
            for j, sums in of_feature.get(born, {}).items():
                weights = correction.features.setdefault(j, Weights.zero(self._n_outputs))
                weights.step(self._of_regression(sums, -1), rate, first_square)
            rest = [slope / ONE for slope in slopes[self._n_regressions * self._n_outputs :]]
            if self.options.leaf_prediction == "mixed":
                *of_mixer, squares = rest
                step = min(RATE, 4 / squares) if squares > 0 else RATE
                models.mixer = [was - step * slope for was, slope in zip(models.mixer, of_mixer, strict=True)]
            elif self.options.leaf_prediction == "adaptive":
                models.right = [was + round(more) for was, more in zip(models.right, rest, strict=True)]

    def _step_trunk(self, feature: int | None, sums: Sequence[int]) -> None:
        """Let the intercept or a feature of what all leaves share take a step."""
        if self.options.leaf_prediction == "mixed":
            shared = self.mixing
            record = (
                shared.intercept
                if feature is None
                else shared.features.setdefault(feature, TrunkWeights.zero(self._n_outputs))
            )
            record.step([self._of_regression(sums, r) for r in range(3)], shared.scale())
            return
        plain = (
            self.trunk.intercept
            if feature is None
            else self.trunk.features.setdefault(feature, Weights.zero(self._n_outputs))
        )
        plain.step(self._of_regression(sums, 0), 0.15, 0.05)

    def _slopes(self, leaf: Node, features: Sequence[int], label: int, weight: int) -> list[float]:
        """Return the slopes by the scores of every regression, and what the mixer or the choice of the leaf learns."""
        models = leaf.models
        assert models is not None
        if self.options.leaf_prediction == "mixed":
            scores = self.mixing.regressions(models, features)
            opinions = self.mixing.opinions(models, leaf.of_class, features)
            errors = gradient_of(self.mixing.mix(models.mixer, opinions), label, 1)
            rest = [
                weight * sum(error * said for error, said in zip(errors, opinion, strict=True)) for opinion in opinions
            ]
            rest.append(weight * sum(max(map(abs, opinion)) ** 2 for opinion in opinions))
        else:
            trunk = self._trunk_scores(features)
            corrected = list(trunk)
            models.correction.add_scores(features, corrected)
            scores, rest = [trunk, corrected], []
            if self.options.leaf_prediction == "adaptive":
                bayes = models.bayes.scores(features, leaf.of_class)
                answers: list[Sequence[float]] = [
                    leaf.of_class,
                    bayes,
                    *([0.0, one[0]] if len(one) == 1 else one for one in scores),
                ]
                rest = [float(weight * (list(said).index(max(said)) == label)) for said in answers]
        return [slope for one in scores for slope in gradient_of(one, label, weight)] + rest

    @property
    def _n_outputs(self) -> int:
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def _n_regressions(self) -> int:
        return 4 if self.options.leaf_prediction == "mixed" else 2

    def _of_regression(self, sums: Sequence[int], which: int) -> list[float]:
        """Return the sums of one regression of several."""
        first = (which % self._n_regressions) * self._n_outputs
        return [each / ONE for each in sums[first : first + self._n_outputs]]


def add(sums: dict[int, list[int]], key: int, more: Sequence[int]) -> None:
    """Add numbers to those of a key."""
    sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(more)), more, strict=True)]


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


def row_hash(ids: Iterable[int], label: int, numbers: Iterable[tuple[int, float]] = ()) -> int:
    """Return the hash of what a point holds."""
    total = mixed(label) + sum(mixed(each ^ GOLDEN) for each in ids)
    for number, value in numbers:
        bits = int.from_bytes(struct.pack("<d", value + 0.0), "little")
        total += mixed(mixed(number ^ GOLDEN) + mixed(bits + GOLDEN & MASK) & MASK)
    return mixed(total & MASK)


def part_of(ids: Iterable[int], label: int, n_parts: int, numbers: Iterable[tuple[int, float]] = ()) -> int:
    """Return the part of a batch that a point belongs to."""
    return (row_hash(ids, label, numbers) >> 32) * n_parts >> 32 if n_parts > 1 else 0


def hashed(word: int) -> int:
    """Return the step of splitmix64."""
    return mixed(word + GOLDEN & MASK)


def drawn(
    ids: Iterable[int],
    label: int,
    mean: float,
    *,
    seed: int,
    tree: int,
    batch: int,
    numbers: Iterable[tuple[int, float]] = (),
) -> int:
    """Return how often a tree of a forest learns a point of weight 1: the quantile of a hash."""
    if mean == 0:
        return 1
    of_batch = hashed(hashed(hashed(seed) + tree & MASK) + batch & MASK)
    u = (hashed(of_batch + row_hash(ids, label, numbers) & MASK) >> 11) * 2.0**-53
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
