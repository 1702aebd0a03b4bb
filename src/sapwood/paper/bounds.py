"""How many search trees the propositions of the paper allow."""

from __future__ import annotations

import math

__all__ = ["tree_bound"]


def tree_bound(criterion: str, alpha: float, n: int) -> int:
    """Return the number of intervals for n points, which bounds the trees that are not empty.

    Entropy, the proposition labelled prop:sparsebound: 2 (1 + l), where l is the first number from 1 on with
    (1 + α)^l >= log2 n. Gini: the indices from 0 to that of a share of 1, ⌊2 (α + 2) / α⌋.
    """
    if criterion == "gini":
        return math.floor(2.0 * (alpha + 2.0) / alpha) + 1
    levels = max(1, math.ceil(math.log(math.log2(max(2, n))) / math.log1p(alpha)))
    return 2 * (1 + levels)
