"""From parameters to a tree of the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sapwood import _core
from sapwood.parameters import PARAMETERS, TreeKind, is_random_state, parameter

__all__ = ["checked_threshold", "make_tree"]


def make_tree(kind: TreeKind, parameters: Mapping[str, Any]) -> _core.Tree:
    """Make an empty tree.

    Raises TypeError or ValueError, which name the parameter, if it cannot be one. From a RandomState a seed is drawn if
    all else is right.
    """
    options: dict[str, Any] = {"growth": kind.growth}
    for each in PARAMETERS:
        if each.name == "random_state":
            continue
        value = each.value.check(each.name, parameters.get(each.name, each.default))
        if each.is_of_core:
            options[each.name] = value
    seed = parameters["random_state"]
    if is_random_state(seed):
        # Which parameters go together is for the core to say.
        _made({**options, "seed": None})
    return _made({**options, "seed": parameter("random_state").value.check("random_state", seed)})


def _made(options: dict[str, Any]) -> _core.Tree:
    return _core.Tree(**options)


def checked_threshold(binarize: Any) -> float | None:
    """Return the value above which a number is on; None if only 0 and 1 are values."""
    threshold = parameter("binarize").value.check("binarize", binarize)
    assert threshold is None or isinstance(threshold, float)
    return threshold
