"""Bad input raises, says what was wrong, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from refusals import LABELS, ROWS, WRONG, Anything, brief, refuses
from scipy.sparse import coo_matrix, csr_array, csr_matrix

from sapwood import SplitFinder
from sapwood.parameters import Search


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        ([7, 2, 7], ValueError, r"features must be unique, got 7 twice$"),
        ([0, 0], ValueError, r"features must be unique, got 0 twice$"),
        ([5, 1, 5, 1, 5], ValueError, r"features must be unique, got [15] twice$"),
        ([*range(500), 250], ValueError, r"features must be unique, got 250 twice$"),
        ([2**31 - 1, 2**31 - 1], ValueError, r"features must be unique, got 2147483647 twice$"),
        (np.array([3, 3]), ValueError, r"features must be unique, got 3 twice$"),
        ([-1], ValueError, r"features must .*got -1$"),
        ([3, 4, -7], ValueError, r"features must .*got -7$"),
        ([-(2**31)], ValueError, r"features must .*got -2147483648$"),
        ([-(2**63)], ValueError, r"features must .*got -9223372036854775808$"),
        ([2**31], ValueError, r"features must .*got 2147483648$"),
        ([2**32 + 1], ValueError, r"features must .*got 4294967297$"),
        ([1, 2**63], ValueError, r"features must .*got 9223372036854775808$"),
        ([10**30], ValueError, r"features must .*got 10{30}$"),
        (np.array([2**31]), ValueError, r"features must .*got 2147483648$"),
        (np.array([-2], dtype=np.int8), ValueError, r"features must .*got -2$"),
        (np.array([2**64 - 1], dtype=np.uint64), ValueError, r"got 18446744073709551615$"),
        ([1.5], TypeError, r"features must .*got .*1\.5"),
        ([1, 2.0], TypeError, r"features must .*got .*2\.0"),
        (["a"], TypeError, r"features must .*got .*'a'"),
        ([3, None], TypeError, r"features must .*got .*None"),
        ([[1, 2]], TypeError, r"features must .*got .*\[1, 2\]"),
        (np.array([1.0, 2.0]), TypeError, r"features must .*got .*float64"),
        (np.array([[1, 2]]), WRONG, r"features must .*got "),
        (np.array(3), WRONG, r"features must .*got "),
        ("12", TypeError, r"features must .*got '1"),
        (None, TypeError, r"features must .*got None"),
        (7, TypeError, r"features must .*got 7$"),
    ],
    ids=brief,
)
def test_add_refuses_features(features: Anything, error: Anything, message: str) -> None:
    refuses(lambda finder: finder.add(features, 1), error, r"^SplitFinder\.add: .*" + message)


@pytest.mark.parametrize(
    ("label", "error", "shown"),
    [
        (2, ValueError, "2"),
        (-1, ValueError, "-1"),
        (256, ValueError, "256"),
        (2**32, ValueError, "4294967296"),
        (2**64 + 1, ValueError, "18446744073709551617"),
        (np.int64(3), ValueError, "3"),
        (0.5, WRONG, "0.5"),
        (float("nan"), WRONG, "nan"),
        (float("inf"), WRONG, "inf"),
        (None, WRONG, "None"),
        ("1", WRONG, "'1'"),
        ([1], WRONG, "[1]"),
    ],
    ids=brief,
)
def test_add_refuses_a_label(label: Anything, error: Anything, shown: str) -> None:
    message = r"^SplitFinder\.add: label must .*0 (?:and|or) 1.*got .*" + re.escape(shown)
    refuses(lambda finder: finder.add([3, 50], label), error, message)


def changed(value: float) -> np.ndarray:
    """Return ROWS with one entry of the last row replaced."""
    dense = ROWS.astype(np.float64)
    dense[2, 3] = value
    return dense


@pytest.mark.parametrize(
    ("value", "shown"),
    [(2, "2"), (-1, "-1"), (0.5, "0.5"), (float("nan"), "nan"), (float("inf"), "inf")],
)
@pytest.mark.parametrize("form", [csr_matrix, csr_array, coo_matrix, np.asarray, np.ndarray.tolist])
def test_add_many_refuses_values_other_than_0_and_1(form: Anything, value: float, shown: str) -> None:
    X = form(changed(value))
    message = r"^SplitFinder\.add_many: X must .*0 (?:and|or) 1.*got " + re.escape(shown)
    refuses(lambda finder: finder.add_many(X, LABELS), ValueError, message)


@pytest.mark.parametrize("value", [2, 255, 256, 2**32 + 1])
def test_add_many_does_not_let_large_integers_wrap(value: int) -> None:
    dense = ROWS.astype(np.int64)
    dense[1, 0] = value
    message = rf"^SplitFinder\.add_many: X must .*got {value}"
    refuses(lambda finder: finder.add_many(csr_matrix(dense), LABELS), ValueError, message)
    refuses(lambda finder: finder.add_many(dense, LABELS), ValueError, message)


def test_add_many_refuses_an_entry_stored_twice_by_a_coo() -> None:
    X = coo_matrix((np.ones(3), (np.array([0, 0, 1]), np.array([2, 2, 1]))), shape=(3, 5))
    message = r"^SplitFinder\.add_many: X must .*got 2"
    refuses(lambda finder: finder.add_many(X, LABELS), ValueError, message)


@pytest.mark.parametrize(
    "X",
    [np.array([1, 0, 1]), np.ones((3, 2, 1)), np.array(1.0), None, "010", [[1, 0], [1]], [["a"]]],
    ids=["one axis", "three axes", "no axes", "None", "text", "ragged", "letters"],
)
def test_add_many_refuses_what_is_no_matrix(X: Anything) -> None:
    message = r"^SplitFinder\.add_many: X must .*got "
    refuses(lambda finder: finder.add_many(X, LABELS), WRONG, message)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([1, 0, 2], ValueError, r"y must .*0 (?:and|or) 1.*got 2"),
        ([1, -1, 1], ValueError, r"y must .*0 (?:and|or) 1.*got -1"),
        ([1, 0, 256], ValueError, r"y must .*0 (?:and|or) 1.*got 256"),
        ([1, 0, 2**32], ValueError, r"y must .*0 (?:and|or) 1.*got 4294967296"),
        ([1, 0, 0.5], ValueError, r"y must .*0 (?:and|or) 1.*got 0\.5"),
        ([1, 0, float("nan")], ValueError, r"y must .*0 (?:and|or) 1.*got nan"),
        (np.array([0, 0, 3], dtype=np.int8), ValueError, r"y must .*0 (?:and|or) 1.*got 3"),
        ([1, 0, None], WRONG, r"y must .*got .*None"),
        (["1", "0", "1"], WRONG, r"y must .*got .*1"),
        ([1, 0], ValueError, r"y must .*3.*got 2"),
        ([1, 0, 1, 1], ValueError, r"y must .*3.*got 4"),
        ([], ValueError, r"y must .*3.*got 0"),
        ([[1], [0], [1]], ValueError, r"y must .*got .*(2|\(3, 1\))"),
        (1, WRONG, r"y must .*got "),
        (None, WRONG, r"y must .*got "),
    ],
    ids=brief,
)
@pytest.mark.parametrize("trace", [False, True])
def test_add_many_refuses_labels(y: Anything, error: Anything, message: str, trace: bool) -> None:
    refuses(
        lambda finder: finder.add_many(csr_matrix(ROWS), y, trace=trace),
        error,
        r"^SplitFinder\.add_many: " + message,
    )


def overwrite(part: str, position: int, value: int) -> Callable[[csr_matrix], None]:
    """Return a change to one number of a CSR's indices or indptr."""

    def change(X: csr_matrix) -> None:
        getattr(X, part)[position] = value

    return change


def swap_first_indices(X: csr_matrix) -> None:
    X.indices[[0, 1]] = X.indices[[1, 0]]


def drop_last(part: str) -> Callable[[csr_matrix], None]:
    """Return a change that shortens one of a CSR's three arrays."""

    def change(X: csr_matrix) -> None:
        setattr(X, part, getattr(X, part)[:-1].copy())

    return change


def extend_indptr(X: csr_matrix) -> None:
    X.indptr = np.append(X.indptr, X.indptr[-1])


def floating_indices(X: csr_matrix) -> None:
    X.indices = X.indices + 0.5  # type: ignore[assignment]


def two_axes(X: csr_matrix) -> None:
    X.indices = X.indices.reshape(-1, 1)  # type: ignore[assignment]


# ROWS as a CSR: indptr 0 3 5 8, indices 0 2 4 | 1 2 | 0 1 3, five columns.
CORRUPTIONS: dict[str, tuple[Callable[[csr_matrix], None], str]] = {
    "indices out of order": (swap_first_indices, r"indices must .*got .*0"),
    "an index twice": (overwrite("indices", 1, 0), r"indices must .*got .*0"),
    "last index twice": (overwrite("indices", 7, 1), r"indices must .*got .*1"),
    "index past the last column": (overwrite("indices", 2, 5), r"indices must .*got 5"),
    "index far out of range": (overwrite("indices", 7, 2**31 - 1), r"indices must .*got 2147483647"),
    "negative index": (overwrite("indices", 0, -1), r"indices must .*got -1"),
    "very negative index": (overwrite("indices", 3, -(2**31)), r"indices must .*got -2147483648"),
    "indptr not monotone": (overwrite("indptr", 1, 6), r"indptr must .*got .*[56]"),
    "indptr negative": (overwrite("indptr", 1, -1), r"indptr must .*got .*-1"),
    "indptr beyond the indices midway": (overwrite("indptr", 1, 10**9), r"indptr must .*got "),
    "indptr starts wrong": (overwrite("indptr", 0, 1), r"indptr must .*got 1"),
    "indptr starts below zero": (overwrite("indptr", 0, -3), r"indptr must .*got -3"),
    "indptr ends too late": (overwrite("indptr", -1, 12), r"indptr must .*got 12"),
    "indptr ends far too late": (overwrite("indptr", -1, 2**31 - 1), r"indptr must .*got 2147483647"),
    "indptr too short": (drop_last("indptr"), r"indptr must .*got 3"),
    "indptr too long": (extend_indptr, r"indptr must .*got 5"),
    "indices too short": (drop_last("indices"), r"(indptr|indices|data) must .*got [78]"),
    "data too short": (drop_last("data"), r"(indptr|indices|data) must .*got [78]"),
    "indices not integers": (floating_indices, r"indices must .*got .*float64"),
    "indices with two axes": (two_axes, r"indices must .*got "),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
@pytest.mark.parametrize("form", [csr_matrix, csr_array])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_add_many_refuses_a_corrupt_csr(name: str, form: Anything, width: type) -> None:
    corrupt, message = CORRUPTIONS[name]
    X = form(ROWS)
    X.indices, X.indptr = X.indices.astype(width), X.indptr.astype(width)
    corrupt(X)
    for trace in (False, True):
        refuses(
            lambda finder, trace=trace: finder.add_many(X, LABELS, trace=trace),  # type: ignore[misc]
            WRONG,
            r"^SplitFinder\.add_many: X.*" + message,
        )


def test_add_many_refuses_ids_past_the_largest() -> None:
    indices = np.array([4, 2**31], dtype=np.int64)
    X = csr_array((np.ones(2), indices, np.array([0, 2])), shape=(1, 2**40))
    message = r"^SplitFinder\.add_many: X.*must .*got (2147483648|1099511627776)"
    refuses(lambda finder: finder.add_many(X, [1]), ValueError, message)


def test_a_late_bad_row_leaves_the_good_rows_before_it_out() -> None:
    """All is checked before anything is added: no row of a bad matrix is ever counted."""
    X = csr_matrix(np.vstack([ROWS] * 1000))
    X.indices[-1] = -4
    message = r"^SplitFinder\.add_many: X.*must .*got -4"
    refuses(lambda finder: finder.add_many(X, np.tile(LABELS, 1000)), ValueError, message)


@pytest.mark.parametrize(
    ("alpha", "error", "shown"),
    [
        (0, ValueError, "0"),
        (-0.0, ValueError, "-0"),
        (-0.1, ValueError, "-0.1"),
        (1e-7, ValueError, "1e-07"),
        # Rounded to 1e-06 the message would contradict itself.
        (9.9999999e-7, ValueError, "9.9999999e-07"),
        (5e-324, ValueError, "5e-324"),
        (1.0000001e9, ValueError, "1000000100"),
        (1e300, ValueError, "1e+300"),
        (float("nan"), ValueError, "nan"),
        (float("inf"), ValueError, "inf"),
        (float("-inf"), ValueError, "-inf"),
        ("0.1", WRONG, "'0.1'"),
        (None, WRONG, "None"),
        ([0.1], WRONG, "[0.1]"),
        (1j, WRONG, "1j"),
        (10**400, WRONG, "1"),
    ],
    ids=brief,
)
@pytest.mark.parametrize("search", ["approximate", "exhaustive", "certified"])
def test_construction_refuses_alpha(alpha: Anything, error: Anything, shown: str, search: Search) -> None:
    message = r"^SplitFinder(\.__init__)?: alpha must .*got " + re.escape(shown)
    with pytest.raises(error, match=message):
        SplitFinder(alpha=alpha, search=search)


@pytest.mark.parametrize("alpha", [1e-6, 1e9])
def test_the_smallest_and_the_largest_alpha_are_accepted(alpha: float) -> None:
    assert SplitFinder(alpha=alpha).alpha == alpha


@pytest.mark.parametrize("value", ["Entropy", "information gain", "", "gini "])
def test_construction_refuses_an_unknown_criterion(value: Anything) -> None:
    with pytest.raises(ValueError, match=r"^SplitFinder(\.__init__)?: criterion must ") as caught:
        SplitFinder(criterion=value)
    text = str(caught.value)
    assert "entropy" in text
    assert "gini" in text
    assert "kearns_mansour" in text
    assert re.search(rf"got ['\"]?{value}['\"]?$", text), text


@pytest.mark.parametrize("value", ["exact", "", "APPROXIMATE"])
def test_construction_refuses_an_unknown_search(value: Anything) -> None:
    with pytest.raises(ValueError, match=r"^SplitFinder(\.__init__)?: search must ") as caught:
        SplitFinder(search=value)
    text = str(caught.value)
    assert "approximate" in text
    assert "exhaustive" in text
    assert "certified" in text
    assert re.search(rf"got ['\"]?{value}['\"]?$", text), text


@pytest.mark.parametrize("parameter", ["criterion", "search"])
@pytest.mark.parametrize("value", [None, 3, ["gini"], b"gini"], ids=brief)
def test_construction_refuses_a_word_that_is_no_string(parameter: str, value: Anything) -> None:
    message = rf"^SplitFinder(\.__init__)?: {parameter} must .*got {re.escape(repr(value))}$"
    with pytest.raises(TypeError, match=message):
        SplitFinder(**{parameter: value})
