"""Forests against the reference in plain Python: every tree node for node, and every answer, after every point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import numpy as np
import pytest
from reference_adaptive_size import SizedOptions
from reference_forest import ForestOptions, ReferenceForest
from reference_tree import Options
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


# With so many counts per point that a forest which took them for evidence would split earlier.
PUBLISHED = {
    "bagging": ForestOptions(lambda_value=1.0, combining="votes"),
    "adwin-bagging": ForestOptions(lambda_value=1.0, combining="votes", on_drift="reset_worst", drift_delta=0.2),
    "leveraging": ForestOptions(lambda_value=6.0, combining="votes", on_drift="reset_worst", drift_delta=0.2),
    "arf": ForestOptions(
        lambda_value=6.0, max_features=0.6, subspace="node", combining="accuracy", on_drift="swap", drift_delta=0.05,
        warning_delta=0.3,
    ),
    "srp": ForestOptions(
        lambda_value=6.0, max_features=0.6, combining="accuracy", on_drift="swap", drift_delta=0.05, warning_delta=0.3
    ),
    "asht-bagging": ForestOptions(lambda_value=1.0, combining="inverse_error"),
    "forest": ForestOptions(max_features=0.6, on_drift="swap", drift_delta=0.05, warning_delta=0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_forests_that_follow_change(name: str) -> None:
    """The class shows in one feature, and then in its absence: trees are swapped or reset where they are to be."""
    rng = np.random.default_rng(2)
    stream: list[WeightedPoint] = []
    for i in range(420):
        features = tuple(int(j) for j in np.flatnonzero(rng.random(7) < 0.4))
        stream.append((features, int((0 in features) == (i < 210)) ^ int(rng.random() < 0.1), 1.0))
    options = Options(growth="hoeffding", delta=0.3, tau=0.1, leaf_prediction="naive_bayes")
    if name == "forest":
        options = replace(STREAMING, leaf_prediction="mixed")
    if name == "asht-bagging":
        options = SizedOptions(delta=0.3, tau=0.1, leaf_prediction="naive_bayes", max_size=1)
    twins = ForestTwins(options, PUBLISHED[name])
    twins.learn(in_order_of_appearance(stream), ask_every=10)
    assert twins.n_splits > 0
    tally = twins.core.tally()
    is_watched = PUBLISHED[name].on_drift != "nothing"
    assert sum(member.n_made for member in twins.reference.members) > 3 or not is_watched
    assert tally["drifts"] > 0 or not is_watched
    if name == "asht-bagging":
        assert all(tree.tally["pruned"] > 0 for tree in twins.reference.trees[:2]), "some trees are to be cut"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    """Labels sorted, one class, features always on, empty points, ties, and more."""
    options = replace(STREAMING, leaf_prediction="mixed")
    twins = ForestTwins(options, ForestOptions(n_estimators=2, lambda_value=1.0, max_features=0.6))
    twins.learn(weighted(HOSTILE[name]()[:40]), ask_every=2)
