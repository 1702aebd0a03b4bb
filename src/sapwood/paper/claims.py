"""What the paper says, beside what was measured."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Claim", "tally"]


class Claim(NamedTuple):
    """A statement of the paper, or one that sapwood adds, and whether the measurements bear it out."""

    text: str
    paper: str
    """What the paper gives for it; a dash where it gives no number."""
    here: str
    """What was measured."""
    holds: bool | None
    """Computed from the measurements; None where they cannot tell."""
    ours: bool = False
    """Whether it is sapwood that says so, not the paper."""

    @property
    def verdict(self) -> str:
        """Yes, no, or a dash."""
        return "–" if self.holds is None else "yes" if self.holds else "no"


def tally(claims: list[Claim]) -> str:
    """Return how many claims hold, in a sentence."""
    judged = [claim for claim in claims if claim.holds is not None]
    held = sum(bool(claim.holds) for claim in judged)
    open_ones = len(claims) - len(judged)
    rest = f"; {open_ones} could not be judged" if open_ones else ""
    return f"{held} of {len(judged)} claims hold{rest}"
