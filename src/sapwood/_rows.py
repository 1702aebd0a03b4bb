"""From the matrices that users pass to the active features of each row, as the trees of the core read them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse
import sklearn.base
import sklearn.utils
import sklearn.utils.validation

from sapwood import _core
from sapwood._csr import check_arrays, kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Cells of a dense matrix that are compared at a time, so that no copy of it is ever made.
_CELLS_IN_BLOCK = 1 << 22
_NUMBERS = "biuf"  # the kinds of arrays that hold numbers


class Rows(NamedTuple):
    """The active features of each of a series of points: compressed sparse rows without their values."""

    indptr: NDArray[np.int64]
    ids: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def chunks(self, size: int) -> Iterator[Rows]:
        """Yield the rows in chunks of so many, without a copy of their features."""
        for start in range(0, max(len(self), 1), size):
            indptr = self.indptr[start : start + size + 1]
            yield Rows(indptr - indptr[0], self.ids[indptr[0] : indptr[-1]])


class Columns(NamedTuple):
    """What is known of the columns of the matrices that a model is given."""

    n: int
    names: NDArray[np.object_] | None
    ids: NDArray[np.int32] | None = None
    """The id of the feature in each, None if that is the number of the column, -1 for one that the model never met."""


@cache
def _checker(owner: str) -> Any:
    """Return a class of scikit-learn's estimators by the name of ours.

    scikit-learn checks matrices on behalf of an estimator, whose name it tells and whose attributes it sets. A matrix
    may prove wrong after that, and then nothing of ours must have changed: so it is given another.
    """
    return type(owner, (sklearn.base.BaseEstimator,), {})


def checked(X: Any, owner: str, columns: Columns | None) -> tuple[Any, Columns]:
    """Check a matrix as scikit-learn does: sparse or dense, finite numbers in two dimensions, the columns as before.

    Returns the matrix, in compressed sparse rows if it is sparse, and its columns.
    """
    checker = _checker(owner)()
    if columns is not None:
        checker.n_features_in_ = columns.n
        if columns.names is not None:
            checker.feature_names_in_ = columns.names
    if scipy.sparse.issparse(X):
        _check_before_conversion(X)
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        _check_table(X)
    options = {"accept_sparse": "csr", "dtype": "numeric", "reset": columns is None}
    if hasattr(sklearn.utils.validation, "validate_data"):
        X = sklearn.utils.validation.validate_data(checker, X, **options)
    else:  # scikit-learn before 1.6
        X = checker._validate_data(X, **options)
    n_columns = X.shape[1]
    if n_columns > _core.MAX_COLUMNS:
        raise ValueError(f"X must have at most {_core.MAX_COLUMNS} columns, got {n_columns}")
    if X.dtype.kind == "O":
        # Lists with None or large integers, which scikit-learn makes numbers only if they come as an array.
        X = sklearn.utils.check_array(X, dtype=np.float64, input_name="X")
    if X.dtype.kind not in _NUMBERS:
        raise ValueError(f"X must hold numbers, got {X.dtype}")
    return X, columns or Columns(n_columns, getattr(checker, "feature_names_in_", None))


def as_rows(X: Any, binarize: float | None, ids: NDArray[np.int32] | None = None) -> Rows:
    """Return which features are on in each row of a checked matrix: those whose value is greater than `binarize`.

    Parameters
    ----------
    X
        A dense array or compressed sparse rows, which are read in place where they are in order.
    binarize
        The threshold; None if all values must be 0 or 1.
    ids
        The id of the feature in each column; None if that is the number of the column. One of -1 is left out.

    Raises
    ------
    ValueError
        If a value is not 0 or 1 and must be, if a sparse matrix is corrupt or holds an element twice, or if a value
        that is not stored would be on.
    """
    if not scipy.sparse.issparse(X):
        indptr, indices = _dense_rows(X, binarize)
    else:
        if binarize is not None and binarize < 0:
            raise ValueError(
                f"binarize must be at least 0 for a sparse X, all of whose zeros would be on otherwise, got {binarize}"
            )
        indptr, indices = _sparse_rows(X, binarize)
    if ids is None:
        return Rows(indptr, indices)
    return Rows(*kept(indptr, ids[indices], ids[indices] >= 0))


def _on(values: NDArray[Any], binarize: float | None) -> NDArray[np.bool_]:
    """Which values are on."""
    if values.dtype == np.bool_:
        # True is 1 and False is 0, whatever the threshold, as in a point of one's own.
        return values
    if binarize is not None:
        return np.asarray(values > binarize)
    on: NDArray[np.bool_] = np.asarray(values == 1)
    wrong = ~(on | (values == 0))
    if wrong.any():
        raise ValueError(f"X must hold 0 and 1 only if binarize is None, got {values[wrong][0]}")
    return on


def _dense_rows(X: NDArray[Any], binarize: float | None) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    n, width = X.shape
    indptr = np.zeros(n + 1, dtype=np.int64)
    parts = []
    rows = max(1, _CELLS_IN_BLOCK // max(width, 1))
    for start in range(0, n, rows):
        on = _on(X[start : start + rows], binarize)
        indptr[start + 1 : start + 1 + len(on)] = np.count_nonzero(on, axis=1)
        parts.append(np.nonzero(on)[1].astype(np.int32))
    np.cumsum(indptr, out=indptr)
    return indptr, np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)


def _sparse_rows(X: Any, binarize: float | None) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    indptr, indices, values = _in_order(X)
    return kept(indptr, indices, _on(values, binarize))


def _in_order(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]:
    """Return the arrays of compressed sparse rows, the indices ascending in every row.

    The flags with which SciPy remembers that they do are not relied upon: anyone may set them.
    """
    rows, n_columns = X.shape
    check_arrays(X)
    if len(X.indices) and not 0 <= X.indices.min() <= X.indices.max() < n_columns:
        wrong = X.indices[(X.indices < 0) | (X.indices >= n_columns)][0]
        raise ValueError(f"X.indices must be from 0 to {n_columns - 1}, got {wrong}")
    indptr = np.ascontiguousarray(X.indptr, dtype=np.int64)
    indices = np.ascontiguousarray(X.indices, dtype=np.int32)
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]) or indptr[-1] > len(indices):
        raise ValueError(f"X.indptr must ascend from 0 to at most the {len(indices)} stored indices")
    # SciPy allows room behind the last row.
    indices, values = indices[: indptr[-1]], X.data[: indptr[-1]]
    try:
        _core.check_csr(indptr, indices, n_columns)
    except ValueError:
        in_row = scipy.sparse.csr_array((values, indices, indptr), shape=X.shape, copy=True)
        in_row.has_sorted_indices = False
        in_row.sort_indices()
        indices, values = in_row.indices.astype(np.int32, copy=False), in_row.data
        row = np.repeat(np.arange(rows), np.diff(indptr))
        twice = np.flatnonzero((indices[1:] == indices[:-1]) & (row[1:] == row[:-1]))
        if len(twice):
            raise ValueError(
                "X must store each element once (X.sum_duplicates() adds them up), "
                f"got column {indices[twice[0]]} twice in row {row[twice[0]]}"
            ) from None
    return indptr, indices, values


def _check_table(X: Any) -> None:
    """Refuse a table of pandas with text or dates by the name of the column, or with two columns of one name."""
    met = set()
    for i, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if name in met:
            raise ValueError(f"X must have columns of different names, got {name!r} twice")
        met.add(name)
        if dtype.kind in _NUMBERS + "c":  # complex numbers are for scikit-learn to refuse
            continue
        if dtype.kind in "mM":
            raise ValueError(f"X must hold numbers, got {dtype} in column {name!r}")
        for value in X.iloc[:, i].tolist():
            if not _reads_as_number(value):
                raise ValueError(f"X must hold numbers, got {value!r} in column {name!r}")


def _reads_as_number(value: Any) -> bool:
    """Whether a value of a table is made a number by scikit-learn: text such as "1" is, and so is None, to NaN."""
    try:
        float(0 if value is None else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _check_before_conversion(X: Any) -> None:
    """Refuse a corrupt matrix of the formats that SciPy converts without a look at their indices."""
    if X.format in {"csc", "bsr"}:
        X.check_format(full_check=True)
    elif X.format == "coo" and X.ndim == 2:  # noqa: PLR2004 - only a matrix is converted
        for axis, at in enumerate((X.row, X.col)):
            if len(at) != len(X.data) or (len(at) and not 0 <= at.min() <= at.max() < X.shape[axis]):
                raise ValueError(f"X.{('row', 'col')[axis]} must be from 0 to {X.shape[axis] - 1}, one for each value")
