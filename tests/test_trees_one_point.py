"""Learning from one point at a time, and asking about one."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, stream

from sapwood import HoeffdingTreeClassifier
from sapwood.stream import Batch

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@every_classifier
def test_before_anything_was_learned(classifier: Classifier) -> None:
    model = classifier()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    model.learn_one({"a": 1}, "yes", w=0)
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    assert model.classes_.tolist() == []


@every_classifier
def test_one_class_is_certain(classifier: Classifier) -> None:
    model = classifier()
    model.learn_one({"a": 1}, "yes")
    for x in ({"a": 1}, {"b": 1}, {}):
        assert model.predict_one(x) == "yes"
        assert model.predict_proba_one(x) == {"yes": 1.0}
    assert model.predict_proba([[1, 0]]).tolist() == [[1.0]]
    assert model.predict([[1, 0]]).tolist() == ["yes"]


@every_classifier
def test_one_point_and_many_have_the_same_answers(classifier: Classifier) -> None:
    X, y = stream(n_classes=3)
    model = classifier(**BOLD).fit(X, y)
    rows = dicts(X)
    assert [model.predict_one(x) for x in rows] == model.predict(X).tolist()
    probabilities = [model.predict_proba_one(x) for x in rows]
    assert [[p[label] for label in model.classes_.tolist()] for p in probabilities] == model.predict_proba(X).tolist()
    assert all(type(model.predict_one(x)) is int for x in rows[:3])


def contents_of(forms: list[Any], features: list[Any]) -> set[bytes]:
    """The trees of points that are to be the same, and of one without features."""
    contents = set()
    for x in forms:
        model = HoeffdingTreeClassifier()
        model.learn_one(x, "yes")
        model.learn_one([], "no")
        contents.add(content(model))
        assert model.features_seen_ == features
    return contents


def test_what_a_point_may_be() -> None:
    """The same point in all its forms."""
    forms: list[Any] = [
        {"a": True, "b": True, "c": False, "colour=red": True},
        {"a": True, "b": np.True_, "d": None, "colour=red": True},
        ["a", "b", "colour=red"],
        ("a", "b", "colour=red"),
        dict.fromkeys(["a", "b", "colour=red"], 1).keys(),
        np.array(["a", "b", "colour=red"], dtype=object),
        {"a": True, "b": True, "colour": ["red"]},
    ]
    assert len(contents_of(forms, ["a", "b", "colour=red"])) == 1
    model = HoeffdingTreeClassifier()
    once: Iterator[str] = iter(["a", "b", "colour=red"])
    model.learn_one(once, "yes")
    assert (model.n_points_, model.features_seen_) == (1, ["a", "b", "colour=red"])


def test_what_a_point_with_numbers_may_be() -> None:
    forms: list[Any] = [
        {"a": 1, "b": 2.5, "colour": "red", "gone": None, "nan": float("nan"), "empty": ""},
        {"a": np.int8(1), "b": np.float32(2.5), "colour": np.str_("red")},
        OrderedDict(a=1.0, colour="red", b=2.5),
        UserDict({"a": 1, "b": 2.5, "colour": "red", "off": np.bool_(False)}),
        {"colour": "red", "a": True + 0, "b": 2.5},
    ]
    assert len(contents_of(forms, ["colour=red", "a", "b"])) == 1
    nested = [{"user": {"age": 3, "home": {"zip": "01"}}}, {"user.age": 3.0, "user.home.zip": "01"}]
    assert len(contents_of(nested, ["user.home.zip=01", "user.age"])) == 1
    # A flag and a number of one name are two features.
    model = HoeffdingTreeClassifier()
    model.learn_one({"a": True}, 0)
    model.learn_one({"a": 7}, 1)
    assert model.features_seen_ == ["a", "a"]


def test_numbers_are_columns() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one({3: 1, np.int64(5): 1, True: 1}, "yes")
    assert model.features_seen_ == [3, 5, 1]
    model.learn_one([-1, 2**40, (1, 2), 0.5, None, b"x"], "no")
    assert model.features_seen_ == [3, 5, 1, -1, 2**40, (1, 2), 0.5, None, b"x"]


@every_classifier
def test_classes_grow(classifier: Classifier) -> None:
    model = classifier()
    for y in ["m", "z"]:
        model.learn_one({"x": 1}, y)
    assert model.classes_.tolist() == ["m", "z"]
    assert model.classes_.dtype.kind == "U"
    model.learn_one({"x": 1}, "a")
    assert model.classes_.tolist() == ["a", "m", "z"]
    assert list(model.predict_proba_one({"x": 1})) == ["a", "m", "z"]
    model.learn_one({"x": 1}, 7)
    assert model.classes_.tolist() == ["a", "m", "z", 7], "what cannot be compared stays as it came"
    assert model.classes_.dtype == object


@pytest.mark.parametrize(
    ("labels", "kind", "expected"),
    [
        ([3, 1, 2], "i", [1, 2, 3]),
        ([2.5, 1], "f", [1, 2.5]),
        ([True, False], "b", [False, True]),
        ([np.int8(4), np.uint16(2)], "i", [2, 4]),
        (["b", "a\0"], "O", ["a\0", "b"]),
        ([2**70, 1], "O", [1, 2**70]),
        ([2**63 - 1, 0.5], "O", [0.5, 2**63 - 1]),
        ([b"b\0", b"a"], "O", [b"a", b"b\0"]),
        ([(2, "x"), (1, "y")], "O", [(1, "y"), (2, "x")]),
        ([frozenset({1}), 2, "x"], "O", [frozenset({1}), 2, "x"]),
    ],
)
def test_labels_of_any_type_come_back(labels: list[Any], kind: str, expected: list[Any]) -> None:
    model = HoeffdingTreeClassifier(leaf_prediction="majority", tau=1)
    for i, label in enumerate(labels):
        for _ in range(10):
            model.learn_one([i], label)
    assert model.classes_.tolist() == expected
    assert model.classes_.dtype.kind == kind
    for i, label in enumerate(labels):
        assert model.predict_one([i]) == label
        row = np.zeros((1, len(labels)))
        row[0, i] = 1
        assert model.predict(row)[0] == label


@every_classifier
def test_a_new_class_after_fit(classifier: Classifier) -> None:
    X, y = stream()
    model = classifier(**BOLD).fit(X, y)
    model.learn_one([1], 9)
    assert model.classes_.tolist() == [0, 1, 9]
    assert model.predict_proba(X).shape == (X.shape[0], 3)
    model.partial_fit(X[:5], [9] * 5)
    assert model.n_points_ == len(y) + 6


@every_classifier
def test_weights(classifier: Classifier) -> None:
    weights: list[Any] = [3, 3.0, np.int64(3), np.float32(3), True]
    for w in weights:
        model = classifier()
        model.learn_one(["a"], 1, w=w)
        assert model.n_points_ == int(w)


def test_importances_of_points() -> None:
    X, y = stream(n_classes=3)
    model = HoeffdingTreeClassifier(**BOLD)
    for x, label in zip(dicts(X), y.tolist(), strict=True):
        model.learn_one({f"f{j}": True for j in x}, label)
    shares = model.feature_importances_
    assert len(shares) == len(model.features_seen_)
    assert shares.sum() == pytest.approx(1)
    nodes = model.learner.fitted().tree.nodes()
    tests = nodes["feature"][nodes["feature"] >= 0]
    assert set(np.flatnonzero(shares).tolist()) == set(tests.tolist())
    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")


@every_classifier
def test_dates_of_numpy_are_the_dates_of_python(classifier: Classifier) -> None:
    days = [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")]
    model, other = classifier(**BOLD), classifier(**BOLD)
    for i in range(200):
        model.learn_one([i % 2], days[i % 2])
        other.learn_one([i % 2], days[i % 2].item())
    assert model.classes_.tolist() == [day.item() for day in days]
    assert sum(model.predict_proba_one([1]).values()) == pytest.approx(1)
    assert model.predict_proba_one([1]) == other.predict_proba_one([1])


@every_classifier
def test_labels_that_cannot_be_compared_stand_alike_in_however_many_calls_they_came(classifier: Classifier) -> None:
    labels: list[Any] = [5, 2.5, "x", 5, "y", 2.5]
    one_by_one = classifier()
    for i, label in enumerate(labels):
        # 5 and 2.5 can be compared while there is nothing else.
        one_by_one.learn_one([i], label)
    batch = classifier()
    batch.learner.learn(batch_of(labels))
    assert one_by_one.classes_.tolist() == batch.classes_.tolist() == [2.5, 5, "x", "y"]
    assert one_by_one.to_bytes() == batch.to_bytes()


def batch_of(labels: list[Any]) -> Batch:
    y = np.empty(len(labels), dtype=object)
    y[:] = labels
    n = len(labels)
    return Batch(
        y=y,
        indptr=np.arange(n + 1, dtype=np.int64),
        indices=np.arange(n, dtype=np.int32),
        keys=None,
        n_features=n,
        first_line=1,
    )
