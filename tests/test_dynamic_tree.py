"""A tree that forgets is the tree of the points held: against a batch learner, by digest, in every way to learn."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from dynamic_points import learned, random_point, ways_of
from reference_dynamic import BatchLearner, Point
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError

from sapwood import DynamicTreeClassifier

CASES: list[dict[str, Any]] = [
    {"stopping": "none"},
    {"stopping": "none", "criterion": "gini", "max_depth": 4},
    {"stopping": "none", "min_samples": 8, "min_gain": 0.02, "lazy": False, "search": "exhaustive"},
    {"stopping": "evidence", "delta": 0.3},
]


def check_against_batch(
    case: dict[str, Any], *, d: int, steps: int, every: int, n_classes: int, seed: int, first: int | None = None
) -> int:
    """Add and remove points at random, compare with the batch learner, also across saving; return how many nodes.

    They are compared every so many steps; `first` is the first of these, by default the last of as many.
    """
    first = every - 1 if first is None else first
    random = np.random.default_rng(seed)
    options = {name: value for name, value in case.items() if name not in {"lazy", "search"}}
    batch = BatchLearner(n_classes, **options)
    model = DynamicTreeClassifier(**case)
    points: list[Point] = []
    compared = 0
    for step in range(steps):
        grows = step % (steps // 2) < steps // 3
        if not points or random.random() < (0.7 if grows else 0.3):
            points.append(random_point(random, d, 8, n_classes))
            model.learn_one(points[-1][0], points[-1][1])
        else:
            model.forget_one(*points.pop(int(random.integers(len(points)))))
        if step % every == first and {label for _, label in points} == set(range(n_classes)):
            ways = ways_of(model)
            assert ways == batch.tests(points), f"step {step}"
            compared += len(ways)
            if step % (3 * every) == first:
                model = DynamicTreeClassifier.from_bytes(model.to_bytes())
    return compared


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_it_is_the_tree_of_a_batch_learner(case: dict[str, Any]) -> None:
    assert check_against_batch(case, d=12, steps=900, every=29, n_classes=2, seed=1) > 60
    if case.get("criterion") != "gini":
        assert check_against_batch(case, d=12, steps=600, every=59, n_classes=3, seed=2) > 20


@pytest.mark.slow
def test_it_is_the_tree_of_a_batch_learner_after_many_updates() -> None:
    assert check_against_batch(
        {"stopping": "none", "max_depth": 6}, d=8, steps=100_000, every=4_999, n_classes=2, seed=3
    )


# At a thousand moments in all, in parts that workers share.
@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 3, 5, 7])
def test_it_is_the_tree_of_a_batch_learner_with_many_features(first: int) -> None:
    case = {"stopping": "none"}
    assert check_against_batch(case, d=10_000, steps=2_000, every=8, n_classes=2, seed=4, first=first) > 2_500


# ---- exact unlearning ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes"])
def test_what_is_forgotten_was_never_there(leaf_prediction: str) -> None:
    random = np.random.default_rng(7)
    words = [f"w{i}" for i in range(40)] + [b"x", None, 2.5, -3, ("a", 1)]

    def point(start: int) -> tuple[list[Any], str]:
        chosen = random.choice(len(words) - start, size=5, replace=False) + start
        return [words[i] for i in chosen], str(random.choice(["a", "b", "c"][: 2 if start else 3]))

    kept = [point(20) for _ in range(150)]
    gone = [point(0) for _ in range(80)]  # with a class and features that no other point has
    first, second = (DynamicTreeClassifier(stopping="none", leaf_prediction=leaf_prediction) for _ in range(2))  # type: ignore[arg-type]
    for x, y in gone[:40]:
        first.learn_one(x, y)
    for x, y in kept:
        first.learn_one(x, y)
        first.predict_proba_one(x)
    for x, y in gone[40:]:
        first.learn_one(x, y)
    assert first.classes_.tolist() == ["a", "b", "c"]
    for x, y in reversed(gone):
        first.forget_one(list(reversed(x)), y)
    for i in random.permutation(len(kept)):
        second.learn_one(*kept[i])
    assert first.classes_.tolist() == second.classes_.tolist() == ["a", "b"]
    assert first.to_bytes() == second.to_bytes()
    assert first.digest() == second.digest()
    assert first.features_seen_ == second.features_seen_
    assert pickle.loads(pickle.dumps(first)).digest() == copy.deepcopy(second).digest() == second.digest()
    for x, _ in kept[:20] + gone[:20]:
        assert first.predict_proba_one(x) == second.predict_proba_one(x)


def test_matrices_points_and_ids_hold_the_same() -> None:
    random = np.random.default_rng(1)
    X = csr_matrix((random.random((300, 30)) < 0.2).astype(int))
    y = np.where(X[:, [0]].toarray()[:, 0] + (random.random(300) < 0.1) > 0, "yes", "no")
    rest = DynamicTreeClassifier().fit(X[30:], y[30:])
    whole = DynamicTreeClassifier().fit(X, y)
    assert whole.digest() != rest.digest()
    assert whole.partial_forget(X[:30], y[:30]) is None
    assert whole.digest() == rest.digest()
    assert DynamicTreeClassifier().fit(X[30:][::-1], y[30:][::-1]).digest() == rest.digest()
    chunks = DynamicTreeClassifier().partial_fit(X[200:], y[200:], classes=["no", "yes"])
    chunks.partial_fit(X[30:200], y[30:200], classes=["yes", "no"])
    assert np.array_equal(chunks.predict_proba(X), rest.predict_proba(X))
    named = DynamicTreeClassifier().fit(X, y, ids=range(300))
    other = DynamicTreeClassifier().fit(X[30:], y[30:], ids=range(30, 300))
    record = named.forget(range(30), audit=True)
    assert record is not None
    assert record.forgotten == 30
    assert record.held == 270
    assert record.exact
    assert record.digest_after == named.digest() == other.digest() != record.digest_before
    assert json.loads(str(record))["forgotten"] == 30
    again = DynamicTreeClassifier.from_bytes(named.to_bytes())
    again.forget([299])
    assert again.n_points_ == 269
    with pytest.raises(ValueError, match="ids must be of points that were learned with them and are held, got 299"):
        again.forget([298, 299])
    assert again.n_points_ == 269


def test_weights_are_repetitions() -> None:
    X = csr_matrix([[1, 0, 1], [0, 1, 1], [1, 1, 0]])
    y = [0, 1, 1]
    weighted = DynamicTreeClassifier(stopping="none").fit(X, y, sample_weight=[2, 0, 3])
    repeated = DynamicTreeClassifier(stopping="none").fit(X[[0, 2, 2, 2, 0]], [0, 1, 1, 1, 0])
    assert weighted.digest() == repeated.digest()
    assert weighted.summary().n_points == 5
    assert weighted.summary().n_distinct_points == 2
    weighted.partial_forget(X[[2]], [1], sample_weight=[3])
    assert weighted.classes_.tolist() == [0]
    assert weighted.predict(X).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"fit: weights must be whole numbers from 0 to .*, got 0\.5"):
        DynamicTreeClassifier().fit(X, y, sample_weight=[1, 0.5, 1])


def test_an_interrupted_or_wrong_forgetting_changes_nothing() -> None:
    model = learned([(frozenset({1, 2}), 0), (frozenset({2}), 1), (frozenset({2}), 1)], stopping="none")
    model.learn_one([5], 0, id="mine")
    before = model.digest()

    def refused(message: str, call: Any) -> None:
        with pytest.raises((ValueError, TypeError), match=message):
            call()
        assert model.digest() == before

    X = csr_matrix([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 0]])
    refused("forget_one: the point must be held: .* held 0 times", lambda: model.forget_one([1], 0))
    refused("forget_one: the point must be held", lambda: model.forget_one([1, 2], 1))
    refused("forget_one: the point must be held", lambda: model.forget_one([1, 2, "new"], 0))
    refused("forget_one: the point must be held", lambda: model.forget_one([1, 2], "never"))
    refused("forget_one: the point must be held: .* held 2 times", lambda: model.forget_one([2], 1, w=3))
    refused("and 1 times by id: forget", lambda: model.forget_one([5], 0))
    refused("partial_forget: row 2 must be held: .* held 2 times", lambda: model.partial_forget(X, [1, 1, 1]))
    refused("partial_forget: row 0 must be held", lambda: model.partial_forget(X, [7, 1, 1]))
    refused("ids must be of points that were learned", lambda: model.forget(["mine", "yours"]))
    refused("ids must differ from each other, got 'mine' twice", lambda: model.forget(["mine", "mine"]))
    refused("ids must be hashable", lambda: model.forget([["mine"]]))  # type: ignore[list-item]
    refused("ids must be new, got 'mine'", lambda: model.learn_one([7], 1, id="mine"))
    refused(
        "ids must have one for every point, 3 in all, got 1", lambda: model.partial_fit(X, [0, 1, 1], [0, 1], ids=[1])
    )
    refused("features must be None, numbers, text, bytes or tuples", lambda: model.learn_one([frozenset()], 1))
    refused("weights must be whole numbers", lambda: model.learn_one([1], 1, w=0.5))
    with pytest.raises(ValueError, match="a point must be learned before it is forgotten"):
        DynamicTreeClassifier().forget_one([1], 0)
    model.forget(["mine"])
    model.forget_one({1: 1, 2: True, 3: 0}, 0)
    model.forget_one([2], 1, w=2)
    assert not model.learner.is_fitted
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.learn_one(["again"], "other")
    assert model.predict_one([]) == "other"


def test_ties_go_to_the_first_class_and_a_repeated_feature_counts_once() -> None:
    model = DynamicTreeClassifier()
    for label in ("c", "a", "b"):
        model.learn_one(["x", "x"], label)
    assert model.predict_one(["x"]) == "a"
    assert list(model.predict_proba_one(["x"])) == ["a", "b", "c"]
    model.forget_one({"x": 1}, "a")
    assert model.predict_one(["x"]) == "b"
    assert model.explain_one(["x", "x"]).label == "b"


def test_classes_are_numbered_alike_whatever_came_first() -> None:
    points: list[tuple[list[int], Any]] = [([1], "b"), ([2], "a"), ([3], 7), ([1, 2], (1, 2)), ([4], "c")]
    first, second = DynamicTreeClassifier(stopping="none"), DynamicTreeClassifier(stopping="none")
    for x, y in points:
        first.learn_one(x, y)
    for x, y in reversed(points):
        second.learn_one(x, y)
    assert first.digest() == second.digest()
    assert first.classes_.tolist() == second.classes_.tolist()
    assert [first.predict_one(x) for x, _ in points] == [second.predict_one(x) for x, _ in points]


# ---- with an allowed regret ------------------------------------------------------------------------------------------


def test_regret_is_within_beta() -> None:
    random = np.random.default_rng(3)
    model = DynamicTreeClassifier(beta=0.05, criterion="gini", stopping="none", max_depth=4)
    batch = BatchLearner(2, criterion="gini")
    points: list[Point] = []
    for step in range(900):
        if random.random() < (0.7 if step < 500 else 0.3) or not points:
            points.append(random_point(random, 10, 5, 2))
            model.learn_one(*points[-1])
        else:
            model.forget_one(*points.pop(0))
        if step % 37 == 0:
            tests = ways_of(model)
            for way, feature in tests.items():
                here = [p for p in points if all((f in p[0]) == on for f, on in way)]
                scores = batch.scores(here)
                if not scores or len(way) == 4 or len(here) < 2:
                    continue
                best = batch.gain(here, min(scores.values()))
                if feature is None:
                    assert best <= 0.05 + 1e-8 or len({y for _, y in here}) < 2
                else:
                    assert best - batch.gain(here, scores.get(feature, batch.impurity(batch.counts(here)))) <= 0.05
    model.predict_one([])
    assert 0 < model.summary().n_subtrees_rebuilt < 200
    saved = DynamicTreeClassifier.from_bytes(model.to_bytes())
    assert ways_of(saved) == ways_of(model)
    assert saved.to_bytes() == model.to_bytes()
    exact = learned(points, beta=0.05, criterion="gini", stopping="none", max_depth=4)
    model.rebuild()
    exact.rebuild()
    assert model.digest() == exact.digest()
