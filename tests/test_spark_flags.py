"""Numbers, categories and missing values on Spark: texts that plain Python makes of the same rows, and their tree."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from spark_points import OPTIONS, digest_of
from spark_session import MARKS, session

from sapwood import StreamingTreeClassifier

pytestmark = MARKS

COLUMNS = ["country", "age", "a.b", "active"]
SCHEMA = "country string, age double, `a.b` int, active boolean, label int"
THRESHOLDS: dict[str, list[float]] = {"age": [37.5, 18, 18.0], "a.b": [-1, 2]}
Row = tuple[str | None, float | None, int | None, bool | None, int]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two workers."""
    made = session("local[2]")
    yield made
    made.stop()


def rows_of(n: int) -> list[Row]:
    """Return rows of which a number and a category say the class, and everything is missing at times."""
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for _ in range(n):
        label = int(rng.integers(2))
        country = [None, "fi", "se", "nö"][int(rng.integers(1 + label, 3 + label))] if rng.random() < 0.8 else None
        age = [None, math.nan, -0.0, 18.0, 25.5 + 20 * label, 1e300][int(rng.integers(6))]
        clicks = int(rng.integers(-2, 4)) if rng.random() < 0.9 else None
        rows.append((country, age, clicks, [True, False, None][int(rng.integers(3))], label))
    return rows


def texts_of(row: Row) -> list[str]:
    """Return the texts of a row, by the definition."""
    country, age, clicks, active, _ = row
    texts = [] if country is None else [f"country={country}"]
    for value, asked in ((age, {"age > 18": 18, "age > 37.5": 37.5}), (clicks, {"a.b > -1": -1, "a.b > 2": 2})):
        texts += [text for text, each in asked.items() if value is not None and value > each]
    return [*texts, "active"] if active else texts


def test_texts_and_their_tree(spark: Any) -> None:
    import pandas as pd

    from sapwood.spark import SparkTreeClassifier, flags

    rows = rows_of(600)
    frame = spark.createDataFrame(rows, SCHEMA).repartition(3)
    frame = frame.withColumn("features", flags(frame, COLUMNS, THRESHOLDS))
    for row in frame.collect():
        assert row["features"] == texts_of(tuple(row)[:5])
    model = SparkTreeClassifier(classes=[0, 1], sub_batches=2, **OPTIONS).fit(frame)
    texts = [texts_of(row) for row in rows]
    names = sorted({text for each in texts for text in each})
    X = pd.DataFrame({name: [name in each for each in texts] for name in names})
    expected = StreamingTreeClassifier(**OPTIONS, batch_growth=True, sub_batches=2)
    expected.partial_fit(X, [row[4] for row in rows], classes=[0, 1])
    assert expected.get_n_leaves() > 1
    assert model.digest() == digest_of(expected)


def test_quantiles(spark: Any) -> None:
    from sapwood.spark import flags, quantiles

    rows = [(float(i % 100), None if i % 3 else i) for i in range(1000)] + [(math.nan, None)]
    frame = spark.createDataFrame(rows, "x double, `a.b` int")
    found = [quantiles(frame.repartition(parts), ["x", "a.b"], 4) for parts in (1, 5)]
    assert found[0] == found[1]
    assert found[0]["x"] == pytest.approx([24.5, 49.5, 74.5], abs=0.5)
    assert found[0]["a.b"] == pytest.approx([249, 499, 749], abs=3)
    assert frame.withColumn("features", flags(frame, ["x", "a.b"], found[0])).count() == 1001


def test_what_is_refused(spark: Any) -> None:
    from sapwood.spark import flags, quantiles

    frame = spark.createDataFrame([(1.0, "a", [1], 0)], "x double, word string, items array<int>, n int")
    wrong: list[tuple[Any, Any, str]] = [
        (["y"], None, "flags: columns must be of the frame, x, word, items, n, got 'y'"),
        ([], None, r"flags: columns must be a list of names, got \[\]"),
        ("x", None, "flags: columns must be a list of names, got 'x'"),
        (["x"], None, "flags: thresholds must have those of the number 'x', got none"),
        (["x"], {"x": [1, math.inf]}, "flags: thresholds of 'x' must be finite, got inf"),
        (["items"], None, "flags: column 'items' must hold booleans, texts or numbers, got array<int>"),
        (["word"], {"word": [1]}, "flags: thresholds must be of numbers among the columns, got those of 'word'"),
    ]
    for columns, thresholds, message in wrong:
        with pytest.raises(ValueError, match=message):
            flags(frame, columns, thresholds)
    with pytest.raises(ValueError, match="quantiles: n must be at least 2, got 1"):
        quantiles(frame, ["x"], 1)
