"""Text that may hold half of a surrogate pair, as JSON can say it, and which UTF-8 cannot write."""

from __future__ import annotations

import re

__all__ = ["in_unicode", "is_unicode"]

_HALVES = re.compile("[\ud800-\udfff]")


def is_unicode(text: str) -> bool:
    """Whether a text can be written in UTF-8."""
    return _HALVES.search(text) is None


def in_unicode(text: str) -> str:
    r"""Return a text that UTF-8 can write: halves of surrogate pairs are named as Python and JSON do, ``\ud800``."""
    return _HALVES.sub(lambda half: ascii(half.group())[1:-1], text)
