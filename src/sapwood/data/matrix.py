"""From matrices to the active features of each row: what is refused, and what is on."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.batch import Batch
from sapwood.data.category import Threshold
from sapwood.data.csr import check_arrays, check_before_conversion, is_sparse, kept
from sapwood.data.rows import EncodedRows

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["binary_batch", "dense_flags", "sparse_flags", "thermometer"]

_LARGEST_ID = 2**31 - 1
# Cells of a dense matrix that are compared at a time, so that no copy of it is ever made: 4 MB of booleans.
_CELLS_IN_BLOCK = 1 << 22

_HALF = 0.5
# Of one value: thresholds from 1 to 2^31, more than any count of words or clicks needs.
_MOST_THRESHOLDS = 32

_BINARY = "0 and 1 only"
_BINARY_BY_CHOICE = "0 and 1 only if binarize is None"


def dense_flags(X: NDArray[Any], binarize: float | None) -> EncodedRows:
    """Return which columns are on in each row of a dense matrix: those whose value is greater than `binarize`.

    Raises ValueError if a value is not 0 or 1 and, without a threshold, must be.
    """
    return EncodedRows(*_dense_rows(X, binarize, _BINARY_BY_CHOICE))


def sparse_flags(X: Any, binarize: float | None, names: Sequence[Hashable] | None = None) -> EncodedRows:
    """Return which columns are on in each row of compressed sparse rows.

    Parameters
    ----------
    X
        The matrix.
    binarize
        A column is on where its value is greater; None if all values must be 0 or 1.
    names
        What the columns are called if the size of a value counts: then a value has, beside its column, the flag
        ``Threshold(name, t)`` for each power of two t from 1 on that it exceeds.

    Raises
    ------
    ValueError
        If a value is not 0 or 1 and must be, or if the matrix is corrupt or holds an element twice.
    """
    indptr, indices, values = _in_order(X)
    on = _on(values, binarize, _BINARY_BY_CHOICE)
    if names is None or values.dtype == np.bool_:
        return EncodedRows(*kept(indptr, indices, on))
    return thermometer(*kept(indptr, indices, on), values[on], names)


def thermometer(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[Any], names: Sequence[Hashable]
) -> EncodedRows:
    """Return a flag for each value, and one for each power of two from 1 on that it exceeds."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    # The powers from 1 on that are below m 2^e with ½ ≤ m < 1: e of them, or one less if the value is itself a power.
    n_above = np.clip(exponent - (mantissa == _HALF), 0, _MOST_THRESHOLDS).astype(np.int64)
    ends = np.concatenate(([0], np.cumsum(n_above + 1)))
    level = np.arange(ends[-1]) - np.repeat(ends[:-1], n_above + 1)
    codes = np.repeat(indices.astype(np.int64), n_above + 1) * (_MOST_THRESHOLDS + 1) + level
    met, places = np.unique(codes, return_inverse=True)
    flags: list[Hashable] = []
    for code in met.tolist():
        column, above = divmod(code, _MOST_THRESHOLDS + 1)
        flags.append(names[column] if above == 0 else Threshold(names[column], 1 << (above - 1)))
    return EncodedRows(ends[indptr], places.reshape(-1).astype(np.int32), names=flags)


def binary_batch(X: Any, y: ArrayLike, n_classes: int = 2) -> Batch:
    """Check a matrix of 0 and 1 with its labels.

    Whether the columns of each row ascend is left to the core, which looks at each once more in any case.

    Raises
    ------
    ValueError
        If the matrix holds anything but 0 and 1 or is corrupt, or the labels are not from 0 to n_classes - 1, one for
        every row.
    """
    if not is_sparse(X):
        X = _as_array(X)
    if X.ndim != 2:  # noqa: PLR2004 - a matrix has two dimensions
        raise ValueError(f"X must have two dimensions, got {X.ndim}")
    rows, n_columns = X.shape
    if n_columns > _LARGEST_ID + 1:
        raise ValueError(f"X must have at most {_LARGEST_ID + 1} columns, got {n_columns}")
    indptr, indices = _dense_rows(X, None, _BINARY) if isinstance(X, np.ndarray) else _binary_rows(X)
    labels = _class_numbers(y, n_classes)
    if len(labels) != rows:
        raise ValueError(f"y must have a label for every row of X, {rows:,} in all, got {len(labels)}")
    return Batch(labels, indptr, indices, keys=None, n_features=n_columns, first_line=0)


# ---- values ----------------------------------------------------------------------------------------------------------


def _on(values: NDArray[Any], binarize: float | None, wanted: str) -> NDArray[np.bool_]:
    """Which values are on; without a threshold all must be what is wanted, 0 and 1."""
    if values.dtype == np.bool_:
        # True is 1 and False is 0, whatever the threshold, as in a point of one's own.
        return values
    if binarize is not None:
        return np.asarray(values > binarize)
    on: NDArray[np.bool_] = np.asarray(values == 1, dtype=np.bool_)
    if not on.all():
        wrong = ~(on | np.asarray(values == 0, dtype=np.bool_))
        if wrong.any():
            raise ValueError(f"X must hold {wanted}, got {values[wrong][0]}")
    return on


def _as_array(X: Any) -> NDArray[Any]:
    try:
        return np.asarray(X)
    except ValueError:
        raise ValueError("X must have rows of the same length, got different ones") from None


def _dense_rows(X: NDArray[Any], binarize: float | None, wanted: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    n, width = X.shape
    indptr = np.zeros(n + 1, dtype=np.int64)
    parts = []
    rows = max(1, _CELLS_IN_BLOCK // max(width, 1))
    for start in range(0, n, rows):
        on = _on(X[start : start + rows], binarize, wanted)
        indptr[start + 1 : start + 1 + len(on)] = np.count_nonzero(on, axis=1)
        parts.append(np.nonzero(on)[1].astype(np.int32))
    np.cumsum(indptr, out=indptr)
    return indptr, np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


# ---- sparse rows -----------------------------------------------------------------------------------------------------


# Offsets and indices are copied before they are checked: another thread may change those of X at any time, and what
# the core learns must be what was checked. That is four bytes of the twelve or more that an element of X takes.


def _as_offsets(indptr: NDArray[Any]) -> NDArray[np.int64]:
    """Return a copy of the offsets of a sparse matrix in the type of the core."""
    return np.array(indptr, dtype=np.int64, order="C")


def _as_ids(indices: NDArray[Any], n_columns: int) -> NDArray[np.int32]:
    """Return a copy of the indices of a sparse matrix in the type of the core, into which none may be wrapped."""
    own = np.array(indices, order="C")
    if own.dtype != np.int32 and own.size and not 0 <= own.min() <= own.max() <= _LARGEST_ID:
        wrong = own[(own < 0) | (own > _LARGEST_ID)][0]
        raise ValueError(f"X.indices must be from 0 to {n_columns - 1}, got {wrong}")
    return own.astype(np.int32, copy=False)


def _binary_rows(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the columns of each row of a sparse matrix of 0 and 1."""
    check_before_conversion(X)
    X = X.tocsr()
    check_arrays(X)
    indptr = _as_offsets(X.indptr)
    indices = _as_ids(X.indices, X.shape[1])
    on = _on(X.data, None, _BINARY)
    if not on.all():
        # A stored 0 is a feature that is off. The structure is checked first: the offsets are used to index.
        _core.check_csr(indptr, indices, X.shape[1])
        indptr, indices = kept(indptr, indices, on)
    return indptr, indices


def _in_order(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """Return the arrays of compressed sparse rows, the indices ascending in every row.

    The flags with which SciPy remembers that they do are not relied upon: anyone may set them.
    """
    check_arrays(X)
    n_columns = X.shape[1]
    indptr = _as_offsets(X.indptr)
    indices = _as_ids(X.indices, n_columns)
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]) or indptr[-1] > len(indices):
        raise ValueError(f"X.indptr must ascend from 0 to at most the {len(indices)} stored indices")
    # SciPy allows room behind the last row.
    indices, values = indices[: indptr[-1]], X.data[: indptr[-1]]
    try:
        _core.check_csr(indptr, indices, n_columns)
    except ValueError:
        indices, values = _sorted(indptr, indices, values, X.shape)
    return indptr, indices, values


def _sorted(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], values: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return the indices and values of rows with the indices of each in order, in a copy."""
    rows, n_columns = shape
    wrong = indices[(indices < 0) | (indices >= n_columns)]
    if len(wrong):
        raise ValueError(f"X.indices must be from 0 to {n_columns - 1}, got {wrong[0]}")
    from scipy.sparse import csr_array

    in_row = csr_array((values, indices, indptr), shape=shape, copy=True)
    in_row.has_sorted_indices = False
    in_row.sort_indices()
    indices, values = in_row.indices.astype(np.int32, copy=False), in_row.data
    row = np.repeat(np.arange(rows), np.diff(indptr))
    twice = np.flatnonzero((indices[1:] == indices[:-1]) & (row[1:] == row[:-1]))
    if len(twice):
        raise ValueError(
            "X must store each element once (X.sum_duplicates() adds them up), "
            f"got column {indices[twice[0]]} twice in row {row[twice[0]]}"
        )
    return indices, values


# ---- numbers of classes ----------------------------------------------------------------------------------------------


def _class_numbers(y: ArrayLike, n_classes: int) -> NDArray[np.uint16]:
    """Return labels that are the numbers of classes, in the type of the core."""
    # A copy, as of offsets and indices.
    labels = np.array(y)
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
