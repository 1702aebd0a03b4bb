"""The file of a model: named sections with checksums.

``docs/format.md`` describes the format. What the sections mean is for whoever writes them and the native core to know.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from sapwood.exceptions import ModelFormatError

__all__ = ["MAGIC", "VERSION", "Section", "pack", "parts", "unpack"]

Section: TypeAlias = bytes | memoryview

MAGIC = b"sapwood\n"
VERSION = 1

_HEAD = struct.Struct("<8sII")  # magic, version, number of sections
_ENTRY = struct.Struct("<16sQQI")  # name, offset, length, CRC-32
_CHECKSUM = struct.Struct("<I")
_MOST_SECTIONS = 64


def pack(sections: Mapping[str, Section]) -> bytes:
    """Return the bytes of a file with these sections, in their order; `unpack` returns them. Raises as `parts` does."""
    return b"".join(parts(sections))


def parts(sections: Mapping[str, Section]) -> list[Section]:
    """Return the same bytes in parts, of which the sections, which may be large, are no copies.

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
    return [head, _CHECKSUM.pack(zlib.crc32(head)), *sections.values()]


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
