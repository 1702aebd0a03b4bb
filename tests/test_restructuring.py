"""Splits made anew without loss, against the reference in plain Python, on numbers, and in a tree that is saved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reference_drifting import DriftingTree, DriftOptions
from reference_following import stream_that_changes
from reference_options import Options
from streams import HOSTILE
from tree_twins import Twins, WeightedPoint, in_order_of_appearance, weighted

from sapwood import ExtremelyFastDecisionTreeClassifier, StreamingTreeClassifier
from sapwood._core import Tree

GROWTHS = ["extremely_fast", "streaming"]
BOLD: dict[str, Any] = {"revision": "restructure", "delta": 0.3, "tau": 0.2, "min_samples_reevaluate": 1}


def turning(n: int, seed: int, n_classes: int = 2) -> list[WeightedPoint]:
    """Make points whose class shows in two features, and in two others after each third, of which one stays."""
    rng = np.random.default_rng(seed)
    stream: list[WeightedPoint] = []
    for i in range(n):
        label = int(rng.integers(n_classes))
        phase = 3 * i // n
        says = rng.random(6) < 0.3
        for j, rate in ((phase, 0.95), (phase + 1, 0.8)):
            says[j] = (rng.random() < rate) == (label == j % n_classes)
        stream.append((tuple(map(int, np.flatnonzero(says))), label, 1))
    return in_order_of_appearance(stream)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive", "mixed"])
def test_every_leaf_prediction(growth: str, leaf_prediction: str) -> None:
    resplit = 0
    for split_test, seed, n_classes in (("gaussian", 1, 2), ("gaussian", 2, 3), ("evidence", 3, 2)):
        twins = Twins(Options(growth=growth, leaf_prediction=leaf_prediction, split_test=split_test, **BOLD))
        # Inner nodes of the latter count an eighth of the points.
        stream = turning(400 if growth == "extremely_fast" else 900, seed, n_classes)
        twins.learn(stream, ask_every=20)
        for features, _, _ in stream[-5:]:
            twins.compare_models(features)
        resplit += twins.reference.tally["resplit"]
    assert resplit > (2 if growth == "extremely_fast" else 0)


@pytest.mark.parametrize("growth", GROWTHS)
@pytest.mark.parametrize("limits", [{"max_depth": 1}, {"max_depth": 2}, {"max_depth": 3}, {"max_leaves": 4}], ids=str)
def test_limits(growth: str, limits: dict[str, Any]) -> None:
    resplit = 0
    for seed in range(3):
        twins = Twins(Options(growth=growth, leaf_prediction="majority", split_test="gaussian", **BOLD, **limits))
        twins.learn(turning(300 if growth == "extremely_fast" else 800, seed, 2 + seed % 2), ask_every=50)
        resplit += twins.reference.tally["resplit"]
    assert resplit > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    for growth in GROWTHS:
        for split_test in ("hoeffding", "gaussian", "evidence"):
            options = Options(growth=growth, leaf_prediction="majority", split_test=split_test, **BOLD)
            Twins(options, search="exhaustive").learn(weighted(HOSTILE[name]()[:200]), ask_every=50)


@pytest.mark.slow
def test_a_tree_that_follows_changes() -> None:
    resplit = 0
    for seed in range(6):
        options = DriftOptions(
            **BOLD,
            split_test="gaussian" if seed % 2 else "evidence",
            swap_delta=0.3,
            patience=60,
            window_size=100,
            drift_delta=0.3,
        )
        twins = Twins(options)
        twins.reference = DriftingTree(options)
        twins.learn(stream_that_changes(seed, 500), ask_every=20)
        resplit += twins.reference.tally["resplit"]
    assert resplit > 0


@pytest.mark.parametrize("revision", ["replace", "restructure"])
def test_a_tree_that_follows_changes_within_its_leaves(revision: str) -> None:
    """With models in the leaves of an alternate no one would see which of two labels it took where both are as good."""
    resplit = 0
    for seed in range(6):
        options = DriftOptions(
            **{**BOLD, "revision": revision},
            max_leaves=4,
            leaf_prediction="majority",
            split_test="gaussian" if seed % 2 else "evidence",
            swap_delta=0.3,
            patience=60,
            window_size=100,
            drift_delta=0.3,
        )
        twins = Twins(options)
        twins.reference = DriftingTree(options)
        twins.learn(stream_that_changes(seed, 500), ask_every=20)
        resplit += twins.reference.tally["resplit"]
    assert resplit > 0


def mixed_table(n: int, seed: int) -> list[tuple[dict[str, Any], int]]:
    """Make points with numbers, some missing, and categories, whose class shows in others after each third."""
    rng = np.random.default_rng(seed)
    points = []
    for i in range(n):
        x: dict[str, Any] = {"a": float(rng.normal()), "b": float(rng.integers(9)), "c": "rgbk"[rng.integers(4)]}
        if rng.random() < 0.2:
            del x["b"]
        shows = (x["a"] > 0.3, x.get("b", 0) > 4, x["c"] in "rk")
        label = shows[3 * i // n] if rng.random() < 0.8 else shows[0] != shows[2]
        points.append((x, int(label)))
    return points


@pytest.mark.parametrize("growth", GROWTHS)
def test_numbers_and_categories(growth: str) -> None:
    """Leaves have no points that never came, and a saved tree goes on to the byte."""
    resplit = 0
    for seed in range(4):
        split_test = "gaussian" if seed % 2 else "evidence"
        tree = Tree(growth=growth, split_test=split_test, leaf_prediction="majority", **BOLD)
        loaded: list[Tree] = []
        for i, (x, y) in enumerate(mixed_table(1500, seed)):
            before = tree.tally()["resplit"]
            for each in (tree, *loaded):
                each.learn_one(x, y, 1, 0.0)
            if tree.tally()["resplit"] > before:
                resplit += 1
                nodes = tree.nodes()
                # A split on a number gives its leaves the points since the number had thresholds, and no others.
                assert 0 < nodes["counts"][nodes["feature"] < 0].sum() <= tree.n()
            if i % 400 == 399:
                loaded.append(Tree.from_bytes(tree.to_bytes(), tree.named_keys(), tree.number_keys()))
        assert all(each.to_bytes() == tree.to_bytes() for each in loaded)
    assert resplit > 3


@pytest.mark.parametrize("model", [ExtremelyFastDecisionTreeClassifier, StreamingTreeClassifier])
def test_a_word_that_is_none(model: type) -> None:
    with pytest.raises(ValueError, match="revision must be one of 'replace', 'restructure', got 'undo'"):
        model(revision="undo").learn_one({"a": 1}, 0)
