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
    """The lock of a model that another thread held to change it when the process was forked."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def __enter__(self) -> NoReturn:
        raise RuntimeError(
            f"{self._owner}: the model must not be used in this process, which was forked while another thread "
            "changed the model: load or copy it before the fork, or fork while nobody learns"
        )

    def __exit__(self, *_: object) -> None:
        """Do nothing: it was never entered."""


def _after_fork() -> None:
    for learner in list(_learners):
        if _is_held(learner.lock):
            learner.lock = _Abandoned(learner.owner)
        model: Any = getattr(learner, "model", None)
        # A model that forgets has a lock of its own, which those who read hold as well: they have changed nothing.
        if _is_held(getattr(model, "numbering", None)):
            model.numbering = _Abandoned(learner.owner) if model.is_renumbering else threading.RLock()


def _is_held(lock: Any) -> bool:
    """Return whether a thread that is gone holds a lock."""
    if lock is None or isinstance(lock, _Abandoned):
        return False
    if lock.acquire(blocking=False):
        lock.release()
        return False
    return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
