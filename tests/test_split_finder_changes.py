"""What a finder can do beyond adding points: weights, removal, merging, margins, more classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from finders import Anything, answers, every_kind, filled
from streams import HOSTILE, as_matrix, random_labels, random_points

from sapwood import Split, SplitFinder
from sapwood.parameters import Criterion, Search


@every_kind
def test_a_weight_counts_as_so_many_points(criterion: Criterion, search: Search) -> None:
    weighted, repeated = (SplitFinder(criterion=criterion, search=search) for _ in range(2))
    for i, (features, label) in enumerate(HOSTILE["abrupt_drift"]()[:60]):
        weighted.add(features, label, weight=i % 4)
        for _ in range(i % 4):
            repeated.add(features, label)
        assert weighted.best() == repeated.best()
        weighted.validate()
    assert answers(weighted) == answers(repeated)


@every_kind
def test_a_weight_of_zero_changes_nothing(criterion: Criterion, search: Search) -> None:
    finder = filled(criterion, search, HOSTILE["abrupt_drift"]()[:50])
    before = pickle.dumps(finder)
    finder.add([0, 12345], 1, 0)
    if search != "approximate":
        finder.remove([0, 12345], 1, 0)
    assert pickle.dumps(finder) == before


@pytest.mark.parametrize("weight", [2, np.int64(2), np.uint8(2)])
def test_a_weight_may_be_any_integer_type(weight: Anything) -> None:
    finder = SplitFinder()
    finder.add([3], 1, weight)
    finder.add([3], 0, True)
    assert finder.class_counts == (1, 2)


EXACT = [(c, s) for c in ("entropy", "gini", "kearns_mansour") for s in ("exhaustive", "certified")]
every_exact_kind = pytest.mark.parametrize(("criterion", "search"), EXACT)


@every_exact_kind
def test_a_removed_point_might_never_have_been_added(criterion: Criterion, search: Search) -> None:
    stream = HOSTILE["slow_drift"]()
    window = SplitFinder(criterion=criterion, search=search)
    for i, (features, label) in enumerate(stream):
        window.add(features, label)
        if i >= 40:
            window.remove(*stream[i - 40])
        fresh = filled(criterion, search, stream[max(0, i - 39) : i + 1])
        best, expected = window.best(), fresh.best()
        assert (window.n, window.class_counts) == (fresh.n, fresh.class_counts)
        # A feature stays seen, so that there may be a best split where a fresh finder has none.
        if expected is not None:
            assert best is not None
            assert best.score == expected.score
    window.validate()
    assert window.n_features_seen == len({j for features, _ in stream for j in features})


@every_exact_kind
def test_all_points_may_be_removed(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    finder.add([3, 5], 1, 2)
    finder.add([5], 0)
    finder.remove([5, 3], 1, 2)
    finder.remove([5], 0)
    assert (finder.n, finder.class_counts, finder.n_features_seen) == (0, (0, 0), 2)
    assert finder.best() == Split(3, 0.0, 0.0, ((0, 0), (0, 0)))
    finder.validate()


@every_kind
@pytest.mark.parametrize("other_search", ["exhaustive", "certified"])
def test_merging_over_points(criterion: Criterion, search: Search, other_search: Search) -> None:
    stream = HOSTILE["abrupt_drift"]()
    left, right = filled(criterion, search, stream[:90]), filled(criterion, other_search, stream[90:])
    untouched = answers(right)
    left.merge(right)
    assert answers(right) == untouched
    left.validate()
    whole = filled(criterion, search, stream)
    if search == "approximate":
        assert (left.n, left.class_counts, left.n_features_seen) == (whole.n, whole.class_counts, whole.n_features_seen)
        assert all(left.counts(j) == whole.counts(j) for j in range(100))
    else:
        assert answers(left) == answers(whole)


@every_kind
def test_merging_over_features(criterion: Criterion, search: Search) -> None:
    stream = HOSTILE["slow_drift"]()
    halves = [
        filled(criterion, search, [(tuple(j for j in f if j % 2 == part), y) for f, y in stream]) for part in (0, 1)
    ]
    halves[0].merge(halves[1], over="features")
    halves[0].validate()
    whole = filled(criterion, "exhaustive", stream)
    assert halves[0].class_counts == whole.class_counts
    assert halves[0].n_features_seen == whole.n_features_seen
    if search != "approximate":
        assert halves[0].top(1000) == whole.top(1000)


@every_kind
def test_merging_a_finder_with_itself_doubles_it(criterion: Criterion, search: Search) -> None:
    finder = filled(criterion, search, HOSTILE["abrupt_drift"]())
    single = finder.copy()
    finder.merge(finder)
    finder.validate()
    assert finder.class_counts == tuple(2 * count for count in single.class_counts)
    assert finder.n_features_seen == single.n_features_seen
    assert all(np.array_equal(finder.counts(j), 2 * np.array(single.counts(j))) for j in range(100))


@every_kind
def test_margin_is_the_difference_of_the_first_two_gains(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    assert finder.margin() is None
    finder.add([3], 1)
    finder.add([], 0)
    best = finder.best()
    assert best is not None
    assert finder.margin() == best.gain > 0
    finder.add([3, 4], 1)
    first, second = finder.top(2)
    assert finder.margin() == first.gain - second.gain > 0
    finder.add([4, 8], 0)
    finder.add([8], 1)
    assert finder.margin() == finder.top(2)[0].gain - finder.top(2)[1].gain


@every_kind
def test_stats_are_counters_by_name(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search)
    names = set(finder.stats())
    assert all(isinstance(number, int) for number in finder.stats().values())
    finder.add_many(*as_matrix(random_points(random_labels(0.5, n=400), d=200, q=0.05)), trace=True)
    assert set(finder.stats()) == names
    assert sum(finder.stats().values()) > 0


@pytest.mark.parametrize("search", ["exhaustive", "certified"])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_five_classes(criterion: Criterion, search: Search) -> None:
    finder = SplitFinder(criterion=criterion, search=search, n_classes=5)
    assert finder.n_classes == 5
    assert finder.class_counts == (0, 0, 0, 0, 0)
    assert "n_classes=5" in repr(finder)
    finder.add([1, 7], 4)
    finder.add([7], 0, 2)
    finder.add_many(np.eye(3, dtype=int), [2, 0, 4])
    assert finder.class_counts == (3, 0, 1, 0, 2)
    assert finder.counts(7) == ((1, 0, 1, 0, 1), (2, 0, 0, 0, 1))
    best = finder.best()
    assert best is not None
    assert best.counts == finder.counts(best.feature_id)
    twin: SplitFinder = pickle.loads(pickle.dumps(finder))
    assert twin.n_classes == 5
    assert answers(twin) == answers(finder)
    twin.validate()


@pytest.mark.parametrize("search", ["exhaustive", "certified"])
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_more_classes_than_labels_change_no_value(criterion: Criterion, search: Search) -> None:
    """The scores over two classes, and over six of which two occur, are the same up to rounding."""
    two, six = SplitFinder(criterion, search), SplitFinder(criterion, search, n_classes=6)
    for features, label in HOSTILE["abrupt_drift"]():
        two.add(features, label)
        six.add(features, 5 * label)
        expected, found = two.best(), six.best()
        assert (expected is None) == (found is None)
        if expected is not None and found is not None:
            assert found.score == pytest.approx(expected.score, rel=1e-9, abs=1e-9)
            assert [row[::5] for row in found.counts] == list(two.counts(found.feature_id))


def test_repr_names_alpha_and_classes_only_where_they_matter() -> None:
    assert repr(SplitFinder()) == ("<SplitFinder(criterion='entropy', search='certified'): 0 points, 0 features seen>")
    assert "alpha=0.1" in repr(SplitFinder(search="approximate"))
    assert "n_classes" not in repr(SplitFinder(search="approximate"))


def test_a_feature_that_was_on_in_every_point_can_be_pickled() -> None:
    finder = SplitFinder(search="approximate")
    finder.add([0, 1, 2], 0)
    finder.add([0, 2], 0)
    finder.add([2], 1)
    finder.best()
    finder.add([], 0)
    finder.best()
    assert pickle.loads(pickle.dumps(finder)).best() == finder.best()
