"""The tables of a Parquet or an Arrow file, read piece by piece."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from sapwood.stream._errors import StreamError
from sapwood.stream._source import Interrupted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sapwood.stream._source import Source

__all__ = ["tables_of"]

_ARROW_FILE = b"ARROW1\0\0"


def tables_of(source: Source, format_name: str) -> Callable[[int], Iterator[Any]]:
    """Return a function that yields the tables of a stream, each of at most as many rows as it is called with.

    Raises
    ------
    ImportError
        If the package pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"{source.name}: {format_name} data needs the package pyarrow; install it with pip install 'sapwood[arrow]'"
        ) from None

    def tables(most: int) -> Iterator[Any]:
        found = _parquet(source, most) if format_name == "parquet" else _arrow(source)
        while True:
            if source.is_interrupted:
                raise Interrupted(KeyboardInterrupt())
            try:
                batch = next(found, None)
                if batch is not None:
                    # Arrow believes what a file says of its texts and lists: where they end, and that they are
                    # UTF-8, as its names are.
                    batch.validate(full=True)
                    _ = batch.schema.names
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                told = " ".join(str(error).split())
                raise StreamError(source.name, f"a whole {_CALLED[format_name]} file", f"a fault: {told}") from None
            if batch is None:
                return
            # A record batch of Arrow is as large as whoever wrote it wanted.
            for start in range(0, len(batch), most):
                yield pa.Table.from_batches([batch.slice(start, most)])

    return tables


_CALLED = {"parquet": "Parquet", "arrow": "Arrow"}


def _parquet(source: Source, most: int) -> Iterator[Any]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source.from_the_beginning())
    n_rows = 0
    for batch in file.iter_batches(batch_size=most, use_threads=False):
        n_rows += len(batch)
        if source.total_bytes is not None:
            source.n_bytes = source.total_bytes * n_rows // max(file.metadata.num_rows, 1)
        yield batch


def _arrow(source: Source) -> Iterator[Any]:
    """Yield the record batches of a file or a stream of Arrow, in order: a file is a stream between two marks."""
    import pyarrow as pa

    chunks = _Chunks(source.chunks())
    if source.sample.startswith(_ARROW_FILE):
        chunks.read(len(_ARROW_FILE))
    try:
        yield from pa.ipc.open_stream(pa.PythonFile(chunks, mode="r"))
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        # What stopped the stream is told, not what Arrow says of its end.
        if chunks.failure is not None:
            raise chunks.failure from None
        raise


class _Chunks(io.RawIOBase):
    """Chunks of bytes as a file that is read from its beginning to its end."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = b""
        self.failure: BaseException | None = None

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return this many bytes, fewer only at the end."""
        parts = [self._rest]
        n = len(self._rest)
        try:
            while size < 0 or n < size:
                parts.append(next(self._chunks))
                n += len(parts[-1])
        except StopIteration:
            pass
        except (StreamError, Interrupted) as failure:
            self.failure = failure
        whole = b"".join(parts)
        if size < 0:
            size = len(whole)
        self._rest = whole[size:]
        return whole[:size]
