"""Ctrl-C and SIGTERM: what is being done is finished or left whole, then the command ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

    from sapwood.stream import Batch, ReadAhead, Reader

__all__ = ["StopSignals", "Stopped", "batches", "sigterm_stops"]


class Stopped(KeyboardInterrupt):
    """A signal ends the command; `words` say what is done."""

    def __init__(self, number: int, words: str = "") -> None:
        super().__init__(words)
        self.number = number
        self.words = words


class _BrokenOff(KeyboardInterrupt):
    """The first signal breaks off what is done within `StopSignals.breaking_off`."""


class StopSignals:
    """Within it, the first SIGINT or SIGTERM is remembered in `number`, and `stop` is called; the second ends all.

    So nothing is broken off but what `stop` breaks off.
    """

    def __init__(self, stop: Callable[[], None] = lambda: None) -> None:
        self.number: int | None = None
        self._stop = stop
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            # Only the main thread may; and what is ignored, as by a program in the background, stays so.
            if _is_main_thread() and signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self.number is not None:
            raise Stopped(number)
        self.number = number
        self._stop()

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """Within it, this is what is called at the first signal; at once if there was one already."""
        before, self._stop = self._stop, stop
        if self.number is not None:
            stop()
        try:
            yield
        finally:
            self._stop = before

    @contextmanager
    def breaking_off(self) -> Iterator[None]:
        """Within it, the first signal breaks off what is done, and what follows it is done next."""

        def stop() -> None:
            raise _BrokenOff

        before = self._stop
        try:
            try:
                self._stop = stop
                yield
            finally:
                self._stop = before
        except _BrokenOff:
            pass

    def check(self, words: str = "") -> None:
        """Raise Stopped, with words of what is done, if there was a signal."""
        if self.number is not None:
            raise Stopped(self.number, words)


def batches(reader: Reader | ReadAhead) -> Iterator[Batch]:
    """Yield the batches of a stream until its end, or until its `interrupt` was called."""
    while True:
        try:
            batch = next(reader, None)
        except KeyboardInterrupt as stop:
            if isinstance(stop, Stopped):
                raise
            return
        if batch is None:
            return
        yield batch


@contextmanager
def sigterm_stops() -> Iterator[None]:
    """Let SIGTERM raise Stopped where nobody else handles it, as Ctrl-C raises KeyboardInterrupt."""
    if not _is_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def handle(number: int, _: FrameType | None) -> None:
        raise Stopped(number)

    signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
