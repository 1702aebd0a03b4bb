"""Decision trees from streams of sparse data, with the best split current after every point."""

from importlib.metadata import version

from sapwood.split_finder import CRITERIA, SEARCHES, Split, SplitFinder, Trace
from sapwood.trees import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier, load_model

__version__ = version("sapwood")

__all__ = [
    "CRITERIA",
    "SEARCHES",
    "ExtremelyFastDecisionTreeClassifier",
    "HoeffdingTreeClassifier",
    "Split",
    "SplitFinder",
    "Trace",
    "__version__",
    "load_model",
]
