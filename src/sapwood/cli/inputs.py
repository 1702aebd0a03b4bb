"""The streams of a command that learns several, one after the other and each as often as there are passes, as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.stream import Reader

__all__ = ["FILES", "Inputs", "require_files"]

FILES = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="The stream: files, plain or compressed, one after the other, or -."),
]


class Inputs:
    """Streams in the order in which they are learned.

    Raises ValueError if one of them cannot be read as often as it would have to be.
    """

    def __init__(self, files: Sequence[str], passes: int) -> None:
        for name in files:
            if files.count(name) > 1 and not _can_be_read_again(name):
                raise ValueError(f"{_called(name)} can be read once, got it {files.count(name)} times")
        if passes > 1:
            require_files(files, "--passes must be 1", f"got {passes}")
        self._order = list(files) * passes

    def readers(self, opened: Callable[[str, int], Reader], start: int) -> Iterator[Reader]:
        """Yield an open reader of each stream; `opened` is called with its name and the points of it to pass over.

        `start` is the number of points of all streams that have been learned. A stream that ends before as many have
        been passed over raises ShortStreamError while it is read; whoever iterates catches it for all but the last.
        """
        for name in self._order:
            reader = opened(name, start)
            yield reader
            start = max(0, start - reader.position)

    def is_last(self, number: int) -> bool:
        """Whether the reader of this number, from 0, is the last one."""
        return number == len(self._order) - 1

    def name(self) -> str:
        """Return what messages call all of it."""
        first = _called(self._order[0])
        others = len(set(self._order)) - 1
        return first if not others else f"{first} and {counted(others, 'other file')}"


def require_files(names: Sequence[str], must: str, why: str) -> None:
    """Raise ValueError, in which it stands what must be and why, if one of the streams can be read but once."""
    for name in names:
        if not _can_be_read_again(name):
            raise ValueError(f"{must} for {_called(name)}, which can be read once, {why}")


def _can_be_read_again(name: str) -> bool:
    path = Path(name)
    return name != "-" and (path.is_file() or not path.exists())


def _called(name: str) -> str:
    return "standard input" if name == "-" else name
