"""Explanations: the names of `sapwood.inspect.explain`, where they live, under their first address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.data.core_rows import CoreRows
from sapwood.inspect.explain import Evidence, Explanation, TestTaken, explain_one, explain_row

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Evidence", "Explanation", "TestTaken", "explain_ids", "explain_one", "explain_row"]


def explain_ids(tree: Any, view: Any, ids: npt.NDArray[np.int32], *more: Any, **options: Any) -> Explanation:
    """Explain the prediction for the point with these active features; the rest as for `explain_row`."""
    return explain_row(tree, view, CoreRows(np.array([0, len(ids)], dtype=np.int64), ids), *more, **options)
