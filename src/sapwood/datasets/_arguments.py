"""What the generators share: checks of their arguments, seeds, and the matrix they return."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

__all__ = ["MAX_FEATURES", "Use", "as_count", "as_csr", "as_number", "as_probability", "in_parts", "random_words"]

MAX_FEATURES = 2**31 - 1
_AT_ONCE = 10_000

Use: TypeAlias = Callable[[csr_array, npt.NDArray[np.uint8]], None]
"""What takes a matrix and its labels."""


def as_count(owner: str, name: str, value: int, least: int = 0) -> int:
    """Return a whole number that is at least `least`."""
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{owner}: {name} must be an integer, got {value!r}") from None
    if count < least:
        raise ValueError(f"{owner}: {name} must be at least {least}, got {count}")
    return count


def as_number(owner: str, name: str, value: float) -> float:
    """Return a number as a float."""
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{owner}: {name} must be a number, got {value!r}")
    return float(value)


def as_probability(owner: str, name: str, value: float) -> float:
    """Return a number in [0, 1]."""
    number = as_number(owner, name, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"{owner}: {name} must be in [0, 1], got {value}")
    return number


def random_words(owner: str, seed: int | np.random.Generator | None) -> npt.NDArray[np.uint64]:
    """Return the state of a native generator: four words of the raw stream of numpy's, which numpy keeps as it is."""
    if seed is None or isinstance(seed, np.random.Generator):
        generator = np.random.default_rng(seed)
    else:
        try:
            number = operator.index(seed)
        except TypeError:
            raise TypeError(f"{owner}: seed must be an integer, a Generator or None, got {seed!r}") from None
        if number < 0:
            raise ValueError(f"{owner}: seed must be at least 0, got {number}")
        generator = np.random.Generator(np.random.PCG64(number))
    return np.asarray(generator.bit_generator.random_raw(4), dtype=np.uint64)


def in_parts(use: Use | None, n_columns: int) -> tuple[()] | tuple[int, Callable[..., None]]:
    """Return the last arguments of a native generator: none, or those by which `use` is given parts of the points."""
    if use is None:
        return ()
    given = use
    return _AT_ONCE, lambda indptr, indices, labels: given(as_csr(indptr, indices, n_columns), labels)


def as_csr(indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], n_columns: int) -> csr_array:
    """Return a matrix of ones, stored as int8, from rows that are known to ascend."""
    offsets = indptr.astype(np.int32) if indices.size <= np.iinfo(np.int32).max else indptr
    X = csr_array((np.ones(indices.size, dtype=np.int8), indices, offsets), shape=(indptr.size - 1, n_columns))
    X.has_canonical_format = True
    return X
