"""Ids that collide in tables without a seed, against random ones: ``python -m benchmarks.flooding``.

The ids are chosen as somebody would who knows the code but not the process: so that the hash of a process whose seed is
the published constants puts all of them into one place. Time is that of both orders of the two streams, alternated.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from sapwood import HoeffdingTreeClassifier, SplitFinder

MOST = 3.0
N_IDS = 100_000
PER_POINT = 50
REPEATS = 3

Ids = npt.NDArray[np.int64]


def hashes(ids: Ids) -> npt.NDArray[np.uint64]:
    """Return the hash with the constants that any reader of the code knows, in place of a seed."""
    mixed = ids.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return mixed >> np.uint64(32)


def chosen_ids() -> Ids:
    """Return ids of which half have hashes that begin alike, half that end alike: one for each kind of table."""
    found: dict[str, list[Ids]] = {"begin": [], "end": []}
    for first in range(1 << 24, (1 << 24) + (N_IDS << 8), 1 << 22):
        ids = np.arange(first, first + (1 << 22))
        by_hash = hashes(ids)
        found["begin"].append(ids[(by_hash >> np.uint64(23)) == 0])
        found["end"].append(ids[(by_hash & np.uint64(511)) == 0])
    halves = [np.concatenate(parts)[: N_IDS // 2] for parts in found.values()]
    return np.unique(np.concatenate(halves))


def stream(ids: Ids, seed: int) -> tuple[csr_matrix, npt.NDArray[np.int64]]:
    """Return points with some of the ids each, in random order."""
    order = np.random.default_rng(seed).permutation(ids)
    n = len(order) // PER_POINT
    indptr = np.arange(n + 1) * PER_POINT
    columns = np.sort(order[: n * PER_POINT].reshape(n, PER_POINT), axis=1).ravel()
    X = csr_matrix((np.ones(len(columns)), columns, indptr), shape=(n, 1 << 30))
    return X, np.arange(n) % 2


def seconds(name: str, X: csr_matrix, y: npt.NDArray[np.int64]) -> float:
    """Return the time to learn a stream twice, so that every id is also looked up."""
    begin = time.perf_counter()
    if name == "tree":
        tree = HoeffdingTreeClassifier(leaf_prediction="majority")
        for _ in range(2):
            tree.partial_fit(X, y, classes=[0, 1])
    else:
        finder = SplitFinder(search=name)  # type: ignore[arg-type]  # one of the searches
        for _ in range(2):
            finder.add_many(X, y)
            finder.best()
    return time.perf_counter() - begin


def main() -> int:
    """Print the ratios; the exit status is 1 if one is too large."""
    chosen = chosen_ids()
    others = np.sort(np.random.default_rng(1).choice(1 << 30, len(chosen), replace=False))
    worst = 0.0
    print(f"{len(chosen):,} ids; learning chosen ids takes, times the random ones:")
    for name in ("tree", "certified", "exhaustive", "approximate"):
        streams = {"chosen": stream(chosen, 1), "random": stream(others, 1)}
        taken = {key: min(seconds(name, *streams[key]) for _ in range(REPEATS)) for key in streams}
        ratio = taken["chosen"] / taken["random"]
        worst = max(worst, ratio)
        print(f"{name:12s} {ratio:6.2f}  ({taken['chosen']:.3f} s, {taken['random']:.3f} s; at most {MOST:g})")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
