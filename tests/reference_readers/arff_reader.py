"""ARFF in plain Python: every row cell by cell, as the reader of sapwood does with those that the core leaves over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from sapwood.stream._arff_cells import cells_of
from sapwood.stream._arff_header import ArffHeader
from sapwood.stream._columns import Wanted
from sapwood.stream._errors import BadLineError, LineError, shown

from .gather import Lines, TablePoints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sapwood.data.kinds import Kind
    from sapwood.stream._table import TableRead

__all__ = ["ArffParser"]

# Cells of sparse rows beyond which points are given before there are as many as wanted, as by the reader of sapwood.
_MOST_CELLS = 1 << 22


class ArffParser(TablePoints):
    """Parses ARFF. The interface is that of `Parser`.

    Guarantee: a column holds what the header says, a number or one of its values, and a sparse row is the dense row
    that it stands for: a number that it leaves out is 0, and a category is the first of its values.

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
        super().__init__()
        self._file = file
        self._wanted = Wanted(file, label, ignore, types, labelled=labelled, only_typed=only_typed)
        self._na_values = na_values
        self._lines = Lines(iter(()))
        self._header: ArffHeader | None = None

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:  # type: ignore[override]  # it is worked out when it is asked for
        """How the columns are read; None before the header was."""
        return None if self._header is None else self._header.table

    def _forget(self) -> None:
        super()._forget()
        self._n_cells = 0

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        header = self._header = ArffHeader(self._file, lines, self._wanted, self._na_values)
        while True:
            try:
                self._read_row(next(lines), header)
            except StopIteration:
                return
            except BadLineError as bad:
                yield bad.error
                continue
            if len(self) >= self.most or self._n_cells > _MOST_CELLS:
                yield None

    def _read_row(self, line: str, header: ArffHeader) -> None:
        """Add a line, if it is a row; raise BadLineError if it is a bad one."""
        text = line.strip()
        if not text or text.startswith("%"):
            return
        cells = cells_of(text, header.absent, self.n_lines)
        keys: dict[Any, None] = {}
        numbers: list[tuple[str, float]] = []
        label: Any = None
        label_at = header.label_at
        if label_at is not None and not cells[label_at].strip():
            self._fail(label_at, shown(cells[label_at]), "a label")
        of_place = dict(header.columns)
        for place, cell in enumerate(cells):
            if place not in of_place and place != label_at:
                continue
            try:
                found = header.label(cell) if place == label_at else of_place[place].said(cell)
            except ValueError as error:
                self._fail(place, shown(cell), str(error))
            try:
                cell.encode()
            except UnicodeEncodeError:
                # An escape may be half of a character.
                self._fail(place, shown(cell), "text in UTF-8")
            if place == label_at:
                label = found
                continue
            if type(found) is float:
                numbers.append((of_place[place].name, found))
            elif found is not None:
                keys[found] = None
        self.add_mixed(self.n_lines, label, list(keys), numbers)
        if text.startswith("{"):
            self._n_cells += len(cells)

    def _fail(self, place: int, found: str, expected: str) -> NoReturn:
        raise BadLineError(LineError(self.n_lines, place + 1, found, expected))
