"""What the columns of a matrix or a table become: flags, numbers and categories.

The rule for a single value is in the core (``native/bindings/encode.hpp``). Here it is applied to whole columns: the
type of the first matrix decides what a column holds, and later matrices are read in the same way.

==============================  ========================================================================
matrix                          becomes
==============================  ========================================================================
sparse (CSR and other formats)  flags: a column is on where its value is greater than ``binarize``; with
                                ``sparse_numbers`` also one flag per power of two below its value
dense, of booleans              flags
dense, of numbers               numbers; NaN is missing
pandas, all columns sparse      as a sparse matrix, with a warning where values are not 0 and 1
pandas or polars                each column by its type: booleans flags, numbers numbers, texts and
                                categories a category; dates are refused
==============================  ========================================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sapwood.data.csr import is_sparse
from sapwood.data.matrix import dense_flags, sparse_flags, thermometer
from sapwood.data.rows import EncodedRows, dense_numbers
from sapwood.data.table import Column, is_sparse_table, is_table, read_columns, read_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from sapwood.data.batch import Columns
    from sapwood.data.kinds import Kind, Kinds

__all__ = ["Reading", "as_in_matrix", "encoded_rows"]


class Reading(NamedTuple):
    """How sparse matrices are read."""

    binarize: float | None = 0.0
    """A column is on where its value is greater; None if all values must be 0 or 1."""
    sparse_numbers: bool = False
    """Whether the size of a value counts."""


def encoded_rows(
    X: Any, columns: Columns, *, is_first: bool, binarize: float | None, sparse_numbers: bool
) -> tuple[EncodedRows, Columns]:
    """Return the rows of a matrix as points, and its columns with what they hold.

    Parameters
    ----------
    X
        A table, a dense array or compressed sparse rows.
    columns
        Its columns; if it `is_first`, what they hold is not yet known.
    binarize, sparse_numbers
        How sparse matrices are read.

    Raises
    ------
    ValueError
        If a value cannot be one, or is not what its column holds; the error names the column.
    """
    names: Sequence[Hashable] = range(columns.n) if columns.names is None else columns.names.tolist()
    kinds: Kinds | None = None if is_first else columns.kinds
    if is_sparse_table(X):
        X = X.sparse.to_coo().tocsr()
    if is_table(X):
        rows, found = read_table(X, names, _each(kinds, columns.n))
        return rows, columns._replace(kinds=_in_short(found))
    if kinds is None:
        kinds = "flag" if is_sparse(X) or X.dtype == np.bool_ else "number"
        columns = columns._replace(kinds=kinds)
    if kinds == "flag":
        return _flags(X, binarize, names if sparse_numbers else None), columns
    if is_sparse(X):
        matrix: Any = X
        X = matrix.toarray()  # what is not stored is 0
    if kinds == "number":
        none = np.zeros(len(X) + 1, dtype=np.int64)
        return EncodedRows(none, np.empty(0, dtype=np.int32), dense_numbers(X)), columns
    return _as_table(X, names, columns), columns


def as_in_matrix(x: Any, columns: Columns, reading: Reading) -> Any:
    """Return a single point with the values of columns as the matrices of a model have them.

    A number in a column of flags is on where it is greater than the threshold, as in a sparse matrix, and has the
    further flags of its size if sizes count. True in a column of numbers is 1. All else is left as it is.

    Raises
    ------
    ValueError
        If a number in a column of flags must be 0 or 1, and is not, or is infinite.
    """
    if not isinstance(x, Mapping):
        return x
    kinds = _each(columns.kinds, columns.n)
    assert kinds is not None
    if columns.names is None:
        place: Mapping[Any, int] | range = range(columns.n)  # each is in its own place
    else:
        place = {name: i for i, name in enumerate(columns.names.tolist())}
    found: dict[Any, Any] = {}
    for key, value in x.items():
        is_flag = isinstance(value, (bool, np.bool_))
        if not (is_flag or isinstance(value, (int, float, np.integer, np.floating))) or key not in place:
            found[key] = value
            continue
        # By its own name: NumPy's 3 is column 3.
        name = int(key) if isinstance(place, range) else key
        kind = kinds[place[name]]
        if kind == "flag" and not is_flag:
            found.update(dict.fromkeys(_flags_of_number(name, float(value), reading), True))
        else:
            found[key] = float(value) if is_flag and kind == "number" else value
    return found


def _flags_of_number(key: Hashable, value: float, reading: Reading) -> Sequence[Hashable]:
    """Return the flags that are on for a number in a column of flags."""
    if math.isinf(value):
        raise ValueError(f"x must hold finite numbers, got {value} for {key!r}")
    if math.isnan(value):
        return ()
    if reading.binarize is None and value not in (0, 1):
        raise ValueError(f"x must hold 0 and 1 only if binarize is None, got {value} for {key!r}")
    if not (value == 1 if reading.binarize is None else value > reading.binarize):
        return ()
    if not reading.sparse_numbers:
        return (key,)
    rows = thermometer(np.array([0, 1]), np.zeros(1, dtype=np.int32), np.array([value]), [key])
    assert rows.names is not None
    return rows.names


def _flags(X: Any, binarize: float | None, names: Sequence[Hashable] | None) -> EncodedRows:
    """Return the rows of a matrix of flags; the size of its values counts if there are names."""
    if names is not None and not is_sparse(X):
        from scipy.sparse import csr_array

        X = csr_array(X)
    return sparse_flags(X, binarize, names) if is_sparse(X) else dense_flags(X, binarize)


def _as_table(X: Any, names: Sequence[Hashable], columns: Columns) -> EncodedRows:
    """Return the rows of an array as those of the tables before, none of whose columns may hold texts."""
    kinds = _each(columns.kinds, columns.n)
    assert kinds is not None
    if "category" in kinds:
        name = names[kinds.index("category")]
        raise ValueError(f"X must be a table with texts in column {name!r}, as before, got an array of {X.dtype}")
    values = X.astype(np.float64)
    table = [Column(name, "number", values[:, i], str(X.dtype)) for i, name in enumerate(names)]
    return read_columns(table, len(X), names, kinds)[0]


def _each(kinds: Kinds | None, n: int) -> tuple[Kind | None, ...] | None:
    return (kinds,) * n if isinstance(kinds, str) else kinds


def _in_short(kinds: tuple[Kind | None, ...]) -> Kinds:
    """Return one word if all columns hold the same."""
    first = kinds[0] if kinds else "flag"
    return first if first is not None and all(kind == first for kind in kinds) else kinds
