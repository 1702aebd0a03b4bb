"""What features and classes are called, as JSON in the file of a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np

from sapwood.data.category import Category, Threshold
from sapwood.data.unicode import is_unicode
from sapwood.exceptions import ModelFormatError

__all__ = ["Key", "decode_keys", "encode_keys"]

# What a feature or a class can be called in a file.
Key: TypeAlias = "bool | int | float | str | bytes | tuple[Key, ...] | None"

_DEEPEST = 32  # tuples within tuples
_PARTS = 2  # of a category, or of a threshold: the attribute, and what is said of it
_LARGEST_NUMBER = 2**53  # what every reader of JSON reads exactly
_LARGEST_HASHED = 2**63  # of the numbers below, at most eight have the same hash


def encode_keys(keys: Iterable[object], what: str = "keys") -> bytes:
    """Return names of features or of classes as JSON; `decode_keys` returns equal ones, of the same types.

    An error says that `what` must be otherwise.

    None, booleans, integers of at most 2^53 and text are what they are in JSON; the others are objects with one member
    that tells the type: ``{"float":"0.5"}``, ``{"bytes":"00ff"}``, ``{"tuple":[1,"a"]}``, ``{"int":"0x..."}``, and
    ``{"text":"..."}``, UTF-8 in hexadecimal, for text with lone surrogates; ``{"category":["country","fi"]}``, an
    attribute and its value; and ``{"threshold":["free",2]}``, an attribute and what its count is above. NumPy's scalars
    become Python's.

    Raises
    ------
    TypeError
        If a key is of another type.
    ValueError
        If two keys are equal, or tuples are nested more than 32 deep.
    """
    given = list(keys)
    quickly = _as_bytes_quickly(given)
    if quickly is not None:
        return quickly
    plain = [_plain(key, 0, what) for key in given]
    _check_unique(plain, what, ValueError)
    return _as_bytes(plain)


def decode_keys(data: bytes) -> list[Key]:
    """Return the keys that `encode_keys` was given; raise ModelFormatError if it cannot have returned these bytes."""
    try:
        items = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise ModelFormatError(f"keys must be JSON in UTF-8, got {_short(data)}: {error}") from None
    if not isinstance(items, list):
        raise ModelFormatError(f"keys must be an array, got {_short(data)}")
    if _as_bytes_quickly(items) == data:
        return items
    keys = [_from_json(item, 0) for item in items]
    _check_unique(keys, "keys", ModelFormatError)
    if _as_bytes(keys) != data:
        raise ModelFormatError(f"keys must be in canonical form, got {_short(data)}")
    return keys


def _plain(key: object, depth: int, what: str) -> Key:
    """Return a key in Python's own types."""
    plain = key.item() if isinstance(key, np.generic) else key
    # Not isinstance: a subclass would come back as something else.
    if plain is None or type(plain) in (bool, int, float, str, bytes):
        return cast(Key, plain)
    if type(plain) is Category:
        return Category(_plain(plain.attribute, depth + 1, what), plain.value)
    if type(plain) is Threshold:
        return Threshold(_plain(plain.attribute, depth + 1, what), plain.threshold)
    if type(plain) is tuple:
        if depth == _DEEPEST:
            raise ValueError(f"{what} must have tuples nested at most {_DEEPEST} deep, got more")
        return tuple(_plain(item, depth + 1, what) for item in plain)
    raise TypeError(f"{what} must be None, booleans, numbers, text, bytes or tuples of these, got {_short(key)}")


def _as_bytes(keys: list[Key]) -> bytes:
    items = [_to_json(key) for key in keys]
    return json.dumps(items, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _as_bytes_quickly(keys: list[Any]) -> bytes | None:
    """Return what `_as_bytes` does of different texts or different whole numbers, as most keys are; else None."""
    kinds = set(map(type, keys))
    if kinds == {int}:
        most = min(_LARGEST_NUMBER, _LARGEST_HASHED - 1)
        if min(keys) < -most or max(keys) > most:
            return None
    elif kinds != {str}:
        return None
    if len(set(keys)) < len(keys):
        return None
    try:
        return json.dumps(keys, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return None


def _to_json(key: Key) -> Any:  # noqa: PLR0911 - one for each type
    if key is None or isinstance(key, bool):
        return key
    if isinstance(key, str):
        if isinstance(key, Category):
            return {"category": [_to_json(cast(Key, key.attribute)), _to_json(key.value)]}
        if isinstance(key, Threshold):
            return {"threshold": [_to_json(cast(Key, key.attribute)), key.threshold]}
        return key if is_unicode(key) else {"text": key.encode("utf-8", "surrogatepass").hex()}
    if isinstance(key, int):
        return key if -_LARGEST_NUMBER <= key <= _LARGEST_NUMBER else {"int": hex(key)}
    if isinstance(key, float):
        return {"float": repr(key)}
    if isinstance(key, bytes):
        return {"bytes": key.hex()}
    return {"tuple": [_to_json(item) for item in key]}


def _from_json(item: Any, depth: int) -> Key:
    """Return the key that an item of JSON stands for; `decode_keys` checks that it is written as it must be."""
    if item is None or isinstance(item, bool | int | str):
        return cast(Key, item)
    if isinstance(item, dict) and len(item) == 1:
        [(kind, value)] = item.items()
        if kind == "tuple" and isinstance(value, list) and depth < _DEEPEST:
            return tuple(_from_json(part, depth + 1) for part in value)
        if kind in {"category", "threshold"} and isinstance(value, list) and len(value) == _PARTS and depth < _DEEPEST:
            attribute, said = (_from_json(part, depth + 1) for part in value)
            if kind == "category" and isinstance(said, str):
                return Category(attribute, said)
            if kind == "threshold" and type(said) is int:
                return Threshold(attribute, said)
        if kind in _READERS and isinstance(value, str):
            try:
                return _READERS[kind](value)
            except ValueError:
                pass
    raise ModelFormatError(f"a key must be null, a boolean, a whole number, text or a tagged value, got {_short(item)}")


_READERS: dict[str, Callable[[str], Key]] = {
    "int": lambda value: int(value, 16),
    "float": float,
    "bytes": bytes.fromhex,
    "text": lambda value: bytes.fromhex(value).decode("utf-8", "surrogatepass"),
}


def _check_unique(keys: list[Key], what: str, error: type[ValueError]) -> None:
    """Raise unless no two keys are equal, as keys of a dict are: 1, 1.0 and True are the same.

    Python seeds its hashes of text, but not those of numbers. Where thousands can be chosen to have the same hash,
    keys are compared in order instead.
    """
    seen: set[Key] = set()
    others: list[Key] = []
    for key in keys:
        if isinstance(key, tuple) or (isinstance(key, int | float) and abs(key) >= _LARGEST_HASHED):
            others.append(key)
        elif key in seen:
            raise error(f"{what} must be unique, got {_short(key)} twice")
        else:
            seen.add(key)
    others.sort(key=_place)
    for key, following in pairwise(others):
        if _place(key) == _place(following):
            raise error(f"{what} must be unique, got {_short(following)} twice")


def _place(key: Key) -> tuple[Any, ...]:
    """Return where a key stands among others: equal keys, and no others, stand at the same place."""
    if isinstance(key, tuple):
        return (4, tuple(_place(item) for item in key))
    if key is None:
        return (0,)
    if isinstance(key, int | float):
        # NaN is in no order with other numbers, so it comes before all.
        return (1, key == key, key if key == key else 0)  # noqa: PLR0124 - NaN does not equal itself
    return (2 if isinstance(key, str) else 3, key)


def _short(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, or the beginning of that."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or too deep
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else text[:most] + "..."
