"""Reads the next batches of a stream while one is learned."""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import Empty, Queue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from sapwood.data import Batch
    from sapwood.stream._reader import Reader

__all__ = ["ReadAhead"]

_DEPTH = 2
_LONGEST_WAIT = 0.1  # seconds until an interrupt is seen while the reader has nothing to give


class ReadAhead:
    """An iterator of the batches of a reader that reads the next ones in its own thread; also a context manager.

    The batches, and the error that may follow them, are those of the reader. Parsing and learning both release the
    interpreter lock, so with two processors the time is that of the slower of the two, not their sum. A pipe is read
    in the thread that asks for a batch, so that waiting for it can be interrupted.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._ready: Queue[Batch | BaseException | None] = Queue(_DEPTH)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._ended = False

    def __enter__(self) -> Self:
        if self._reader.total_bytes is not None:
            self._thread = threading.Thread(target=self._read, name="sapwood-read-ahead", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop reading, and wait for the thread to end."""
        if self._thread is None:
            return
        self._stopped.set()
        self._reader.stop()
        # One that waits for room in the queue gets it.
        while self._thread.is_alive():
            with suppress(Empty):
                self._ready.get(timeout=0.01)

    def interrupt(self) -> None:
        """Give no further batch but raise KeyboardInterrupt. For use in a signal handler, in any thread."""
        self._stopped.set()
        if self._thread is None:
            self._reader.interrupt()
        else:
            self._reader.stop()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Batch:
        if self._thread is None:
            return next(self._reader)
        if self._ended:
            raise StopIteration
        batch = self._next_ready()
        if batch is None or isinstance(batch, BaseException):
            self._ended = True
            raise batch or StopIteration
        return batch

    def _next_ready(self) -> Batch | BaseException | None:
        """Return what comes next; raise KeyboardInterrupt as soon as `interrupt` was called, whatever comes."""
        while not self._stopped.is_set():
            with suppress(Empty):
                batch = self._ready.get(timeout=_LONGEST_WAIT)
                if not self._stopped.is_set():
                    return batch
        raise KeyboardInterrupt

    def _read(self) -> None:
        try:
            for batch in self._reader:
                self._ready.put(batch)
                if self._stopped.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised where the batch is asked for
            self._ready.put(error)
        else:
            self._ready.put(None)
