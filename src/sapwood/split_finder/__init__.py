"""The split search on its own, as a Python object."""

from sapwood import _core
from sapwood.parameters import Criterion, Search
from sapwood.split_finder.answers import Above, Among, Asked, Counts, FinderCounts, Present, Split, Trace
from sapwood.split_finder.finder import SplitFinder

__all__ = [
    "CRITERIA",
    "SEARCHES",
    "Above",
    "Among",
    "Asked",
    "Counts",
    "FinderCounts",
    "Present",
    "Split",
    "SplitFinder",
    "Trace",
]

CRITERIA: tuple[Criterion, ...] = _core.CRITERIA
"""The impurity measures that score a split."""

SEARCHES: tuple[Search, ...] = _core.SEARCHES
"""The searches for the best split. Not every search takes every criterion: see SplitFinder."""
