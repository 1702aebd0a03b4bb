"""The header of an ARFF file: which columns there are, and what each holds."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

from sapwood.data.category import Category
from sapwood.stream._arff_cells import QUOTED, unquoted
from sapwood.stream._columns import Column
from sapwood.stream._errors import BadLineError, StreamError, shown
from sapwood.stream._table import MOST_EXAMPLES, ColumnRead, TableRead, finite_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sapwood.data.kinds import Kind
    from sapwood.stream._columns import Wanted

__all__ = ["ArffHeader", "Attribute"]

_NUMBERS = {"numeric", "real", "integer"}
_KEYWORD = re.compile(r"\s*@(\w+)\s*", re.ASCII)
_NAME = re.compile(rf"({QUOTED}|[^\s{{}}'\"%,]+)\s*")
_VALUE = re.compile(rf"\s*(?:({QUOTED})\s*|([^,%'\"}}\s][^,%}}]*))(?=[,}}])")


class Attribute(NamedTuple):
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

    def __init__(self, attribute: Attribute, na_values: Collection[str]) -> None:
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


class _NumberedLines(Protocol):
    """Lines of text that know how many of them were read."""

    n: int

    def __iter__(self) -> Iterator[str]:
        """Return what yields each line, or raises BadLineError in the place of one."""


class ArffHeader:
    """The columns of a file, read from its lines up to that of the data.

    Parameters
    ----------
    na_values
        Cells that stand for a missing value, beside the empty one.

    Raises
    ------
    StreamError
        If the header is wrong, or has no column that the user named.
    """

    def __init__(self, file: str, lines: _NumberedLines, wanted: Wanted, na_values: Collection[str]) -> None:
        self._file = file
        self._lines = lines
        self._wanted = wanted
        self._na_values = na_values
        self.attributes: list[Attribute] = []
        """All columns."""
        self._read()
        names = [attribute.name for attribute in self.attributes]
        self.label_at = wanted.label_at(names, lines.n)
        """The place of the labels among them; None if there are none."""
        wanted.check(names, lines.n)
        self.columns = [(i, self._column(self.attributes[i])) for i in wanted.places(names, self.label_at)]
        """The columns that are read, each with its place."""
        self.absent = [attribute.absent for attribute in self.attributes]
        """What a sparse row says of each column by leaving it out."""
        self.table = self._told()
        """How the columns are read."""

    @property
    def labels(self) -> Attribute | None:
        """The column of the labels; None if there is none."""
        return None if self.label_at is None else self.attributes[self.label_at]

    def label(self, cell: str) -> float | str:
        """Return the label that a cell says; raise ValueError, with what was expected, if it says none."""
        text = cell.strip()
        labels = self.labels
        if not text or text in self._na_values or labels is None:
            raise ValueError("a label")
        if labels.kind == "numeric":
            value = finite_number(text)
            return int(value) if value.is_integer() else value
        if labels.kind == "nominal" and text not in labels.values:
            raise ValueError(f"one of the values of {labels.name!r} in the header")
        return text

    def _read(self) -> None:
        """Read the lines up to that of the data. Errors here are those of the file."""
        try:
            for line in self._lines:
                keyword = _KEYWORD.match(line)
                word = "" if keyword is None else keyword.group(1).lower()
                if not line.strip() or line.lstrip().startswith("%") or word == "relation":
                    continue
                if word == "data":
                    break
                if keyword is None or word != "attribute":
                    self._refuse("@relation, @attribute, @data or a comment", shown(line.strip()))
                self.attributes.append(self._attribute(line, keyword.end()))
            else:
                self._refuse("@data behind the header", "the end of the file")
        except BadLineError as bad:
            error = bad.error
            raise StreamError(self._file, error.expected, error.found, error.line, error.column) from None
        if not self.attributes:
            self._refuse("columns, @attribute name type", "none before @data")
        names: set[str] = set()
        for attribute in self.attributes:
            if attribute.name in names:
                self._refuse("columns of different names", f"{shown(attribute.name)} twice")
            names.add(attribute.name)

    def _attribute(self, line: str, at: int) -> Attribute:
        found = _NAME.match(line, at)
        if found is None:
            self._refuse("@attribute name type", shown(line.strip()))
        name = unquoted(found.group(1)).strip()
        rest = line[found.end() :]
        if rest.startswith("{"):
            return Attribute(name, "nominal", self._values(name, rest))
        kind = rest.partition("%")[0].strip().lower()
        if kind in _NUMBERS:
            return Attribute(name, "numeric")
        if kind == "string":
            return Attribute(name, "string")
        if name in self._wanted.ignore or (self._wanted.only_typed and name not in self._wanted.types):
            return Attribute(name, "string")
        expected = "a column of numbers, of {values} or of strings (or one that is ignored)"
        return self._refuse(expected, f"{shown(kind)} as {name!r}")

    def _values(self, name: str, written: str) -> tuple[str, ...]:
        values: dict[str, None] = {}
        at = 1
        while True:
            found = _VALUE.match(written, at)
            if found is None:
                self._refuse(f"values between commas as {name!r}", shown(written[at:].strip() or written))
            values[unquoted(found.group(1) or found.group(2)).strip()] = None
            at = found.end() + 1
            if written[at - 1] == "}":
                return tuple(values)

    def _column(self, attribute: Attribute) -> Column:
        name = attribute.name
        given = self._wanted.types.get(name)
        if attribute.kind == "nominal" and given in {None, "category"}:
            return _Nominal(attribute, self._na_values)
        kind: Kind = "number" if attribute.kind == "numeric" else "category"
        return Column(name, given or kind, self._na_values)

    def _told(self) -> TableRead:
        of_place = dict(self.columns)
        told = []
        for i, attribute in enumerate(self.attributes):
            column = of_place.get(i)
            kind = "label" if i == self.label_at else "ignored" if column is None else column.kind or "empty"
            told.append(ColumnRead(attribute.name, kind, tuple(islice(attribute.values, MOST_EXAMPLES))))
        types = {column.name: column.kind for _, column in self.columns if column.kind is not None}
        return TableRead(None if self.labels is None else self.labels.name, told, types)

    def _refuse(self, expected: str, found: str) -> NoReturn:
        raise StreamError(self._file, expected, found, self._lines.n, 1)
