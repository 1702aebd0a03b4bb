"""Decision trees and forests from streams, sparse or mixed, that know the best split after every point.

Names and submodules are loaded on first use, so the command line prints its help without importing scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.forests import (
        AdaptiveRandomForestClassifier,
        ADWINBaggingClassifier,
        ASHTBaggingClassifier,
        LeveragingBaggingClassifier,
        OnlineBaggingClassifier,
        StreamingForestClassifier,
        StreamingRandomPatchesClassifier,
    )
    from sapwood.split_finder import CRITERIA, SEARCHES, Above, Among, Present, Split, SplitFinder, Trace
    from sapwood.trees import (
        AdaptiveSizeHoeffdingTreeClassifier,
        DynamicTreeClassifier,
        ExtremelyFastDecisionTreeClassifier,
        HoeffdingAdaptiveTreeClassifier,
        HoeffdingTreeClassifier,
        SlidingWindowTreeClassifier,
        StreamingTreeClassifier,
        load_model,
    )

    __version__: str

__all__ = [
    "CRITERIA",
    "SEARCHES",
    "ADWINBaggingClassifier",
    "ASHTBaggingClassifier",
    "Above",
    "AdaptiveRandomForestClassifier",
    "AdaptiveSizeHoeffdingTreeClassifier",
    "Among",
    "DynamicTreeClassifier",
    "ExtremelyFastDecisionTreeClassifier",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "LeveragingBaggingClassifier",
    "OnlineBaggingClassifier",
    "Present",
    "SlidingWindowTreeClassifier",
    "Split",
    "SplitFinder",
    "StreamingForestClassifier",
    "StreamingRandomPatchesClassifier",
    "StreamingTreeClassifier",
    "Trace",
    "__version__",
    "load_model",
]

_OF_TREES = {
    "AdaptiveSizeHoeffdingTreeClassifier",
    "DynamicTreeClassifier",
    "ExtremelyFastDecisionTreeClassifier",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "SlidingWindowTreeClassifier",
    "StreamingTreeClassifier",
    "load_model",
}
_OF_FORESTS = {
    "ASHTBaggingClassifier",
    "ADWINBaggingClassifier",
    "AdaptiveRandomForestClassifier",
    "LeveragingBaggingClassifier",
    "OnlineBaggingClassifier",
    "StreamingForestClassifier",
    "StreamingRandomPatchesClassifier",
}
_SUBMODULES = (
    "checkpoint",
    "classic",
    "data",
    "datasets",
    "drift",
    "evaluate",
    "exceptions",
    "export",
    "forests",
    "inspect",
    "learner",
    "paper",
    "parameters",
    "race",
    "river",
    "split_finder",
    "stream",
    "style",
    "trees",
)
"""The public modules; others are below the faces (`estimators`, `model_files`), or for programs (`cli`, `demo`)."""


def __getattr__(name: str) -> Any:
    """Load a public name, which is then there for good (PEP 562)."""
    if name in _SUBMODULES:
        return import_module(f"sapwood.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("sapwood")
    else:
        module = "trees" if name in _OF_TREES else "forests" if name in _OF_FORESTS else "split_finder"
        found = getattr(import_module(f"sapwood.{module}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES})
