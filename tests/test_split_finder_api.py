"""The interface of SplitFinder: construction, properties, formats, copies, pickles."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from finders import Anything, answers, every_kind, filled
from scipy.sparse import (
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    dok_matrix,
    lil_matrix,
)
from streams import HOSTILE, MAX_FEATURE, as_matrix, random_labels, random_points

from sapwood import SEARCHES, Split, SplitFinder, Trace
from sapwood.parameters import Criterion, Search

SMALL = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
SMALL_LABELS = np.array([1, 0, 0, 1, 1])


def test_defaults() -> None:
    finder = SplitFinder()
    assert (finder.criterion, finder.search, finder.alpha) == ("entropy", "certified", 0.1)
    assert finder.n_classes == 2


@every_kind
def test_a_new_finder_is_empty(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search, alpha=0.25)
    assert (finder.criterion, finder.search, finder.alpha) == (criterion, search, 0.25)
    assert finder.n == 0
    assert finder.class_counts == (0, 0)
    assert finder.n_features_seen == 0
    assert finder.n_trees == 0
    assert finder.best() is None
    assert finder.top(3) == []
    assert finder.counts(17) == ((0, 0), (0, 0))
    assert finder.n_bytes > 0
    finder.validate()


@pytest.mark.parametrize("name", ["n", "class_counts", "alpha", "criterion", "search", "n_classes", "n_trees"])
def test_properties_are_read_only(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(SplitFinder(), name, 1)


def test_alpha_may_be_any_real_number_type() -> None:
    numbers: list[Any] = [1, np.float32(0.5), np.int64(2)]
    for alpha in numbers:
        assert SplitFinder(alpha=alpha).alpha == float(alpha)


@every_kind
def test_points_without_features_have_no_best_split(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    for label in (0, 1, 1):
        finder.add([], label)
    assert finder.best() is None
    assert finder.top(2) == []
    assert (finder.n, finder.class_counts, finder.n_features_seen) == (3, (1, 2), 0)
    finder.validate()


@every_kind
def test_a_split_and_its_counts(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    finder.add([MAX_FEATURE, 0], 1)
    finder.add([0], 0)
    finder.add([], 0)
    split = finder.best()
    assert isinstance(split, Split)
    assert split == Split(MAX_FEATURE, split.score, split.gain, ((2, 0), (0, 1)))
    assert isinstance(split.feature, int)
    assert isinstance(split.score, float)
    assert split.score == 0.0
    whole = {"entropy": np.log(3) - 2 / 3 * np.log(2), "gini": 4 / 9, "kearns_mansour": np.sqrt(8) / 3}
    assert split.gain == pytest.approx(whole[criterion], rel=1e-12)
    assert finder.counts(0) == ((1, 0), (1, 1))
    assert finder.counts(5) == ((2, 1), (0, 0))
    assert [s.feature for s in finder.top(5)] == [MAX_FEATURE, 0]


@every_kind
def test_top_needs_a_positive_k(criterion: Criterion, search: Search) -> None:
    finder = filled(criterion, search, HOSTILE["abrupt_drift"]())
    for k in (0, -1):
        with pytest.raises(ValueError, match=rf"^SplitFinder\.top: k must be at least 1, got {k}$"):
            finder.top(k)
    for not_integer in (1.5, "1", None):
        with pytest.raises(TypeError, match=r"^SplitFinder\.top: k must .*got "):
            finder.top(not_integer)  # type: ignore[arg-type]
    assert len(finder.top(10**9)) == finder.n_features_seen


def test_counts_of_an_impossible_feature() -> None:
    finder = SplitFinder()
    for feature in (-1, 2**31):
        with pytest.raises(ValueError, match=rf"^SplitFinder\.counts: feature must .*got {feature}$"):
            finder.counts(feature)


@every_kind
def test_repr_says_what_it_is_and_holds_still(criterion: Criterion, search: Search) -> None:
    finder = filled(criterion, search, HOSTILE["abrupt_drift"]())
    text = repr(finder)
    assert "SplitFinder" in text
    assert criterion in text
    assert search in text
    assert str(finder.n) in text
    if search == "approximate":
        assert "0.1" in text
    finder.best()
    finder.validate()
    assert repr(finder) == text
    assert " at 0x" not in text
    finder.add([1], 1)
    assert repr(finder) != text


@every_kind
def test_work_and_bytes_grow_with_the_stream(criterion: Criterion, search: Search) -> None:
    stream = random_points(random_labels(0.5, n=400), d=200, q=0.05)
    finder = SplitFinder(criterion=criterion, search=search)
    small = finder.n_bytes
    assert set(finder.work) == {"moves", "key_updates", "examined"}
    assert set(finder.work.values()) == {0}
    finder.add_many(*as_matrix(stream), trace=True)
    assert finder.n_bytes > small
    assert finder.work["examined"] > 0
    if search == "approximate":
        assert finder.work["key_updates"] > 0
        assert finder.n_trees > 0
    else:
        assert finder.work["moves"] == 0
        assert finder.n_trees == 0


def test_memory_grows_with_the_features_seen_not_with_the_largest_id() -> None:
    for criterion in ("entropy", "gini"):
        for search in SEARCHES:
            near, far = (SplitFinder(criterion=criterion, search=search) for _ in range(2))
            near.add(range(100), 1)
            far.add([MAX_FEATURE - j for j in range(100)], 1)
            # Ids that are found by hashing take room for the ids themselves and for places that are empty.
            assert far.n_bytes < 2 * near.n_bytes
            assert far.n_bytes < 1_000_000


@every_kind
def test_a_copy_is_independent(criterion: Criterion, search: Search) -> None:
    stream = HOSTILE["slow_drift"]()
    finder = filled(criterion, search, stream[:150])
    twin = finder.copy()
    assert answers(twin) == answers(finder)
    before = answers(finder)
    twin.add_many(*as_matrix(stream[150:]))
    twin.add([12345], 1)
    assert answers(finder) == before
    finder.validate()
    twin.validate()
    assert twin.n == len(stream) + 1
    frozen = answers(twin)
    finder.add([777], 0)
    assert answers(twin) == frozen
    del finder
    assert answers(twin) == frozen


@every_kind
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_goes_on_exactly_like_the_original(criterion: Criterion, search: Search, protocol: int) -> None:
    for name in ("slow_drift", "swinging_labels", "huge_ids", "duplicated_features"):
        stream = HOSTILE[name]()
        finder = filled(criterion, search, stream[:120])
        twin: SplitFinder = pickle.loads(pickle.dumps(finder, protocol))
        twin.validate()
        assert (twin.criterion, twin.search, twin.alpha) == (criterion, search, 0.1)
        assert twin.work == finder.work
        assert answers(twin) == answers(finder)
        for features, label in stream[120:]:
            finder.add(features, label)
            twin.add(features, label)
            assert twin.best() == finder.best()
            assert twin.n_trees == finder.n_trees
            twin.validate()
        assert answers(twin) == answers(finder)


@every_kind
def test_a_new_finder_pickles(criterion: Criterion, search: Search) -> None:
    twin = pickle.loads(pickle.dumps(SplitFinder(criterion=criterion, search=search)))
    assert twin.best() is None
    twin.add([1], 1)
    assert twin.best() is not None


@pytest.mark.parametrize(
    "features",
    [
        [17, 3, 42],
        (3, 42, 17),
        np.array([42, 3, 17]),
        np.array([42, 3, 17], dtype=np.int32),
        np.array([42, 3, 17], dtype=np.uint8),
        [np.int64(3), np.int32(17), 42],
    ],
    ids=["list", "tuple", "int64-array", "int32-array", "uint8-array", "numpy-integers"],
)
def test_add_takes_any_sequence_of_integers(features: Anything) -> None:
    finder = SplitFinder()
    finder.add(features, 1)
    assert sorted(split.feature for split in finder.top(9)) == [3, 17, 42]


@pytest.mark.parametrize("label", [1, True, np.int64(1), np.uint8(1), np.bool_(True)])
def test_add_takes_any_integer_or_boolean_label(label: Anything) -> None:
    finder = SplitFinder()
    finder.add([3], label)
    assert finder.class_counts == (0, 1)


def with_int64_indices(dense: np.ndarray) -> csr_matrix:
    X = csr_matrix(dense)
    X.indices = X.indices.astype(np.int64)
    X.indptr = X.indptr.astype(np.int64)
    return X


def with_stored_zeros(dense: np.ndarray) -> csr_matrix:
    """Store every entry of the matrix, the zeros too."""
    rows, columns = dense.shape
    indices = np.tile(np.arange(columns), rows)
    X = csr_matrix((dense.ravel(), indices, np.arange(0, rows * columns + 1, columns)))
    assert X.nnz == dense.size
    return X


FORMATS: dict[str, Callable[[np.ndarray], Any]] = {
    "csr_matrix": csr_matrix,
    "csr_array": csr_array,
    "csc_matrix": csc_matrix,
    "csc_array": csc_array,
    "coo": coo_matrix,
    "lil": lil_matrix,
    "dok": dok_matrix,
    "csr of booleans": lambda dense: csr_matrix(dense.astype(bool)),
    "csr of floats": lambda dense: csr_matrix(dense.astype(np.float32)),
    "csr with int64 indices": with_int64_indices,
    "csr with stored zeros": with_stored_zeros,
    "dense int": lambda dense: dense,
    "dense uint8": lambda dense: dense.astype(np.uint8),
    "dense bool": lambda dense: dense.astype(bool),
    "dense float": lambda dense: dense.astype(float),
    "dense in Fortran order": np.asfortranarray,
    "a view with strides": lambda dense: np.repeat(dense, 2, axis=1)[:, ::2],
    "list of lists": lambda dense: dense.tolist(),
}


@pytest.mark.parametrize("form", FORMATS)
@every_kind
def test_add_many_takes_every_format(criterion: Criterion, search: Search, form: str) -> None:
    expected = SplitFinder(criterion=criterion, search=search)
    for row, label in zip(SMALL, SMALL_LABELS, strict=True):
        expected.add(np.flatnonzero(row), int(label))
    X = FORMATS[form](SMALL)
    finder = SplitFinder(criterion=criterion, search=search)
    assert finder.add_many(X, SMALL_LABELS) is None
    assert answers(finder) == answers(expected)
    assert finder.n_features_seen == 3, "the last column is never on"
    finder.validate()


def test_add_many_leaves_its_input_as_it_was() -> None:
    for make in (csr_matrix, with_int64_indices, with_stored_zeros):
        X = make(SMALL)
        before = X.data.copy(), X.indices.copy(), X.indptr.copy()
        y = SMALL_LABELS.copy()
        SplitFinder().add_many(X, y)
        assert all(np.array_equal(a, b) for a, b in zip(before, (X.data, X.indices, X.indptr), strict=True))
        assert np.array_equal(y, SMALL_LABELS)


def test_add_many_takes_read_only_arrays() -> None:
    X, y = csr_matrix(SMALL), SMALL_LABELS.copy()
    for array in (X.data, X.indices, X.indptr, y):
        array.flags.writeable = False
    finder = SplitFinder()
    finder.add_many(X, y)
    assert finder.n == len(y)


LABELS: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda y: y.tolist(),
    "list of booleans": lambda y: y.astype(bool).tolist(),
    "bool": lambda y: y.astype(bool),
    "float64": lambda y: y.astype(float),
    "float32": lambda y: y.astype(np.float32),
    "int8": lambda y: y.astype(np.int8),
    "uint8": lambda y: y.astype(np.uint8),
    "int64 with strides": lambda y: np.repeat(y, 3)[::3],
}


@pytest.mark.parametrize("form", LABELS)
def test_add_many_takes_labels_of_every_type(form: str) -> None:
    finder = SplitFinder()
    finder.add_many(csr_matrix(SMALL), LABELS[form](SMALL_LABELS))
    assert finder.class_counts == (2, 3)
    assert finder.counts(0) == ((2, 1), (0, 2))


@pytest.mark.parametrize(
    "X",
    [csr_matrix((0, 5)), csr_array((0, 5)), np.zeros((0, 5)), csc_matrix((0, 3))],
    ids=["csr_matrix", "csr_array", "dense", "csc"],
)
def test_no_rows_change_nothing(X: Anything) -> None:
    finder = SplitFinder()
    finder.add([1, 2], 1)
    before = answers(finder)
    assert finder.add_many(X, []) is None
    trace = finder.add_many(X, np.array([], dtype=int), trace=True)
    assert isinstance(trace, Trace)
    assert trace.feature.shape == trace.score.shape == (0,)
    assert answers(finder) == before


def test_rows_without_features_are_points_all_the_same() -> None:
    finder = SplitFinder()
    trace = finder.add_many(csr_matrix((3, 7)), [0, 1, 1], trace=True)
    assert (finder.n, finder.class_counts) == (3, (1, 2))
    assert trace is not None
    assert trace.feature.tolist() == [-1, -1, -1]
    assert np.isnan(trace.score).all()


def test_a_matrix_as_wide_as_ids_go() -> None:
    finder = SplitFinder()
    X = csr_array((np.ones(2), np.array([0, MAX_FEATURE]), np.array([0, 2])), shape=(1, 2**31))
    finder.add_many(X, [1])
    assert finder.counts(MAX_FEATURE) == ((0, 0), (0, 1))
