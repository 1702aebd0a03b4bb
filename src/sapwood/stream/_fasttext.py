"""fastText's lines: ``__label__x word word ...``."""

from __future__ import annotations

import re

from sapwood.stream._analyser import Words
from sapwood.stream._errors import LineError, shown
from sapwood.stream._text import TextParser

__all__ = ["PREFIX", "FastTextParser"]

PREFIX = "__label__"
"""What a label begins with."""
# Words are what is between blanks of ASCII, as for the program.
_WORD = re.compile(r"[^ \t\r\v\f\0]+")


class FastTextParser(TextParser):
    """Parses fastText's lines natively. The interface is that of `Parser`.

    Guarantee: the features of a line are its words as they are, each once and in order; no case is changed. A line
    has one label, wherever it stands.

    Parameters
    ----------
    labelled
        Whether lines have labels; else those that there are are left out.
    """

    def __init__(self, *, labelled: bool) -> None:
        super().__init__(Words(), labelled=labelled, label_prefix=PREFIX)

    def _read_text(self, line: str, n: int) -> LineError | None:
        """Return what is wrong with a line that was left over, or read it."""
        labels = [found for found in _WORD.finditer(line) if found.group().startswith(PREFIX)]
        if self._labelled:
            if not labels:
                return LineError(n, 1, f"none in {shown(line)}", f"a label, {PREFIX}x")
            if len(labels) > 1:
                found = f"{len(labels)}, of which {shown(labels[1].group())} is the second"
                return LineError(n, labels[1].start() + 1, found, "one label")
            if labels[0].group() == PREFIX:
                return LineError(n, labels[0].start() + 1, shown(PREFIX), f"a label behind {PREFIX}")
        words = [word for word in _WORD.findall(line) if not word.startswith(PREFIX)]
        self._native.add(labels[0].group()[len(PREFIX) :] if self._labelled else "", words)
        return None
