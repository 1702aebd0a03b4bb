"""What is refused says what must hold and what was passed, and changes nothing."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import HashingVectorizer
from tree_models import BOLD, CLASSIFIERS, Classifier, state, stream

from sapwood import HoeffdingTreeClassifier

every_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)


@every_classifier
@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("delta", 0.7, ValueError, "delta must be between 0 and 0.5, got 0.7"),
        ("delta", True, TypeError, "delta must be a number, got True"),
        ("tau", float("nan"), ValueError, "tau must be finite, got nan"),
        ("grace_period", 1.5, TypeError, "grace_period must be an integer, got 1.5"),
        ("grace_period", 0, ValueError, "grace_period must be at least 1, got 0"),
        ("grace_period", 2**40, ValueError, "grace_period must be at most 2147483647, got 1099511627776"),
        ("max_depth", "3", TypeError, "max_depth must be an integer or None, got '3'"),
        ("max_leaves", 0, ValueError, "max_leaves must be at least 1, got 0"),
        ("criterion", 1, TypeError, "criterion must be a string, got 1"),
        ("binarize", "0", TypeError, "binarize must be a number or None, got '0'"),
        ("binarize", -1.0, ValueError, "binarize must be a finite number of at least 0, got -1"),
        ("sparse_numbers", 1, TypeError, "sparse_numbers must be True or False, got 1"),
        ("random_state", -1, ValueError, "random_state must be at least 0, got -1"),
    ],
)
def test_parameters(classifier: Classifier, name: str, value: Any, error: type[Exception], message: str) -> None:
    calls: list[Any] = [
        lambda model: model.fit([[1]], [0]),
        lambda model: model.partial_fit([[1]], [0], classes=[0, 1]),
        lambda model: model.learn_one([1], 0),
    ]
    for call in calls:
        model = classifier(**{name: value})
        with pytest.raises(error) as caught:
            call(model)
        assert str(caught.value) == f"{classifier.__name__}: {message}"
        assert not hasattr(model, "classes_")


@every_classifier
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.partial_fit(np.ones((1, 32)), [7]), r"partial_fit: y must hold the classes \[0, 1\] only, got 7"),
        (lambda m: m.partial_fit(np.ones((1, 32)), [0], classes=[0, 2]), "classes must be the same as before"),
        (lambda m: m.partial_fit(np.ones((1, 3)), [0]), "X has 3 features, but .* is expecting 32"),
        (lambda m: m.partial_fit(np.full((1, 32), np.inf), [0]), "contains infinity"),
        (lambda m: m.partial_fit(csr_matrix(np.full((1, 32), np.nan)), [0]), "NaN"),
        (lambda m: m.partial_fit(csr_matrix((np.ones(2), [1, 1], [0, 2]), shape=(1, 32)), [0]), "column 1 twice"),
        (lambda m: m.fit(np.ones((2, 3)), [0]), "inconsistent numbers of samples"),
        (lambda m: m.learn_one({"a": "b", "c": float("inf")}, 0), "learn_one: x must hold finite numbers"),
        (lambda m: m.learn_one(3, "new"), "x must be a dict or an iterable"),
        (lambda m: m.learn_one([[]], "new"), "features must be hashable"),
        (lambda m: m.learn_one([1], []), r"y must be hashable, got \[\]"),
        (lambda m: m.learn_one([1], float("nan")), "y must be a label that equals itself, got nan"),
        (lambda m: m.learn_one([1], None), "y must be a label, got None"),
        (lambda m: m.predict(np.ones((1, 3))), "X has 3 features"),
        (lambda m: m.predict_one("text"), "predict_one: x must be a dict or an iterable"),
    ],
)
def test_calls(classifier: Classifier, call: Any, message: str) -> None:
    X, y = stream(n=60)
    model = classifier(**BOLD).fit(X, y)
    before = state(model)
    with pytest.raises((TypeError, ValueError), match=message):
        call(model)
    assert state(model) == before


@every_classifier
@pytest.mark.parametrize(
    ("column", "got"),
    [
        ([[1], [2]], r"\[1\]"),
        (np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]"), r"datetime64\[ns\]"),
        (np.array([1, 2], dtype="timedelta64[ns]"), r"timedelta64\[ns\]"),
    ],
    ids=["lists", "dates", "spans"],
)
def test_tables_of_other_things_than_numbers_and_texts(classifier: Classifier, column: Any, got: str) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    owner = classifier.__name__
    right = pandas.DataFrame({"first": [0, 1], "second": [1, 0]})
    wrong = pandas.DataFrame({"first": [0, 1], "second": column})
    model = classifier()
    message = f"X must hold numbers, booleans and texts, got {got} in column 'second'"
    with pytest.raises(ValueError, match=rf"^{owner}\.fit: {message}"):
        model.fit(wrong, [0, 1])
    assert not hasattr(model, "classes_")
    model.fit(right, [0, 1])
    before = state(model)
    for method, args in (("partial_fit", ([0, 1],)), ("predict", ())):
        with pytest.raises(ValueError, match=rf"^{owner}\.{method}: {message}"):
            getattr(model, method)(wrong, *args)
    assert state(model) == before


@every_classifier
def test_tables_whose_columns_hold_something_else_than_before(classifier: Classifier) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    owner = classifier.__name__
    model = classifier().fit(pandas.DataFrame({"a": [0, 1], "b": ["x", "y"]}), [0, 1])
    before = state(model)
    for wrong, what in (
        ({"a": ["0", "1"], "b": ["x", "y"]}, "numbers in column 'a'"),
        ({"a": [0, 1], "b": [0, 1]}, "texts"),
    ):
        for method, args in (("partial_fit", ([0, 1],)), ("predict", ())):
            with pytest.raises(ValueError, match=rf"^{owner}\.{method}: X must hold {what}.*, as before, got "):
                getattr(model, method)(pandas.DataFrame(wrong), *args)
    assert state(model) == before


@every_classifier
def test_tables_as_they_come(classifier: Classifier) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    owner = classifier.__name__
    kinds = {
        "boolean": pandas.array([True, False], dtype="boolean"),
        "counted": pandas.array([0, 2], dtype="Int64"),
        "object": np.array([1, 0.0], dtype=object),
        "category": pandas.Categorical([0, 1]),
    }
    model = classifier(shuffle=False).fit(pandas.DataFrame(kinds), [0, 1])
    assert model.features_seen_ == ["boolean", "category=0", "counted", "object", "category=1"]
    assert model.feature_names_in_.tolist() == ["boolean", "counted", "object", "category"]
    sparse = pandas.DataFrame({"sparse": pandas.arrays.SparseArray([0, 1])})
    assert classifier().fit(sparse, [0, 1]).features_seen_ == ["sparse"]
    with pytest.raises(ValueError, match=rf"^{owner}\.fit: X must have columns of different names, got 'a' twice$"):
        classifier().fit(pandas.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), [0, 1])
    # Columns without a name of their own are called by their numbers.
    numbered = classifier(shuffle=False).fit(pandas.DataFrame([[0, "x"], [1, "y"]]), [0, 1])
    assert numbered.features_seen_ == ["1=x", 0, "1=y"]
    with pytest.raises(ValueError, match=rf"^{owner}\.fit: Found array with 0 sample"):
        classifier().fit(pandas.DataFrame({"a": []}), [])


def test_lists_of_objects() -> None:
    model = HoeffdingTreeClassifier(shuffle=False).fit([[10**30, 0], [0, True]], [0, 1])
    assert model.features_seen_ == [0, 1]
    model = HoeffdingTreeClassifier(shuffle=False).fit([[None, 0], [0, 1]], [0, 1])
    assert model.features_seen_ == [1, 0], "None is missing"


@every_classifier
def test_negative_values_in_a_sparse_matrix_are_warned_of(classifier: Classifier) -> None:
    X = csr_matrix([[1.0, -2.0], [0.0, 3.0]])
    with pytest.warns(
        UserWarning, match=r"X is sparse and holds negative values, such as -2\.0, which count as off"
    ) as all_of:
        model = classifier().fit(X, [0, 1])
    assert len(all_of) == 1
    assert all_of[0].filename == __file__
    assert set(model.features_seen_) == {0, 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        classifier().fit(X.toarray(), [0, 1])


def test_a_label_that_is_missing() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    for missing in (pandas.NA, pandas.NaT):
        with pytest.raises(ValueError, match=r"learn_one: y must be a label that equals itself, got (<NA>|NaT)$"):
            HoeffdingTreeClassifier().learn_one([1], missing)


def test_dates_in_an_array() -> None:
    with pytest.raises(ValueError, match=r"^HoeffdingTreeClassifier\.fit: X must hold numbers, got datetime64\[D\]$"):
        HoeffdingTreeClassifier().fit(np.array([["2020-01-01"], ["2021-01-01"]], dtype="datetime64[D]"), [0, 1])


def test_signs_of_a_hashing_vectorizer_are_warned_of() -> None:
    texts, y = ["win cash now", "lunch at noon", "prize inside"], [1, 0, 1]
    signed = HashingVectorizer(n_features=64).transform(texts)
    with pytest.warns(UserWarning, match=r"unless it has alternate_sign=False"):
        HoeffdingTreeClassifier().fit(signed, y)
    HoeffdingTreeClassifier().fit(HashingVectorizer(n_features=64, alternate_sign=False).transform(texts), y)
