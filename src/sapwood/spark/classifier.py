"""A tree that learns on Spark: from data at rest, or from a stream."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from sapwood.parameters import Whole, refuse_unknown, tree_called
from sapwood.spark.columns import Columns
from sapwood.spark.grower import Grower
from sapwood.spark.learning import learn_frame
from sapwood.spark.model import SparkTreeModel
from sapwood.spark.store import Saved, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["SparkTreeClassifier"]

_KIND = tree_called("StreamingTreeClassifier")
# What a tree that learns on Spark may be told; the others are for single points, or for matrices.
_TAKEN = frozenset(
    {"criterion", "search", "alpha", "split_test", "delta", "min_gain", "max_depth", "max_leaves", "leaf_prediction"}
)
# A leaf can split once per part, so that 16 parts let a batch grow a tree of depth 16; each is a pass over the batch.
_SUB_BATCHES = 16
_MOST_REDUCERS = 1 << 16  # beyond what a driver could start tasks for in a second


class SparkTreeClassifier:
    """A decision tree that learns on Apache Spark, in batches.

    Workers lead their rows through the tree and count; the counts merge, and the driver grows the tree. Rows never come
    to the driver.

    Guarantee:

    - The tree is a function of what each batch holds: any partitions, executors, retries and order of rows give the
      same bytes. ``StreamingTreeClassifier(batch_growth=True)`` makes the same tree on one machine.
    - A stream is learned exactly once. The model is written with the number of its batch; a batch that comes again
      after a crash is skipped, and a restart goes on from the checkpoint.
    - A row that cannot be learned (a null, a negative or repeated feature, a label that is not declared) is an error
      that names the batch, the column and the value, and leaves the model as it was.

    Not promised: that it is faster than one process, which it is only where the data is too large for one, or lives on
    the cluster.

    Parameters
    ----------
    features
        The column of features: vectors of Spark ML, of which a number above 0 is on, arrays of integers, which are the
        features that are on, or arrays of texts.
    label
        The column of the class.
    classes
        All classes that there are.
    sub_batches
        The number of parts of a batch that are learned one after the other, each a pass over the batch. A leaf can
        split once per part.
    reducers
        The number of tasks that merge the counts of all partitions before they go to the driver; None sends them
        directly, which is faster up to a few dozen partitions.
    parameters
        ``leaf_prediction``, "naive_bayes" unless it is given, or "majority"; and ``criterion``, ``search``, ``alpha``,
        ``split_test``, ``delta``, ``min_gain``, ``max_depth`` and ``max_leaves`` of ``StreamingTreeClassifier``.
    """

    def __init__(
        self,
        *,
        features: str = "features",
        label: str = "label",
        classes: Sequence[Hashable],
        sub_batches: int = _SUB_BATCHES,
        reducers: int | None = None,
        **parameters: Any,
    ) -> None:
        owner = type(self).__name__
        refuse_unknown(owner, parameters, sorted(_TAKEN))
        try:
            Whole(1, _MOST_REDUCERS, optional=True).check("reducers", reducers)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{owner}: {error}") from None
        self.features = features
        self.label = label
        self.reducers = reducers
        given = {"leaf_prediction": "naive_bayes", **parameters, "batch_growth": True, "sub_batches": sub_batches}
        self._parameters = {each.name: given.get(each.name, each.default) for each in _KIND.parameters}
        # In the order of their numbers, and checked with all parameters before the first row.
        self.classes = Grower(dict(self._parameters), classes, owner).classes

    def _new(self) -> Grower:
        return Grower(dict(self._parameters), self.classes, type(self).__name__)

    def _columns(self, method: str, batch: int | None = None) -> Columns:
        return Columns(self.features, self.label, self.classes, f"{type(self).__name__}.{method}", batch)

    def fit(self, frame: DataFrame) -> SparkTreeModel:
        """Learn from a DataFrame at rest, which is one batch."""
        grower = self._new()
        progress = learn_frame(frame, grower, self._columns("fit"), self.reducers)
        if progress["n_rows"] == 0:
            raise ValueError(f"{type(self).__name__}.fit: frame must have a row, got none")
        return SparkTreeModel(grower.to_bytes(), self.features, progress)

    def start(
        self, stream: DataFrame, checkpoint: str, *, name: str | None = None, trigger: dict[str, Any] | None = None
    ) -> StreamingQuery:
        """Learn from a stream, one micro-batch after the other, and return the query that does.

        Parameters
        ----------
        stream
            A streaming DataFrame.
        checkpoint
            Where the stream and the model are kept, on any file system that Spark can write. A query that is started
            with a checkpoint that is there goes on where that one ended; its parameters must be the same.
        name
            The name of the query.
        trigger
            The arguments of ``DataStreamWriter.trigger``, for example ``{"availableNow": True}``.

        Examples
        --------
        The model so far, at any time: ``SparkTreeModel.load(spark, checkpoint)``.
        """
        writer = stream.writeStream.foreachBatch(self.step(checkpoint))
        writer = writer.option("checkpointLocation", f"{checkpoint.rstrip('/')}/stream")
        if name is not None:
            writer = writer.queryName(name)
        if trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start()

    def step(self, checkpoint: str) -> Callable[[DataFrame, int], None]:
        """Return what learns a micro-batch, for ``DataStreamWriter.foreachBatch``.

        It holds no state: the model is read from the checkpoint, and written there with the number of the batch.
        """
        learner = self

        def learn(frame: DataFrame, batch: int) -> None:
            store = Store(frame.sparkSession, checkpoint)
            saved = store.load()
            if batch <= saved.batch:
                # It was learned before a crash. Spark wants a batch of a stream with state to be run all the same.
                frame.count()
                return
            grower = learner._continued(saved)
            progress = learn_frame(frame, grower, learner._columns("start", batch), learner.reducers)
            model = grower.to_bytes() if grower.tree.n_met() else b""
            store.save(Saved(batch, model, {"batch": batch, **progress}))

        return learn

    def _continued(self, saved: Saved) -> Grower:
        if not saved.model:
            return self._new()
        grower = Grower.from_bytes(saved.model)
        mine = {**self._parameters, "classes": self.classes}
        theirs = {**grower.parameters, "classes": grower.classes}
        for parameter, value in mine.items():
            if theirs[parameter] != value:
                raise ValueError(
                    f"{type(self).__name__}.start: {parameter} must be as in the checkpoint, {theirs[parameter]!r}, "
                    f"got {value!r}"
                )
        return grower
