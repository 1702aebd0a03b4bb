"""Streams of points that trees and finders learn from, drawn by Python alone."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Point = tuple[list[int], int]


def drawn(rng: random.Random, chances: Iterable[tuple[int, float]]) -> list[int]:
    """Return the features that are on, of pairs of a feature and its chance."""
    return [feature for feature, chance in chances if rng.random() < chance]


@cache
def points_of(
    n: int, n_classes: int = 2, seed: int = 0, drift: int | None = None, rare: int = 12
) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return a stream on which trees grow: signals, an interplay, noise, ties, rare features, points without any.

    From the point `drift` on each signal is of the next class.
    """
    rng = random.Random(1000 * seed + n_classes)
    stream = []
    for i in range(n):
        y = min(int(rng.random() * (n_classes + 0.5)), n_classes - 1)
        side = rng.random() < 0.5
        shift = int(drift is not None and i >= drift)
        signal = [(30 + k, 0.85 if (k + shift) % n_classes == y else 0.08) for k in range(n_classes)]
        features = drawn(rng, [*((j, 0.08) for j in range(20)), *signal])
        features += [70 + j for j in features if j in (30, 31)]  # copies, which split exactly as well
        features += [40] * side + [41] * (side != (y % 2 == 1)) + [50] * (i % 5 != 0)
        if rng.random() < 0.2:
            features.append(200 + int(rng.random() * rare))
        stream.append((() if i % 17 == 3 else tuple(sorted(features)), y))
    return tuple(stream)


def matrix(stream: Sequence[tuple[Sequence[int], int]], width: int = 0) -> tuple[csr_matrix, np.ndarray]:
    """Return a stream as a matrix in CSR format, and its labels."""
    indptr = np.cumsum([0] + [len(features) for features, _ in stream])
    indices = np.array([j for features, _ in stream for j in features], dtype=np.int64)
    width = max(width, int(indices.max(initial=0)) + 1)
    X = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(stream), width))
    return X, np.array([y for _, y in stream], dtype=np.int64)


def weights_of(n: int) -> list[int]:
    """Return weights, 0 among them."""
    return [(1, 0, 2, 1, 5, 1, 0)[i % 7] for i in range(n)]
