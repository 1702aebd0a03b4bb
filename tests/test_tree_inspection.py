"""The classifiers show their trees by methods, whichever way they learned."""

from __future__ import annotations

import json
import math
import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from grown_trees import message
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier

BOTH = [HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier]
SHOWS = ["export_text", "to_dict", "to_dataframe", "to_dot", "draw", "plot"]

TEXTS = ["win a free prize now", "lunch at noon", "free entry now", "see you at lunch"] * 30
LABELS = ["spam", "ham", "spam", "ham"] * 30


@pytest.fixture(params=BOTH, ids=lambda classifier: classifier.__name__)
def model(request: pytest.FixtureRequest) -> Any:
    """A model that has learned messages, spam first, and has split."""
    model = request.param(tau=0.2)
    rng = np.random.default_rng(3)
    for _ in range(2000):
        x, y = message(rng)
        model.learn_one(x, "spam" if y else "ham")
    assert model.get_depth() > 0
    return model


@pytest.mark.parametrize("classifier", BOTH)
@pytest.mark.parametrize("show", SHOWS)
def test_not_fitted(classifier: Any, show: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(classifier(), show)()
    with pytest.raises(NotFittedError):
        classifier().explain_one({"free": 1})


def test_all_ways_agree(model: Any) -> None:
    plain = model.to_dict()
    json.dumps(plain)
    assert plain["classes"] == model.classes_.tolist() == ["ham", "spam"]
    assert len(plain["nodes"]) == model.summary().n_nodes
    assert plain["depth"] == model.get_depth()
    assert plain["n_leaves"] == model.get_n_leaves()
    assert len(model.to_dataframe()) == len(plain["nodes"])
    assert str(plain["nodes"][0]["feature"]) in model.to_dot()
    assert model.draw(max_depth=1).source == model.to_dot(max_depth=1)
    assert str(plain["nodes"][0]["feature"]) in [text.get_text() for text in model.plot().texts]


@pytest.mark.parametrize("classifier", BOTH)
@pytest.mark.parametrize("labels", [("b", "a"), ("a", "b"), ("c", "a", "b")])
def test_ties_are_broken_as_in_a_prediction(classifier: Any, labels: tuple[str, ...]) -> None:
    model = classifier(leaf_prediction="majority", max_depth=0)
    for label in labels * 2:
        model.learn_one(["word"], label)
    first, share = min(labels), 1 / len(labels)
    assert model.predict_one(["word"]) == first
    assert model.export_text().splitlines()[1].startswith(f"always  {first} {share:.3f}  of {2 * len(labels)}  ")
    assert f'label="{first} {share:.3f}' in model.to_dot()
    assert f"{first} {share:.3f}" in [text.get_text() for text in model.plot().texts]


@pytest.mark.parametrize("show", SHOWS)
def test_wrong_names_of_features(show: str) -> None:
    model = HoeffdingTreeClassifier(tau=0.9).fit(CountVectorizer().fit_transform(TEXTS), LABELS)
    with pytest.raises(TypeError, match=rf"^{show}: feature_names must be a sequence, a mapping or a function, got 3$"):
        getattr(model, show)(feature_names=3)
    with pytest.raises(ValueError, match=rf"^{show}: feature_names must have a name for column \d+, got 0 names$"):
        getattr(model, show)(feature_names=[])


def test_wrong_names_of_features_in_an_explanation() -> None:
    model = HoeffdingTreeClassifier(tau=0.9).fit(CountVectorizer().fit_transform(TEXTS), LABELS)
    wrong = r"^HoeffdingTreeClassifier\.explain_one: feature_names must "
    with pytest.raises(TypeError, match=wrong + "be a sequence, a mapping or a function, got 3$"):
        model.explain_one([1], feature_names=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=wrong + r"have a name for column \d+, got 0 names$"):
        model.explain_one([1], feature_names=[])


def test_explanation_agrees_with_the_prediction(model: Any) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        x, _ = message(rng)
        told = model.explain_one(x)
        assert told.label == model.predict_one(x)
        probabilities = model.predict_proba_one(x)
        assert dict(zip(told.classes, told.probabilities, strict=True)) == pytest.approx(probabilities)
        first, second = probabilities[told.label], probabilities[told.against]
        assert told.log_odds() == pytest.approx(math.log(first / second), abs=1e-6)


def test_names_of_columns() -> None:
    vectoriser = CountVectorizer()
    X = vectoriser.fit_transform(TEXTS)
    model = HoeffdingTreeClassifier(tau=0.9).fit(X, LABELS)
    names = vectoriser.get_feature_names_out()
    assert "x[" in model.export_text()
    named = [
        model.export_text(feature_names=names),
        model.to_dot(feature_names=names),
        json.dumps(model.to_dict(feature_names=names)),
        str(model.explain_one(X[0], feature_names=names)),
        str(model.explain_one(X[0], feature_names=dict(enumerate(names)))),
    ]
    assert not any("x[" in text for text in named)
    assert any(name in named[0] for name in names)


def test_names_of_a_table() -> None:
    pd = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    vectoriser = CountVectorizer()
    X = pd.DataFrame(vectoriser.fit_transform(TEXTS).toarray() > 0, columns=vectoriser.get_feature_names_out())
    model = HoeffdingTreeClassifier(tau=0.9).fit(X, LABELS)
    assert "x[" not in model.export_text()
    assert model.to_dict()["nodes"][0]["feature"] in set(X.columns)
    assert model.explain_one({"free": True}).label == "spam"


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_explain_a_row(form: Any) -> None:
    X = CountVectorizer().fit_transform(TEXTS)
    model = HoeffdingTreeClassifier(tau=0.9).fit(X, LABELS)
    told = model.explain_one(form(X[:1]))
    assert told.label == model.predict(X[:1])[0]
    assert told.probabilities == pytest.approx(model.predict_proba(X[:1])[0])
    assert told == model.explain_one({int(j): True for j in X[:1].indices})
    assert told == model.explain_one(scipy.sparse.csr_array(X)[0])


def test_explain_what_is_no_point(model: Any) -> None:
    owner = type(model).__name__
    with pytest.raises(TypeError, match=rf"^{owner}\.explain_one: x must be a dict or an iterable of active features"):
        model.explain_one(3)
    with pytest.raises(ValueError, match=rf"^{owner}\.explain_one: x must hold finite numbers, got inf for 'free'"):
        model.explain_one({"free": math.inf})
    with pytest.raises(ValueError, match=rf"^{owner}\.explain_one: x must be one row, got 2"):
        model.explain_one(scipy.sparse.csr_matrix((2, 3)))


def test_a_declared_class_that_was_never_met() -> None:
    X = CountVectorizer().fit_transform(TEXTS)
    model = HoeffdingTreeClassifier().partial_fit(X, LABELS, classes=["eggs", "ham", "spam"])
    assert model.to_dict()["classes"] == ["ham", "spam"]
    assert model.explain_one(X[0]).classes == ("ham", "spam")


def test_looking_while_another_thread_learns() -> None:
    model = HoeffdingTreeClassifier(tau=0.2)
    rng = np.random.default_rng(3)
    points = [message(rng) for _ in range(3000)]
    model.learn_one({}, "first")
    failures: list[BaseException] = []
    done = threading.Event()

    def look() -> None:
        try:
            while not done.is_set():
                told = model.explain_one({"free": True, "the": True})
                assert sum(told.probabilities) == pytest.approx(1)
                assert model.export_text()
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            failures.append(error)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for x, y in points:
        model.learn_one(x, f"class {y}")
    done.set()
    for thread in threads:
        thread.join()
    assert not failures
