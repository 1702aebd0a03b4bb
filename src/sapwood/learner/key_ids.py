"""The ids that a tree of the core has for features that are not columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.data.placed_keys import PlacedKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sapwood.inspect.core_tree import CoreTree

__all__ = ["KeyIds"]

_NONE = -1


class KeyIds:
    """Finds ids, and remembers those of the features of the reader that was read last; they stay for good.

    Many threads may ask at once: what is remembered is replaced as a whole, and may at worst be forgotten.
    """

    __slots__ = ("_known", "_tree")

    def __init__(self, tree: CoreTree) -> None:
        self._tree = tree
        self._known: tuple[Sequence[Any], NDArray[np.int32]] = ((), np.empty(0, dtype=np.int32))

    def of(self, keys: list[Any] | PlacedKeys | None, *, make: bool) -> NDArray[np.int32]:
        """Return the id of each feature, -1 for one that was never met; with `make` it is given one.

        Ids are given in the order of first appearance, whichever way the features are kept.
        """
        if not isinstance(keys, PlacedKeys):
            return self._tree.ids_of_keys(keys or [], make)
        names, places = keys.names, keys.places
        known = self._known[1] if self._known[0] is names else np.empty(0, dtype=np.int32)
        n = len(names)
        if len(known) < n:
            # With room to grow: the list may have a few more names with each batch.
            known = np.concatenate((known, np.full(n + n // 2 - len(known), _NONE, dtype=np.int32)))
        ids: NDArray[np.int32] = known[places]
        unknown = np.flatnonzero(ids == _NONE)
        if len(unknown):
            order = _by_appearance(places[unknown], n)
            found = self._tree.ids_of_keys([names[place] for place in order.tolist()], make)
            # Others may be reading what is known now.
            known = known.copy()
            known[order] = found
            ids[unknown] = known[places[unknown]]
        self._known = names, known
        return ids


def _by_appearance(places: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return the different places, all below n, in the order of first appearance."""
    first = np.full(n, _NONE, dtype=np.int64)
    # Of several values for one place the last stays, which is that of the first entry.
    first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
    met = np.flatnonzero(first != _NONE)
    order: NDArray[np.int64] = met[np.argsort(first[met])]
    return order
