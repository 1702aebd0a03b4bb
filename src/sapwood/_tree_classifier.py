"""What the tree classifiers share beyond learning: looking at what was learned, and keeping it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from sapwood import _model_file, _tree_file
from sapwood._inspect import Inspectable
from sapwood._tree_learner import REFUSED, ROWS_IN_CHUNK, TreeLearner
from sapwood._tree_summary import TreeSummary
from sapwood.exceptions import ModelFormatError
from sapwood.explain import Explanation, explain_ids
from sapwood.tree_view import TreeView, places_of

if TYPE_CHECKING:
    from collections.abc import Hashable
    from os import PathLike

    from numpy.typing import NDArray
    from typing_extensions import Self

    from sapwood import _core
    from sapwood._feature_names import FeatureNames
    from sapwood._tree_model import Model

_kinds: dict[str, type[StreamingTreeClassifier]] = {}
"""The classifiers of this package, by the names under which they are saved."""


class StreamingTreeClassifier(Inspectable, TreeLearner):
    """The base of the tree classifiers, which say what is theirs; not to be used itself."""

    # ---- what was learned -------------------------------------------------------------------------------------------

    @property
    def _tree(self) -> _core.Tree:
        """The tree of the core; raises NotFittedError before there is one."""
        return self._fitted_model().tree

    def _known(self, name: str) -> Model:
        """Return the model; raise AttributeError before there is one, as an attribute of scikit-learn's does."""
        model = self._model
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r} before it is fitted")
        return model

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes: sorted if they can be compared, else in the order of their appearance."""
        return self._known("classes_").labels.classes

    @property
    def n_features_in_(self) -> int:
        """The number of columns of the matrices; there is none if the model has learned by ``learn_one`` alone."""
        columns = self._known("n_features_in_").columns
        if columns is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_features_in_' before a matrix")
        return columns.n

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The names of the columns, if the first matrix had names."""
        columns = self._known("feature_names_in_").columns
        if columns is None or columns.names is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'feature_names_in_' without names")
        return columns.names

    @property
    def features_seen_(self) -> list[Hashable]:
        """The features that were on in a point, in the order of their appearance."""
        return self._known("features_seen_").tree.keys()

    @property
    def n_points_(self) -> int:
        """The points learned, each as often as its weight says."""
        return self._known("n_points_").tree.n()

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much of all impurity taken away by the tests in the tree each feature took away.

        A test takes away its gain times the points it was decided on. The shares of all features are 1 in sum, or 0 if
        there is no test. They are in the order of the columns; features that are no column are left out. A model that
        never met a matrix has them in the order of ``features_seen_``.
        """
        model = self._known("feature_importances_")
        with self._lock:
            return model.importances()

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the number of the leaf that each row reaches; nodes are numbered as in ``decision_path``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.
        """
        indptr, nodes, _ = self._paths("apply", X)
        leaves: NDArray[np.int64] = nodes[indptr[1:] - 1]
        return leaves

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return which nodes each row passes: 1 at (i, k) if row i passes node k.

        Nodes are numbered from the root, which is 0, each before those below it, and those for a feature that is off
        before those for it on. A tree that learns is numbered anew.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The points. CSR is read in place.

        Returns
        -------
        indicator : sparse matrix of shape (n_samples, n_nodes)
            In CSR format.
        """
        indptr, nodes, n_nodes = self._paths("decision_path", X)
        ones = np.ones(len(nodes), dtype=np.int64)
        return scipy.sparse.csr_matrix((ones, nodes, indptr), shape=(len(indptr) - 1, n_nodes))

    def _paths(self, method: str, X: Any) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        model, rows = self._fitted_rows(method, X)
        ends = [np.zeros(1, dtype=np.int64)]
        nodes = []
        # The numbers of the nodes must not change between two chunks.
        with self._lock:
            for chunk in rows.chunks(ROWS_IN_CHUNK):
                indptr, passed = model.tree.decision_path(*chunk)
                ends.append(indptr[1:] + ends[-1][-1])
                nodes.append(passed)
            return np.concatenate(ends), np.concatenate(nodes), model.tree.n_nodes()

    def get_depth(self) -> int:
        """Return the tests between the root and the leaf that is farthest from it."""
        return self._tree.depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._tree.n_leaves()

    def summary(self) -> TreeSummary:
        """Return what the tree is and what it has done, in a few numbers; it prints as a table."""
        model = self._fitted_model()
        with self._lock:
            tree = model.tree
            done = tree.tally()
            return TreeSummary(
                n_points=tree.n(),
                n_features_seen=tree.n_features_seen(),
                n_classes=len(model.labels.classes),
                n_nodes=tree.n_nodes(),
                n_leaves=tree.n_leaves(),
                depth=tree.depth(),
                tree_bytes=tree.n_bytes(),
                vocabulary_bytes=tree.vocabulary_bytes(),
                n_splits_tried=done["tested"],
                n_splits_made=done["split"],
                n_splits_remade=done["resplit"],
                n_nodes_pruned=done["pruned"],
                n_paused=int(tree.nodes()["paused"].sum()),
            )

    # ---- looking inside ---------------------------------------------------------------------------------------------

    def _view(self, feature_names: FeatureNames, owner: str = "TreeView.of") -> TreeView:
        model = self._fitted_model()
        with self._lock:
            labels = model.labels
            return TreeView.of(model.tree, labels.order, feature_names, self.criterion, labels.in_order, owner=owner)

    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        model = self._fitted_model()
        with self._lock:
            if scipy.sparse.issparse(x):
                row: Any = x
                _, rows = self._fitted_rows("explain_one", row.reshape(1, -1) if row.ndim == 1 else row)
                if len(rows) != 1:
                    self._raise_named("explain_one", ValueError(f"x must be one row, got {len(rows)}"))
                ids = rows.ids
            else:
                try:
                    ids = model.tree.point(x, model.threshold())
                except REFUSED as error:
                    self._raise_named("explain_one", error)
            owner = f"{type(self).__name__}.explain_one"
            view = self._view(feature_names, owner)
            places = places_of(model.labels.order, view.classes)
            return explain_ids(model.tree, view, ids, places, feature_names, owner=owner)

    # ---- keeping it -------------------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the model as bytes, in the format that ``save`` writes.

        Raises
        ------
        NotFittedError
            If nothing was learned.
        TypeError, ValueError
            If a parameter cannot be one, or if a label or a feature is not None, a boolean, a number, text, bytes or a
            tuple of these. Pickle keeps any that can be pickled.
        """
        self._fitted_model()
        return self._written("to_bytes")

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the model that ``to_bytes`` was called on. It continues exactly as that one would.

        Raises
        ------
        ModelFormatError
            If the bytes are no model of this class. They may come from anyone: nothing in them is run.
        """
        return cls._read("from_bytes", data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, in place of one that may be there; at any time one of them is there whole.

        A RandomState as ``random_state`` is kept as the seed that was drawn from it.

        Raises
        ------
        NotFittedError
            If nothing was learned.
        TypeError, ValueError
            As ``to_bytes`` does.
        OSError
            If the file cannot be written.
        """
        self._fitted_model()
        _model_file.write_atomically(path, self._written("save"))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Return the model that ``save`` wrote. It continues exactly as that one would.

        Raises
        ------
        ModelFormatError
            If the file holds no model of this class. It may come from anyone: nothing in it is run.
        OSError
            If the file cannot be read.
        """
        return cls._read("load", Path(path).read_bytes())

    def _written(self, method: str, others: dict[str, list[Hashable]] | None = None) -> bytes:
        with self._lock:
            model = self._model
            assert model is not None
            kind = self._kind()
            parameters = {name: getattr(self, name) for name in kind._get_param_names()}
            try:
                return _tree_file.to_bytes(kind.__name__, parameters, model, others)
            except REFUSED as error:
                self._raise_named(method, error)

    @classmethod
    def _read(cls, method: str, data: bytes, others: dict[str, list[Hashable]] | None = None) -> Self:
        kinds = {name: _tree_file.Kind(kind._growth, set(kind._get_param_names())) for name, kind in _kinds.items()}
        if not isinstance(data, bytes):
            raise TypeError(f"{cls.__name__}.{method}: data must be bytes, got {type(data).__name__}")
        try:
            saved = _tree_file.from_bytes(data, kinds, others)
            kind = _kinds[saved.name]
            if not (issubclass(cls, kind) or issubclass(kind, cls)):
                raise ModelFormatError(f"the model must be a {cls.__name__}, got a {saved.name}")
        except ModelFormatError as error:
            raise ModelFormatError(f"{cls.__name__}.{method}: {error}") from None
        made: Self = (cls if issubclass(cls, kind) else kind)(**saved.parameters)
        made._model = saved.model
        return made

    @classmethod
    def _kind(cls) -> type[StreamingTreeClassifier]:
        """Return the class of this package that a model is written as: it, or the nearest that it is derived from."""
        return next(kind for kind in cls.__mro__ if _kinds.get(kind.__name__) is kind)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.partition(".")[0] == __package__:
            # A class of the same name elsewhere in the package is derived from the first, and saved as that.
            _kinds.setdefault(cls.__name__, cls)

    def __getstate__(self) -> dict[str, Any]:
        # Labels and features that have no place in a file: a pickle has one for every object.
        others: dict[str, list[Hashable]] = {}
        with self._lock:
            return {
                "attributes": self.__dict__.copy(),
                "model": None if self._model is None else self._written("__getstate__", others),
                "others": others,
            }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["attributes"])
        if state["model"] is not None:
            self._model = self._kind()._read("__setstate__", state["model"], state["others"])._model


def load_model(path: str | PathLike[str]) -> StreamingTreeClassifier:
    """Return the model that ``save`` wrote to a file, of whichever class it is.

    Raises
    ------
    ModelFormatError
        If the file holds no model. It may come from anyone: nothing in it is run.
    OSError
        If the file cannot be read.
    """
    return StreamingTreeClassifier.load(path)
