"""The columns of a table: which of them are read, and what their cells say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from sapwood.data.category import Category
from sapwood.stream._errors import StreamError, shown
from sapwood.stream._table import LABEL_NAMES, finite_number, flag_of, kind_of, nearest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sapwood.data.kinds import Kind

__all__ = ["Cells", "Column", "Wanted"]

# Of the cells of a column that is nonetheless read as a category: then something is said.
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Wanted:
    """Which columns of a file are read, as the user says, and which has the labels."""

    file: str
    label: str | None
    """The column of the labels; by default, of those that are not left out, the first that is called label, class or
    target, else the last."""
    ignore: Collection[str]
    """Columns that are left out."""
    types: Mapping[str, Kind]
    """What some columns hold."""
    labelled: bool
    only_typed: bool
    """Whether columns without a type are left out, and columns that lack are missing."""

    def label_at(self, header: Sequence[str], line: int) -> int | None:
        """Return the place of the labels among the columns; None if there are none."""
        # Of an empty file nothing is known, and nothing is read.
        if not self.labelled or not header:
            return None
        if self.label is not None:
            if self.label not in header:
                self._refuse("label", self.label, header, line)
            return header.index(self.label)
        left = [i for i, name in enumerate(header) if name not in self.ignore]
        if not left:
            raise StreamError(self.file, "a column with the labels", "none that is not ignored", line, 1)
        return next((i for i in left if header[i].lower() in LABEL_NAMES), left[-1])

    def places(self, header: Sequence[str], label_at: int | None) -> list[int]:
        """Return the places of the columns whose cells are read."""
        return [
            i
            for i, name in enumerate(header)
            if i != label_at
            and name != self.label
            and name not in self.ignore
            and not (self.only_typed and name not in self.types)
        ]

    def check(self, header: Sequence[str], line: int) -> None:
        """Refuse a name that the user gave and no column has; columns of another file may lack here."""
        if self.only_typed:
            if self.types and header and not set(self.types) & set(header):
                wanted = f"a column of the model ({', '.join(self.types)})"
                raise StreamError(self.file, wanted, f"the columns {', '.join(header)}", line, 1)
            return
        for option, names in (("ignore", self.ignore), ("types", self.types)):
            for name in names:
                if name not in header:
                    self._refuse(option, name, header, line)

    def _refuse(self, option: str, name: str, header: Sequence[str], line: int) -> NoReturn:
        near = nearest(name, header)
        hint = f"; did you mean {near!r}?" if near else ""
        found = f"the columns {', '.join(header)}{hint}"
        raise StreamError(self.file, f"a column {name!r}, which {option} names", found, line, 1)


class Column:
    """What the cells of a column say: a number, an active feature, or nothing.

    A column that is not settled is settled by its first cell that is not missing.
    """

    def __init__(self, name: str, kind: Kind | None, na_values: Collection[str]) -> None:
        self.name = name
        self.kind = kind
        self._na_values = na_values

    def said(self, cell: str) -> float | str | None:
        """Return what a cell says; raise ValueError, with what was expected, if it is not what the column holds."""
        text = cell.strip()
        if self.is_missing(text):
            return None
        if self.kind is None:
            self.kind = kind_of(text)
        if self.kind == "category":
            return Category(self.name, text)
        try:
            if self.kind == "number":
                return finite_number(text)
            return self.name if flag_of(text) else None
        except ValueError as error:
            raise ValueError(f"{error} as {self.name!r} (unless its type is given as category)") from None

    def is_missing(self, text: str) -> bool:
        """Whether a cell, without the blanks around it, has no value."""
        return not text or text in self._na_values

    def settle(self, cells: Sequence[str]) -> str | None:
        """Settle what the column holds by some of its cells; return what is strange about that, if anything is."""
        found = [kind_of(text) for text in cells if not self.is_missing(text)]
        kinds = set(found)
        if self.kind is not None or not found:
            return None
        self.kind = found[0] if len(kinds) == 1 else "category"
        n = found.count("number")
        if len(kinds) == 1 or n < _NEARLY_ALL * len(found):
            return None
        other = next(text for text in cells if not self.is_missing(text) and kind_of(text) != "number")
        return (
            f"{n:,} of the first {len(found):,} cells of {self.name!r} are numbers, but {shown(other)} is not: the "
            "column is read as a category; if that stands for a missing value, add it to the NA values"
        )


class Cells:
    """What the core asks about the cells of a column, which is known by its number; that of the labels is 0."""

    def __init__(self, columns: list[tuple[int, Column]]) -> None:
        self._columns = columns

    def __call__(self, number: int, cell: str) -> float | str | None:
        if number > 0:
            return self._columns[number - 1][1].said(cell)
        return self.label(cell)

    def label(self, cell: str) -> float | str:
        """Return the label that a cell says; raise ValueError if it says none."""
        label = cell.strip()
        if not label:
            raise ValueError("a label")
        return label
