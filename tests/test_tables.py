"""Matrices and tables: each column becomes what it would be in a dict, by its type; and what is refused."""

from __future__ import annotations

import datetime as dt
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sapwood import _core
from sapwood.data import Batch, Category, Columns, Threshold
from sapwood.data.batch import unlabelled
from sapwood.data.encode import Reading, encoded_rows

TEXTS = st.one_of(st.none(), st.sampled_from(["", "fi", "se", "ü"]))
NUMBERS = st.one_of(st.none(), st.just(float("nan")), st.floats(allow_nan=False, allow_infinity=False))
FLAGS = st.one_of(st.none(), st.booleans())
ROWS = st.lists(st.tuples(TEXTS, NUMBERS, FLAGS, st.integers(-3, 3), st.booleans()), min_size=1, max_size=8)
NAMES = ["country", "age", "member", "n", "new"]


def read(X: Any, *, columns: Columns | None = None, **reading: Any) -> tuple[Batch, Columns]:
    """The rows of a matrix as points, and its columns."""
    names = np.array(list(X.columns), dtype=object) if hasattr(X, "columns") else None
    known = columns or Columns(X.shape[1], names)
    rows, known = encoded_rows(X, known, is_first=columns is None, **Reading(**reading)._asdict())
    y = unlabelled(X.shape[0])
    return Batch(y, rows.indptr, rows.indices, None, known.n, 0, None, known, None, rows.numbers, rows.names), known


def points_of(X: Any, **options: Any) -> list[tuple[list[Any], dict[Any, float]]]:
    """The features and the numbers of each row, by name."""
    batch, columns = read(X, **options)
    n = len(batch)
    numbers: list[dict[Any, float]] = [{}] * n if batch.numbers is None else list(batch.numbers.of_points())
    flags = list(batch.features())
    if columns.names is not None:
        numbers = [{columns.names[key]: value for key, value in each.items()} for each in numbers]
        if batch.names is None:
            flags = [[columns.names[key] for key in each] for each in flags]
    return list(zip(flags, numbers, strict=True))


def as_dicts(rows: list[tuple[Any, ...]]) -> list[tuple[list[Any], dict[Any, float]]]:
    """The same by the rule for single points."""
    return [_core.encoded(dict(zip(NAMES, row, strict=True))) for row in rows]


@given(ROWS)
def test_pandas_by_type(rows: list[tuple[Any, ...]]) -> None:
    table = pd.DataFrame(rows, columns=NAMES)
    typed = table.astype({"country": "category", "age": "Float64", "member": "boolean", "n": "int8"})
    as_text = table.astype({"country": "string", "age": "float64", "member": "object"})
    expected = as_dicts(rows)
    for each in (table, table.astype("object"), typed, as_text):
        assert points_of(each) == expected


@given(ROWS)
def test_polars_by_type(rows: list[tuple[Any, ...]]) -> None:
    schema = {"country": pl.String, "age": pl.Float64, "member": pl.Boolean, "n": pl.Int16, "new": pl.Boolean}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    expected = as_dicts(rows)
    assert points_of(table) == expected
    assert (
        points_of(table.with_columns(pl.col("country").cast(pl.Categorical), pl.col("n").cast(pl.Float32))) == expected
    )


def test_categories_know_their_attribute() -> None:
    batch, columns = read(pd.DataFrame({"country": ["fi", "se"], "age": [3, 4]}))
    (feature,), _ = batch.features()
    assert (feature, feature.attribute, feature.value) == ("country=fi", "country", "fi")
    assert columns.kinds == ("category", "number")
    assert pickle.loads(pickle.dumps(feature)).attribute == "country"
    assert {"country=fi": 1}[Category("country", "fi")] == 1


def test_lists_of_texts_are_flags() -> None:
    table = pd.DataFrame({"tags": [["a", "b"], [], None]})
    assert [flags for flags, _ in points_of(table)] == [["tags=a", "tags=b"], [], []]


def test_the_order_is_that_of_the_columns() -> None:
    table = pd.DataFrame({"b": [True], "a": ["x"], "d": [1.0], "c": [True]})
    assert points_of(table) == [(["b", "a=x", "c"], {"d": 1.0})]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float32, np.float64])
def test_dense_arrays_hold_numbers(dtype: Any) -> None:
    X = np.array([[0, 1, 3], [2, 0, 0]], dtype=dtype)
    expected: list[Any] = [([], {0: 0.0, 1: 1.0, 2: 3.0}), ([], {0: 2.0, 1: 0.0, 2: 0.0})]
    assert points_of(X) == expected
    assert points_of(np.asfortranarray(X)) == expected


def test_nan_is_missing() -> None:
    assert points_of(np.array([[np.nan, 1.0], [np.nan, np.nan]])) == [([], {1: 1.0}), ([], {})]


def test_arrays_of_booleans_and_sparse_matrices_hold_flags() -> None:
    X = np.array([[0, 1, 1], [1, 0, 0]])
    for matrix in (X.astype(bool), scipy.sparse.csr_array(X * 7), scipy.sparse.csr_array(X.astype(bool))):
        assert points_of(matrix) == [([1, 2], {}), ([0], {})]
        assert read(matrix)[1].kinds == "flag"


@given(st.lists(st.lists(st.floats(0, 40), min_size=3, max_size=3), min_size=1, max_size=4))
def test_the_size_of_sparse_numbers(rows: list[list[float]]) -> None:
    expected: list[Any] = []
    for row in rows:
        flags: list[Any] = []
        for column, value in enumerate(row):
            flags += [column] * (value > 0)
            flags += [f"x[{column}] > {2**k}" for k in range(8) if value > 2**k]
        expected.append((flags, {}))
    X = scipy.sparse.csr_array(np.array(rows))
    assert points_of(X, sparse_numbers=True) == expected
    # A dense matrix of the same model is read as the sparse ones were.
    _, columns = read(X, sparse_numbers=True)
    assert points_of(np.array(rows), columns=columns, sparse_numbers=True) == expected


def test_thresholds_know_their_attribute() -> None:
    batch, _ = read(scipy.sparse.csr_array([[0, 3]]), sparse_numbers=True)
    (flags,) = batch.features()
    assert [type(flag) for flag in flags] == [int, Threshold, Threshold]
    assert [(flag.attribute, flag.threshold) for flag in flags[1:]] == [(1, 1), (1, 2)]
    assert pickle.loads(pickle.dumps(flags[2])).threshold == 2
    assert Threshold("free", 4) == "free > 4"


# ---- the first matrix decides ----------------------------------------------------------------------------------------


def test_later_matrices_are_read_as_the_first() -> None:
    numbers = np.array([[0.0, 2.0]])
    _, flags = read(scipy.sparse.csr_array(numbers))
    assert points_of(numbers, columns=flags) == [([1], {})]
    _, dense = read(numbers)
    for X in (scipy.sparse.csr_array(numbers), scipy.sparse.csr_array(numbers.astype(int))):
        assert points_of(X, columns=dense) == [([], {0: 0.0, 1: 2.0})]
    assert points_of(np.array([[True, False]]), columns=dense) == [([], {0: 1.0, 1: 0.0})]


def test_later_tables_are_read_as_the_first() -> None:
    first = pd.DataFrame({"a": [True, False], "b": [1.5, 2.5], "c": ["x", None], "d": [None, None]})
    _, columns = read(first)
    assert columns.kinds == ("flag", "number", "category", None)
    later = pd.DataFrame({"a": [1, 0], "b": [True, None], "c": [None, None], "d": [3, 4]})
    assert points_of(later, columns=columns) == [(["a"], {"b": 1.0, "d": 3.0}), ([], {"d": 4.0})]
    _, now = read(later, columns=columns)
    assert now.kinds == ("flag", "number", "category", "number")
    for name, values, what in (("a", [0.5, 1.0], "booleans"), ("b", ["x", "y"], "numbers"), ("c", [1, 2], "texts")):
        with pytest.raises(ValueError, match=rf"^X must hold {what} in column '{name}', as before, got "):
            read(first.assign(**{name: values}), columns=columns)
    with pytest.raises(ValueError, match=r"^X must be a table with texts in column 'c', as before, got an array"):
        read(np.zeros((1, 4)), columns=columns)


# ---- what is refused -------------------------------------------------------------------------------------------------

DAY = dt.date(2026, 1, 2)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"when": pd.to_datetime(["2026-01-02"])}), "in column 'when': make numbers of it first, such as"),
        (pd.DataFrame({"when": [DAY]}), "in column 'when': make numbers of it first, such as"),
        (pd.DataFrame({"when": pd.period_range("2026", periods=1)}), "in column 'when': make numbers of it first"),
        (pl.DataFrame({"when": [DAY]}), "got Date in column 'when': make numbers of it first, such as"),
        (pd.DataFrame({"a": [1 + 2j]}), "got complex128 in column 'a'"),
        (pd.DataFrame({"a": [[1]]}), r"got \[1\] in column 'a'"),
        (pd.DataFrame({"a": [b"x"]}), "got b'x' in column 'a'"),
        (pd.DataFrame({"a": [1.0, np.inf]}), "must hold finite numbers, got inf in column 'a'"),
        (pd.DataFrame({"a": ["x", -np.inf]}), "got -inf in column 'a'"),
        (pl.DataFrame({"a": [1.0, -np.inf]}), "must hold finite numbers, got -inf in column 'a'"),
        (np.array([[1.0, np.inf]]), "must hold finite numbers, got inf in column 1"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "must have columns of different names, got 'a' twice"),
    ],
)
def test_refusals(table: Any, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^X must .*{message}|^X {message}"):
        read(table)
