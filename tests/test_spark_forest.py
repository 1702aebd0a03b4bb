"""Forests and weights on Spark: the trees of one machine with the same draws and weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spark_points import (
    OPTIONS,
    SCHEMA,
    digest_of,
    digest_of_forest,
    forest_of_one_machine,
    matrix_of,
    one_machine,
    rows_of,
    write_batch,
)
from spark_session import MARKS, session

pytestmark = MARKS

CLASSES = [0, 1, 2]
WEIGHTED = f"{SCHEMA}, weight int"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two workers. What executors in processes of their own change, the other tests on Spark see."""
    made = session("local[2]")
    yield made
    made.stop()


@pytest.mark.parametrize(("partitions", "reducers"), [(1, None), (7, None), (5, 2)])
def test_a_forest_is_the_trees_of_one_machine(spark: Any, partitions: int, reducers: int | None) -> None:
    from sapwood.spark import SparkForestClassifier

    rows = rows_of(900)
    expected = forest_of_one_machine([rows], 4, 1.0, 11, sub_batches=2)
    order = np.random.default_rng(partitions).permutation(len(rows))
    frame = spark.createDataFrame([rows[i] for i in order], SCHEMA).repartition(partitions)
    learner = SparkForestClassifier(4, seed=11, classes=CLASSES, sub_batches=2, reducers=reducers, **OPTIONS)
    model = learner.fit(frame)
    assert model.digest() == digest_of_forest(expected, 1.0, 11)
    assert model.progress["n_rows"] == 900
    assert model.progress["n_leaves"] == sum(tree.get_n_leaves() for tree in expected) > 8
    if partitions != 7:
        return
    # On Spark and on one machine it answers the same: the mean of the trees.
    local = model.to_local()
    proba = np.mean([tree.predict_proba(matrix_of(rows)) for tree in expected], axis=0)
    np.testing.assert_allclose(local.predict_proba(matrix_of(rows)), proba, atol=1e-12)
    answered = model.transform(spark.createDataFrame(rows, SCHEMA)).collect()
    assert [row["prediction"] for row in answered] == local.predict(matrix_of(rows)).tolist()
    np.testing.assert_allclose([row["probability"] for row in answered], proba, atol=1e-12)


def test_a_forest_learns_a_stream_once_and_goes_on(spark: Any, tmp_path: Path) -> None:
    """Words, a first batch of one row that some trees do not draw, other partitions after a restart."""
    from sapwood.spark import SparkForestClassifier, SparkForestModel

    batches = [rows_of(n, seed) for seed, n in enumerate([1, 300, 250], 1)]
    source, checkpoint = tmp_path / "stream", str(tmp_path / "checkpoint")
    expected = forest_of_one_machine(batches, 3, 1.0, 0, sub_batches=2)
    of_first = [tree.n_points_ for tree in forest_of_one_machine(batches[:2], 3, 1.0, 0, sub_batches=2)]
    source.mkdir()
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(source))
    told: list[dict[str, Any]] = []
    for number, rows in enumerate(batches):
        write_batch(source, number, rows)
        learner = SparkForestClassifier(3, classes=CLASSES, sub_batches=2, **OPTIONS)
        query = learner.start(
            stream.repartition(number + 1), checkpoint, trigger={"availableNow": True}, listener=told.append
        )
        query.awaitTermination()
        if number == 1:
            model = SparkForestModel.load(spark, checkpoint)
            assert model.progress["n_points"] == round(np.mean(of_first))
    model = SparkForestModel.load(spark, checkpoint)
    assert model.batch == 2
    assert model.digest() == digest_of_forest(expected, 1.0, 0)
    assert [each["batch"] for each in told] == [0, 1, 2]
    assert model.recent_progress == told
    for parameters, message in (
        ({"seed": 1}, "seed must be as in the checkpoint, 0, got 1"),
        ({"n_estimators": 4}, "n_estimators must be as in the checkpoint, 3, got 4"),
        ({"delta": 0.2}, "delta must be as in the checkpoint, 0.3, got 0.2"),
    ):
        given: dict[str, Any] = {"n_estimators": 3, **OPTIONS, **parameters}
        learner = SparkForestClassifier(classes=CLASSES, sub_batches=2, **given)
        with pytest.raises(ValueError, match=message):
            learner.step(checkpoint)(spark.createDataFrame(rows_of(5), SCHEMA), 3)


def test_words_in_a_forest(spark: Any) -> None:
    """Names are asked for once, and each tree has those that it drew."""
    from sapwood.spark import SparkForestClassifier

    words = [([f"wört {j}" for j in features], label) for features, label in rows_of(300)]
    frame = spark.createDataFrame(words, "features array<string>, label int")
    learner = SparkForestClassifier(2, classes=CLASSES, sub_batches=2, weight=None, **OPTIONS)
    models = [learner.fit(frame.repartition(n)) for n in (1, 3)]
    assert models[0].digest() == models[1].digest()
    local = models[0].to_local()
    for tree in local.estimators_:
        assert set(tree.features_seen_) <= {word for features, _ in words for word in features}
    answered = models[0].transform(frame).collect()
    assert [row["prediction"] for row in answered] == [local.predict_one(row["features"]) for row in answered]
    assert np.mean([row["prediction"] == row["label"] for row in answered]) > 0.5


@pytest.mark.parametrize("split_test", ["evidence", "hoeffding"])
def test_weights_are_those_of_one_machine(spark: Any, split_test: str) -> None:
    from sapwood.spark import SparkTreeClassifier, best_splits

    rows = rows_of(800)
    rng = np.random.default_rng(2)
    weights = rng.integers(0, 5, len(rows)).tolist()
    weighted = [(features, label, w) for (features, label), w in zip(rows, weights, strict=True)]
    options: dict[str, Any] = {**OPTIONS, "split_test": split_test}
    expected = one_machine([rows], 2, lambda *_: weights, split_test=split_test)
    assert expected.get_n_leaves() > 1
    frame = spark.createDataFrame([weighted[i] for i in rng.permutation(len(rows))], WEIGHTED).repartition(3)
    learner = SparkTreeClassifier(classes=CLASSES, weight="weight", sub_batches=2, **options)
    model = learner.fit(frame)
    assert model.digest() == digest_of(expected)
    assert model.progress["n_rows"] == 800
    assert model.progress["n_points"] == sum(weights)
    if split_test == "evidence":
        # Whole numbers of another type are the same weights.
        doubles = frame.selectExpr("features", "label", "cast(weight as double) as weight")
        assert learner.fit(doubles).digest() == model.digest()
        return
    repeated = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
    found = best_splits(frame, 4, classes=CLASSES, weight="weight")
    assert found == best_splits(spark.createDataFrame(repeated, SCHEMA), 4, classes=CLASSES)
