"""Batches with numbers, categories and missing values, and the twins that learn them: the core and the reference."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mixed_streams import AsTheCoreDid, Row
from reference_batch import text_id
from reference_mixed_batch import BatchPoint, MixedBatchReference
from reference_numbers import Test, asked_by_nodes
from reference_options import Options

from sapwood._core import Tree
from sapwood.data.category import Category

Core = dict[str, Any]

# The columns of numbers and of flags; all other names are those of categories.
NUMBERS = {"many": 0, "few": 1, "same": 2, "rises": 3, "huge": 4, "x": 5, "y": 6}
FLAGS = {"flag": 8, "f": 9}
NEAR_PROBABILITY = 1e-5


def batch_point(x: dict[str, Any], label: int, weight: int = 1) -> BatchPoint:
    """Return a point as all who count know it; a number that is NaN is missing."""
    on: dict[int, Any] = {}
    for name, value in x.items():
        if isinstance(value, str):
            on[text_id(f"{name}={value}")] = name
        elif value is True:
            on[FLAGS[name]] = None
    numbers = {NUMBERS[name]: value for name, value in x.items() if isinstance(value, float) and not math.isnan(value)}
    return BatchPoint(on, numbers, label, weight)


def names_of(rows: list[Row]) -> dict[int, Category]:
    """Return the categories of points, by id."""
    found = {(name, value) for x, _ in rows for name, value in x.items() if isinstance(value, str)}
    return {text_id(f"{name}={value}"): Category(name, value) for name, value in found}


def as_arrays(points: list[BatchPoint]) -> tuple[tuple[Any, Any, Any, Any], tuple[Any, Any, Any]]:
    """Return points as workers count them: flags, labels and weights, and numbers."""
    indptr = np.cumsum([0] + [len(each.on) for each in points], dtype=np.int64)
    ids = np.array([j for each in points for j in each.on], dtype=np.uint64)
    labels = np.array([each.label for each in points], dtype=np.uint16)
    weights = np.array([each.weight for each in points], dtype=np.int32)
    ends = np.cumsum([0] + [len(each.numbers) for each in points], dtype=np.int64)
    number_ids = np.array([j for each in points for j in each.numbers], dtype=np.uint64)
    values = np.array([value for each in points for value in each.numbers.values()], dtype=np.float64)
    return (indptr, ids, labels, weights), (ends, number_ids, values)


def learn(tree: Tree, points: list[BatchPoint], names: dict[int, Category], n_classes: int) -> None:
    """Let a tree of the core learn a batch on one machine."""
    (indptr, ids, labels, weights), (ends, number_ids, values) = as_arrays(points)
    key_of = {j: int(tree.ids_of_keys([name], True)[0]) for j, name in sorted(names.items())}
    keys = np.array([key_of.get(j, j) for j in ids.tolist()], dtype=np.int32)
    tree.learn_batch(indptr, keys, labels, weights, n_classes, (ends, number_ids.astype(np.int32), values))


def check(tree: Tree) -> None:
    """Check that a tree can be read from its bytes, which is refused if an invariant does not hold."""
    assert Tree.from_bytes(tree.to_bytes(), tree.named_keys(), tree.number_keys()).to_bytes() == tree.to_bytes()


class MixedBatchTwins:
    """A tree of the core that grows by batches, and the reference, which must never differ."""

    def __init__(self, options: Options, search: str = "certified", n_parts: int = 1) -> None:
        self.n_parts = n_parts
        self.core = Tree(**options.of_core(), search=search, sub_batches=n_parts)
        self.reference = MixedBatchReference(options)

    def learn(self, rows: list[Row], n_classes: int, weights: list[int] | None = None) -> None:
        points = [batch_point(x, label, 1 if weights is None else weights[i]) for i, (x, label) in enumerate(rows)]
        learn(self.core, points, names_of(rows), n_classes)
        nodes = self.core.nodes()
        tests = asked_by_nodes(self.core, nodes)
        self.reference.cover_classes(n_classes)
        self.reference.learn_parts(points, AsTheCoreDid(tests, nodes), self.n_parts)
        self._compare(tests, nodes)
        for x, _ in rows[:5]:
            true = self.reference.proba_of(batch_point(x, 0))
            asked = {NUMBERS.get(name, FLAGS.get(name, name)): value for name, value in x.items()}
            found = self.core.predict_proba_one(asked, typed=True)
            np.testing.assert_allclose(found, true, rtol=0, atol=NEAR_PROBABILITY)

    def _compare(self, tests: list[Test | None], nodes: Core) -> None:
        reference = self.reference
        expected: Any = reference.root.nodes()
        where = f"{reference.options} after {reference.n} points"
        grids = {j: reference.grids[attribute].edges for j, attribute in reference.attributes.items()}
        assert self.core.router().edges() == grids, where
        assert [node.feature for node in expected] == tests, where
        assert [node.born for node in expected] == nodes["born"].tolist(), where
        assert [node.of_class for node in expected] == nodes["counts"].tolist(), where
        assert [sum(node.counted) for node in expected] == nodes["n_counted"].tolist(), where
        np.testing.assert_allclose(nodes["gain"], [node.gain for node in expected], rtol=0, atol=1e-9)
        np.testing.assert_allclose(nodes["margin"], [node.margin for node in expected], rtol=0, atol=1e-9)
        tally = self.core.tally()
        assert {name: tally[name] for name in reference.tally} == reference.tally, where


def mixed_rows(seed: int, n: int, n_classes: int = 2) -> list[Row]:
    """Make points of a few numbers, flags and categories, some missing, that tell the class."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for i in range(n):
        label = int(rng.integers(n_classes))
        x: dict[str, Any] = {
            "many": float(rng.normal() + 2.5 * label),
            "few": float(rng.integers(5)),
            "same": 7.0,
            "rises": float(i),
            "huge": float(rng.choice([-1.7e308, 1.7e308, 5e-324, 0.0, -0.0])),
            "kind": "abcde"[int(rng.integers(3)) + (label > 0)],
            "flag": bool(rng.random() < 0.3 + 0.2 * label),
        }
        rows.append(({name: value for name, value in x.items() if rng.random() > 0.1}, label))
    return rows


def options_of(split_test: str, leaf_prediction: str, criterion: str = "entropy") -> Options:
    return Options(
        growth="batch",
        split_test=split_test,
        criterion=criterion,
        delta=0.3,
        tau=0.3,
        leaf_prediction=leaf_prediction,
        max_depth=5,
    )
