"""Points sorted by class, learned in that order, do not make a model that knows the last class only."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from sapwood import StreamingTreeClassifier


def three_classes(n: int, seed: int) -> tuple[Any, Any]:
    """Return points of three classes, told apart by many features of which each tells a little."""
    rates = np.random.default_rng(5).random((3, 300)) * 0.12
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return csr_matrix((rng.random((n, 300)) < rates[y]).astype(np.int8)), y


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sorted_labels_do_not_end_at_chance(first: int, n_classes: int) -> None:
    X, y = three_classes(4000, seed=1)
    X, y = X[y < n_classes], y[y < n_classes]
    order = np.argsort((y - first) % n_classes, kind="stable")
    model = StreamingTreeClassifier().partial_fit(X[order], y[order], classes=range(n_classes))
    fresh_X, fresh_y = three_classes(1500, seed=2)
    fresh_X, fresh_y = fresh_X[fresh_y < n_classes], fresh_y[fresh_y < n_classes]
    assert model.score(fresh_X, fresh_y) > 0.9
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(fresh_X), model.predict_proba(fresh_X))
    # What follows in any order is learned as if nothing had been: the saved model goes on as this one does.
    for each in (model, again):
        each.partial_fit(fresh_X, fresh_y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert model.score(X, y) > 0.9


def test_runs_in_which_classes_come_back_are_followed() -> None:
    """Where long runs go on, the class of the moment is the best guess for a point that says nothing."""
    model = StreamingTreeClassifier()
    for turn in range(12):
        for i in range(100):
            model.learn_one([f"word {i % 7}"], turn % 2)
    assert model.predict_proba_one(["word 3"])[1] > 0.9


def test_iris_through_bins() -> None:
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(KBinsDiscretizer(encode="onehot", random_state=0), StreamingTreeClassifier())
    assert cross_val_score(model, X, y).mean() >= 0.9
