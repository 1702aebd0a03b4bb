"""Forests whose trees learn by batches: the draws against the plain ones, and the forest as a file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_batch import drawn
from spark_points import matrix_of, rows_of

from sapwood import StreamingTreeClassifier
from sapwood._core import batch_draws
from sapwood.batch_forest import BatchForest, pack_forest, unpack_forest
from sapwood.exceptions import ModelFormatError
from sapwood.model_files.sections import pack

ROWS = st.lists(st.tuples(st.frozensets(st.integers(0, 2**30 - 1), max_size=4), st.integers(0, 3)), max_size=20)
NUMBERS = st.integers(0, 2**63 - 1)


def arrays_of(rows: Any) -> tuple[Any, Any, Any]:
    """Return rows as those who count take them."""
    indptr = np.cumsum([0, *(len(features) for features, _ in rows)], dtype=np.int64)
    ids = np.array([j for features, _ in rows for j in features], dtype=np.uint64)
    return indptr, ids, np.array([label for _, label in rows], dtype=np.uint16)


@given(rows=ROWS, mean=st.sampled_from([0.0, 0.5, 1.0, 6.0]), seed=NUMBERS, tree=st.integers(0, 99), batch=NUMBERS)
def test_draws_are_those_of_the_definition(rows: Any, mean: float, seed: int, tree: int, batch: int) -> None:
    found = batch_draws(*arrays_of(rows), None, mean, seed, tree, batch)
    assert found.tolist() == [
        drawn(features, label, mean, seed=seed, tree=tree, batch=batch) for features, label in rows
    ]
    weights = np.arange(len(rows), dtype=np.int32)
    weighted = batch_draws(*arrays_of(rows), weights, mean, seed, tree, batch)
    np.testing.assert_array_equal(weighted, found * weights)


def test_draws_have_the_distribution_and_differ_by_tree_and_batch() -> None:
    rows = [([i], 0) for i in range(20_000)]
    draws = {(t, b): batch_draws(*arrays_of(rows), None, 1.0, 7, t, b) for t in range(2) for b in range(2)}
    for found in draws.values():
        shares = Counter(found.tolist())
        for k, share in enumerate([0.3679, 0.3679, 0.1839, 0.0613]):
            # Five standard deviations of a share of 20,000.
            assert abs(shares[k] / 20_000 - share) < 5 * (share * (1 - share) / 20_000) ** 0.5
    first = draws[0, 0]
    for other in ((0, 1), (1, 0), (1, 1)):
        assert abs(np.corrcoef(first, draws[other])[0, 1]) < 0.04


def test_draws_that_are_refused() -> None:
    rows = arrays_of([([1], 0)])
    for mean in (-1.0, 101.0, float("nan")):
        with pytest.raises(ValueError, match=r"lambda_value must be from 0 to 100(\.0)?, got"):
            batch_draws(*rows, None, mean, 0, 0, 0)
    heavy = np.array([2**31 - 1], dtype=np.int32)
    with pytest.raises(ValueError, match="to be drawn, got 2147483647"):
        batch_draws(*rows, heavy, 100.0, 0, 0, 0)


def grown_forest() -> tuple[BatchForest, Any]:
    rows = rows_of(400)
    X, y = matrix_of(rows), [label for _, label in rows]
    trees = []
    for t in range(3):
        model = StreamingTreeClassifier(batch_growth=True, sub_batches=2, delta=0.3, leaf_prediction="naive_bayes")
        weights = [drawn(features, label, 1.0, seed=5, tree=t, batch=0) for features, label in rows]
        trees.append(model.partial_fit(X, y, classes=[0, 1, 2], sample_weight=weights))
    return BatchForest(trees, 1.0, 5), X


def test_a_forest_answers_by_the_mean_of_its_trees_and_is_a_file(tmp_path: Path) -> None:
    forest, X = grown_forest()
    proba = forest.predict_proba(X)
    np.testing.assert_allclose(proba, sum(t.predict_proba(X) for t in forest.estimators_) / 3, atol=1e-12)
    assert len({tree.to_bytes() for tree in forest.estimators_}) == 3
    assert (forest.predict(X) == proba.argmax(axis=1)).all()
    x = X.indices[X.indptr[0] : X.indptr[1]].tolist()
    assert list(forest.predict_proba_one(x).values()) == pytest.approx(proba[0].tolist(), abs=1e-12)
    assert forest.predict_one(x) == forest.predict(X)[0]
    forest.save(tmp_path / "forest")
    again = BatchForest.load(tmp_path / "forest")
    assert again.to_bytes() == forest.to_bytes()
    assert (again.lambda_value, again.seed) == (1.0, 5)
    np.testing.assert_array_equal(again.predict_proba(X), proba)


def test_bytes_of_no_forest_are_refused() -> None:
    forest, _ = grown_forest()
    tree = forest.estimators_[0].to_bytes()
    other = StreamingTreeClassifier(batch_growth=True, leaf_prediction="majority")
    other.partial_fit(np.eye(3) > 0, [7, 8, 7], classes=[7, 8])
    about: list[Any] = [
        [],
        {"lambda_value": 1.0, "seed": 0},
        {"lambda_value": -1, "seed": 0, "sizes": [0]},
        {"lambda_value": True, "seed": 0, "sizes": [0]},
        {"lambda_value": 1.0, "seed": -1, "sizes": [0]},
        {"lambda_value": 1.0, "seed": 0, "sizes": [1]},
        {"lambda_value": 1.0, "seed": 0, "sizes": [-1, 1]},
        {"lambda_value": 1.0, "seed": 0, "sizes": {}},
    ]
    bad = [pack({"forest": json.dumps(each).encode(), "trees": b""}) for each in about]
    bad += [pack({"forest": b"{", "trees": b""}), tree, b"", pack_forest([b"x"], 1.0, 0), pack_forest([], 1.0, 0)]
    bad += [pack_forest([b"", b""], 1.0, 0), pack_forest([tree, other.to_bytes()], 1.0, 0)]
    for data in bad:
        with pytest.raises(ModelFormatError):
            BatchForest.from_bytes(data)
    assert unpack_forest(pack_forest([tree, b""], 0.5, 3)) == ([tree, b""], 0.5, 3)
