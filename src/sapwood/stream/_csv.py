"""CSV: one row per point, whose columns hold flags, numbers or categories."""

from __future__ import annotations

import csv
import sys
from itertools import islice
from typing import TYPE_CHECKING

from sapwood import _core
from sapwood.stream._columns import Cells, Column, Wanted
from sapwood.stream._csv_table import csv_header, csv_rows, sample_of, settled
from sapwood.stream._errors import LineError, shown
from sapwood.stream._lines import Lines
from sapwood.stream._table import TableRead, looks_like_number, table_batch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sapwood.data import Batch
    from sapwood.data.kinds import Kind
    from sapwood.stream._csv_table import Row

__all__ = ["CsvParser"]

# What ends a cell in a way of its own, so that a delimiter like it is left to Python.
_NO_DELIMITERS = '"\r\n\0'
# Before Python 3.11 a row with a zero was an error.
_TAKES_ZEROS = sys.version_info >= (3, 11)


class CsvParser:
    """Parses CSV natively. The interface is that of `Parser`.

    Guarantee: rows are those of Python's csv module, which reads the first ones, those that go over several lines and
    those that are bad.

    What a column holds is settled by its first `SETTLING` rows, whatever the size of a batch.

    Parameters
    ----------
    label
        The column of the labels; by default, of those not left out, the first that is called label, class or target,
        else the last.
    ignore
        Columns that are left out.
    delimiter
        By default that of comma, semicolon, tab and bar which the first line has most of.
    header
        Whether the first line has the names of the columns; else they are x1, x2, ...
    types
        What some columns hold.
    only_typed
        Whether columns without a type are left out, and columns that lack are missing.
    na_values
        Cells that stand for a missing value, beside the empty one.
    """

    def __init__(
        self,
        file: str,
        label: str | None,
        ignore: Collection[str],
        delimiter: str | None,
        *,
        labelled: bool,
        header: bool,
        types: Mapping[str, Kind],
        only_typed: bool,
        na_values: Collection[str],
    ) -> None:
        self.most = 1
        self.is_passed_over = False
        self._file = file
        self._wanted = Wanted(file, label, ignore, types, labelled=labelled, only_typed=only_typed)
        self._delimiter = delimiter
        self._has_header = header
        self._na_values = na_values
        self._lines = Lines(iter(()))
        self._columns_read: list[tuple[int, Column]] = []
        self._unsettled: list[tuple[int, Column]] = []
        self._told: TableRead | None = None
        self._native: _core.CsvRows | None = None

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:
        """How the columns were read; None before the first rows were."""
        if self._told is not None:
            self._told.types = {each.name: each.kind for _, each in self._columns_read if each.kind is not None}
        return self._told

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        wanted = self._wanted
        header = csv_header(lines, wanted, self._delimiter, has_header=self._has_header)
        names, delimiter, first = header
        label_at = wanted.label_at(names, lines.n)
        wanted.check(names, lines.n)
        columns = self._columns_read = [
            (i, Column(names[i], wanted.types.get(names[i]), self._na_values)) for i in wanted.places(names, label_at)
        ]
        rows = csv_rows(lines, header, label_at)
        is_settled = all(column.kind for _, column in columns)
        sample, stopped = ([], None) if is_settled else sample_of(rows)
        self._told = settled(names, columns, label_at, sample, wanted, has_header=self._has_header)
        if not names:
            return
        native = self._native = self._core_rows(names, delimiter, label_at)
        yield from self._gather(sample)
        if stopped is not None:
            raise stopped
        if first is not None and not sample:
            yield from self._gather(islice(rows, 1))
        is_plain = delimiter.isascii() and delimiter not in _NO_DELIMITERS
        while lines.more():
            is_left = True
            self._read_numbers()
            if is_plain and (_TAKES_ZEROS or b"\0" not in lines.block):
                lines.at, lines.n, is_left = native.parse(lines.block, lines.at, lines.n, self.most)
            if is_left:
                yield from self._gather(islice(rows, 1))
            elif len(native) >= self.most:
                yield None

    def _core_rows(self, names: list[str], delimiter: str, label_at: int | None) -> _core.CsvRows:
        """Return what reads rows natively: the columns are numbered from 1 on, and that of the labels is 0."""
        columns = self._columns_read
        numbers = [-1] * len(names)
        for number, (place, _) in enumerate(columns, 1):
            numbers[place] = number
        if label_at is not None:
            numbers[label_at] = 0
        missing = [value for value in self._na_values if looks_like_number(value)]
        # A delimiter of more bytes is left to Python.
        native = _core.CsvRows(
            delimiter if delimiter.isascii() else ",", csv.field_size_limit(), missing, numbers, Cells(columns)
        )
        self._unsettled = columns
        return native

    def _read_numbers(self) -> None:
        """Have the core read the numbers of columns that are settled by now."""
        if self._unsettled and self._native is not None:
            for place, column in self._unsettled:
                if column.kind == "number":
                    self._native.read_as_number(place)
            self._unsettled = [(place, column) for place, column in self._unsettled if column.kind is None]

    def _gather(self, rows: Iterable[Row]) -> Iterator[LineError | None]:
        """Add rows that Python has read; yield what `events` does."""
        native = self._native
        assert native is not None
        of_place = dict(self._columns_read)
        for row in rows:
            if isinstance(row, LineError):
                yield row
                continue
            line, cells = row
            bad = native.add(line, cells)
            if bad >= 0:
                try:
                    of_place[bad].said(cells[bad])
                except ValueError as error:
                    yield LineError(line, bad + 1, shown(cells[bad]), str(error))
            elif len(native) >= self.most:
                yield None

    def __len__(self) -> int:
        return 0 if self._native is None else len(self._native)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        if self._native is not None:
            self._native.take()

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        assert self._native is not None
        names = [column.name for _, column in self._columns_read]
        return table_batch(self._native.take(), names, labelled=self._wanted.labelled)
