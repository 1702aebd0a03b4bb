"""How the trees of a forest grow along a stream, each by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sapwood.inspect.core_tree import CoreForest

__all__ = ["ForestGrowth", "TreeSeen", "TreesSeen"]


@dataclass(frozen=True)
class TreeSeen:
    """A tree of a forest at a record.

    `accuracy` is the share of right answers, each given before the point was learned, since the record before, or since
    the tree answers if that is later; None if it was not asked. `is_new` says whether it took the place of another tree
    since the record before.
    """

    leaves: int
    accuracy: float | None
    is_new: bool


@dataclass(frozen=True)
class TreesSeen:
    """The trees of a forest at a record, in the order of their places; `at` is the number of points learned."""

    at: int
    trees: tuple[TreeSeen, ...]


class ForestGrowth:
    """Watches the trees of a forest."""

    def __init__(self, forest: CoreForest | None) -> None:
        self._n_before = 0 if forest is None else forest.n_met()
        self._looks: dict[int, list[dict[str, Any]]] = {0: [] if forest is None else forest.of_trees()}

    def look(self, forest: CoreForest) -> None:
        """Note how large the trees are, and how often they were right."""
        self._looks[forest.n_met() - self._n_before] = forest.of_trees()

    def seen(self, records: Iterable[int]) -> tuple[TreesSeen, ...]:
        """Return what was seen at records, which are numbers of points learned; nothing where nobody looked."""
        before, found = self._looks[0], []
        for at in records:
            if at == 0 or at not in self._looks:
                continue
            now = self._looks[at]
            found.append(TreesSeen(at, tuple(_seen(tree, before[i] if before else None) for i, tree in enumerate(now))))
            before = now
        return tuple(found)


def _seen(now: dict[str, Any], before: dict[str, Any] | None) -> TreeSeen:
    is_new = before is not None and before["number"] != now["number"]
    since = {"n_asked": 0, "n_right": 0} if before is None or is_new else before
    n_asked = now["n_asked"] - since["n_asked"]
    return TreeSeen(now["n_leaves"], (now["n_right"] - since["n_right"]) / n_asked if n_asked > 0 else None, is_new)
