"""Tasks in threads of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable


def run_all(tasks: list[Callable[[], None]]) -> None:
    """Run tasks in threads of their own; fail if one raises or does not come to an end."""
    failures: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as failure:  # noqa: BLE001 - handed on to the main thread below
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(t,), daemon=True) for t in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads), "a thread is stuck"
    if failures:
        raise failures[0]
