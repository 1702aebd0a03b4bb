"""The locks of learners, and what becomes of them when the process is forked."""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

if TYPE_CHECKING:
    from sapwood.learner.learner import TreeLearner

__all__ = ["Lock", "new_lock"]

Lock: TypeAlias = "AbstractContextManager[Any]"

_learners: weakref.WeakSet[TreeLearner] = weakref.WeakSet()


def new_lock(learner: TreeLearner) -> Lock:
    """Return a lock for a learner; in a child process it is free, or says why it never will be."""
    _learners.add(learner)
    return threading.RLock()


class _Abandoned(AbstractContextManager[Any]):
    """The lock that another thread held when the process was forked: nobody is left to let it go."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def __enter__(self) -> NoReturn:
        raise RuntimeError(
            f"{self._owner}: the model must not be changed in this process, which was forked while another thread "
            "changed the model: load or copy it before the fork, or fork while nobody learns"
        )

    def __exit__(self, *_: object) -> None:
        """Do nothing: it was never entered."""


def _after_fork() -> None:
    for learner in list(_learners):
        lock: Any = learner.lock
        if isinstance(lock, _Abandoned):
            continue
        if lock.acquire(blocking=False):
            lock.release()
        else:
            learner.lock = _Abandoned(learner.owner)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
