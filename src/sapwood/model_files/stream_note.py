"""What the file of a model says of the stream that it was learned from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

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
            note = StreamNote(found["points"], Encoding(**{**about, "ignore": tuple(about["ignore"])}))
            right = _is_note(note) and note.to_bytes() == data
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            right = False
        if not right:
            raise ModelFormatError(f"the section stream must hold points and encoding, got {data[:60]!r}")
        return note


def _is_note(note: StreamNote) -> bool:
    def is_count(value: Any, least: int) -> bool:
        return type(value) is int and least <= value <= _MOST_POINTS

    encoding = note.encoding
    texts = [encoding.label, encoding.delimiter]
    return (
        is_count(note.points, 0)
        and encoding.format in (None, *FORMATS)
        and (encoding.binarize is None or type(encoding.binarize) in (int, float))
        and (encoding.n_features is None or is_count(encoding.n_features, 1))
        and type(encoding.ngrams) is int
        and all(text is None or isinstance(text, str) for text in texts)
        and all(isinstance(name, str) for name in encoding.ignore)
    )
