"""Trees on Spark from data at rest: the tree of one machine, whatever the partitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from spark_points import OPTIONS, SCHEMA, digest_of, one_machine, rows_of
from spark_session import MARKS, session

from sapwood import SplitFinder

pytestmark = MARKS

CLASSES = [0, 1, 2]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two executors in processes of their own."""
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


@pytest.mark.parametrize("partitions", [1, 2, 7, 16])
def test_partitions_and_order_leave_no_trace(spark: Any, partitions: int) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(1500)
    expected = one_machine([rows], sub_batches=3)
    assert expected.get_n_leaves() > 3
    order = np.random.default_rng(partitions).permutation(len(rows))
    frame = spark.createDataFrame([rows[i] for i in order], SCHEMA).repartition(partitions)
    reducers = 2 if partitions == 16 else None
    model = SparkTreeClassifier(classes=CLASSES, sub_batches=3, reducers=reducers, **OPTIONS).fit(frame)
    assert model.digest() == digest_of(expected)
    assert model.progress["n_rows"] == 1500
    assert model.progress["n_leaves"] == expected.get_n_leaves()


def test_vectors_and_longs_are_the_same_points(spark: Any) -> None:
    from pyspark.ml.linalg import Vectors

    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(400)
    learner = SparkTreeClassifier(classes=CLASSES, sub_batches=2, **OPTIONS)
    expected = digest_of(one_machine([rows], sub_batches=2))
    longs = spark.createDataFrame(rows, "features array<bigint>, label int")
    assert learner.fit(longs).digest() == expected
    # Dense and sparse ones, with a number that is not above 0.
    vectors = [
        (
            Vectors.dense(np.isin(np.arange(60), features).astype(float).tolist())
            if i % 5 == 0
            else Vectors.sparse(60, sorted((j, 2.5) for j in features) + [(59, 0.0)] * (59 not in features)),
            label,
        )
        for i, (features, label) in enumerate(rows)
    ]
    frame = spark.createDataFrame(vectors, ["features", "label"])
    model = learner.fit(frame)
    assert model.digest() == expected
    answered = model.transform(frame).collect()
    local = one_machine([rows], sub_batches=2)
    for row, (features, label) in zip(answered, rows, strict=True):
        assert row["label"] == label
        assert row["prediction"] == local.predict_one(features)
        assert row["probability"] == pytest.approx(list(local.predict_proba_one(features).values()), abs=1e-12)


def test_words(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier, best_splits

    rows = rows_of(600)
    words = [([f"wört {j}" for j in features], "abc"[label]) for features, label in rows]
    frame = spark.createDataFrame(words, "text array<string>, kind string").repartition(3)
    model = SparkTreeClassifier(features="text", label="kind", classes=["c", "a", "b"], sub_batches=2, **OPTIONS).fit(
        frame
    )
    local = model.to_local()
    assert model.classes == ("a", "b", "c")
    assert {f"wört {j}" for features, _ in rows for j in features} == set(local.features_seen_)
    assert "wört" in local.export_text()
    answered = model.transform(frame).collect()
    assert [row["prediction"] for row in answered] == [local.predict_one(row["text"]) for row in answered]
    assert np.mean([row["prediction"] == row["kind"] for row in answered]) > 0.6
    # The split finder over the same rows, by merging counts.
    finder = SplitFinder(n_classes=3)
    for features, label in rows:
        finder.add(features, label)
    for column, names in (("text", [f"wört {split.feature}" for split in finder.top(5)]),):
        found = best_splits(frame, 5, features=column, label="kind", classes=["a", "b", "c"])
        assert [split.gain for split in found] == pytest.approx([split.gain for split in finder.top(5)], abs=1e-12)
        assert [split.counts for split in found] == [split.counts for split in finder.top(5)]
        assert [split.feature for split in found] == names
