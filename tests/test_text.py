"""The text-like stream has the frequencies, the signal and the drift that its docstring states."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sapwood.datasets import CHANGES, DRIFTS, make_sparse, make_text


def digest(points: tuple[csr_array, NDArray[np.uint8]]) -> str:
    """A hash of all that a stream is, whatever the byte order of the machine."""
    X, y = points
    parts = (X.indptr.astype("<i8"), X.indices.astype("<i4"), y)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def frequencies(X: csr_array) -> NDArray[np.float64]:
    return np.bincount(X.indices, minlength=X.shape[1]) / X.shape[0]


def contrast_of(X: csr_array, y: NDArray[np.uint8]) -> NDArray[np.float64]:
    """How much more often each feature is on in class 1 than in class 0."""
    return frequencies(X[np.flatnonzero(y == 1)]) - frequencies(X[np.flatnonzero(y == 0)])


# The same on every platform: a change of these is a change of everybody's data.
def test_golden_sparse() -> None:
    assert digest(make_sparse(2_000, 10, 5_000, 0.002, seed=7)) == "5f6390a309d4ecb2"
    assert digest(make_sparse(500, 3, 40, 0.7, seed=2**70)) == "2a3a87cccf8b0c21"


@pytest.mark.parametrize(
    ("drift", "changes", "expected"),
    [
        ("none", "labels", "fff15370fff56611"),
        ("abrupt", "vocabulary", "ed202e5be8a46425"),
        ("gradual", "labels", "56855f55ab63acfe"),
        ("recurring", "vocabulary", "d2857018fcb64979"),
    ],
)
def test_golden_text(drift: str, changes: str, expected: str) -> None:
    points = make_text(1_000, 3_000, 30, 1.1, drift=drift, changes=changes, n_changes=3, severity=0.5, seed=7)
    assert digest(points) == expected


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("changes", CHANGES)
def test_canonical_form_is_not_only_claimed(drift: str, changes: str) -> None:
    X, y = make_text(800, 500, 25, drift=drift, changes=changes, n_changes=4, seed=1)
    fresh = csr_array((X.data, X.indices, X.indptr), shape=X.shape)
    assert fresh.has_canonical_format
    assert X.shape == (800, 500)
    assert [str(array.dtype) for array in (X.data, X.indices, y)] == ["int8", "int32", "uint8"]
    assert set(np.unique(y)) == {0, 1}


def test_words_of_a_text_are_half_to_one_and_a_half_times_the_length() -> None:
    # So many words, all of them rare, that hardly one is drawn twice.
    X, _ = make_text(4_000, 2_000_000, 20, 0.0, seed=2)
    sizes = np.diff(X.indptr)
    assert sizes.max() <= 30
    assert sizes.min() >= 9
    assert sizes.mean() == pytest.approx(20.0, abs=0.5)


def test_frequencies_fall_by_zipfs_law() -> None:
    X, _ = make_text(60_000, 10_000, 20, 1.0, topical=0.0, seed=3)
    on = frequencies(X)
    # Rare enough that a word hardly comes twice in a text: ten times the rank, a tenth of the frequency.
    ratio = on[100:200].sum() / on[1000:2000].sum()
    assert ratio == pytest.approx(1.0, rel=0.05)
    assert on[0] > on[10] > on[100] > on[1000]


def test_topical_words_tell_the_class() -> None:
    X, y = make_text(20_000, 400, 30, topical=0.5, contrast=0.9, seed=4)
    plain, labels = make_text(20_000, 400, 30, topical=0.0, seed=4)
    assert np.abs(contrast_of(X, y)).max() > 0.2
    # Five standard deviations of a difference of shares of 10,000 each.
    assert np.abs(contrast_of(plain, labels)).max() < 5 * np.sqrt(0.5 / 10_000)


def test_the_labels_drift_and_the_words_stay() -> None:
    X, y = make_text(20_000, 400, 30, topical=0.6, drift="abrupt", changes="labels", seed=5)
    first, second = slice(0, 10_000), slice(10_000, 20_000)
    before, after = contrast_of(X[first], y[first]), contrast_of(X[second], y[second])
    assert abs(np.corrcoef(before, after)[0, 1]) < 0.6
    frequent = set(np.argsort(frequencies(X[first]))[-20:]) & set(np.argsort(frequencies(X[second]))[-20:])
    assert len(frequent) > 12


def test_the_vocabulary_drifts() -> None:
    X, _ = make_text(20_000, 4_000, 30, drift="abrupt", changes="vocabulary", seed=6)
    top = [set(np.argsort(frequencies(X[part]))[-50:]) for part in (slice(0, 10_000), slice(10_000, 20_000))]
    assert len(top[0] & top[1]) < 10


def test_a_recurring_concept_comes_back() -> None:
    X, _ = make_text(20_000, 4_000, 30, drift="recurring", changes="vocabulary", n_changes=3, seed=7)
    on = [frequencies(X[start : start + 5_000]) for start in range(0, 20_000, 5_000)]
    assert np.corrcoef(on[0], on[2])[0, 1] > 0.99
    assert np.corrcoef(on[1], on[3])[0, 1] > 0.99
    assert np.corrcoef(on[0], on[1])[0, 1] < 0.3


def test_a_gradual_change_passes_through_both() -> None:
    X, _ = make_text(20_000, 4_000, 30, drift="gradual", changes="vocabulary", seed=8)
    old, new = frequencies(X[:7_500]), frequencies(X[12_500:])
    most = int(np.argmax(old))
    shares = [frequencies(X[start : start + 1_000])[most] for start in (7_500, 9_500, 11_500)]
    assert old[most] > shares[0] > shares[1] > shares[2] > new[most]


def test_severity_is_how_much_changes() -> None:
    X, _ = make_text(20_000, 400, 30, drift="abrupt", changes="vocabulary", severity=0.0, seed=9)
    assert np.corrcoef(frequencies(X[:10_000]), frequencies(X[10_000:]))[0, 1] > 0.999


def test_seeds() -> None:
    same = [digest(make_text(300, 200, seed=3)) for _ in range(2)]
    assert same[0] == same[1] != digest(make_text(300, 200, seed=4))
    rng = np.random.default_rng(3)
    assert digest(make_text(300, 200, seed=rng)) == same[0]
    assert digest(make_text(300, 200, seed=rng)) != same[0]
    assert digest(make_text(300, 200)) != digest(make_text(300, 200))


def test_smallest_sizes() -> None:
    X, y = make_text(0, 1, 1, seed=1)
    assert (X.shape, y.size) == ((0, 1), 0)
    X, _ = make_text(5, 1, 1, topical=1.0, contrast=1.0, seed=1)
    assert np.array_equal(X.toarray(), np.ones((5, 1)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"d": 0}, "make_text: d must be at least 1, got 0"),
        ({"d": 2**31}, "make_text: d must be at most 2147483647, got 2147483648"),
        ({"length": 0}, "make_text: length must be at least 1, got 0"),
        ({"exponent": -0.5}, "make_text: exponent must be finite and at least 0, got -0.5"),
        ({"exponent": float("inf")}, "make_text: exponent must be finite and at least 0, got inf"),
        ({"topical": 2}, "make_text: topical must be in [0, 1], got 2"),
        ({"drift": "sudden"}, "make_text: drift must be one of none, abrupt, gradual, recurring, got 'sudden'"),
        ({"changes": "words"}, "make_text: changes must be one of labels, vocabulary, got 'words'"),
        ({"n_changes": 0}, "make_text: n_changes must be at least 1, got 0"),
        ({"n": 10, "n_changes": 10}, "make_text: n_changes must be below the 10 points, got 10"),
        ({"seed": -1}, "make_text: seed must be at least 0, got -1"),
    ],
)
def test_bad_values(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_text(**arguments)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1.5}, "make_text: n must be an integer, got 1.5"),
        ({"exponent": "1"}, "make_text: exponent must be a number, got '1'"),
        ({"seed": "x"}, "make_text: seed must be an integer, a Generator or None, got 'x'"),
    ],
)
def test_bad_types(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        make_text(**arguments)  # type: ignore[arg-type]  # the point of the test
