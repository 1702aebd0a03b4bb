"""From chunks of bytes to whole lines, and from these to text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.stream._errors import BadLineError, LineError, StreamError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

# A line is held in memory whole; beyond this a file is taken for something else than lines.
LONGEST_LINE = 1 << 28


def blocks(chunks: Iterator[bytes], file: str) -> Iterator[bytes]:
    """Yield the same bytes in blocks of whole lines; the last may lack its end.

    Time is linear in the bytes, however long a line is. A line that an error of `chunks` cuts is not given.
    """
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
            if n_begun > LONGEST_LINE:
                raise StreamError(file, f"lines of at most {LONGEST_LINE:,} bytes", "a longer one")
    if begun:
        yield b"".join(begun)


class Lines:
    """The lines of blocks of UTF-8 as text, without their ends (a line feed, or a carriage return and one).

    A line that is not UTF-8 raises BadLineError in its place, and the next one can be asked for.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.n = 0
        """The lines that have been read."""
        self._blocks = blocks
        self._lines: Iterator[str | bytes] = iter(())

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is None:
            self._lines = _split(next(self._blocks))
            line = next(self._lines)
        self.n += 1
        if isinstance(line, bytes):
            line = self._decoded(line)
        return line.removesuffix("\r")

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode()) + 1
            found = shown(line[error.start : error.end].decode(errors="backslashreplace")).replace("\\\\", "\\")
            raise BadLineError(LineError(self.n, column, found, "text in UTF-8")) from None


def _split(block: bytes) -> Iterator[str | bytes]:
    """Split a block into lines: decoded at once if all of it can be, else line by line by whoever takes them."""
    block = block.removesuffix(b"\n")
    try:
        return iter(block.decode().split("\n"))
    except UnicodeDecodeError:
        return iter(block.split(b"\n"))
