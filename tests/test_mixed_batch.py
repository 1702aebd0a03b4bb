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
from mixed_streams import HOSTILE, ROWS, AsTheCoreDid, Row
from reference_batch import text_id
from reference_mixed_batch import BatchPoint, MixedBatchReference
from reference_numbers import Test
from reference_tree import Options

from sapwood import StreamingTreeClassifier
from sapwood._core import Delta, Router, Tree, ValueCounts
from sapwood.data.category import Category
from sapwood.exceptions import ModelFormatError

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
        tests = self._tests(nodes)
        self.reference.cover_classes(n_classes)
        self.reference.learn_parts(points, AsTheCoreDid(tests, nodes), self.n_parts)
        self._compare(tests, nodes)
        for x, _ in rows[:5]:
            true = self.reference.proba_of(batch_point(x, 0))
            asked = {NUMBERS.get(name, FLAGS.get(name, name)): value for name, value in x.items()}
            found = self.core.predict_proba_one(asked, typed=True)
            np.testing.assert_allclose(found, true, rtol=0, atol=NEAR_PROBABILITY)

    def _tests(self, nodes: Core) -> list[Test | None]:
        typed = self.core.typed_tests()
        found: list[Test | None] = []
        for i, feature in enumerate(nodes["feature"].tolist()):
            if i not in typed:
                found.append(None if feature < 0 else ("on", feature))
            elif isinstance(typed[i][0], list):
                found.append(("among", tuple(typed[i][0])))
            else:
                found.append(("above", feature, *typed[i]))
        return found

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


# ---- bytes -----------------------------------------------------------------------------------------------------------


def grown(n: int = 300, leaf_prediction: str = "naive_bayes") -> Tree:
    """Return a tree that has learned batches of 100 points."""
    rows = mixed_rows(4, n)
    tree = Tree(**options_of("hoeffding", leaf_prediction).of_core())
    for start in range(0, n, 100):
        learn(tree, [batch_point(x, label) for x, label in rows[start : start + 100]], names_of(rows), 2)
    return tree


def test_a_tree_goes_to_bytes_and_back_and_on() -> None:
    for leaf_prediction in ("naive_bayes", "mixed"):
        for n in (40, 300, 1500):
            tree = grown(n, leaf_prediction)
            again = Tree.from_bytes(tree.to_bytes(), tree.named_keys(), tree.number_keys())
            assert again.to_bytes() == tree.to_bytes()
            rows = mixed_rows(8, 50)
            for each in (tree, again):
                learn(each, [batch_point(x, label) for x, label in rows], names_of(rows), 2)
            assert again.to_bytes() == tree.to_bytes()


@pytest.mark.parametrize("of", ["values", "delta", "router"])
def test_bytes_that_are_changed_are_refused_or_mean_something_else(of: str) -> None:
    router = grown().router()
    flags, numbers = as_arrays([batch_point(x, label) for x, label in mixed_rows(5, 20)])
    made: dict[str, Any] = {
        "values": router.values(*flags, numbers=numbers),
        "delta": router.count(*flags, numbers=numbers),
        "router": router,
    }
    data = made[of].to_bytes()
    kind: Any = {"values": ValueCounts, "delta": Delta, "router": Router}[of]
    assert kind.from_bytes(data).to_bytes() == data
    for size in range(0, len(data), 7):
        with pytest.raises(ModelFormatError):
            kind.from_bytes(data[:size])
    refused = 0
    for at in range(len(data)):
        for value in {0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1} - {data[at]}:
            other = data[:at] + bytes([value]) + data[at + 1 :]
            try:
                found = kind.from_bytes(other)
            except ModelFormatError:
                refused += 1
            else:
                assert found.to_bytes() == other
    assert refused > 0


def test_deltas_that_no_points_have_are_refused_and_change_nothing() -> None:
    tree = grown()
    before = tree.to_bytes()
    flags, numbers = as_arrays([batch_point(x, label) for x, label in mixed_rows(5, 20)])
    data = tree.router().count(*flags, numbers=numbers).to_bytes()

    def refusal(changed: bytes) -> str:
        """Return why counts are refused; nothing if they are learned."""
        try:
            delta = Delta.from_bytes(changed)
        except ModelFormatError:
            return "bytes"
        copy = Tree.from_bytes(before, tree.named_keys(), tree.number_keys())
        try:
            copy.absorb(delta)
        except ValueError as error:
            assert copy.to_bytes() == before
            return str(error)
        copy.grow()
        check(copy)
        return ""

    refused = {
        refusal(data[:at] + bytes([value]) + data[at + 1 :])
        for at in range(13, len(data))
        for value in {0, 1, 5, 0x7F, data[at] ^ 1, data[at] ^ 2, data[at] ^ 64} - {data[at]}
    }
    assert any("a point must have one value of a number at most" in why for why in refused)
    assert any("delta must have bins of the numbers of the tree" in why for why in refused)
    assert "" in refused


def test_what_must_be_known_first() -> None:
    tree = Tree(growth="batch", leaf_prediction="majority")
    flags, numbers = as_arrays([batch_point({"x": 1.0}, 0), batch_point({"x": 2.0}, 1)])
    with pytest.raises(ValueError, match="numbers must be known before they are counted, got the id 5"):
        tree.router().count(*flags, numbers=numbers)
    settled = Tree(growth="batch", leaf_prediction="majority")
    many = [batch_point({"x": float(i)}, i % 2) for i in range(1100)]
    values = settled.router().values(*as_arrays(many)[0], numbers=as_arrays(many)[1])
    settled.meet_values(values)
    assert settled.router().values(*flags, numbers=numbers).n_numbers() == 0
    with pytest.raises(ValueError, match="values must be of numbers that are not settled, got those of the id 5"):
        settled.meet_values(values)
    with pytest.raises(ValueError, match="numbers must be finite, got nan"):
        settled.router().count(*flags, numbers=(*numbers[:2], np.array([1.0, math.nan])))
    with pytest.raises(ValueError, match="features must not have ids of bins"):
        settled.router().count(flags[0] * 0 + [0, 1, 1], np.array([1 << 62], dtype=np.uint64), *flags[2:])


def test_values_of_more_points_than_a_tree_counts_are_refused() -> None:
    tree = Tree(growth="batch", leaf_prediction="majority")
    flags, numbers = as_arrays([batch_point({"x": 1.0}, 0), batch_point({"x": 2.0}, 1)])
    values = tree.router().values(*flags, numbers=numbers)
    for _ in range(30):
        values.merge(values)
    before = tree.to_bytes()
    with pytest.raises(ValueError, match="values must be of at most 2147483647 points, got more of the id 5"):
        tree.meet_values(values)
    assert tree.to_bytes() == before
    assert tree.number_keys() == []


def test_a_single_point_is_refused_before_anything_of_it_is_known() -> None:
    tree = Tree(growth="batch", leaf_prediction="majority")
    before = tree.to_bytes()
    for x in ({"age": 4.5}, {"new": True, "country": "fi"}):
        with pytest.raises(ValueError, match="points must come in batches, by partial_fit, for batch_growth"):
            tree.learn_one(x, 3, typed=True)
    with pytest.raises(ValueError, match="points must come in batches, by partial_fit, for batch_growth"):
        tree.learn(np.array([0, 1]), np.array([7], dtype=np.int32), np.array([2], dtype=np.uint16))
    assert (tree.keys(), tree.number_keys(), tree.n_classes()) == ([], [], 2)
    assert tree.to_bytes() == before


def test_a_number_that_never_differs_is_saved_after_any_number_of_points() -> None:
    n = 70_000  # more than settle a number of few values
    table = pd.DataFrame({"constant": np.full(n, 3.5), "flag": np.arange(n) % 2 == 0})
    model = StreamingTreeClassifier(batch_growth=True).partial_fit(table, np.arange(n) % 2, classes=[0, 1])
    assert StreamingTreeClassifier.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_a_delta_is_divided_among_at_least_one_shard() -> None:
    tree = grown(40, "majority")
    delta = tree.router().count(np.array([0, 1]), np.array([1], dtype=np.uint64), np.array([0], dtype=np.uint16))
    assert len(delta.divided(3)) == 3
    with pytest.raises(ValueError, match="n_shards must be at least 1, got 0"):
        delta.divided(0)
