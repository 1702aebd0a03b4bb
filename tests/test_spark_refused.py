"""What learners on Spark refuse, from data at rest and from streams: the message names the place, the model stays.

In one process: a task that fails is not run again there, and so says what is wrong at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spark_points import OPTIONS, SCHEMA, rows_of
from spark_session import MARKS, session

pytestmark = MARKS

CLASSES = [0, 1, 2]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A driver with two workers."""
    made = session("local[2]")
    yield made
    made.stop()


def test_what_is_refused_names_the_column_and_the_value(spark: Any) -> None:
    from sapwood.spark import SparkTreeClassifier

    learner = SparkTreeClassifier(classes=CLASSES, sub_batches=1, **OPTIONS)
    rows: list[tuple[tuple[Any, Any], str]] = [
        (([1, 7, 7], 0), "column 'features': features of a point must be unique, got 7 twice"),
        (([1, None], 0), "column 'features' must hold no null, got null"),
        ((None, 0), "column 'features' must hold no null, got null"),
        (([-4], 0), "column 'features' must hold features from 0 to 1073741823, got -4"),
        (([1], 9), "column 'label' must hold the classes 0, 1, 2 only, got 9"),
        (([1], None), "column 'label' must hold no null, got null"),
    ]
    for row, message in rows:
        with pytest.raises(Exception, match="SparkTreeClassifier.fit: ") as caught:  # noqa: RUF043 - Spark's own
            learner.fit(spark.createDataFrame([([1, 2], 1), row], SCHEMA).coalesce(1))
        assert message in str(caught.value)
    with pytest.raises(ValueError, match="frame must have a row, got none"):
        learner.fit(spark.createDataFrame([], SCHEMA))


def test_a_worker_of_another_version_is_refused(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sapwood
    from sapwood.spark import SparkTreeClassifier

    monkeypatch.setattr(sapwood, "__version__", "0.0.1")
    with pytest.raises(Exception, match="every worker must have the version of the driver, 0.0.1, got"):  # noqa: RUF043
        SparkTreeClassifier(classes=CLASSES, sub_batches=1, **OPTIONS).fit(spark.createDataFrame(rows_of(5), SCHEMA))


@pytest.mark.parametrize(
    ("weight", "kind", "message"),
    [
        (-1, "int32", "hold whole numbers from 0 to 2147483647, got -1"),
        (None, "int32", "hold no null, got null"),
        (0.5, "float64", r"hold whole numbers from 0 to 2147483647, got 0\.5"),
        (float("nan"), "float64", "hold whole numbers from 0 to 2147483647, got nan"),
        (2**31, "int64", "hold whole numbers from 0 to 2147483647, got 2147483648"),
        ("3", "string", "hold whole numbers, got string"),
    ],
)
def test_weights_that_a_worker_refuses(weight: Any, kind: str, message: str) -> None:
    import pyarrow as pa

    from sapwood.spark.columns import Columns, SparkDataError

    columns = Columns("features", "label", (0, 1, 2), "owner", 3, "w")
    rows = [pa.array([[1, 2]], pa.list_(pa.int32())), pa.array([1]), pa.array([weight], kind)]
    with pytest.raises(SparkDataError, match=f"owner: batch 3, column 'w' must {message}"):
        columns.points(pa.RecordBatch.from_arrays(rows, names=columns.names))


def test_weights_and_columns_that_are_refused(spark: Any) -> None:
    from sapwood.spark import SparkForestClassifier, SparkTreeClassifier

    learner = SparkTreeClassifier(classes=CLASSES, weight="w", sub_batches=1, **OPTIONS)
    frame = spark.createDataFrame([([1, 2], 1, -1)], f"{SCHEMA}, w int").coalesce(1)
    with pytest.raises(Exception, match=r"SparkTreeClassifier\.fit: column 'w' must hold whole numbers from 0 to"):
        learner.fit(frame)
    with pytest.raises(ValueError, match="frame must have a row that counts, got 1 of weight 0"):
        learner.fit(spark.createDataFrame([([1, 2], 1, 0)], f"{SCHEMA}, w int"))
    numbers = spark.createDataFrame([(1.5, 0)], "features double, label int")
    with pytest.raises(Exception, match="a list of columns may hold numbers and texts") as caught:
        SparkTreeClassifier(classes=CLASSES, **OPTIONS).fit(numbers)
    assert "column 'features' must hold vectors, or arrays of integers or texts" in str(caught.value)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"split_test": "hoeffding"}, "split_test must be 'evidence' unless lambda_value is 0"),
        ({"n_estimators": 0}, "SparkForestClassifier: n_estimators must be at least 1, got 0"),
        ({"lambda_value": -1.0}, "SparkForestClassifier: lambda_value must be"),
        ({"seed": -1}, "SparkForestClassifier: seed must be at least 0, got -1"),
        ({"leaf_prediction": "none"}, "leaf_prediction must be one of"),
    ]
    for parameters, message in wrong:
        with pytest.raises(ValueError, match=message):
            SparkForestClassifier(classes=CLASSES, **parameters)


def test_errors_of_a_stream_name_the_batch_and_leave_the_model(spark: Any, tmp_path: Path) -> None:
    from sapwood.spark import SparkTreeClassifier
    from sapwood.spark.store import Store

    checkpoint = str(tmp_path / "checkpoint")
    learner = SparkTreeClassifier(classes=[0, 1, 2], weight="w", sub_batches=1, **OPTIONS)
    step = learner.step(checkpoint)
    schema = f"{SCHEMA}, w int"
    step(spark.createDataFrame([(*row, 1) for row in rows_of(20)], schema), 4)
    saved = Store(spark, checkpoint).load()
    assert saved.batch == 4
    bad: list[tuple[Any, str]] = [
        (([1, None], 0, 1), "column 'features' must hold no null, got null"),
        (([-4], 0, 1), "column 'features' must hold features from 0 to 1073741823, got -4"),
        (([7, 7], 0, 1), "column 'features': features of a point must be unique, got 7 twice"),
        (([1], 9, 1), "column 'label' must hold the classes 0, 1, 2 only, got 9"),
        (([1], None, 1), "column 'label' must hold no null, got null"),
        (([1], 0, -2), "column 'w' must hold whole numbers from 0 to 2147483647, got -2"),
    ]
    for row, message in bad:
        with pytest.raises(Exception, match="SparkTreeClassifier.start: batch 5, ") as caught:  # noqa: RUF043
            step(spark.createDataFrame([([1, 2], 1, 1), row], schema).coalesce(1), 5)
        assert message in str(caught.value)
        assert Store(spark, checkpoint).load() == saved
