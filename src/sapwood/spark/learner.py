"""What trees and forests on Spark have in common: learning from data at rest, and from a stream exactly once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sapwood.parameters import Whole, refuse_unknown, tree_called
from sapwood.spark.columns import Columns
from sapwood.spark.grower import Grower
from sapwood.spark.learning import learn_frame
from sapwood.spark.shards import Place, Shards
from sapwood.spark.store import NOTHING, Saved, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from sapwood.spark.ensemble import Ensemble

__all__ = ["SUB_BATCHES", "Listener", "Progress", "SparkLearner"]

Progress = dict[str, Any]
Listener = Callable[[Progress], None]

_KIND = tree_called("StreamingTreeClassifier")
# What a tree that learns on Spark may be told; the others are for single points, or for matrices.
_TAKEN = frozenset(
    {"criterion", "search", "alpha", "split_test", "delta", "min_gain", "max_depth", "max_leaves", "leaf_prediction"}
)
SUB_BATCHES = 16
"""A leaf can split once per part, so that 16 let a batch grow a tree of depth 16; each is a pass over the batch."""
_MOST_REDUCERS = 1 << 16  # beyond what a driver could start tasks for in a second


class SparkLearner:
    """The base of the classifiers on Spark, which say what their trees are; not to be used itself."""

    _own: ClassVar[frozenset[str]] = frozenset()
    """The parameters beside those of trees, for the hint of an error."""

    def __init__(
        self,
        features: str | Sequence[str],
        label: str,
        *,
        weight: str | None,
        classes: Sequence[Hashable],
        sub_batches: int,
        reducers: int | None,
        shards: int | None,
        parameters: dict[str, Any],
    ) -> None:
        owner = type(self).__name__
        refuse_unknown(owner, parameters, sorted(_TAKEN | self._own))
        self._check(Whole(1, _MOST_REDUCERS, optional=True), "reducers", reducers)
        self.features = features if isinstance(features, str) else self._checked_names(features)
        self.label = label
        self.weight = weight
        self.reducers = reducers
        self.shards: int | None = self._check(Whole(1, _MOST_REDUCERS, optional=True), "shards", shards)
        given = {"leaf_prediction": "naive_bayes", **parameters, "batch_growth": True, "sub_batches": sub_batches}
        self._parameters = {each.name: given.get(each.name, each.default) for each in _KIND.parameters}
        if shards is not None:
            self._check_shards()
        # In the order of their numbers, and checked with all parameters before the first row.
        self.classes = Grower(dict(self._parameters), classes, owner).classes

    def _checked_names(self, names: Sequence[str]) -> tuple[str, ...]:
        owner = type(self).__name__
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{owner}: features must be a column or a list of columns, got {names!r}")
        for i, name in enumerate(names):
            if name in names[:i]:
                raise ValueError(f"{owner}: features must be named once each, got {name!r} again")
        return tuple(names)

    def _check_shards(self) -> None:
        """Refuse what needs all counts of features in one place."""
        for name, taken in (
            ("leaf_prediction", ["majority"]),
            ("search", ["certified", "exhaustive"]),
            # Others count points in leaves without a gap, so that `to_local` could not begin afresh.
            ("split_test", ["evidence"]),
        ):
            value = self._parameters[name]
            if value not in taken:
                names = " or ".join(map(repr, taken))
                raise ValueError(f"{type(self).__name__}: {name} must be {names} for shards, got {value!r}")
        if not isinstance(self.features, str):
            raise ValueError(
                f"{type(self).__name__}: features must be one column of flags for shards, got {list(self.features)!r}"
            )
        if self.reducers is not None:
            raise ValueError(
                f"{type(self).__name__}: reducers must be None for shards, which merge counts themselves, "
                f"got {self.reducers}"
            )

    def _check(self, value: Any, name: str, got: Any) -> Any:
        try:
            return value.check(name, got)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{type(self).__name__}: {error}") from None

    def _grower(self) -> Grower:
        return Grower(dict(self._parameters), self.classes, type(self).__name__)

    def _new(self) -> Ensemble:
        """Return trees that have learned nothing."""
        raise NotImplementedError

    def _columns(self, method: str, batch: int | None = None) -> Columns:
        owner = f"{type(self).__name__}.{method}"
        return Columns(self.features, self.label, self.classes, owner, batch, self.weight)

    def _learn_at_rest(self, frame: DataFrame, checkpoint: str | None) -> tuple[Saved, Shards | None]:
        """Learn a DataFrame as one batch; return the model and its shards. With a checkpoint, it is saved there."""
        trees = self._new()
        owner = type(self).__name__
        store = None if checkpoint is None else Store(frame.sparkSession, checkpoint)
        if store is not None and store.load().model:
            raise ValueError(f"{owner}.fit: checkpoint must hold no model, got one in {checkpoint!r}")
        if self.shards is not None and checkpoint is None:
            raise ValueError(f"{owner}.fit: checkpoint must be given for shards, which count there, got None")
        shards = None if checkpoint is None else self._shards(frame, checkpoint, NOTHING)
        progress = learn_frame(frame, trees, self._columns("fit"), self.reducers, shards=shards)
        if progress["n_rows"] == 0:
            raise ValueError(f"{owner}.fit: frame must have a row, got none")
        if not trees.has_learned():
            raise ValueError(f"{owner}.fit: frame must have a row that counts, got {progress['n_rows']} of weight 0")
        # Numbered as nothing: the batches of a stream that goes on from here are all new.
        saved = NOTHING.followed_by(-1, trees.to_bytes(), progress, None if shards is None else shards.place)
        if store is not None:
            store.save(saved)
        return saved, shards

    def _shards(self, frame: DataFrame, checkpoint: str, saved: Saved) -> Shards | None:
        """Return the shards of a model that was saved; refuse other shards than it has."""
        theirs = None if saved.place is None else saved.place.shards
        if saved.model and theirs != self.shards:
            raise ValueError(f"shards must be as in the checkpoint, {theirs!r}, got {self.shards!r}")
        if self.shards is None:
            return None
        place = saved.place if saved.place is not None and saved.model else Place(shards=self.shards)
        return Shards(frame.sparkSession, checkpoint, place, self._n_trees())

    def _n_trees(self) -> int:
        return 1

    def start(
        self,
        stream: DataFrame,
        checkpoint: str,
        *,
        name: str | None = None,
        trigger: dict[str, Any] | None = None,
        listener: Listener | None = None,
        accuracy: bool = False,
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
        listener
            Called on the driver with what is told of every batch once it is saved: a dict, the last of
            ``recent_progress`` of the model. What it raises stops the query; the batch is learned.
        accuracy
            Whether each batch is answered before it is learned, for ``progress["accuracy"]``: another pass over it.

        Examples
        --------
        The model so far, at any time: ``SparkTreeModel.load(spark, checkpoint)``.
        """
        writer = stream.writeStream.foreachBatch(self.step(checkpoint, listener=listener, accuracy=accuracy))
        writer = writer.option("checkpointLocation", f"{checkpoint.rstrip('/')}/stream")
        if name is not None:
            writer = writer.queryName(name)
        if trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start()

    def step(
        self, checkpoint: str, *, listener: Listener | None = None, accuracy: bool = False
    ) -> Callable[[DataFrame, int], None]:
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
            trees = learner._continued(saved)
            columns = learner._columns("start", batch)
            try:
                shards = learner._shards(frame, checkpoint, saved)
            except ValueError as error:
                raise ValueError(f"{columns.owner}: {error}") from None
            told = learn_frame(frame, trees, columns, learner.reducers, tests=accuracy, shards=shards)
            progress = {"batch": batch, **told}
            place = None if shards is None else shards.place
            store.save(saved.followed_by(batch, trees.to_bytes(), progress, place))
            if listener is not None:
                listener(progress)

        return learn

    def _continued(self, saved: Saved) -> Ensemble:
        trees = self._new()
        if not saved.model:
            return trees
        owner = f"{type(self).__name__}.start"
        try:
            trees.go_on(saved.model)
        except ValueError as error:
            raise type(error)(f"{owner}: {error}") from None
        first = trees.growers[0]
        mine = {**self._parameters, "classes": self.classes}
        theirs = {**first.parameters, "classes": first.classes}
        for parameter, value in mine.items():
            if theirs[parameter] != value:
                raise ValueError(
                    f"{owner}: {parameter} must be as in the checkpoint, {theirs[parameter]!r}, got {value!r}"
                )
        return trees
