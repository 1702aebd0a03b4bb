"""Trees that are cut when they have grown too large, and bags of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from reference_adaptive_size import SizedOptions, SizedTree
from streams import HOSTILE
from tree_twins import Twins, WeightedPoint, drifting, in_order_of_appearance, weighted

from sapwood import AdaptiveSizeHoeffdingTreeClassifier, ASHTBaggingClassifier, HoeffdingTreeClassifier
from sapwood._core import Tree
from sapwood.datasets import make_text

BOLD = SizedOptions(delta=0.3, tau=0.2, leaf_prediction="majority")
when_full = pytest.mark.parametrize("when_full", ["drop_root", "reset"])


class SizedTwins(Twins):
    """A tree of the core and the reference, which learn the same points and must never differ."""

    def __init__(self, options: SizedOptions, search: str = "certified") -> None:
        self.core = Tree(**options.of_core(), search=search)
        self.reference = SizedTree(options)


def noisy(n: int, seed: int, d: int = 9, n_classes: int = 2) -> list[WeightedPoint]:
    """Return points whose class is now shown by one feature, now by another."""
    rng = np.random.default_rng(seed)
    points: list[WeightedPoint] = []
    for i in range(n):
        features = tuple(int(j) for j in np.flatnonzero(rng.random(d) < 0.4))
        label = (i * n_classes // n if (i // 60) % d in features else int(rng.integers(n_classes))) % n_classes
        points.append((features, label if rng.random() < 0.8 else int(rng.integers(n_classes)), 1.0))
    return in_order_of_appearance(points)


@when_full
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive", "mixed"])
@pytest.mark.parametrize("max_size", [1, 2, 5])
def test_it_is_the_tree_of_the_reference(max_size: int, leaf_prediction: str, when_full: str) -> None:
    options = replace(BOLD, max_size=max_size, leaf_prediction=leaf_prediction, when_full=when_full)
    twins = SizedTwins(options)
    twins.learn(noisy(400, seed=max_size), ask_every=4)
    assert twins.reference.tally["pruned"] > 0, "it is to be cut"


@when_full
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_leaves_that_were_too_deep_split_again(max_depth: int, when_full: str) -> None:
    twins = SizedTwins(replace(BOLD, max_size=1 if max_depth < 3 else 2, max_depth=max_depth, when_full=when_full))
    twins.learn(noisy(500, seed=7), ask_every=50)
    # A tree of depth 1 has one inner node, and is never too large.
    assert (twins.reference.tally["pruned"] > 0) == (max_depth > 1)


@when_full
@pytest.mark.parametrize("search", ["certified", "exhaustive"])
def test_several_classes_and_subspaces(search: str, when_full: str) -> None:
    twins = SizedTwins(replace(BOLD, max_size=2, when_full=when_full, leaf_prediction="mixed"), search)
    twins.learn(drifting(seed=16, n=250, n_classes=3), ask_every=5)
    twins = SizedTwins(replace(BOLD, max_size=2, when_full=when_full, criterion="gini"), search)
    twins.learn(noisy(300, seed=3, n_classes=3), ask_every=5)
    assert twins.reference.tally["pruned"] > 0


@when_full
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str, when_full: str) -> None:
    SizedTwins(replace(BOLD, max_size=1, when_full=when_full)).learn(weighted(HOSTILE[name]()[:120]))


def test_until_it_is_cut_it_is_a_hoeffding_tree() -> None:
    points = noisy(300, seed=5)
    model, other = (kind(delta=0.3, tau=0.2) for kind in (AdaptiveSizeHoeffdingTreeClassifier, HoeffdingTreeClassifier))
    for features, label, _ in points:
        model.learn_one(features, label)
        other.learn_one(features, label)
    assert model.export_text() == other.export_text()
    assert model.get_n_leaves() > 3


def words(n: int, seed: int = 1) -> tuple[Any, Any]:
    return make_text(n, d=200, drift="abrupt", n_changes=3, seed=seed)


def learned(model: Any, X: Any, y: Any, chunks: Sequence[int] = ()) -> Any:
    start = 0
    for end in [*chunks, X.shape[0]]:
        model.partial_fit(X[start:end], y[start:end], classes=np.unique(y))
        start = end
    return model


@when_full
def test_sizes_double_from_tree_to_tree(when_full: Any) -> None:
    X, y = words(6_000)
    parameters: dict[str, Any] = {"delta": 0.2, "tau": 0.2, "grace_period": 10, "when_full": when_full}
    model = learned(ASHTBaggingClassifier(n_estimators=4, random_state=1, **parameters), X, y)
    sizes = [tree.get_n_leaves() - 1 for tree in model.estimators_]
    assert all(size <= 2 << place for place, size in enumerate(sizes))
    assert [tree.max_size for tree in model.estimators_] == [2, 4, 8, 16]
    assert max(sizes) > 4
    assert all(tree.summary().n_nodes_pruned > 0 for tree in model.estimators_[:2]), "small ones are to be cut"


@when_full
def test_saved_loaded_resumed_is_the_same_to_the_byte(when_full: Any) -> None:
    X, y = words(4_000)
    parameters: dict[str, Any] = {"delta": 0.2, "tau": 0.2, "grace_period": 10, "when_full": when_full}
    for make in (
        lambda: AdaptiveSizeHoeffdingTreeClassifier(max_size=2, **parameters),
        lambda: ASHTBaggingClassifier(n_estimators=3, n_jobs=2, random_state=1, **parameters),
    ):
        whole = learned(make(), X, y)
        part = learned(make(), X[:1_500], y[:1_500], [700])
        again = type(part).from_bytes(part.to_bytes())
        assert again.to_bytes() == part.to_bytes()
        assert learned(again, X[1_500:], y[1_500:], [900]).to_bytes() == whole.to_bytes()
        assert (whole.predict_proba(X) == again.predict_proba(X)).all()


def test_a_tree_that_is_never_wrong_has_a_finite_weight() -> None:
    model = ASHTBaggingClassifier(n_estimators=3, random_state=1)
    for i in range(2_000):
        model.learn_one({"a" if i % 2 else "b"}, i % 2)
    found = model.predict_proba_one({"a"})
    assert all(np.isfinite(share) for share in found.values())
    assert sum(found.values()) == pytest.approx(1)
    assert model.predict_one({"a"}) == 1


@pytest.mark.parametrize("when_full", ["drop_root", "reset"])
def test_max_bytes_holds(when_full: Any) -> None:
    X, y = words(4_000)
    model = AdaptiveSizeHoeffdingTreeClassifier(
        max_size=3, max_bytes=200_000, delta=0.2, tau=0.2, grace_period=10, when_full=when_full
    )
    for start in range(0, X.shape[0], 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[0, 1])
        assert model.summary().tree_bytes <= 200_000
    assert model.summary().n_nodes_pruned > 0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match=r"max_size must be at least 1, got 0"):
        ASHTBaggingClassifier(max_size=0).learn_one({"a"}, 0)
    with pytest.raises(ValueError, match=r"when_full must be one of 'drop_root', 'reset', got 'wait'"):
        ASHTBaggingClassifier(when_full="wait").learn_one({"a"}, 0)  # type: ignore[arg-type]  # that is the test
