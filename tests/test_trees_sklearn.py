"""The tree classifiers in scikit-learn's world: its own checks, pipelines, searches, and what its users expect."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import DictVectorizer, FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from tree_models import BOLD, CLASSIFIERS, Classifier, stream

import sapwood
from sapwood import (
    DynamicTreeClassifier,
    ExtremelyFastDecisionTreeClassifier,
    HoeffdingTreeClassifier,
    StreamingTreeClassifier,
)
from sapwood.parameters import TREES, LeafPrediction

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)

# Each compares a model of weighted points with one of repeated points, in another order.
ORDER = (
    "the points are shuffled between the two models, and again in each, and a tree of a stream depends on their order; "
    "and a point of weight w is one step of a logistic regression w times as long, not w steps"
)
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}
# Leaves of counts alone, in which a point of weight w is w points; a tree of one leaf does not depend on the order.
COUNTED = {"majority", "naive_bayes"}


def expected_failures(model: Any) -> dict[str, str]:
    """Return the checks that a model fails, and why."""
    if model.leaf_prediction not in COUNTED:
        return EXPECTED_FAILURES
    is_early = isinstance(model, (StreamingTreeClassifier, ExtremelyFastDecisionTreeClassifier))
    if not is_early and (model.leaf_prediction == "majority" or isinstance(model, DynamicTreeClassifier)):
        return {}
    # Of the trees that split early, those of dense data, which has numbers, are more than a leaf; and naive Bayes
    # sees a number in ranges that its first values make, of which the order decides, and each of which counts once.
    return {"check_sample_weight_equivalence_on_dense_data": ORDER}


DECLARED: dict[str, Any] = (
    {"expected_failed_checks": expected_failures}
    if "expected_failed_checks" in inspect.signature(parametrize_with_checks).parameters
    else {}
)
# Every tree with every leaf prediction, which forests have of their trees; the defaults are checked in the fast test.
OTHER_LEAVES = [
    estimator(leaf_prediction=leaf_prediction)
    for estimator in (getattr(sapwood, kind.name) for kind in TREES if kind.core != "Forest")
    for leaf_prediction in get_args(LeafPrediction)
    if leaf_prediction != estimator().leaf_prediction
    and not (estimator.kind.core == "DynamicTree" and leaf_prediction not in COUNTED)
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks([getattr(sapwood, kind.name)() for kind in TREES], **DECLARED)  # type: ignore[untyped-decorator]  # scikit-learn has no annotations
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@parametrize_with_checks(
    [
        *OTHER_LEAVES,
        HoeffdingTreeClassifier(criterion="gini", leaf_prediction="majority", tau=0.5, random_state=1),
        HoeffdingTreeClassifier(criterion="gini", leaf_prediction="logistic", tau=0.5, random_state=1, shuffle=False),
        ExtremelyFastDecisionTreeClassifier(split_test="gaussian", max_bytes=1 << 20, delta=0.1),
    ],
    **DECLARED,
)  # type: ignore[untyped-decorator]  # scikit-learn has no annotations
def test_scikit_learn_checks_of_every_leaf_prediction(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


TEXTS = ["free money now", "lunch at noon", "free lunch now", "the noon meeting", "money now", "meeting at lunch"] * 20
KINDS = ["spam", "ham", "spam", "ham", "spam", "ham"] * 20


@every_classifier
@pytest.mark.parametrize("vectorizer", [CountVectorizer(), CountVectorizer(binary=True)])
def test_pipeline_of_text(classifier: Classifier, vectorizer: Any) -> None:
    pipeline = make_pipeline(clone(vectorizer), classifier(**BOLD)).fit(TEXTS, KINDS)
    assert pipeline.score(TEXTS, KINDS) == 1
    assert pipeline.classes_.tolist() == ["ham", "spam"]
    assert pipeline.predict_proba(["free money"]).sum() == pytest.approx(1)


@every_classifier
def test_pipeline_of_dictionaries_and_hashes(classifier: Classifier) -> None:
    points = [dict.fromkeys(text.split(), 1) for text in TEXTS]
    for transformer in (DictVectorizer(), FeatureHasher(n_features=64, alternate_sign=False)):
        assert make_pipeline(transformer, classifier(**BOLD)).fit(points, KINDS).score(points, KINDS) == 1


@every_classifier
def test_clone_and_parameters(classifier: Classifier) -> None:
    X, y = stream()
    model = classifier(delta=0.3, max_depth=2).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "classes_")
    assert is_classifier(twin)
    twin.set_params(max_depth=0).fit(X, y)
    assert twin.get_depth() == 0
    assert model.get_depth() > 0
    assert repr(classifier()) == f"{classifier.__name__}()"


@every_classifier
def test_parameters_take_effect_when_the_tree_starts(classifier: Classifier) -> None:
    X, y = stream()
    model = classifier(max_depth=0, **BOLD).partial_fit(X, y, classes=[0, 1])
    model.set_params(max_depth=None, binarize=None)
    assert model.partial_fit(X * 2, y).get_depth() == 0
    assert model.fit(X, y).get_depth() > 0


@every_classifier
def test_searches_and_validation(classifier: Classifier) -> None:
    X, y = stream(n=200)
    search = GridSearchCV(
        classifier(tau=0.2), {"delta": [1e-7, 0.2], "leaf_prediction": ["majority", "adaptive"]}, cv=3
    )
    assert search.fit(X, y).best_score_ > 0.8
    assert cross_val_score(classifier(**BOLD), X, y, cv=4).mean() > 0.8
    assert cross_val_predict(classifier(**BOLD), X, y, cv=3, method="predict_proba").shape == (200, 2)


@every_classifier
def test_before_fit(classifier: Classifier) -> None:
    X, _ = stream(n=10)
    model = classifier()
    for method in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises(NotFittedError):
            method(X)
    for question in (model.get_depth, model.get_n_leaves, model.summary):
        with pytest.raises(NotFittedError):
            question()
    for name in ("classes_", "n_features_in_", "feature_names_in_", "n_points_", "feature_importances_"):
        assert not hasattr(model, name)


@every_classifier
def test_partial_fit_declares_classes(classifier: Classifier) -> None:
    X, y = stream(n=50)
    model = classifier(**BOLD).partial_fit(X, y, classes=[5, 1, 0])
    assert model.classes_.tolist() == [0, 1, 5]
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (50, 3)
    assert not probabilities[:, 2].any()
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert model.predict_proba_one([30])[5] == 0.0
    model.partial_fit(X, [5] * 50, classes=[0, 1, 5])
    assert model.predict_proba(X)[:, 2].all()


@every_classifier
def test_paths_and_leaves(classifier: Classifier) -> None:
    X, y = stream()
    model = classifier(**BOLD).fit(X, y)
    paths = model.decision_path(X)
    nodes = model.learner.fitted().tree.nodes()
    assert paths.shape == (X.shape[0], len(nodes["feature"]))
    assert paths.format == "csr"
    leaves = model.apply(X)
    assert set(leaves.tolist()) <= set(np.flatnonzero(nodes["feature"] < 0).tolist())
    keys = model.features_seen_
    for i in range(0, X.shape[0], 7):
        at, passed = 0, [0]
        while nodes["feature"][at] >= 0:
            on = X[i, keys[nodes["feature"][at]]] > 0
            at = nodes["on" if on else "off"][at]
            passed.append(at)
        assert paths[i].indices.tolist() == passed
        assert leaves[i] == at
    assert model.get_n_leaves() == (nodes["feature"] < 0).sum()
    assert model.get_depth() == nodes["depth"].max()


@every_classifier
def test_importances_by_hand(classifier: Classifier) -> None:
    X, y = stream(n_classes=3)
    model = classifier(**BOLD).fit(X, y)
    nodes, keys = model.learner.fitted().tree.nodes(), model.features_seen_
    taken = np.zeros(X.shape[1])
    for at in np.flatnonzero(nodes["feature"] >= 0):
        taken[keys[nodes["feature"][at]]] += nodes["counts"][at].sum() * nodes["gain"][at]
    assert model.feature_importances_ == pytest.approx(taken / taken.sum())
    model.learn_one({"not a column": 1}, 0)
    assert len(model.feature_importances_) == X.shape[1]
    assert not classifier(max_depth=0).fit(X, y).feature_importances_.any()


@every_classifier
def test_summary(classifier: Classifier) -> None:
    X, y = stream()
    model = classifier(**BOLD).fit(X, y, sample_weight=[2] * len(y))
    summary = model.summary()
    assert (summary.n_points, summary.n_classes) == (2 * len(y), 2)
    assert summary.n_features_seen == len(model.features_seen_) == len(np.unique(X.indices))
    assert summary.n_nodes == 2 * summary.n_leaves - 1
    assert summary.depth == model.get_depth()
    assert summary.n_splits_tried >= summary.n_splits_made > 0
    assert summary.tree_bytes > 0
    assert len(str(summary).splitlines()) == 13


@every_classifier
def test_chunks_of_a_large_prediction(classifier: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream(n_classes=3)
    model = classifier(**BOLD).fit(X, y)
    whole = [model.predict(X), model.predict_proba(X), model.apply(X), model.decision_path(X).toarray()]
    monkeypatch.setattr("sapwood.learner.model._ROWS_IN_CHUNK", 7)
    parts = [model.predict(X), model.predict_proba(X), model.apply(X), model.decision_path(X).toarray()]
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


@every_classifier
def test_a_matrix_without_features_or_names(classifier: Classifier) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    X, y = stream(n=60)
    model = classifier().fit(np.zeros((60, 3), dtype=bool), y)
    assert model.features_seen_ == []
    assert model.predict(np.ones((2, 3))).shape == (2,)
    frame = pandas.DataFrame(X.toarray() > 0, columns=[f"c{j}" for j in range(X.shape[1])])
    named = classifier().fit(frame, y)
    assert named.feature_names_in_.tolist() == list(frame.columns)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(named.predict(X), named.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        named.predict(frame[frame.columns[::-1]])
    numbered = pandas.DataFrame(X.toarray() > 0)
    assert classifier().fit(numbered, y).features_seen_ == classifier().fit(X, y).features_seen_


class Derived(HoeffdingTreeClassifier):
    """A user's own class."""


def test_derived_classes_keep_what_they_have() -> None:
    X, y = stream()
    model = Derived(**BOLD).fit(X, y)
    model.note = "of the user"
    other = pickle.loads(pickle.dumps(model))
    assert type(other) is Derived
    assert other.note == "of the user"
    assert np.array_equal(other.predict_proba(X), model.predict_proba(X))


@every_classifier
@pytest.mark.parametrize("labels", [[1, "1"], ["a", 1.5], [b"a", "a"]], ids=str)
def test_labels_of_a_list_stay_what_they_are(classifier: Classifier, labels: list[Any]) -> None:
    # NumPy makes texts of them, of which the first two would be one class.
    X, y = np.eye(2)[[0, 1] * 10], labels * 10
    fitted = classifier().fit(X, y)
    partly = classifier().partial_fit(X, y, classes=labels)
    one = classifier()
    for row, label in zip(X.tolist(), y, strict=True):
        one.learn_one(dict(enumerate(row)), label)
    for model in (fitted, partly, one):
        assert sorted(model.classes_.tolist(), key=repr) == sorted(labels, key=repr)


@every_classifier
def test_score_is_the_share_of_right_answers(classifier: Classifier) -> None:
    X = np.eye(2)[[0, 1] * 10]
    y: list[Any] = [1, "1"] * 10
    model = classifier().fit(X, y)
    # scikit-learn's own score takes labels of one type only.
    assert model.score(X, y) == 1.0
    assert model.score(X, [1] * 20) == 0.5
    assert model.score(X, [1] * 20, [3, 1] * 10) == 0.75
    numbers = classifier().fit(X, [0, 1] * 10)
    assert numbers.score(X, np.array([0.0, 1.0, 1.0, 1.0] * 5)) == 0.75
    owner = classifier.__name__
    refused: list[tuple[Any, Any, Any, str]] = [
        (X, ["0", "1"] * 10, None, "y must hold labels like the classes, such as 0, got '0'"),
        (X, [0, 1], None, "y must have a label for every row, 20 in all, got 2"),
        (X[:1], [0, 1], None, "y must have a label for every row, 1 in all, got 2"),
        (X, [0, 1] * 10, [0] * 20, "sample_weight must hold a number above 0, got none"),
        (X, [0, 1] * 10, [-1] * 20, "sample_weight must hold numbers from 0 to .*"),
    ]
    for X_, y_, weights, message in refused:
        with pytest.raises(ValueError, match=f"^{owner}.score: {message}"):
            numbers.score(X_, y_, weights)
    with pytest.raises(
        ValueError, match=rf"^{owner}.score: y must hold labels like the classes, such as 'n', got b'n'$"
    ):
        classifier().fit(X, ["n", "y"] * 10).score(X, [b"n", b"y"] * 10)


def test_classes_that_are_not_themselves_are_refused() -> None:
    model = StreamingTreeClassifier()
    with pytest.raises(ValueError, match="partial_fit: classes must hold labels that equal themselves, got nan"):
        model.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1, np.nan])
    assert not hasattr(model, "classes_")


def test_what_an_array_masks_is_missing() -> None:
    r = np.random.default_rng(1)
    X, y = r.normal(size=(200, 2)), r.integers(0, 2, 200)
    gone = r.random(X.shape) < 0.3
    masked = np.ma.masked_array(X, gone)
    expected = StreamingTreeClassifier().fit(np.where(gone, np.nan, X), y)
    assert StreamingTreeClassifier().fit(masked, y).to_bytes() == expected.to_bytes()
    assert np.array_equal(expected.predict_proba(masked), expected.predict_proba(np.where(gone, np.nan, X)))
    flags = StreamingTreeClassifier().fit(np.ma.masked_array(X > 0, gone), y)
    assert flags.to_bytes() == StreamingTreeClassifier().fit((X > 0) & ~gone, y).to_bytes()
    with pytest.raises(ValueError, match="fit: y must hold labels, got one that is masked"):
        StreamingTreeClassifier().fit(X, np.ma.masked_array(y, gone[:, 0]))
