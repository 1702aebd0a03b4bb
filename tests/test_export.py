"""`sapwood.export`: rules executed by SQLite and by Python, and ONNX by onnxruntime, answer as the model does."""

from __future__ import annotations

import json
import math
import sqlite3
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from sapwood import (
    DynamicTreeClassifier,
    ExtremelyFastDecisionTreeClassifier,
    HoeffdingTreeClassifier,
    StreamingTreeClassifier,
)
from sapwood.datasets import make_sparse, make_text
from sapwood.export import to_onnx, to_rules

LEAVES = ["majority", "naive_bayes", "logistic", "adaptive"]
COUNTRIES = ["fi", "se", "dk", "no", "de's", 'q"q']


def people(n: int = 3000, seed: int = 0) -> list[tuple[dict[str, Any], str]]:
    """Return points with flags, numbers, categories and missing values, whose class depends on all of them."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        x: dict[str, Any] = {}
        if rng.random() < 0.9:
            x["age"] = float(rng.integers(0, 60))
        if rng.random() < 0.9:
            x["country"] = COUNTRIES[rng.integers(len(COUNTRIES))]
        if rng.random() < 0.4:
            x["mem ber"] = True
        if rng.random() < 0.3:
            x["income"] = float(rng.normal())
        y = (
            "old"
            if x.get("age", 50) > 30 and x.get("country") in {"fi", "dk", "de's"}
            else "it's"
            if "mem ber" in x
            else "rich"
            if "income" in x
            else "none"
        )
        found.append((x, y))
    return found


def learned(model: Any, points: list[tuple[Any, Any]]) -> Any:
    for x, y in points:
        model.learn_one(x, y)
    return model


def by_sql(rules: str, points: list[dict[str, Any]]) -> list[Any]:
    names = ["age", "country", "mem ber", "income"]
    table = sqlite3.connect(":memory:")
    try:
        table.execute("CREATE TABLE people (number, {})".format(", ".join(f'"{name}"' for name in names)))
        rows = [(i, *(point.get(name) for name in names)) for i, point in enumerate(points)]
        table.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
        return [row[0] for row in table.execute(f"SELECT {rules} FROM people ORDER BY number")]
    finally:
        table.close()


def by_python(source: str, points: list[dict[Any, Any]]) -> list[Any]:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return [scope["predict"](point) for point in points]


@pytest.mark.parametrize(
    "model",
    [
        HoeffdingTreeClassifier(leaf_prediction="majority", delta=0.01),
        ExtremelyFastDecisionTreeClassifier(leaf_prediction="majority", delta=0.01),
        StreamingTreeClassifier(leaf_prediction="majority"),
    ],
)
def test_rules_are_the_tree(model: Any) -> None:
    points = people()
    learned(model, points)
    kinds = {node["test"]["kind"] for node in model.to_dict()["nodes"] if node["test"] is not None}
    assert len(kinds) >= 2
    asked = [x for x, _ in people(500, 1)] + [{}, {"age": float("nan")}, {"country": None}, {"country": "unheard of"}]
    expected = [model.predict_one(x) for x in asked]
    assert len(set(expected)) >= 3
    assert by_python(to_rules(model, "python"), asked) == expected
    without_nan = [
        {key: value for key, value in x.items() if not (isinstance(value, float) and math.isnan(value))} for x in asked
    ]
    assert by_sql(to_rules(model), without_nan) == expected


def test_sets_of_categories_are_among_the_rules() -> None:
    points = [(x, "yes" if x.get("country") in {"fi", "dk", "de's"} else "no") for x, _ in people(2000)]
    model = learned(HoeffdingTreeClassifier(leaf_prediction="majority", delta=0.01), points)
    assert any(node["test"] and node["test"]["kind"] == "is_among" for node in model.to_dict()["nodes"])
    asked = [x for x, _ in people(200, 3)]
    expected = [model.predict_one(x) for x in asked]
    assert by_python(to_rules(model, "python"), asked) == expected
    assert by_sql(to_rules(model, "sql"), asked) == expected
    assert_onnx_answers(model, asked, expected)


def test_a_long_chain_is_flat() -> None:
    points = [([f"w{i % 120}"], i % 120) for i in range(40_000)]
    model = learned(DynamicTreeClassifier(stopping="none"), points[:2400])
    assert model.get_depth() > 60
    source = to_rules(model, "python")
    assert max(len(line) - len(line.lstrip()) for line in source.splitlines()) <= 4 * 8
    asked = [{f"w{i}": True} for i in range(120)]
    assert by_python(source, asked) == [model.predict_one(x) for x in asked]
    sql = to_rules(model)
    table = sqlite3.connect(":memory:")
    try:
        names = [f"w{i}" for i in range(120)]
        table.execute(f"CREATE TABLE t ({', '.join(names)})")
        for name in names:
            table.execute(f"INSERT INTO t ({name}) VALUES (1)")
        assert [row[0] for row in table.execute(f"SELECT {sql} FROM t ORDER BY rowid")] == list(range(120))
    finally:
        table.close()


def test_rules_of_other_leaves_say_that_they_are_not_all() -> None:
    model = learned(StreamingTreeClassifier(), people(200))
    assert to_rules(model).startswith(
        "-- the most frequent class of each leaf; the model itself answers by mixed leaves\n"
    )
    assert to_rules(model, "python").startswith("# the most frequent class")


def test_names_of_columns() -> None:
    X, y = make_sparse(n=2000, d1=5, d2=50, q=0.1, seed=1)
    model = HoeffdingTreeClassifier(leaf_prediction="majority", delta=0.01).fit(X, y)
    names = [f"word {i}" for i in range(X.shape[1])]
    assert 'COALESCE("word ' in to_rules(model, feature_names=names)
    rows = [dict.fromkeys(X.indices[X.indptr[k] : X.indptr[k + 1]].tolist(), True) for k in range(100)]
    expected = model.predict(X[:100]).tolist()
    assert by_python(to_rules(model, "python"), rows) == expected
    named = [{names[i]: True for i in row} for row in rows]
    assert by_python(to_rules(model, "python", feature_names=names), named) == expected


def run(proto: Any, x: np.ndarray[Any, Any]) -> tuple[list[Any], np.ndarray[Any, Any]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    label, shares = session.run(["label", "probabilities"], {"x": x})
    return label.tolist(), shares


def assert_onnx_answers(model: Any, points: list[dict[str, Any]], expected: list[Any]) -> None:
    proto = to_onnx(model)
    features = json.loads(next(entry.value for entry in proto.metadata_props if entry.key == "features"))
    x = np.zeros((len(points), len(features)))
    for row, point in enumerate(points):
        for column, name in enumerate(features):
            attribute, _, value = name.partition("=")
            if name in {"age", "income"}:
                x[row, column] = point.get(name, np.nan)
            elif value:
                x[row, column] = point.get(attribute) == value
            else:
                x[row, column] = bool(point.get(name))
    label, shares = run(proto, x)
    assert label == expected
    wanted = [list(model.predict_proba_one(point).values()) for point in points]
    np.testing.assert_allclose(shares, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("leaf_prediction", LEAVES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_onnx_of_sparse_matrices(leaf_prediction: Any, n_classes: int) -> None:
    X, y = make_text(n=3000, d=60, topical=0.5, contrast=1.0, seed=2)
    if n_classes == 3:
        y = y + (np.asarray(X[:, 3].todense()).reshape(-1) > 0)
    labels = y.astype(np.int64) * 7 - 3
    model = HoeffdingTreeClassifier(leaf_prediction=leaf_prediction, delta=0.01, shuffle=False).fit(X, labels)
    assert model.get_n_leaves() > 2
    proto = to_onnx(model)
    label, shares = run(proto, X[:500].toarray().astype(np.float64))
    np.testing.assert_allclose(shares, model.predict_proba(X[:500]), rtol=1e-6, atol=1e-9)
    assert label == model.predict(X[:500]).tolist()


@pytest.mark.parametrize("model", [HoeffdingTreeClassifier(leaf_prediction="majority", delta=0.01)])
def test_onnx_of_numbers_categories_and_flags(model: Any) -> None:
    points = people()
    learned(model, points)
    asked = [x for x, _ in people(400, 5)] + [{}]
    assert_onnx_answers(model, asked, [model.predict_one(x) for x in asked])


def test_onnx_of_a_dense_matrix() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nan_to_num(X[:, 1]) > 0.25, "b", "a")
    model = HoeffdingTreeClassifier(leaf_prediction="majority", delta=0.01).fit(X, y)
    label, shares = run(to_onnx(model), X)
    assert label == model.predict(X).tolist()
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_a_single_leaf() -> None:
    model = learned(HoeffdingTreeClassifier(leaf_prediction="majority"), [(["a"], "x"), (["b"], "y"), (["b"], "y")])
    assert to_rules(model) == "'y'\n"
    assert by_python(to_rules(model, "python"), [{}]) == ["y"]
    assert run(to_onnx(model), np.zeros((2, 2)))[0] == ["y", "y"]


def test_what_cannot_be_exported_is_a_sentence() -> None:
    mixed = learned(StreamingTreeClassifier(), people(50))
    with pytest.raises(ValueError, match=r"^to_onnx: leaf_prediction must not be 'mixed', .*; train with 'majority'$"):
        to_onnx(mixed)
    flags = learned(StreamingTreeClassifier(), [(["a"], "x"), (["b"], "y")])
    with pytest.raises(ValueError, match=r"must not be 'mixed', .*; train with 'adaptive', .* or 'majority'$"):
        to_onnx(flags)
    numbers = learned(HoeffdingTreeClassifier(leaf_prediction="logistic"), people(50))
    with pytest.raises(ValueError, match=r"^to_onnx: leaf_prediction must be 'majority' for points with numbers"):
        to_onnx(numbers)
    for wrong in (HoeffdingTreeClassifier(), "tree"):
        with pytest.raises((TypeError, ValueError), match=r"^to_rules: model must "):
            to_rules(wrong)
    with pytest.raises(ValueError, match=r"^to_rules: language must be one of 'sql', 'python', got 'cobol'"):
        to_rules(numbers, "cobol")  # type: ignore[arg-type]  # the mistake


def test_binarize_is_in_the_graph() -> None:
    X = csr_matrix(np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 3.0], [4.0, 1.0]] * 60))
    y = [1, 0, 0, 1] * 60
    model = HoeffdingTreeClassifier(binarize=1.5, leaf_prediction="logistic", delta=0.01).fit(X, y)
    label, _ = run(to_onnx(model), X.toarray())
    assert label == model.predict(X).tolist() == y
