"""What a feature is called where it is shown."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from sapwood.data.category import Category, Threshold
from sapwood.wording import counted

__all__ = ["FeatureNames", "default_name", "one_line", "shortened", "teller_of_names"]

# By column, by what the feature is called in the model, or by a function of that.
FeatureNames: TypeAlias = "Callable[[Any], str] | Mapping[Any, str] | Sequence[str] | npt.NDArray[np.object_] | None"


def teller_of_names(names: FeatureNames, owner: str) -> Callable[[Hashable], str]:
    """Return a function from a feature to its name. `owner` is the function whose parameter `feature_names` this is.

    A sequence names the columns, and must name each that is asked for; a feature that a mapping lacks, or that is no
    column, has its default name. What is made of an attribute is called by the name of that: ``country=fi``.
    """
    of_plain = _teller(names, owner)

    def name_of(key: Hashable) -> str:
        if names is None or not isinstance(key, (Category, Threshold)):
            return of_plain(key)
        told = of_plain(key)
        if told != str(key):
            return told
        name = of_plain(key.attribute)
        return f"{name}={key.value}" if isinstance(key, Category) else f"{name} > {key.threshold}"

    return name_of


def default_name(key: Hashable) -> str:
    """Return the text of a feature without a name of its own: ``x[12]`` for column 12, else what str makes of it."""
    return f"x[{key}]" if isinstance(key, int) else str(key)


def _teller(names: FeatureNames, owner: str) -> Callable[[Hashable], str]:
    if names is None:
        return default_name
    if isinstance(names, Mapping):
        by_key = names
        return lambda key: str(by_key[key]) if key in by_key else default_name(key)
    if callable(names):
        told = names
        return lambda key: str(told(key))
    if isinstance(names, (str, bytes)) or not isinstance(names, (Sequence, np.ndarray)):
        raise TypeError(f"{owner}: feature_names must be a sequence, a mapping or a function, got {names!r}")
    columns = names

    def name_of(key: Hashable) -> str:
        if not isinstance(key, int):
            return default_name(key)
        if key >= len(columns):
            raise ValueError(
                f"{owner}: feature_names must have a name for column {key}, got {counted(len(columns), 'name')}"
            )
        return str(columns[key])

    return name_of


def one_line(name: str) -> str:
    """Return a name as it can stand in a line of text: line breaks and other unprintable signs escaped."""
    if name.isprintable():
        return name
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in name)


def shortened(name: str, width: int) -> str:
    """Return a name in one line of at most `width` signs, cut with an ellipsis where it is longer."""
    name = one_line(name)
    return name if len(name) <= width else name[: width - 1] + "…"
