"""What the reader asks of the parser of a format, and what the parsers of formats with keys share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sapwood.data.batch import Batch, as_objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sapwood.data.batch import Numbers
    from sapwood.stream._errors import LineError
    from sapwood.stream._table import TableRead

__all__ = ["KeyedPoints", "NativeGatherer", "NativeLines", "Parser"]


class Parser(Protocol):
    """Turns blocks of whole lines into points, which it gathers until they are taken."""

    most: int
    """How many points it gathers before it says so."""

    is_passed_over: bool
    """Whether the points are counted and then dropped, so that their features need not be found."""

    @property
    def table(self) -> TableRead | None:
        """How the columns were read, as far as that is known; None for a format without columns of different kinds."""

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, which adds no point, and None whenever `most` points are gathered."""

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""

    def drop(self) -> None:
        """Forget the points that are gathered."""

    def __len__(self) -> int:
        """Return how many points are gathered."""


class NativeGatherer(Protocol):
    """A parser of the core, which counts the lines and gathers the points itself."""

    def n_lines(self) -> int:
        """Return how many lines have been read."""

    def take(self) -> Any:
        """Return the points that are gathered, and begin anew."""

    def __len__(self) -> int:
        """Return how many points are gathered."""


class NativeLines:
    """What parsers share whose lines and points are counted in the core."""

    table: TableRead | None = None
    """Nothing: each name, word or column is a feature."""
    _native: NativeGatherer

    def __init__(self) -> None:
        self.most = 1
        self.is_passed_over = False

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._native.n_lines()

    def __len__(self) -> int:
        return len(self._native)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._native.take()


class KeyedPoints:
    """Gathers points whose features are called by strings."""

    table: TableRead | None = None
    """How the columns were read."""

    def __init__(self) -> None:
        self.most = 1
        self.is_passed_over = False
        self._forget()

    def _forget(self) -> None:
        self._labels: list[Any] = []
        self._keys: list[str] = []
        self._indptr = [0]
        self._first_line = 0

    def __len__(self) -> int:
        return len(self._labels)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._forget()

    def add(self, line: int, label: Any, keys: list[str]) -> bool:
        """Gather a point; return whether there are now as many as wanted."""
        if not self._labels:
            self._first_line = line
        self._labels.append(label)
        self._keys += keys
        self._indptr.append(len(self._keys))
        return len(self._labels) >= self.most

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        return self._batch(None)

    def _batch(self, numbers: Numbers | None) -> Batch:
        batch = Batch(
            y=as_objects(self._labels),
            indptr=np.array(self._indptr, dtype=np.int64),
            indices=None,
            keys=self._keys,
            n_features=None,
            first_line=self._first_line,
            numbers=numbers,
        )
        self._forget()
        return batch
