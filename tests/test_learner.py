"""The learner below the faces: one road for every point, and an error that changes nothing."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tree_models import BOLD, dicts, stream

import sapwood
from sapwood import trees
from sapwood.data import Batch
from sapwood.learner import TreeLearner, make_learner
from sapwood.model_files import tree_file
from sapwood.parameters import TREES, TreeKind
from sapwood.stream import read, write_svmlight

every_kind = pytest.mark.parametrize("kind", TREES, ids=[kind.name for kind in TREES])
# A tree that forgets takes neither approximate searches nor trained models.
# Two tests are about the approximate search and about leaves that are trained: a tree that forgets has neither, and
# what it refuses of them is in test_dynamic_tree.py.
STREAMING = [kind for kind in TREES if kind.core == "Tree"]
every_streaming_kind = pytest.mark.parametrize("kind", STREAMING, ids=[kind.name for kind in STREAMING])


def learner(kind: TreeKind, **parameters: Any) -> TreeLearner:
    known = {each.name: each.default for each in kind.parameters}
    bold = {name: value for name, value in BOLD.items() if name in known}
    return make_learner(kind, {**known, **bold, **parameters})


def content(one: TreeLearner) -> bytes:
    return tree_file.to_bytes(one.kind, one.parameters, one.fitted())


def svmlight(X: Any, y: Any) -> bytes:
    file = io.BytesIO()
    write_svmlight(file, X, y)
    return file.getvalue()


@every_kind
def test_every_way_in_makes_the_same_tree(kind: TreeKind) -> None:
    X, y = stream(n_classes=3)
    points = dicts(X)
    by_points, by_batch, by_stream, tested, of_points = (learner(kind) for _ in range(5))
    for x, label in zip(points, y.tolist(), strict=True):
        by_points.learn_one(x, label)
    estimator = trees.classifier_of(learner(kind))
    batch = estimator.batch_of(X, y)
    for start in range(0, len(batch), 70):
        by_batch.learn(batch.part(start, min(start + 70, len(batch))))
    for part in read(io.BytesIO(svmlight(X, y)), batch_size=50):
        by_stream.learn(part)
        tested.test_then_learn(part)
    of_points.learn(Batch.of_points(points, y.tolist()))
    trees_made = {one.fitted().tree.to_bytes() for one in (by_points, by_batch, by_stream, tested, of_points)}
    assert len(trees_made) == 1
    assert len({tuple(one.fitted().tree.keys()) for one in (by_points, by_batch, by_stream, tested, of_points)}) == 1
    assert content(by_points) == content(by_stream) == content(of_points)


@every_kind
def test_answers_before_learning_are_those_of_single_points(kind: TreeKind) -> None:
    X, y = stream(n=120, n_classes=3)
    by_points, by_batch = learner(kind), learner(kind)
    found = by_batch.test_then_learn(Batch.of_points(dicts(X), y.tolist()))
    for i, (x, label) in enumerate(zip(dicts(X), y.tolist(), strict=True)):
        answer = by_points.predict_one(x)
        assert answer == (None if found.predicted[i] < 0 else found.classes[found.predicted[i]])
        shares = by_points.predict_proba_one(x)
        assert [shares.get(name, 0.0) for name in found.classes] == found.probabilities[i].tolist()
        assert found.classes[found.true[i]] == label
        by_points.learn_one(x, label)


def keyed(points: list[Any], labels: list[Any]) -> Batch:
    return Batch.of_points(points, labels)


def wrong_rows() -> Batch:
    batch = keyed([["a"], ["b"]], ["x", "y"])
    return Batch(batch.y, np.array([0, 2, 1]), None, batch.keys, None, 0)


def twice() -> Batch:
    return Batch(np.array(["x", "y"], dtype=object), np.array([0, 1, 3]), None, ["a", "b", "b"], None, 0)


def no_label() -> Batch:
    return Batch(np.array(["x", None], dtype=object), np.array([0, 1, 2]), None, ["a", "b"], None, 0)


def unhashable() -> Batch:
    return Batch(np.array(["x", "y"], dtype=object), np.array([0, 1, 2]), None, ["a", []], None, 0)


def negative() -> Batch:
    return Batch(np.array([0, 1]), np.array([0, 1, 2]), np.array([1, -1], dtype=np.int32), None, 4, 0)


@every_kind
@pytest.mark.parametrize("make", [wrong_rows, twice, no_label, unhashable, negative])
@pytest.mark.parametrize("method", ["learn", "test_then_learn", "fit"])
def test_a_batch_that_is_refused_changes_nothing(kind: TreeKind, make: Callable[[], Batch], method: str) -> None:
    new, used = learner(kind), learner(kind)
    used.learn(keyed([["a"], ["b", "c"]] * 20, ["x", "y"] * 20))
    before = content(used)
    for one in (new, used):
        with pytest.raises((TypeError, ValueError), match=rf"^{kind.name}\.(learn_one|fit): "):
            getattr(one, method)(make())
    assert new.model is None
    assert content(used) == before


@every_streaming_kind
def test_classes_that_the_search_is_not_for_are_refused_before_the_first_point(kind: TreeKind) -> None:
    if "approximate" in kind.without:
        return
    points = keyed([["a"], ["b"], ["c"]], ["x", "y", "z"])
    one = learner(kind, search="approximate")
    for method in ("learn", "test_then_learn", "fit"):
        with pytest.raises(ValueError, match="2 for"):
            getattr(one, method)(points)
        assert one.model is None
    one.learn(points.part(0, 2))
    before = content(one)
    with pytest.raises(ValueError, match="2 for"):
        one.learn(keyed([["a"], ["a"], ["c"]], ["x", "y", "z"]))
    assert content(one) == before


@every_streaming_kind
def test_a_late_class_without_room_is_refused_before_the_first_point(kind: TreeKind) -> None:
    """Under a limit of memory, a class for which there is no room leaves no row of its batch learned."""
    one = learner(kind, max_bytes=1 << 16, leaf_prediction="logistic")
    rng = np.random.default_rng(1)
    points = [[f"w{j}" for j in rng.choice(3000, 12, replace=False)] for _ in range(1500)]
    one.learn(keyed(points, [int(i) for i in rng.integers(0, 2, len(points))]))
    for n_classes in (50, 500, 5000):
        labels = [0, 1, *range(2, n_classes)]
        late = keyed([["a"]] * len(labels), labels)
        n, order = one.fitted().tree.n(), one.labels.order
        try:
            one.learn(late)
        except ValueError:
            assert (one.fitted().tree.n(), one.labels.order) == (n, order)
            break
        assert one.fitted().tree.n() == n + len(labels)
    else:
        pytest.fail("there must be a number of classes that 64 kB have no room for")


@every_kind
def test_copies_go_on_alike(kind: TreeKind) -> None:
    one = learner(kind)
    # What has no order of its own cannot settle ties.
    name = frozenset("bc") if kind.core == "Tree" else ("b", "c")
    one.learn(keyed([[("a", 1)], [name, "c"]] * 20, ["x", "y"] * 20))
    copies = [pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)]
    for each in copies:
        assert each.model is not one.model
        each.learn_one(["c"], "z")
    one.learn_one(["c"], "z")
    assert {each.model.tree.to_bytes() for each in copies} == {one.fitted().tree.to_bytes()}
    assert all(each.labels.order == one.labels.order for each in copies)


@every_kind
def test_a_face_has_learned_what_its_learner_has(kind: TreeKind) -> None:
    one = learner(kind)
    one.learn_one(["a"], "x")
    face = trees.classifier_of(one)
    assert type(face) is getattr(sapwood, kind.name)
    face.learn_one(["b"], "y")
    one.learn_one(["c"], "z")
    assert face.n_points_ == one.fitted().tree.n() == 3
    assert face.classes_.tolist() == ["x", "y", "z"]


def test_of_points() -> None:
    def points() -> Iterator[Any]:
        yield {"a": 1, "b": 0, "c": "red", "d": None, "e": ["u", "v"]}
        yield {7}

    batch = Batch.of_points(points(), [np.int64(3), "x"])
    assert batch.keys == ["c=red", "e=u", "e=v", 7]
    assert list(batch.points()) == [({"a": 1.0, "b": 0.0, "c": "red", "e=u": True, "e=v": True}, 3), ({7: True}, "x")]
    assert list(Batch.of_points([{"a": "b", "a=b": True}], [0]).points()) == [(["a=b"], 0)]
    with pytest.raises(ValueError, match=r"^y must have a label for every point, 1 in all, got 0$"):
        Batch.of_points([{}], [])
