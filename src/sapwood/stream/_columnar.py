"""Parquet and Arrow: tables that are stored column by column, with the types of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from sapwood.data.batch import Batch, Coding, as_objects, unlabelled
from sapwood.data.category import Category
from sapwood.data.placed_keys import PlacedKeys
from sapwood.data.rows import Gathered
from sapwood.stream._columns import Wanted
from sapwood.stream._errors import LineError, StreamError, shown
from sapwood.stream._table import MOST_EXAMPLES, ColumnRead, TableRead, retyped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping

    from numpy.typing import NDArray

    from sapwood.data.kinds import Kind

__all__ = ["ColumnarParser"]

_HOLDS = "numbers, booleans, strings or lists of strings (or a column that is ignored)"


class _Column(NamedTuple):
    """A column that is read: its place in the file, its name, what it holds, and what the user says that it holds."""

    place: int
    name: str
    kind: str
    """number, flag, category, flags for lists of strings, or empty."""
    given: Kind | None


class ColumnarParser:
    """Makes points of tables of Arrow. The interface is that of `Parser`; lines are rows, counted from 1.

    Guarantee: a value says what it would say in JSON lines. A column is what its type is, unless `types` says
    otherwise; a type that is none of numbers, booleans and strings is an error that names the column. It holds
    one batch of points and one record batch of the file.

    Parameters
    ----------
    tables
        A function that yields the tables of a stream, one after the other, each of at most as many rows as it is
        called with.
    label, ignore, types, only_typed
        As for CSV.
    na_values
        Texts that stand for a missing value, beside the empty one. Null and NaN are missing too.
    """

    def __init__(
        self,
        file: str,
        tables: Callable[[int], Iterator[Any]],
        label: str | None,
        ignore: Collection[str],
        *,
        labelled: bool,
        types: Mapping[str, Kind],
        only_typed: bool,
        na_values: frozenset[str],
    ) -> None:
        self.most = 1
        self.is_passed_over = False
        self.n_lines = 0
        self.table: TableRead | None = None
        self._file = file
        self._tables = tables
        self._wanted = Wanted(file, label, ignore, types, labelled=labelled, only_typed=only_typed)
        self._na_values = na_values
        self._columns: list[_Column] = []
        self._label_at: int | None = None
        self.drop()

    def __len__(self) -> int:
        return self._n

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._parts: list[Any] = []
        self._n = 0
        self._first_line = 0

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:  # noqa: ARG002 - it has its own
        """Yield the error of each bad row, and None whenever `most` points are gathered."""
        for given in self._tables(self.most):
            table = self._flat(given)
            if self.table is None:
                self._settle(table)
            errors = self._errors(table)
            at = 0
            while at < len(table):
                end = min(errors[0].line - 1 - self.n_lines + at if errors else len(table), at + self.most - self._n)
                self._add(table, at, end)
                at = end
                if errors and errors[0].line == self.n_lines + 1:
                    self.n_lines += 1
                    at += 1
                    yield errors.pop(0)
                if self._n >= self.most:
                    yield None

    def _add(self, table: Any, start: int, stop: int) -> None:
        if stop > start:
            if not self._n:
                self._first_line = self.n_lines + 1
            self._parts.append(table.slice(start, stop - start))
            self._n += stop - start
            self.n_lines += stop - start

    # ---- the columns ------------------------------------------------------------------------------------------------

    def _flat(self, table: Any) -> Any:
        """Return a table without columns that are left out, and with those of structures one by one."""
        import pyarrow as pa

        table = table.drop_columns(sorted(set(table.column_names) & set(self._wanted.ignore)))
        while any(pa.types.is_struct(field.type) for field in table.schema):
            table = table.flatten()
        for place, field in enumerate(table.schema):
            kind = field.type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if pa.types.is_decimal(kind) or pa.types.is_float16(kind):
                kind = pa.float64()
            if kind != field.type:
                table = table.set_column(place, field.name, table.column(place).cast(kind))
        return table

    def _settle(self, table: Any) -> None:
        """Settle which columns are read, and what they hold. Errors here are those of the file."""
        header = list(table.column_names)
        for i, name in enumerate(header):
            if name in header[:i]:
                raise StreamError(self._file, "columns of different names", f"{shown(name)} twice")
        wanted = self._wanted
        left_out = [name for name in wanted.ignore if name not in header]
        self._label_at = wanted.label_at(header, 1)
        wanted.check([*header, *left_out], 1)
        kinds = [_kind_of(field.type) for field in table.schema]
        self._columns = []
        for place in wanted.places(header, self._label_at):
            name, kind = header[place], kinds[place]
            if kind is None:
                self._refuse(table, place, _HOLDS)
            given = wanted.types.get(name)
            if given is not None and kind == "flags":
                self._refuse(table, place, f"a {given}")
            self._columns.append(_Column(place, name, kind, None if given == kind else given))
        if self._label_at is not None and kinds[self._label_at] not in {"number", "flag", "category"}:
            self._refuse(table, self._label_at, "numbers, booleans or strings as the labels")
        self.table = self._told(table)

    def _refuse(self, table: Any, place: int, expected: str) -> NoReturn:
        field = table.schema.field(place)
        raise StreamError(self._file, expected, f"{field.type} in column {field.name!r}")

    def _told(self, table: Any) -> TableRead:
        of_place = {column.place: column.given or column.kind for column in self._columns}
        told = []
        for place, name in enumerate(table.column_names):
            kind = "label" if place == self._label_at else of_place.get(place, "ignored")
            values = table.column(place).slice(0, 100).to_pylist() if kind != "ignored" else []
            examples = dict.fromkeys(f"{value}" for value in values if value is not None)
            told.append(ColumnRead(name, kind, tuple(list(examples)[:MOST_EXAMPLES])))
        types = {column.name: column.given or column.kind for column in self._columns}
        label = None if self._label_at is None else table.column_names[self._label_at]
        known: dict[str, Kind] = {n: k for n, k in types.items() if k in ("number", "flag", "category")}  # type: ignore[misc]
        return TableRead(label, told, known)

    # ---- rows -------------------------------------------------------------------------------------------------------

    def _errors(self, table: Any) -> list[LineError]:
        """Return what is wrong with rows, in their order: of each the first thing."""
        found: dict[int, LineError] = {}

        def note(rows: NDArray[np.intp], place: int, expected: str) -> None:
            for row in rows.tolist():
                if row not in found:
                    value = table.column(place)[row].as_py()
                    text = "null" if value is None else shown(value) if isinstance(value, str) else f"{value}"
                    found[row] = LineError(self.n_lines + row + 1, place + 1, text, expected)

        if self._label_at is not None:
            codes, values = _distinct(table.column(self._label_at))
            no_label = np.array([not _is_label(value) for value in values] + [True])
            note(np.flatnonzero(no_label[codes]), self._label_at, "a label")
        for column in self._columns:
            if column.given is not None:
                codes, values = _distinct(table.column(column.place))
                for code, value in enumerate(values):
                    try:
                        self._said(value, column.given)
                    except ValueError as error:  # noqa: PERF203 - each may be wrong in its own way
                        note(np.flatnonzero(codes == code), column.place, f"{error} as {column.name!r}")
            elif column.kind == "number":
                numbers = _numbers(table.column(column.place))
                note(np.flatnonzero(np.isinf(numbers)), column.place, f"a finite number as {column.name!r}")
        return [found[row] for row in sorted(found)]

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        import pyarrow as pa

        table, n = pa.concat_tables(self._parts), self._n
        gathered = Gathered(n)
        number_names: list[Hashable] = []
        for column in self._columns:
            self._gather(gathered, table.column(column.place), column, number_names)
        rows = gathered.rows()
        names = rows.names or []
        indptr, indices = _each_once(rows.indptr, rows.indices, names)
        numbers = rows.numbers
        coding = None
        if self._label_at is not None:
            codes, values = _distinct(table.column(self._label_at))
            values = [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]
            coding = Coding(as_objects(values), codes.astype(np.intp))
        batch = Batch(
            y=unlabelled(n) if coding is None else coding.classes[coding.codes],
            indptr=indptr,
            indices=None,
            keys=PlacedKeys(names, indices),
            n_features=None,
            first_line=self._first_line,
            coding=coding,
            numbers=None if numbers is None else numbers._replace(names=number_names),
        )
        self.drop()
        return batch

    def _said(self, value: Any, kind: Kind) -> Any:
        """Return a value as one of a kind; None if it is missing, as NaN is."""
        is_nan = isinstance(value, float) and np.isnan(value)
        return None if is_nan else retyped(value, kind, self._na_values)

    def _gather(self, gathered: Gathered, values: Any, column: _Column, number_names: list[Hashable]) -> None:
        """Add what the values of a column say."""

        def add_numbers(numbers: NDArray[np.float64]) -> None:
            rows = np.flatnonzero(~np.isnan(numbers))
            gathered.add_numbers(rows, len(number_names), numbers[rows])
            number_names.append(column.name)

        name, kind = column.name, column.given or column.kind
        if kind == "empty":
            return
        if kind == "number" and column.given is None:
            add_numbers(_numbers(values))
            return
        if kind == "flags":
            parents, items = _list_items(values)
            codes, texts = _distinct(items)
            there = codes < len(texts)
            gathered.add_flags(parents[there], codes[there], [f"{name}={text}" for text in texts])
            return
        codes, found = _distinct(values)
        said = [self._said(value, kind) for value in found] + [None]  # type: ignore[arg-type]
        if kind == "number":
            add_numbers(np.array([np.nan if value is None else value for value in said])[codes])
        elif kind == "flag":
            rows = np.flatnonzero(np.array([value is True for value in said])[codes])
            gathered.add_flags(rows, np.zeros(len(rows), dtype=np.int32), [name])
        else:
            met = [code for code, text in enumerate(said) if text is not None]
            place = np.full(len(said), -1)
            place[met] = np.arange(len(met))
            rows = np.flatnonzero(place[codes] >= 0)
            gathered.add_flags(rows, place[codes[rows]], [Category(name, said[code]) for code in met])


def _kind_of(kind: Any) -> str | None:
    """Return what a column of a type holds; None if that is nothing that a point can have."""
    from pyarrow import types

    if types.is_boolean(kind):
        return "flag"
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    if _is_text(kind):
        return "category"
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return "flags" if _is_text(kind.value_type) else None
    return "empty" if types.is_null(kind) else None


def _is_text(kind: Any) -> bool:
    # A view of strings is of later versions of Arrow.
    return str(kind) in {"string", "large_string", "string_view"}


def _numbers(column: Any) -> NDArray[np.float64]:
    """Return a column as doubles, in which null is NaN."""
    import pyarrow as pa

    numbers: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
    return numbers


def _distinct(column: Any) -> tuple[NDArray[Any], list[Any]]:
    """Return the number of each value among the different ones, and these; null has the number behind the last."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], type=whole.type)
    encoded = whole.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return codes, values


def _is_label(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return bool(np.isfinite(float(value)))


def _list_items(column: Any) -> tuple[NDArray[Any], Any]:
    """Return the row of each item of the lists of a column, and the items."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks)
    return pc.list_parent_indices(whole).to_numpy(zero_copy_only=False), pc.list_flatten(whole)


def _each_once(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], names: list[Hashable]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the features of points without those that a point has before, as an item of a list may be."""
    first: dict[Hashable, int] = {}
    same = np.array([first.setdefault(name, place) for place, name in enumerate(names)], dtype=np.int32)
    if not len(indices):
        return indptr, indices
    indices = same[indices]
    of_point = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    _, kept = np.unique(of_point * len(names) + indices, return_index=True)
    if len(kept) == len(indices):
        return indptr, indices
    kept.sort()
    counts = np.bincount(of_point[kept], minlength=len(indptr) - 1)
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), indices[kept]
