"""CSV in plain Python: every row by Python's csv module, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_readers.gather import Lines, TablePoints
from sapwood.stream._columns import Column, Wanted
from sapwood.stream._csv_table import csv_header, csv_rows, sample_of, settled
from sapwood.stream._errors import LineError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from sapwood.data.kinds import Kind
    from sapwood.stream._csv_table import Row
    from sapwood.stream._table import TableRead


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
        self._wanted = Wanted(file, label, ignore, types, labelled=labelled, only_typed=only_typed)
        self._delimiter = delimiter
        self._has_header = header
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
        wanted = self._wanted
        header = csv_header(lines, wanted, self._delimiter, has_header=self._has_header)
        names = header.names
        label_at = wanted.label_at(names, lines.n)
        wanted.check(names, lines.n)
        columns = self._columns_read = [
            (i, Column(names[i], wanted.types.get(names[i]), self._na_values)) for i in wanted.places(names, label_at)
        ]
        rows = csv_rows(lines, header, label_at)
        is_settled = all(column.kind for _, column in columns)
        sample, stopped = ([], None) if is_settled else sample_of(rows)
        self._told = settled(names, columns, label_at, sample, wanted, has_header=self._has_header)
        # Only then can two columns make one feature, which a point must not have twice.
        ambiguous = any("=" in name for name in names)
        yield from self._gather(sample, columns, label_at, ambiguous=ambiguous)
        if stopped is not None:
            raise stopped
        yield from self._gather(rows, columns, label_at, ambiguous=ambiguous)

    def _gather(
        self,
        rows: Iterable[Row],
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
