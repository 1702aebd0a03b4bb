"""Trees on Spark whose statistics are in shards: the tree of one machine, whatever their number, exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from spark_points import SCHEMA, digest_of, driven, one_machine, rows_of, write_batch
from spark_session import MARKS, session, why_no_connect

pytestmark = MARKS

OPTIONS: dict[str, Any] = {"classes": [0, 1, 2], "sub_batches": 2, "delta": 0.3, "leaf_prediction": "majority"}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two executors in processes of their own."""
    made = session("local-cluster[2,1,1024]")
    yield made
    made.stop()


def machine(batches: Any) -> Any:
    """Return what one machine learns of the same batches."""
    return one_machine(batches, sub_batches=2, leaf_prediction="majority")


@pytest.mark.parametrize(("shards", "partitions"), [(1, 3), (2, 1), (5, 2)])
def test_shards_leave_no_trace(spark: Any, tmp_path: Path, shards: int, partitions: int) -> None:
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    rows = rows_of(1500)
    expected = machine([rows])
    assert expected.get_n_leaves() > 3
    order = np.random.default_rng(shards).permutation(len(rows))
    frame = spark.createDataFrame([rows[i] for i in order], SCHEMA).repartition(partitions)
    model = SparkTreeClassifier(**OPTIONS, shards=shards).fit(frame, str(tmp_path))
    assert model.digest() == digest_of(expected)
    assert model.progress["n_rows"] == 1500
    assert model.progress["n_leaves"] == expected.get_n_leaves()
    assert model.progress["delta_bytes"] > 0
    assert model.progress["statistics_bytes"] > 0
    assert SparkTreeModel.load(spark, str(tmp_path)).digest() == model.digest()
    # Without its shards it answers the same, and begins afresh to look for splits.
    local = model.to_local()
    assert [local.predict_one(x) for x, _ in rows[:200]] == [expected.predict_one(x) for x, _ in rows[:200]]
    assert local.get_n_leaves() == expected.get_n_leaves()


def test_words_a_stream_that_goes_on_from_data_at_rest_and_a_forest(spark: Any, tmp_path: Path) -> None:
    from sapwood.spark import SparkForestClassifier, SparkTreeClassifier, SparkTreeModel

    batches = [rows_of(500, 3), rows_of(400, 4), rows_of(400, 5)]
    words = [[([f"wört {j}" for j in x], y) for x, y in rows] for rows in batches]
    schema = "features array<string>, label int"
    made = {}
    for shards in (None, 3):
        checkpoint = str(tmp_path / f"checkpoint-{shards}")
        learner = SparkTreeClassifier(**OPTIONS, shards=shards)
        learner.fit(spark.createDataFrame(words[0], schema), checkpoint)
        with pytest.raises(ValueError, match="checkpoint must hold no model, got one"):
            learner.fit(spark.createDataFrame(words[0], schema), checkpoint)
        step = learner.step(checkpoint)
        for number, rows in enumerate(words[1:]):
            for _ in range(2):  # a batch that comes again is skipped
                step(spark.createDataFrame(rows, schema), number)
        made[shards] = SparkTreeModel.load(spark, checkpoint)
    assert made[3].digest() == made[None].digest()
    assert made[3].to_local().export_text() == made[None].to_local().export_text()
    assert "wört" in made[3].to_local().export_text()
    with pytest.raises(ValueError, match="start: shards must be as in the checkpoint, 3, got 2"):
        SparkTreeClassifier(**OPTIONS, shards=2).step(checkpoint)(spark.createDataFrame(words[0], schema), 9)

    frame = spark.createDataFrame(batches[0], SCHEMA).repartition(2)
    forests = [
        SparkForestClassifier(3, **OPTIONS, shards=shards).fit(frame, str(tmp_path / f"forest-{shards}"))
        for shards in (None, 2)
    ]
    assert forests[0].digest() == forests[1].digest()
    asked = spark.createDataFrame(batches[0][:20], SCHEMA)
    answers = [forest.transform(asked).select("probability").collect() for forest in forests]
    assert answers[0] == answers[1]
    assert len(forests[1].to_local().estimators_) == 3


def test_a_bad_row_names_its_column_and_the_model_is_as_it_was(spark: Any, tmp_path: Path) -> None:
    from sapwood.spark import SparkTreeClassifier, SparkTreeModel

    learner = SparkTreeClassifier(**OPTIONS, shards=2)
    step = learner.step(str(tmp_path))
    first, second = rows_of(200, 1), rows_of(200, 2)
    step(spark.createDataFrame(first, SCHEMA), 0)
    with pytest.raises(Exception, match="batch 1, column 'label' must hold the classes 0, 1, 2 only, got 8"):
        step(spark.createDataFrame([*second, ([1], 8)], SCHEMA), 1)
    assert SparkTreeModel.load(spark, str(tmp_path)).digest() == digest_of(machine([first]))
    # An empty batch adds nothing, and the one that was refused can come again without its bad row.
    step(spark.createDataFrame([], SCHEMA), 1)
    step(spark.createDataFrame(second, SCHEMA), 2)
    assert SparkTreeModel.load(spark, str(tmp_path)).digest() == digest_of(machine([first, second]))


def test_a_driver_that_is_killed_anywhere_in_a_batch(tmp_path: Path) -> None:
    folder, checkpoint = tmp_path / "stream", tmp_path / "checkpoint"
    batches = [rows_of(n, seed) for seed, n in enumerate([300, 250, 1, 300], 1)]
    for number, rows in enumerate(batches):
        write_batch(folder, number, rows)
    for when in ("within:1", "before:1", "after:2", "within:3"):
        assert driven(folder, checkpoint, when, shards=3) == []
    assert driven(folder, checkpoint, shards=3) == [f"learned 3 {digest_of(machine(batches))}"]


@pytest.mark.skipif(why_no_connect() is not None, reason=str(why_no_connect()))
def test_spark_connect_learns_the_same_tree(tmp_path: Path) -> None:
    folder = tmp_path / "stream"
    rows = rows_of(300)
    write_batch(folder, 0, rows)
    expected = digest_of(machine([rows]))
    assert driven(folder, tmp_path / "checkpoint", master="connect", shards=2) == [f"learned -1 {expected}"]


def test_what_needs_all_counts_in_one_place_is_refused() -> None:
    from sapwood.spark import SparkForestClassifier, SparkTreeClassifier

    for change, message in (
        ({"leaf_prediction": "naive_bayes"}, "leaf_prediction must be 'majority' for shards, got 'naive_bayes'"),
        ({"search": "approximate"}, "search must be 'certified' or 'exhaustive' for shards, got 'approximate'"),
        ({"split_test": "hoeffding"}, "split_test must be 'evidence' for shards, got 'hoeffding'"),
        ({"reducers": 2}, "reducers must be None for shards, which merge counts themselves, got 2"),
        ({"features": ["a", "b"]}, r"features must be one column of flags for shards, got \['a', 'b'\]"),
        ({"shards": 0}, "shards must be .*, got 0"),
    ):
        for kind in (SparkTreeClassifier, SparkForestClassifier):
            with pytest.raises(ValueError, match=message):
                kind(**{**OPTIONS, "shards": 2, **change})


def test_shards_at_rest_need_a_place(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    with pytest.raises(ValueError, match="fit: checkpoint must be given for shards, which count there, got None"):
        SparkTreeClassifier(**OPTIONS, shards=2).fit(spark.createDataFrame(rows_of(5), SCHEMA))
