"""What the file of a model says of the stream that it was learned from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from sapwood.data.kinds import KINDS
from sapwood.exceptions import ModelFormatError
from sapwood.stream import FORMATS, Encoding

__all__ = ["StreamNote"]

_MOST_POINTS = 2**63 - 1


@dataclass(frozen=True)
class StreamNote:
    """What the file of a model says of the stream that it has learned: how it is read, and how far it was."""

    points: int
    """The points of the stream that have been learned, from its beginning."""
    encoding: Encoding

    def to_bytes(self) -> bytes:
        """Return the note as JSON in UTF-8, in one way."""
        return json.dumps({"points": self.points, "encoding": asdict(self.encoding)}, allow_nan=False).encode()

    @staticmethod
    def from_bytes(data: bytes) -> StreamNote:
        """Return the note that `to_bytes` wrote; raise ModelFormatError if it cannot have written these bytes."""
        try:
            found = json.loads(data.decode())
            about = found["encoding"]
            note = StreamNote(found["points"], _encoding(about))
            right = _is_note(note) and note.to_bytes() == data
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            right = False
        if not right:
            raise ModelFormatError(f"the section stream must hold points and encoding, got {data[:60]!r}")
        return note


def _encoding(about: dict[str, Any]) -> Encoding:
    """Return an encoding from its fields, in which JSON has lists for tuples."""
    na_values = about["na_values"]
    return Encoding(
        **{
            **about,
            "ignore": tuple(about["ignore"]),
            "types": tuple((name, kind) for name, kind in about["types"]),
            "na_values": None if na_values is None else tuple(na_values),
        }
    )


def _is_note(note: StreamNote) -> bool:
    def is_count(value: Any, least: int) -> bool:
        return type(value) is int and least <= value <= _MOST_POINTS

    # The fields were read from a file, and may be of any type.
    about: dict[str, Any] = vars(note.encoding)
    texts = [about["label"], about["delimiter"]]
    names = [*about["ignore"], *(about["na_values"] or ()), *(name for name, _ in about["types"])]
    return (
        is_count(note.points, 0)
        and about["format"] in (None, *FORMATS)
        and (about["binarize"] is None or type(about["binarize"]) in (int, float))
        and (about["n_features"] is None or is_count(about["n_features"], 1))
        and type(about["ngrams"]) is int
        and all(text is None or isinstance(text, str) for text in texts)
        and all(isinstance(name, str) for name in names)
        and all(kind in KINDS for _, kind in about["types"])
        and isinstance(about["header"], bool)
        and isinstance(about["sparse_numbers"], bool)
    )
