"""ARFF in plain Python: a table whose header says what each column holds, in dense rows, sparse rows or both."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from sapwood.data.category import Category
from sapwood.stream._columns import Column, Wanted
from sapwood.stream._errors import BadLineError, LineError, StreamError, shown
from sapwood.stream._table import ColumnRead, TableRead, finite_number

from .gather import Lines, TablePoints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from sapwood.data.kinds import Kind

__all__ = ["ArffParser"]

_MOST_EXAMPLES = 3
_NUMBERS = {"numeric", "real", "integer"}
_KEYWORD = re.compile(r"\s*@(\w+)\s*", re.ASCII)
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_NAME = re.compile(rf"({_QUOTED}|[^\s{{}}'\"%,]+)\s*")
# A cell in quotes, or anything up to a comma or a comment. What is within quotes may be escaped.
_CELL = re.compile(rf"\s*(?:({_QUOTED})\s*|([^,%'\"\s][^,%]*))?(?=[,%]|$)")
_VALUE = re.compile(rf"\s*(?:({_QUOTED})\s*|([^,%'\"}}\s][^,%}}]*))(?=[,}}])")
_PAIR = re.compile(rf"\s*([0-9]+)\s+(?:({_QUOTED})\s*|([^,%'\"}}\s][^,%}}]*))(?=[,}}])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
# Cells of sparse rows, which are written in a few bytes, beyond which points are given before there are as many as
# wanted: so that a batch of a wide table takes 100 MB, and not as many as it has columns.
_MOST_CELLS = 1 << 22


class _Attribute(NamedTuple):
    """A column as the header says it."""

    name: str
    kind: str
    """numeric, nominal or string."""
    values: tuple[str, ...] = ()

    @property
    def absent(self) -> str:
        """What a sparse row says by leaving the column out."""
        if self.kind == "string":
            return "?"
        return self.values[0] if self.values else "0"


class _Nominal(Column):
    """A column that holds one of some values."""

    def __init__(self, attribute: _Attribute, na_values: Collection[str]) -> None:
        super().__init__(attribute.name, "category", na_values)
        self._values = frozenset(attribute.values)

    def said(self, cell: str) -> str | None:
        """Return what a cell says; raise ValueError if it is no value of the column."""
        text = cell.strip()
        if self.is_missing(text):
            return None
        if text not in self._values:
            raise ValueError(f"one of the values of {self.name!r} in the header")
        return Category(self.name, text)


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
        self._attributes: list[_Attribute] = []
        self._columns_read: list[tuple[int, Column]] = []
        self._label_at: int | None = None
        self._told: TableRead | None = None

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    @property
    def table(self) -> TableRead | None:  # type: ignore[override]  # it is worked out when it is asked for
        """How the columns are read; None before the header was."""
        return self._told

    def _forget(self) -> None:
        super()._forget()
        self._n_cells = 0

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        self._read_header(lines)
        while True:
            try:
                self._read_row(next(lines))
            except StopIteration:
                return
            except BadLineError as bad:
                yield bad.error
                continue
            if len(self) >= self.most or self._n_cells > _MOST_CELLS:
                yield None

    # ---- the header -------------------------------------------------------------------------------------------------

    def _read_header(self, lines: Lines) -> None:
        """Read the lines up to that of the data. Errors here are those of the file."""
        try:
            for line in lines:
                keyword = _KEYWORD.match(line)
                word = "" if keyword is None else keyword.group(1).lower()
                if not line.strip() or line.lstrip().startswith("%") or word == "relation":
                    continue
                if word == "data":
                    break
                if keyword is None or word != "attribute":
                    self._refuse("@relation, @attribute, @data or a comment", shown(line.strip()))
                self._attributes.append(self._attribute(line, keyword.end()))
            else:
                self._refuse("@data behind the header", "the end of the file")
        except BadLineError as bad:
            error = bad.error
            raise StreamError(self._file, error.expected, error.found, error.line, error.column) from None
        header = [attribute.name for attribute in self._attributes]
        if not header:
            self._refuse("columns, @attribute name type", "none before @data")
        for i, name in enumerate(header):
            if name in header[:i]:
                self._refuse("columns of different names", f"{shown(name)} twice")
        wanted = self._wanted
        self._label_at = wanted.label_at(header, lines.n)
        wanted.check(header, lines.n)
        self._columns_read = [(i, self._column(self._attributes[i])) for i in wanted.places(header, self._label_at)]
        self._note()

    def _attribute(self, line: str, at: int) -> _Attribute:
        found = _NAME.match(line, at)
        if found is None:
            self._refuse("@attribute name type", shown(line.strip()))
        name = _unquoted(found.group(1)).strip()
        rest = line[found.end() :]
        if rest.startswith("{"):
            return _Attribute(name, "nominal", self._nominal(name, rest))
        kind = rest.partition("%")[0].strip().lower()
        if kind in _NUMBERS:
            return _Attribute(name, "numeric")
        if kind == "string":
            return _Attribute(name, "string")
        if name in self._wanted.ignore or (self._wanted.only_typed and name not in self._wanted.types):
            return _Attribute(name, "string")
        expected = "a column of numbers, of {values} or of strings (or one that is ignored)"
        return self._refuse(expected, f"{shown(kind)} as {name!r}")

    def _nominal(self, name: str, written: str) -> tuple[str, ...]:
        values: dict[str, None] = {}
        at = 1
        while True:
            found = _VALUE.match(written, at)
            if found is None:
                self._refuse(f"values between commas as {name!r}", shown(written[at:].strip() or written))
            values[_unquoted(found.group(1) or found.group(2)).strip()] = None
            at = found.end() + 1
            if written[at - 1] == "}":
                return tuple(values)

    def _column(self, attribute: _Attribute) -> Column:
        name = attribute.name
        given = self._wanted.types.get(name)
        if attribute.kind == "nominal" and given in {None, "category"}:
            return _Nominal(attribute, self._na_values)
        kind: Kind = "number" if attribute.kind == "numeric" else "category"
        return Column(name, given or kind, self._na_values)

    def _note(self) -> None:
        """Note how the columns are read."""
        of_place = dict(self._columns_read)
        told = []
        for i, attribute in enumerate(self._attributes):
            column = of_place.get(i)
            kind = "label" if i == self._label_at else "ignored" if column is None else column.kind or "empty"
            told.append(ColumnRead(attribute.name, kind, tuple(islice(attribute.values, _MOST_EXAMPLES))))
        types = {column.name: column.kind for _, column in self._columns_read if column.kind is not None}
        self._told = TableRead(None if self._label_at is None else self._attributes[self._label_at].name, told, types)

    def _refuse(self, expected: str, found: str) -> NoReturn:
        raise StreamError(self._file, expected, found, self._lines.n, 1)

    # ---- rows -------------------------------------------------------------------------------------------------------

    def _read_row(self, line: str) -> None:
        """Add a line, if it is a row; raise BadLineError if it is a bad one."""
        text = line.strip()
        if not text or text.startswith("%"):
            return
        is_sparse = text.startswith("{")
        cells = self._sparse(text) if is_sparse else self._dense(text)
        keys: dict[Any, None] = {}
        numbers: list[tuple[str, float]] = []
        label: Any = None
        if self._label_at is not None and not cells[self._label_at].strip():
            self._fail(self._label_at, shown(cells[self._label_at]), "a label")
        of_place = dict(self._columns_read)
        for place, cell in enumerate(cells):
            if place not in of_place and place != self._label_at:
                continue
            try:
                found = self._label(cell.strip()) if place == self._label_at else of_place[place].said(cell)
            except ValueError as error:
                self._fail(place, shown(cell), str(error))
            try:
                cell.encode()
            except UnicodeEncodeError:
                # An escape may be half of a character.
                self._fail(place, shown(cell), "text in UTF-8")
            if place == self._label_at:
                label = found
                continue
            if type(found) is float:
                numbers.append((of_place[place].name, found))
            elif found is not None:
                keys[found] = None
        self.add_mixed(self.n_lines, label, list(keys), numbers)
        if is_sparse:
            self._n_cells += len(cells)

    def _label(self, text: str) -> float | str:
        """Return the label that a cell says; raise ValueError, with what was expected, if it says none."""
        assert self._label_at is not None
        labels = self._attributes[self._label_at]
        if text in self._na_values:
            raise ValueError("a label")
        if labels.kind == "numeric":
            value = finite_number(text)
            return int(value) if value.is_integer() else value
        if labels.kind == "nominal" and text not in labels.values:
            raise ValueError(f"one of the values of {labels.name!r} in the header")
        return text

    def _dense(self, text: str) -> list[str]:
        cells: list[str] = []
        at = 0
        while True:
            found = _CELL.match(text, at)
            if found is None:
                self._fail(
                    len(cells), shown(text[at:].strip()), "a value, in quotes from its beginning to its end or without"
                )
            cells.append(_unquoted(found.group(1) or found.group(2) or ""))
            at = found.end()
            if text[at : at + 1] != ",":
                break
            at += 1
        n = len(self._attributes)
        if len(cells) != n:
            self._fail(min(len(cells), n), f"{len(cells)}", f"{n} columns as in the header")
        return cells

    def _sparse(self, text: str) -> list[str]:
        cells = [attribute.absent for attribute in self._attributes]
        at = 1
        last = -1
        while text[at:].lstrip()[:1] != "}":
            found = _PAIR.match(text, at)
            if found is None:
                self._fail(max(last, 0), shown(text[at:].strip()), "index value, index value, ... }")
            place = int(found.group(1))
            if place >= len(cells):
                self._fail(len(cells) - 1, f"{place}", f"an index below the number of columns, {len(cells)}")
            if place <= last:
                self._fail(last, f"{place} after {last}", "indices that ascend")
            cells[place], last = _unquoted(found.group(2) or found.group(3)), place
            at = found.end() + (text[found.end()] == ",")
        rest = text[at:].lstrip()[1:].strip()
        if rest and not rest.startswith("%"):
            self._fail(max(last, 0), shown(rest), "the end of the row behind }")
        return cells

    def _fail(self, place: int, found: str, expected: str) -> NoReturn:
        raise BadLineError(LineError(self.n_lines, place + 1, found, expected))


def _unquoted(text: str) -> str:
    """Return what a name or a value says, which may be in quotes and, within them, escaped."""
    if text[:1] in {"'", '"'}:
        text = text[1:-1]
        if "\\" in text:
            return _ESCAPE.sub(lambda found: _unescaped(found.group(1)), text)
    return text


def _unescaped(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _ESCAPED.get(escape, escape)
