"""How the lines of a stream become features: what a model must be given again to read other points alike."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from sapwood.stream import Reader

__all__ = ["Encoding", "StreamNote"]

_MOST_POINTS = 2**63 - 1
_MOST_NGRAMS = 9


@dataclass(frozen=True)
class Encoding:
    """The options of `sapwood.stream.read` that decide which features a point has; see there.

    `ngrams` is for text: features are the words, and the runs of up to so many of them.
    """

    format: str | None = None
    binarize: float | None = 0.0
    n_features: int | None = None
    ngrams: int = 1
    label: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.ngrams <= _MOST_NGRAMS:
            raise ValueError(f"Encoding: ngrams must be from 1 to {_MOST_NGRAMS}, got {self.ngrams}")
        if self.ngrams > 1 and self.format not in {None, "text"}:
            raise ValueError(f"Encoding: ngrams must be 1 for the format {self.format}, got {self.ngrams}")

    def open(
        self,
        source: str | os.PathLike[str] | BinaryIO,
        *,
        batch_size: int = 10_000,
        on_error: str = "stop",
        start: int = 0,
        labelled: bool = True,
    ) -> Reader:
        """Return a reader of a stream, as `sapwood.stream.read` does, with these options."""
        # Not at the top: a model is read from a file without the readers of streams.
        from sapwood.stream import read

        n_features, vectorizer = self.n_features, None
        if self.ngrams > 1:
            from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer

            runs = (1, self.ngrams)
            if n_features is None:
                vectorizer = CountVectorizer(ngram_range=runs)
            else:
                vectorizer, n_features = HashingVectorizer(n_features=n_features, ngram_range=runs), None
        return read(
            source,
            # Nothing but text has runs of words.
            format="text" if self.ngrams > 1 else self.format,
            batch_size=batch_size,
            binarize=self.binarize,
            on_error=on_error,
            start=start,
            n_features=n_features,
            vectorizer=vectorizer,
            label=self.label,
            labelled=labelled,
            ignore=self.ignore,
            delimiter=self.delimiter,
        )


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
            raise ModelFormatError(f"the section stream must be what sapwood writes there, got {data[:60]!r}")
        return note


def _is_note(note: StreamNote) -> bool:
    def is_count(value: Any, least: int) -> bool:
        return type(value) is int and least <= value <= _MOST_POINTS

    from sapwood.stream import FORMATS

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
