"""Progress on the standard error of a terminal, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sapwood.stream import Reader

__all__ = ["Show", "shown"]

_SECONDS_BETWEEN = 0.1


class Show(Protocol):
    """Shows progress, with a few words."""

    def __call__(self, words: str) -> None:
        """Show the words and the progress."""


@contextmanager
def shown(title: str, reader: Reader, *, quiet: bool, prints: bool = False) -> Iterator[Show]:
    """Show a bar of how much of a stream has been read; for a pipe, whose length is unknown, show activity.

    `prints` says that results are printed meanwhile. On the same terminal these show the progress themselves.
    """
    if quiet or not sys.stderr.isatty() or (prints and sys.stdout.isatty()):
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    # The output is not to be redirected to the terminal of the bar, as it would be otherwise.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(title, total=reader.total_bytes)
        told = -_SECONDS_BETWEEN

        def show(words: str) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told >= _SECONDS_BETWEEN:
                told = now
                bar.update(task, completed=reader.n_bytes, description=f"{title}: {words}")

        yield show


def _nothing(words: str) -> None:
    """Show nothing."""
