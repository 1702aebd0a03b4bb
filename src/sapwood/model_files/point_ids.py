"""The ids of the points of a tree that forgets, as a section of its file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.exceptions import ModelFormatError
from sapwood.model_files.keys import decode_keys, encode_keys

if TYPE_CHECKING:
    from sapwood import _core
    from sapwood.learner.dynamic_model import NamedPoint

__all__ = ["read_ids", "write_ids"]


def write_ids(named: list[NamedPoint]) -> bytes:
    """Return the ids, places and weights of points as JSON, in one way.

    Raises TypeError or ValueError if an id is not None, a boolean, a number, text, bytes or a tuple of these.
    """
    ids = encode_keys([name for name, _, _ in named], "ids").decode()
    about = {"ids": ids, "points": [place for _, place, _ in named], "weights": [weight for _, _, weight in named]}
    return json.dumps(about, allow_nan=False).encode()


def read_ids(data: bytes, tree: _core.DynamicTree) -> list[NamedPoint]:
    """Return what `write_ids` was given; raise ModelFormatError unless it fits the points of a tree just read."""
    try:
        about = json.loads(data)
        names = decode_keys(about["ids"].encode())
        named: list[Any] = list(zip(names, about["points"], about["weights"], strict=True))
        is_right = all(type(place) is int and type(weight) is int and weight > 0 for _, place, weight in named)
        is_right = is_right and named == sorted(
            named, key=lambda each: (each[1], type(each[0]).__name__, repr(each[0]))
        )
        is_right = is_right and write_ids(named) == data
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        is_right, named = False, []
    if not is_right:
        raise ModelFormatError(f"the section ids must hold ids, points and weights, got {data[:60]!r}")
    sums = np.zeros(tree.n_distinct(), dtype=np.int64)
    for _, place, weight in named:
        if not 0 <= place < len(sums):
            raise ModelFormatError(f"ids must be of the {len(sums)} points, got one of point {place}")
        sums[place] += weight
    _require_weights(sums, tree)
    return named


def _require_weights(sums: np.ndarray[Any, np.dtype[np.int64]], tree: _core.DynamicTree) -> None:
    if not np.array_equal(sums, tree.named_weights(np.arange(len(sums), dtype=np.uint32))):
        raise ModelFormatError("ids must have the weight that points keep for them, got others")
