"""The streams that the benchmarks run on, and the contestants as functions that return their seconds."""

from __future__ import annotations

import gzip
import importlib
import io
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.datasets import load_svmlight_file

from sapwood import SEARCHES, _core, _timing
from sapwood.datasets import make_sparse
from sapwood.parameters import Criterion, Search
from sapwood.style import COUNTING

ALPHA = 0.1
SEED = 1
CRITERIA: tuple[Criterion, ...] = ("entropy", "gini")  # those that every search has
CERTIFIED = "certified"
SCALAR = "scalar exhaustive"
DATA = Path(os.environ.get("SAPWOOD_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


class Stream(NamedTuple):
    """Points as the native modules take them."""

    name: str
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    labels: npt.NDArray[np.uint16]
    n_features: int
    n_classes: int = 2

    @property
    def n(self) -> int:
        """The number of points."""
        return self.labels.size

    @property
    def arrays(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
        """The points in the order in which every native function takes them."""
        return self.indptr, self.indices, self.labels

    def prefix(self, n: int) -> Stream:
        """Return the first n points, under the same name."""
        if n >= self.n:
            return self
        indptr = self.indptr[: n + 1]
        return self._replace(indptr=indptr, indices=self.indices[: indptr[-1]], labels=self.labels[:n])

    @property
    def matrix(self) -> csr_array:
        """The points as a scipy matrix."""
        ones = np.ones(self.indices.size, dtype=np.int8)
        return csr_array((ones, self.indices, self.indptr), shape=(self.n, self.n_features))


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not an error
    """A stream that is not on this machine; the message is the reason."""


def synthetic(n: int = 10_000, d1: int = 10, d2: int = 10_000, q: float = 0.001, name: str = "synthetic") -> Stream:
    """Return sparse(n, d1, d2, q); by default the paper's default."""
    X, y = make_sparse(n, d1, d2, q, seed=SEED)
    return stream_of(name, X.indptr, X.indices, y, X.shape[1])


def noise(n: int = 20_000) -> Stream:
    """Return points of which 20 of 10,000 features are on, none of them with any bearing on the label."""
    return synthetic(n, 0, 10_000, 0.002, "noise")


def narrow_noise(n: int = 20_000) -> Stream:
    """Return noise of 30 features, of which a point has 10: an exhaustive search has hardly anything to do."""
    return synthetic(n, 0, 30, 1 / 3, "narrow noise")


def label_sorted() -> Stream:
    """Return the synthetic stream with all points of class 0 before those of class 1."""
    whole = synthetic()
    order = np.argsort(whole.labels, kind="stable")
    X = whole.matrix[order]
    return stream_of("label-sorted", X.indptr, X.indices, whole.labels[order], whole.n_features)


def farm(points: int | None = None) -> Stream:
    """Return the farm advertisements in their original order, or raise Unavailable."""
    return stored("farm", "farm/farm.orig.svm.gz", points)


def data_file(name: str, path: str) -> Path:
    """Return a file below `DATA`; raise Unavailable if there is none."""
    file = DATA / path
    if not file.is_file():
        raise Unavailable(
            f"{name}: {path} is absent; set SAPWOOD_DATA to the folder that holds {path.partition('/')[0]}/"
        )
    return file


def stored(name: str, path: str, points: int | None = None, n_classes: int = 2) -> Stream:
    """Return the points of a file below `DATA`, or only the first of them; raise Unavailable if there is no file."""
    with gzip.open(data_file(name, path)) as lines:
        source = lines if points is None else io.BytesIO(b"".join(itertools.islice(lines, points)))
        X, y = load_svmlight_file(source, zero_based=False)
    return stream_of(name, X.indptr, X.indices, y, X.shape[1], n_classes=n_classes)


def stream_of(
    name: str,
    indptr: npt.ArrayLike,
    indices: npt.ArrayLike,
    labels: npt.ArrayLike,
    n_features: int,
    *,
    n_classes: int = 2,
) -> Stream:
    """Return a stream with its arrays in the types of the native modules."""
    return Stream(
        name,
        np.ascontiguousarray(indptr, dtype=np.int64),
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(labels, dtype=np.uint16),
        n_features,
        n_classes,
    )


def fresh(stream: Stream, criterion: str, search: str) -> _core.SplitSearch:
    """Return a search for the classes of a stream that has seen nothing."""
    return _core.SplitSearch(criterion, search, ALPHA, stream.n_classes)


def search_seconds(stream: Stream, criterion: str, search: str, every: int = 1) -> tuple[float, _core.SplitSearch]:
    """Add the stream to a fresh search, asking after every `every`-th point; return the seconds and the search."""
    runner = fresh(stream, criterion, search)
    seconds = _timing.run_timed(runner, *stream.arrays, every, np.array([stream.n], dtype=np.int64))
    return float(seconds[-1]), runner


def slowest_seconds(stream: Stream, criterion: str, search: str) -> tuple[float, float]:
    """Return the seconds that a point took, with the query after it: on the average, and the slowest."""
    return _timing.slowest_timed(fresh(stream, criterion, search), *stream.arrays, 1)


def counting_seconds(stream: Stream) -> float:
    """Return the seconds of counting only: the median of five, because one is over too soon to be steady."""
    if stream.n_classes > 2:
        module = bench()
        each = [module.count_timed(*stream.arrays, stream.n_features, stream.n_classes) for _ in range(5)]
    else:
        ends = np.array([stream.n], dtype=np.int64)
        each = [_timing.count_timed(*stream.arrays, stream.n_features, ends)[-1] for _ in range(5)]
    return float(np.median(each))


def scalar_seconds(stream: Stream, criterion: str) -> tuple[float, float]:
    """Return the seconds of the scalar exhaustive search and the score that it found."""
    seconds, _, score = bench().scalar_timed(criterion, *stream.arrays, stream.n_features)
    return float(seconds), float(score)


def bench() -> Any:
    """Return the native module of the benchmarks' own yardsticks."""
    try:
        return importlib.import_module("_bench")
    except ModuleNotFoundError:
        raise SystemExit(
            "benchmarks: _bench must be built and on PYTHONPATH, got no such module; run: make bench"
        ) from None


def searches_for(stream: Stream, criterion: str) -> list[Search]:
    """Return the searches that there are for a criterion and the classes of a stream."""
    return [search for search in SEARCHES if search in _core.searches_for(criterion, stream.n_classes)]


def contestants(stream: Stream, criterion: str) -> dict[str, Callable[[], float]]:
    """Return counting only and every search, each as a function that runs it afresh and returns its seconds."""

    def of(search: str) -> Callable[[], float]:
        return lambda: search_seconds(stream, criterion, search)[0]

    names = searches_for(stream, criterion)
    return {COUNTING: lambda: counting_seconds(stream), **{search: of(search) for search in names}}
