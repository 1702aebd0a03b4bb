"""The test of a node, and its wording in every text and picture of a tree."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sapwood.inspect.names import one_line, shortened, teller_of_names

if TYPE_CHECKING:
    from sapwood.inspect.core_tree import CoreTree
    from sapwood.inspect.names import FeatureNames

__all__ = ["IS_ON", "IS_PRESENT", "KINDS", "Kind", "NodeTest", "NodeTests", "number_text"]

_MANY = 1e6  # from here on six digits would round whole numbers

Kind = Literal["is_on", "is_above", "is_among", "is_present"]

# By the number that the core has for a kind; 0 is that of a leaf. That a number is present is to the core a feature.
KINDS: Mapping[int, Kind] = {1: "is_on", 2: "is_above", 3: "is_among"}

_MOST_CATEGORIES = 8  # shown of a set: more would push the rest off a line
_CATEGORY_WIDTH = 16


@dataclass(frozen=True)
class NodeTest:
    """The test of a node: whether its feature is on, its number above a threshold or present, or its category in a set.

    A point that passes goes to the child ``on``, any other to ``off``. `missing_passes` says where a point without a
    value of the feature goes.
    """

    __test__ = False  # for pytest: the name is of a test in a tree

    kind: Kind = "is_on"
    threshold: float | None = None
    categories: tuple[Hashable, ...] = ()
    missing_passes: bool = False

    def state(self, passes: bool) -> str:
        """Return the condition of one side without the feature: ``on``, ``> 37.5 (or missing)``, ``in {fi, se}``."""
        if self.kind == "is_on":
            return "on" if passes else "off"
        if self.kind == "is_present":
            return "present" if passes else "missing"
        if self.kind == "is_above":
            assert self.threshold is not None
            said = f"{'>' if passes else '<='} {number_text(self.threshold)}"
        else:
            said = f"{'in' if passes else 'not in'} {{{self._listed()}}}"
        return f"{said} (or missing)" if passes == self.missing_passes else said

    def text(self, feature: str, passes: bool, width: int | None = None) -> str:
        """Return the condition of one side: ``free is on``, ``age > 37.5``, ``country in {fi, se}``.

        The name of the feature is cut to `width` characters, if given.
        """
        name = one_line(feature) if width is None else shortened(feature, width)
        is_state = self.kind in {"is_on", "is_present"}
        return f"{name} is {self.state(passes)}" if is_state else f"{name} {self.state(passes)}"

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
IS_PRESENT = NodeTest("is_present")


class NodeTests:
    """The tests of the nodes of a tree."""

    def __init__(self, tree: CoreTree, feature_names: FeatureNames, owner: str) -> None:
        self._name_of = teller_of_names(feature_names, owner)
        self._typed = tree.typed_tests()
        self._made = tree.made_of_numbers()
        self._keys = tree.keys()
        self._numbers = tree.number_keys()

    def of(self, node: int, kind: int, slot: int) -> tuple[NodeTest, Hashable, str]:
        """Return the test of an inner node, the key of what it asks about, and the name of that."""
        if KINDS[kind] == "is_above":
            threshold, missing_passes = self._typed[node]
            test = NodeTest("is_above", threshold=float(threshold), missing_passes=missing_passes)
            return self._told(test, self._numbers[slot])
        if KINDS[kind] == "is_among":
            values = [self._keys[each] for each in self._typed[node][0]]
            test = NodeTest("is_among", categories=tuple(each.value for each in values))
            return self._told(test, values[0].attribute)
        made = self._made.get(slot)
        if made is not None:
            return self._told(IS_PRESENT, self._numbers[made[0]])
        return self._told(IS_ON, self._keys[slot])

    def _told(self, test: NodeTest, key: Hashable) -> tuple[NodeTest, Hashable, str]:
        return test, key, self._name_of(key)


def number_text(number: float) -> str:
    """Return a number in six digits; one of a million or more, such as a time or an id, in all that matter."""
    return f"{number:.15g}" if abs(number) >= _MANY else f"{number:.6g}"
