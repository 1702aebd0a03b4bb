"""How numbers of things are told, in messages, texts and pages alike."""

from __future__ import annotations

__all__ = ["counted"]


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number of things as text: 1 point, 2,000 points."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
