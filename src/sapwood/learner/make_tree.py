"""From parameters to a tree of the core."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from typing import Any

from sapwood import _core
from sapwood.data.encode import Reading
from sapwood.data.unicode import printable
from sapwood.exceptions import ModelFormatError
from sapwood.inspect.core_tree import CoreModel
from sapwood.parameters import NOT_OF_BATCHES, ONLY_WITH_DRIFT, TreeKind, is_random_state, parameter

__all__ = ["checked_reading", "make_tree", "n_threads", "tree_of_bytes"]


def make_tree(kind: TreeKind, parameters: Mapping[str, Any]) -> CoreModel:
    """Make an empty tree.

    Raises TypeError or ValueError, which name the parameter, if it cannot be one. From a RandomState a seed is drawn if
    all else is right.
    """
    options: dict[str, Any] = {}
    for each in kind.parameters:
        if each.name == "random_state":
            continue
        value = each.value.check(each.name, parameters.get(each.name, each.default))
        if each.is_of_core:
            options[each.name] = value
    if kind.core == "DynamicTree":
        return _core.DynamicTree(**options)
    options["growth"] = kind.growth_for(parameters)
    if options["growth"] == "batch":
        _refuse(kind, options, NOT_OF_BATCHES)
        options = _without(options, NOT_OF_BATCHES)
        options["sub_batches"] = parameters.get("sub_batches", 1)
    elif options.get("drift") is False:
        options = _without(options, ONLY_WITH_DRIFT)
    make = _core.Forest if kind.core == "Forest" else _core.Tree
    seed = parameters["random_state"]
    if is_random_state(seed):
        # Which parameters go together is for the core to say.
        make(**options, seed=None)
    made = make(**options, seed=parameter("random_state").value.check("random_state", seed))
    if isinstance(made, _core.Forest):
        made.n_jobs = n_threads(parameters.get("n_jobs"))
    _limit_names(made, parameters)
    return made


def _refuse(kind: TreeKind, options: Mapping[str, Any], names: Container[str]) -> None:
    """Raise ValueError if a parameter that growth by batches has no use for is not left at its default."""
    for each in kind.parameters:
        if each.name in names and options.get(each.name, each.default) != each.default:
            raise ValueError(f"{each.name} must be {each.default!r} for batch_growth, got {options[each.name]!r}")


def _limit_names(tree: _core.Tree | _core.Forest, parameters: Mapping[str, Any]) -> None:
    """Bound the memory of the names of features, if there is a bound."""
    if (most := parameters.get("max_name_bytes")) is None:
        return
    if tree.growth() == "batch":
        raise ValueError(f"max_name_bytes must be None for batch_growth, got {most}")
    tree.limit_names(int(most))


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads a number of jobs means, as in scikit-learn: below 0, the processors less all but that."""
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0, got 0")
    if n_jobs is None or n_jobs > 0:
        return n_jobs or 1
    return max(1, n_processors() + 1 + n_jobs)


def n_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _without(options: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


def tree_of_bytes(
    kind: TreeKind, parameters: Mapping[str, Any], data: bytes, keys: list[Any], number_keys: list[Any]
) -> CoreModel:
    """Return the tree that was written; raise ModelFormatError if the bytes are none of the kind."""
    core: type[CoreModel] = getattr(_core, kind.core)
    try:
        made = core.from_bytes(data, keys, number_keys)
    except ModelFormatError as error:
        # What the core says of a file may be words out of it, which anyone may have written.
        raise ModelFormatError(printable(str(error))) from None
    if isinstance(made, _core.DynamicTree):
        return made
    growth = kind.growth_for(parameters)
    if made.growth() != growth:
        raise ModelFormatError(f"the growth of the tree of a {kind.name} must be {growth!r}, got {made.growth()!r}")
    _limit_names(made, parameters)
    return made


def checked_reading(parameters: Mapping[str, Any]) -> Reading:
    """Return how sparse matrices are read; a face that has none has the defaults."""
    found: list[Any] = []
    for name, default in zip(Reading._fields, Reading(), strict=True):
        found.append(parameter(name).value.check(name, parameters.get(name, default)))
    return Reading(*found)
