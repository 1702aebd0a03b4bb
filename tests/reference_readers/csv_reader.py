"""CSV: one row per point, whose columns hold flags, numbers or categories."""

from __future__ import annotations

import csv
from itertools import chain, islice
from typing import TYPE_CHECKING, NoReturn

from reference_readers.gather import Lines, TablePoints
from sapwood.stream._columns import Column
from sapwood.stream._errors import BadLineError, LineError, StreamError, csv_fault, shown
from sapwood.stream._formats import DELIMITERS
from sapwood.stream._source import Interrupted
from sapwood.stream._table import (
    LABEL_NAMES,
    MOST_EXAMPLES,
    SETTLING,
    ColumnRead,
    TableRead,
    looks_like_number,
    nearest,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import TypeAlias

    from sapwood.data.kinds import Kind

    # A row of the table with its line, or what is wrong with the line.
    Row: TypeAlias = tuple[int, list[str]] | LineError


class CsvParser(TablePoints):
    """Parses CSV with Python's csv module. The interface is that of `Parser`.

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
        super().__init__()
        self._file = file
        self._label = label
        self._ignore = ignore
        self._delimiter = delimiter
        self._labelled = labelled
        self._has_header = header
        self._types = types
        self._only_typed = only_typed
        self._na_values = na_values
        self._lines = Lines(iter(()))
        self._columns_read: list[tuple[int, Column]] = []
        self._told: TableRead | None = None

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:  # type: ignore[override]  # it is worked out when it is asked for
        """How the columns were read; None before the first rows were."""
        if self._told is not None:
            self._told.types = {each.name: each.kind for _, each in self._columns_read if each.kind is not None}
        return self._told

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        header, delimiter, first = self._header(lines)
        label_at = self._label_at(header)
        self._check_names(header)
        columns = self._columns_read = [
            (i, Column(name, self._types.get(name), self._na_values))
            for i, name in enumerate(header)
            if i != label_at
            and name != self._label
            and name not in self._ignore
            and not (self._only_typed and name not in self._types)
        ]
        rows = self._rows(lines, header, delimiter, label_at, first)
        sample: list[Row] = []
        stopped: BaseException | None = None
        if not all(column.kind for _, column in columns):
            try:
                for row in islice(rows, SETTLING):
                    sample.append(row)  # noqa: PERF402 - of rows before an error, too
            except (StreamError, OSError, Interrupted) as error:
                # What was read before it is given first.
                stopped = error
        self._settle(header, label_at, sample)
        # Only then can two columns make one feature, which a point must not have twice.
        ambiguous = any("=" in name for name in header)
        yield from self._gather(sample, columns, label_at, ambiguous=ambiguous)
        if stopped is not None:
            raise stopped
        yield from self._gather(rows, columns, label_at, ambiguous=ambiguous)

    def _gather(
        self,
        rows: Iterator[Row] | list[Row],
        columns: list[tuple[int, Column]],
        label_at: int | None,
        *,
        ambiguous: bool,
    ) -> Iterator[LineError | None]:
        for row in rows:
            if isinstance(row, LineError):
                yield row
                continue
            line, cells = row
            keys: list[str] = []
            numbers: list[tuple[str, float]] = []
            try:
                for i, column in columns:
                    found = column.said(cells[i])
                    if type(found) is float:
                        numbers.append((column.name, found))
                    elif found is not None:
                        keys.append(found)  # type: ignore[arg-type]  # a text, being neither
            except ValueError as error:
                yield LineError(line, i + 1, shown(cells[i]), str(error))
                continue
            if ambiguous:
                keys = list(dict.fromkeys(keys))
            if self.add_mixed(line, None if label_at is None else cells[label_at].strip(), keys, numbers):
                yield None

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
        if not self._labelled and self._label in names and n == len(self._types):
            # As in training, but for the label, wherever that was.
            names.remove(self._label)
        return names[:n]

    def _label_at(self, header: list[str]) -> int | None:
        # Of an empty file nothing is known, and nothing is read.
        if not self._labelled or not header:
            return None
        if self._label is not None:
            if self._label not in header:
                self._refuse_name("label", self._label, header)
            return header.index(self._label)
        left = [i for i, name in enumerate(header) if name not in self._ignore]
        if not left:
            raise StreamError(self._file, "a column with the labels", "none that is not ignored", self.n_lines, 1)
        return next((i for i in left if header[i].lower() in LABEL_NAMES), left[-1])

    def _check_names(self, header: list[str]) -> None:
        """Refuse a name that the user gave and no column has; columns of another file may lack here."""
        if self._only_typed:
            if self._types and header and not set(self._types) & set(header):
                wanted = f"a column of the model ({', '.join(self._types)})"
                raise StreamError(self._file, wanted, f"the columns {', '.join(header)}", self.n_lines, 1)
            return
        for option, names in (("ignore", self._ignore), ("types", self._types)):
            for name in names:
                if name not in header:
                    self._refuse_name(option, name, header)

    def _refuse_name(self, option: str, name: str, header: list[str]) -> NoReturn:
        near = nearest(name, header)
        hint = f"; did you mean {near!r}?" if near else ""
        found = f"the columns {', '.join(header)}{hint}"
        raise StreamError(self._file, f"a column {name!r}, which {option} names", found, self.n_lines, 1)

    # ---- how the table was read -------------------------------------------------------------------------------------

    def _settle(self, header: list[str], label_at: int | None, sample: list[Row]) -> None:
        """Settle what each column holds by the first rows, and note how the table was read."""
        rows = [row[1] for row in sample if not isinstance(row, LineError)]
        remarks = []
        if self._has_header and not self._only_typed:
            alike = [name for name in header if looks_like_number(name) or not name]
            if alike:
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
