"""A forest in plain Python, written from its definition over the reference tree: slow, and meant to be believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from reference_adaptive_size import SizedOptions, SizedTree
from reference_adwin import ReferenceAdwin
from reference_models import CLIP, RATE, Mixing, gradient_of, level, probabilities
from reference_options import Options
from reference_tree import Arbiter, Node, ReferenceTree
from reference_weights import Weight, WeightRounding

_64_BITS = (1 << 64) - 1
OF_DRAWS = int.from_bytes(b"draws", "big")
OF_SPLITS = int.from_bytes(b"splits", "big")


def hashed(x: int) -> int:
    """Return the step of splitmix64."""
    x = (x + 0x9E3779B97F4A7C15) & _64_BITS
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _64_BITS
    return x ^ (x >> 31)


def poisson(mean: float, seed: int, n: int) -> int:
    """Return how often a tree learns point n: the least k whose cumulated probability exceeds a number from 0 to 1."""
    if mean == 0:
        return 1
    u = (hashed((seed + n) & _64_BITS) >> 11) / 2**53
    k, term = 0, math.exp(-mean)
    total = term
    while u >= total:
        k += 1
        term *= mean / k
        total += term
    return k


@dataclass(frozen=True)
class ForestOptions:
    """The parameters of a forest, by the names that they have in the core."""

    n_estimators: int = 3
    lambda_value: float = 0.0
    max_features: float = 1.0
    subspace: str = "tree"
    combining: str = "mixed"
    on_drift: str = "nothing"
    warning_delta: float = 0.01
    drift_delta: float = 0.001
    seed: int | None = None


class GivenWeights:
    """Weights that are rounded already."""

    def rounded(self, weight: Weight) -> Weight:
        """Return the weight."""
        return weight


class MemberTree(ReferenceTree):
    """A tree of a forest: it splits on some features only, and builds on the trunk of the forest."""

    def __init__(self, options: Options, forest: ForestOptions, place: int, number: int, mixing: Mixing) -> None:
        super().__init__(options)
        seed = hashed((hashed(forest.seed or 0) + place) & _64_BITS)
        self._seed_of_splits = hashed((hashed((seed + OF_SPLITS) & _64_BITS) + number) & _64_BITS)
        self._forest = forest
        # A bound is that of the points, and they count for more.
        if forest.lambda_value > 0:
            self.bound_times = math.sqrt(forest.lambda_value / (1 - math.exp(-forest.lambda_value)))
        self.mixing = mixing
        self._weights: Any = GivenWeights()

    def seen(self, node: Node, features: Sequence[int]) -> Sequence[int]:
        """Return the features of a point that the tree, or the node, may split on."""
        if self._forest.max_features == 1:
            return features
        seed = self._seed_of_splits
        if self._forest.subspace == "node":
            seed = hashed((seed + node.born) & _64_BITS)
        return [j for j in features if hashed(seed ^ hashed(j)) < int(self._forest.max_features * 2.0**64)]

    def _teach(self, leaf: Node, features: Any, label: int, weight: Weight, arbiter: Arbiter, **_: Any) -> None:
        shares_trunk = self.options.leaf_prediction == "mixed"
        super()._teach(leaf, features, label, weight, arbiter, teaches_trunk=not shares_trunk)

    def opinion(self, features: Sequence[int]) -> list[float]:
        """Return what the tree says of a point: the log-odds of two classes, a score for each of more."""
        leaf = self.path(features)[-1]
        assert leaf.models is not None
        model = self.model_of(leaf)
        if model == "mixed":
            said = self.mixing.mix(
                self.mixing.weights(leaf.models), self.mixing.opinions(leaf.models, leaf.of_class, features)
            )
        elif model in {"majority", "naive_bayes"}:
            said = leaf.models.bayes.scores(features if model == "naive_bayes" else (), leaf.of_class)
            said = [said[1] - said[0]] if self.n_classes == 2 else said
        else:
            said = self._trunk_scores(features)
            if model == "logistic":
                leaf.models.correction.add_scores(features, said)
        return [min(max(said[0], -CLIP), CLIP)] if len(said) == 1 else level(said)


class SizedMemberTree(SizedTree, MemberTree):
    """A tree of a forest that is cut when it has grown too large."""


class NoArbiter:
    """Settles nothing, for trees that cannot be looked at: the stream must have no ties."""

    def feature(self, way: Any) -> int | None:  # noqa: ARG002 - of the protocol
        """Return that nothing is known."""
        return None

    def was_right(self, model: int, before: int) -> bool:  # noqa: ARG002 - of the protocol
        """Return that it was not."""
        return False


class Member:
    """A place of a forest: the tree that answers, one in the background, and what is noted of the former."""

    def __init__(self, options: Options, forest: ForestOptions, place: int, mixing: Mixing) -> None:
        self._kind: type[MemberTree] = MemberTree
        if isinstance(options, SizedOptions):
            self._kind, options = SizedMemberTree, replace(options, max_size=options.max_size << place)
        self._options, self._place, self._mixing = options, place, mixing
        self.forest = forest
        self.seed_of_draws = hashed((hashed((hashed(forest.seed or 0) + place) & _64_BITS) + OF_DRAWS) & _64_BITS)
        self.n_made = 0
        self.background: MemberTree | None = None
        self.has_drifted = False
        self.answers_with(self.new_tree())

    def new_tree(self) -> MemberTree:
        """Return the next tree of this place."""
        made = self._kind(self._options, self.forest, self._place, self.n_made, self._mixing)
        self.n_made += 1
        if self.n_made > 1:
            shared, made.mixing = made.mixing, Mixing()
            made.cover_classes(self.tree.n_classes)
            made.mixing = shared
        return made

    def answers_with(self, tree: MemberTree) -> None:
        """Let a tree take the place; all that is noted begins anew."""
        self.tree = tree
        self.n_asked = self.n_right = 0
        # Of late: what the wrong answers weigh, and all.
        self.wrong = self.all = 0.0
        self.warning = ReferenceAdwin(self.forest.warning_delta)
        self.drift = ReferenceAdwin(self.forest.drift_delta)

    def says(self, features: Sequence[int]) -> list[float]:
        """Return what the tree says, as the forest combines it."""
        if self.forest.combining == "mixed":
            return self.tree.opinion(features)
        found = self.tree.predict_proba(features)
        if self.forest.combining == "votes":
            return [float(k == found.index(max(found))) for k in range(len(found))]
        trust = self.n_right / self.n_asked if self.n_asked > 0 else 1.0
        if self.forest.combining == "inverse_error":
            # The error is that of the answers there were, and no less than what one of them adds.
            trust = max(self.wrong / self.all, 0.01 / self.all) ** -2 if self.all > 0 else 1.0
        return [trust * p for p in found]

    def label(self, features: Sequence[int]) -> int:
        """Return the class that the tree predicts."""
        said = self.tree.opinion(features) if self.forest.combining == "mixed" else self.tree.predict_proba(features)
        return int(said[0] > 0) if len(said) == 1 else said.index(max(said))

    def learn(self, features: Sequence[int], label: int, weight: Weight, arbiter: Arbiter, said: int) -> None:
        """Learn a point, of which the tree said something before."""
        if weight.exact > 0:
            self.tree.learn(features, label, weight, arbiter)  # type: ignore[arg-type]  # it is rounded
        self.n_asked += 1
        self.n_right += said == label
        self.wrong = 0.99 * self.wrong + 0.01 * (said != label)
        self.all = 0.99 * self.all + 0.01
        self.has_drifted = False
        if self.forest.on_drift == "nothing":
            return
        if self.background is not None and weight.exact > 0:
            self.background.learn(features, label, weight, NoArbiter())  # type: ignore[arg-type]
        if self.forest.on_drift == "swap":
            self.warning.update(said != label)
            if self.warning.drift_detected and self.warning.rose:
                self.background = self.new_tree()
                self.warning = ReferenceAdwin(self.forest.warning_delta)
        self.drift.update(said != label)
        self.has_drifted = self.drift.drift_detected and self.drift.rose
        if self.has_drifted and self.forest.on_drift == "swap":
            self.answers_with(self.new_tree() if self.background is None else self.background)
            self.background = None


class ReferenceForest:
    """The forest of ``sapwood._core.Forest`` by definition, without a limit of memory."""

    def __init__(self, options: Options, forest: ForestOptions) -> None:
        self.forest = forest
        self.mixing = Mixing()
        self.members = [Member(options, forest, place, self.mixing) for place in range(forest.n_estimators)]
        # One of each tree, that of their mean, and where leaves answer by counts that of what they add to the classes.
        is_mixed = forest.combining == "mixed" and forest.n_estimators > 1
        self.adds_up = is_mixed and options.leaf_prediction in {"majority", "naive_bayes"}
        self.weights = [0.0] * forest.n_estimators + [1.0] + [0.0] * self.adds_up
        # How far each tree is trusted, and their mix.
        self.first_trust = [0.5 / forest.n_estimators] * forest.n_estimators + [0.5]
        self.trust = self.first_trust
        self.of_class = [0, 0]
        self.n_met = 0
        self._rounding = WeightRounding()

    @property
    def trees(self) -> list[MemberTree]:
        """The trees that answer."""
        return [member.tree for member in self.members]

    def learn(self, features: Sequence[int], label: int, weight: float, arbiters: Sequence[Arbiter]) -> None:
        """Learn from a point; what the trees say of it before is what the mixer learns from."""
        n_classes = max(self.mixing.n_classes, label + 1)
        self.of_class += [0] * (n_classes - len(self.of_class))
        if n_classes > self.mixing.n_classes:
            self.mixing.widen(n_classes)
            behind = [member.background for member in self.members if member.background is not None]
            for tree in [*self.trees, *behind]:
                shared, tree.mixing = tree.mixing, Mixing()
                tree.cover_classes(n_classes)
                tree.mixing = shared
        weighed = self._rounding.rounded(weight)
        is_mixed = self.forest.combining == "mixed" and len(self.members) > 1
        said = [member.says(features) for member in self.members] if is_mixed else []
        labels = [member.label(features) for member in self.members]
        self.mixing.meet(features)
        for member, arbiter, each in zip(self.members, arbiters, labels, strict=True):
            draw = poisson(self.forest.lambda_value, member.seed_of_draws, self.n_met)
            member.learn(features, label, Weight(weighed.times * draw, weighed.exact * draw), arbiter, each)
        self.mixing.teach_trunk(features, label, weighed)
        if is_mixed:
            self._teach_trust([answer[label] for answer in self._answers(said)], weighed.exact)
            self._teach_mixer(said, label, weighed.exact)
        self.of_class[label] += weighed.times
        if self.forest.on_drift == "reset_worst" and any(member.has_drifted for member in self.members):
            worst = max(self.members, key=lambda member: member.drift.mean)
            worst.answers_with(worst.new_tree())
        self.n_met += 1

    def _experts(self, said: list[list[float]]) -> list[list[float]]:
        mean = [sum(each) / len(said) for each in zip(*said, strict=True)]
        if not self.adds_up:
            return [*said, mean]
        shares = [math.log(n + 1) for n in self.of_class]
        if len(mean) == 1:
            shares = [shares[1] - shares[0]]
        added = [share + sum(each[k] - share for each in said) for k, share in enumerate(shares)]
        return [*said, mean, [min(max(added[0], -CLIP), CLIP)] if len(added) == 1 else level(added)]

    def _teach_mixer(self, said: list[list[float]], label: int, weight: float) -> None:
        opinions = self._experts(said)
        errors = gradient_of(self.mixing.mix(self.weights, opinions), label, 1)
        curvature = sum(max(abs(each) for each in opinion) ** 2 for opinion in opinions) / 4
        step = min(RATE * weight / len(opinions), 1 / curvature) if curvature > 0 else 0.0
        for e, opinion in enumerate(opinions):
            self.weights[e] -= step * sum(error * each for error, each in zip(errors, opinion, strict=True))

    def _answers(self, said: list[list[float]]) -> list[list[float]]:
        return [probabilities(each) for each in [*said, self.mixing.mix(self.weights, self._experts(said))]]

    def _teach_trust(self, told: list[float], weight: float) -> None:
        if weight == 0:
            return
        logs = [math.log(trust) + weight * math.log(p) for trust, p in zip(self.trust, told, strict=True)]
        posterior = [math.exp(log - max(logs)) for log in logs]
        share = 1 / (self.n_met + 2)
        self.trust = [
            (1 - share) * each / sum(posterior) + share * first
            for each, first in zip(posterior, self.first_trust, strict=True)
        ]

    def predict_proba(self, features: Sequence[int]) -> list[float]:
        """Return the probability of each class."""
        if len(self.trees) == 1:
            return self.trees[0].predict_proba(features)
        said = [member.says(features) for member in self.members]
        if self.forest.combining == "mixed":
            answers = zip(*self._answers(said), strict=True)
            return [sum(trust * p for trust, p in zip(self.trust, each, strict=True)) for each in answers]
        votes = [sum(each) for each in zip(*said, strict=True)]
        return [vote / sum(votes) if sum(votes) > 0 else 1 / len(votes) for vote in votes]
