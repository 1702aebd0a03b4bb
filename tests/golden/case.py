"""A case of the golden digests, and the table of all cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Fields = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A case: its group and name, how its fields are computed, and what must be there for that."""

    group: str
    name: str
    compute: Callable[[], Fields]
    needs: str | None = None
    """An optional package."""
    file: str | None = None
    """A data set, in the folder of real data."""


CASES: dict[tuple[str, str], Case] = {}


def enter(group: str, name: str, compute: Callable[[], Fields], **needs: str | None) -> None:
    """Add a case."""
    assert (group, name) not in CASES, f"two cases are called {name}"
    CASES[group, name] = Case(group, name, compute, **needs)
