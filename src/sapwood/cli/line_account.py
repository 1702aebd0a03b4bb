"""Which lines of a stream became points, which are blank and which were skipped, so that each has a line of output."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING

from sapwood.cli.readers import COLUMNAR, DELIMITERS

if TYPE_CHECKING:
    from sapwood.stream import Reader

__all__ = ["Line", "LineAccount"]

# What str.isspace says of a line, in UTF-8.
_BLANK = re.compile(
    rb"(?:[ \t\r\f\v\x1c-\x1f]|\xc2[\x85\xa0]|\xe1\x9a\x80"
    rb"|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*$",
    re.MULTILINE,
)
_BLANK_ARFF = re.compile(_BLANK.pattern[:-1] + rb"(%.*)?$", re.MULTILINE)
# Where the header of ARFF ends.
_DATA = re.compile(rb"^\s*@data\b.*(\n|\Z)", re.MULTILINE | re.IGNORECASE)
_BLANK_SVMLIGHT = re.compile(rb"[ \t\r\f\v]*(#.*)?$", re.MULTILINE)


class Line(Enum):
    """What became of a line of the input."""

    POINT = "point"
    BLANK = "blank"
    COMMENT = "comment"
    BAD = "bad"


class LineAccount:
    """Keeps account of the lines of a reader; of a table a row is a line, and its header is none.

    Parameters
    ----------
    reader : Reader
        The reader, of which nothing has been read.
    header : bool
        Whether a CSV file begins with the names of its columns.
    delimiter : str or None
        The character between its columns; None for the one that the first line has most often.
    """

    def __init__(self, reader: Reader, *, header: bool, delimiter: str | None) -> None:
        reader.on_block = self._take
        reader.on_bad_line = self._bad
        self._is_csv = reader.format == "csv"
        self._is_arff = reader.format == "arff"
        # Of what is no text every row is a point, or bad.
        self._has_lines = reader.format not in COLUMNAR
        self._blank = {"svmlight": _BLANK_SVMLIGHT, "arff": _BLANK_ARFF}.get(reader.format, _BLANK)
        self._has_header = header
        self._delimiter = None if delimiter is None else delimiter.encode()
        self._is_begun = False
        self._is_open = False
        # Runs of lines of one kind; a point may turn out to be a bad line.
        self._runs: deque[tuple[Line, int]] = deque()
        self._bad_after: deque[int] = deque()
        self._n_points = 0

    def lines(self, n_points: int) -> Iterator[Line]:
        """Yield what became of the next lines, up to that of the last of so many points, which are the next ones."""
        last = self._n_points + n_points
        while self._n_points < last:
            yield self._next()

    def rest(self) -> Iterator[Line]:
        """Yield what became of the lines behind the last point."""
        while self._runs or (self._bad_after and not self._has_lines):
            yield self._next()

    def _next(self) -> Line:
        kind, n = self._runs.popleft() if self._has_lines else (Line.POINT, 1)
        if n > 1:
            self._runs.appendleft((kind, n - 1))
        if kind is not Line.POINT:
            return kind
        if self._bad_after and self._bad_after[0] == self._n_points:
            self._bad_after.popleft()
            return Line.BAD
        self._n_points += 1
        return kind

    def _bad(self, n_points: int) -> None:
        self._bad_after.append(n_points)

    def _add(self, kind: Line, n: int) -> None:
        if n and self._runs and self._runs[-1][0] is kind:
            self._runs[-1] = kind, self._runs[-1][1] + n
        elif n:
            self._runs.append((kind, n))

    def _take(self, block: bytes) -> None:
        if self._is_csv:
            self._take_rows(block)
            return
        at, end = 0, len(block)
        if self._is_arff and not self._is_begun:
            data = _DATA.search(block)
            self._is_begun = data is not None
            at = end if data is None else data.end()
        while at < end:
            found = _first_line(self._blank, block, at)
            stop = end if found is None else found.start()
            self._add(Line.POINT, block.count(b"\n", at, stop) + (block[stop - 1 : stop] != b"\n" and stop > at))
            if found is None:
                return
            self._add(Line.COMMENT if found[0].lstrip()[:1] in {b"#", b"%"} else Line.BLANK, 1)
            at = found.end() + 1

    def _take_rows(self, block: bytes) -> None:
        for line in block.removesuffix(b"\n").split(b"\n"):
            if self._delimiter is None and line.strip():
                self._delimiter = max((each.encode() for each in DELIMITERS), key=line.count)
            if not self._is_begun and self._has_header:
                self._is_begun = bool(line.strip())
            elif self._is_open:
                self._is_open = _is_open(line, self._delimiter, within=True)
            elif line in {b"", b"\r"}:
                self._add(Line.BLANK, 1)
            else:
                self._add(Line.POINT, 1)
                self._is_open = b'"' in line and _is_open(line, self._delimiter, within=False)


def _first_line(pattern: re.Pattern[bytes], block: bytes, at: int) -> re.Match[bytes] | None:
    """Return the first whole line from here on that a pattern matches. The end of the block is no line."""
    end = len(block)
    while at < end:
        if (found := pattern.match(block, at)) is not None:
            return found
        at = block.find(b"\n", at) + 1
        if at == 0:
            return None
    return None


def _is_open(line: bytes, delimiter: bytes | None, *, within: bool) -> bool:
    """Whether a quoted cell goes on in the next line; `within` says whether one goes on in this line.

    A quotation mark opens a cell at its beginning only. What is behind the closing one is an error, which ends the row.
    """
    separator = delimiter or b","
    at = 0
    while True:
        if not within:
            opening = 0 if at == 0 and line[:1] == b'"' else line.find(separator + b'"', at)
            if opening < 0:
                return False
            at = opening + (1 if opening == 0 and line[:1] == b'"' else len(separator) + 1)
        closing = line.find(b'"', at)
        while closing >= 0 and line[closing + 1 : closing + 2] == b'"':
            closing = line.find(b'"', closing + 2)
        if closing < 0:
            return True
        at, within = closing + 1, False
        if line[at:] not in {b"", b"\r"} and not line.startswith(separator, at):
            return False
