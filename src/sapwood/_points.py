"""From what users pass as points and labels to the arrays that the native core reads."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse

from sapwood import _core
from sapwood._csr import check_arrays, kept

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_LARGEST_ID = 2**31 - 1


class Points(NamedTuple):
    """Points in compressed sparse rows with their labels, in the types of the native core."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: NDArray[np.uint16]
    n_columns: int


def as_points(X: Any, y: ArrayLike, n_classes: int = 2) -> Points:
    """Check a matrix and its labels, and convert them without a copy where they already fit.

    Raises
    ------
    ValueError
        If the matrix holds anything but 0 and 1 or is corrupt, or the labels are not from 0 to n_classes - 1, one for
        every row.
    """
    if not scipy.sparse.issparse(X):
        X = _from_dense(X)
    if X.ndim != 2:  # noqa: PLR2004 - a matrix has two dimensions
        raise ValueError(f"X must have two dimensions, got {X.ndim}")
    rows, columns = X.shape
    if columns > _LARGEST_ID + 1:
        raise ValueError(f"X must have at most {_LARGEST_ID + 1} columns, got {columns}")
    labels = _labels(y, n_classes)
    if len(labels) != rows:
        raise ValueError(f"y must have a label for each of the {rows} rows of X, got {len(labels)}")
    X = X.tocsr()
    check_arrays(X)
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    indices = _indices(X.indices, columns)
    on = _on(X.data)
    if not on.all():
        # A stored 0 is a feature that is off. The structure is checked first: the offsets are used to index.
        _core.check_csr(indptr, indices, columns)
        indptr, indices = kept(indptr, indices, on)
    return Points(indptr, indices, labels, columns)


def _from_dense(X: Any) -> Any:
    try:
        dense = np.asarray(X)
    except ValueError:
        raise ValueError("X must have rows of one length, got rows of several") from None
    if dense.ndim != 2:  # noqa: PLR2004 - a matrix has two dimensions
        raise ValueError(f"X must have two dimensions, got {dense.ndim}")
    _on(dense.ravel())
    return scipy.sparse.csr_array(dense != 0)


def _on(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are 1; all others must be 0."""
    if values.dtype == np.bool_:
        return values
    on: NDArray[np.bool_] = np.asarray(values == 1, dtype=np.bool_)
    if not on.all():
        wrong = ~(on | (values == 0))
        if wrong.any():
            raise ValueError(f"X must hold 0 and 1 only, got {values[wrong][0]}")
    return on


def _indices(indices: NDArray[Any], columns: int) -> NDArray[np.int32]:
    if indices.dtype != np.int32 and indices.size and not 0 <= indices.min() <= indices.max() <= _LARGEST_ID:
        wrong = indices[(indices < 0) | (indices > _LARGEST_ID)][0]
        raise ValueError(f"X.indices must be from 0 to {columns - 1}, got {wrong}")
    return np.ascontiguousarray(indices, dtype=np.int32)


def _labels(y: ArrayLike, n_classes: int) -> NDArray[np.uint16]:
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, got {labels.ndim}")
    right = _are_classes(labels, n_classes)
    if not right.all():
        classes = "the labels 0 and 1" if n_classes == 2 else f"labels from 0 to {n_classes - 1}"  # noqa: PLR2004 - a pair
        raise ValueError(f"y must hold {classes} only, got {labels.item(int(np.argmin(right)))!r}")
    return np.ascontiguousarray(labels, dtype=np.uint16)


def _are_classes(labels: NDArray[Any], n_classes: int) -> NDArray[np.bool_]:
    """Which labels are whole numbers from 0 to n_classes - 1."""
    if labels.dtype.kind in "biu":
        return np.asarray((labels >= 0) & (labels < n_classes))
    if labels.dtype.kind == "f":
        # NaN is in no range.
        return np.asarray((labels >= 0) & (labels < n_classes) & (np.floor(labels) == labels))
    # Anything else is compared one by one: text is no number, even if it reads like one.
    return np.fromiter((_is_class(label, n_classes) for label in labels.tolist()), np.bool_, len(labels))


def _is_class(label: object, n_classes: int) -> bool:
    return isinstance(label, Real) and label in range(n_classes)
