"""Trees that follow a changing stream against the references in plain Python: node for node, after every point."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from reference_drifting import DriftingTree, DriftOptions
from reference_following import (
    AdaptiveOptions,
    FollowingTree,
    WindowedOptions,
    stream_that_changes,
)
from streams import HOSTILE
from tree_twins import Twins, WeightedPoint, weighted

from sapwood._core import Tree

BOLD: dict[str, Any] = {"delta": 0.3, "tau": 0.2, "swap_delta": 0.3, "patience": 60}
OPTIONS = {
    "windowed": WindowedOptions(**BOLD, window_size=60, min_samples_reevaluate=1, drift_delta=0.3),
    "adaptive": AdaptiveOptions(**BOLD, window_size=120, drift_delta=0.3),
    "streaming": DriftOptions(
        **{**BOLD, "delta": 0.45}, split_test="evidence", min_samples_reevaluate=1, window_size=100, drift_delta=0.3
    ),
}


class FollowingTwins(Twins):
    """A tree of the core and the reference, which learn the same points and must never differ."""

    reference: FollowingTree

    def __init__(self, options: WindowedOptions, search: str = "certified") -> None:
        self.core = Tree(**options.of_core(), search=search)
        self.reference = DriftingTree(options) if isinstance(options, DriftOptions) else FollowingTree(options)

    def compare_nodes(self, nodes: dict[str, Any]) -> None:
        super().compare_nodes(nodes)
        tally = self.core.tally()
        assert {name: tally[name] for name in self.reference.changes} == self.reference.changes


def options_with(growth: str, **changed: Any) -> WindowedOptions:
    options = OPTIONS[growth]
    return type(options)(**{**asdict(options), **changed})


def twins_of(options: WindowedOptions, stream: list[WeightedPoint]) -> FollowingTwins:
    twins = FollowingTwins(options)
    twins.learn(stream, ask_every=5)
    return twins


@pytest.mark.parametrize("growth", OPTIONS)
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive", "mixed"])
def test_every_leaf_prediction(growth: str, leaf_prediction: str) -> None:
    twins_of(options_with(growth, leaf_prediction=leaf_prediction), stream_that_changes(3, 240))


@pytest.mark.parametrize("growth", OPTIONS)
@pytest.mark.parametrize(
    "changed",
    [
        {"criterion": "gini", "split_test": "hoeffding"},
        {"split_test": "gaussian", "delta": 0.2},
        {"max_depth": 1},
        {"max_depth": 0},
        {"max_leaves": 3, "patience": 150},
        {"window_size": 1},
        {"grace_period": 7, "min_samples_reevaluate": 9},
        {"swap_delta": 0.9, "patience": 5},
        {"leaf_prediction": "mixed", "half_life": 20},
        {"leaf_prediction": "mixed", "half_life": None},
        {"leaf_prediction": "adaptive", "half_life": 20},
    ],
    ids=str,
)
def test_other_options(growth: str, changed: dict[str, Any]) -> None:
    twins_of(options_with(growth, **{"leaf_prediction": "majority", **changed}), stream_that_changes(4, 200))


@pytest.mark.slow
@pytest.mark.parametrize("growth", OPTIONS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(growth: str, name: str) -> None:
    twins_of(options_with(growth, leaf_prediction="majority"), weighted(HOSTILE[name]()[:120]))


@pytest.mark.slow
@pytest.mark.parametrize("growth", OPTIONS)
def test_alternates_begin_win_and_lose(growth: str) -> None:
    """Many streams, in which all that can happen to an alternate does."""
    seen: dict[str, int] = {}
    for seed in range(9):
        options = options_with(growth, leaf_prediction="mixed" if seed == 5 else "majority", patience=150)
        twins = twins_of(options, stream_that_changes(seed, 800, 3 if seed == 4 else 2))
        for name, count in {**twins.reference.changes, **twins.reference.tally}.items():
            seen[name] = seen.get(name, 0) + count
    assert seen["split"] > 40
    assert seen["alternates_started"] > 6
    assert seen["alternates_swapped"] > 2
    assert seen["alternates_dropped"] > 2
    assert growth == "windowed" or seen["drifts"] > 10
