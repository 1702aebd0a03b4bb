"""Lines of text, and points with numbers gathered in lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from sapwood.data.batch import Batch, Numbers
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._parser import KeyedPoints


class Lines:
    """The lines of blocks of UTF-8 as text, without their ends (a line feed, or a carriage return and one).

    A line that is not UTF-8 raises BadLineError in its place, and the next one can be asked for.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.n = 0
        """The lines that have been read."""
        self._blocks = blocks
        self._lines: Iterator[str | bytes] = iter(())

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is None:
            self._lines = _split(next(self._blocks))
            line = next(self._lines)
        self.n += 1
        if isinstance(line, bytes):
            line = self._decoded(line)
        return line.removesuffix("\r")

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode()) + 1
            found = shown(line[error.start : error.end].decode(errors="backslashreplace")).replace("\\\\", "\\")
            raise BadLineError(LineError(self.n, column, found, "text in UTF-8")) from None


def _split(block: bytes) -> Iterator[str | bytes]:
    """Split a block into lines: decoded at once if all of it can be, else line by line by whoever takes them."""
    block = block.removesuffix(b"\n")
    try:
        return iter(block.decode().split("\n"))
    except UnicodeDecodeError:
        return iter(block.split(b"\n"))


class TablePoints(KeyedPoints):
    """Gathers points with features that are called by strings, and with numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._place: dict[Hashable, int] = {}

    def _forget(self) -> None:
        super()._forget()
        self._columns: list[int] = []
        self._values: list[float] = []
        self._number_indptr = [0]

    def add_mixed(self, line: int, label: Any, keys: list[Any], numbers: Iterable[tuple[Hashable, float]]) -> bool:
        """Gather a point; return whether there are now as many as wanted."""
        place = self._place
        for name, value in numbers:
            self._columns.append(place.setdefault(name, len(place)))
            self._values.append(value)
        self._number_indptr.append(len(self._columns))
        return self.add(line, label, keys)

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        numbers = Numbers(
            np.array(self._number_indptr, dtype=np.int64),
            np.array(self._columns, dtype=np.int32),
            np.array(self._values, dtype=np.float64),
            list(self._place),
        )
        return self._batch(numbers)
