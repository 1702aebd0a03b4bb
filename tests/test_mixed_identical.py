"""Flags, numbers and categories make the same tree, to the last bit, however they arrive."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from mixed_tables import as_csv, as_json_lines, dicts, mixed
from tree_models import content

import sapwood
from sapwood.data import Batch
from sapwood.estimators import TreeClassifier
from sapwood.parameters import TREES
from sapwood.stream import read

every_kind = pytest.mark.parametrize("name", [kind.name for kind in TREES if kind.takes_numbers])
OPTIONS: dict[str, Any] = {"delta": 0.2, "shuffle": False}


def new(name: str, **options: Any) -> TreeClassifier:
    model: TreeClassifier = getattr(sapwood, name)(**{**OPTIONS, **options})
    return model


def learned(model: TreeClassifier, batches: Any) -> TreeClassifier:
    for batch in batches:
        model.learner.learn(batch)
    return model


def by_points(model: TreeClassifier, points: list[Any], labels: list[str]) -> TreeClassifier:
    for x, y in zip(points, labels, strict=True):
        model.learn_one(x, y)
    return model


@every_kind
@pytest.mark.parametrize("leaf_prediction", ["adaptive", "mixed"])
def test_every_way_in_makes_the_same_tree(name: str, leaf_prediction: str) -> None:
    table, labels = mixed()
    fitted = new(name, leaf_prediction=leaf_prediction).fit(table, labels)
    kinds = {node.test.kind for node in fitted.learner.view().nodes if node.test is not None}
    assert "is_above" in kinds, "a tree that splits on a number"
    chunked = new(name, leaf_prediction=leaf_prediction)
    for start in range(0, len(labels), 70):
        part = slice(start, start + 70)
        chunked.partial_fit(table.iloc[part], labels[part], classes=["yes", "no"])
    points = dicts(table)
    polars = pl.DataFrame({column: table[column].tolist() for column in table}, strict=False).fill_nan(None)
    same = {
        "chunks": chunked,
        "points": by_points(new(name, leaf_prediction=leaf_prediction), points, labels),
        "typed": new(name, leaf_prediction=leaf_prediction).fit(table.astype({"country": "category"}), labels),
        "polars": new(name, leaf_prediction=leaf_prediction).fit(polars, labels),
        "batch": learned(new(name, leaf_prediction=leaf_prediction), [Batch.of_points(points, labels)]),
        "csv": learned(
            new(name, leaf_prediction=leaf_prediction), read(io.BytesIO(as_csv(table, labels)), batch_size=61)
        ),
        "jsonl": learned(
            new(name, leaf_prediction=leaf_prediction), read(io.BytesIO(as_json_lines(table, labels)), batch_size=97)
        ),
    }
    for way, model in same.items():
        assert content(model) == content(fitted), way
        assert model.features_seen_ == fitted.features_seen_, way
    asked = [fitted.predict_proba_one(x) for x in points]
    shares = [[p[label] for label in fitted.classes_.tolist()] for p in asked]
    assert fitted.predict_proba(table).tolist() == shares
    assert fitted.predict_proba(polars).tolist() == shares


@every_kind
def test_river_learns_the_same(name: str) -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    table, labels = mixed(500)
    own = by_points(new(name), dicts(table), labels)
    one, many = getattr(river, name)(delta=0.2), getattr(river, name)(delta=0.2)
    for x, y in zip(dicts(table), labels, strict=True):
        one.learn_one(x, y)
    for start in range(0, len(labels), 90):
        many.learn_many(table.iloc[start : start + 90], pd.Series(labels[start : start + 90]))
    assert one.to_dict() == many.to_dict() == own.to_dict()
    best = own.classes_[own.predict_proba(table).argmax(axis=1)].tolist()
    assert many.predict_many(table).tolist() == own.predict(table).tolist() == best


@every_kind
def test_dense_arrays_are_points_of_numbers(name: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 2]) > 0).astype(int)
    fitted = new(name).fit(X, y)
    points = [{j: value for j, value in enumerate(row) if value == value} for row in X.tolist()]  # noqa: PLR0124 - NaN
    assert content(by_points(new(name), points, y.tolist())) == content(fitted)
    named = pd.DataFrame(X, columns=list("abcd"))
    by_name = new(name).fit(named, y)
    assert by_name.learner.fitted().tree.to_bytes() == fitted.learner.fitted().tree.to_bytes()
    shares = fitted.feature_importances_
    assert shares.shape == (4,)
    assert shares.sum() == pytest.approx(1)
    assert np.array_equal(by_name.feature_importances_, shares)
    assert shares[[0, 2]].sum() > 0.5


@every_kind
def test_models_of_numbers_are_kept_exactly(name: str) -> None:
    table, labels = mixed()
    model = new(name).fit(table[:600], labels[:600])
    again = type(model).from_bytes(model.to_bytes())
    assert again.to_bytes() == model.to_bytes()
    for each in (model, again):
        each.partial_fit(table[600:], labels[600:])
    assert again.to_bytes() == model.to_bytes()
    assert again.to_dict() == model.to_dict()
    # What the columns hold is known: text in a column of numbers is refused.
    with pytest.raises(ValueError, match="X must hold numbers in column 'age', as before"):
        again.predict(table.assign(age="old"))
    assert again.predict(table.astype({"country": "category"})).tolist() == model.predict(table).tolist()


@every_kind
def test_what_a_tree_of_numbers_says(name: str) -> None:
    table, labels = mixed()
    model = new(name).fit(table, labels)
    text = model.export_text()
    assert "age > " in text or "age <= " in text
    nodes = model.to_dict()["nodes"]
    asked = [node for node in nodes if node["test"] is not None and node["test"]["kind"] == "is_above"]
    assert {node["feature"] for node in asked} <= {"age", "visits"}
    assert all(isinstance(node["test"]["threshold"], float) for node in asked)
    assert set(model.to_dataframe()["feature"].dropna()) >= {"age"}
    assert "age > " in model.to_dot()
    told = model.explain_one({"age": 61, "country": "fi", "member": True})
    assert told.label == "yes"
    state = [test.test.state(test.on) for test in told.tests if test.feature == "age"]
    assert all(each.startswith(("> ", "<= ")) for each in state)
    missing = model.explain_one({})
    # Of a forest one tree is explained.
    explained = model.estimators_[0] if hasattr(model, "estimators_") else model
    assert missing.label == explained.predict_one({})
    assert sum(share for share in model.feature_importances_) == pytest.approx(1)


@every_kind
def test_sparse_numbers_grow_trees(name: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.poisson(1.0, size=(800, 12))
    y = (X[:, 3] > 2).astype(int)
    sparse = scipy.sparse.csr_array(X)
    counts = new(name, sparse_numbers=True).fit(sparse, y)
    flags = new(name).fit(sparse, y)
    assert counts.score(sparse, y) > max(0.97, flags.score(sparse, y))
    assert "x[3] > 2 is on" in counts.export_text()
    assert "third > 2" in counts.export_text(feature_names=["a", "b", "c", "third", *"efghijkl"])
    assert type(counts).from_bytes(counts.to_bytes()).to_bytes() == counts.to_bytes()
    assert counts.feature_importances_.argmax() == 3
    lines = "".join(
        f"{label} " + " ".join(f"{j}:{v}" for j, v in enumerate(row) if v) + "\n"
        for row, label in zip(X, y, strict=True)
    )
    stream = read(io.BytesIO(lines.encode()), format="svmlight", sparse_numbers=True, batch_size=77)
    assert content(learned(new(name), stream)) == content(counts)
