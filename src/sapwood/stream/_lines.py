"""From chunks of bytes to whole lines, and from these to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.stream._errors import BadLineError, LineError, StreamError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LONGEST_LINE", "Lines", "blocks", "decoded"]

LONGEST_LINE = 1 << 28
"""The bytes of a line, by default: it is held in memory whole, and beyond this a file is taken for something else."""


def blocks(chunks: Iterator[bytes], file: str, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yield the same bytes in blocks of whole lines; the last may lack its end.

    Time is linear in the bytes, and memory bounded by `longest` and the largest chunk, however long a line is: one of
    more than `longest` bytes is an error, when all that precede it have been given. A line that an error of `chunks`
    cuts is not given.
    """
    for block in _blocks(chunks, longest):
        at = 0 if len(block) > longest else -1
        while 0 <= at < len(block):
            end = block.find(b"\n", at)
            if (len(block) if end < 0 else end) - at > longest:
                if at:
                    yield block[:at]
                raise StreamError(file, f"lines of at most {longest:,} bytes", "a longer one")
            at = end + 1 if end >= 0 else -1
        yield block


def _blocks(chunks: Iterator[bytes], longest: int) -> Iterator[bytes]:
    """Yield blocks of whole lines, or what there is of a line of more than `longest` bytes."""
    begun: list[bytes] = []
    n_begun = 0
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            start = 0
            if begun:
                # By itself, so that the rest is copied once only.
                start = chunk.find(b"\n") + 1
                yield b"".join([*begun, chunk[:start]])
                begun, n_begun = [], 0
            if start < cut:
                yield chunk[start:cut]
        if cut < len(chunk):
            begun.append(chunk[cut:])
            n_begun += len(chunk) - cut
            if n_begun > longest:
                break
    if begun:
        yield b"".join(begun)


class Lines:
    """The lines of blocks of UTF-8 as text, without their ends (a line feed, or a carriage return and one).

    A line that is not UTF-8 raises BadLineError in its place, and the next one can be asked for. A native parser may
    take lines itself: it moves `at` and counts them in `n`.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.n = 0
        """The lines that have been read."""
        self.block = b""
        """The block of the next line, unless that has been read to its end."""
        self.at = 0
        """Where the next line begins in it."""
        self._blocks = blocks

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self.more():
            raise StopIteration
        end = self.block.find(b"\n", self.at)
        if end < 0:
            end = len(self.block)
        line = self.block[self.at : end]
        self.at = end + 1
        self.n += 1
        return decoded(line, self.n).removesuffix("\r")

    def more(self) -> bool:
        """Whether there is another line, which is then in `block`."""
        while self.at >= len(self.block):
            block = next(self._blocks, None)
            if block is None:
                return False
            self.block, self.at = block, 0
        return True


def decoded(line: bytes, n: int) -> str:
    """Return a line, the n-th, as text; raise BadLineError if it is not UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode()) + 1
        found = shown(line[error.start : error.end].decode(errors="backslashreplace")).replace("\\\\", "\\")
        raise BadLineError(LineError(n, column, found, "text in UTF-8")) from None
