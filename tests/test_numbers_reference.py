"""Trees on numbers, categories and missing values against the reference in plain Python, node for node."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mixed_streams import HOSTILE, ROWS, AsTheCoreDid, Row
from reference_numbers import MixedPoint, MixedReferenceTree, Test, asked_by_nodes
from reference_options import Options
from tree_twins import After, are_near

from sapwood._core import Tree

KINDS = [
    *product(("hoeffding", "extremely_fast"), ("hoeffding", "evidence"), ("entropy", "gini")),
    ("streaming", "evidence", "entropy"),
]
KINDS = [kind for kind in KINDS if kind[1] != "evidence" or kind[2] == "entropy"]

# Weights are kept in single precision.
NEAR_PROBABILITY = 1e-5


def options_of(kind: tuple[str, str, str], leaf_prediction: str = "majority") -> Options:
    growth, split_test, criterion = kind
    return Options(
        growth=growth,
        split_test=split_test,
        criterion=criterion,
        delta=0.3,
        tau=0.3,
        min_samples_reevaluate=5,
        leaf_prediction=leaf_prediction,
    )


@dataclass
class MixedTwins:
    """A tree of the core and the reference, which learn the same points and must never differ."""

    options: Options
    search: str = "certified"
    slots: dict[Any, int] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.core = Tree(**self.options.of_core(), search=self.search)
        self.reference = MixedReferenceTree(self.options)

    def learn(self, rows: list[Row]) -> None:
        for x, label in rows:
            true = self.reference.proba(self._asked(x))
            found = self.core.predict_proba_one(x, typed=True)
            assert are_near(found, true, NEAR_PROBABILITY), (self.options, self.reference.n, found, true)
            self.core.learn_one(x, label, typed=True)
            nodes = self.core.nodes()
            tests = asked_by_nodes(self.core, nodes)
            self.reference.learn_mixed(self._point(x), label, AsTheCoreDid(tests, nodes))
            self._compare(tests, nodes)

    def _point(self, x: dict[str, Any]) -> MixedPoint:
        """Number flags and values first, then the presences of numbers, as they appear."""
        on: list[int] = []
        numbers: dict[int, float] = {}
        for name, value in x.items():
            if isinstance(value, str) or value is True:
                if (name, value) not in self.slots:
                    self.slots[(name, value)] = self.reference.reserve()
                slot = self.slots[(name, value)]
                on.append(slot)
                if value is not True:
                    self.reference.category[slot] = name
        for name, value in x.items():
            if isinstance(value, float) and not math.isnan(value):
                attribute = self.attributes.setdefault(name, len(self.attributes))
                numbers[attribute] = value
                on.append(self.reference.meet(attribute, value))
        return MixedPoint(tuple(on), numbers)

    def _asked(self, x: dict[str, Any]) -> MixedPoint:
        """Return a point that is only asked about: what was never learned is left out."""
        known = {(name, value) for name, value in x.items() if isinstance(value, str) or value is True}
        on = [slot for each, slot in self.slots.items() if each in known]
        numbers = {
            self.attributes[name]: value
            for name, value in x.items()
            if name in self.attributes and isinstance(value, float) and not math.isnan(value)
        }
        on += [self.reference.known[attribute].presence for attribute in numbers]
        return MixedPoint(tuple(on), numbers)

    def _compare(self, tests: list[Test | None], nodes: dict[str, Any]) -> None:
        reference = self.reference
        expected: Any = reference.root.nodes()
        where = After(reference)
        assert [node.feature for node in expected] == tests, where
        assert [len(node.way) for node in expected] == nodes["depth"].tolist(), where
        assert [node.born for node in expected] == nodes["born"].tolist(), where
        assert [node.of_class for node in expected] == nodes["counts"].tolist(), where
        assert [sum(node.counted) for node in expected] == nodes["n_counted"].tolist(), where
        assert are_near(nodes["gain"].tolist(), [node.gain for node in expected]), where
        assert are_near(nodes["margin"].tolist(), [node.margin for node in expected]), where
        tally = self.core.tally()
        assert {name: tally[name] for name in reference.tally} == reference.tally, where


def mixed_rows(seed: int, n: int, n_classes: int = 2) -> list[Row]:
    """Make points of a few numbers, flags and categories, some missing, that tell the class, and other things later."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for i in range(n):
        label = int(rng.integers(n_classes))
        turn = i > n // 2
        x: dict[str, Any] = {
            "many": float(rng.normal() + (3.5 * label if not turn else 0)),
            "few": float(rng.integers(5)),
            "same": 7.0,
            "rises": float(i),
            "huge": float(rng.choice([-1.7e308, 1.7e308, 5e-324, 0.0])),
            "kind": "abcde"[int(rng.integers(3)) + (label if turn else 0)],
            "flag": bool(rng.random() < 0.3 + 0.4 * label * turn),
        }
        rows.append(({name: value for name, value in x.items() if rng.random() > 0.1}, label))
    return rows


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_every_kind_of_tree(kind: tuple[str, str, str], n_classes: int) -> None:
    twins = MixedTwins(options_of(kind))
    twins.learn(mixed_rows(seed=4, n=170, n_classes=n_classes))
    kinds = {node.feature[0] for node in twins.reference.root.nodes() if node.feature is not None}  # type: ignore[index]
    assert "above" in kinds
    assert twins.reference.settled < twins.reference.tally["tested"]


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", KINDS, ids="-".join)
def test_leaves_that_mix(kind: tuple[str, str, str], n_classes: int) -> None:
    twins = MixedTwins(options_of(kind, "mixed"))
    twins.learn(mixed_rows(seed=5, n=150, n_classes=n_classes))
    made = [known.ranges.used for known in twins.reference.known.values()]
    assert any(2 > len(used) > 0 for used in made)
    assert any(len(used) == 2 for used in made)


def test_ranges_of_many_values_that_move() -> None:
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    for i in range(530):
        label = int(rng.integers(2))
        value = float(rng.normal() + label + (50 if i >= 150 else 0))
        rows.append(({"x": value}, label))
    twins = MixedTwins(options_of(("streaming", "evidence", "entropy"), "mixed"))
    twins.learn(rows)
    ranges = twins.reference.known[0].ranges
    assert set(ranges.used) == {0, 1, 2}
    # The middle one was made of the first values, and once more when they had moved.
    assert max(ranges.used[1].edges) > 40


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    for kind in KINDS:
        for leaf_prediction in ("majority", "mixed"):
            MixedTwins(options_of(kind, leaf_prediction), search="exhaustive").learn(HOSTILE[name])


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(st.sampled_from(KINDS), st.sampled_from(["majority", "mixed"]), ROWS)
def test_drawn_streams(kind: tuple[str, str, str], leaf_prediction: str, rows: list[Row]) -> None:
    MixedTwins(options_of(kind, leaf_prediction)).learn(rows)
