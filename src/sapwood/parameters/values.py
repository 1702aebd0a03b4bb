"""What the value of a parameter may be: one class per type, which says so and checks it."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

__all__ = ["LARGEST_COUNT", "LARGEST_LIMIT", "Flag", "Number", "OfClasses", "Seed", "Whole", "Word", "is_random_state"]

LARGEST_COUNT = 2**31 - 1
"""Of the core's counts, which are 32 bits wide."""
LARGEST_LIMIT = 2**63 - 1
"""Of the core's sizes and numbers of points."""
_LARGEST_SEED = 2**32 - 1  # of NumPy's RandomState


@dataclass(frozen=True)
class Word:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The type, for documentation."""
        return "{" + ", ".join(f'"{word}"' for word in self.words) + "}"

    def check(self, name: str, value: Any) -> str:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, got {value!r}")
        if value not in self.words:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, self.words))}, got {str(value)!r}")
        return str(value)


@dataclass(frozen=True)
class Number:
    """A finite number."""

    least: float = -math.inf
    largest: float = math.inf
    between: tuple[float, float] | None = None
    """Open bounds, if there are any."""
    optional: bool = False
    text: str = "float"

    def check(self, name: str, value: Any) -> float | None:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number{' or None' if self.optional else ''}, got {value!r}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValueError(f"{name} must be finite, got {value!r}")
        if self.between is not None and not self.between[0] < number < self.between[1]:
            raise ValueError(
                f"{name} must be between {self.between[0]:g} and {self.between[1]:g}, got {_plain(number)}"
            )
        if number < self.least:
            raise ValueError(f"{name} must be a finite number of at least {self.least:g}, got {_plain(number)}")
        if number > self.largest:
            raise ValueError(f"{name} must be at most {self.largest:g}, got {_plain(number)}")
        return number


def _plain(number: float) -> str:
    return repr(number).removesuffix(".0")


@dataclass(frozen=True)
class Whole:
    """An integer."""

    least: int
    largest: int
    optional: bool = False
    text: str = "int"

    def check(self, name: str, value: Any) -> int | None:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} must be an integer{' or None' if self.optional else ''}, got {value!r}")
        number = int(value)
        if number < self.least:
            raise ValueError(f"{name} must be at least {self.least}, got {number}")
        if number > self.largest:
            raise ValueError(f"{name} must be at most {self.largest}, got {number}")
        return number


@dataclass(frozen=True)
class Seed:
    """What chooses among equals: an integer, a RandomState to draw one from, or None."""

    text: str = "int or RandomState"
    optional: bool = True
    least: int = 0

    def check(self, name: str, value: Any) -> int | None:
        """Return the seed, None for none; raise TypeError or ValueError if it cannot be one."""
        if value is None:
            return None
        if is_random_state(value):
            return int(value.randint(LARGEST_COUNT))
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} must be an integer, a RandomState or None, got {value!r}")
        return Whole(self.least, _LARGEST_SEED).check(name, value)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    text: str = "bool"

    def check(self, name: str, value: Any) -> bool:
        """Return the value in Python's own type; raise TypeError if it is none."""
        if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
            return bool(value)
        raise TypeError(f"{name} must be True or False, got {value!r}")


@dataclass(frozen=True)
class OfClasses:
    """Numbers of classes: a mapping, the word that stands for one, or None."""

    text: str = 'dict or "balanced"'

    def check(self, name: str, value: Any) -> dict[Hashable, float] | str | None:
        """Return the numbers in a mapping of its own; raise TypeError or ValueError if they cannot be any."""
        if value is None:
            return None
        if isinstance(value, str):
            if value == "balanced":
                return str(value)
            raise ValueError(f"{name} must be a dict, 'balanced' or None, got {str(value)!r}")
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a dict, 'balanced' or None, got {value!r}")
        checked: dict[Hashable, float] = {}
        for label, each in value.items():
            if isinstance(each, bool) or not isinstance(each, Real):
                raise TypeError(f"{name} must hold numbers, got {each!r} for {label!r}")
            # Compared as it is: it may be beyond every float. NaN is in no range.
            if not 0 <= each <= LARGEST_COUNT:  # type: ignore[operator]  # numbers can be compared
                raise ValueError(f"{name} must hold numbers from 0 to {LARGEST_COUNT}, got {each!r} for {label!r}")
            checked[label] = float(each)
        return checked


def is_random_state(value: Any) -> bool:
    """Whether a value is a RandomState of NumPy's, whose random numbers are not loaded for the question."""
    random = sys.modules.get("numpy.random")
    return random is not None and isinstance(value, random.RandomState)
