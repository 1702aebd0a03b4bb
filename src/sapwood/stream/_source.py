"""Where a stream comes from: a file, a pipe or an open file, plain or compressed, read in chunks of bytes."""

from __future__ import annotations

import os
import stat
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood.stream._compression import MAGIC_BYTES, compression_of, decompressed
from sapwood.stream._errors import StreamError
from sapwood.stream._formats import columnar_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Interrupted", "Source"]

_CHUNK = 1 << 18
# Enough text to tell a format by.
_SAMPLE = 1 << 16
_BOM = b"\xef\xbb\xbf"


class Interrupted(Exception):  # noqa: N818 - not an error, and never seen outside
    """An interrupt that came while data was waited for, where it breaks off nothing else."""

    def __init__(self, interrupt: KeyboardInterrupt) -> None:
        super().__init__()
        self.interrupt = interrupt


class Source:
    """An opened stream of bytes, of which the beginning is known.

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read, in one sentence.
    StreamError
        If the file is empty, or is not text.
    """

    name: str
    """What messages call the stream."""
    compression: str | None
    """How it is compressed."""
    n_bytes: int
    """The bytes that have been read, as they are stored."""
    total_bytes: int | None
    """The bytes that there are to read; None where that is not known, as of a pipe."""
    is_interrupted: bool
    """Whether it was told to read no further."""
    columnar: str | None
    """What it is instead of text: parquet or arrow, by its first bytes."""
    sample: bytes
    """The beginning of the text, with at least its first line that is neither blank nor a comment, if that is short."""

    def __init__(self, source: str | os.PathLike[str] | Any) -> None:
        self._file, self.name, self._is_owned = _open(source)
        self.is_interrupted = self._is_waiting = False
        try:
            self._begin()
        except Interrupted as stop:
            self.close()
            raise stop.interrupt from None
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        self.n_bytes = 0
        self.total_bytes = _size_left(self._file)
        self._origin = None if self.total_bytes is None else self._file.tell()
        raw = self._raw_chunks()
        start = b""
        for chunk in raw:
            start += chunk
            if len(start) >= MAGIC_BYTES:
                break
        if not start:
            raise StreamError(self.name, "points", "an empty file")
        self.compression = compression_of(start, self.name)
        text = chain([start], raw)
        if self.compression is not None:
            text = chain(decompressed(text, self.compression, self.name))
        self.sample = b""
        # An archive may be cut short within the sample: what it holds is given before the error is raised.
        self._failure: StreamError | None = None
        try:
            for chunk in text:
                self.sample += chunk
                if len(self.sample) >= _SAMPLE or _has_line(self.sample):
                    break
        except StreamError as error:
            if not self.sample:
                raise
            self._failure = error
        if not self.sample:
            raise StreamError(self.name, "points", f"an empty file in {self.compression} data")
        self._text = text
        self.columnar = columnar_of(self.sample)
        if self.columnar is not None:
            return
        _refuse_utf_16(self.sample, self.name)
        self.sample = self.sample.removeprefix(_BOM)
        if b"\0" in self.sample:
            at = self.sample.index(b"\0")
            raise StreamError(self.name, "text", f"binary data: a zero as byte {at + 1}")

    def chunks(self) -> Iterator[bytes]:
        """Yield the text from its beginning; once only."""
        yield self.sample
        if self._failure is not None:
            raise self._failure
        for chunk in self._text:
            # A little compressed data may be a lot of text.
            if self.is_interrupted:
                raise Interrupted(KeyboardInterrupt())
            yield chunk

    def from_the_beginning(self) -> Any:
        """Return the file at the beginning of its data, for a format that is not read from there to its end.

        Raises StreamError if it is a pipe, or compressed.
        """
        if self.compression is not None or self._origin is None:
            found = "a pipe" if self.compression is None else f"{self.compression} data"
            raise StreamError(self.name, "a file, which Parquet is not read without", found)
        self._file.seek(self._origin)
        return self._file

    def close(self) -> None:
        """Close the file if it was opened here."""
        if self._is_owned:
            self._file.close()

    def stop(self) -> None:
        """Read no further, from another thread than the one that reads: Interrupted comes out of `chunks` soon."""
        self.is_interrupted = True

    def interrupt(self) -> None:
        """Read no further: instead of that, and at once if data is waited for, Interrupted comes out of `chunks`."""
        self.is_interrupted = True
        if self._is_waiting:
            raise KeyboardInterrupt

    def _raw_chunks(self) -> Iterator[bytes]:
        # A pipe is read as its data comes; `read` of a buffered file would wait for a whole chunk.
        read: Callable[[int], Any] = getattr(self._file, "read1", self._file.read)
        while True:
            try:
                self._is_waiting = True
                if self.is_interrupted:
                    raise KeyboardInterrupt
                chunk = read(_CHUNK)
            except KeyboardInterrupt as interrupt:
                self.is_interrupted = True
                raise Interrupted(interrupt) from None
            except OSError as error:
                raise _in_one_sentence(error, self.name) from None
            finally:
                self._is_waiting = False
            if chunk is None:
                raise BlockingIOError(f"{self.name}: the file must be in blocking mode, got a non-blocking file")
            if isinstance(chunk, str):
                raise TypeError(f"read: source must be a file opened in binary mode, got {self._file!r}")
            if not chunk:
                return
            self.n_bytes += len(chunk)
            yield bytes(chunk)


def _open(source: Any) -> tuple[Any, str, bool]:
    """Return the open file, its name, and whether it was opened here."""
    if isinstance(source, str) and source == "-":
        return sys.stdin.buffer, "standard input", False
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            return path.open("rb", buffering=0), str(path), True
        except OSError as error:
            raise _in_one_sentence(error, str(path)) from None
    if not callable(getattr(source, "read", None)):
        raise TypeError(f"read: source must be a path, '-' or a binary file, got {source!r}")
    name = getattr(source, "name", None)
    return source, name if isinstance(name, str) else "the stream", False


def _in_one_sentence(error: OSError, name: str) -> OSError:
    """Return an error of the same kind that says which file and why, without a number."""
    told = {FileNotFoundError: "there is no such file", IsADirectoryError: "this is a directory, and must be a file"}
    reason = told.get(type(error), (error.strerror or str(error)).lower())
    plain = type(error)(f"{name}: {reason}")
    plain.errno = error.errno
    return plain


def _refuse_utf_16(sample: bytes, name: str) -> None:
    """Refuse text in two bytes per character, by its mark or by the zeros of each character of ASCII."""
    start = sample[:64]
    marked = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    low, high = start[0::2], start[1::2]
    is_ascii = (not any(high) and all(low)) or (not any(low) and all(high))
    if marked or (len(high) > 1 and is_ascii):
        # Without a mark, which of two bytes is the first must be said.
        order = "" if marked else "BE" if not any(low) else "LE"
        raise StreamError(name, "text in UTF-8", f"text in UTF-16 (iconv -f UTF-16{order} -t UTF-8 {name} converts it)")


def _size_left(file: Any) -> int | None:
    """Return how many bytes a file has from where it stands, None if that cannot be told."""
    try:
        status = os.fstat(file.fileno())
        return max(status.st_size - file.tell(), 0) if stat.S_ISREG(status.st_mode) else None
    except (AttributeError, OSError, ValueError):
        pass
    try:
        here = file.tell()
        end = file.seek(0, os.SEEK_END)
        file.seek(here)
    except (AttributeError, OSError, ValueError):
        return None
    return int(end - here)


def _has_line(sample: bytes) -> bool:
    """Whether a sample has a whole line that is neither blank nor a comment."""
    lines = sample.split(b"\n")[:-1]
    return any(line.strip() and not line.lstrip().startswith(b"#") for line in lines)
