"""Text that may hold what cannot be written in UTF-8, as JSON can say it, or what a terminal would obey."""

from __future__ import annotations

import re

__all__ = ["in_unicode", "is_unicode", "printable"]

_HALVES = re.compile("[\ud800-\udfff]")


def is_unicode(text: str) -> bool:
    """Whether a text can be written in UTF-8."""
    return _HALVES.search(text) is None


def in_unicode(text: str) -> str:
    r"""Return a text that UTF-8 can write: halves of surrogate pairs are named as Python and JSON do, ``\ud800``."""
    return _HALVES.sub(lambda half: ascii(half.group())[1:-1], text)


def printable(text: str, also: str = "") -> str:
    r"""Return a text with all that is not printed, but for these signs, named as Python does: ``\x1b``, ``\ud800``."""
    return "".join(sign if sign.isprintable() or sign in also else ascii(sign)[1:-1] for sign in text)
