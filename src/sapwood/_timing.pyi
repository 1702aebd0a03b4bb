# Written by hand, unlike _core.pyi: the module uses Python's own interface, which knows no types.

import numpy as np
from numpy.typing import NDArray

from sapwood import _core

def run_timed(
    search: _core.SplitSearch,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    labels: NDArray[np.uint16],
    every: int,
    checkpoints: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def run_traced(
    search: _core.SplitSearch,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    labels: NDArray[np.uint16],
    checkpoints: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]: ...
def plain_timed(
    criterion: str,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    labels: NDArray[np.uint16],
    n_features: int,
    checkpoints: NDArray[np.int64],
) -> tuple[NDArray[np.float64], float]: ...
def slowest_timed(
    search: _core.SplitSearch,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    labels: NDArray[np.uint16],
    every: int,
) -> tuple[float, float]: ...
def count_timed(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    labels: NDArray[np.uint16],
    n_features: int,
    checkpoints: NDArray[np.int64],
) -> NDArray[np.float64]: ...
