"""CSV by Python's csv module: the names of the columns, rows, and what the first rows settle."""

from __future__ import annotations

import csv
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sapwood.stream._errors import BadLineError, LineError, StreamError, csv_fault, shown
from sapwood.stream._formats import DELIMITERS
from sapwood.stream._source import Interrupted
from sapwood.stream._table import MOST_EXAMPLES, SETTLING, ColumnRead, TableRead, looks_like_number
from sapwood.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from sapwood.stream._columns import Column, Wanted

    # A row of the table with its line, or what is wrong with the line.
    Row: TypeAlias = tuple[int, list[str]] | LineError

__all__ = ["CsvHeader", "NumberedLines", "Row", "csv_header", "csv_rows", "sample_of", "settled"]


class NumberedLines(Protocol):
    """Lines of text that know how many of them were read."""

    n: int

    def __iter__(self) -> Iterator[str]:
        """Return what yields each line, or raises BadLineError in the place of one."""

    def __next__(self) -> str:
        """Return the next line."""


class CsvHeader(NamedTuple):
    """What the first line says."""

    names: list[str]
    delimiter: str
    first: str | None
    """The line, if it is a row."""


def csv_header(lines: NumberedLines, wanted: Wanted, delimiter: str | None, *, has_header: bool) -> CsvHeader:
    """Read the first line. Errors here are those of the file."""
    file = wanted.file
    try:
        first = next((line for line in lines if line.strip()), "")
        delimiter = delimiter or max(DELIMITERS, key=first.count)
        cells = [name.strip() for name in next(csv.reader([first], delimiter=delimiter, strict=True), [])]
    except BadLineError as bad:
        error = bad.error
        raise StreamError(file, error.expected, error.found, error.line, error.column) from None
    except csv.Error as error:
        raise StreamError(file, "a header of CSV in one line", csv_fault(error), lines.n, 1) from None
    if not has_header:
        return CsvHeader(_numbered(len(cells), wanted), delimiter, first)
    for i, name in enumerate(cells):
        if name in cells[:i]:
            expected = "columns of different names (or a file that is said to have no header)"
            raise StreamError(file, expected, f"{shown(name)} twice", lines.n, i + 1)
    return CsvHeader(cells, delimiter, None)


def _numbered(n: int, wanted: Wanted) -> list[str]:
    """Return the names of columns without a header."""
    names = [f"x{i + 1}" for i in range(n + 1)]
    if not wanted.labelled and wanted.label in names and n == len(wanted.types):
        # As in training, but for the label, wherever that was.
        names.remove(wanted.label)
    return names[:n]


def csv_rows(lines: NumberedLines, header: CsvHeader, label_at: int | None) -> Iterator[Row]:
    """Yield the rows of the table, or what is wrong with one; the first line before the rest, if it is a row."""
    read_before = [] if header.first is None else [f"{header.first}\n"]
    text = chain(read_before, map("{}\n".format, lines))
    rows = csv.reader(text, delimiter=header.delimiter, strict=True)
    n_before = len(read_before)
    while True:
        line, n_before = lines.n + 1 - n_before, 0
        try:
            row = next(rows, None)
            if row is None:
                return
            if not row:
                continue
            _check_row(row, len(header.names), line, label_at)
            yield line, row
        except BadLineError as bad:
            yield bad.error
        except csv.Error as error:
            yield LineError(line, 1, csv_fault(error), "a row of CSV")


def _check_row(row: list[str], n_columns: int, line: int, label_at: int | None) -> None:
    if len(row) != n_columns:
        column = min(len(row), n_columns) + 1
        raise BadLineError(
            LineError(line, column, f"{len(row)}", f"{counted(n_columns, 'column')} as in the first line")
        )
    if label_at is not None and not row[label_at].strip():
        raise BadLineError(LineError(line, label_at + 1, "an empty cell", "a label"))


def sample_of(rows: Iterator[Row]) -> tuple[list[Row], BaseException | None]:
    """Return the rows by which columns are settled, and the error after them, if there is one."""
    sample: list[Row] = []
    try:
        for row in islice(rows, SETTLING):
            sample.append(row)  # noqa: PERF402 - of rows before an error, too
    except (StreamError, OSError, Interrupted) as error:
        # What was read before it is given first.
        return sample, error
    return sample, None


def settled(
    names: Sequence[str],
    columns: Iterable[tuple[int, Column]],
    label_at: int | None,
    sample: Iterable[Row],
    wanted: Wanted,
    *,
    has_header: bool,
) -> TableRead:
    """Settle what each column holds by the first rows; return how the table is read."""
    rows = [row[1] for row in sample if not isinstance(row, LineError)]
    remarks = _remarks_on_header(names, wanted) if has_header and not wanted.only_typed else []
    of_place = dict(columns)
    if not of_place and label_at is not None and not wanted.only_typed:
        remarks.append("no column but the label is read: if there are others, say what the delimiter is")
    told = []
    for i, name in enumerate(names):
        cells = [row[i].strip() for row in rows]
        column = of_place.get(i)
        if column is not None:
            remark = column.settle(cells)
            if remark is not None:
                remarks.append(remark)
            cells = [cell for cell in cells if not column.is_missing(cell)]
        kind = "label" if i == label_at else "ignored" if column is None else column.kind or "empty"
        told.append(ColumnRead(name, kind, tuple(islice(dict.fromkeys(cells), MOST_EXAMPLES))))
    return TableRead(None if label_at is None else names[label_at], told, {}, remarks)


def _remarks_on_header(names: Sequence[str], wanted: Wanted) -> list[str]:
    """Return what is strange about the names of columns, if anything is."""
    alike = [name for name in names if looks_like_number(name) or not name]
    if "" in wanted.ignore or "" in wanted.types:
        alike = [name for name in alike if name]
    if alike == [""] and names[0] == "" and len(names) > 1:
        remark = (
            "the first column has no name, as that of row numbers which pandas writes has none: if it is one, "
            "ignore the column ''"
        )
        return [remark]
    if alike:
        some = ", ".join(map(shown, names[:MOST_EXAMPLES])) + (", …" if len(names) > MOST_EXAMPLES else "")
        return [f"the header, {some}, looks like data: if it is, say that there is no header"]
    return []
