"""Numbers, categories and missing values on Spark: the tree of one machine, whatever the partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference_batch import drawn, text_id
from spark_points import OPTIONS, digest_of, digest_of_forest
from spark_session import MARKS, session

from sapwood import StreamingTreeClassifier

pytestmark = MARKS

COLUMNS = ["country", "age", "a.b", "active"]
SCHEMA = "country string, age double, `a.b` int, active boolean, label int"
Row = tuple[str | None, float | None, int | None, bool, int]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two workers."""
    made = session("local[2]")
    yield made
    made.stop()


def rows_of(n: int, seed: int = 5) -> list[Row]:
    """Return rows of which a number and a category say the class, and that are missing at times."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for _ in range(n):
        label = int(rng.integers(2))
        country = ["fi", "se", "nö"][min(2, int(rng.integers(3 + label)))] if rng.random() < 0.8 else None
        age = [None, math.nan, -0.0, float(rng.normal(30 + 30 * label, 10))][min(int(rng.integers(9)), 3)]
        clicks = int(rng.integers(-2, 4)) if rng.random() < 0.9 else None
        rows.append((country, age, clicks, bool(rng.random() < 0.5), label))
    return rows


def table_of(rows: list[Row]) -> pd.DataFrame:
    """Return the same rows as a table of one machine; what is missing there is missing here."""
    columns = dict(zip(COLUMNS, zip(*(row[:4] for row in rows), strict=True), strict=True))
    return pd.DataFrame(
        {
            "country": pd.Series(columns["country"], dtype=object),
            "age": pd.Series(columns["age"], dtype=float),
            "a.b": pd.Series(columns["a.b"], dtype=float),
            "active": pd.Series(columns["active"], dtype=bool),
        }
    )


def one_machine(batches: list[list[Row]], **options: Any) -> StreamingTreeClassifier:
    """Return the model that one machine learns."""
    model = StreamingTreeClassifier(**{**OPTIONS, **options}, batch_growth=True, sub_batches=4)
    for rows in batches:
        model.partial_fit(table_of(rows), [row[4] for row in rows], classes=[0, 1])
    return model


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_partitions_leave_no_trace(spark: Any, partitions: int) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(1300)
    expected = one_machine([rows])
    assert "age >" in expected.export_text()
    order = np.random.default_rng(partitions).permutation(len(rows))
    frame = spark.createDataFrame([rows[i] for i in order], SCHEMA).repartition(partitions)
    model = SparkTreeClassifier(features=COLUMNS, classes=[0, 1], sub_batches=4, **OPTIONS).fit(frame)
    assert model.digest() == digest_of(expected)
    local = model.to_local()
    assert local.export_text() == expected.export_text()
    answered = model.transform(frame).collect()
    table = table_of([tuple(row)[:5] for row in answered])
    np.testing.assert_allclose([row["probability"] for row in answered], expected.predict_proba(table), atol=1e-12)
    assert local.predict_one({"age": 70.0, "country": "nö"}) == 1


def test_regressions(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(500)
    frame = spark.createDataFrame(rows, SCHEMA).repartition(3)
    options = {**OPTIONS, "leaf_prediction": "mixed"}
    model = SparkTreeClassifier(features=COLUMNS, classes=[0, 1], sub_batches=4, **options).fit(frame)
    assert model.digest() == digest_of(one_machine([rows], leaf_prediction="mixed"))


def test_a_stream_goes_on_with_its_bins(spark: Any, tmp_path: Path) -> None:
    """Some numbers are settled in the second batch, and one never is."""
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    batches = [rows_of(700, seed) for seed in (1, 2, 3)]
    learner = SparkTreeClassifier(features=COLUMNS, classes=[0, 1], sub_batches=4, **OPTIONS)
    step = learner.step(str(tmp_path / "model"), accuracy=True)
    for batch, rows in enumerate(batches):
        step(spark.createDataFrame(rows, SCHEMA).repartition(batch + 1), batch)
    model = SparkTreeModel.load(spark, str(tmp_path / "model"), COLUMNS)
    expected = one_machine(batches)
    assert model.digest() == digest_of(expected)
    assert model.progress["accuracy"] > 0.6


def times_drawn(row: Row, tree: int) -> int:
    """Return how often a tree of a forest learns a row, by plain Python."""
    country, age, clicks, active, label = row
    ids = [text_id(f"country={country}")] * (country is not None) + [text_id("active")] * active
    numbers = [(text_id(name), value) for name, value in (("age", age), ("a.b", clicks)) if value is not None]
    known = [(number, float(value)) for number, value in numbers if not math.isnan(value)]
    return drawn(ids, label, 1.0, seed=1, tree=tree, batch=0, numbers=known)


def test_a_forest(spark: Any) -> None:
    from sapwood.spark import SparkForestClassifier

    rows = rows_of(300)
    frame = spark.createDataFrame(rows, SCHEMA).repartition(3)
    learner = SparkForestClassifier(
        2, lambda_value=1.0, features=COLUMNS, classes=[0, 1], sub_batches=4, seed=1, **OPTIONS
    )
    model = learner.fit(frame)
    trees = []
    for tree in range(2):
        trees.append(StreamingTreeClassifier(**OPTIONS, batch_growth=True, sub_batches=4))
        weights = [times_drawn(row, tree) for row in rows]
        trees[-1].partial_fit(table_of(rows), [row[4] for row in rows], classes=[0, 1], sample_weight=weights)
    assert model.digest() == digest_of_forest(trees, 1.0, 1)
    answered = model.transform(frame).collect()
    table = table_of([tuple(row)[:5] for row in answered])
    mean = np.mean([tree.predict_proba(table) for tree in trees], axis=0)
    np.testing.assert_allclose([row["probability"] for row in answered], mean, atol=1e-12)


def test_lists_of_words_beside_numbers(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = [(["old", "x"] if i % 2 else ["new"], float(i % 2), i % 2) for i in range(200)]
    frame = spark.createDataFrame(rows, "words array<string>, size float, label int")
    model = SparkTreeClassifier(features=["words", "size"], classes=[0, 1], sub_batches=1, **OPTIONS).fit(frame)
    assert set(model.to_local().features_seen_) >= {"old", "new", "x"}


def test_what_is_refused(spark: Any) -> None:
    from sapwood.spark import SparkDataError, SparkTreeClassifier, best_splits

    wrong: list[tuple[Any, str]] = [
        ([], r"SparkTreeClassifier: features must be a column or a list of columns, got \[\]"),
        (["a", "a"], "SparkTreeClassifier: features must be named once each, got 'a' again"),
    ]
    for features, message in wrong:
        with pytest.raises(ValueError, match=message):
            SparkTreeClassifier(features=features, classes=[0, 1])
    frame = spark.createDataFrame([(math.inf, 0)], "x double, label int")
    with pytest.raises(ValueError, match="best_splits: features must be one column, of flags, got"):
        best_splits(frame, features=["x"], classes=[0, 1])  # type: ignore[arg-type]
    with pytest.raises(Exception, match="column 'x' must hold finite numbers, got inf") as caught:
        SparkTreeClassifier(features=["x"], classes=[0, 1]).fit(frame)
    assert SparkDataError.__name__ in str(caught.value)
    dates = spark.createDataFrame([("2020-01-01", 0)], "x string, label int").selectExpr("date(x) as x", "label")
    with pytest.raises(Exception, match="column 'x' must hold numbers, texts, booleans, vectors, or arrays"):
        SparkTreeClassifier(features=["x"], classes=[0, 1]).fit(dates)


def test_integers_beside_texts_are_asked_as_they_are_learned(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    rng = np.random.default_rng(2)
    rows = [([1, 5] if i % 2 else [5], ["fi", "", None][int(rng.integers(3))], i % 2) for i in range(400)]
    frame = spark.createDataFrame(rows, "ints array<int>, country string, label int")
    model = SparkTreeClassifier(features=["ints", "country"], classes=[0, 1], sub_batches=1, **OPTIONS).fit(frame)
    assert all(row["prediction"] == row["label"] for row in model.transform(frame).collect())
    # Empty text is missing, as on one machine.
    assert {str(each) for each in model.to_local().features_seen_} == {"1", "5", "country=fi"}


def test_a_column_keeps_its_type_and_features_can_be_told_apart(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = [(float(i % 2), "fi" if i % 3 else "se", i % 2) for i in range(100)]
    frame = spark.createDataFrame(rows, "age double, country string, label int")
    model = SparkTreeClassifier(features=["age", "country"], classes=[0, 1], **OPTIONS).fit(frame)
    for column, kind, message in (
        ("age", "string", "column 'age' must hold numbers, as before, got string"),
        ("country", "int", "column 'country' must hold texts, as before, got int"),
    ):
        with pytest.raises(ValueError, match=message):
            model.transform(frame.withColumn(column, frame[column].cast(kind)))
    lists = spark.createDataFrame(
        [([1], [1], ["a"], ["a"], 0)], "u array<int>, v array<int>, w array<string>, x array<string>, label int"
    )
    for names, message in (
        (["u", "v"], "column 'v' must be the only one of vectors or arrays of integers, .*, got 'u'"),
        (["w", "x"], "column 'x' must be the only one of arrays of texts, .*, got 'w'"),
    ):
        with pytest.raises(ValueError, match=message):
            SparkTreeClassifier(features=names, classes=[0, 1]).fit(lists)
