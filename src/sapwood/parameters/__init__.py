"""The parameters of the trees and forests, each written once.

`PARAMETERS` is the table of all parameters: name, type, constraint, default and, in one sentence, meaning. The
constructors of the estimators, their documentation, the options of the command line, the validation and the model files
all follow from it. `TREES` is the table of the learners: how each grows, its names in Python and on the command line,
and its parameters.

To add a split test, a leaf prediction, a criterion or a search is to add a word to its ``Literal``; to add a learner, a
row to `TREES`. Nothing here is slow to import: the command line tells of its options without a learner.
"""

from sapwood.parameters.learners import NOT_OF_BATCHES, ONLY_WITH_DRIFT, TREES, TreeKind, tree_called, tree_grown_by
from sapwood.parameters.parameter import Parameter
from sapwood.parameters.table import MAY_CHANGE, PARAMETERS, parameter
from sapwood.parameters.telling import described, refuse_unknown, signature
from sapwood.parameters.values import Flag, Number, OfClasses, Seed, Whole, Word, is_random_state
from sapwood.parameters.words import (
    ClassWeight,
    Combining,
    Criterion,
    LeafPrediction,
    OnDrift,
    Revision,
    Search,
    SplitTest,
    Stopping,
    Subspace,
    WhenFull,
)

__all__ = [
    "MAY_CHANGE",
    "NOT_OF_BATCHES",
    "ONLY_WITH_DRIFT",
    "PARAMETERS",
    "TREES",
    "ClassWeight",
    "Combining",
    "Criterion",
    "Flag",
    "LeafPrediction",
    "Number",
    "OfClasses",
    "OnDrift",
    "Parameter",
    "Revision",
    "Search",
    "Seed",
    "SplitTest",
    "Stopping",
    "Subspace",
    "TreeKind",
    "WhenFull",
    "Whole",
    "Word",
    "described",
    "is_random_state",
    "parameter",
    "refuse_unknown",
    "signature",
    "tree_called",
    "tree_grown_by",
]
