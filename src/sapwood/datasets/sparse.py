"""The synthetic stream of the paper."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from sapwood import _core
from sapwood.datasets._arguments import MAX_FEATURES, Use, as_count, as_csr, as_probability, in_parts, random_words

__all__ = ["make_sparse"]


def make_sparse(
    n: int = 10_000,
    d1: int = 10,
    d2: int = 10_000,
    q: float = 0.001,
    *,
    seed: int | np.random.Generator | None = None,
    use: Use | None = None,
) -> tuple[csr_array, npt.NDArray[np.uint8]]:
    """Draw the stream sparse(n, d1, d2, q) of Tatti, "Approximating splits for decision trees quickly".

    Each point has a label that is 0 or 1 with probability 1/2. Features 0 to d1 - 1 are the signal: feature j is
    the label, flipped with a probability that was drawn once, uniformly from [0, 1], for that feature. Features
    d1 to d1 + d2 - 1 are noise: each is on with probability q, independently of everything else.

    The time is proportional to n * d1 plus the number of noise features that are on, not to n * d2. The same arguments
    and the same integer seed give the same stream on every platform, because no mathematical library takes part.

    Parameters
    ----------
    n : number of points.
    d1 : number of signal features.
    d2 : number of noise features.
    q : probability that a noise feature is on, in [0, 1].
    seed : a non-negative integer, a numpy Generator to draw a state from, or None for a stream that differs each time.
    use : function that is called with X and y of 10,000 points at a time, so that a stream of any length takes the same
        memory. Those that are returned are then the points left over.

    Returns
    -------
    X : n by d1 + d2 matrix in canonical CSR form, with ones stored as int8.
    y : the n labels as uint8.
    """
    n = as_count("make_sparse", "n", n)
    d1 = as_count("make_sparse", "d1", d1)
    d2 = as_count("make_sparse", "d2", d2)
    if d1 + d2 > MAX_FEATURES:
        raise ValueError(f"make_sparse: d1 + d2 must be at most {MAX_FEATURES}, got {d1 + d2}")
    q = as_probability("make_sparse", "q", q)
    indptr, indices, labels = _core.make_sparse(
        n, d1, d2, q, random_words("make_sparse", seed), *in_parts(use, d1 + d2)
    )
    return as_csr(indptr, indices, d1 + d2), labels
