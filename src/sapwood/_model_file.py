"""The file of a model: named sections with checksums, keys as JSON, and writing all or nothing.

``docs/format.md`` describes the format. What the sections mean is for the estimators and the native core to know.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from sapwood.exceptions import ModelFormatError

__all__ = ["MAGIC", "SECTIONS", "VERSION", "Key", "decode_keys", "encode_keys", "pack", "unpack", "write_atomically"]

MAGIC = b"sapwood\n"
VERSION = 1
SECTIONS = ("estimator", "features", "tree")

# What a feature or a class can be called in a file.
Key: TypeAlias = "bool | int | float | str | bytes | tuple[Key, ...] | None"

_HEAD = struct.Struct("<8sII")  # magic, version, number of sections
_ENTRY = struct.Struct("<16sQQI")  # name, offset, length, CRC-32
_CHECKSUM = struct.Struct("<I")
_MOST_SECTIONS = 64
_DEEPEST = 32  # tuples within tuples
_LARGEST_NUMBER = 2**53  # what every reader of JSON reads exactly


# ---- sections ----------------------------------------------------------------------------------------------------


def pack(sections: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a file with these sections, in their order; `unpack` returns them.

    Raises
    ------
    ValueError
        If a name is not 1 to 16 of the characters a-z and _, or there are more than 64 sections.
    """
    if len(sections) > _MOST_SECTIONS:
        raise ValueError(f"pack: sections must be at most {_MOST_SECTIONS}, got {len(sections)}")
    at = _HEAD.size + _ENTRY.size * len(sections) + _CHECKSUM.size
    table = [_HEAD.pack(MAGIC, VERSION, len(sections))]
    for name, data in sections.items():
        if not _is_name(name):
            raise ValueError(f"pack: a name must be 1 to 16 of the characters a-z and _, got {name!r}")
        table.append(_ENTRY.pack(name.encode(), at, len(data), zlib.crc32(data)))
        at += len(data)
    head = b"".join(table)
    return b"".join([head, _CHECKSUM.pack(zlib.crc32(head)), *sections.values()])


def unpack(data: bytes, names: Sequence[str] | None = None) -> dict[str, bytes]:
    """Return the sections of a file, in their order.

    Parameters
    ----------
    data : bytes
        Anything; only what `pack` returns is accepted.
    names : sequence of str, optional
        The sections that there must be, in this order.

    Raises
    ------
    ModelFormatError
        If the bytes are not those of a file, to the last one.
    """
    _require(len(data) >= _HEAD.size, f"a model must have at least {_HEAD.size} bytes", len(data))
    magic, version, count = _HEAD.unpack_from(data)
    _require(magic == MAGIC, f"a model must start with {MAGIC!r}", magic)
    _require(
        version == VERSION, f"the version of a model must be {VERSION}, the only one that this sapwood reads", version
    )
    _require(count <= _MOST_SECTIONS, f"the sections of a model must be at most {_MOST_SECTIONS}", count)
    end = _HEAD.size + _ENTRY.size * count
    at = end + _CHECKSUM.size
    _require(len(data) >= at, f"a model of {count} sections must have at least {at} bytes", len(data))
    _require(zlib.crc32(data[:end]) == _CHECKSUM.unpack_from(data, end)[0], "a table must have its checksum", "another")
    sections: dict[str, bytes] = {}
    for padded, offset, length, checksum in _ENTRY.iter_unpack(data[_HEAD.size : end]):
        name = padded.rstrip(b"\0").decode("latin-1")
        _require(_is_name(name), "the name of a section must be 1 to 16 of the characters a-z and _", name)
        _require(name not in sections, "the names of sections must differ", name)
        _require(offset == at, f"section {name} must begin at {at}, where the one before it ends", offset)
        _require(length <= len(data) - at, f"section {name} must end within the {len(data)} bytes", offset + length)
        section = data[at : at + length]
        _require(zlib.crc32(section) == checksum, f"section {name} must have its checksum", "another")
        sections[name] = section
        at += length
    _require(at == len(data), f"a model must end with its last section, after {at} bytes", len(data))
    _require(names is None or list(sections) == list(names), f"the sections must be {names}", tuple(sections))
    return sections


def _is_name(name: str) -> bool:
    return 1 <= len(name) <= 16 and all(letter == "_" or "a" <= letter <= "z" for letter in name)  # noqa: PLR2004 - room


def _require(holds: bool, what: str, got: object) -> None:
    if not holds:
        raise ModelFormatError(f"{what}, got {got!r}")


# ---- keys --------------------------------------------------------------------------------------------------------


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
        raise ModelFormatError(f"keys must be written in the one way that encode_keys has, got {_short(data)}")
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


# ---- files -------------------------------------------------------------------------------------------------------


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that at any time, also after a crash, it is either what it was or all of the data.

    The data go to a temporary file in the same folder, which is removed if anything fails, and takes the place of the
    file once it is on the disk. Links are followed and permissions are as `open` would leave them.

    Raises
    ------
    OSError
        If the file cannot be written; also if it is a folder, a device or anything else that is no file.
    """
    target = Path(path).resolve()
    mode = _mode_of(target)
    temporary = target.parent / f".sapwood-{secrets.token_hex(8)}.tmp"
    # As open() makes files, 0o666 less the umask; and exclusively, so that nobody's file is overwritten.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                temporary.chmod(mode)
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _mode_of(target: Path) -> int | None:
    """Return the permissions of a file that is there; raise unless it is a file, and `open` would write to it."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(
            errno.EINVAL, "write_atomically: path must be a file or new, got a device or the like", str(target)
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(status.st_mode)


def _sync_folder(folder: Path) -> None:
    """Bring the new name of a file to the disk; there is no way to on Windows."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
