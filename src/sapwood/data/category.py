"""Features that know what they were made of: the value of a category, and a number above a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

    from typing_extensions import Self

__all__ = ["Category", "Threshold"]


class Category(str):
    """The feature that a text makes of its key: ``Category("country", "fi")`` equals the text ``"country=fi"``.

    It hashes like that text, so either finds the other in a dict. A tree that has met it also knows that of the
    features of one `attribute` a point has at most one, and may ask for several values at once.
    """

    __slots__ = ("attribute", "value")

    attribute: Hashable
    value: str

    def __new__(cls, attribute: Hashable, value: str) -> Self:
        """Return the feature of a value."""
        self = super().__new__(cls, f"{attribute}={value}")
        self.attribute = attribute
        self.value = value
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.attribute, self.value


class Threshold(str):
    """The feature that a count is above a threshold: ``Threshold("free", 2)`` equals the text ``"free > 2"``.

    A column without a name is called by its number: ``Threshold(7, 2)`` equals ``"x[7] > 2"``.
    """

    __slots__ = ("attribute", "threshold")

    attribute: Hashable
    threshold: int

    def __new__(cls, attribute: Hashable, threshold: int) -> Self:
        """Return the feature of a threshold."""
        name = f"x[{attribute}]" if isinstance(attribute, int) else attribute
        self = super().__new__(cls, f"{name} > {threshold}")
        self.attribute = attribute
        self.threshold = threshold
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.attribute, self.threshold
