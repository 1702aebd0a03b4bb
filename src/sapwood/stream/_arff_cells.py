"""The rows of ARFF by Python: from a line to the texts of its cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["QUOTED", "cells_of", "unquoted"]

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
"""A name or a value in quotes. What is within may be escaped."""
# A cell in quotes, or anything up to a comma or a comment.
_CELL = re.compile(rf"\s*(?:({QUOTED})\s*|([^,%'\"\s][^,%]*))?(?=[,%]|$)")
_PAIR = re.compile(rf"\s*([0-9]+)\s+(?:({QUOTED})\s*|([^,%'\"}}\s][^,%}}]*))(?=[,}}])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def cells_of(text: str, absent: Sequence[str], line: int) -> list[str]:
    """Return the cells of a row, dense or sparse, which is a line without the blanks around it.

    Parameters
    ----------
    absent
        What a sparse row says of each column by leaving it out.
    line
        The number of the line, for errors.

    Raises
    ------
    BadLineError
        If it is no row of as many columns.
    """
    return _sparse(text, absent, line) if text.startswith("{") else _dense(text, len(absent), line)


def _dense(text: str, n: int, line: int) -> list[str]:
    cells: list[str] = []
    at = 0
    while True:
        found = _CELL.match(text, at)
        if found is None:
            expected = "a value, in quotes from its beginning to its end or without"
            _fail(line, len(cells), shown(text[at:].strip()), expected)
        cells.append(unquoted(found.group(1) or found.group(2) or ""))
        at = found.end()
        if text[at : at + 1] != ",":
            break
        at += 1
    if len(cells) != n:
        _fail(line, min(len(cells), n), f"{len(cells)}", f"{counted(n, 'column')} as in the header")
    return cells


def _sparse(text: str, absent: Sequence[str], line: int) -> list[str]:
    cells = list(absent)
    at = 1
    last = -1
    while text[at:].lstrip()[:1] != "}":
        found = _PAIR.match(text, at)
        if found is None:
            _fail(line, max(last, 0), shown(text[at:].strip()), "index value, index value, ... }")
        place = int(found.group(1))
        if place >= len(cells):
            _fail(line, len(cells) - 1, f"{place}", f"an index below the number of columns, {len(cells)}")
        if place <= last:
            _fail(line, last, f"{place} after {last}", "indices that ascend")
        cells[place], last = unquoted(found.group(2) or found.group(3)), place
        at = found.end() + (text[found.end()] == ",")
    rest = text[at:].lstrip()[1:].strip()
    if rest and not rest.startswith("%"):
        _fail(line, max(last, 0), shown(rest), "the end of the row behind }")
    return cells


def unquoted(text: str) -> str:
    """Return what a name or a value says, which may be in quotes and, within them, escaped."""
    if text[:1] in {"'", '"'}:
        text = text[1:-1]
        if "\\" in text:
            return _ESCAPE.sub(lambda found: _unescaped(found.group(1)), text)
    return text


def _unescaped(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _ESCAPED.get(escape, escape)


def _fail(line: int, place: int, found: str, expected: str) -> NoReturn:
    raise BadLineError(LineError(line, place + 1, found, expected))
