"""Trees and the batches of a stream: learned and answered in the core, where a point costs no call of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sapwood import _batch
from sapwood._csr import kept
from sapwood._labels import as_label
from sapwood._rows import Columns, Rows
from sapwood._tree_learner import REFUSED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sapwood._tree_classifier import StreamingTreeClassifier
    from sapwood._tree_model import Model
    from sapwood.stream import Batch

__all__ = ["learn_batch", "predict_batch", "predict_proba_batch"]


def learn_batch(classifier: StreamingTreeClassifier, batch: Batch) -> None:
    """Learn the points of a batch in their order. A class may be new.

    The model is, to the byte, that which ``learn_one`` makes of ``batch.points()``. An error changes nothing; an
    interrupt keeps the points learned so far.
    """
    with classifier._lock:
        model = classifier._model or classifier._new_model()
        try:
            ids = model.tree.ids_of_keys(batch.keys or [], True) if batch.indices is None else batch.indices
            labels = batch.labels()
            codes = {as_label(label): code for code, label in enumerate(dict.fromkeys(labels))}
            classes = np.empty(len(codes), dtype=object)
            classes[:] = list(codes)
            points = _batch.Batch(
                rows=Rows(batch.indptr, ids),
                classes=classes,
                codes=np.fromiter(map(codes.__getitem__, labels), np.intp, len(labels)),
                weights=None,
                # Unlike rows of a matrix, points of a stream say nothing of the columns that there are.
                columns=cast("Columns", model.columns),
            )
            classifier._learn_or_undo(model, model.labels, points)
        except REFUSED as error:
            classifier._raise_named("learn_one", error)


def predict_batch(classifier: StreamingTreeClassifier, batch: Batch) -> NDArray[Any]:
    """Return the class of each point of a batch, as ``predict_one`` does. Unknown features say nothing."""
    model, rows = _known_rows(classifier, batch)
    return classifier._answers(model, rows)


def predict_proba_batch(classifier: StreamingTreeClassifier, batch: Batch) -> NDArray[np.float64]:
    """Return the probability of each class, in the order of ``classes_``, for each point of a batch."""
    model, rows = _known_rows(classifier, batch)
    return classifier._probabilities(model, rows)


def _known_rows(classifier: StreamingTreeClassifier, batch: Batch) -> tuple[Model, Rows]:
    model = classifier._fitted_model()
    if batch.indices is not None:
        if model.columns is not None and model.columns.names is not None:
            raise ValueError(
                "predict: the points must have features by name, as the model has, got columns by number; "
                "CSV and JSON lines have names"
            )
        return model, Rows(batch.indptr, batch.indices)
    ids = model.tree.ids_of_keys(batch.keys or [], False)
    return model, Rows(*kept(batch.indptr, ids, ids >= 0))
