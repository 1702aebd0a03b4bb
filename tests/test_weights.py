"""The weights of points and of classes, and the order in which `fit` takes points."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference_weights import counts
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from tree_models import BOLD, CLASSIFIERS, Classifier, content, dicts, state, stream

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier, StreamingTreeClassifier
from sapwood.evaluate import prequential

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


def fractions(n: int, seed: int = 3) -> NDArray[np.float64]:
    """Return weights: fractions, whole numbers and 0."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(1.2, size=n)
    weights[::3] = np.floor(weights[::3])
    return weights


def by_points(model: Any, X: Any, y: Any, weights: Any) -> Any:
    for x, label, w in zip(dicts(X), y.tolist(), weights.tolist(), strict=True):
        model.learn_one(x, label, w=w)
    return model


# ---- fractions -----------------------------------------------------------------------------------------------------


@every_classifier
@pytest.mark.parametrize("seed", [None, 0, 7])
def test_counts_are_those_of_the_documented_generator(classifier: Classifier, seed: int | None) -> None:
    X, y = stream(n=300, n_classes=3)
    weights = fractions(300)
    expected = counts(weights, seed or 0)
    model = classifier(random_state=seed, leaf_prediction="majority", max_depth=0)
    for i, (x, w) in enumerate(zip(dicts(X), weights.tolist(), strict=True)):
        model.learn_one(x, int(y[i]), w=w)
        assert model.n_points_ == sum(expected[: i + 1])
    of_class = np.bincount(y, expected)
    assert model.predict_proba(X[:1])[0] == pytest.approx(of_class / of_class.sum())


def test_rounding_has_no_bias() -> None:
    n, w = 20_000, 0.3
    model = HoeffdingTreeClassifier(max_depth=0).partial_fit(
        np.zeros((n, 1)), [0] * n, classes=[0], sample_weight=[w] * n
    )
    assert abs(model.n_points_ - n * w) < 5 * math.sqrt(n * w * (1 - w))


@every_classifier
@pytest.mark.parametrize("options", [{}, {"random_state": 5}, {"max_bytes": 1 << 20}, {"leaf_prediction": "logistic"}])
def test_any_way_the_points_come(classifier: Classifier, options: dict[str, Any]) -> None:
    X, y = stream(n=400, n_classes=3)
    weights = fractions(400)
    whole = classifier(**BOLD, **options).partial_fit(X, y, classes=[0, 1, 2], sample_weight=weights)
    assert whole.get_n_leaves() > 1
    chunked = classifier(**BOLD, **options)
    for start in range(0, 400, 7):
        part = slice(start, start + 7)
        chunked.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weights[part])
    assert content(chunked) == content(whole)
    single = by_points(classifier(**BOLD, **options), X, y, weights)
    assert content(single) == content(whole)
    ways: list[Any] = [lambda m: type(m).from_bytes(m.to_bytes()), lambda m: pickle.loads(pickle.dumps(m))]
    for again in ways:
        resumed = by_points(classifier(**BOLD, **options), X[:150], y[:150], weights[:150])
        assert content(by_points(again(resumed), X[150:], y[150:], weights[150:])) == content(whole)


@every_classifier
def test_whole_numbers_do_not_depend_on_the_seed(classifier: Classifier) -> None:
    X, y = stream()
    weights = np.arange(len(y)) % 4
    models = [
        classifier(leaf_prediction="majority", random_state=seed, max_depth=0).partial_fit(
            X, y, [0, 1], weights * as_type(1)
        )
        for seed in (1, 2)
        for as_type in (int, float, np.float32)
    ]
    assert {model.n_points_ for model in models} == {weights.sum()}
    assert all(np.array_equal(model.predict_proba(X), models[0].predict_proba(X)) for model in models)


def test_logistic_regression_takes_weights_as_they_are() -> None:
    """By a plain regression with AdaGrad steps: the trunk, and the correction of a single leaf."""
    X, y = stream(n=200)
    weights = fractions(200)
    weights[5] = 1e-3
    rate, first = 0.15, 0.05
    trunk: dict[str, dict[Any, float]] = {"w": {}, "g": {}}
    leaf: dict[str, dict[Any, float]] = {"w": {}, "g": {}}
    expected = []
    for x, label, w in zip(dicts(X), y.tolist(), weights.tolist(), strict=True):
        on = ["intercept", *x]
        of_trunk = sum(trunk["w"].get(j, 0.0) for j in on)
        of_leaf = of_trunk + sum(leaf["w"].get(j, 0.0) for j in on)
        expected.append(1 / (1 + math.exp(-of_leaf)))
        for model, score in ((trunk, of_trunk), (leaf, of_leaf)):
            gradient = (1 / (1 + math.exp(-score)) - label) * w
            for j in on:
                model["g"][j] = model["g"].get(j, 0.0) + gradient**2
                step = rate * gradient / math.sqrt(first + model["g"][j])
                model["w"][j] = model["w"].get(j, 0.0) - (step if w else 0)
    found = []
    model = HoeffdingTreeClassifier(leaf_prediction="logistic", max_depth=0)
    # A sparse row: the columns of a dense one would be numbers, and not the flags that the points have.
    model.partial_fit(csr_matrix((1, X.shape[1])), [0], classes=[0, 1], sample_weight=[0])
    model.learn_one({}, 0, w=0)
    order = [0, 1] if y[0] == 0 else [1, 0]
    for x, label, w in zip(dicts(X), y.tolist(), weights.tolist(), strict=True):
        found.append(model.predict_proba_one(x))
        model.learn_one(x, label, w=w)
    late = 20
    assert len(set(y[:late].tolist())) == 2
    probabilities = [shares[1] for shares in found[late:]]
    if order == [0, 1]:
        assert probabilities == pytest.approx(expected[late:], rel=1e-4)
    else:
        # The scores are of the second class met.
        assert [1 - p for p in probabilities] == pytest.approx([1 - p for p in expected[late:]], rel=1e-4)


@every_classifier
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive"])
def test_a_point_that_is_rounded_to_nothing(classifier: Classifier, leaf_prediction: str) -> None:
    model = classifier(leaf_prediction=leaf_prediction)
    for i in range(20):
        model.learn_one(["a"] if i % 2 else ["b"], i % 2, w=1e-12)
    # No count has changed, and no search has begun; yet the model has met classes and features.
    assert model.n_points_ == 0
    assert model.classes_.tolist() == [0, 1]
    assert model.features_seen_ == ["b", "a"]
    tree = model.learner.fitted().tree
    assert tree.n_met() == 20
    assert not tree.nodes()["counts"].any()
    shares = model.predict_proba_one(["a"])
    if leaf_prediction in ("majority", "naive_bayes"):
        assert shares == {0: 0.5, 1: 0.5}
    else:
        assert shares[1] > 0.5
    assert "0 points" in model.export_text()
    assert model.explain_one(["a"]).n == 0
    again = classifier.from_bytes(model.to_bytes())
    assert content(again) == content(model)
    for each in (again, model):
        each.learn_one(["a"], 1, w=2)
    assert content(again) == content(model)
    assert model.n_points_ == 2


@every_classifier
@pytest.mark.parametrize(
    ("weight", "error"),
    [
        (-1, ValueError),
        (-0.5, ValueError),
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (2**31, ValueError),
        pytest.param(10**400, ValueError, id="beyond every float"),
        ("1", TypeError),
        (None, TypeError),
        (1j, TypeError),
        ([1], TypeError),
    ],
)
def test_weights_that_are_none(classifier: Classifier, weight: Any, error: type[Exception]) -> None:
    X, y = stream(n=60)
    model = by_points(classifier(**BOLD), X, y, fractions(60))
    before = state(model)
    shown = re.escape(repr(weight))
    with pytest.raises(
        error, match=rf"^{classifier.__name__}\.learn_one: w must be a number from 0 to \d+, got {shown}$"
    ):
        model.learn_one({1: 1}, "new", w=weight)
    assert state(model) == before
    if weight is None or isinstance(weight, list):
        return
    shown = {"1": "'1'", 1j: r"\(1\+0j\)"}.get(weight, shown)  # NumPy makes all of them complex
    ways: list[Any] = [
        lambda w: model.partial_fit(X[:3], y[:3], sample_weight=w),
        lambda w: model.fit(X[:3], y[:3], w),
    ]
    for learn in ways:
        with pytest.raises(ValueError, match=rf"fit: sample_weight must hold numbers from 0 to \d+, got {shown}$"):
            learn([1, weight, 0.5])
        assert state(model) == before
    with pytest.raises(ValueError, match=r"sample_weight must have one weight for every row of X, 3 in all"):
        model.fit(X[:3], y[:3], [1.5, 2])
    assert state(model) == before


def test_a_masked_weight_is_none() -> None:
    X, y = stream()
    weights = np.ma.masked_array(np.ones(len(y)), mask=[True] + [False] * (len(y) - 1))
    with pytest.raises(
        ValueError, match=r"fit: sample_weight must hold numbers from 0 to \d+, got one that is masked$"
    ):
        HoeffdingTreeClassifier().fit(X, y, sample_weight=weights)


def test_too_many_points() -> None:
    model = HoeffdingTreeClassifier(max_depth=0)
    model.learn_one([1], 0, w=2**31 - 1.5)
    assert model.n_points_ in {2**31 - 2, 2**31 - 1}
    before = state(model)
    with pytest.raises(OverflowError, match="learn_one: points must be at most 2147483647 in all, got 3 more"):
        model.learn_one([1], 1, w=2.5)
    assert state(model) == before


# ---- all points at once ----------------------------------------------------------------------------------------------


@every_classifier
def test_fit_scales_weights_that_are_not_whole(classifier: Classifier) -> None:
    X, y = stream(n=300)
    weights = fractions(300)
    models = [classifier(**BOLD).fit(X, y, sample_weight=weights * scale) for scale in (1, 2.0**-30, 2.0**15)]
    assert {content(model) for model in models} == {content(models[0])}
    scaled = weights / weights[weights > 0].mean()
    assert abs(models[0].n_points_ - scaled.sum()) < 5 * math.sqrt(300)
    by_hand = classifier(**BOLD).partial_fit(X, y, classes=[0, 1], sample_weight=scaled)
    assert by_hand.n_points_ == pytest.approx(models[0].n_points_, abs=3)
    # Whole numbers say how often.
    assert classifier(**BOLD).fit(X, y, sample_weight=[3.0] * 300).n_points_ == 900
    kept = weights > 0
    assert content(classifier(**BOLD).fit(X[kept], y[kept], weights[kept])) == content(models[0])


@every_classifier
def test_boosting_and_bagging(classifier: Classifier) -> None:
    X, y = stream(n=600, n_classes=3)
    one = classifier(max_depth=1, leaf_prediction="majority", **BOLD).fit(X[:400], y[:400])
    boosted = AdaBoostClassifier(clone_of(one), n_estimators=10, random_state=1).fit(X[:400], y[:400])
    assert boosted.score(X[400:], y[400:]) > one.score(X[400:], y[400:]) + 0.1
    assert all(each.get_n_leaves() == 2 for each in boosted.estimators_)
    default = AdaBoostClassifier(classifier(), n_estimators=5, random_state=1).fit(X[:400], y[:400])
    assert default.score(X[400:], y[400:]) > 0.8
    bagged = BaggingClassifier(classifier(**BOLD), n_estimators=5, random_state=1).fit(X[:400], y[:400])
    assert bagged.score(X[400:], y[400:]) > 0.8


def clone_of(model: Any) -> Any:
    return type(model)(**model.get_params())


def rare(n: int = 3000) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return points of which one in twenty is of class 1, told by a feature that one in eight of the others has."""
    rng = np.random.default_rng(4)
    y = (rng.random(n) < 0.05).astype(np.int64)
    X = rng.random((n, 6)) < 0.1
    X[:, 0] = rng.random(n) < np.where(y == 1, 0.9, 0.125)
    return X, y


@every_classifier
@pytest.mark.parametrize("leaf_prediction", ["majority", "naive_bayes", "logistic", "adaptive"])
def test_balance(classifier: Classifier, leaf_prediction: str) -> None:
    X, y = rare()
    options: dict[str, Any] = {"leaf_prediction": leaf_prediction, "delta": 1e-3}
    weighted = classifier(**options).fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    balanced = classifier(class_weight="balanced", **options).fit(X, y)
    assert content(weighted) == content(balanced)
    assert balanced_accuracy_score(y, balanced.predict(X)) > 0.85
    assert balanced_accuracy_score(y, classifier(**options).fit(X, y).predict(X)) < 0.7
    assert abs(balanced.n_points_ - len(y)) < 200


# ---- classes -------------------------------------------------------------------------------------------------------


@every_classifier
def test_class_weight_is_sample_weight(classifier: Classifier) -> None:
    X, y = stream(n=300, n_classes=3)
    class_weight = {0: 2, 1: 0.4}
    own = fractions(300)
    for weights in (None, own):
        times = np.array([2, 0.4, 1])[y] * (1 if weights is None else weights)
        expected = classifier(**BOLD).partial_fit(X, y, [0, 1, 2], times)
        model = classifier(class_weight=class_weight, **BOLD)
        assert content(model.partial_fit(X, y, [0, 1, 2], weights)) == content(expected)
        single = by_points(
            classifier(class_weight=class_weight, **BOLD), X, y, np.ones(300) if weights is None else weights
        )
        assert content(single) == content(expected)
        fitted = classifier(class_weight=class_weight, **BOLD).fit(X, y, weights)
        assert content(fitted) == content(classifier(**BOLD).fit(X, y, times))
    evaluated = classifier(class_weight=class_weight, **BOLD)
    assert prequential(evaluated, (X, y)).n == 300
    learned = classifier(**BOLD).partial_fit(X, y, [0, 1, 2], np.array([2, 0.4, 1])[y])
    assert content(evaluated) == content(learned)
    again = classifier.from_bytes(evaluated.to_bytes())
    assert again.class_weight == class_weight
    for each in (again, evaluated):
        each.learn_one({1: 1}, 0)
    assert content(again) == content(evaluated)


@every_classifier
def test_the_weights_of_classes_are_those_of_the_start(classifier: Classifier) -> None:
    class_weight = {"a": 3}
    model = classifier(class_weight=class_weight)
    model.learn_one([1], "a")
    class_weight["a"] = 50
    model.learn_one([1], "a")
    assert model.n_points_ == 6


def test_class_weight_for_river() -> None:
    river = pytest.importorskip("sapwood.river", reason="river, of the extra `river`, is not installed")
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    one = river.HoeffdingTreeClassifier(class_weight={"a": 3})
    many = river.HoeffdingTreeClassifier(class_weight={"a": 3})
    points = [({"x": 1, "y": 0}, "a"), ({"x": 0, "y": 1}, "b")] * 5
    for x, label in points:
        one.learn_one(x, label)
    many.learn_many(pandas.DataFrame([x for x, _ in points]), pandas.Series([label for _, label in points]))
    assert one.summary().n_points == many.summary().n_points == 20
    assert one.predict_proba_one({"x": 1}) == many.predict_proba_one({"x": 1})
    one.learn_one({"x": 1}, "a", w=0.5)
    assert one.summary().n_points in {21, 22}
    balanced = river.HoeffdingTreeClassifier(class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight 'balanced' is not supported for learn_one"):
        balanced.learn_one({"x": 1}, "a")
    assert not hasattr(river.HoeffdingTreeClassifier(), "shuffle")


@every_classifier
def test_balanced_is_for_fit(classifier: Classifier) -> None:
    X, y = stream(n=60)
    with pytest.raises(ValueError, match="is not supported for") as caught:
        SGDClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    model = classifier(class_weight="balanced")
    calls: list[Any] = [
        lambda: model.partial_fit(X, y, classes=[0, 1]),
        lambda: model.learn_one({1: 1}, 0),
    ]
    for call, method in zip(calls, ("partial_fit", "learn_one"), strict=True):
        message = f"{classifier.__name__}.{method}: {caught.value}".replace("for partial_fit", f"for {method}")
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            call()
        assert not hasattr(model, "classes_")
    before = state(model.fit(X, y))
    for call in calls:
        with pytest.raises(ValueError, match="is not supported for"):
            call()
        assert state(model) == before


@every_classifier
def test_weights_of_classes_that_are_none(classifier: Classifier) -> None:
    X, y = stream(n=60)
    model = classifier(class_weight={"0": 2, 1: 3})
    calls: list[Any] = [lambda: model.fit(X, y), lambda: model.partial_fit(X, y, classes=[0, 1])]
    for call in calls:
        with pytest.raises(ValueError, match=r"class_weight must have classes for keys, \[0, 1\], got '0'"):
            call()
        assert not hasattr(model, "classes_")
    # A class that is yet to come may have a weight.
    model.learn_one([1], 1)
    assert model.n_points_ == 3
    assert classifier(class_weight={0: 2, 1: 3, 7: 1}).fit(X, y).classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="sample_weight times class_weight must hold a weight that is not zero"):
        classifier(class_weight={0: 0, 1: 0}).fit(X, y)
    with pytest.raises(ValueError, match="w times class_weight must be a number from 0 to"):
        classifier(class_weight={0: 2**30}).learn_one([1], 0, w=4)
    with pytest.raises(ValueError, match="sample_weight times class_weight must be numbers from 0 to"):
        classifier(class_weight={0: 2**30}).fit([[1]], [0], [4])


def test_balanced_is_that_of_scikit_learn() -> None:
    _, y = rare(500)
    classes = np.unique(y)
    found = dict(zip(classes.tolist(), compute_class_weight("balanced", classes=classes, y=y), strict=True))
    X = np.zeros((500, 2))
    models = [HoeffdingTreeClassifier(class_weight=each).fit(X, y) for each in ("balanced", found)]
    assert content(models[0]) == content(models[1])


# ---- order ---------------------------------------------------------------------------------------------------------


@every_classifier
@pytest.mark.parametrize("seed", [None, 0, 3])
def test_the_order_of_fit(classifier: Classifier, seed: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = stream(n=400, n_classes=3)
    weights = np.arange(400) % 3
    options = {**BOLD, "random_state": seed}
    order = np.random.RandomState(seed or 0).permutation(400)
    for given in (None, weights):
        shuffled = classifier(**{**options, "shuffle": True}).fit(X, y, given)
        by_hand = classifier(**options).fit(X[order], y[order], None if given is None else given[order])
        in_order = classifier(**options).fit(X, y, given)
        assert content(shuffled) == content(by_hand) != content(in_order)
        assert shuffled.classes_.tolist() == [0, 1, 2]
        assert np.array_equal(shuffled.predict(X), by_hand.predict(X))
        with monkeypatch.context() as patched:
            patched.setattr("sapwood.learner.learner._ROWS_IN_PART", 7)
            assert content(classifier(**{**options, "shuffle": True}).fit(X, y, given)) == content(shuffled)
    # partial_fit takes them as they come, whatever is asked of fit.
    learned = classifier(**{**options, "shuffle": True}).partial_fit(X, y, classes=[0, 1, 2])
    assert content(learned) == content(classifier(**options).fit(X, y))


@every_classifier
def test_a_random_state_that_is_drawn_from(classifier: Classifier) -> None:
    X, y = stream()
    first, second = (classifier(random_state=np.random.RandomState(1)).fit(X, y) for _ in range(2))
    assert content(first) == content(second)
    state_of_numpy = np.random.RandomState(1)
    once, twice = (classifier(random_state=state_of_numpy).fit(X, y) for _ in range(2))
    assert content(once) == content(first) != content(twice)


@every_classifier
def test_sorted_labels(classifier: Classifier) -> None:
    X, y = stream(n=600, n_classes=3)
    order = np.argsort(y, kind="stable")
    assert classifier().fit(X[order], y[order]).score(X, y) > 0.8


IRIS: list[Any] = [
    StreamingTreeClassifier(),
    HoeffdingTreeClassifier(),
    ExtremelyFastDecisionTreeClassifier(),
]
"""Estimators with their defaults."""


@pytest.mark.filterwarnings("ignore:The current default behavior, quantile_method:FutureWarning")
@pytest.mark.parametrize("estimator", IRIS, ids=lambda estimator: type(estimator).__name__)
def test_iris(estimator: Any) -> None:
    X, y = load_iris(return_X_y=True)
    bins = KBinsDiscretizer(encode="onehot")
    assert cross_val_score(make_pipeline(bins, estimator), X, y).mean() >= 0.9
