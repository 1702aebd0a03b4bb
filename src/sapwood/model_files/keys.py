"""What features and classes are called, as JSON in the file of a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, cast

import numpy as np

from sapwood.exceptions import ModelFormatError

__all__ = ["Key", "decode_keys", "encode_keys"]

# What a feature or a class can be called in a file.
Key: TypeAlias = "bool | int | float | str | bytes | tuple[Key, ...] | None"

_DEEPEST = 32  # tuples within tuples
_LARGEST_NUMBER = 2**53  # what every reader of JSON reads exactly


def encode_keys(keys: Iterable[object], what: str = "keys") -> bytes:
    """Return names of features or of classes as JSON; `decode_keys` returns equal ones, of the same types.

    An error says that `what` must be otherwise.

    None, booleans, integers of at most 2^53 and text are what they are in JSON; the others are objects with one member
    that tells the type: ``{"float":"0.5"}``, ``{"bytes":"00ff"}``, ``{"tuple":[1,"a"]}``, ``{"int":"0x..."}``, and
    ``{"text":"..."}``, UTF-8 in hexadecimal, for text with lone surrogates. NumPy's scalars become Python's.

    Raises
    ------
    TypeError
        If a key is of another type.
    ValueError
        If two keys are equal, or tuples are nested more than 32 deep.
    """
    plain = [_plain(key, 0, what) for key in keys]
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
    if type(plain) is tuple:
        if depth == _DEEPEST:
            raise ValueError(f"{what} must have tuples nested at most {_DEEPEST} deep, got more")
        return tuple(_plain(item, depth + 1, what) for item in plain)
    raise TypeError(f"{what} must be None, booleans, numbers, text, bytes or tuples of these, got {_short(key)}")


def _as_bytes(keys: list[Key]) -> bytes:
    items = [_to_json(key) for key in keys]
    return json.dumps(items, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _to_json(key: Key) -> Any:
    if key is None or isinstance(key, bool):
        return key
    if isinstance(key, str):
        return key if _is_unicode(key) else {"text": key.encode("utf-8", "surrogatepass").hex()}
    if isinstance(key, int):
        return key if -_LARGEST_NUMBER <= key <= _LARGEST_NUMBER else {"int": hex(key)}
    if isinstance(key, float):
        return {"float": repr(key)}
    if isinstance(key, bytes):
        return {"bytes": key.hex()}
    return {"tuple": [_to_json(item) for item in key]}


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_json(item: Any, depth: int) -> Key:
    """Return the key that an item of JSON stands for; `decode_keys` checks that it is written as it must be."""
    if item is None or isinstance(item, bool | int | str):
        return cast(Key, item)
    if isinstance(item, dict) and len(item) == 1:
        [(kind, value)] = item.items()
        if kind == "tuple" and isinstance(value, list) and depth < _DEEPEST:
            return tuple(_from_json(part, depth + 1) for part in value)
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
    """Raise unless no two keys are equal, as keys of a dict are: 1, 1.0 and True are the same."""
    seen: set[Key] = set()
    for key in keys:
        if key in seen:
            raise error(f"{what} must be unique, got {_short(key)} twice")
        seen.add(key)


def _short(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, or the beginning of that."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or too deep
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= most else text[:most] + "..."
