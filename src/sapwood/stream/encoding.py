"""How the lines of a stream become features, so that other points can be read in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.stream._reader import read

if TYPE_CHECKING:
    import os
    from typing import BinaryIO

    from sapwood.stream._reader import Reader

__all__ = ["Encoding"]

_MOST_NGRAMS = 9


@dataclass(frozen=True)
class Encoding:
    """The options of `sapwood.stream.read` that decide which features a point has; see there.

    `ngrams` is for text: features are words and runs of up to `ngrams` words.
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
