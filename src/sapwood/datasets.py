"""Synthetic streams of sparse binary points."""

from __future__ import annotations

import math
import numbers
import operator

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

__all__ = ["make_sparse"]

_MAX_FEATURES = 2**31 - 1
# Rows are drawn in chunks of about this many drawn cells (signal cells and noise ones together): small enough
# that the temporary arrays stay in cache, large enough that the cost of a numpy call is spread thin.
_CELLS_IN_CHUNK = 1 << 17
# Keeps the flattened cell numbers of a chunk, rows * d2 < 2**47, exact in a double.
_MAX_ROWS_IN_CHUNK = 1 << 16


def make_sparse(
    n: int = 10_000,
    d1: int = 10,
    d2: int = 10_000,
    q: float = 0.001,
    *,
    seed: int | np.random.Generator | None = None,
) -> tuple[csr_array, npt.NDArray[np.uint8]]:
    """Draw the stream sparse(n, d1, d2, q) of Tatti, "Approximating splits for decision trees quickly".

    Each point has a label that is 0 or 1 with probability 1/2. Features 0 to d1 - 1 are the signal: feature j is
    the label, flipped with a probability that was drawn once, uniformly from [0, 1], for that feature. Features
    d1 to d1 + d2 - 1 are noise: each is on with probability q, independently of everything else.

    The time taken is proportional to n * d1 plus the number of noise features that are on, never to n * d2; beyond
    the result itself, memory does not grow with n. The same arguments and the same integer seed give the same
    stream (numpy's PCG64).

    Parameters
    ----------
    n : number of points.
    d1 : number of signal features.
    d2 : number of noise features.
    q : probability that a noise feature is on, in [0, 1].
    seed : a non-negative integer, a numpy Generator to draw from, or None for a stream that differs each time.

    Returns
    -------
    X : n by d1 + d2 matrix in canonical CSR form, its ones stored as int8.
    y : the n labels as uint8.
    """
    n = _count("n", n)
    d1 = _count("d1", d1)
    d2 = _count("d2", d2)
    if d1 + d2 > _MAX_FEATURES:
        raise ValueError(f"make_sparse: d1 + d2 must be at most {_MAX_FEATURES}, got {d1 + d2}")
    q = _probability("q", q)
    rng = _generator(seed)

    flip = rng.random(d1)
    labels = np.empty(n, dtype=np.uint8)
    indptr = np.zeros(n + 1, dtype=np.int64)
    indices = np.empty(_likely_ones(n, d1, d2, q), dtype=np.int32)
    rows_in_chunk = int(min(_MAX_ROWS_IN_CHUNK, max(1.0, _CELLS_IN_CHUNK / (d1 + d2 * q + 1.0))))
    for start in range(0, n, rows_in_chunk):
        stop = min(n, start + rows_in_chunk)
        labels[start:stop], row_ends, chunk = _draw_rows(rng, stop - start, flip, d2, q)
        used = int(indptr[start])
        if used + chunk.size > indices.size:
            indices.resize(used + chunk.size + indices.size // 8, refcheck=False)
        indices[used : used + chunk.size] = chunk
        indptr[start + 1 : stop + 1] = row_ends + used
    n_ones = int(indptr[n])
    indices.resize(n_ones, refcheck=False)
    if n_ones <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    X = csr_array((np.ones(n_ones, dtype=np.int8), indices, indptr), shape=(n, d1 + d2))
    X.has_canonical_format = True
    return X, labels


def _draw_rows(
    rng: np.random.Generator, rows: int, flip: npt.NDArray[np.float64], d2: int, q: float
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Draw `rows` points: their labels, where each ends in the list of ones, and that list."""
    d1 = flip.size
    labels = rng.integers(0, 2, size=rows, dtype=np.uint8)
    signal = (rng.random((rows, d1)) < flip) != labels[:, np.newaxis].astype(bool)
    signal_cells = np.flatnonzero(signal)
    noise_cells = _bernoulli_cells(rng, rows * d2, q)

    # Within a row the signal precedes the noise, so a one's place in the merged list is its place in its own list
    # plus the ones of the other list that belong to earlier rows (for noise: to its own row as well).
    noise_row = noise_cells // d2 if d2 else noise_cells
    signal_row = signal_cells // d1 if d1 else signal_cells
    signal_ends = np.cumsum(np.count_nonzero(signal, axis=1))
    noise_ends = np.cumsum(np.bincount(noise_row, minlength=rows))
    noise_before = np.concatenate(([0], noise_ends[:-1]))

    ones = np.empty(signal_cells.size + noise_cells.size, dtype=np.int32)
    ones[np.arange(signal_cells.size) + noise_before[signal_row]] = signal_cells - signal_row * d1
    ones[np.arange(noise_cells.size) + signal_ends[noise_row]] = noise_cells - noise_row * d2 + d1
    return labels, signal_ends + noise_ends, ones


def _bernoulli_cells(rng: np.random.Generator, cells: int, q: float) -> npt.NDArray[np.int64]:
    """Return, ascending, the cells among 0 to cells - 1 that are on, each independently with probability q."""
    if q == 0.0 or cells == 0:
        return np.empty(0, dtype=np.int64)
    if q == 1.0:
        return np.arange(cells, dtype=np.int64)
    # The number of cells skipped before the next one is geometric: the whole part of an exponential variate of
    # rate -ln(1 - q). A skip past the end is cut to it, which ends the list all the same.
    scale = -1.0 / math.log1p(-q)
    parts = []
    last = -1
    while True:
        left = (cells - last) * q
        skips = rng.standard_exponential(int(left + 4.0 * math.sqrt(left)) + 8)
        skips *= scale
        np.minimum(skips, cells, out=skips)
        part = skips.astype(np.int64)
        part += 1
        part[0] += last
        np.cumsum(part, out=part)
        last = int(part[-1])
        if last >= cells:
            parts.append(part[: int(np.searchsorted(part, cells))])
            return parts[0] if len(parts) == 1 else np.concatenate(parts)
        parts.append(part)


def _likely_ones(n: int, d1: int, d2: int, q: float) -> int:
    """Return a number of ones that is rarely exceeded: the mean plus six standard deviations."""
    mean = n * (d1 / 2.0 + d2 * q)
    deviation = math.sqrt(n * (d1 * d1 / 4.0 + d2 * q * (1.0 - q)))
    return int(mean + 6.0 * deviation) + 1


def _count(name: str, value: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"make_sparse: {name} must be an integer, got {value!r}") from None
    if count < 0:
        raise ValueError(f"make_sparse: {name} must be at least 0, got {count}")
    return count


def _probability(name: str, value: float) -> float:
    if not isinstance(value, numbers.Real):
        raise TypeError(f"make_sparse: {name} must be a number, got {value!r}")
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"make_sparse: {name} must be in [0, 1], got {value}")
    return float(value)


def _generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    if seed is None or isinstance(seed, np.random.Generator):
        return np.random.default_rng(seed)
    try:
        number = operator.index(seed)
    except TypeError:
        raise TypeError(f"make_sparse: seed must be an integer, a Generator or None, got {seed!r}") from None
    if number < 0:
        raise ValueError(f"make_sparse: seed must be at least 0, got {number}")
    return np.random.default_rng(number)
