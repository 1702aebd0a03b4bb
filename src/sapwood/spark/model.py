"""What was learned on Spark: it predicts there, and anywhere."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

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
from sapwood.batch_forest import BatchForest
from sapwood.spark.columns import Columns, listed
from sapwood.spark.counting import check_version
from sapwood.spark.ensemble import Ensemble, ForestEnsemble
from sapwood.spark.schema import check_types
from sapwood.spark.shards import Shards
from sapwood.spark.store import Store
from sapwood.trees import StreamingTreeClassifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typing_extensions import Self

__all__ = ["SparkForestModel", "SparkModel", "SparkTreeModel"]

_TYPES: dict[type, DataType] = {bool: BooleanType(), int: LongType(), float: DoubleType(), str: StringType()}


class SparkModel:
    """The base of what was learned on Spark; not to be used itself.

    Attributes
    ----------
    features
        The column of features, or several.
    recent_progress
        What is told of the last 100 batches, the last one last: rows, splits, leaves, bytes from the workers and to
        them, seconds, and the accuracy if it was asked for.
    batch
        The number of the last batch that was learned; -1 of one that was learned at rest.
    """

    _ensemble: ClassVar[type[Ensemble]] = Ensemble

    def __init__(
        self,
        data: bytes,
        features: str | Sequence[str],
        recent_progress: Sequence[dict[str, Any]],
        batch: int = -1,
        shards: Shards | None = None,
    ) -> None:
        self._data = data
        self._shards = shards
        self.features = features if isinstance(features, str) else tuple(features)
        self.recent_progress = list(recent_progress)
        self.batch = batch

    @classmethod
    def load(cls, spark: SparkSession, checkpoint: str, features: str | Sequence[str] = "features") -> Self:
        """Return the model that a stream has saved last with its checkpoint.

        Raises
        ------
        ValueError
            If there is none.
        """
        saved = Store(spark, checkpoint).load()
        if not saved.model:
            raise ValueError(f"{cls.__name__}.load: checkpoint must hold a model, got none in {checkpoint!r}")
        place = saved.place
        shards = None if place is None else Shards(spark, checkpoint, place, cls._ensemble.n_trees(saved.model))
        return cls(saved.model, features, saved.recent_progress, saved.batch, shards)

    @property
    def progress(self) -> dict[str, Any]:
        """What is told of the last batch."""
        return self.recent_progress[-1]

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes, in the order of the probabilities."""
        return self._ensemble.from_bytes(self._data).classes

    def digest(self) -> str:
        """Return a hash of all that was learned; equal batches give equal ones, however they were divided.

        With shards, all that these have counted is read here, one tree after the other.
        """
        return self._ensemble.digest(self._data, None if self._shards is None else self._shards.states)

    def _local(self) -> bytes:
        """Return the model without shards: the same answers, and leaves that count afresh what comes from now on."""
        return self._data if self._shards is None else self._ensemble.counting_afresh(self._data)

    def transform(self, frame: DataFrame) -> DataFrame:
        """Return the rows with the columns ``prediction``, the most probable class, and ``probability``.

        The probabilities are those of ``classes``, in their order.
        """
        owner, classes = f"{type(self).__name__}.transform", self.classes
        kinds = {type(label) for label in classes}
        if len(kinds) != 1 or not kinds <= set(_TYPES):
            raise ValueError(f"{owner}: classes must be all numbers or all texts, got {listed(classes)}")
        for name in ("prediction", "probability"):
            if name in frame.columns:
                raise ValueError(f"{owner}: frame must have no column {name!r}, got one")
        schema = StructType(
            [
                *frame.schema.fields,
                StructField("prediction", _TYPES[kinds.pop()]),
                StructField("probability", ArrayType(DoubleType())),
            ]
        )
        columns = Columns(self.features, None, classes, owner)
        for name in columns.feature_names:
            if name not in frame.columns:
                raise ValueError(f"{owner}: frame must have the column {name!r}, got {listed(frame.columns)}")
        asked = StructType([frame.schema[name] for name in columns.feature_names])
        check_types(asked, columns, self._ensemble.from_bytes(self._data).growers[0].tree)
        # Spark gives workers no column whose name has a dot.
        numbered = frame.toDF(*(f"column {i}" for i in range(len(frame.columns))))
        return numbered.mapInArrow(answerer(self._ensemble, self._data, columns, frame.columns), schema)


class SparkTreeModel(SparkModel):
    """A tree that was learned on Spark: see `SparkModel`."""

    def to_local(self) -> StreamingTreeClassifier:
        """Return an ordinary model of this package: to save, explain, draw and serve anywhere.

        What shards have counted stays with them: leaves of the model, if it goes on, look for a split afresh.
        """
        return StreamingTreeClassifier.from_bytes(self._local())


class SparkForestModel(SparkModel):
    """A forest that was learned on Spark: see `SparkModel`."""

    _ensemble = ForestEnsemble

    def to_local(self) -> BatchForest:
        """Return the forest without Spark: to save and serve anywhere; its trees are there to explain and draw."""
        return BatchForest.from_bytes(self._local())


def answerer(
    kind: type[Ensemble], data: bytes, columns: Columns, names: Sequence[str]
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return what adds the answers of a model to rows of columns with names, for ``DataFrame.mapInArrow``."""
    version = sapwood.__version__
    places = [list(names).index(name) for name in columns.feature_names]

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        check_version(version)
        trees = kind.from_bytes(data)
        for batch in batches:
            given = columns.given(batch.select(places))
            probabilities = columns.naming_errors(trees.predict_proba, given)
            predicted = [trees.classes[k] for k in probabilities.argmax(axis=1).tolist()]
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(predicted), pa.array(list(probabilities), pa.list_(pa.float64()))],
                names=[*names, "prediction", "probability"],
            )

    return answer
