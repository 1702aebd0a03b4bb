"""A tree that was learned on Spark: it predicts there, and anywhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

import sapwood
from sapwood.spark.columns import Columns, listed
from sapwood.spark.counting import check_version
from sapwood.spark.grower import Grower
from sapwood.spark.store import Store
from sapwood.trees import StreamingTreeClassifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

__all__ = ["SparkTreeModel"]

_TYPES: dict[type, DataType] = {bool: BooleanType(), int: LongType(), float: DoubleType(), str: StringType()}


class SparkTreeModel:
    """A tree that was learned on Spark.

    Attributes
    ----------
    features
        The column of features.
    progress
        What is told of the last batch: rows, splits, leaves, bytes from the workers and to them, seconds.
    batch
        The number of the last batch that was learned; -1 of one that was learned at rest.
    """

    def __init__(self, data: bytes, features: str, progress: dict[str, Any], batch: int = -1) -> None:
        self._data = data
        self.features = features
        self.progress = progress
        self.batch = batch

    @classmethod
    def load(cls, spark: SparkSession, checkpoint: str, features: str = "features") -> Self:
        """Return the model that a stream has saved last with its checkpoint.

        Raises
        ------
        ValueError
            If there is none.
        """
        saved = Store(spark, checkpoint).load()
        if not saved.model:
            raise ValueError(f"SparkTreeModel.load: checkpoint must hold a model, got none in {checkpoint!r}")
        return cls(saved.model, features, saved.progress, saved.batch)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes, in the order of the probabilities."""
        return tuple(self.to_local().classes_.tolist())

    def to_local(self) -> StreamingTreeClassifier:
        """Return an ordinary model of this package: to save, explain, draw and serve anywhere."""
        return StreamingTreeClassifier.from_bytes(self._data)

    def digest(self) -> str:
        """Return a hash of all that was learned; equal batches give equal ones, however they were divided."""
        return Grower.from_bytes(self._data).digest()

    def transform(self, frame: DataFrame) -> DataFrame:
        """Return the rows with the columns ``prediction``, the most probable class, and ``probability``.

        The probabilities are those of ``classes``, in their order.
        """
        kinds = {type(label) for label in self.classes}
        if len(kinds) != 1 or not kinds <= set(_TYPES):
            raise ValueError(
                f"SparkTreeModel.transform: classes must be all numbers or all texts, got {listed(self.classes)}"
            )
        for name in ("prediction", "probability"):
            if name in frame.columns:
                raise ValueError(f"SparkTreeModel.transform: frame must have no column {name!r}, got one")
        schema = StructType(
            [
                *frame.schema.fields,
                StructField("prediction", _TYPES[kinds.pop()]),
                StructField("probability", ArrayType(DoubleType())),
            ]
        )
        columns = Columns(self.features, None, self.classes, "SparkTreeModel.transform")
        return frame.mapInArrow(answerer(self._data, columns), schema)


def answerer(data: bytes, columns: Columns) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what adds the answers of a model to rows, for ``DataFrame.mapInArrow``."""
    version = sapwood.__version__

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_version(version)
        grower = Grower.from_bytes(data)
        for batch in batches:
            indptr, ids = columns.rows(batch.column(columns.features))
            probabilities = columns.naming_errors(grower.predict_proba, indptr, ids)
            predicted = [grower.classes[k] for k in probabilities.argmax(axis=1).tolist()]
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(predicted), pa.array(list(probabilities), pa.list_(pa.float64()))],
                names=[*batch.schema.names, "prediction", "probability"],
            )

    return answer
