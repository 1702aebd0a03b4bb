"""Deltas and trees of numbers and categories as bytes, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from mixed_batches import (
    as_arrays,
    batch_point,
    check,
    learn,
    mixed_rows,
    names_of,
    options_of,
)

from sapwood import StreamingTreeClassifier
from sapwood._core import Delta, Router, Tree, ValueCounts
from sapwood.exceptions import ModelFormatError

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
