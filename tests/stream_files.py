"""What the tests of the readers share: compressors, sources that arrive in pieces, and all that a reader gives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable, Iterator
from typing import Any

import zstandard

from sapwood.stream import Batch, StreamError, read

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    # Without the time: it is in the names of tests, which must be the same in all processes that collect them.
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    # With a checksum, as the program zstd writes it and the package does not; without one damage may go unseen.
    "zstd": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}
EXTENSIONS = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}


class Pieces(io.RawIOBase):
    """A file that gives its bytes in pieces of given lengths, in turn, as a pipe may."""

    def __init__(self, data: bytes, lengths: list[int]) -> None:
        super().__init__()
        self._data = data
        self._lengths = lengths
        self._turn = 0

    def read(self, size: int = -1) -> bytes:
        """Read the next piece."""
        assert size > 0
        length = min(size, self._lengths[self._turn % len(self._lengths)])
        self._turn += 1
        piece, self._data = self._data[:length], self._data[length:]
        return piece


def points_of(data: bytes | Any, **options: Any) -> list[tuple[Any, Any]]:
    """All points of a stream, as `learn_one` takes them, and their labels."""
    source = io.BytesIO(data) if isinstance(data, bytes) else data
    return [point for batch in read(source, **options) for point in batch.points()]


def batches_until_error(batches: Iterator[Batch]) -> tuple[list[Batch], StreamError | None]:
    """The batches that come before an error, and the error."""
    given = []
    try:
        for batch in batches:
            given.append(batch)  # noqa: PERF402 - what is there when the error comes is the point
    except StreamError as error:
        return given, error
    return given, None


def message_of(data: bytes, **options: Any) -> str:
    """The message of the error of a stream without a name."""
    _, error = batches_until_error(read(io.BytesIO(data), **options))
    assert error is not None, "there is no error"
    return str(error).removeprefix("the stream")
