"""Every real data set, whole: the certified search, asked after every point, is the exhaustive one to the last bit.

The certified search is asked after each point, as it would be in use; the exhaustive one, whose queries take time
proportional to the features seen, at 1,000 evenly spaced points.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import data_folder
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file

from sapwood import SplitFinder
from sapwood.parameters import Criterion

QUERIES = 1000
SUFFIX = ".svm.gz"
# What is there when the tests are collected, so that each data set is a case of its own.
FILES = sorted(path.relative_to(data_folder()) for path in data_folder().rglob(f"*{SUFFIX}"))


class DataSet(NamedTuple):
    """A stream in the order of its file."""

    X: csr_matrix
    y: NDArray[np.int64]
    n_classes: int


@cache
def load(path: Path) -> DataSet:
    """Read a data set once a session; -1 and +1, or any other labels, become 0, 1, … in ascending order."""
    X, y = load_svmlight_file(str(path))
    classes, labels = np.unique(y, return_inverse=True)
    return DataSet(X, labels, len(classes))


def check_certified(data: DataSet, criterion: Criterion) -> None:
    """Check the answers of the certified search at evenly spaced points, the last among them."""
    finders = [SplitFinder(criterion, search, n_classes=data.n_classes) for search in ("exhaustive", "certified")]
    exhaustive, certified = finders
    n = data.X.shape[0]
    ends = np.unique(np.linspace(0, n, min(QUERIES, n) + 1).astype(np.int64))
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        chunk = data.X[start:end], data.y[start:end]
        exhaustive.add_many(*chunk)
        trace = certified.add_many(*chunk, trace=True)
        true = exhaustive.best()
        assert certified.best() == true, f"after {end} points"
        if true is None:
            assert trace.feature[-1] == -1
        else:
            assert (trace.feature[-1], trace.score[-1]) == (true.feature, true.score), f"after {end} points"
    assert len(ends) > min(QUERIES, n)
    assert exhaustive.n == certified.n == n
    assert certified.top(100) == exhaustive.top(100)
    certified.validate()


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("file", FILES or [None], ids=lambda file: file.name.removesuffix(SUFFIX) if file else "none")
def test_certified_is_exhaustive(shared_data: Path, file: Path | None, criterion: Criterion) -> None:
    if file is None:
        pytest.skip(f"no data set *{SUFFIX} in the folder of real data")
    check_certified(load(shared_data / file), criterion)
