"""Small files that belong to a stream, such as the names of its columns, plain or compressed as streams are."""

from __future__ import annotations

from pathlib import Path

from sapwood.stream._compression import MAGIC_BYTES, compression_of, decompressed

__all__ = ["unpacked"]


def unpacked(path: Path) -> bytes:
    """Return what a file holds, unpacked if it is compressed.

    Raises
    ------
    OSError
        If the file cannot be read.
    StreamError
        If it is corrupt, cut short, or compressed in a way that is not read here.
    ImportError
        If it is zstd's and the package zstandard is not installed.
    """
    data = path.read_bytes()
    compression = compression_of(data[:MAGIC_BYTES], str(path))
    return data if compression is None else b"".join(decompressed(iter([data]), compression, str(path)))
