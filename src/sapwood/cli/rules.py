"""The leaves of a tree as rules: which features a point must have and lack to reach one, and what it then is."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sapwood.inspect.names import one_line, shortened
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.inspect.view import TreeView

__all__ = ["Rule", "rules_of"]

_NAME_WIDTH = 32
_MOST_NAMES = 8


@dataclass(frozen=True)
class Rule:
    """What a leaf says of points with all features of `on` and none of `off`: `share` of `points` are of `label`.

    `where` are the conditions on numbers and categories, as text.
    """

    on: list[str]
    off: list[str]
    where: list[str]
    label: Any
    share: float
    points: int

    def conclusion(self) -> tuple[str, str]:
        """Return the class and its share, and of how many points, as text."""
        return f"{one_line(str(self.label))} {self.share:.3f}", f"of {self.points:,}"

    def condition(self) -> str:
        """Return what a point must have and lack, as text; of many features the first, which are tested first."""
        parts = [f"{_listed(names)} {word}" for names, word in ((self.on, "on"), (self.off, "off")) if names]
        if self.where:
            parts += self.where[:_MOST_NAMES]
            if len(self.where) > _MOST_NAMES:
                parts.append(counted(len(self.where) - _MOST_NAMES, "more test"))
        return f"if {'; '.join(parts)}" if parts else "always"


def rules_of(view: TreeView, most: int) -> list[Rule]:
    """Return the rules that most points have met, those first."""
    leaves = heapq.nlargest(most, (node for node in view.nodes if node.is_leaf), key=lambda node: node.n)
    rules = []
    for leaf in leaves:
        on: list[str] = []
        off: list[str] = []
        where: list[str] = []
        node = leaf
        while node.parent is not None:
            parent = view.nodes[node.parent]
            passes = parent.on == node.number
            assert parent.test is not None
            if parent.test.kind == "is_on":
                (on if passes else off).append(str(parent.feature))
            else:
                where.append(parent.test.text(str(parent.feature), passes, _NAME_WIDTH))
            node = parent
        best = leaf.majority
        rules.append(Rule(on[::-1], off[::-1], where[::-1], view.classes[best], leaf.shares[best], leaf.n))
    return rules


def _listed(names: list[str]) -> str:
    shown = ", ".join(shortened(name, _NAME_WIDTH) for name in names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"
