"""Vowpal Wabbit's lines: ``label [importance] ['tag]|namespace feature[:value] ... |namespace ...``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from sapwood import _core
from sapwood.data.batch import Batch, unlabelled
from sapwood.data.matrix import thermometer
from sapwood.data.placed_keys import PlacedKeys
from sapwood.data.weights import LARGEST_WEIGHT
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._lines import decoded
from sapwood.stream._parser import NativeLines
from sapwood.stream._svmlight import checked_threshold, whole_labels
from sapwood.stream._table import finite_number

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["VowpalWabbitParser"]

_WORD = re.compile(r"[^ \t]+")
_SHAPE = "label | feature feature:value"


class VowpalWabbitParser(NativeLines):
    """Parses Vowpal Wabbit's lines natively. The interface is that of `Parser`.

    Guarantee: a feature has the value that Vowpal Wabbit gives it: 1 if none is written, times that of its namespace,
    and the sum of them if a line has it several times. It is called ``namespace^feature``, as in audits. A line that
    is bad, or has a number of an unusual size, is read by Python.

    Parameters
    ----------
    binarize, sparse_numbers
        What becomes of values, as in svmlight.
    labelled
        Whether lines have labels; else what stands before the first bar is left out.
    """

    _native: _core.VowpalWabbitLines

    def __init__(self, binarize: float | None, *, sparse_numbers: bool, labelled: bool) -> None:
        super().__init__()
        self._binarize = checked_threshold(binarize, "a Vowpal Wabbit file")
        self._sparse_numbers = sparse_numbers
        self._labelled = labelled
        self._native = _core.VowpalWabbitLines(self._binarize, sparse_numbers, labelled, LARGEST_WEIGHT)

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        native = self._native
        for block in blocks:
            at = 0
            while at < len(block):
                at, left = native.parse(block, at, self.most)
                if left < at:
                    try:
                        self._read(decoded(block[left:at].removesuffix(b"\n"), self.n_lines).removesuffix("\r"))
                    except BadLineError as bad:
                        yield bad.error
                        continue
                if len(native) >= self.most:
                    yield None

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        first_line, indptr, places, values, names, labels, weights = self._native.take()
        keys = PlacedKeys(names, places)
        if self._sparse_numbers:
            rows = thermometer(indptr, places, values, names)
            assert rows.names is not None
            indptr, keys = rows.indptr, PlacedKeys(rows.names, rows.indices)
        return Batch(
            y=whole_labels(labels) if self._labelled else unlabelled(len(labels)),
            indptr=indptr,
            indices=None,
            keys=keys,
            n_features=None,
            first_line=first_line,
            weights=None if np.all(weights == 1) else weights,
        )

    # ---- lines that were left over ----------------------------------------------------------------------------------

    def _read(self, line: str) -> None:
        """Add a line; raise BadLineError if it is a bad one."""
        if line.isspace():
            return
        head, bar, _ = line.partition("|")
        if not bar:
            self._fail(len(line), f"no bar after {shown(line)}", _SHAPE)
        label, weight = self._head(head) if self._labelled else (0.0, 1.0)
        values = self._features(line, len(head) + 1)
        threshold = self._binarize
        if threshold is None:
            for name, value in values.items():
                if value not in {0, 1}:
                    self._fail(len(head) + 1, f"{value:g} as {name!r}", "values of 0 or 1")
            threshold = 0.0
        on = {name: value for name, value in values.items() if value > threshold}
        self._native.add(label, weight, list(on), list(on.values()))

    def _head(self, head: str) -> tuple[float, float]:
        """Return the label and the weight, which stand before the first bar."""
        words = [(found.group(), found.start()) for found in _WORD.finditer(head)]
        tag = None
        if words and (words[-1][0].startswith("'") or not head[-1:].isspace()):
            tag = words.pop()
        if not words:
            found = "none" if tag is None else f"the tag {shown(tag[0])}, between which and the bar there is no blank"
            self._fail(0, found, "a number as the label")
        if len(words) > 2:  # noqa: PLR2004 - label and importance
            self._fail(words[2][1], shown(words[2][0]), "a label and an importance, and no prediction to begin with")
        try:
            label = finite_number(words[0][0])
        except ValueError:
            self._fail(words[0][1], shown(words[0][0]), "a number as the label")
        if len(words) == 1:
            return label, 1.0
        try:
            weight = finite_number(words[1][0])
        except ValueError:
            weight = -1.0
        if not 0 <= weight <= LARGEST_WEIGHT:
            self._fail(words[1][1], shown(words[1][0]), f"an importance from 0 to {LARGEST_WEIGHT}")
        return label, weight

    def _features(self, line: str, at: int) -> dict[str, float]:
        """Return the features from a column on, each with the sum of its values."""
        values: dict[str, float] = {}
        for section in line[at:].split("|"):
            before, scale = "", 1.0
            for found in _WORD.finditer(section):
                name, colon, written = found.group().partition(":")
                value = 1.0
                if colon:
                    try:
                        value = finite_number(written)
                    except ValueError as error:
                        self._fail(
                            at + found.start() + len(name) + 1, shown(written), f"{error} as the value of {name!r}"
                        )
                if found.start() == 0:
                    before, scale = (f"{name}^" if name else ""), value
                    continue
                if not name:
                    self._fail(at + found.start(), shown(found.group()), "a feature before its value")
                values[before + name] = values.get(before + name, 0.0) + scale * value
            at += len(section) + 1
        return values

    def _fail(self, at: int, found: str, expected: str) -> NoReturn:
        raise BadLineError(LineError(self.n_lines, at + 1, found, expected))
