"""A single point whose keys are columns of matrices that were learned: its values mean what they mean there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse

from sapwood import StreamingTreeClassifier
from sapwood.data.batch import Batch

RANDOM = np.random.default_rng(3)
COUNTS = RANDOM.integers(0, 6, size=(300, 5)).astype(np.float64)
CLASSES = (COUNTS[:, 3] > 2).astype(np.int64)


def proba_of(model: Any, x: Any) -> list[float]:
    answer = model.predict_proba_one(x)
    return [answer[label] for label in sorted(answer)]


@pytest.mark.parametrize("options", [{}, {"binarize": 2.5}, {"sparse_numbers": True}])
def test_number_is_what_sparse_matrix_makes_of_it(options: dict[str, Any]) -> None:
    X = scipy.sparse.csr_array(COUNTS)
    model = StreamingTreeClassifier(**options).fit(X, CLASSES)
    for row in COUNTS[:50]:
        x = {j: value for j, value in enumerate(row.tolist()) if value}
        expected = model.predict_proba(scipy.sparse.csr_array(row[None, :]))[0].tolist()
        assert proba_of(model, x) == expected
        assert proba_of(model, {np.int64(j): np.float32(value) for j, value in x.items()}) == expected
        batch = Batch.of_points([x], [0])
        assert model.learner.predict_proba(batch)[0].tolist() == expected


def test_learned_alike() -> None:
    X = scipy.sparse.csr_array(COUNTS)
    by_rows = StreamingTreeClassifier().fit(X, CLASSES)
    by_points = StreamingTreeClassifier().partial_fit(X[:1], CLASSES[:1], classes=[0, 1])
    by_rows_too = (
        StreamingTreeClassifier().partial_fit(X[:1], CLASSES[:1], classes=[0, 1]).partial_fit(X[1:], CLASSES[1:])
    )
    for row, label in zip(COUNTS[1:].tolist(), CLASSES[1:].tolist(), strict=True):
        by_points.learn_one({j: value for j, value in enumerate(row) if value}, label)
    assert by_points.predict_proba(X).tolist() == by_rows_too.predict_proba(X).tolist()
    assert by_points.features_seen_ == by_rows.features_seen_


def test_names_of_columns() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(COUNTS > 2, columns=list("abcde"))
    model = StreamingTreeClassifier().fit(X, CLASSES)
    assert proba_of(model, {"d": 1.0, "a": 0.0}) == proba_of(model, {"d": True}) != proba_of(model, {})


def test_true_is_one_among_numbers() -> None:
    X = (COUNTS > 2).astype(np.float64)
    model = StreamingTreeClassifier().fit(X, CLASSES)
    row = dict(enumerate(X[0].tolist()))
    assert proba_of(model, {j: bool(value) for j, value in row.items()}) == proba_of(model, row)


def test_refused_as_in_matrix() -> None:
    model = StreamingTreeClassifier(binarize=None).partial_fit(scipy.sparse.csr_array(COUNTS > 2), CLASSES, [0, 1])
    with pytest.raises(ValueError, match=r"x must hold 0 and 1 only if binarize is None, got 2\.0 for 3"):
        model.predict_proba_one({3: 2.0})
    with pytest.raises(ValueError, match="x must hold finite numbers, got inf for 3"):
        model.learn_one({3: float("inf")}, 1)
    assert proba_of(model, {3: float("nan")}) == proba_of(model, {})


def test_sparse_table_is_sparse_matrix_with_a_word() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame.sparse.from_spmatrix(scipy.sparse.csr_matrix(COUNTS), columns=list("abcde"))
    with pytest.warns(UserWarning, match=r"X is a table of sparse columns, which is read as a sparse matrix: \d"):
        model = StreamingTreeClassifier().fit(X, CLASSES)
    assert model.predict_proba(X)[0].tolist() == proba_of(model, dict(zip("abcde", COUNTS[0].tolist(), strict=True)))
    ones = pandas.DataFrame.sparse.from_spmatrix(scipy.sparse.csr_matrix((COUNTS > 2).astype(float)))
    StreamingTreeClassifier().fit(ones, CLASSES)  # loses nothing, says nothing: warnings are errors here
