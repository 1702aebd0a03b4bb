"""The streams that the benchmarks run on, and the contestants as functions that return their seconds."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

from sapwood import SEARCHES, _core
from sapwood.datasets import make_sparse
from sapwood.style import COUNTING

ALPHA = 0.1
SEED = 1
SCALAR = "scalar exhaustive"
DATA = Path(os.environ.get("SAPWOOD_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


class Stream(NamedTuple):
    """Points as the native modules take them."""

    name: str
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    labels: npt.NDArray[np.uint8]
    n_features: int

    @property
    def n(self) -> int:
        """The number of points."""
        return self.labels.size

    def prefix(self, n: int) -> Stream:
        """Return the first n points, the name saying so."""
        if n >= self.n:
            return self
        indptr = self.indptr[: n + 1]
        name = f"{self.name}, first {n:,} points"
        return Stream(name, indptr, self.indices[: indptr[-1]], self.labels[:n], self.n_features)

    @property
    def matrix(self) -> csr_array:
        """The points as a scipy matrix."""
        ones = np.ones(self.indices.size, dtype=np.int8)
        return csr_array((ones, self.indices, self.indptr), shape=(self.n, self.n_features))


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not an error
    """A stream that is not on this machine; the message is the reason."""


def synthetic(n: int = 10_000, d1: int = 10, d2: int = 10_000, q: float = 0.001) -> Stream:
    """Return sparse(n, d1, d2, q); by default the paper's default."""
    X, y = make_sparse(n, d1, d2, q, seed=SEED)
    return stream_of("synthetic", X.indptr, X.indices, y, X.shape[1])


def farm() -> Stream:
    """Return the farm advertisements in their original order, or raise Unavailable."""
    path = DATA / "farm" / "farm.orig.svm.gz"
    if not path.is_file():
        raise Unavailable(f"farm: {path} is absent; set SAPWOOD_DATA to the folder that holds farm/")
    X, y = load_svmlight_file(str(path), zero_based=False)
    return stream_of("farm", X.indptr, X.indices, y, X.shape[1])


def stream_of(
    name: str, indptr: npt.ArrayLike, indices: npt.ArrayLike, labels: npt.ArrayLike, n_features: int
) -> Stream:
    """Return a stream with its arrays in the types of the native modules."""
    return Stream(
        name,
        np.ascontiguousarray(indptr, dtype=np.int64),
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(labels, dtype=np.uint8),
        n_features,
    )


def search_seconds(stream: Stream, criterion: str, search: str, every: int = 1) -> tuple[float, _core.SplitSearch]:
    """Add the stream to a fresh search, asking after every `every`-th point; return the seconds and the search."""
    fresh = _core.SplitSearch(criterion, search, ALPHA)
    ends = np.array([stream.n], dtype=np.int64)
    seconds = _core.run_timed(fresh, stream.indptr, stream.indices, stream.labels, every, ends)
    return float(seconds[-1]), fresh


def counting_seconds(stream: Stream) -> float:
    """Return the seconds of counting only: the median of five, because one is over too soon to be steady."""
    ends = np.array([stream.n], dtype=np.int64)
    arrays = (stream.indptr, stream.indices, stream.labels)
    return float(np.median([_core.count_timed(*arrays, stream.n_features, ends)[-1] for _ in range(5)]))


def scalar_seconds(stream: Stream, criterion: str) -> tuple[float, float]:
    """Return the seconds of the scalar exhaustive search and the score that it found."""
    try:
        bench = importlib.import_module("_bench")
    except ModuleNotFoundError:
        raise SystemExit(
            "benchmarks: _bench must be built and on PYTHONPATH, got no such module; run: make bench"
        ) from None
    ends = np.array([stream.n], dtype=np.int64)
    seconds, _, score = bench.scalar_timed(
        criterion, stream.indptr, stream.indices, stream.labels, stream.n_features, 1, ends
    )
    return float(seconds[-1]), float(score)


def contestants(stream: Stream, criterion: str) -> dict[str, Callable[[], float]]:
    """Return counting only and every search, each as a function that runs it afresh and returns its seconds."""

    def of(search: str) -> Callable[[], float]:
        return lambda: search_seconds(stream, criterion, search)[0]

    return {COUNTING: lambda: counting_seconds(stream), **{search: of(search) for search in SEARCHES}}
