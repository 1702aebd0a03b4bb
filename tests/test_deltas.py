"""Deltas: what is counted of a batch, against plain counting, and as bytes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from batch_points import POINTS, Points, grown, of_classes, rows_of
from hypothesis import given
from hypothesis import strategies as st
from reference_batch import counted, text_id
from streams import HOSTILE

from sapwood import SplitFinder
from sapwood._core import Delta, Router, Tree, ids_of_names, ids_of_texts
from sapwood.exceptions import ModelFormatError

TREES = [grown([]), grown(of_classes(3)), grown(of_classes(3, 300, 5), max_depth=2)]


# ---- deltas ----------------------------------------------------------------------------------------------------------


@given(points=POINTS, which=st.sampled_from(range(len(TREES))))
def test_a_delta_holds_what_plain_counting_finds(points: Points, which: int) -> None:
    router = TREES[which].router()
    indptr, ids, labels, weights = rows_of(points)
    leaves, born, features, classes, counts = router.count(indptr, ids, labels, weights).counts()
    of_class, on = counted(points, router.leaves(indptr, ids).tolist(), 3)
    assert leaves == of_class
    assert list(leaves) == sorted(leaves)
    keys = list(zip(born.tolist(), features.tolist(), classes.tolist(), strict=True))
    assert keys == sorted(keys)
    assert dict(zip(keys, counts.tolist(), strict=True)) == on


def test_a_router_leads_points_as_its_tree_does() -> None:
    for tree in TREES:
        points = of_classes(3, 200, 8)
        indptr, ids, _, _ = rows_of(points)
        path_ends, path = tree.decision_path(indptr, ids.astype(np.int32))
        nodes = path[path_ends[1:] - 1]
        assert tree.router().leaves(indptr, ids).tolist() == tree.nodes()["born"][nodes].tolist()


@given(points=POINTS, cuts=st.lists(st.integers(0, 40), max_size=5), rng=st.randoms(use_true_random=False))
def test_order_and_partition_leave_no_trace_in_the_bytes(points: Points, cuts: list[int], rng: Any) -> None:
    router = TREES[1].router()
    together = router.count(*rows_of(points))
    shuffled = list(points)
    rng.shuffle(shuffled)
    ends = [0, *sorted(min(cut, len(points)) for cut in cuts), len(points)]
    parts = [router.count(*rows_of(shuffled[a:b])) for a, b in pairwise(ends)]
    rng.shuffle(parts)
    while len(parts) > 1:
        # Any way to put brackets.
        at = rng.randrange(len(parts) - 1)
        parts[at].merge(Delta.from_bytes(parts.pop(at + 1).to_bytes()))
    assert parts[0].to_bytes() == together.to_bytes()
    assert parts[0].n_met() == sum(weight > 0 for _, _, weight in points)


@given(points=POINTS)
def test_bytes_go_there_and_back_and_no_part_of_them_is_a_delta(points: Points) -> None:
    data = TREES[1].router().count(*rows_of(points)).to_bytes()
    assert Delta.from_bytes(data).to_bytes() == data
    for size in range(len(data)):
        with pytest.raises(ModelFormatError):
            Delta.from_bytes(data[:size])
    with pytest.raises(ModelFormatError):
        Delta.from_bytes(data + b"\0")


@pytest.mark.parametrize("of", ["delta", "router"])
def test_bytes_that_are_changed_are_refused_or_mean_something_else(of: str) -> None:
    router = TREES[1].router()
    data = router.to_bytes() if of == "router" else router.count(*rows_of(of_classes(3, 60))).to_bytes()
    read: Any = Router.from_bytes if of == "router" else Delta.from_bytes
    refused = 0
    for at in range(len(data)):
        for value in {0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1} - {data[at]}:
            other = data[:at] + bytes([value]) + data[at + 1 :]
            try:
                found = read(other)
            except ModelFormatError:
                refused += 1
            else:
                # What is read is written the same way: every delta has one way to be written.
                assert found.to_bytes() == other
    assert refused > len(data)


def test_a_router_goes_to_bytes_and_back() -> None:
    for tree in TREES:
        router = tree.router()
        again = Router.from_bytes(router.to_bytes())
        assert again.to_bytes() == router.to_bytes()
        assert again.version() == router.version()
        indptr, ids, labels, weights = rows_of(of_classes(3, 50))
        assert (
            again.count(indptr, ids, labels, weights).to_bytes()
            == router.count(indptr, ids, labels, weights).to_bytes()
        )


def test_a_delta_of_another_version_is_refused_and_changes_nothing() -> None:
    points = of_classes(3, 60)
    tree = grown(of_classes(3))
    before = tree.to_bytes()
    other = TREES[2].router().count(*rows_of(points))
    with pytest.raises(ValueError, match="delta must be counted by this version of the tree"):
        tree.absorb(other)
    with pytest.raises(ValueError, match="other must be counted by the same version"):
        tree.router().count(*rows_of(points)).merge(other)
    assert tree.to_bytes() == before


def test_gradients_that_are_not_those_of_the_delta_are_refused_and_change_nothing() -> None:
    points = of_classes(3, 60)
    tree = Tree(growth="batch", leaf_prediction="mixed")
    tree.cover_classes(3)
    delta, gradients = tree.router().count(*rows_of(points)), tree.gradients(*rows_of(points))
    with pytest.raises(ValueError, match="gradients must be given for the leaf_prediction 'mixed', got none"):
        tree.absorb(delta)
    with pytest.raises(ValueError, match="gradients must be of the points of the delta"):
        tree.absorb(delta, tree.gradients(*rows_of(points[:3])))
    assert tree.n_met() == 0
    tree.absorb(delta, gradients)
    before = tree.to_bytes()
    with pytest.raises(ValueError, match="gradients must be of these weights of the tree"):
        tree.absorb(delta, gradients)
    with pytest.raises(ValueError, match="other must be of the same version of the weights"):
        tree.gradients(*rows_of(points)).merge(gradients)
    assert tree.to_bytes() == before
    plain = grown(of_classes(3))
    with pytest.raises(ValueError, match="gradients must be left out for the leaf_prediction 'naive_bayes', got some"):
        plain.absorb(plain.router().count(*rows_of(points)), gradients)
    with pytest.raises(ValueError, match="leaf_prediction must be 'logistic', 'adaptive' or 'mixed' for gradients"):
        plain.gradients(*rows_of(points))


def test_rows_that_cannot_be_counted() -> None:
    router = TREES[0].router()
    one = np.array([0, 2], dtype=np.int64)
    label = np.zeros(1, dtype=np.uint16)
    with pytest.raises(ValueError, match="features of a point must be unique, got 7 twice in row 0"):
        router.count(one, np.array([7, 7], dtype=np.uint64), label)
    with pytest.raises(ValueError, match="labels must be from 0 to 2, got 3 in row 0"):
        router.count(one, np.array([1, 7], dtype=np.uint64), label + np.uint16(3))
    with pytest.raises(ValueError, match="weights must be at least 0, got -1"):
        router.count(one, np.array([1, 7], dtype=np.uint64), label, np.array([-1], dtype=np.int32))


def test_ids_of_names() -> None:
    names = ["", "cash", "déjà vu", "\U0001f333"]
    assert ids_of_names([5, *names]).tolist() == [5, *map(text_id, names)]
    data = "".join(names).encode()
    offsets = np.cumsum([0] + [len(name.encode()) for name in names], dtype=np.int64)
    assert ids_of_texts(offsets, np.frombuffer(data, dtype=np.uint8)).tolist() == [text_id(name) for name in names]
    with pytest.raises(ValueError, match="features must be columns or text for batch_growth, got -1"):
        ids_of_names([-1])


# ---- counts in and out of a search -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("criterion", "search"),
    [("entropy", "exhaustive"), ("gini", "exhaustive"), ("entropy", "certified"), ("gini", "certified")],
)
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_added_counts_are_added_points(name: str, criterion: Any, search: Any, n_classes: int) -> None:
    """After every batch the finder of counts has the splits of the one of points, to the last bit."""
    stream = [(features, label % n_classes) for features, label in HOSTILE[name]()]
    by_points = SplitFinder(criterion, search, n_classes=n_classes)
    by_counts = SplitFinder(criterion, search, n_classes=n_classes)
    for start, size in zip(range(0, len(stream), 25), [1, 25, 3, 25] * 100, strict=False):
        batch = SplitFinder(criterion, "exhaustive", n_classes=n_classes)
        for features, label in stream[start : start + size]:
            by_points.add(features, label)
            batch.add(features, label)
        by_counts.add_counts(*batch.all_counts())
        assert by_counts.top(5) == by_points.top(5)
        assert by_counts.best() == by_points.best()
        by_counts.validate()
        for found, expected in zip(by_counts.all_counts(), by_points.all_counts(), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_counts_for_the_approximate_search() -> None:
    stream = of_classes(2, 120)
    by_counts, exact = SplitFinder("gini", "approximate"), SplitFinder("gini", "exhaustive")
    for start in range(0, 120, 30):
        batch = SplitFinder("gini")
        for features, label, _ in stream[start : start + 30]:
            batch.add(features, label)
            exact.add(features, label)
        by_counts.add_counts(*batch.all_counts())
        by_counts.validate()
        found, best = by_counts.best(), exact.best()
        assert found is not None
        assert best is not None
        assert found.score <= best.score * 1.1 + 1e-9


def test_counts_that_no_points_have() -> None:
    finder = SplitFinder()
    finder.add([1], 0)
    for arguments, message in [
        (([1, 1], [3], [[2], [0]]), "counts within their class"),
        (([1, 1], [3, 3], [[1, 0], [0, 1]]), "every feature once"),
        (([1, 1], [-3], [[1], [0]]), "features must hold numbers from 0"),
        (([1], [3], [[1]]), "every class"),
        (([1, 1], [3], [1, 0]), "on must have 2 dimensions, got 1"),
        (([2**31 - 1, 0], [], np.empty((2, 0))), "points must be at most"),
    ]:
        with pytest.raises((ValueError, OverflowError), match=message):
            finder.add_counts(*arguments)  # type: ignore[arg-type]  # lists of numbers
    with pytest.raises(TypeError, match=r"SplitFinder\.add_counts: class_counts must hold integers"):
        finder.add_counts([0.5, 1], [3], [[1], [0]])
    assert finder.n == 1
