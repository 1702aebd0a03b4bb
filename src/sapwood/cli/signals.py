"""Ctrl-C and SIGTERM that let the work at hand be finished and saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Interrupted", "StopSignals"]


class Interrupted(BaseException):
    """A signal that came while the stream was waited for."""


class StopSignals:
    """Within it, SIGINT and SIGTERM are remembered in `number`; a second SIGINT has its usual effect.

    Whoever waits does so within `waiting`, which a signal breaks with Interrupted.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        # Only the main thread may.
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark a time at which nothing is lost if it is broken off."""
        self._waiting = True
        try:
            # A signal that came just before.
            if self.number is not None:
                raise Interrupted
            yield
        finally:
            self._waiting = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.number is not None and number == signal.SIGINT:
            signal.default_int_handler(number, frame)
        self.number = number
        if self._waiting:
            self._waiting = False
            raise Interrupted
