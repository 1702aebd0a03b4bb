"""A split finder for a stream whose number of classes is not known beforehand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NoReturn

from sapwood.split_finder import SplitFinder
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.data import Batch
    from sapwood.parameters import Criterion, Search

__all__ = ["GrowingFinder", "refuse_class"]

# Points that are kept, to be added anew to a finder of more classes. Most streams have shown all theirs by then.
_KEPT = 10_000


class GrowingFinder:
    """Adds points to a finder, which is made anew whenever a further class appears among the first points.

    A search is made for a fixed number of classes, and each class costs time and memory. So the finder starts with two
    classes, unless the number is given.
    """

    def __init__(self, criterion: Criterion, search: Search, alpha: float, n_classes: int | None) -> None:
        self._options = criterion, search, alpha
        self._kept: list[Batch] | None = [] if n_classes is None else None
        self.finder = SplitFinder(*self._options, 2 if n_classes is None else n_classes)

    @property
    def n(self) -> int:
        """The points that were added."""
        return self.finder.n

    def add(self, points: Batch, stream: str, classes: Sequence[Hashable]) -> SplitFinder:
        """Add points, and return the finder. `classes` are those of all points so far, by number.

        Raises ValueError, which names the stream, for a class too many.
        """
        n_classes = int(points.y.max()) + 1
        if n_classes > self.finder.n_classes:
            if self._kept is None:
                refuse_class(stream, classes, self.finder.n_classes, self.n)
            self.finder = SplitFinder(*self._options, n_classes)
            for earlier in self._kept:
                self.finder.add_batch(earlier)
        if self._kept is not None:
            self._kept.append(points)
        self.finder.add_batch(points)
        if self.n > _KEPT:
            self._kept = None
        return self.finder


def refuse_class(stream: str, classes: Sequence[Hashable], most: int, n: int) -> NoReturn:
    """Raise the error of a stream that has more classes than a search is for."""
    raise ValueError(
        f"{stream}: the stream must have at most {most} classes, got another one, {classes[most]!r}, after "
        f"{counted(n, 'point')}; set the number with --classes"
    )
