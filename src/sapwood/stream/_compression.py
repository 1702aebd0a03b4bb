"""Compressed data, recognised by its first bytes and unpacked piece by piece."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from typing import TYPE_CHECKING, Protocol

from sapwood.stream._errors import StreamError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["COMPRESSIONS", "MAGIC_BYTES", "compression_of", "decompressed"]

COMPRESSIONS = ("gzip", "bzip2", "xz", "zstd")
# As many bytes of a file tell how it is compressed.
MAGIC_BYTES = 10
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bzip2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_UNREADABLE = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x04\x22\x4d\x18": "lz4 data",
    b"\x1f\x9d": "data of the program compress",
}
# Bytes of text that a decompressor may give at a time, so that a small file cannot fill the memory, and little is lost
# where data is corrupt.
_MOST = 1 << 16
# zstandard sets no such limit; so few bytes make at most 128 MiB of text.
_ZSTD_PIECE = 1 << 12
# gzip and xz files may end in zeros that fill a block of a tape or a disk.
_PADDED = ("gzip", "xz")


def compression_of(start: bytes, file: str) -> str | None:
    """Return how data that starts with these bytes is compressed, None if it is not.

    Raises
    ------
    StreamError
        If the data is compressed in a way that is not read here.
    """
    for magic, kind in _UNREADABLE.items():
        if start.startswith(magic):
            raise StreamError(file, f"text, plain or compressed by one of {', '.join(COMPRESSIONS)}", kind)
    return next((name for name, magic in _MAGIC.items() if magic.match(start)), None)


class _Decompressor(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to."""

    eof: bool
    unused_data: bytes


class _Zlib:
    def __init__(self) -> None:
        self._object = zlib.decompressobj(wbits=31)
        self.eof = False
        self.unused_data = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while True:
            piece = self._object.decompress(data, _MOST)
            self.eof = self._object.eof
            self.unused_data = self._object.unused_data
            yield piece
            data = self._object.unconsumed_tail
            if self.eof or (not data and len(piece) < _MOST):
                return


class _Buffered:
    def __init__(self, make: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> None:
        self._object = make()
        self.eof = False
        self.unused_data = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while True:
            piece = self._object.decompress(data, _MOST)
            self.eof = self._object.eof
            self.unused_data = self._object.unused_data
            yield piece
            data = b""
            if self.eof or self._object.needs_input:
                return


class _Zstd:
    def __init__(self) -> None:
        import zstandard

        self._object = zstandard.ZstdDecompressor().decompressobj()
        self.eof = False
        self.unused_data = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _ZSTD_PIECE):
            piece = self._object.decompress(data[at : at + _ZSTD_PIECE])
            self.eof = self._object.eof
            if self.eof:
                self.unused_data = self._object.unused_data + data[at + _ZSTD_PIECE :]
            yield piece
            if self.eof:
                return


def _maker(compression: str, file: str) -> tuple[Callable[[], _Decompressor], tuple[type[Exception], ...]]:
    """Return what makes a decompressor, and the errors that it raises."""
    if compression == "gzip":
        return _Zlib, (zlib.error,)
    if compression == "bzip2":
        return lambda: _Buffered(bz2.BZ2Decompressor), (OSError, ValueError)
    if compression == "xz":
        return lambda: _Buffered(lzma.LZMADecompressor), (lzma.LZMAError,)
    try:
        import zstandard
    except ImportError:
        raise ImportError(
            f"{file}: zstd data needs the package zstandard; install it with pip install 'sapwood[zstd]'"
        ) from None
    return _Zstd, (zstandard.ZstdError,)


def decompressed(chunks: Iterator[bytes], compression: str, file: str) -> Iterator[bytes]:
    """Unpack data that arrives in chunks; several members one after the other are one text.

    Raises
    ------
    StreamError
        If the data is corrupt or ends too early, when all that precedes has been given.
    ImportError
        If the data is zstd's and the package zstandard is not installed.
    """
    make, errors = _maker(compression, file)
    decompressor: _Decompressor | None = None
    n_members = 0
    n_bytes = 0
    for chunk in chunks:
        data = chunk
        while data:
            if decompressor is None:
                if n_members and compression in _PADDED:
                    data = data.lstrip(b"\0")
                    if not data:
                        break
                decompressor = make()
            try:
                for piece in decompressor.pieces(data):
                    n_bytes += len(piece)
                    if piece:
                        yield piece
            except errors:
                raise StreamError(
                    file, f"{compression} data", f"corrupt data after {n_bytes:,} bytes of text"
                ) from None
            data = b""
            if decompressor.eof:
                data = decompressor.unused_data
                decompressor = None
                n_members += 1
    if decompressor is not None:
        raise StreamError(
            file, f"the end of the {compression} data", f"a file cut short after {n_bytes:,} bytes of text"
        )
