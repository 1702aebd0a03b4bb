"""Features that are not columns, each kept once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PlacedKeys"]


class PlacedKeys(Sequence[Any]):
    """The features of points one after the other, as places in a list of the different ones.

    It reads like a list, and equals a list of the same features. A reader that meets a word a thousand times has its
    text once, and a learner that reads batch after batch looks it up once (`sapwood.learner.key_ids`).
    """

    __slots__ = ("names", "places")

    names: Sequence[Any]
    """The features, and maybe others: a reader adds to the list what later batches have."""
    places: NDArray[np.int32]
    """Where each entry stands in `names`."""

    def __init__(self, names: Sequence[Any], places: NDArray[np.int32]) -> None:
        self.names = names
        self.places = places

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, which: int) -> Any: ...
    @overload
    def __getitem__(self, which: slice) -> PlacedKeys: ...
    def __getitem__(self, which: int | slice) -> Any:
        if isinstance(which, slice):
            return PlacedKeys(self.names, self.places[which])
        return self.names[self.places[which]]

    def __iter__(self) -> Iterator[Any]:
        names = self.names
        return (names[place] for place in self.places.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (list, PlacedKeys)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        return repr(list(self))

    def taken(self, places: NDArray[np.int64]) -> PlacedKeys:
        """Return the entries of these numbers, in this order."""
        return PlacedKeys(self.names, self.places[places])
