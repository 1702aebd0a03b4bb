"""CSV: a header, then one row per point, whose features are columns, or columns with values."""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING

from sapwood import _core
from sapwood.stream._errors import BadLineError, LineError, StreamError, shown
from sapwood.stream._formats import DELIMITERS
from sapwood.stream._lines import Lines
from sapwood.stream._parser import KeyedPoints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

LABEL_NAMES = ("label", "class", "target")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
# Cells of a column that are remembered; most columns have few different ones.
_MOST_CELLS = 1 << 14


class _Column(dict[str, "str | None"]):
    """The feature of each cell of a column, None where it has none; worked out once, while there are not too many."""

    def __init__(self, name: str, binarize: float | None) -> None:
        super().__init__()
        self._name = name
        self._binarize = binarize

    def __missing__(self, cell: str) -> str | None:
        value = _value(cell.strip())
        try:
            keys = _core.active_keys({self._name: value}, self._binarize)
        except ValueError:
            raise ValueError("a finite number" if value in {math.inf, -math.inf} else "the value 0 or 1") from None
        key: str | None = keys[0] if keys else None
        if len(self) >= _MOST_CELLS:
            self.clear()
        self[cell] = key
        return key


def _value(text: str) -> bool | float | str | None:
    """Return what a cell says: nothing, a boolean or a number if it reads like one, else text."""
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    return _BOOLEANS.get(text.lower(), text)


class CsvParser(KeyedPoints):
    """Parses CSV with Python's csv module. The interface is that of `Parser`.

    Parameters
    ----------
    label
        The column of the labels; by default the first that is called label, class or target, else the last.
    ignore
        Columns that are left out.
    delimiter
        By default that of comma, semicolon, tab and bar which the header has most of.
    """

    def __init__(
        self,
        file: str,
        binarize: float | None,
        label: str | None,
        ignore: Collection[str],
        delimiter: str | None,
        *,
        labelled: bool,
    ) -> None:
        super().__init__()
        self._file = file
        self._binarize = binarize
        self._label = label
        self._ignore = ignore
        self._delimiter = delimiter
        self._labelled = labelled
        self._lines = Lines(iter(()))

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        header, delimiter = self._header(lines)
        label_at = self._label_at(header)
        columns = [
            (i, _Column(name, self._binarize))
            for i, name in enumerate(header)
            if i != label_at and name != self._label and name not in self._ignore
        ]
        # Only then can two columns make one feature, which a point must not have twice.
        ambiguous = any("=" in name for name in header)
        rows = csv.reader(map("{}\n".format, lines), delimiter=delimiter, strict=True)
        while True:
            line = lines.n + 1
            try:
                row = next(rows, None)
                if row is None:
                    return
                if not row:
                    continue
                self._check_row(row, header, line, label_at)
                keys = self._keys_of(row, columns, line)
            except BadLineError as bad:
                yield bad.error
                continue
            except csv.Error as error:
                yield LineError(line, 1, f"a fault: {error}", "a row of CSV")
                continue
            if ambiguous:
                keys = list(dict.fromkeys(keys))
            if self.add(line, None if label_at is None else row[label_at].strip(), keys):
                yield None

    def _header(self, lines: Lines) -> tuple[list[str], str]:
        """Read the names of the columns, and how they are separated; errors here are those of the file."""
        try:
            first = next((line for line in lines if line.strip()), "")
            delimiter = self._delimiter or max(DELIMITERS, key=first.count)
            header = [name.strip() for name in next(csv.reader([first], delimiter=delimiter, strict=True), [])]
        except BadLineError as bad:
            error = bad.error
            raise StreamError(self._file, error.expected, error.found, error.line, error.column) from None
        except csv.Error as error:
            raise StreamError(self._file, "a header of CSV in one line", f"a fault: {error}", lines.n, 1) from None
        for i, name in enumerate(header):
            if name in header[:i]:
                raise StreamError(self._file, "columns of different names", f"{shown(name)} twice", lines.n, i + 1)
        return header, delimiter

    def _label_at(self, header: list[str]) -> int | None:
        if not self._labelled:
            return None
        if self._label is not None:
            if self._label not in header:
                names = ", ".join(header)
                raise StreamError(self._file, f"a column {self._label!r}", f"the columns {names}", self.n_lines, 1)
            return header.index(self._label)
        named = [i for i, name in enumerate(header) if name.lower() in LABEL_NAMES]
        return named[0] if named else len(header) - 1

    @staticmethod
    def _check_row(row: list[str], header: list[str], line: int, label_at: int | None) -> None:
        if len(row) != len(header):
            column = min(len(row), len(header)) + 1
            raise BadLineError(LineError(line, column, f"{len(row)}", f"{len(header)} columns as in the header"))
        if label_at is not None and not row[label_at].strip():
            raise BadLineError(LineError(line, label_at + 1, "an empty cell", "a label"))

    @staticmethod
    def _keys_of(row: list[str], columns: list[tuple[int, _Column]], line: int) -> list[str]:
        keys = []
        for i, features in columns:
            try:
                key = features[row[i]]
            except ValueError as error:
                raise BadLineError(LineError(line, i + 1, shown(row[i]), str(error))) from None
            if key is not None:
                keys.append(key)
        return keys
