"""Compressed sparse rows as SciPy has them: their arrays checked, some of their elements left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def kept(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], which: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Leave out all but some of the indices."""
    if which.all():
        return indptr, indices
    before = np.concatenate(([0], np.cumsum(which, dtype=np.int64)))
    return before[indptr], indices[which]
