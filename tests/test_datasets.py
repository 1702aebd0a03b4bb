"""The synthetic stream has the shape, the marginals and the determinism that its docstring states."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, vstack
from scipy.stats import binom, kstest

from sapwood.datasets import make_sparse, make_text


def within_binomial(count: int, trials: int, probability: float) -> bool:
    """Whether a count is inside the central 1 - 1e-6 interval: with the seeds fixed, a pass stays a pass."""
    low, high = binom.interval(1.0 - 1e-6, trials, probability)
    return bool(low <= count <= high)


def test_shape_and_types() -> None:
    X, y = make_sparse(300, 4, 500, 0.02, seed=0)
    assert isinstance(X, csr_array)
    assert X.shape == (300, 504)
    assert X.data.dtype == np.int8
    assert X.indices.dtype == np.int32
    assert y.shape == (300,)
    assert y.dtype == np.uint8
    assert set(np.unique(y)) == {0, 1}


def test_default_is_the_papers_default() -> None:
    X, y = make_sparse(seed=1)
    assert X.shape == (10_000, 10_010)
    assert y.shape == (10_000,)
    # 10 noise features and 5 signal features on in a point, on average.
    assert X.nnz / 10_000 == pytest.approx(15.0, abs=0.2)


@pytest.mark.parametrize("q", [1e-4, 0.003, 0.2, 0.9, 1.0])
def test_canonical_form_is_not_only_claimed(q: float) -> None:
    X, _ = make_sparse(2_000, 7, 300, q, seed=3)
    fresh = csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    assert fresh.has_canonical_format
    assert X.has_canonical_format
    assert np.all(X.data == 1)
    assert X.indices.max() < 307
    assert X.indices.min() >= 0


@pytest.mark.parametrize("q", [0.0005, 0.01, 0.35])
def test_noise_is_bernoulli_of_q_whatever_the_label(q: float) -> None:
    n, d1, d2 = 40_000, 3, 50
    X, y = make_sparse(n, d1, d2, q, seed=4)
    noise = X[:, d1:]
    on = np.asarray(noise.sum(axis=0, dtype=np.int64)).ravel()
    on_in_ones = np.asarray(noise[np.flatnonzero(y)].sum(axis=0, dtype=np.int64)).ravel()
    ones = int(y.sum())
    assert all(within_binomial(int(c), n, q) for c in on)
    assert all(within_binomial(int(c), ones, q) for c in on_in_ones)
    assert within_binomial(int(on.sum()), n * d2, q)


def test_noise_counts_in_rows_are_binomial() -> None:
    n, d2, q = 30_000, 40, 0.05
    X, _ = make_sparse(n, 0, d2, q, seed=5)
    rows = np.bincount(np.diff(X.indptr), minlength=d2 + 1)
    for k in range(8):
        assert within_binomial(int(rows[k]), n, float(binom.pmf(k, d2, q)))


def test_neighbouring_noise_features_are_independent() -> None:
    n, q = 60_000, 0.1
    X, _ = make_sparse(n, 0, 12, q, seed=6)
    dense = X.toarray().astype(bool)
    for j in range(11):
        assert within_binomial(int((dense[:, j] & dense[:, j + 1]).sum()), n, q * q)
    # Across the border between two rows, where the gaps run on from one row to the next.
    assert within_binomial(int((dense[:-1, 11] & dense[1:, 0]).sum()), n - 1, q * q)


def test_labels_are_fair() -> None:
    _, y = make_sparse(50_000, 1, 10, 0.1, seed=7)
    assert within_binomial(int(y.sum()), 50_000, 0.5)


def test_signal_is_the_label_flipped_at_one_rate_for_both_classes() -> None:
    n, d1 = 40_000, 12
    X, y = make_sparse(n, d1, 100, 0.01, seed=8)
    flipped = X[:, :d1].toarray().astype(bool) != y[:, np.newaxis].astype(bool)
    for j in range(d1):
        rates = [float(flipped[y == k, j].mean()) for k in (0, 1)]
        # Two means of n/2 Bernoulli draws: five standard deviations of their difference at most.
        assert abs(rates[0] - rates[1]) < 5.0 * np.sqrt(2 * 0.25 / (n / 2))


def test_flip_rates_are_uniform() -> None:
    X, y = make_sparse(4_000, 400, 0, 0.5, seed=9)
    rates = (X.toarray().astype(bool) != y[:, np.newaxis].astype(bool)).mean(axis=0)
    assert kstest(rates, "uniform").pvalue > 1e-3


def test_same_seed_same_stream() -> None:
    first, first_labels = make_sparse(25_000, 5, 2_000, 0.005, seed=10)
    again, again_labels = make_sparse(25_000, 5, 2_000, 0.005, seed=10)
    other, other_labels = make_sparse(25_000, 5, 2_000, 0.005, seed=11)
    assert np.array_equal(first.indices, again.indices)
    assert np.array_equal(first.indptr, again.indptr)
    assert np.array_equal(first_labels, again_labels)
    assert not np.array_equal(first_labels, other_labels)
    assert first.nnz != other.nnz or not np.array_equal(first.indices, other.indices)


def test_a_generator_is_drawn_from() -> None:
    rng = np.random.default_rng(12)
    first, _ = make_sparse(50, 3, 40, 0.2, seed=rng)
    second, _ = make_sparse(50, 3, 40, 0.2, seed=rng)
    assert not np.array_equal(first.toarray(), second.toarray())
    expected, _ = make_sparse(50, 3, 40, 0.2, seed=12)
    assert np.array_equal(first.toarray(), expected.toarray())


def test_no_seed_differs() -> None:
    _, first = make_sparse(500, 1, 1, 0.5)
    _, second = make_sparse(500, 1, 1, 0.5)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("d1", [0, 1, 3])
@pytest.mark.parametrize("d2", [0, 1, 5])
@pytest.mark.parametrize("q", [0.0, 1e-300, 0.5, 1.0])
def test_smallest_sizes(n: int, d1: int, d2: int, q: float) -> None:
    X, y = make_sparse(n, d1, d2, q, seed=13)
    assert X.shape == (n, d1 + d2)
    assert y.shape == (n,)
    assert X.indptr[0] == 0
    assert X.indptr[-1] == X.nnz <= n * (d1 + d2)
    noise = X.toarray()[:, d1:]
    if q == 1.0:
        assert np.all(noise == 1)
    elif q < 0.5:
        assert not noise.any()


def test_q_of_one_and_zero() -> None:
    full, _ = make_sparse(400, 2, 30, 1.0, seed=14)
    assert np.all(full.toarray()[:, 2:] == 1)
    empty, _ = make_sparse(400, 2, 30, 0.0, seed=14)
    assert not empty.toarray()[:, 2:].any()
    assert empty.toarray()[:, :2].any()


def test_many_features_cost_only_their_ones() -> None:
    X, _ = make_sparse(2_000, 2, 2**31 - 3, 1e-9, seed=15)
    assert X.shape == (2_000, 2**31 - 1)
    assert X.indices.dtype == np.int32
    noise = X.indices[X.indices >= 2]
    assert within_binomial(noise.size, 2_000 * (2**31 - 3), 1e-9)
    assert noise.max() > 2**29


def test_long_stream_is_drawn_in_chunks_without_a_seam() -> None:
    X, y = make_sparse(200_000, 1, 20, 0.01, seed=16)
    per_block = np.add.reduceat(np.diff(X[:, 1:].indptr), np.arange(0, 200_000, 5_000))
    assert all(within_binomial(int(c), 5_000 * 20, 0.01) for c in per_block)
    assert all(within_binomial(int(c), 5_000, 0.5) for c in np.add.reduceat(y, np.arange(0, 200_000, 5_000), dtype=int))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": 2}, "make_sparse: q must be in [0, 1], got 2"),
        ({"q": -0.1}, "make_sparse: q must be in [0, 1], got -0.1"),
        ({"q": float("nan")}, "make_sparse: q must be in [0, 1], got nan"),
        ({"n": -1}, "make_sparse: n must be at least 0, got -1"),
        ({"d1": -2}, "make_sparse: d1 must be at least 0, got -2"),
        ({"d2": -3}, "make_sparse: d2 must be at least 0, got -3"),
        ({"d2": 2**31 - 1, "q": 0}, "make_sparse: d1 + d2 must be at most 2147483647, got 2147483657"),
        ({"seed": -5}, "make_sparse: seed must be at least 0, got -5"),
    ],
)
def test_bad_values(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_sparse(**arguments)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1.5}, "make_sparse: n must be an integer, got 1.5"),
        ({"d1": "3"}, "make_sparse: d1 must be an integer, got '3'"),
        ({"q": None}, "make_sparse: q must be a number, got None"),
        ({"seed": "x"}, "make_sparse: seed must be an integer, a Generator or None, got 'x'"),
    ],
)
def test_bad_types(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        make_sparse(**arguments)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("n", [0, 1, 9_999, 10_000, 25_001])
def test_parts_are_those_of_the_whole(n: int) -> None:
    for make in (
        partial(make_sparse, n, 3, 50, 0.05, seed=4),
        partial(make_text, n, 200, 4, drift="gradual" if n > 9 else "none", n_changes=1, seed=5),
    ):
        parts: list[Any] = []
        parts.append(make(use=lambda X, y, parts=parts: parts.append((X, y))))
        assert [len(y) for _, y in parts] == [10_000] * (n // 10_000) + [n % 10_000]
        X, y = make()
        stacked = vstack([part for part, _ in parts], format="csr")
        assert (stacked != X).nnz == 0
        assert stacked.shape == X.shape
        assert np.array_equal(np.concatenate([labels for _, labels in parts]), y)
