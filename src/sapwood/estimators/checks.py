"""Matrices and labels that are checked as scikit-learn does, on behalf of an estimator."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
import sklearn.base
import sklearn.utils
import sklearn.utils.multiclass
import sklearn.utils.validation

from sapwood import _core
from sapwood.data.batch import Batch, Coding, Columns, unlabelled
from sapwood.data.csr import check_before_conversion
from sapwood.data.labels import distinct
from sapwood.data.matrix import active_columns
from sapwood.data.weights import checked_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["labelled_batch", "unlabelled_batch"]

_NUMBERS = "biuf"  # the kinds of arrays that hold numbers


def labelled_batch(
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    owner: str,
    columns: Columns | None,
    binarize: float | None,
) -> Batch:
    """Return the rows of a matrix as points to learn from, all checked.

    `owner` is the estimator that errors name, `columns` those of the matrices before, if there were any.
    """
    X, columns = _checked(X, owner, columns)
    coding = Coding(*distinct(_checked_labels(y)))
    sklearn.utils.validation.check_consistent_length(X, coding.codes)
    weights = checked_weights(sample_weight, len(coding.codes))
    # The labels that a batch has are for whoever looks at it; learners go by their numbers.
    labels = coding.classes[coding.codes]
    return Batch(labels, *active_columns(X, binarize), None, columns.n, 0, weights, columns, coding)


def unlabelled_batch(X: Any, *, owner: str, columns: Columns | None, binarize: float | None) -> Batch:
    """Return the rows of a matrix as points to answer, all checked."""
    X, columns = _checked(X, owner, columns)
    return Batch(unlabelled(X.shape[0]), *active_columns(X, binarize), None, columns.n, 0, columns=columns)


@cache
def _checker(owner: str) -> Any:
    """Return a class of scikit-learn's estimators by the name of ours.

    scikit-learn checks matrices on behalf of an estimator, whose name it tells and whose attributes it sets. A matrix
    may prove wrong after that, and then nothing of ours must have changed: so it is given another.
    """
    return type(owner, (sklearn.base.BaseEstimator,), {})


def _checked(X: Any, owner: str, columns: Columns | None) -> tuple[Any, Columns]:
    """Check a matrix as scikit-learn does: sparse or dense, finite numbers in two dimensions, the columns as before.

    Returns the matrix, in compressed sparse rows if it is sparse, and its columns.
    """
    checker = _checker(owner)()
    if columns is not None:
        checker.n_features_in_ = columns.n
        if columns.names is not None:
            checker.feature_names_in_ = columns.names
    if scipy.sparse.issparse(X):
        check_before_conversion(X)
    elif hasattr(X, "iloc") and hasattr(X, "columns"):
        _check_table(X)
    options = {"accept_sparse": "csr", "dtype": "numeric", "reset": columns is None}
    if hasattr(sklearn.utils.validation, "validate_data"):
        X = sklearn.utils.validation.validate_data(checker, X, **options)
    else:  # scikit-learn before 1.6
        X = checker._validate_data(X, **options)
    n_columns = X.shape[1]
    if n_columns > _core.MAX_COLUMNS:
        raise ValueError(f"X must have at most {_core.MAX_COLUMNS} columns, got {n_columns}")
    if X.dtype.kind == "O":
        # Lists with None or large integers, which scikit-learn makes numbers only if they come as an array.
        X = sklearn.utils.check_array(X, dtype=np.float64, input_name="X")
    if X.dtype.kind not in _NUMBERS:
        raise ValueError(f"X must hold numbers, got {X.dtype}")
    return X, columns or Columns(n_columns, getattr(checker, "feature_names_in_", None))


def _checked_labels(y: ArrayLike) -> NDArray[Any]:
    """Return labels as an array of one dimension, in which every number is whole and finite."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    labels: NDArray[Any] = sklearn.utils.column_or_1d(y, warn=True)
    if labels.dtype.kind in "fc":
        sklearn.utils.validation.assert_all_finite(labels, input_name="y")
        sklearn.utils.multiclass.check_classification_targets(labels)
    return labels


def _check_table(X: Any) -> None:
    """Refuse a table of pandas with text or dates by the name of the column, or with two columns of one name."""
    met = set()
    for i, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        if name in met:
            raise ValueError(f"X must have columns of different names, got {name!r} twice")
        met.add(name)
        if dtype.kind in _NUMBERS + "c":  # complex numbers are for scikit-learn to refuse
            continue
        if dtype.kind in "mM":
            raise ValueError(f"X must hold numbers, got {dtype} in column {name!r}")
        for value in X.iloc[:, i].tolist():
            if not _reads_as_number(value):
                raise ValueError(f"X must hold numbers, got {value!r} in column {name!r}")


def _reads_as_number(value: Any) -> bool:
    """Whether a value of a table is made a number by scikit-learn: text such as "1" is, and so is None, to NaN."""
    try:
        float(0 if value is None else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True
