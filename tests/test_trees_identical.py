"""The same points make the same tree, to the last bit, however they arrive."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from streams import STREAMS, Stream, as_matrix
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, stream

from sapwood import HoeffdingTreeClassifier
from sapwood.estimators import TreeClassifier

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)
every_leaf = pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive"])


def by_points(model: TreeClassifier, X: Any, y: Iterable[Any], weights: Iterable[int] | None = None) -> TreeClassifier:
    """Let a model learn the rows one by one."""
    labels = list(y)
    for x, label, w in zip(dicts(X), labels, weights or [1] * len(labels), strict=True):
        model.learn_one(x, label, w=w)
    return model


@every_classifier
@every_leaf
@pytest.mark.parametrize("n_classes", [2, 4])
def test_fit_and_chunks_and_points(classifier: Classifier, leaf_prediction: str, n_classes: int) -> None:
    X, y = stream(n=400, n_classes=n_classes)
    options = {**BOLD, "leaf_prediction": leaf_prediction}
    fitted = classifier(**options).fit(X, y)
    assert fitted.get_n_leaves() > 1
    for size in (1, 7, 399):
        chunked = classifier(**options)
        for start in range(0, len(y), size):
            chunked.partial_fit(X[start : start + size], y[start : start + size], classes=range(n_classes))
        assert content(chunked) == content(fitted)
        assert np.array_equal(chunked.predict_proba(X), fitted.predict_proba(X))
    assert content(by_points(classifier(**options), X, y.tolist())) == content(fitted)


@every_classifier
@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_exact_searches(classifier: Classifier, criterion: str) -> None:
    X, y = stream(n=400, n_classes=3)
    certified, exhaustive = (
        classifier(search=search, criterion=criterion, **BOLD).fit(X, y) for search in ("certified", "exhaustive")
    )
    nodes, others = certified.learner.fitted().tree.nodes(), exhaustive.learner.fitted().tree.nodes()
    assert certified.get_n_leaves() > 1
    assert all(np.array_equal(nodes[column], others[column]) for column in nodes)
    assert np.array_equal(certified.predict_proba(X), exhaustive.predict_proba(X))


@every_classifier
def test_weights(classifier: Classifier) -> None:
    """Weights are the same to a matrix and to points, and a weight of 0 leaves no trace."""
    X, y = stream(n=300, n_classes=3)
    weights = np.random.default_rng(2).integers(0, 4, size=len(y))
    # A class, and features, that only points of weight 0 have.
    weights[:5] = 0
    y[:5] = 3
    fitted = classifier(**BOLD).fit(X, y, sample_weight=weights.astype(float))
    assert fitted.n_points_ == weights.sum()
    assert fitted.classes_.tolist() == [0, 1, 2, 3]
    assert not fitted.predict_proba(X)[:, 3].any()
    points = by_points(classifier(**BOLD), X, y.tolist(), weights.tolist())
    assert points.classes_.tolist() == [0, 1, 2]
    kept = weights > 0
    without = classifier(**BOLD).fit(X[kept], y[kept], sample_weight=weights[kept])
    assert content(fitted) == content(points) == content(without)
    assert fitted.learner.fitted().tree.n_classes() == 3


@every_classifier
def test_formats(classifier: Classifier) -> None:
    """The matrix counts, not how it is stored."""
    X, y = stream()
    fitted = classifier(**BOLD).fit(X, y)
    backwards = X.copy()
    for i in range(X.shape[0]):
        row = slice(X.indptr[i], X.indptr[i + 1])
        backwards.indices[row] = backwards.indices[row][::-1]
    backwards.has_sorted_indices = True  # a flag that lies
    spaced = scipy.sparse.csr_array(
        (np.r_[X.data, 1.0], np.r_[X.indices, 0], X.indptr), shape=X.shape
    )  # room behind the last row
    others = [
        X.toarray().astype(bool),
        X.toarray().astype(bool).tolist(),
        X.tocsc(),
        X.tocoo(),
        X.tolil(),
        scipy.sparse.csr_array(X).astype(bool),
        X.astype(np.int64) * 5,
        backwards,
        spaced,
    ]
    for other in others:
        assert content(classifier(**BOLD).fit(other, y)) == content(fitted)
        assert np.array_equal(fitted.predict_proba(other), fitted.predict_proba(X))
    assert backwards.indices[0] == X.indices[X.indptr[1] - 1], "the matrix of the caller was changed"
    # By themselves these hold numbers; a model that has learned flags reads them as such.
    for dense in (X.toarray(), X.toarray(order="F"), X.toarray().astype(np.float32) * 7 - 3, X.toarray().tolist()):
        assert np.array_equal(fitted.predict_proba(dense), fitted.predict_proba(X))


@every_classifier
def test_stored_values_that_are_off(classifier: Classifier) -> None:
    X, y = stream()
    rng = np.random.default_rng(3)
    noisy = X.toarray().astype(float)
    off = (noisy == 0) & (rng.random(noisy.shape) < 0.1)
    noisy[off] = -rng.random(int(off.sum()))
    with pytest.warns(UserWarning, match="negative values"):
        model = classifier(**BOLD).fit(scipy.sparse.csr_matrix(noisy), y)
    assert content(model) == content(classifier(**BOLD).fit(X, y))


def test_binarize() -> None:
    X, y = stream()
    values = X.toarray() * np.random.default_rng(4).random(X.shape)
    by_hand = HoeffdingTreeClassifier(**BOLD).fit(values > 0.4, y)
    model = HoeffdingTreeClassifier(binarize=0.4, **BOLD).fit(scipy.sparse.csr_matrix(values), y)
    assert content(model) == content(by_hand)
    assert np.array_equal(model.predict_proba(values), by_hand.predict_proba(values > 0.4))
    points = HoeffdingTreeClassifier(**BOLD)
    for row, label in zip(values, y.tolist(), strict=True):
        points.learn_one(dict(enumerate(row > 0.4)), label)
    assert content(points) == content(by_hand)
    none = HoeffdingTreeClassifier(binarize=None, **BOLD).fit(X, y)
    assert content(none) == content(HoeffdingTreeClassifier(**BOLD).fit(X, y))


@every_classifier
def test_names_of_classes_do_not_matter(classifier: Classifier) -> None:
    X, y = stream(n_classes=3)
    fitted = classifier(**BOLD).fit(X, y)
    for names in (["z", "a", "m"], [b"z", b"a", b"m"], [2.0, 7.0, -1.0], [True, "yes", (1, 2)]):
        labels = np.empty(len(y), dtype=object)
        labels[:] = [names[k] for k in y]
        points = by_points(classifier(**BOLD), X, labels.tolist())
        assert content(points) == content(fitted)
        answers = points.predict(X)
        assert [names.index(answer) for answer in answers.tolist()] == fitted.predict(X).tolist()


@every_classifier
def test_a_mix_of_interfaces(classifier: Classifier) -> None:
    X, y = stream(n=300, n_classes=3)
    fitted = classifier(**BOLD).fit(X, y)
    mixed = by_points(classifier(**BOLD), X[:50], y[:50].tolist())
    mixed.partial_fit(X[50:120], y[50:120])
    by_points(mixed, X[120:200], y[120:200].tolist())
    mixed.partial_fit(X[200:], y[200:])
    assert content(mixed) == content(fitted)
    assert mixed.n_features_in_ == X.shape[1]
    other = classifier(**BOLD).fit(X[:100], y[:100])
    assert content(by_points(other, X[100:], y[100:].tolist())) == content(fitted)


@every_classifier
def test_named_columns(classifier: Classifier) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    X, y = stream(n=300)
    names = [f"word {j}" for j in range(X.shape[1])]
    frame = pandas.DataFrame(X.toarray().astype(bool), columns=names)
    fitted = classifier(**BOLD).fit(frame, y)
    points = classifier(**BOLD)
    for x, label in zip(dicts(X), y.tolist(), strict=True):
        points.learn_one({names[j]: value for j, value in x.items()}, label)
    assert content(points) == content(fitted)
    assert fitted.features_seen_ == points.features_seen_
    assert np.array_equal(points.predict_proba(frame), fitted.predict_proba(frame))
    chunked = classifier(**BOLD)
    for start in range(0, len(y), 70):
        chunked.partial_fit(frame.iloc[start : start + 70], y[start : start + 70], classes=[0, 1])
    assert content(chunked) == content(fitted)
    # As to the tree, a name is as good as a number.
    assert chunked.learner.fitted().tree.to_bytes() == classifier(**BOLD).fit(X, y).learner.fitted().tree.to_bytes()
    shares = fitted.feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert np.array_equal(shares, classifier(**BOLD).fit(X, y).feature_importances_)


def test_the_seed_chooses_among_equals_only() -> None:
    X, y = stream(n_classes=3)
    twins = scipy.sparse.hstack([X, X]).tocsr()
    plain, *seeded = (HoeffdingTreeClassifier(random_state=seed, **BOLD).fit(twins, y) for seed in (None, *range(20)))
    first = [model.features_seen_[model.learner.fitted().tree.nodes()["feature"][0]] for model in (plain, *seeded)]
    assert first[0] < X.shape[1], "the feature that was seen first"
    assert {feature % X.shape[1] for feature in first} == {first[0]}
    assert len(set(first)) == 2, "both twins are chosen by some seed"
    again = HoeffdingTreeClassifier(random_state=3, **BOLD).fit(twins, y)
    assert content(again) == content(seeded[3])
    drawn = [HoeffdingTreeClassifier(random_state=np.random.RandomState(5), **BOLD).fit(twins, y) for _ in range(2)]
    assert content(drawn[0]) == content(drawn[1])


@every_classifier
@given(points=STREAMS, cuts=st.lists(st.integers(0, 60), max_size=4), data=st.data())
def test_any_stream_in_any_chunks(classifier: Classifier, points: Stream, cuts: list[int], data: st.DataObject) -> None:
    """Not only the streams that were thought of."""
    points = [(tuple(j % 2**30 for j in features), label) for features, label in points]
    points = [(features, label) for features, label in points if len(set(features)) == len(features)] or [((), 1)]
    X, y = as_matrix(points)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    weights[0] = 1
    fitted = classifier(**BOLD).fit(X, y, sample_weight=weights)
    chunked = classifier(**BOLD)
    ends = sorted({0, len(y), *(cut for cut in cuts if cut < len(y))})
    for start, end in pairwise(ends):
        chunked.partial_fit(X[start:end], y[start:end], classes=[0, 1], sample_weight=weights[start:end])
    assert content(chunked) == content(fitted)
    assert content(by_points(classifier(**BOLD), X, y.tolist(), weights)) == content(fitted)
