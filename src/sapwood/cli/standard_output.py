"""Standard output as a pipe whose reader may have stopped reading: a signal ends the wait for it."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from sapwood.cli.signals import StopSignals

__all__ = ["standard_output"]

# So long a reader that takes nothing is waited for once there was a signal: with what else there is to end, a second.
PATIENCE = 0.5


class _StandardOutput(io.RawIOBase):
    """Of what a call of `write` is given it writes the first bytes, and returns how many."""

    def __init__(self, signals: StopSignals) -> None:
        super().__init__()
        self._signals = signals
        # As much as a pipe that has room for anything takes at once.
        self._most = None if _is_plain_file() else select.PIPE_BUF if hasattr(select, "PIPE_BUF") else 512

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, text: memoryview) -> int:  # type: ignore[override]
        """Write the first bytes of a text, and return how many; raise Stopped after a signal if nobody takes any."""
        while self._most is not None and not _has_room(PATIENCE):
            self._signals.check("while nobody took what was written")
        written: int = sys.stdout.buffer.write(text[: self._most])
        sys.stdout.buffer.flush()
        return written


def standard_output(signals: StopSignals) -> BinaryIO:
    """Return standard output as a file of bytes whose reader need not go on reading.

    Within `StopSignals`, a signal breaks nothing off: a reader is given all of a text, however slowly it takes it. One
    that takes nothing at all, such as a pager that waits for a key, would keep the command from ending: it is left, and
    `Stopped` is raised.
    """
    return cast("BinaryIO", _StandardOutput(signals))


def _has_room(seconds: float) -> bool:
    """Whether some bytes can be written to standard output within so many seconds, or nobody can tell."""
    try:
        return bool(select.select([], [sys.stdout.fileno()], [], seconds)[1])
    except (OSError, ValueError):  # what is no file, as in a test; or the system tells it of sockets alone
        return True


def _is_plain_file() -> bool:
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return True
