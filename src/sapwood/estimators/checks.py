"""Matrices and labels that are checked as scikit-learn does, on behalf of an estimator."""

from __future__ import annotations

import inspect
import warnings
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
from sapwood.data.encode import encoded_rows
from sapwood.data.labels import distinct, label_array
from sapwood.data.table import check_names, is_sparse_table, is_table
from sapwood.data.weights import checked_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from sapwood.data.encode import Reading

__all__ = ["checked_labels", "labelled_batch", "unlabelled_batch"]

_NUMBERS = "biuf"  # the kinds of arrays that hold numbers
# What scikit-learn calls the option about NaN and infinities, since 1.6 and before.
_FINITE = next(
    name
    for name in ("ensure_all_finite", "force_all_finite")
    if name in inspect.signature(sklearn.utils.check_array).parameters
)
# From a warning here to whoever called `fit` or `partial_fit`.
_LEVELS_ABOVE = 5


def labelled_batch(
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    *,
    owner: str,
    columns: Columns | None,
    reading: Reading,
    takes_numbers: bool,
) -> Batch:
    """Return the rows of a matrix or a table as points to learn from, all checked.

    To a learner that takes no numbers, the columns of an array are flags. `owner` is the estimator that errors name,
    `columns` those of the matrices before, if there were any.
    """
    X, known = _checked(X, owner, columns)
    coding = Coding(*distinct(checked_labels(y)))
    sklearn.utils.validation.check_consistent_length(X, coding.codes)
    weights = checked_weights(sample_weight, len(coding.codes))
    # The labels that a batch has are for whoever looks at it; learners go by their numbers.
    labels = coding.classes[coding.codes]
    is_first = columns is None and (takes_numbers or is_table(X))
    rows, known = encoded_rows(X, known, is_first=is_first, **reading._asdict())
    if scipy.sparse.issparse(X) and known.kinds == "flag":
        _warn_of_negatives(X)
    if is_first and is_sparse_table(X) and not reading.sparse_numbers:
        _warn_of_sparse_numbers(X)
    return Batch(
        y=labels,
        indptr=rows.indptr,
        indices=rows.indices,
        keys=None,
        n_features=known.n,
        first_line=0,
        weights=weights,
        columns=known,
        coding=coding,
        numbers=rows.numbers,
        names=rows.names,
    )


def unlabelled_batch(X: Any, *, owner: str, columns: Columns | None, reading: Reading, has_numbers: bool) -> Batch:
    """Return the rows of a matrix or a table as points to answer, all checked.

    To a model that has met neither a matrix nor a number, the columns of an array are flags.
    """
    X, known = _checked(X, owner, columns)
    is_first = columns is None and (has_numbers or is_table(X))
    rows, known = encoded_rows(X, known, is_first=is_first, **reading._asdict())
    return Batch(
        y=unlabelled(X.shape[0]),
        indptr=rows.indptr,
        indices=rows.indices,
        keys=None,
        n_features=known.n,
        first_line=0,
        columns=known,
        numbers=rows.numbers,
        names=rows.names,
    )


def _warn_of_negatives(X: Any) -> None:
    least = X.data.min() if X.data.size else 0
    if least < 0:
        warnings.warn(
            f"X is sparse and holds negative values, such as {least}, which count as off; a dense array or a DataFrame "
            "holds numbers; a HashingVectorizer makes them, half of all features, unless it has alternate_sign=False",
            UserWarning,
            stacklevel=_LEVELS_ABOVE,
        )


def _warn_of_sparse_numbers(X: Any) -> None:
    """Say that a table of sparse columns is a sparse matrix, where that loses something."""
    values = X.sparse.to_coo().data
    other = values[~np.isin(values, (0, 1))]
    if other.size:
        warnings.warn(
            f"X is a table of sparse columns, which is read as a sparse matrix: {other[0]} and all other values above "
            "binarize are on, whatever their size; sparse_numbers=True lets their size count, and in "
            "X.sparse.to_dense() they are numbers",
            UserWarning,
            stacklevel=_LEVELS_ABOVE,
        )


@cache
def _checker(owner: str) -> Any:
    """Return a class of scikit-learn's estimators by the name of ours.

    scikit-learn checks matrices on behalf of an estimator, whose name it tells and whose attributes it sets. A matrix
    may prove wrong after that, and then nothing of ours must have changed: so it is given another.
    """
    return type(owner, (sklearn.base.BaseEstimator,), {})


def _checked(X: Any, owner: str, columns: Columns | None) -> tuple[Any, Columns]:
    """Check a matrix as scikit-learn does: numbers in two dimensions, the columns as before.

    NaN is for dense arrays and tables. Returns the matrix, in compressed sparse rows if it is sparse, and its columns,
    which hold what they held before.
    """
    checker = _checker(owner)()
    if columns is not None:
        checker.n_features_in_ = columns.n
        if columns.names is not None:
            checker.feature_names_in_ = columns.names
    is_sparse = scipy.sparse.issparse(X)
    if is_sparse:
        check_before_conversion(X)
    elif is_table(X):
        return _checked_table(checker, X, columns)
    elif isinstance(X, np.ma.MaskedArray) and X.dtype.kind in _NUMBERS:
        # What is masked is missing; of a flag that is to be off.
        X = np.ma.filled(X, False) if X.dtype.kind == "b" else np.ma.filled(X.astype(np.float64), np.nan)
    X = _validated(
        checker, X, columns, accept_sparse="csr", dtype="numeric", **{_FINITE: True if is_sparse else "allow-nan"}
    )
    n_columns = X.shape[1]
    if n_columns > _core.MAX_COLUMNS:
        raise ValueError(f"X must have at most {_core.MAX_COLUMNS} columns, got {n_columns}")
    if X.dtype.kind == "O":
        # Lists with None or large integers, which scikit-learn makes numbers only if they come as an array.
        X = sklearn.utils.check_array(X, dtype=np.float64, input_name="X", **{_FINITE: "allow-nan"})
    if X.dtype.kind not in _NUMBERS:
        raise ValueError(f"X must hold numbers, got {X.dtype}")
    return X, columns or Columns(n_columns, getattr(checker, "feature_names_in_", None))


def _checked_table(checker: Any, X: Any, columns: Columns | None) -> tuple[Any, Columns]:
    """Check the columns of a table; what they hold is for `sapwood.data.encode` to say."""
    check_names(X)
    if 0 in X.shape:
        what = "sample" if X.shape[0] == 0 else "feature"
        raise ValueError(f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required.")
    if hasattr(sklearn.utils.validation, "validate_data"):
        _validated(checker, X, columns, skip_check_array=True)
    else:  # scikit-learn before 1.6
        checker._check_feature_names(X, reset=columns is None)
        checker._check_n_features(X, reset=columns is None)
    return X, columns or Columns(X.shape[1], getattr(checker, "feature_names_in_", None))


def _validated(checker: Any, X: Any, columns: Columns | None, **options: Any) -> Any:
    if hasattr(sklearn.utils.validation, "validate_data"):
        return sklearn.utils.validation.validate_data(checker, X, reset=columns is None, **options)
    # scikit-learn before 1.6
    return checker._validate_data(X, reset=columns is None, **options)


def checked_labels(y: ArrayLike) -> NDArray[Any]:
    """Return labels as an array of one dimension, in which every number is whole and finite."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":
        # There is nothing to ask of these, which scikit-learn takes its time for.
        return y
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        raise ValueError("y must hold labels, got one that is masked")
    labels: NDArray[Any] = sklearn.utils.column_or_1d(label_array(y), warn=True)
    if labels.dtype.kind in "fc":
        sklearn.utils.validation.assert_all_finite(labels, input_name="y")
        sklearn.utils.multiclass.check_classification_targets(labels)
    return labels
