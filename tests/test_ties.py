"""The predicted class is the first of the most probable ones in `classes_`; a repeated feature counts once."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from tree_models import content, stream

import sapwood
from sapwood.data import Batch
from sapwood.evaluate import prequential
from sapwood.parameters import TREES, LeafPrediction

CLASSIFIERS = [getattr(sapwood, kind.name) for kind in TREES]
every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)
# The trees of a forest draw how often they learn a point: what ties in one tree need not tie in all together.
every_single_tree = pytest.mark.parametrize("classifier", [each for each in CLASSIFIERS if each.kind.core != "Forest"])
# A tree that forgets lists classes, features and their order by what they are, never by what came first.
every_ordered_classifier = pytest.mark.parametrize(
    "classifier", [each for each in CLASSIFIERS if each.kind.core == "Tree"]
)
# It has no leaves that are trained step by step.
every_classifier_and_leaf = pytest.mark.parametrize(
    ("classifier", "leaf_prediction"),
    [
        (classifier, leaf_prediction)
        for classifier in CLASSIFIERS
        for leaf_prediction in get_args(LeafPrediction)
        if classifier.kind.core == "Tree" or leaf_prediction in {"majority", "naive_bayes"}
    ],
)
# Classes that come in another order than `classes_` has them, and as often as each other.
POINTS: list[tuple[list[str], str]] = [
    (["x"], "c"),
    (["x"], "a"),
    (["x"], "b"),
    (["y"], "b"),
    (["y"], "c"),
    (["y"], "a"),
]


@every_classifier_and_leaf
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_answer_is_the_first_of_the_most_probable(classifier: Any, leaf_prediction: str, n_classes: int) -> None:
    X, y = stream(n=200, n_classes=n_classes)
    y = n_classes - y  # so that the order of appearance is another one
    in_order = {"shuffle": False} if "shuffle" in classifier().get_params() else {}
    model = classifier(leaf_prediction=leaf_prediction, max_depth=1, **in_order).fit(X[:40], y[:40])
    rows = np.vstack([np.eye(X.shape[1])[:40], X.toarray()]) > 0
    expected = model.classes_[model.predict_proba(rows).argmax(axis=1)]
    assert np.array_equal(model.predict(rows), expected)
    for row, label in zip(rows, expected.tolist(), strict=True):
        x = dict(enumerate(row.tolist()))
        shares = model.predict_proba_one(x)
        assert list(shares) == model.classes_.tolist()
        assert model.predict_one(x) == label == max(shares, key=shares.__getitem__)
        # What is explained of a forest is its first tree, not what all of them answer.
        if classifier.kind.core != "Forest":
            assert model.explain_one(x).label == label


@every_single_tree
def test_ties(classifier: Any) -> None:
    model = classifier(leaf_prediction="majority", max_depth=0)
    predicted = []
    for x, label in POINTS:
        predicted.append(model.predict_one(x))
        model.learn_one(x, label)
    assert predicted == [None, "c", "a", "a", "b", "b"]
    assert model.predict_one(["x"]) == "a"
    assert model.predict_proba_one(["x"]) == pytest.approx({"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})
    assert list(model.predict_proba_one(["x"])) == ["a", "b", "c"]
    assert "a 0.333" in model.export_text()
    told = model.explain_one(["x"])
    assert (told.label, told.against) == ("a", "b")
    assert model.to_dict()["nodes"][0]["counts"] == [2, 2, 2]
    batch = Batch.of_points([x for x, _ in POINTS], [label for _, label in POINTS])
    learner = type(model.learner)(model.kind, model.get_params())
    answers = learner.test_then_learn(batch)
    assert [None if k < 0 else answers.classes[k] for k in answers.predicted] == predicted
    for given in (iter(POINTS), iter([batch])):
        found = prequential(classifier(leaf_prediction="majority", max_depth=0), given)
        right = sum(a == b for a, (_, b) in zip(predicted, POINTS, strict=True))
        assert found["accuracy"] == pytest.approx(right / len(POINTS))


@every_single_tree
def test_ties_for_river(classifier: Any) -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    model = getattr(river, classifier.__name__)(leaf_prediction="majority", max_depth=0)
    for x, label in POINTS:
        model.learn_one(dict.fromkeys(x, 1), label)
    assert model.predict_one({"x": 1}) == "a"
    assert list(model.predict_proba_one({"x": 1})) == ["a", "b", "c"]


@every_ordered_classifier
def test_classes_that_cannot_be_compared(classifier: Any) -> None:
    model = classifier(leaf_prediction="majority", max_depth=0)
    for label in (2, "a", 1):
        model.learn_one([], label)
    assert list(model.predict_proba_one([])) == model.classes_.tolist() == [2, "a", 1]
    assert model.predict_one([]) == 2
    model.partial_fit([[0]], [2], classes=np.array([2, "a", 1], dtype=object))
    model.partial_fit([[0], [0]], np.array(["a", 1], dtype=object))
    assert model.predict([[0]]).tolist() == [model.classes_[0]]


@every_classifier
def test_one_class_and_declared_ones(classifier: Any) -> None:
    model = classifier(leaf_prediction="majority").partial_fit([[1, 0]], ["b"], classes=["a", "b", "c"])
    assert model.predict([[0, 1], [1, 0]]).tolist() == ["b", "b"]
    assert model.predict_proba_one([0]) == {"a": 0, "b": 1, "c": 0}
    assert list(model.predict_proba_one([0])) == ["a", "b", "c"]
    assert model.predict_one([0]) == "b"


@every_classifier_and_leaf
def test_logarithms(classifier: Any, leaf_prediction: str) -> None:
    X, y = stream(n=100)
    model = classifier(leaf_prediction=leaf_prediction).partial_fit(X, y, classes=[0, 1, 2])
    logarithms = model.predict_log_proba(X)
    assert np.allclose(np.exp(logarithms), model.predict_proba(X))
    assert np.all(np.isneginf(logarithms[:, 2]))


@every_ordered_classifier
@pytest.mark.parametrize(
    ("repeated", "once"),
    [
        (["b", "a", "b", "c", "a"], ["b", "a", "c"]),
        ([3, 1, 3.0, True, np.int64(3)], [3, 1]),
        (("x", "x"), ("x",)),
        ({"a=b": True, "a": "b"}, {"a=b": True}),
        ({"a": "b=c", "a=b": "c"}, {"a=b": "c"}),
        ({"a": ["b", "c", "b"]}, {"a": ["b", "c"]}),
        ([10**40, "z", 10**40], [10**40, "z"]),
    ],
)
def test_a_repeated_feature_counts_once(classifier: Any, repeated: Any, once: Any) -> None:
    first, second = classifier(), classifier()
    for i in range(12):
        first.learn_one(repeated if i % 2 else ["other"], i % 2)
        second.learn_one(once if i % 2 else ["other"], i % 2)
        # Both when its features are new and when they are known.
        assert content(first) == content(second)
    assert first.features_seen_ == second.features_seen_
    assert first.predict_proba_one(repeated) == second.predict_proba_one(once)
    assert str(first.explain_one(repeated)) == str(first.explain_one(once))
    batch = Batch.of_points([repeated, once], [0, 1])
    of_repeated, of_once = batch.features()
    assert of_repeated == of_once
    # From an iterator, which is read in Python.
    third = classifier()
    third.learn_one(iter(list(repeated)) if not isinstance(repeated, dict) else repeated, 0)
    assert third.features_seen_ == [*first.features_seen_][1:]
