"""Ids that are chosen to collide cost what others do: the seed of hashes is nobody's to know."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csr_matrix

from sapwood import HoeffdingTreeClassifier, SplitFinder

N_IDS = 60_000
# Promised is 3; without a seed it is more than ten. A second look is for machines with much else to do.
MOST, LOOKS = 3.0, 3


def chosen(n: int, bits: int) -> npt.NDArray[np.int64]:
    """Return ids whose hashes, with the constants that every reader of the code knows, end or begin with zeros."""
    found: list[npt.NDArray[np.int64]] = []
    size = 0
    for first in range(1 << 24, 1 << 30, 1 << 20):
        ids = np.arange(first, first + (1 << 20))
        mixed = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        hashes = mixed >> np.uint64(32)
        found.append(ids[(hashes & np.uint64((1 << bits) - 1) == 0) | (hashes >> np.uint64(32 - bits) == 0)])
        size += len(found[-1])
        if size >= n:
            break
    return np.concatenate(found)[:n]


def seconds(kind: str, ids: npt.NDArray[np.int64]) -> float:
    """Return the processor time to learn points over ids, each id twice."""
    order = np.random.default_rng(1).permutation(ids)
    n = len(order) // 50
    columns = np.sort(order[: n * 50].reshape(n, 50), axis=1).ravel()
    X = csr_matrix((np.ones(n * 50), columns, np.arange(n + 1) * 50), shape=(n, 1 << 30))
    y = np.arange(n) % 2
    begin = time.process_time()
    for _ in range(2):
        if kind == "tree":
            HoeffdingTreeClassifier(leaf_prediction="majority").partial_fit(X, y, classes=[0, 1])
        else:
            SplitFinder(search="exhaustive" if kind == "exhaustive" else "certified").add_many(X, y)
    return time.process_time() - begin


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tree", "certified", "exhaustive"])
def test_chosen_ids_cost_what_random_ones_do(kind: str) -> None:
    random = np.unique(np.random.default_rng(2).integers(1 << 24, 1 << 30, N_IDS))
    ids = chosen(N_IDS, 12)
    ratios = []
    for _ in range(LOOKS):
        ratios.append(seconds(kind, ids) / seconds(kind, random))
        if ratios[-1] <= MOST:
            return
    pytest.fail(f"chosen ids must cost at most {MOST} times random ones, got {ratios}")
