"""How good a split is, from shares of classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache


# The features that a point lacks keep their counts, so that most of these come again with the next point.
@lru_cache(maxsize=1 << 14)
def impurity(counts: tuple[int, ...], criterion: str) -> float:
    """Return the impurity of points of each class; entropy in bits."""
    n = sum(counts)
    shares = [count / n for count in counts if count > 0]
    if criterion == "entropy":
        return -sum(p * math.log2(p) for p in shares)
    if criterion == "gini":
        return sum(p * (1 - p) for p in shares)
    return 2 * math.sqrt(counts[0] / n * counts[1] / n)


def gain(on: Sequence[int], of_class: Sequence[int], criterion: str) -> float:
    """Return by how much a split lowers the impurity of a point on average."""
    off = [c - a for c, a in zip(of_class, on, strict=True)]
    n = sum(of_class)
    sizes = [(side, sum(side)) for side in (off, on)]
    sides = sum([size / n * impurity(tuple(side), criterion) for side, size in sizes if size > 0])
    return impurity(tuple(of_class), criterion) - sides


def gain_variance(on: Sequence[int], of_class: Sequence[int], criterion: str) -> float:
    """Return n times the variance of a gain: that of its derivative by the share of the cell of a point."""
    n = sum(of_class)
    cells = [[c - a for c, a in zip(of_class, on, strict=True)], list(on)]
    mean = square = 0.0
    for side in cells:
        for k, cell in enumerate(side):
            if cell == 0:
                continue
            of_side, of_all = cell / sum(side), of_class[k] / n
            if criterion == "entropy":
                derivative = math.log2(of_side / of_all)
            elif criterion == "gini":
                derivative = 2 * of_side - sum((other / sum(side)) ** 2 for other in side) - 2 * of_all
            else:
                derivative = math.sqrt(of_class[1 - k] / of_class[k]) - math.sqrt(side[1 - k] / cell)
            mean += cell / n * derivative
            square += cell / n * derivative**2
    return max(0.0, square - mean**2)


def is_nearly_normal(on: Sequence[int], of_class: Sequence[int]) -> bool:
    """Whether each cell would hold at least five points, were the feature and the classes independent."""
    n = sum(of_class)
    return all(side * count >= 5 * n for side in (sum(on), n - sum(on)) for count in of_class if count > 0)
