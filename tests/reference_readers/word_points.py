"""Lines of words: gathers points whose features are words, each of which is kept once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.data.batch import Batch
from sapwood.data.matrix import thermometer
from sapwood.data.placed_keys import PlacedKeys
from sapwood.stream._errors import BadLineError
from sapwood.stream._lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from sapwood.stream._errors import LineError
    from sapwood.stream._table import TableRead

__all__ = ["WordPoints"]

# Words that are remembered from batch to batch, so that memory does not grow with the stream: those of a large
# vocabulary, in about 100 MB.
_MOST_WORDS = 1 << 20


class WordPoints(ABC):
    """What parsers of lines of words share: the points that are gathered until they are taken."""

    table: TableRead | None = None
    """Nothing: each word is a feature."""

    def __init__(self) -> None:
        self.most = 1
        self.is_passed_over = False
        self._lines = Lines(iter(()))
        self._names: list[str] = []
        self._place: dict[str, int] = {}
        self.drop()

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        while lines.more():
            try:
                line = next(lines)
                if line and not line.isspace() and self._read(line):
                    yield None
            except BadLineError as bad:  # noqa: PERF203 - the next line may be good
                yield bad.error

    @abstractmethod
    def _read(self, line: str) -> bool:
        """Add a line; return whether there are now as many points as wanted. Raises BadLineError if it is a bad one."""

    def __len__(self) -> int:
        return len(self._indptr) - 1

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._labels: list[Any] = []
        self._places: list[int] = []
        self._values: list[float] = []
        self._weights: list[float] = []
        self._indptr = [0]
        self._first_line = 0
        if len(self._names) > _MOST_WORDS:
            self._names, self._place = [], {}

    def place(self, word: str) -> int:
        """Return the number of a word."""
        found = self._place.get(word)
        if found is None:
            found = self._place[word] = len(self._names)
            self._names.append(word)
        return found

    def add(
        self, line: int, label: Any, places: Sequence[int], values: Sequence[float] = (), weight: float = 1
    ) -> bool:
        """Gather a point by the numbers of its words, none twice; return whether there are now as many as wanted."""
        if len(self._indptr) == 1:
            self._first_line = line
        self._labels.append(label)
        self._places += places
        self._values += values
        self._weights.append(weight)
        self._indptr.append(len(self._places))
        return len(self) >= self.most

    def batch(self, y: NDArray[Any], *, sparse_numbers: bool = False) -> Batch:
        """Return the points that are gathered, with these labels, and begin anew."""
        indptr = np.array(self._indptr, dtype=np.int64)
        keys = PlacedKeys(self._names, np.array(self._places, dtype=np.int32))
        if sparse_numbers:
            values = np.array(self._values, dtype=np.float64)
            rows = thermometer(indptr, keys.places, values, self._names)
            assert rows.names is not None
            indptr, keys = rows.indptr, PlacedKeys(rows.names, rows.indices)
        found = Batch(
            y=y,
            indptr=indptr,
            indices=None,
            keys=keys,
            n_features=None,
            first_line=self._first_line,
            weights=None if all(weight == 1 for weight in self._weights) else np.array(self._weights, dtype=np.float64),
        )
        self.drop()
        return found
