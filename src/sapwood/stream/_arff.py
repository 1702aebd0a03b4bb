"""ARFF: a table whose header says what each column holds, in dense rows, sparse rows or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sapwood import _core
from sapwood.stream._arff_cells import cells_of
from sapwood.stream._arff_header import ArffHeader
from sapwood.stream._columns import Cells, Wanted
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._lines import Lines
from sapwood.stream._table import TableRead, looks_like_number, table_batch

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sapwood.data import Batch
    from sapwood.data.kinds import Kind

__all__ = ["ArffParser"]

# Cells of sparse rows, which are written in a few bytes, beyond which points are given before there are as many as
# wanted: so that a batch of a wide table takes 100 MB, and not as many as it has columns.
_MOST_CELLS = 1 << 22


class _Labelled(Cells):
    """The cells of columns, of which one has the labels."""

    def __init__(self, header: ArffHeader) -> None:
        super().__init__(header.columns)
        self._header = header

    def label(self, cell: str) -> float | str:
        """Return the label that a cell says; raise ValueError, with what was expected, if it says none."""
        return self._header.label(cell)


class ArffParser:
    """Parses ARFF. The interface is that of `Parser`.

    Guarantee: a column holds what the header says, a number or one of its values, and a sparse row is the dense row
    that it stands for: a number that it leaves out is 0, and a category is the first of its values. A row that is bad,
    or has a character by its number, is read by Python.

    Parameters
    ----------
    label, ignore, types, only_typed
        As for CSV; `types` overrides the header.
    na_values
        Cells that stand for a missing value, beside the empty one.
    """

    def __init__(
        self,
        file: str,
        label: str | None,
        ignore: Collection[str],
        *,
        labelled: bool,
        types: Mapping[str, Kind],
        only_typed: bool,
        na_values: Collection[str],
    ) -> None:
        self.most = 1
        self.is_passed_over = False
        self._file = file
        self._wanted = Wanted(file, label, ignore, types, labelled=labelled, only_typed=only_typed)
        self._na_values = na_values
        self._lines = Lines(iter(()))
        self._header: ArffHeader | None = None
        self._native: _core.ArffRows | None = None

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:
        """How the columns are read; None before the header was."""
        return None if self._header is None else self._header.table

    def __len__(self) -> int:
        return 0 if self._native is None else len(self._native)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        if self._native is not None:
            self._native.take()

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        assert self._native is not None
        assert self._header is not None
        names = [column.name for _, column in self._header.columns]
        return table_batch(self._native.take(), names, labelled=self._wanted.labelled)

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        header = self._header = ArffHeader(self._file, lines, self._wanted, self._na_values)
        native = self._native = self._core_rows(header)
        while lines.more():
            lines.at, lines.n, is_left = native.parse(lines.block, lines.at, lines.n, self.most, _MOST_CELLS)
            try:
                if is_left:
                    self._read_row(next(lines), header, native)
            except BadLineError as bad:
                yield bad.error
                continue
            if len(native) >= self.most or native.n_sparse_cells() > _MOST_CELLS:
                yield None

    def _core_rows(self, header: ArffHeader) -> _core.ArffRows:
        """Return what reads rows natively: the columns are numbered from 1 on, and that of the labels is 0."""
        numbers = [-1] * len(header.attributes)
        for number, (place, _) in enumerate(header.columns, 1):
            numbers[place] = number
        if header.label_at is not None:
            numbers[header.label_at] = 0
        missing = [value for value in self._na_values if looks_like_number(value)]
        of_numbers = {place for place, column in header.columns if column.kind == "number"}
        columns = [
            (number, place in of_numbers, absent)
            for place, (number, absent) in enumerate(zip(numbers, header.absent, strict=True))
        ]
        return _core.ArffRows(missing, columns, _Labelled(header))

    def _read_row(self, line: str, header: ArffHeader, native: _core.ArffRows) -> None:
        """Add a line, if it is a row; raise BadLineError if it is a bad one."""
        text = line.strip()
        if not text or text.startswith("%"):
            return
        cells = cells_of(text, header.absent, self.n_lines)
        label_at = header.label_at
        if label_at is not None and not cells[label_at].strip():
            bad = label_at
        else:
            bad = native.add(self.n_lines, cells, text.startswith("{"))
        if bad < 0:
            return
        try:
            if bad == label_at:
                header.label(cells[bad])
            else:
                dict(header.columns)[bad].said(cells[bad])
        except ValueError as error:
            self._fail(bad, cells[bad], str(error))
        # An escape may be half of a character.
        self._fail(bad, cells[bad], "text in UTF-8")

    def _fail(self, place: int, cell: str, expected: str) -> NoReturn:
        raise BadLineError(LineError(self.n_lines, place + 1, shown(cell), expected))
