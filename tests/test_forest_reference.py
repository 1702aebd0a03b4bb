"""Forests against the reference in plain Python: every tree node for node, and every answer, after every point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np
import pytest
from reference_adaptive_size import SizedOptions
from reference_forest import ForestOptions, ReferenceForest
from reference_options import Options
from streams import HOSTILE
from tree_twins import (
    AsTheCoreDid,
    Twins,
    WeightedPoint,
    are_near,
    arrays_of,
    drifting,
    in_order_of_appearance,
    weighted,
)

from sapwood._core import Forest
from sapwood.parameters import TREES, TreeKind
from sapwood.parameters.learners import tree_called

STREAMING = Options(growth="streaming", split_test="evidence", delta=0.3, min_samples_reevaluate=5)


class ForestTwins:
    """A forest of the core and the reference, which learn the same points and must never differ."""

    def __init__(self, options: Options, forest: ForestOptions) -> None:
        self.core = Forest(**options.of_core(), **asdict(forest))
        self.reference = ReferenceForest(options, forest)

    def learn(self, stream: Sequence[WeightedPoint], ask_every: int = 5) -> None:
        for i, (features, label, weight) in enumerate(stream):
            self.core.learn(*arrays_of([(features, label, weight)]))
            copies = [self.core.tree(number) for number in range(self.core.n_trees())]
            arbiters = [AsTheCoreDid(copy.nodes(), features) for copy in copies]
            self.reference.learn(features, label, weight, arbiters)
            for copy, tree, arbiter in zip(copies, self.reference.trees, arbiters, strict=True):
                twins = Twins.__new__(Twins)
                twins.core, twins.reference = copy, tree
                twins.compare_nodes(arbiter.nodes)
                if i % ask_every == 0:
                    twins.compare_predictions(features)
            if i % ask_every == 0:
                for asked in (features, (), features[:1]):
                    self.compare_predictions(asked)
        np.testing.assert_allclose(self.core.mixer_weights(), self.reference.weights, rtol=0, atol=1e-9)
        if self.reference.forest.combining == "mixed":
            np.testing.assert_allclose(self.core.trust(), self.reference.trust, rtol=0, atol=1e-9)

    def compare_predictions(self, features: tuple[int, ...]) -> None:
        indptr, ids, _, _ = arrays_of([(features, 0, 1)])
        found = self.core.predict_proba(indptr, ids)[0]
        true = self.reference.predict_proba(features)
        assert are_near(found.tolist(), true), f"{self.reference.forest}: {features}"

    @property
    def n_splits(self) -> int:
        """How many splits the trees have made."""
        return sum(tree.tally["split"] for tree in self.reference.trees)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("leaf_prediction", ["mixed", "majority", "naive_bayes", "adaptive"])
def test_every_kind_of_leaf(leaf_prediction: str, n_classes: int) -> None:
    """The last of the classes appear late; every tree has a feature or two that it may not split on."""
    options = replace(STREAMING, leaf_prediction=leaf_prediction)
    twins = ForestTwins(options, ForestOptions(lambda_value=1.0, max_features=0.5))
    twins.learn(drifting(seed=16, n=110, n_classes=n_classes))
    assert twins.n_splits > 0


@pytest.mark.parametrize("subspace", ["tree", "node"])
@pytest.mark.parametrize("lambda_value", [0.0, 0.5, 6.0])
def test_draws_and_subspaces(lambda_value: float, subspace: str) -> None:
    options = replace(STREAMING, leaf_prediction="mixed")
    twins = ForestTwins(options, ForestOptions(lambda_value=lambda_value, max_features=0.6, subspace=subspace))
    twins.learn(drifting(seed=5, n=120))
    assert twins.n_splits > 0


def test_weights_that_are_no_whole_numbers() -> None:
    rng = np.random.default_rng(4)
    weights = rng.choice([0.01, 0.5, 1.0, 3.7, 200.1], 80).tolist()
    stream = [(features, label, w) for (features, label, _), w in zip(drifting(seed=8, n=80), weights, strict=True)]
    options = replace(STREAMING, leaf_prediction="mixed")
    ForestTwins(options, ForestOptions(lambda_value=1.0, max_features=0.7)).learn(stream)


# So that a few hundred points are enough to see a change.
SENSITIVE: dict[str, dict[str, float]] = {
    "nothing": {},
    "reset_worst": {"drift_delta": 0.2},
    "swap": {"drift_delta": 0.05, "warning_delta": 0.3},
}


def defaults_of(kind: TreeKind) -> tuple[Options, ForestOptions]:
    """Return what a forest is made with by default, of three trees that decide within a few hundred points."""
    given = {each.name: each.default for each in kind.parameters}
    of_forest: dict[str, Any] = {each.name: given[each.name] for each in fields(ForestOptions) if each.name in given}
    of_forest |= {"n_estimators": 3, **SENSITIVE[of_forest["on_drift"]]}
    type_of_options = SizedOptions if kind.growth == "adaptive_size" else Options
    of_tree: dict[str, Any] = {each.name: given[each.name] for each in fields(type_of_options) if each.name in given}
    of_tree |= {"growth": kind.growth, "delta": 0.3, "grace_period": 1}
    of_tree |= {"min_samples_reevaluate": 5} if kind.growth == "streaming" else {"tau": 0.1}
    if kind.growth == "adaptive_size":
        of_tree["max_size"] = 1
    return type_of_options(**of_tree), ForestOptions(**of_forest)


def turning(n: int) -> list[WeightedPoint]:
    """Return points whose class shows in one feature, and after half of them in its absence."""
    rng = np.random.default_rng(2)
    stream: list[WeightedPoint] = []
    for i in range(n):
        features = tuple(int(j) for j in np.flatnonzero(rng.random(7) < 0.4))
        stream.append((features, int((0 in features) == (i < n // 2)) ^ int(rng.random() < 0.1), 1.0))
    return in_order_of_appearance(stream)


@pytest.mark.parametrize("leaf_prediction", [None, "naive_bayes"])
@pytest.mark.parametrize("kind", [kind for kind in TREES if kind.core == "Forest"], ids=lambda kind: kind.command)
def test_every_forest_as_it_is_configured(kind: TreeKind, leaf_prediction: str | None) -> None:
    """The class shows in one feature, and then in its absence: trees are swapped or reset where they are to be."""
    options, of_forest = defaults_of(kind)
    options = replace(options, leaf_prediction=leaf_prediction or options.leaf_prediction)
    twins = ForestTwins(options, of_forest)
    twins.learn(turning(420), ask_every=10)
    assert twins.n_splits > 0
    tally = twins.core.tally()
    is_watched = of_forest.on_drift != "nothing"
    assert sum(member.n_made for member in twins.reference.members) > 3 or not is_watched
    assert tally["drifts"] > 0 or not is_watched
    if kind.growth == "adaptive_size":
        assert all(tree.tally["pruned"] > 0 for tree in twins.reference.trees[:2]), "some trees are to be cut"


def test_bags_of_trees_that_begin_anew_when_they_are_full() -> None:
    """The other of the two ways of cutting a tree that the paper of ASHT bagging has."""
    options, of_forest = defaults_of(tree_called("asht-bagging"))
    assert isinstance(options, SizedOptions)
    twins = ForestTwins(replace(options, when_full="reset"), of_forest)
    twins.learn(turning(420), ask_every=10)
    assert all(tree.tally["pruned"] > 0 for tree in twins.reference.trees[:2]), "some trees are to be cut"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    """Labels sorted, one class, features always on, empty points, ties, and more."""
    options = replace(STREAMING, leaf_prediction="mixed")
    twins = ForestTwins(options, ForestOptions(n_estimators=2, lambda_value=1.0, max_features=0.6))
    twins.learn(weighted(HOSTILE[name]()[:40]), ask_every=2)
