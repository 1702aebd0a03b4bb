"""Compressed sparse rows as SciPy has them: their arrays checked, some of their elements or rows taken."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_arrays", "check_before_conversion", "is_sparse", "kept", "without_repeats"]


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of SciPy, which is slow to import: where it is not, nothing can be one."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def check_arrays(X: Any) -> None:
    """Refuse a matrix in CSR format, called X, whose arrays have not the types and lengths that they must have.

    Anyone may have set them. What they hold is for ``_core.check_csr`` to check.
    """
    for name in ("indptr", "indices", "data"):
        array = getattr(X, name)
        if array.ndim != 1:
            raise ValueError(f"X.{name} must have one dimension, got {array.ndim}")
        if name != "data" and array.dtype.kind not in "iu":
            raise ValueError(f"X.{name} must be integers, got {array.dtype}")
    rows = X.shape[0]
    if len(X.indptr) != rows + 1:
        raise ValueError(f"X.indptr must have one more entry than the {rows} rows, got {len(X.indptr)}")
    if len(X.data) != len(X.indices):
        raise ValueError(f"X.data must be as long as the {len(X.indices)} indices, got {len(X.data)}")


def check_before_conversion(X: Any) -> None:
    """Refuse a corrupt matrix of the formats that SciPy converts to CSR without a look at their indices."""
    if X.format in {"csc", "bsr"}:
        X.check_format(full_check=True)
    elif X.format == "coo" and X.ndim == 2:  # noqa: PLR2004 - only a matrix is converted
        for axis, at in enumerate((X.row, X.col)):
            if len(at) != len(X.data) or (len(at) and not 0 <= at.min() <= at.max() < X.shape[axis]):
                raise ValueError(f"X.{('row', 'col')[axis]} must be from 0 to {X.shape[axis] - 1}, one for each value")


def kept(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], which: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Leave out all but some of the indices."""
    if which.all():
        return indptr, indices
    before = np.concatenate(([0], np.cumsum(which, dtype=np.int64)))
    return before[indptr], indices[which]


def without_repeats(
    indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Leave out of each row what it has before."""
    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    # Of equal ones the first is found.
    _, first = np.unique(rows << 32 | indices, return_index=True)
    which = np.zeros(len(indices), dtype=np.bool_)
    which[first] = True
    return kept(indptr, indices, which)
