"""The format ``label<TAB>text``: one line per point, whose features are the words of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sapwood import _core
from sapwood.data.batch import Batch, Coding, as_objects
from sapwood.data.placed_keys import PlacedKeys
from sapwood.stream._analyser import Words, plain_words, words_of
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._lines import decoded
from sapwood.stream._parser import NativeLines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sapwood.stream._parser import Parser

__all__ = ["TextParser", "text_parser"]

_MOST_COLUMNS = 2**31 - 1


def text_parser(vectorizer: Any, n_features: int | None, *, labelled: bool) -> Parser:
    """Return a parser of labelled text; see `sapwood.stream.read`."""
    if vectorizer is None:
        if n_features is not None and n_features > _MOST_COLUMNS:
            raise ValueError(f"read: n_features must be at most {_MOST_COLUMNS}, got {n_features}")
        return TextParser(Words(n_columns=n_features), labelled=labelled)
    if n_features is not None:
        raise ValueError(f"read: n_features must be None beside a vectorizer, which has its own, got {n_features}")
    if isinstance(vectorizer, Words):
        return TextParser(vectorizer, labelled=labelled)
    words = plain_words(vectorizer)
    if words is not None:
        return TextParser(words, labelled=labelled)
    # scikit-learn's text is slow to import, and who has a vectorizer has imported it.
    from sapwood.stream._vectorized_text import VectorizedTextParser

    return VectorizedTextParser(vectorizer, labelled=labelled)


class TextParser(NativeLines):
    """Parses labelled text natively: words in lower case, runs of words, or both hashed. The interface is `Parser`'s.

    Guarantee: the features of a text are those of scikit-learn's analyser, in its order. A line that is bad, or in
    which the lower case of a character depends on those around it, is read by Python.

    Parameters
    ----------
    words
        Which words and runs of words are features.
    labelled
        Whether lines have labels; else each is text from its first sign to its last.
    label_prefix
        Not empty for the lines of fastText, which `FastTextParser` reads.
    """

    _native: _core.TextLines

    def __init__(self, words: Words, *, labelled: bool, label_prefix: str = "") -> None:
        super().__init__()
        self._words = words
        self._labelled = labelled
        self._native = _core.TextLines(labelled, *words, label_prefix=label_prefix)

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        native = self._native
        for block in blocks:
            at = 0
            while at < len(block):
                at, left = native.parse(block, at, self.most, self.is_passed_over)
                if left < at and (error := self._read(block[left:at])) is not None:
                    yield error
                if len(native) >= self.most:
                    yield None

    def _read(self, line_bytes: bytes) -> LineError | None:
        """Read a line that was left over; return what is wrong with it, if anything is."""
        n = self.n_lines
        try:
            line = decoded(line_bytes.removesuffix(b"\n"), n).removesuffix("\r")
        except BadLineError as bad:
            return bad.error
        return None if line.isspace() else self._read_text(line, n)

    def _read_text(self, line: str, n: int) -> LineError | None:
        label, tab, text = line.partition("\t") if self._labelled else ("", "\t", line)
        if not tab:
            return LineError(n, len(line) + 1, f"no tab after {shown(line)}", "label<TAB>text")
        if self._labelled and not label:
            return LineError(n, 1, "a tab", "a label")
        self._native.add(label, words_of(text, self._words))
        return None

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        first_line, indptr, indices, words, codes, classes = self._native.take()
        names = as_objects(classes)
        is_hashed = self._words.n_columns is not None
        return Batch(
            y=names[codes] if self._labelled else as_objects([None] * (len(indptr) - 1)),
            indptr=indptr,
            indices=indices if is_hashed else None,
            keys=None if is_hashed else PlacedKeys(words, indices),
            n_features=self._words.n_columns,
            first_line=first_line,
            coding=Coding(names, codes) if self._labelled else None,
        )
