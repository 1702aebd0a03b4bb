"""Columns of numbers, categories and flags as the points that workers count; what a column is, its type says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sapwood import _core
from sapwood.data.category import Category

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = tuple[NDArray[np.int64], NDArray[np.uint64]]
    Numbers = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]

__all__ = ["flags_of", "is_number", "named_flags", "numbers_of"]


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of a type holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of a type holds texts."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def without_empty(column: pa.Array) -> pa.Array:
    """Return texts, of which empty ones are missing, as everywhere."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


def flags_of(
    columns: Sequence[tuple[str, pa.Array]], rows_of_list: Callable[[str, pa.Array], Rows], n_rows: int
) -> Rows:
    """Return the ids of what is on in each row: booleans that are true, values of categories, items of arrays."""
    places, ids = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    for name, column in columns:
        if pa.types.is_boolean(column.type):
            on = np.flatnonzero(column.fill_null(False).to_numpy(zero_copy_only=False))
            places.append(on)
            ids.append(np.repeat(_core.ids_of_names([name]), len(on)))
        elif is_text(column.type):
            given = without_empty(column)
            encoded = given.dictionary_encode()
            present = np.flatnonzero(given.is_valid().to_numpy(zero_copy_only=False))
            known = _core.ids_of_names([Category(name, value) for value in encoded.dictionary.to_pylist()])
            places.append(present)
            ids.append(known[encoded.indices.drop_null().to_numpy(zero_copy_only=False)])
        elif not is_number(column.type):
            indptr, of_list = rows_of_list(name, column)
            places.append(np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(indptr)))
            ids.append(of_list)
    rows = np.concatenate(places)
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n_rows)))).astype(np.int64)
    return indptr, np.concatenate(ids)[order]


def numbers_of(
    columns: Sequence[tuple[str, pa.Array]], refuse: Callable[[str, str, str], NoReturn], n_rows: int
) -> Numbers:
    """Return the numbers of each row; null and NaN are missing."""
    names = [name for name, column in columns if is_number(column.type)]
    values = np.full((n_rows, len(names)), np.nan)
    for i, (name, column) in enumerate((name, column) for name, column in columns if is_number(column.type)):
        values[:, i] = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        if np.isinf(values[:, i]).any():
            refuse(name, "hold finite numbers", str(values[np.isinf(values[:, i]), i][0]))
    present = ~np.isnan(values)
    indptr = np.concatenate(([0], np.cumsum(present.sum(axis=1)))).astype(np.int64)
    ids = np.broadcast_to(_core.ids_of_names(names), values.shape)[present]
    return indptr, ids, values[present]


def named_flags(columns: Sequence[tuple[str, pa.Array]]) -> Iterator[tuple[pa.Array, str | None]]:
    """Yield texts of what may be on, each once per column, and that column if they are values of a category."""
    for name, column in columns:
        if pa.types.is_boolean(column.type):
            yield pa.array([name]), None
        elif is_text(column.type):
            yield pc.binary_join_element_wise(f"{name}=", without_empty(column).drop_null().unique(), ""), name
        elif pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            items = column.flatten().unique()
            if is_text(items.type):
                yield items, None
