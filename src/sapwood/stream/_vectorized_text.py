"""The format ``label<TAB>text`` by a vectorizer that does more than find words: in Python, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from sapwood.data.batch import Batch, as_objects
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._lines import Lines
from sapwood.stream._parser import KeyedPoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sapwood.stream._table import TableRead

__all__ = ["VectorizedTextParser"]


class VectorizedTextParser:
    """Parses labelled text by the analyser of a vectorizer. The interface is that of `Parser`.

    Parameters
    ----------
    vectorizer
        Any of scikit-learn's vectorizers, for its analyser; a HashingVectorizer makes columns of the words. Whatever it
        says of counts, signs and norms, a feature is on or off.
    labelled
        Whether lines have labels; else each is text from its first sign to its last.
    """

    table: TableRead | None = None
    """Nothing: each word is a feature."""

    is_passed_over = False
    """Nothing is done to the text of a point before it is taken, so that there is nothing to spare."""

    def __init__(self, vectorizer: Any, *, labelled: bool) -> None:
        if not callable(getattr(vectorizer, "build_analyzer", None)):
            raise TypeError(f"read: vectorizer must be one of scikit-learn's for text, got {vectorizer!r}")
        self._analyze = vectorizer.build_analyzer()
        self._hashing: HashingVectorizer | None = None
        if isinstance(vectorizer, HashingVectorizer):
            # Counts of one sign, so that two words of one column do not cancel each other out.
            options = {**vectorizer.get_params(), "alternate_sign": False, "norm": None, "binary": True}
            self._hashing = HashingVectorizer(**options)
        self._labelled = labelled
        self._lines = Lines(iter(()))
        self.most = 1
        self.drop()

    @property
    def n_lines(self) -> int:
        """The lines that have been read."""
        return self._lines.n

    def __len__(self) -> int:
        return len(self._labels)

    def drop(self) -> None:
        """Forget the points that are gathered."""
        self._labels: list[str | None] = []
        self._texts: list[str] = []
        self._first_line = 0

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        lines = self._lines = Lines(blocks)
        while True:
            try:
                line = next(lines, None)
            except BadLineError as bad:
                yield bad.error
                continue
            if line is None:
                return
            if not line or line.isspace():
                continue
            label: str | None = None
            text = line
            if self._labelled:
                label, tab, text = line.partition("\t")
                if not tab:
                    yield LineError(lines.n, len(line) + 1, f"no tab after {shown(line)}", "label<TAB>text")
                    continue
                if not label:
                    yield LineError(lines.n, 1, "a tab", "a label")
                    continue
            if not self._labels:
                self._first_line = lines.n
            self._labels.append(label)
            self._texts.append(text)
            if len(self._labels) >= self.most:
                yield None

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        labels, texts, first_line = self._labels, self._texts, self._first_line
        self.drop()
        if self._hashing is None:
            points = KeyedPoints()
            analyze = self._analyze
            for label, text in zip(labels, texts, strict=True):
                # A dictionary keeps the order of first appearance.
                points.add(first_line, label, list(dict.fromkeys(analyze(text))))
            return points.take()
        X = self._hashing.transform(texts)
        X.sort_indices()
        return Batch(
            y=as_objects(labels),
            indptr=X.indptr.astype(np.int64),
            indices=X.indices.astype(np.int32),
            keys=None,
            n_features=self._hashing.n_features,
            first_line=first_line,
        )
