"""Errors of a stream: the place, what was found there and what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import csv

__all__ = ["BadLineError", "LineError", "ShortStreamError", "StreamError", "csv_fault", "shown"]

_LONGEST = 40


class LineError(NamedTuple):
    """A bad line: its number and column, from 1, what was found there and what was expected.

    The column counts bytes in svmlight files and characters in text and JSON lines; in CSV it is the column of the
    table.
    """

    line: int
    column: int
    found: str
    expected: str


class StreamError(ValueError):
    """A bad line in a stream, or a file that cannot be read further.

    Its attributes are the parts of the message, ``file, line 12, column 7: expected this, found that``. `line` and
    `column` are None where the file as a whole is wrong.
    """

    def __init__(
        self, file: str, expected: str, found: str, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(file, expected, found, line, column)
        self.file = file
        self.expected = expected
        self.found = found
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = "" if self.line is None else f", line {self.line}, column {self.column}"
        return f"{self.file}{place}: expected {self.expected}, found {self.found}"


class ShortStreamError(StreamError):
    """A stream that ends before the point to start at. The `position` of its reader says how many it has."""


class BadLineError(Exception):
    """Carries the error of a line to the parser that reports it; never leaves the package."""

    def __init__(self, error: LineError) -> None:
        super().__init__(error)
        self.error = error


def csv_fault(error: csv.Error) -> str:
    """Return what was found where Python's csv module found an error; it has its own words for how files are opened."""
    if str(error).startswith("new-line character"):
        return "a carriage return without a line feed, outside of quotes"
    return f"a fault: {error}"


def shown(text: str) -> str:
    """Return a piece of text in quotes, cut if it is long, with anything unprintable escaped."""
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
