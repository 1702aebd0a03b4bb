"""Writes points in the svmlight format, batch by batch."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.csr import is_sparse

if TYPE_CHECKING:
    from typing import BinaryIO

    from numpy.typing import ArrayLike

__all__ = ["write_all", "write_svmlight"]


def write_svmlight(file: BinaryIO, X: Any, y: ArrayLike) -> None:
    r"""Append points to a file opened in binary mode, one per line; `read` reads them back.

    Every stored value of X that is not zero is written as 1. Columns keep their numbers; whole labels are written as
    integers. Nothing is written if an argument is invalid.

    Parameters
    ----------
    file
        The file, such as ``open(path, "wb")`` or ``sys.stdout.buffer``.
    X
        A sparse matrix with at most 2³⁰ columns.
    y
        One finite number per row.

    Raises
    ------
    ValueError
        If X is not sparse, is corrupt or too wide, or if y has not one finite number per row.

    Examples
    --------
    >>> import io
    >>> from scipy.sparse import csr_array
    >>> from sapwood.stream import write_svmlight
    >>> file = io.BytesIO()
    >>> write_svmlight(file, csr_array([[0, 1, 1], [0, 0, 0]]), [1, -1])
    >>> file.getvalue()
    b'1 1:1 2:1\n-1\n'
    """
    if not is_sparse(X):
        raise ValueError(f"write_svmlight: X must be a sparse matrix, got {type(X).__name__}")
    matrix: Any = X
    rows, columns = matrix.shape
    if columns > _core.MAX_COLUMNS:
        raise ValueError(f"write_svmlight: X must have at most {_core.MAX_COLUMNS} columns, got {columns}")
    labels = np.asarray(y)
    if labels.shape != (rows,):
        raise ValueError(
            f"write_svmlight: y must have a label for every row, {rows:,} in all, got shape {labels.shape}"
        )
    if labels.dtype.kind not in "biuf" or not np.all(np.isfinite(labels)):
        raise ValueError("write_svmlight: y must hold finite numbers only")
    from scipy.sparse import csr_array

    matrix = csr_array(matrix)
    matrix.check_format(full_check=True)
    indptr = np.ascontiguousarray(matrix.indptr, dtype=np.int64)
    indices = np.ascontiguousarray(matrix.indices[: indptr[-1]], dtype=np.int32)
    try:
        _core.check_csr(indptr, indices, columns)
        is_in_order = True
    except ValueError:
        is_in_order = False
    if not is_in_order or not np.all(matrix.data[: len(indices)]):
        matrix = matrix.copy()
        # Not what a matrix remembers of itself: anyone may have set it.
        matrix.has_canonical_format = matrix.has_sorted_indices = False
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    if labels.dtype.kind == "f" and not np.all((np.floor(labels) == labels) & (np.abs(labels) < 2.0**53)):
        text = _core.svmlight_text(indptr, indices, labels.astype(np.float64))
    else:
        text = _core.svmlight_text(indptr, indices, labels.astype(np.int64))
    write_all(file, text)


def write_all(file: BinaryIO, text: bytes) -> None:
    """Write all bytes, also to a file without a buffer, which may take a part of them when a signal comes."""
    left = memoryview(text)
    while left:
        written: int | None = file.write(left)
        if written is None:
            if isinstance(file, io.RawIOBase):
                raise BlockingIOError("write_svmlight: file must be in blocking mode, got a non-blocking file")
            return  # of what is no file of Python's own
        left = left[written:]
