"""The features of the models of the leaves: those that points have, and those that are made of numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable

from sapwood.inspect.core_tree import CoreModel
from sapwood.inspect.names import FeatureNames, teller_of_names
from sapwood.inspect.node_test import number_text

__all__ = ["ModelFeatures", "range_text"]


class ModelFeatures:
    """What each feature of the models is called, by its number in a tree.

    A feature that is made of a number is on where the number is in a range: it is called ``age in (28.5, 37.5]``,
    ``age > 37.5`` or ``age <= 28.5``, or ``age is present`` where the range has no end.
    """

    def __init__(self, tree: CoreModel, feature_names: FeatureNames, owner: str) -> None:
        self._name_of = teller_of_names(feature_names, owner)
        # Read before the keys, which are only ever added.
        self._made = tree.made_of_numbers()
        self._keys = tree.keys()
        self._numbers = tree.number_keys()

    def of(self, slot: int) -> tuple[str, Hashable]:
        """Return what a feature is called where it is shown, and its key: of a number, the key of that."""
        made = self._made.get(slot)
        if made is None:
            key = self._keys[slot]
            return self._name_of(key), key
        attribute, low, high = made
        key = self._numbers[attribute]
        return f"{self._name_of(key)} {range_text(low, high)}", key

    def name(self, slot: int) -> str:
        """Return what a feature is called where it is shown."""
        return self.of(slot)[0]


def range_text(low: float, high: float) -> str:
    """Return the condition that a number is above `low` and at most `high`."""
    if math.isinf(low) and math.isinf(high):
        return "is present"
    if math.isinf(high):
        return f"> {number_text(low)}"
    return f"<= {number_text(high)}" if math.isinf(low) else f"in ({number_text(low)}, {number_text(high)}]"
