"""The test of a node, and its wording in every text and picture of a tree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sapwood.inspect.names import one_line, shortened

__all__ = ["IS_ON", "KINDS", "Kind", "NodeTest", "node_test_of"]

Kind = Literal["is_on", "is_above", "is_among"]

# By the number that the core has for a kind; 0 is that of a leaf.
KINDS: Mapping[int, Kind] = {1: "is_on", 2: "is_above", 3: "is_among"}

_MOST_CATEGORIES = 8  # shown of a set: more would push the rest off a line
_CATEGORY_WIDTH = 16


@dataclass(frozen=True)
class NodeTest:
    """The test of a node: whether its feature is on, its number above a threshold or its category in a set.

    A point that passes goes to the child ``on``, any other to ``off``. `missing_passes` says where a point without a
    value of the feature goes.
    """

    __test__ = False  # for pytest: the name is of a test in a tree

    kind: Kind = "is_on"
    threshold: float | None = None
    categories: tuple[Hashable, ...] = ()
    missing_passes: bool = False

    def state(self, passes: bool) -> str:
        """Return the condition of one side without the feature: ``on``, ``> 37.5``, ``in {fi, se} (or missing)``."""
        if self.kind == "is_on":
            return "on" if passes else "off"
        if self.kind == "is_above":
            said = f"{'>' if passes else '<='} {self.threshold:.6g}"
        else:
            said = f"{'in' if passes else 'not in'} {{{self._listed()}}}"
        return f"{said} (or missing)" if passes == self.missing_passes else said

    def text(self, feature: str, passes: bool, width: int | None = None) -> str:
        """Return the condition of one side: ``free is on``, ``age > 37.5``, ``country in {fi, se}``.

        The name of the feature is cut to `width` characters, if given.
        """
        name = one_line(feature) if width is None else shortened(feature, width)
        return f"{name} is {self.state(passes)}" if self.kind == "is_on" else f"{name} {self.state(passes)}"

    def asked(self, feature: str, width: int | None = None) -> str:
        """Return the text of the test in the box of a node: for ``is_on`` the feature alone."""
        if self.kind == "is_on":
            return one_line(feature) if width is None else shortened(feature, width)
        return self.text(feature, True, width)

    def branch(self, passes: bool) -> str:
        """Return the label of the line to a child: ``on`` or ``off``, for a typed test ``yes`` or ``no``."""
        if self.kind == "is_on":
            return "on" if passes else "off"
        return "yes" if passes else "no"

    def _listed(self) -> str:
        shown = ", ".join(shortened(str(category), _CATEGORY_WIDTH) for category in self.categories[:_MOST_CATEGORIES])
        more = len(self.categories) - _MOST_CATEGORIES
        return shown if more <= 0 else f"{shown} and {more:,} more"


IS_ON = NodeTest()


def node_test_of(kind: int, typed: tuple[Any, bool] | None) -> NodeTest | None:
    """Return the test of a node from its kind in the core and, for a typed test, what `typed_tests` has of it."""
    if kind == 0:
        return None
    if typed is None:
        return IS_ON
    asked, missing_passes = typed
    if KINDS[kind] == "is_above":
        return NodeTest("is_above", threshold=float(asked), missing_passes=missing_passes)
    return NodeTest("is_among", categories=tuple(asked), missing_passes=missing_passes)
