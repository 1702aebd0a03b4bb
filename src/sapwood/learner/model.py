"""A tree of the core together with what its classes and columns are called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from sapwood import _core
from sapwood.data.batch import Batch, flagged
from sapwood.data.category import Category, Threshold
from sapwood.data.core_rows import CoreRows
from sapwood.data.csr import kept, without_repeats
from sapwood.data.encode import Reading, as_in_matrix
from sapwood.data.labels import NO_LABELS, Labels
from sapwood.learner.key_ids import KeyIds
from sapwood.learner.make_tree import tree_of_bytes
from sapwood.parameters import TREES

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import NDArray
    from typing_extensions import Self

    from sapwood.data import Columns
    from sapwood.data.core_rows import NumberRows
    from sapwood.inspect.core_tree import CoreTree
    from sapwood.parameters import TreeKind

__all__ = ["TreeModel", "points_met"]

# Rows that are answered at a time: between two chunks an interrupt (Ctrl-C) is seen.
_ROWS_IN_CHUNK = 1 << 16


class TreeModel:
    """What a learner has learned: all of its state but the parameters.

    Attributes
    ----------
    tree
        The tree of the core, or many, which has a lock of its own: it may be read while another thread changes it.
    reading
        How sparse matrices are read.
    labels
        The classes. A writer sets them before the tree meets a new one, and a reader looks at the tree first; so every
        class that a reader meets has a label.
    columns
        The columns of the matrices, None before the first.
    key_ids
        Finds the ids of features that are not columns.
    takes_numbers
        Whether the tree splits on numbers and sets of categories; if not, numbers are flags, on above the threshold.
    grows_by_batches
        Whether the tree is a function of what each batch holds, whatever the order of its rows.
    """

    __slots__ = ("_ids", "_met", "columns", "grows_by_batches", "key_ids", "labels", "reading", "takes_numbers", "tree")

    def __init__(
        self,
        tree: CoreTree,
        reading: Reading,
        labels: Labels = NO_LABELS,
        columns: Columns | None = None,
    ) -> None:
        self.tree = tree
        self.reading = reading
        self.grows_by_batches = tree.growth() == "batch"
        # One that grows by batches takes none, and says so.
        self.takes_numbers = self.grows_by_batches or any(
            kind.takes_numbers for kind in TREES if kind.growth == tree.growth()
        )
        self.labels = labels
        self.columns = columns
        self.key_ids = KeyIds(tree)
        self._ids: tuple[Columns, NDArray[np.int32]] | None = None
        # The columns that the tree has met, and its points by then.
        self._met: tuple[int, NDArray[np.int64]] | None = None
        if columns is not None and columns.names is not None:
            self._ids_of(columns, make=True)
        self.expect_classes(labels)

    def expect_classes(self, labels: Labels) -> None:
        """Let the tree have room for the classes that are declared, so that one that comes late costs nothing."""
        if labels.declared and not isinstance(self.tree, _core.DynamicTree):
            self.tree.expect_classes(len(labels.classes))

    def __getstate__(self) -> tuple[Any, ...]:
        # Read together: the tree last, which knows no class that the labels do not.
        tree = self.tree
        return tree.to_bytes(), tree.named_keys(), tree.number_keys(), self.reading, self.labels, self.columns

    @classmethod
    def of_state(cls, kind: TreeKind, parameters: Mapping[str, Any], state: tuple[Any, ...]) -> Self:
        """Return the model, of a kind and with parameters, whose state this was."""
        data, keys, number_keys, *rest = state
        return cls(cast("CoreTree", tree_of_bytes(kind, parameters, data, keys, number_keys)), *rest)

    # ---- single points ----------------------------------------------------------------------------------------------

    def learn_one(self, x: Any, label: int, w: float) -> None:
        """Let the tree learn one point, of the class with a number."""
        if self.grows_by_batches:
            self._refuse_single_points()
        if self.takes_numbers:
            # All by their places, and no call that need not be: a short point takes about a microsecond.
            self.tree.learn_one(x if self.columns is None else self._as_in_matrix(x), label, w, None, True)
        else:
            self.tree.learn_one(x, label, w, self.reading.binarize)

    @staticmethod
    def _refuse_single_points() -> NoReturn:
        raise ValueError("points must come in batches, by partial_fit, for batch_growth, got single ones")

    def predict_proba_one(self, x: Any) -> list[float]:
        """Return the probability of each class of the core for one point."""
        if self.takes_numbers:
            return self.tree.predict_proba_one(x if self.columns is None else self._as_in_matrix(x), None, True)
        return self.tree.predict_proba_one(x, self.reading.binarize)

    def row_of(self, x: Any) -> CoreRows:
        """Return what the tree has met of a single point."""
        if self.takes_numbers:
            return CoreRows.of_one(*self.tree.typed_point(self._as_in_matrix(x)))
        ids = self.tree.point(x, self.reading.binarize)
        return CoreRows(np.array([0, len(ids)], dtype=np.int64), ids)

    def _as_in_matrix(self, x: Any) -> Any:
        """Return a single point with the values of columns as in the matrices that were learned."""
        return x if self.columns is None else as_in_matrix(x, self.columns, self.reading)

    # ---- batches ----------------------------------------------------------------------------------------------------

    def rows(self, batch: Batch, *, make: bool) -> CoreRows:
        """Return the points of a batch by the ids of their features and numbers.

        With `make` a feature that the tree never met is given an id, because it is about to meet it; else it is left
        out, and so is a number. A name that was never on has an id, and no place in the tree.
        """
        if not self.takes_numbers:
            batch = flagged(batch, self.reading.binarize)
        elif batch.numbers is not None and batch.columns is None and self.columns is not None:
            points = [self._as_in_matrix(x) for x, _ in batch.points()]
            read = Batch.of_points(points, [0] * len(points))
            batch = replace(read, y=batch.y, weights=batch.weights, coding=batch.coding)
        numbers = self._number_rows(batch, make=make)
        if batch.indices is None:
            ids = self.key_ids.of(batch.keys, make=make)
        elif batch.names is not None:
            ids = self.tree.ids_of_keys(batch.names, make)[batch.indices]
        elif batch.columns is None or batch.columns.names is None:
            return CoreRows(batch.indptr, batch.indices, numbers)
        else:
            ids = self._ids_of(batch.columns, make=make)[batch.indices]
        indptr = batch.indptr
        if not make:
            indptr, ids = kept(indptr, ids, ids >= 0)
        if not isinstance(self.tree, _core.DynamicTree) and self.tree.shares_names():
            indptr, ids = without_repeats(indptr, ids)
        return CoreRows(indptr, ids, numbers)

    def _number_rows(self, batch: Batch, *, make: bool) -> NumberRows | None:
        """Return the numbers of the points of a batch by the ids of their attributes."""
        if batch.numbers is None:
            return None
        indptr, columns, values, names = batch.numbers
        if names is None:
            assert batch.columns is not None
            names = range(batch.columns.n) if batch.columns.names is None else batch.columns.names.tolist()
        known = self.tree.ids_of_numbers(list(names), make)
        ids = known[columns] if len(known) else columns
        if make or bool((known >= 0).all()):
            return indptr, ids, values
        which = ids >= 0
        indptr, ids = kept(indptr, ids, which)
        return indptr, ids, values[which]

    def _ids_of(self, columns: Columns, *, make: bool) -> NDArray[np.int32]:
        """Return the id of the feature in each column, which has a name."""
        assert columns.names is not None
        # Ids that were made stay; what has none yet may have one the next time.
        known = self._ids
        if known is not None and known[0] is columns:
            return known[1]
        ids = self.tree.ids_of_keys(columns.names.tolist(), make)
        if make:
            self._ids = columns, ids
        return ids

    def learn(self, batch: Batch) -> None:
        """Let the tree learn points whose labels are known."""
        if self.grows_by_batches:
            self._learn_batch(batch)
            return
        rows = self.rows(batch, make=True)
        self.tree.learn(rows.indptr, rows.ids, self._codes(batch), batch.weights, rows.numbers)

    def _learn_batch(self, batch: Batch) -> None:
        """Let the tree learn a whole batch; raise ValueError, and change nothing, if it holds what is not counted."""
        whole = None
        if batch.weights is not None:
            whole = batch.weights.astype(np.int32)
            wrong = batch.weights[whole != batch.weights]
            if len(wrong) > 0:
                raise ValueError(f"sample_weight must be whole for batch_growth, got {wrong[0].item()!r}")
        rows = self.rows(batch, make=True)
        assert isinstance(self.tree, _core.Tree)
        codes, n_classes = self._codes(batch), len(self.labels.order)
        self.tree.learn_batch(rows.indptr, rows.ids, codes, whole, n_classes, rows.numbers)

    def test_then_learn(self, batch: Batch) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.uint16]]:
        """Let the tree answer each point before it learns it; return what it predicts, its probabilities, the labels.

        All of them by the number of the class in the core, which has two classes at least.
        """
        if self.grows_by_batches:
            self._refuse_single_points()
        codes = self._codes(batch)
        rows, places = self.rows(batch, make=True), self.labels.columns
        predicted, probabilities = self.tree.prequential(
            rows.indptr, rows.ids, codes, batch.weights, places, rows.numbers
        )
        return predicted, probabilities, codes

    def _codes(self, batch: Batch) -> NDArray[np.uint16]:
        """Return the label of each point as the core knows it."""
        classes, codes = batch.coded
        # A class that is not known has only points of weight 0, which the tree leaves out, or none at all.
        known = [self.labels.index.get(label, 0) for label in classes.tolist()]
        return np.array(known, dtype=np.uint16)[codes]

    def predict(self, batch: Batch) -> NDArray[Any]:
        """Return the class of the largest probability for each point; of several, the first in ``labels.classes``."""
        places = self.labels.columns
        codes = np.concatenate(
            [
                self.tree.predict(chunk.indptr, chunk.ids, places, numbers=chunk.numbers)
                for chunk in self.rows(batch, make=False).chunks(_ROWS_IN_CHUNK)
            ]
        )
        labels = self.labels
        # The core has two classes at least; the second may not have been met.
        columns = labels.columns[np.minimum(codes, len(labels.order) - 1)]
        answers: NDArray[Any] = labels.classes[columns]
        return answers

    def predict_proba(self, batch: Batch) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``labels.classes``, for each point."""
        found = [
            self.tree.predict_proba(chunk.indptr, chunk.ids, numbers=chunk.numbers)
            for chunk in self.rows(batch, make=False).chunks(_ROWS_IN_CHUNK)
        ]
        labels = self.labels
        answers = np.zeros((len(batch), len(labels.classes)))
        if len(labels.order) == 1:
            answers[:, labels.columns[0]] = 1
            return answers
        start = 0
        for part in found:
            answers[start : start + len(part), labels.columns[: part.shape[1]]] = part
            start += len(part)
        return answers

    def decision_paths(self, batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the nodes that each point passes, as compressed rows. The tree must not learn meanwhile."""
        ends = [np.zeros(1, dtype=np.int64)]
        nodes = []
        for chunk in self.rows(batch, make=False).chunks(_ROWS_IN_CHUNK):
            indptr, passed = self.tree.decision_path(chunk.indptr, chunk.ids, numbers=chunk.numbers)
            ends.append(indptr[1:] + ends[-1][-1])
            nodes.append(passed)
        return np.concatenate(ends), np.concatenate(nodes)

    def n_known(self, batch: Batch) -> NDArray[np.int64]:
        """Return how many features and numbers of each point the tree has met."""
        rows = self.rows(batch, make=False)
        indptr = rows.indptr
        if batch.indices is not None and batch.names is None and (batch.columns is None or batch.columns.names is None):
            # Columns are what they are, met or not.
            indptr, _ = kept(rows.indptr, rows.ids, np.isin(rows.ids, self._columns_met()))
        found: NDArray[np.int64] = np.diff(indptr)
        return found if rows.numbers is None else found + np.diff(rows.numbers[0])

    def _columns_met(self) -> NDArray[np.int64]:
        n_met = self.tree.n_met()
        if self._met is None or self._met[0] != n_met:
            keys = self.tree.keys()
            self._met = n_met, np.array([key for key in keys if isinstance(key, int)], dtype=np.int64)
        return self._met[1]

    # ---- features ---------------------------------------------------------------------------------------------------

    def features_seen(self) -> list[Hashable]:
        """Return the features that were on in a point, and the numbers, in the order of appearance."""
        return list(self._features().values())

    def _features(self) -> dict[int, Hashable]:
        """Return what was met by its number in the tree; a number by that of its presence."""
        made, keys, numbers = self.tree.made_of_numbers(), self.tree.keys(), self.tree.number_keys()
        found: dict[int, Hashable] = {}
        met = set()
        for slot, key in enumerate(keys):
            if slot not in made:
                found[slot] = key
            elif (attribute := made[slot][0]) not in met:
                # The first that is made of a number says that it is there.
                met.add(attribute)
                found[slot] = numbers[attribute]
        return found

    def importances(self) -> NDArray[np.float64]:
        """Return the share of each column, or without columns of each feature, in the impurity taken away by tests.

        What a test of several values of a category took away is shared among them.
        """
        features = self._features()
        places = {slot: i for i, slot in enumerate(features)}
        of_number = {attribute: slot for slot, (attribute, *_) in reversed(self.tree.made_of_numbers().items())}
        nodes, typed = self.tree.nodes(), self.tree.typed_tests()
        shares = np.zeros(len(features))
        taken = nodes["counts"].sum(axis=1) * nodes["gain"]
        for i in np.flatnonzero(nodes["feature"] >= 0).tolist():
            slot = int(nodes["feature"][i])
            if i not in typed:
                slots = [slot]
            else:
                asked = typed[i][0]
                slots = asked if isinstance(asked, list) else [of_number[slot]]
            shares[[places[each] for each in slots]] += taken[i] / len(slots)
        if shares.sum() > 0:
            shares /= shares.sum()
        return shares if self.columns is None else self._of_columns(shares, features.values())

    def _of_columns(self, shares: NDArray[np.float64], features: Iterable[Hashable]) -> NDArray[np.float64]:
        """Return shares of features by the columns of which these are made; others are left out."""
        columns = self.columns
        assert columns is not None
        names = None if columns.names is None else {name: i for i, name in enumerate(columns.names.tolist())}
        of_columns = np.zeros(columns.n)
        for feature, share in zip(features, shares.tolist(), strict=True):
            key = feature.attribute if isinstance(feature, (Category, Threshold)) else feature
            column = names.get(key, -1) if names is not None else key if isinstance(key, int) else -1
            if 0 <= column < columns.n:
                of_columns[column] += share
        return of_columns


def points_met(tree: CoreTree) -> int | None:
    """Return how many points a tree has learned; None if memory ran out on the way: it tells whoever uses it next."""
    try:
        return tree.n_met()
    except RuntimeError:
        return None
