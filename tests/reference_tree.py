"""A streaming tree in plain Python, written from its definition: slow, and meant to be believed at a glance.

Every split is looked for among all features of a node, every impurity is computed from shares of classes, and a split
copies all that it hands down. Features are slots and classes are numbers, both in the order of first appearance.

Where two real numbers are equal but for rounding, no definition says which is the larger: which of several equally good
features is taken, whether a margin equals its bound, which of two classes with equal scores comes first. There the
reference asks an ``Arbiter``, and accepts only an answer that the definition allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from reference_evidence import (
    N_LOOKED_AT,
    OCCURRENCES_FOR_RANK,
    log_evidence,
    needed,
    rarity,
    rarity_counted,
    selection_radius,
)
from reference_gains import gain, gain_variance, is_nearly_normal
from reference_models import (
    MODELS,
    NO_NUMBERS,
    Bayes,
    Counts,
    LeafModels,
    Mixing,
    Regression,
    Weights,
    gradient_of,
    handed_down,
    probabilities,
)
from reference_options import Options, bound
from reference_restructuring import PullUp, points_through
from reference_weights import Weight, WeightRounding

# Differences below this are rounding.
NEAR = 1e-11
# The same of evidence, a difference of numbers that grow with the points.
NEAR_EVIDENCE = 1e-9
# Gains below this are no gains.
LEAST_GAIN = 1e-9

# The tests on the way to a node: each feature, and whether it is on.
Way = tuple[tuple[int, bool], ...]


class Arbiter(Protocol):
    """Settles what is equal but for rounding, from what another tree did with the same point."""

    def feature(self, way: Way) -> int | None:
        """Return the feature that the other tree tests there after the point; None if it has a leaf there."""

    def was_right(self, model: int, before: int) -> bool:
        """Return whether a model predicted the point, given how often the model of its leaf was right before."""


@dataclass
class Node:
    """A node; a leaf while it has no feature."""

    way: Way
    born: int
    of_class: Counts
    models: LeafModels | None
    looks: bool
    # Statistics since the node began to look for a split.
    counted: Counts
    on: dict[int, Counts] = field(default_factory=dict)
    # The features in the order in which they occurred for the third time.
    ranked: list[int] = field(default_factory=list)
    tested_at: int = 0
    reached: int = 0
    # Of an inner node.
    feature: int | None = None
    children: list[Node] = field(default_factory=list)
    gain: float = 0.0
    margin: float = 0.0
    split_at: int = 0

    def leaves(self) -> list[Node]:
        """Return the leaves below, or the leaf itself."""
        return [self] if self.feature is None else [leaf for child in self.children for leaf in child.leaves()]

    def nodes(self) -> list[Node]:
        """Return the nodes from here on, each before its children, that for off before that for on."""
        return [self] + [below for child in self.children for below in child.nodes()]


class ReferenceTree:
    """The tree of ``sapwood._core.Tree`` by definition, without a limit of memory."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.n = 0
        self.n_classes = 2
        self.tally = {"tested": 0, "split": 0, "resplit": 0, "pruned": 0}
        # More than 1 where counts are more than points.
        self.bound_times = 1.0
        # How often something was equal but for rounding, and was left to the arbiter.
        self.settled = 0
        self._born = 0
        self._weights = WeightRounding()
        self.trunk = Regression(Weights.zero(1))
        self.mixing = Mixing()
        self.root = self._leaf((), [0, 0], LeafModels(Bayes([0, 0]), Regression(Weights.zero(1))))

    def _leaf(self, way: Way, of_class: Counts, models: LeafModels | None) -> Node:
        looks = self.options.max_depth is None or len(way) < self.options.max_depth
        self._born += 1
        return Node(way, self._born - 1, of_class, models, looks, counted=[0] * self.n_classes)

    def path(self, features: Sequence[int]) -> list[Node]:
        """Return the nodes from the root to the leaf that a point reaches."""
        nodes = [self.root]
        while nodes[-1].feature is not None:
            nodes.append(nodes[-1].children[nodes[-1].feature in features])
        return nodes

    def cover_classes(self, n_classes: int) -> None:
        """Make room for `n_classes` classes."""
        if n_classes <= self.n_classes:
            return
        more = [0] * (n_classes - self.n_classes)
        self.n_classes = n_classes
        self.trunk.widen(n_classes)
        self.mixing.widen(n_classes)
        for node in self.root.nodes():
            for counts in (node.of_class, node.counted, *node.on.values()):
                counts.extend(more)
            if node.models is not None:
                node.models.bayes.widen(n_classes)
                node.models.correction.widen(n_classes)

    def learn(self, features: Sequence[int], label: int, weight: float, arbiter: Arbiter) -> None:
        """Learn from a point, which counts as often as its weight is rounded to."""
        self.cover_classes(label + 1)
        path = self.path(features)
        leaf = path[-1]
        # VFDT forgets the statistics of a node once it is split; EFDT goes on with them, with all points or a sample.
        least = {"hoeffding": math.inf, "adaptive_size": math.inf, "extremely_fast": 0.0}.get(self.options.growth)
        rare = rarity(self.n)
        counting = [
            node
            for node in path
            if node is leaf or rare >= (rarity_counted(sum(node.counted)) if least is None else least)
        ]
        weighed = self._weights.rounded(weight)
        self._teach(leaf, features, label, weighed, arbiter)
        leaf.of_class[label] += weighed.times
        self.n += weighed.times
        self._count(counting, features, label, weighed, arbiter)

    def _count(
        self, counting: Sequence[Node], features: Sequence[int], label: int, weight: Weight, arbiter: Arbiter
    ) -> Node | None:
        """Count a point in nodes, the leaf last, and split one if it is time; return the one that is split anew."""
        # Weights are no evidence: there a point is one point.
        times = min(weight.times, 1) if self.options.split_test == "evidence" else weight.times
        # Where inner nodes count a sample, the leaf counts a point before a node above it is split anew.
        counts_first = self.options.growth == "streaming"
        if counts_first:
            for node in counting:
                self._count_in(node, features, label, times)
        for node in counting:
            if not counts_first:
                self._count_in(node, features, label, times)
            if not node.looks:
                continue
            if node is counting[-1]:
                self._split_if_due(node, arbiter)
            elif self._resplit_if_due(node, arbiter):
                return node
        return None

    def _count_in(self, node: Node, features: Sequence[int], label: int, times: int) -> None:
        node.reached += times
        if not node.looks:
            return
        node.counted[label] += times
        for j in self.seen(node, features) if times > 0 else ():
            on = node.on.setdefault(j, [0] * self.n_classes)
            on[label] += times
            if sum(on) == OCCURRENCES_FOR_RANK:
                node.ranked.append(j)

    def seen(self, node: Node, features: Sequence[int]) -> Sequence[int]:  # noqa: ARG002 - trees of forests look at it
        """Return the features of a point that a node may split on: here all."""
        return features

    # ---- leaves

    def predict_proba(self, features: Sequence[int]) -> list[float]:
        """Return the probability of each class."""
        return self._proba(self.path(features)[-1], features)

    def _proba(self, leaf: Node, features: Sequence[int], numbers: Mapping[int, float] = NO_NUMBERS) -> list[float]:
        assert leaf.models is not None
        model = self.model_of(leaf)
        if model == "mixed":
            return self.mixing.predict_proba(leaf.models, leaf.of_class, features, numbers)
        if model == "majority":
            n = sum(leaf.of_class)
            return [count / n if n > 0 else 1 / self.n_classes for count in leaf.of_class]
        if model == "naive_bayes":
            return probabilities(leaf.models.bayes.scores(features, leaf.of_class))
        scores = self._trunk_scores(features)
        if model == "logistic":
            leaf.models.correction.add_scores(features, scores)
        return probabilities(scores)

    def model_of(self, leaf: Node) -> str:
        """Return the name of the model that answers for a leaf: of those right most often the last."""
        if self.options.leaf_prediction != "adaptive":
            return self.options.leaf_prediction
        assert leaf.models is not None
        most = max(leaf.models.right)
        return [name for name, right in zip(MODELS, leaf.models.right, strict=True) if right == most][-1]

    def _trunk_scores(self, features: Sequence[int]) -> list[float]:
        scores = [0.0] * (1 if self.n_classes == 2 else self.n_classes)
        self.trunk.add_scores(features, scores)
        return scores

    def _teach(
        self,
        leaf: Node,
        features: Sequence[int],
        label: int,
        weight: Weight,
        arbiter: Arbiter,
        *,
        teaches_trunk: bool = True,
        numbers: Mapping[int, float] = NO_NUMBERS,
    ) -> None:
        """Let each model predict the point, then learn from it. Majorities need none; else all learn, used or not."""
        models = leaf.models
        assert models is not None
        if self.options.leaf_prediction == "majority":
            return
        if self.options.leaf_prediction == "mixed":
            self.mixing.teach(
                models, leaf.of_class, features, label, weight, teaches_trunk=teaches_trunk, numbers=numbers
            )
            models.fade_mixer(self.options.half_life)
            return
        trunk = self._trunk_scores(features)
        corrected = list(trunk)
        models.correction.add_scores(features, corrected)
        if self.options.leaf_prediction == "adaptive":
            bayes = models.bayes.scores(features, leaf.of_class)
            if leaf.of_class.index(max(leaf.of_class)) == label:
                models.right[0] += weight.times
            for model, scores in ((1, bayes), (2, trunk), (3, corrected)):
                if self._speak_for(label, scores, model, models.right[model], arbiter):
                    models.right[model] += weight.times
            models.fade_record(self.options.half_life)
        models.bayes.learn(features, label, weight.times)
        steps = [(models.correction, corrected)]
        for regression, scores in [(self.trunk, trunk), *steps] if teaches_trunk else steps:
            regression.step(features, gradient_of(scores, label, weight.exact))

    def _speak_for(self, label: int, scores: list[float], model: int, before: int, arbiter: Arbiter) -> bool:
        """Whether a label has the largest score."""
        of_class = scores if len(scores) > 1 else [0.0, scores[0]]
        largest = [k for k, score in enumerate(of_class) if score >= max(of_class) - NEAR]
        if label not in largest or len(largest) == 1:
            return label in largest
        self.settled += 1
        return arbiter.was_right(model, before)

    # ---- growth

    def _exceeds(self, margin: float, least: float, answer: bool) -> bool:
        """Whether a margin is larger than what it must exceed; the answer of the arbiter if they are equal."""
        if abs(margin - least) > NEAR:
            return margin > least
        self.settled += 1
        return answer

    def _ranked(self, node: Node, answer: int | None) -> tuple[list[int], dict[int, float]]:
        """Return the features of a node, best first, and their gains.

        Of equally good ones that of the arbiter comes first, if it is one of them, unless all have the same counts:
        then the first seen does.
        """
        # Equal counts have equal gains, and most features of some streams have the same.
        of_counts = {on: gain(on, node.counted, self.options.criterion) for on in {*map(tuple, node.on.values())}}
        gains = {j: of_counts[tuple(on)] for j, on in node.on.items()}
        best = max(gains.values())
        tied = [j for j in gains if gains[j] >= best - NEAR]
        if all(node.on[j] == node.on[tied[0]] for j in tied):
            first = min(tied)
        else:
            self.settled += 1
            first = answer if answer in tied else min(tied)
        return [first, *sorted((j for j in gains if j != first), key=lambda j: (-gains[j], j))], gains

    def _needed(self, node: Node, feature: int) -> float:
        """Return what the evidence of a feature must reach at a node; infinite before its third occurrence."""
        if feature not in node.ranked:
            return math.inf
        return needed(self.options.delta, self._number_of(node) + 1, node.ranked.index(feature) + 1)

    def _number_of(self, node: Node) -> int:
        """Return how many nodes of its tree were made before a node."""
        return node.born

    def _has_evidence(self, node: Node, gains: dict[int, float], answer: bool) -> bool:
        """Whether one of the best features has enough evidence; the answer of the arbiter if rounding decides."""
        is_certain = is_possible = False
        for j in node.ranked:
            missing = self._needed(node, j) - log_evidence(node.on[j], node.counted)
            if missing > NEAR_EVIDENCE:
                continue
            # Those with the same counts come in the order of their slots.
            before = [i < j if node.on[i] == node.on[j] else gains[i] > gains[j] + NEAR for i in gains]
            or_level = [i < j if node.on[i] == node.on[j] else gains[i] >= gains[j] - NEAR for i in gains]
            is_certain |= missing < -NEAR_EVIDENCE and sum(or_level) < N_LOOKED_AT
            is_possible |= sum(before) < N_LOOKED_AT
        if is_possible and not is_certain:
            self.settled += 1
            return answer
        return is_certain

    def _radius(self, node: Node, feature: int) -> float:
        """Return how far the gain of a feature can be from the true one; infinite while that cannot be said."""
        on, need = node.on[feature], self._needed(node, feature)
        if not is_nearly_normal(on, node.counted) or need == math.inf:
            return math.inf
        return selection_radius(gain_variance(on, node.counted, "entropy"), sum(node.counted), need)

    def _split_if_due(self, node: Node, arbiter: Arbiter) -> bool:
        options = self.options
        n = sum(node.counted)
        if n - node.tested_at < options.grace_period:
            return False
        if options.max_leaves is not None and self._n_leaves() >= options.max_leaves:
            return False
        node.tested_at = n
        if max(node.counted) == n:
            return False
        self.tally["tested"] += 1
        return self._split_if_ahead(node, arbiter) if node.on else False

    def _split_if_ahead(self, node: Node, arbiter: Arbiter) -> bool:
        options = self.options
        answer = arbiter.feature(node.way)
        ranked, gains = self._ranked(node, answer)
        best = gains[ranked[0]]
        if not best > max(options.min_gain, LEAST_GAIN):
            return False
        if options.split_test == "evidence":
            if not self._has_evidence(node, gains, answer is not None):
                return False
            margin = max(0.0, best - max([0.0, *(gains[j] for j in ranked[1:2])]))
        else:
            # The rival of VFDT is the second best, if it is of any use; otherwise it is not to split at all.
            is_early = options.growth in {"extremely_fast", "streaming", "batch"}
            rivals = [] if is_early else [j for j in ranked[1:2] if gains[j] > LEAST_GAIN]
            margin = best - sum(gains[j] for j in rivals)
            least = self.bound_times * bound(options, node.counted, [node.on[j] for j in (ranked[0], *rivals)])
            if least >= options.tau and not self._exceeds(margin, least, answer is not None):
                return False
        self.tally["split"] += 1
        self._grow(node, ranked[0], best, margin, node.models)
        return True

    def _resplit_if_due(self, node: Node, arbiter: Arbiter) -> bool:
        due = self._due_revision(node, arbiter)
        if due is None:
            return False
        if self.options.revision == "restructure" and self._restructure(node, *due):
            return True
        self.tally["resplit"] += 1
        self.tally["pruned"] += len(node.nodes()) - 1
        fullest = max(node.leaves(), key=lambda leaf: (leaf.reached, -leaf.born))
        passed = points_through(node)
        self._grow(node, *due, fullest.models)
        if self.options.growth == "streaming":
            node.of_class = passed
        return True

    def _restructure(self, node: Node, feature: int, best: float, margin: float) -> bool:
        """Pull a test up to a node, unless the tree would have too many leaves."""
        before, born = node.nodes()[1:], self.next_born
        passed = points_through(node) if self.options.growth == "streaming" else list(node.counted)
        pulled = PullUp(node, feature, self.options.max_depth, lambda classes, models: self._leaf((), classes, models))
        sides = pulled.sides()
        self.next_born = born
        n_leaves = sum(len(side.leaves()) for side in sides)
        if not self._may_have_leaves(n_leaves, instead_of=len(node.leaves())):
            return False
        self.tally["resplit"] += 1
        self.tally["pruned"] += len(before) - sum(len(moved.nodes()) for moved in pulled.moved)
        node.feature, node.gain, node.margin, node.split_at = feature, best, margin, self.n
        node.tested_at = sum(node.counted)
        node.children = sides
        self.next_born = pulled.settle(born, passed, samples=self.options.growth == "streaming")
        return True

    @property
    def next_born(self) -> int:
        """The number of the next node that is made."""
        return self._born

    @next_born.setter
    def next_born(self, born: int) -> None:
        self._born = born

    def _n_leaves(self) -> int:
        """Return how many leaves there are, of those that are limited."""
        return len(self.root.leaves())

    def _may_have_leaves(self, n_leaves: int, instead_of: int) -> bool:
        """Whether there may be so many leaves in place of others."""
        most = self.options.max_leaves
        return most is None or self._n_leaves() - instead_of + n_leaves <= most

    def _due_revision(self, node: Node, arbiter: Arbiter) -> tuple[int, float, float] | None:
        """Return the feature that an inner node is to be split on instead, its gain and its margin."""
        assert node.feature is not None
        n = sum(node.counted)
        is_by_evidence = self.options.split_test == "evidence"
        if n - node.tested_at < max(self.options.min_samples_reevaluate, n // 8 if is_by_evidence else 0):
            return None
        node.tested_at = n
        if max(node.counted) == n:
            return None
        self.tally["tested"] += 1
        if not node.on:
            return None
        # All of its points may be gone.
        node.on.setdefault(node.feature, [0] * self.n_classes)
        answer = arbiter.feature(node.way)
        ranked, gains = self._ranked(node, answer)
        margin = gains[ranked[0]] - gains[node.feature]
        if margin <= NEAR:
            return None
        if is_by_evidence:
            margin = gains[ranked[0]] - max(0.0, gains[node.feature])
            least = self._radius(node, ranked[0]) + self._radius(node, node.feature)
        else:
            least = bound(self.options, node.counted, [node.on[ranked[0]], node.on[node.feature]])
        if not self._exceeds(margin, max(least, LEAST_GAIN), answer != node.feature):
            return None
        return ranked[0], gains[ranked[0]], margin

    def _grow(self, node: Node, feature: int, best: float, margin: float, models: LeafModels | None) -> None:
        """Give a node two leaves, with the points that the split implies and the models handed down."""
        on = node.on[feature]
        off = [c - a for c, a in zip(node.counted, on, strict=True)]
        node.of_class = list(node.counted)
        node.feature, node.gain, node.margin, node.split_at = feature, best, margin, self.n
        node.tested_at = sum(node.counted)
        node.models = None
        node.children = [
            self._leaf((*node.way, (feature, value)), list(side), handed_down(models))
            for value, side in ((False, off), (True, on))
        ]
