"""Vowpal Wabbit's lines in plain Python: ``label [importance] ['tag]|namespace feature[:value] ... |namespace ...``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from sapwood.data.batch import unlabelled
from sapwood.data.weights import LARGEST_WEIGHT
from sapwood.stream._errors import BadLineError, LineError, shown
from sapwood.stream._svmlight import checked_threshold, whole_labels
from sapwood.stream._table import finite_number

from .word_points import WordPoints

if TYPE_CHECKING:
    from sapwood.data import Batch

__all__ = ["VowpalWabbitParser"]

_WORD = re.compile(r"[^ \t]+")
_SHAPE = "label | feature feature:value"


class VowpalWabbitParser(WordPoints):
    """Parses Vowpal Wabbit's lines. The interface is that of `Parser`.

    Guarantee: a feature has the value that Vowpal Wabbit gives it: 1 if none is written, times that of its namespace,
    and the sum of them if a line has it several times. It is called ``namespace^feature``, as in audits.

    Parameters
    ----------
    binarize, sparse_numbers
        What becomes of values, as in svmlight.
    labelled
        Whether lines have labels; else what stands before the first bar is left out.
    """

    def __init__(self, binarize: float | None, *, sparse_numbers: bool, labelled: bool) -> None:
        super().__init__()
        self._binarize = checked_threshold(binarize, "a Vowpal Wabbit file")
        self._sparse_numbers = sparse_numbers
        self._labelled = labelled

    def _read(self, line: str) -> bool:
        """Add a line; return whether there are now as many points as wanted."""
        head, bar, rest = line.partition("|")
        if not bar:
            self._fail(len(line), f"no bar after {shown(line)}", _SHAPE)
        label, weight = self._head(head) if self._labelled else (0.0, 1.0)
        if ":" not in rest:
            places = self._plain_features(rest)
            if self._binarize is None or self._sparse_numbers or self._binarize >= 1 or len(set(places)) < len(places):
                return self._add_values(line, label, weight, places, [1.0] * len(places))
            return self.add(self.n_lines, label, places, (), weight)
        return self._add_values(line, label, weight, *self._valued_features(line, len(head) + 1))

    def _head(self, head: str) -> tuple[float, float]:
        """Return the label and the weight, which stand before the first bar."""
        words = [(found.group(), found.start()) for found in _WORD.finditer(head)]
        tag = None
        if words and (words[-1][0].startswith("'") or not head[-1:].isspace()):
            tag = words.pop()
        if not words:
            found = "none" if tag is None else f"the tag {shown(tag[0])}, between which and the bar there is no blank"
            self._fail(0, found, "a number as the label")
        if len(words) > 2:
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

    def _plain_features(self, rest: str) -> list[int]:
        """Return the numbers of features without values."""
        places: list[int] = []
        for section in rest.split("|"):
            words = _WORD.findall(section)
            if section[:1] not in {"", " ", "\t"}:
                before = f"{words[0]}^"
                places += [self.place(before + word) for word in words[1:]]
            else:
                places += map(self.place, words)
        return places

    def _valued_features(self, line: str, at: int) -> tuple[list[int], list[float]]:
        """Return the numbers of the features from a column on, and their values."""
        places: list[int] = []
        values: list[float] = []
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
                places.append(self.place(before + name))
                values.append(scale * value)
            at += len(section) + 1
        return places, values

    def _add_values(self, line: str, label: float, weight: float, places: list[int], values: list[float]) -> bool:
        """Add a point by the values of its features, of which one may be there several times."""
        sums = dict.fromkeys(places, 0.0)
        for place, value in zip(places, values, strict=True):
            sums[place] += value
        threshold = self._binarize
        if threshold is None:
            for place, value in sums.items():
                if value not in {0, 1}:
                    self._fail(line.index("|") + 1, f"{value:g} as {self._names[place]!r}", "values of 0 or 1")
            threshold = 0.0
        on = {place: value for place, value in sums.items() if value > threshold}
        return self.add(self.n_lines, label, list(on), list(on.values()), weight)

    def _fail(self, at: int, found: str, expected: str) -> NoReturn:
        raise BadLineError(LineError(self.n_lines, at + 1, found, expected))

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        y = whole_labels(np.array(self._labels)) if self._labelled else unlabelled(len(self))
        return self.batch(y, sparse_numbers=self._sparse_numbers)
