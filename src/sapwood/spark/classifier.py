"""A tree that learns on Spark: from data at rest, or from a stream."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.spark.ensemble import Ensemble
from sapwood.spark.learner import SUB_BATCHES, SparkLearner
from sapwood.spark.model import SparkTreeModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["SparkTreeClassifier"]


class SparkTreeClassifier(SparkLearner):
    """A decision tree that learns on Apache Spark, in batches.

    Workers lead their rows through the tree and count; the counts merge, and the driver grows the tree. Rows never come
    to the driver.

    Guarantee:

    - The tree is a function of what each batch holds: any partitions, executors, retries and order of rows give the
      same bytes. ``StreamingTreeClassifier(batch_growth=True)`` makes the same tree on one machine.
    - A stream is learned exactly once. The model is written with the number of its batch; a batch that comes again
      after a crash is skipped, and a restart goes on from the checkpoint.
    - A row that cannot be learned (a null in the column of features, a negative or repeated feature, an infinite
      number, a label that is not declared, a weight that is not whole) is an error that names the batch, the column
      and the value, and leaves the model as it was.

    Not promised: that it is faster than one process, which it is only where the data is too large for one, or lives on
    the cluster.

    Parameters
    ----------
    features
        The column of features: vectors of Spark ML, of which a number above 0 is on, arrays of integers, which are the
        features that are on, or arrays of texts. Or a list of columns, whose types say what each is: a number, a text,
        which is the value of a category, a boolean, which is a flag, or one such column.
        Null, NaN and empty text are missing; arrays and vectors must not be.
    label
        The column of the class.
    weight
        The column of how often a row counts, whole numbers from 0 on; None counts each once. Where the split test is
        "evidence", a weight is none: leaves predict by it, and splits are made by rows.
    classes
        All classes that there are.
    sub_batches
        The number of parts of a batch that are learned one after the other, each a pass over the batch. A leaf can
        split once per part.
    reducers
        The number of tasks that merge the counts of all partitions before they go to the driver; None sends them
        directly, which is faster up to a few dozen partitions.
    shards
        The number of parts into which what is counted of features is divided, which then stays with Spark, on the file
        system of the checkpoint: for more features and leaves than the driver has memory for. None counts on the
        driver, which is faster. Leaves must predict by majority. The tree is the same.
    parameters
        ``leaf_prediction``, "naive_bayes" unless it is given; regressions, also those of "mixed", take one step per
        part of a batch, and workers are sent their weights. And ``criterion``, ``search``, ``alpha``, ``split_test``,
        ``delta``, ``min_gain``, ``max_depth`` and ``max_leaves`` of ``StreamingTreeClassifier``.
    """

    def __init__(
        self,
        *,
        features: str | Sequence[str] = "features",
        label: str = "label",
        weight: str | None = None,
        classes: Sequence[Hashable],
        sub_batches: int = SUB_BATCHES,
        reducers: int | None = None,
        shards: int | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__(
            features,
            label,
            weight=weight,
            classes=classes,
            sub_batches=sub_batches,
            reducers=reducers,
            shards=shards,
            parameters=parameters,
        )

    def _new(self) -> Ensemble:
        return Ensemble([self._grower()])

    def fit(self, frame: DataFrame, checkpoint: str | None = None) -> SparkTreeModel:
        """Learn from a DataFrame at rest, which is one batch.

        With a checkpoint, which must hold no model, the model is saved there: `start` goes on from it. With shards
        there must be one.
        """
        saved, shards = self._learn_at_rest(frame, checkpoint)
        return SparkTreeModel(saved.model, self.features, saved.recent_progress, shards=shards)
