"""Growth by batches on numbers, categories and missing values: against the reference, and order leaves no trace."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mixed_batches import (
    NUMBERS,
    MixedBatchTwins,
    as_arrays,
    batch_point,
    check,
    learn,
    mixed_rows,
    names_of,
    options_of,
)
from mixed_streams import HOSTILE, ROWS, Row

from sapwood import StreamingTreeClassifier
from sapwood._core import Router, Tree
from sapwood.data.category import Category

# ---- the tree --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [pytest.param(11, marks=pytest.mark.slow), 60])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("split_test", "criterion"), [("evidence", "entropy"), ("hoeffding", "entropy"), ("hoeffding", "gini")]
)
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
def test_the_tree_is_that_of_the_reference(
    leaf_prediction: str, split_test: str, criterion: str, n_classes: int, size: int
) -> None:
    rows = mixed_rows(4, 180, n_classes)
    for search in ("certified", "exhaustive"):
        twins = MixedBatchTwins(options_of(split_test, leaf_prediction, criterion), search)
        for start in range(0, len(rows), size):
            twins.learn(rows[start : start + size], n_classes)
        check(twins.core)
        kinds = {node.feature[0] for node in twins.reference.root.nodes() if node.feature is not None}  # type: ignore[index]
        assert "above" in kinds


@pytest.mark.parametrize("size", [pytest.param(7, marks=pytest.mark.slow), 60])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("leaf_prediction", ["logistic", "adaptive", "mixed"])
def test_models_take_the_steps_of_the_reference(leaf_prediction: str, n_classes: int, size: int) -> None:
    rows = mixed_rows(5, 180, n_classes)
    twins = MixedBatchTwins(options_of("evidence", leaf_prediction))
    for start in range(0, len(rows), size):
        twins.learn(rows[start : start + size], n_classes)
    assert twins.reference.tally["split"] > 0


@pytest.mark.parametrize("leaf_prediction", ["naive_bayes", "mixed"])
def test_weights_and_parts(leaf_prediction: str) -> None:
    rng = np.random.default_rng(3)
    rows = mixed_rows(6, 300)
    twins = MixedBatchTwins(options_of("evidence", leaf_prediction), n_parts=3)
    for start in range(0, len(rows), 100):
        twins.learn(rows[start : start + 100], 2, rng.integers(4, size=100).tolist())
    assert twins.reference.tally["split"] > 1


@pytest.mark.slow
def test_bins_of_many_values_that_come_bit_by_bit() -> None:
    """Edges are added until the number is settled, and then stay; leaves from before go on with what they had."""
    rng = np.random.default_rng(2)
    rows: list[Row] = []
    for i in range(1500):
        label = int(rng.integers(2))
        rows.append(({"x": float(rng.normal() + label * 0.2 + (i > 400)), "few": float(i // 300)}, label))
    twins = MixedBatchTwins(options_of("hoeffding", "naive_bayes"))
    n_edges = []
    for start, end in pairwise([0, 1, 3, 40, 63, 65, 90, 130, 300, 600, 1000, 1030, 1500]):
        twins.learn(rows[start:end], 2)
        n_edges.append(len(twins.core.router().edges()[NUMBERS["x"]]))
    assert n_edges == sorted(n_edges)
    assert 63 < n_edges[-1] == n_edges[-2] < 200
    check(twins.core)


@pytest.mark.slow
def test_more_distinct_values_than_intervals() -> None:
    """Bins that are more than a node tells apart, some of which come late: intervals become one."""
    rng = np.random.default_rng(9)
    twins = MixedBatchTwins(options_of("hoeffding", "majority"))
    for first in range(0, 900, 30):
        rows: list[Row] = [({"x": float(rng.integers(first, first + 60))}, int(rng.integers(2))) for _ in range(30)]
        twins.learn(rows, 2)
    assert len(twins.core.router().edges()[NUMBERS["x"]]) > 64


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_streams(name: str) -> None:
    rows = HOSTILE[name]
    for size in (9, 100):
        for leaf_prediction in ("majority", "naive_bayes", "mixed"):
            twins = MixedBatchTwins(options_of("hoeffding", leaf_prediction), search="exhaustive")
            for start in range(0, len(rows), size):
                twins.learn(rows[start : start + size], 2)


# Drawing whole batches of rows takes longer than Hypothesis expects of an example; none is left out for it.
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(ROWS, st.integers(1, 30), st.sampled_from(["majority", "naive_bayes", "mixed"]), st.integers(1, 3))
def test_drawn_batches(rows: list[Row], size: int, leaf_prediction: str, n_parts: int) -> None:
    twins = MixedBatchTwins(options_of("hoeffding", leaf_prediction), n_parts=n_parts)
    for start in range(0, len(rows), size):
        twins.learn(rows[start : start + size], 2)


def test_batches_of_one_point() -> None:
    twins = MixedBatchTwins(options_of("hoeffding", "naive_bayes"))
    for row in mixed_rows(4, 60):
        twins.learn([row], 2)
    assert twins.reference.tally["split"] > 0


# ---- the estimator ---------------------------------------------------------------------------------------------------


def test_tables_arrays_and_dicts_are_learned_in_any_order() -> None:
    rng = np.random.default_rng(7)
    n = 900
    age, country = rng.uniform(18, 80, n), rng.choice(["fi", "se", "nö", "de"], n)
    y = np.where((age > 37.5) & np.isin(country, ["fi", "se"]), "yes", "no")
    age[rng.random(n) < 0.1] = math.nan
    table = pd.DataFrame({"age": age, "country": country, "active": rng.random(n) < 0.5})
    order = rng.permutation(n)
    options: dict[str, Any] = {"batch_growth": True, "sub_batches": 8, "leaf_prediction": "naive_bayes"}
    model = StreamingTreeClassifier(**options).partial_fit(table, y, classes=["no", "yes"])
    shuffled = StreamingTreeClassifier(**options).partial_fit(table.iloc[order], y[order], classes=["no", "yes"])
    assert shuffled.to_bytes() == model.to_bytes()
    assert model.score(table, y) > 0.9
    text = model.export_text()
    assert "age >" in text
    assert "country" in text
    assert isinstance(model.predict_one({"age": 40.0, "country": "fi"}), str)
    again = StreamingTreeClassifier.from_bytes(model.to_bytes())
    for each in (model, again):
        each.partial_fit(table[:50], y[:50])
    assert again.to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="points must come in batches"):
        model.learn_one({"age": 40.0}, "yes")


def test_two_values_of_a_category_in_one_point_are_refused() -> None:
    tree = Tree(growth="batch", leaf_prediction="majority")
    keys = tree.ids_of_keys([Category("k", "a"), Category("k", "b")], True)
    indptr, labels = np.array([0, 2], dtype=np.int64), np.zeros(1, dtype=np.uint16)
    with pytest.raises(ValueError, match="a point must have one value of a category at most for batch_growth, got two"):
        tree.learn_batch(indptr, keys, labels)
    assert tree.n_met() == 0


# ---- order and partition ---------------------------------------------------------------------------------------------


def learn_in_parts(tree: Tree, rows: list[Row], cuts: list[int], rng: Any) -> None:
    """Let a tree learn a batch as a cluster does: parts are counted apart, sent as bytes, and merged in any order."""
    for j, name in names_of(rows).items():
        assert tree.ids_of_keys([name], True)[0] >= 0, j
    points = [batch_point(x, label) for x, label in rows]
    rng.shuffle(points)
    ends = [0, *sorted(min(cut, len(points)) for cut in cuts), len(points)]
    router = Router.from_bytes(tree.router().to_bytes())

    def merged(counts: list[Any]) -> Any:
        rng.shuffle(counts)
        while len(counts) > 1:
            at = rng.randrange(len(counts) - 1)
            counts[at].merge(type(counts[at]).from_bytes(counts.pop(at + 1).to_bytes()))
        return counts[0]

    parts = [as_arrays(points[a:b]) for a, b in pairwise(ends)]
    tree.meet_values(merged([router.values(*flags, numbers=numbers) for flags, numbers in parts]))
    router = Router.from_bytes(tree.router().to_bytes())
    delta = merged([router.count(*flags, numbers=numbers) for flags, numbers in parts])
    gradients = None
    if tree.learns_gradients():
        sent = Tree.from_bytes(tree.answers(), tree.named_keys(), tree.number_keys())
        gradients = merged([sent.gradients(*flags, numbers=numbers) for flags, numbers in parts])
    tree.absorb(delta, gradients)
    tree.grow()


# Drawing whole batches of rows takes longer than Hypothesis expects of an example; none is left out for it.
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=40)
@given(
    rows=ROWS.filter(bool),
    cuts=st.lists(st.integers(0, 60), max_size=4),
    leaf_prediction=st.sampled_from(["majority", "naive_bayes", "mixed"]),
    rng=st.randoms(use_true_random=False),
)
def test_order_and_partition_leave_no_trace(rows: list[Row], cuts: list[int], leaf_prediction: str, rng: Any) -> None:
    options = options_of("hoeffding", leaf_prediction).of_core()
    here, there = Tree(**options), Tree(**options)
    for batch in (rows, rows[::-2], [*rows, *rows]):
        shuffled = list(batch)
        rng.shuffle(shuffled)
        learn(here, [batch_point(x, label) for x, label in shuffled], names_of(shuffled), 2)
        learn_in_parts(there, batch, cuts, rng)
        assert here.to_bytes() == there.to_bytes()
        check(here)


@cache
def learned_twice() -> tuple[list[Row], tuple[Any, ...]]:
    """Return points, and what makes a tree that has learned them twice; to learn takes longer than all else."""
    rows = mixed_rows(4, 200)
    tree = Tree(**options_of("hoeffding", "majority").of_core())
    for _ in range(2):
        learn(tree, [batch_point(x, label) for x, label in rows], names_of(rows), 2)
    return rows, (tree.to_bytes(), tree.named_keys(), tree.number_keys())


@given(rows=ROWS)
def test_a_router_leads_points_as_its_tree_does(rows: list[Row]) -> None:
    train, saved = learned_twice()
    tree = Tree.from_bytes(*saved)
    points = [batch_point(x, label) for x, label in (*train[:20], *rows)]
    (indptr, ids, _, _), (ends, number_ids, values) = as_arrays(points)
    names = names_of([*train, *rows])
    keys = np.array([tree.ids_of_keys([names[j]], True)[0] if j in names else j for j in ids.tolist()], dtype=np.int32)
    path_ends, path = tree.decision_path(indptr, keys, (ends, number_ids.astype(np.int32), values))
    born = tree.nodes()["born"][path[path_ends[1:] - 1]]
    assert tree.router().leaves(indptr, ids, (ends, number_ids, values)).tolist() == born.tolist()
