"""CSV: one row per point, whose columns hold flags, numbers or categories."""

from __future__ import annotations

import csv
import sys
from itertools import chain, islice
from typing import TYPE_CHECKING

from sapwood import _core
from sapwood.stream._columns import Cells, Column, Wanted
from sapwood.stream._errors import BadLineError, LineError, StreamError, csv_fault, shown
from sapwood.stream._formats import DELIMITERS
from sapwood.stream._lines import Lines
from sapwood.stream._source import Interrupted
from sapwood.stream._table import MOST_EXAMPLES, SETTLING, ColumnRead, TableRead, looks_like_number, table_batch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from sapwood.data import Batch
    from sapwood.data.kinds import Kind

    # A row of the table with its line, or what is wrong with the line.
    Row: TypeAlias = tuple[int, list[str]] | LineError

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
        header, delimiter, first = self._header(lines)
        wanted = self._wanted
        label_at = wanted.label_at(header, lines.n)
        wanted.check(header, lines.n)
        self._columns_read = [
            (i, Column(header[i], wanted.types.get(header[i]), self._na_values))
            for i in wanted.places(header, label_at)
        ]
        rows = self._rows(lines, header, delimiter, label_at, first)
        sample, stopped = self._sample(rows)
        self._settle(header, label_at, sample)
        if not header:
            return
        native = self._native = self._core_rows(header, delimiter, label_at)
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

    def _sample(self, rows: Iterator[Row]) -> tuple[list[Row], BaseException | None]:
        """Return the rows by which columns are settled, none if they are, and the error after them, if there is one."""
        sample: list[Row] = []
        if all(column.kind for _, column in self._columns_read):
            return sample, None
        try:
            for row in islice(rows, SETTLING):
                sample.append(row)  # noqa: PERF402 - of rows before an error, too
        except (StreamError, OSError, Interrupted) as error:
            # What was read before it is given first.
            return sample, error
        return sample, None

    def _core_rows(self, header: list[str], delimiter: str, label_at: int | None) -> _core.CsvRows:
        """Return what reads rows natively: the columns are numbered from 1 on, and that of the labels is 0."""
        columns = self._columns_read
        numbers = [-1] * len(header)
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

    def _rows(
        self, lines: Lines, header: list[str], delimiter: str, label_at: int | None, first: str | None
    ) -> Iterator[Row]:
        """Yield the rows of the table, or what is wrong with one; the line `first`, which was read, before the rest."""
        read_before = [] if first is None else [f"{first}\n"]
        rows = csv.reader(chain(read_before, map("{}\n".format, lines)), delimiter=delimiter, strict=True)
        n_before = len(read_before)
        while True:
            line, n_before = lines.n + 1 - n_before, 0
            try:
                row = next(rows, None)
                if row is None:
                    return
                if not row:
                    continue
                self._check_row(row, header, line, label_at)
                yield line, row
            except BadLineError as bad:
                yield bad.error
            except csv.Error as error:
                yield LineError(line, 1, csv_fault(error), "a row of CSV")

    # ---- the names of the columns -----------------------------------------------------------------------------------

    def _header(self, lines: Lines) -> tuple[list[str], str, str | None]:
        """Read the first line: the names of the columns, how they are separated, and the line if it is a row.

        Errors here are those of the file.
        """
        try:
            first = next((line for line in lines if line.strip()), "")
            delimiter = self._delimiter or max(DELIMITERS, key=first.count)
            cells = [name.strip() for name in next(csv.reader([first], delimiter=delimiter, strict=True), [])]
        except BadLineError as bad:
            error = bad.error
            raise StreamError(self._file, error.expected, error.found, error.line, error.column) from None
        except csv.Error as error:
            raise StreamError(self._file, "a header of CSV in one line", csv_fault(error), lines.n, 1) from None
        if not self._has_header:
            return self._numbered(len(cells)), delimiter, first
        for i, name in enumerate(cells):
            if name in cells[:i]:
                wanted = "columns of different names (or a file that is said to have no header)"
                raise StreamError(self._file, wanted, f"{shown(name)} twice", lines.n, i + 1)
        return cells, delimiter, None

    def _numbered(self, n: int) -> list[str]:
        """Return the names of columns without a header."""
        names = [f"x{i + 1}" for i in range(n + 1)]
        if not self._wanted.labelled and self._wanted.label in names and n == len(self._wanted.types):
            # As in training, but for the label, wherever that was.
            names.remove(self._wanted.label)
        return names[:n]

    # ---- how the table was read -------------------------------------------------------------------------------------

    def _settle(self, header: list[str], label_at: int | None, sample: list[Row]) -> None:
        """Settle what each column holds by the first rows, and note how the table was read."""
        rows = [row[1] for row in sample if not isinstance(row, LineError)]
        remarks = []
        if self._has_header and not self._wanted.only_typed:
            alike = [name for name in header if looks_like_number(name) or not name]
            if "" in self._wanted.ignore or "" in self._wanted.types:
                alike = [name for name in alike if name]
            if alike == [""] and header[0] == "" and len(header) > 1:
                remarks.append(
                    "the first column has no name, as that of row numbers which pandas writes has none: if it is one, "
                    "ignore the column ''"
                )
            elif alike:
                names = ", ".join(map(shown, header[:MOST_EXAMPLES])) + (", …" if len(header) > MOST_EXAMPLES else "")
                remarks.append(f"the header, {names}, looks like data: if it is, say that there is no header")
        of_place = dict(self._columns_read)
        told = []
        for i, name in enumerate(header):
            cells = [row[i].strip() for row in rows]
            column = of_place.get(i)
            if column is not None:
                remark = column.settle(cells)
                if remark is not None:
                    remarks.append(remark)
                cells = [cell for cell in cells if not column.is_missing(cell)]
            kind = "label" if i == label_at else "ignored" if column is None else column.kind or "empty"
            told.append(ColumnRead(name, kind, tuple(islice(dict.fromkeys(cells), MOST_EXAMPLES))))
        self._told = TableRead(None if label_at is None else header[label_at], told, {}, remarks)

    @staticmethod
    def _check_row(row: list[str], header: list[str], line: int, label_at: int | None) -> None:
        if len(row) != len(header):
            column = min(len(row), len(header)) + 1
            raise BadLineError(LineError(line, column, f"{len(row)}", f"{len(header)} columns as in the first line"))
        if label_at is not None and not row[label_at].strip():
            raise BadLineError(LineError(line, label_at + 1, "an empty cell", "a label"))
