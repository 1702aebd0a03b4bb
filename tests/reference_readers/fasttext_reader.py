"""fastText's lines in plain Python: ``__label__x word word ...``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sapwood.data.batch import as_objects
from sapwood.stream._errors import BadLineError, LineError, shown

from .word_points import WordPoints

if TYPE_CHECKING:
    from sapwood.data import Batch

__all__ = ["PREFIX", "FastTextParser"]

PREFIX = "__label__"
"""What a label begins with."""
# Words are what is between blanks of ASCII, as for the program.
_WORD = re.compile(r"[^ \t\r\v\f\0]+")


class FastTextParser(WordPoints):
    """Parses fastText's lines. The interface is that of `Parser`.

    Guarantee: the features of a line are its words as they are, each once and in order; no case is changed. A line
    has one label, wherever it stands.

    Parameters
    ----------
    labelled
        Whether lines have labels; else those that there are are left out.
    """

    def __init__(self, *, labelled: bool) -> None:
        super().__init__()
        self._labelled = labelled

    def _read(self, line: str) -> bool:
        """Add a line; return whether there are now as many points as wanted."""
        words = _WORD.findall(line)
        label = None
        if PREFIX in line:
            labels = [word for word in words if word.startswith(PREFIX)]
            words = [word for word in words if not word.startswith(PREFIX)]
            if self._labelled:
                label = self._label_of(labels, line)
        elif self._labelled:
            raise BadLineError(LineError(self.n_lines, 1, f"none in {shown(line)}", f"a label, {PREFIX}x"))
        places = [] if self.is_passed_over else list(dict.fromkeys(map(self.place, words)))
        return self.add(self.n_lines, label, places)

    def _label_of(self, labels: list[str], line: str) -> str:
        if len(labels) == 1 and len(labels[0]) > len(PREFIX):
            return labels[0][len(PREFIX) :]
        starts = [found.start() for found in _WORD.finditer(line) if found.group().startswith(PREFIX)]
        if not labels:
            raise BadLineError(LineError(self.n_lines, 1, f"none in {shown(line)}", f"a label, {PREFIX}x"))
        if len(labels) > 1:
            found = f"{len(labels)}, of which {shown(labels[1])} is the second"
            raise BadLineError(LineError(self.n_lines, starts[1] + 1, found, "one label"))
        raise BadLineError(LineError(self.n_lines, starts[0] + 1, shown(labels[0]), f"a label behind {PREFIX}"))

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        return self.batch(as_objects(self._labels))
