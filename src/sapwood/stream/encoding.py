"""How the lines of a stream become features, so that other points can be read in the same way."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.stream._analyser import Words
from sapwood.stream._formats import format_by_name
from sapwood.stream._lines import LONGEST_LINE
from sapwood.stream._reader import read

if TYPE_CHECKING:
    from typing import BinaryIO

    from sapwood.stream._reader import Reader

__all__ = ["Encoding"]

_MOST_NGRAMS = 9


@dataclass(frozen=True)
class Encoding:
    """The options of `sapwood.stream.read` that decide which features and numbers a point has; see there.

    `types` are pairs of a name and a type. `ngrams` is for text: features are words and runs of up to `ngrams` words.
    """

    format: str | None = None
    binarize: float | None = 0.0
    n_features: int | None = None
    ngrams: int = 1
    label: str | None = None
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    header: bool = True
    types: tuple[tuple[str, str], ...] = ()
    na_values: tuple[str, ...] | None = None
    sparse_numbers: bool = False

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
        only_typed: bool = False,
        longest_line: int = LONGEST_LINE,
    ) -> Reader:
        """Return a reader of a stream, as `sapwood.stream.read` does, with these options."""
        n_features, vectorizer = self.n_features, None
        if self.ngrams > 1:
            vectorizer, n_features = Words(1, self.ngrams, n_features), None
        known = self.format
        if known is None and isinstance(source, (str, os.PathLike)):
            known = format_by_name(os.fspath(source))
        return read(
            source,
            # Nothing but text has runs of words.
            format="text" if self.ngrams > 1 else self.format,
            batch_size=batch_size,
            # Of other formats it says nothing, whatever the model was made of before.
            binarize=self.binarize if known in {None, "svmlight", "vw"} else 0.0,
            on_error=on_error,
            start=start,
            n_features=n_features,
            vectorizer=vectorizer,
            label=self.label,
            labelled=labelled,
            ignore=self.ignore,
            delimiter=self.delimiter,
            header=self.header,
            types=dict(self.types),
            only_typed=only_typed,
            na_values=self.na_values,
            sparse_numbers=self.sparse_numbers,
            longest_line=longest_line,
        )
