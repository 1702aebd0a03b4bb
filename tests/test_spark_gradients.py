"""Leaves that learn from gradients on Spark: the model of one machine, whatever the partitions, batch after batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spark_points import SCHEMA, digest_of, matrix_of, one_machine, rows_of
from spark_session import MARKS, session

pytestmark = MARKS

CLASSES = [0, 1, 2]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two workers."""
    made = session("local[2]")
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("leaf_prediction", "partitions", "reducers"),
    [("mixed", 1, None), ("mixed", 7, 2), ("logistic", 3, None), ("adaptive", 5, None)],
)
def test_models_are_those_of_one_machine(
    spark: Any, leaf_prediction: str, partitions: int, reducers: int | None
) -> None:
    from sapwood.spark import SparkTreeClassifier

    rows = rows_of(900)
    expected = one_machine([rows], 3, leaf_prediction=leaf_prediction)
    assert expected.get_n_leaves() > 2
    order = np.random.default_rng(partitions).permutation(len(rows))
    frame = spark.createDataFrame([rows[i] for i in order], SCHEMA).repartition(partitions)
    options: dict[str, Any] = {"delta": 0.3, "leaf_prediction": leaf_prediction}
    model = SparkTreeClassifier(classes=CLASSES, sub_batches=3, reducers=reducers, **options).fit(frame)
    assert model.digest() == digest_of(expected)
    np.testing.assert_array_equal(
        model.to_local().predict_proba(matrix_of(rows)), expected.predict_proba(matrix_of(rows))
    )


def test_a_stream_of_weighted_words_goes_on_from_what_was_saved(spark: Any, tmp_path: Path) -> None:
    """Every batch is a driver of its own, which reads the model; names are new to workers in the first parts."""
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    batches = [rows_of(n, seed) for seed, n in enumerate([200, 1, 300], 1)]
    schema = "features array<string>, label int, weight int"
    digests = []
    for partitions in (1, 4):
        checkpoint = str(tmp_path / f"checkpoint {partitions}")
        for number, rows in enumerate(batches):
            words = [([f"wört {j}" for j in features], label, len(features) % 3) for features, label in rows]
            frame = spark.createDataFrame(words, schema).repartition(partitions)
            learner = SparkTreeClassifier(
                classes=CLASSES, weight="weight", sub_batches=2, delta=0.3, leaf_prediction="mixed"
            )
            learner.step(checkpoint, accuracy=True)(frame, number)
        model = SparkTreeModel.load(spark, checkpoint)
        digests.append(model.digest())
        assert model.batch == 2
        assert model.progress["accuracy"] > 0.4
    assert digests[0] == digests[1]
    # What a word is called changes the order in which words are met, and so no more than the rounding of sums.
    weights = [[len(features) % 3 for features, _ in rows] for rows in batches]
    local = one_machine(batches, 2, lambda _, batch: weights[batch], leaf_prediction="mixed")
    assert local.n_points_ == model.to_local().n_points_


def test_a_forest_of_mixes(spark: Any) -> None:
    from sapwood.spark import SparkForestClassifier

    rows = rows_of(300)
    learner = SparkForestClassifier(2, classes=CLASSES, sub_batches=2, delta=0.3, leaf_prediction="mixed")
    frame = spark.createDataFrame(rows, SCHEMA)
    models = [learner.fit(frame.repartition(n)) for n in (1, 3)]
    assert models[0].digest() == models[1].digest()
    answers = models[0].to_local().predict(matrix_of(rows))
    assert np.mean(answers == [label for _, label in rows]) > 0.6
