"""From tables, of pandas or polars, to points: each column by its type."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.category import Category
from sapwood.data.rows import EncodedRows, Gathered, dense_numbers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from sapwood.data.kinds import Kind

__all__ = ["check_names", "is_sparse_table", "is_table", "read_columns", "read_table"]

_TO_DO = "make numbers of it first, such as its year, weekday or hour, or leave it out"
_PLURAL = {"flag": "booleans", "number": "numbers", "category": "texts"}


def is_table(X: Any) -> bool:
    """Whether an object is a table of pandas or polars."""
    return (hasattr(X, "iloc") and hasattr(X, "columns")) or _is_of_polars(X)


def is_sparse_table(X: Any) -> bool:
    """Whether an object is a table of pandas all of whose columns are sparse."""
    # Whether it has `sparse` takes pandas a look at all columns.
    return hasattr(X, "iloc") and all(hasattr(dtype, "subtype") for dtype in X.dtypes) and hasattr(X, "sparse")


def check_names(X: Any) -> None:
    """Refuse a table with two columns of one name."""
    met = set()
    for label in X.columns:
        if label in met:
            raise ValueError(f"X must have columns of different names, got {label!r} twice")
        met.add(label)


def read_table(
    X: Any, names: Sequence[Hashable], kinds: Sequence[Kind | None] | None
) -> tuple[EncodedRows, tuple[Kind | None, ...]]:
    """Return the rows of a table as points, and what each column holds.

    A column of booleans holds flags, one of numbers numbers, and one of texts or of categories a category; in a column
    of objects each value is what it would be in a dict. Missing values are missing.

    Parameters
    ----------
    names
        What the columns are called in the model.
    kinds
        What they held before, None for a column that was empty so far; None before the first table.

    Raises
    ------
    ValueError, TypeError
        If a column holds dates or anything else that is no point, an infinite number, or not what it held before; the
        error has the name of the column.
    """
    check_names(X)
    labels = list(X.columns)
    if _is_of_polars(X):
        return read_columns([_of_polars(X.get_column(label), label) for label in labels], len(X), names, kinds)
    dtypes = X.dtypes.tolist()
    if all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in dtypes):
        # All at once, since pandas takes its time for every column that it is asked for.
        values = X.to_numpy(dtype=np.float64)
        columns = [Column(label, "number", values[:, i], str(dtypes[i])) for i, label in enumerate(labels)]
    else:
        columns = [_of_pandas(X.iloc[:, i], label) for i, label in enumerate(labels)]
    return read_columns(columns, len(X), names, kinds)


def read_columns(
    columns: Sequence[Column], n: int, names: Sequence[Hashable], kinds: Sequence[Kind | None] | None
) -> tuple[EncodedRows, tuple[Kind | None, ...]]:
    """Return columns as points, and what each holds; see `read_table`."""
    if columns and all(column.kind == "number" for column in columns) and set(kinds or ()) <= {None, "number"}:
        values = np.column_stack([column.values for column in columns])
        # An infinite number is refused below, by the name of its column.
        if not np.isinf(values).any():
            none = np.zeros(n + 1, dtype=np.int64), np.empty(0, dtype=np.int32)
            return EncodedRows(*none, dense_numbers(values), []), tuple(column.kind for column in columns)
    gathered = Gathered(n)
    found = []
    for i, column in enumerate(columns):
        known = None if kinds is None else kinds[i]
        found.append(_add(gathered, column, i, names[i], known))
    return gathered.rows(), tuple(found)


@dataclass(frozen=True)
class Column:
    """A column of a table: what it holds, and its values."""

    label: Hashable
    """What the table calls it."""
    kind: Kind | None
    """What its type says; None if each value must say it."""
    values: Any
    """Of flags and numbers an array, in which NaN is missing; of a category a list of texts and None; else objects."""
    dtype: str
    """What the table calls its type."""


# ---- columns of pandas and polars ------------------------------------------------------------------------------------


def _is_of_polars(X: Any) -> bool:
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(X, polars.DataFrame)


def _of_pandas(series: Any, label: Hashable) -> Column:
    dtype = series.dtype
    said = str(dtype)
    if hasattr(dtype, "categories"):
        texts = [None if each is None else str(each) for each in dtype.categories.tolist()]
        return Column(
            label, "category", [None if code < 0 else texts[code] for code in series.cat.codes.tolist()], said
        )
    if dtype.kind in "mMc" or type(dtype).__name__ in {"PeriodDtype", "IntervalDtype"}:
        _refuse_type(label, said, is_date=dtype.kind in "mM" or type(dtype).__name__ == "PeriodDtype")
    if dtype.kind in "biuf":
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return Column(label, "flag" if dtype.kind == "b" else "number", values, said)
    return Column(label, None, series.tolist(), said)


def _of_polars(series: Any, label: Hashable) -> Column:
    polars: Any = sys.modules["polars"]
    dtype, said = series.dtype, str(series.dtype)
    if dtype.is_temporal():
        _refuse_type(label, said, is_date=True)
    if dtype == polars.Boolean or dtype.is_numeric():
        values = series.cast(polars.Float64).fill_null(float("nan")).to_numpy()
        return Column(label, "flag" if dtype == polars.Boolean else "number", values, said)
    if dtype == polars.Categorical or dtype == polars.Enum:  # noqa: PLR1714 - types of polars do not hash by family
        return Column(label, "category", series.to_list(), said)
    return Column(label, None, series.to_list(), said)


def _refuse_type(label: Hashable, said: str, *, is_date: bool) -> None:
    wanted = f"X must hold numbers, booleans and texts, got {said} in column {label!r}"
    raise ValueError(f"{wanted}: {_TO_DO}" if is_date else wanted)


# ---- from a column to flags and numbers ------------------------------------------------------------------------------


def _add(gathered: Gathered, column: Column, i: int, name: Hashable, known: Kind | None) -> Kind | None:
    """Add a column, and return what it holds, also if all of it is missing."""
    column = _narrowed(column)
    if column.kind == "category" or column.kind is None:
        kind = _add_objects(gathered, column, i, name)
    else:
        kind = column.kind
        values: NDArray[np.float64] = column.values
        there = ~np.isnan(values)
        if np.isinf(values).any():
            raise ValueError(
                f"X must hold finite numbers, got {values[np.isinf(values)][0]} in column {column.label!r}"
            )
        if known == "flag" and kind == "number" and np.isin(values[there], (0, 1)).all():
            kind = "flag"
        elif known == "number":
            # True is 1 among numbers.
            kind = "number"
        if kind == "flag":
            rows = np.flatnonzero(values == 1)
            gathered.add_flags(rows, np.zeros(len(rows), dtype=np.int32), [name])
        else:
            rows = np.flatnonzero(there)
            gathered.add_numbers(rows, i, values[rows])
        if not there.any() and known is not None:
            kind = known
    if known is not None and kind not in (known, None):
        raise ValueError(f"X must hold {_PLURAL[known]} in column {column.label!r}, as before, got {column.dtype}")
    return kind or known


def _narrowed(column: Column) -> Column:
    """Return a column of objects that are all booleans, or all missing but for these, as a column of flags."""
    if column.kind is not None or not all(
        value is None or isinstance(value, (bool, np.bool_)) for value in column.values
    ):
        return column
    values = np.array([np.nan if value is None else float(value) for value in column.values])
    return replace(column, kind="flag", values=values) if not np.isnan(values).all() else column


def _add_objects(gathered: Gathered, column: Column, i: int, name: Hashable) -> Kind | None:
    """Add a column of any objects, each as in a dict; return what all of them are, None if they differ or lack."""
    rows: list[int] = []
    codes: list[int] = []
    number_rows: list[int] = []
    numbers: list[float] = []
    of_text: dict[str, int | None] = {"": None}
    place: dict[Hashable, int] = {}
    met: set[Kind | None] = set()
    for row, value in enumerate(column.values):
        if value is None:
            continue
        # Most are texts, and most of these have come before.
        code = of_text.get(value, -1) if type(value) is str else -1
        if code is None:
            continue
        if code >= 0:
            rows.append(row)
            codes.append(code)
            continue
        flags, found = _encoded(column, name, value)
        for flag in flags:
            code = place.setdefault(flag, len(place))
            rows.append(row)
            codes.append(code)
            met.add("category" if isinstance(flag, Category) and flag.attribute == name else "flag")
            if type(value) is str:
                of_text[value] = code
        for key, number in found.items():
            if key != name:
                raise TypeError(f"X must hold single values, got an object in column {column.label!r}")
            number_rows.append(row)
            numbers.append(number)
            met.add("number")
        if value is False or type(value).__name__ in {"bool", "bool_"}:
            met.add("flag")
    gathered.add_flags(np.array(rows, dtype=np.intp), np.array(codes, dtype=np.int32), list(place))
    gathered.add_numbers(np.array(number_rows, dtype=np.intp), i, np.array(numbers, dtype=np.float64))
    return met.pop() if len(met) == 1 else None


def _encoded(column: Column, name: Hashable, value: Any) -> tuple[list[Hashable], dict[Hashable, float]]:
    try:
        return _core.encoded({name: value})
    except (TypeError, ValueError, OverflowError):
        is_date = type(value).__module__ == "datetime" or hasattr(value, "isoformat")
        wanted = f"X must hold numbers, booleans and texts, got {value!r:.60} in column {column.label!r}"
        raise ValueError(f"{wanted}: {_TO_DO}" if is_date else wanted) from None
