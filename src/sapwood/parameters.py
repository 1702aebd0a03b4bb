"""The parameters of the trees and forests, each written once.

`PARAMETERS` is the table of all parameters: name, type, constraint, default and, in one sentence, meaning. The
constructors of the estimators, their documentation, the options of the command line, the validation and the model files
all follow from it. `TREES` is the table of the learners: how each grows, its names in Python and on the command line,
and its parameters.

To add a split test, a leaf prediction, a criterion or a search is to add a word to its ``Literal``; to add a learner, a
row to `TREES`. Nothing here is slow to import: the command line tells of its options without a learner.
"""

from __future__ import annotations

import difflib
import math
import sys
import textwrap
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, get_args

__all__ = [
    "PARAMETERS",
    "TREES",
    "ClassWeight",
    "Combining",
    "Criterion",
    "LeafPrediction",
    "OnDrift",
    "Parameter",
    "Search",
    "SplitTest",
    "Stopping",
    "Subspace",
    "TreeKind",
    "described",
    "is_random_state",
    "parameter",
    "refuse_unknown",
    "tree_called",
    "tree_grown_by",
]

Criterion = Literal["entropy", "gini", "kearns_mansour"]
Search = Literal["certified", "exhaustive", "approximate"]
SplitTest = Literal["hoeffding", "mcdiarmid", "gaussian", "evidence"]
LeafPrediction = Literal["mixed", "adaptive", "majority", "naive_bayes", "logistic"]
Stopping = Literal["evidence", "none"]
Subspace = Literal["tree", "node"]
Combining = Literal["mixed", "votes", "accuracy"]
OnDrift = Literal["nothing", "swap", "reset_worst"]
ClassWeight: TypeAlias = Mapping[Hashable, float] | Literal["balanced"]

_LARGEST_COUNT = 2**31 - 1  # of the core's counts, which are 32 bits wide
_LARGEST_LIMIT = 2**63 - 1
_LARGEST_SEED = 2**32 - 1  # of NumPy's RandomState


# ---- what a value may be ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Word:
    """One of a few words."""

    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The type, for documentation."""
        return "{" + ", ".join(f'"{word}"' for word in self.words) + "}"

    def check(self, name: str, value: Any) -> str:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, got {value!r}")
        if value not in self.words:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, self.words))}, got {str(value)!r}")
        return str(value)


@dataclass(frozen=True)
class Number:
    """A finite number."""

    least: float = -math.inf
    largest: float = math.inf
    between: tuple[float, float] | None = None
    """Open bounds, if there are any."""
    optional: bool = False
    text: str = "float"

    def check(self, name: str, value: Any) -> float | None:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number{' or None' if self.optional else ''}, got {value!r}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValueError(f"{name} must be finite, got {value!r}")
        if self.between is not None and not self.between[0] < number < self.between[1]:
            raise ValueError(
                f"{name} must be between {self.between[0]:g} and {self.between[1]:g}, got {_plain(number)}"
            )
        if number < self.least:
            raise ValueError(f"{name} must be a finite number of at least {self.least:g}, got {_plain(number)}")
        if number > self.largest:
            raise ValueError(f"{name} must be at most {self.largest:g}, got {_plain(number)}")
        return number


def _plain(number: float) -> str:
    return repr(number).removesuffix(".0")


@dataclass(frozen=True)
class Whole:
    """An integer."""

    least: int
    largest: int
    optional: bool = False
    text: str = "int"

    def check(self, name: str, value: Any) -> int | None:
        """Return the value in the type of the core; raise TypeError or ValueError if it cannot be one."""
        if value is None and self.optional:
            return None
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} must be an integer{' or None' if self.optional else ''}, got {value!r}")
        number = int(value)
        if number < self.least:
            raise ValueError(f"{name} must be at least {self.least}, got {number}")
        if number > self.largest:
            raise ValueError(f"{name} must be at most {self.largest}, got {number}")
        return number


@dataclass(frozen=True)
class Seed:
    """What chooses among equals: an integer, a RandomState to draw one from, or None."""

    text: str = "int or RandomState"
    optional: bool = True
    least: int = 0

    def check(self, name: str, value: Any) -> int | None:
        """Return the seed, None for none; raise TypeError or ValueError if it cannot be one."""
        if value is None:
            return None
        if is_random_state(value):
            return int(value.randint(_LARGEST_COUNT))
        if isinstance(value, bool) or not isinstance(value, Integral):
            raise TypeError(f"{name} must be an integer, a RandomState or None, got {value!r}")
        return Whole(self.least, _LARGEST_SEED).check(name, value)


@dataclass(frozen=True)
class Flag:
    """True or False."""

    text: str = "bool"

    def check(self, name: str, value: Any) -> bool:
        """Return the value in Python's own type; raise TypeError if it is none."""
        if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
            return bool(value)
        raise TypeError(f"{name} must be True or False, got {value!r}")


@dataclass(frozen=True)
class OfClasses:
    """Numbers of classes: a mapping, the word that stands for one, or None."""

    text: str = 'dict or "balanced"'

    def check(self, name: str, value: Any) -> dict[Hashable, float] | str | None:
        """Return the numbers in a mapping of its own; raise TypeError or ValueError if they cannot be any."""
        if value is None:
            return None
        if isinstance(value, str):
            if value == "balanced":
                return str(value)
            raise ValueError(f"{name} must be a dict, 'balanced' or None, got {str(value)!r}")
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} must be a dict, 'balanced' or None, got {value!r}")
        checked: dict[Hashable, float] = {}
        for label, each in value.items():
            if isinstance(each, bool) or not isinstance(each, Real):
                raise TypeError(f"{name} must hold numbers, got {each!r} for {label!r}")
            # Compared as it is: it may be beyond every float. NaN is in no range.
            if not 0 <= each <= _LARGEST_COUNT:  # type: ignore[operator]  # numbers can be compared
                raise ValueError(f"{name} must hold numbers from 0 to {_LARGEST_COUNT}, got {each!r} for {label!r}")
            checked[label] = float(each)
        return checked


def is_random_state(value: Any) -> bool:
    """Whether a value is a RandomState of NumPy's, whose random numbers are not loaded for the question."""
    random = sys.modules.get("numpy.random")
    return random is not None and isinstance(value, random.RandomState)


# ---- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """A parameter of a tree."""

    name: str
    annotation: str
    """Its type in the constructors."""
    value: Word | Number | Whole | Seed | Flag | OfClasses
    """What it may be."""
    default: Any
    sentence: str
    """What it means, for documentation and for the help of the command line."""
    more: str = ""
    """What else documentation says."""
    option: str | None = None
    """The option of the command line, if it is called otherwise; empty if commands that learn have none."""
    unset: str = ""
    """What the command line says of None, if None means more than that there is no limit."""
    is_of_core: bool = True
    """Whether the core has an option of this name."""
    is_of_fit: bool = False
    """Whether it is for all points at once, so that what learns from points as they come has no use for it."""
    is_of_matrices: bool = False
    """Whether it is for matrices, so that what learns from single points has no use for it."""
    is_left_out: bool = False
    """Whether the file of a model leaves it out at its default, because older files have none."""


PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        "n_estimators",
        "int",
        Whole(1, 1 << 16),
        10,
        "The number of trees.",
    ),
    Parameter(
        "lambda_value",
        "float",
        Number(least=0, largest=100),
        0.0,
        "The mean of the Poisson distribution of how often a tree learns a point; 0 is once each.",
        "The draws depend on the seed, the tree and the number of the point alone. They weigh points for counts and "
        "models, and are no evidence for a split.",
    ),
    Parameter(
        "max_features",
        "float",
        Number(least=1e-9, largest=1),
        0.6,
        "The share of the features that may be split on, above 0 and at most 1.",
        "A seeded hash of the feature draws it, so that features may be new at any time. Models of leaves see all "
        "features.",
    ),
    Parameter(
        "subspace",
        "Subspace",
        Word(get_args(Subspace)),
        "tree",
        "Whether each tree draws the features that may be split on, or each node.",
    ),
    Parameter(
        "combining",
        "Combining",
        Word(get_args(Combining)),
        "mixed",
        "How the answers of the trees become one.",
        "Mixed: a small regression of the stream weights their log-odds. Votes: each tree has one vote. Accuracy: the "
        "probabilities of each tree, times the share of points that it was right about.",
    ),
    Parameter(
        "on_drift",
        "OnDrift",
        Word(get_args(OnDrift)),
        "swap",
        "What happens when the error of a tree rises, as a detector of change (ADWIN) sees it.",
        "Swap: at a warning a tree begins to learn in the background, and at a drift it takes the place. Reset worst: "
        "at a drift of any tree, the one with the largest error starts anew. A forest of one tree is not watched.",
    ),
    Parameter(
        "warning_delta",
        "float",
        Number(between=(0, 1)),
        0.01,
        "The chance that a look at the error of a tree warns of a change where there is none.",
    ),
    Parameter(
        "criterion",
        "Criterion",
        Word(get_args(Criterion)),
        "entropy",
        "The impurity measure by which splits are scored.",
        'Entropy gains are in bits. "kearns_mansour" takes two classes only.',
    ),
    Parameter(
        "search",
        "Search",
        Word(get_args(Search)),
        "certified",
        "The search that finds the best split of a leaf.",
        "The first two are exact and make the same tree. The last takes two classes only and finds a split whose score "
        "is at most 1 + alpha times the best.",
    ),
    Parameter(
        "alpha",
        "float",
        Number(least=1e-6, largest=1e9),
        0.1,
        "The relative error allowed to the approximate search; other searches ignore it.",
    ),
    Parameter(
        "split_test",
        "SplitTest",
        Word(get_args(SplitTest)),
        "hoeffding",
        "The statistical test that decides when a split is made.",
        "Hoeffding's bound is the usual choice, although it is made for means, which gains are not. McDiarmid's bound "
        "[MCD]_ holds for the gains of entropy and Gini, and takes far more points. The Gaussian bound [GAU]_ uses the "
        "variances of the two gains. Evidence, for entropy, splits a leaf once *some* feature informs about the class "
        "there, with an error probability of delta for the whole tree at all times; it has no use for tau, and a point "
        "is one point, whatever its weight.",
    ),
    Parameter(
        "beta",
        "float",
        Number(least=0),
        0.0,
        "The regret allowed: how far the gain of a test may be below that of the best one.",
        "With 0 the tree is the one that a batch learner builds from the points held.",
    ),
    Parameter(
        "lazy",
        "bool",
        Flag(),
        True,
        "Whether the tree is put right when it is asked, and not after every point.",
        "The answers are the same.",
        option="",
    ),
    Parameter(
        "stopping",
        "Stopping",
        Word(get_args(Stopping)),
        "evidence",
        "What a node must show before it is split: evidence that a feature informs about the class, or nothing.",
        "Evidence is for entropy, and does not depend on the order of the points. Without it a tree grows until its "
        "leaves are pure, as that of ID3.",
    ),
    Parameter(
        "delta",
        "float",
        Number(between=(0, 0.5)),
        1e-7,
        "The error probability of a split test, between 0 and 0.5: of evidence for the whole tree, else for one test.",
    ),
    Parameter(
        "tau",
        "float",
        Number(least=0),
        0.05,
        "Two splits count as equally good, and the better one is made, once the bound is below this.",
    ),
    Parameter(
        "grace_period",
        "int",
        Whole(1, _LARGEST_COUNT),
        1,
        "The number of points between two split tests of a leaf; 1 tests after every point.",
    ),
    Parameter(
        "min_samples_reevaluate",
        "int",
        Whole(1, _LARGEST_COUNT),
        20,
        "The number of points between two checks of whether an inner node still has the best test.",
    ),
    Parameter(
        "min_gain",
        "float",
        Number(least=0),
        0.0,
        "The gain that a split must exceed to be made.",
    ),
    Parameter(
        "min_samples",
        "int",
        Whole(2, _LARGEST_COUNT),
        2,
        "The number of points that a node must have to be split.",
    ),
    Parameter(
        "max_depth",
        "int | None",
        Whole(0, _LARGEST_LIMIT, optional=True),
        None,
        "The maximum number of tests between the root and a leaf.",
    ),
    Parameter(
        "max_leaves",
        "int | None",
        Whole(1, _LARGEST_LIMIT, optional=True),
        None,
        "The maximum number of leaves.",
    ),
    Parameter(
        "max_bytes",
        "int | None",
        # Less has no room for a node that learns.
        Whole(1 << 16, _LARGEST_LIMIT, optional=True),
        None,
        "The maximum memory of the tree in bytes, which holds after every point.",
        "The nodes with the least to win stop looking for splits, and leaves start again when there is room. The names "
        "of the features are not counted.",
    ),
    Parameter(
        "leaf_prediction",
        "LeafPrediction",
        Word(get_args(LeafPrediction)),
        "mixed",
        "The model that predicts in a leaf.",
        "The majority class, naive Bayes over the active features, a logistic regression, if adaptive whichever of "
        "these has been right most often in the leaf, or if mixed all of them, weighted by a small regression of the "
        "leaf's own.",
    ),
    Parameter(
        "drift",
        "bool",
        Flag(),
        False,
        "Whether the tree follows a stream that changes.",
        "Every node then watches its errors, and where they have risen an alternate tree learns beside it, which takes "
        "its place when it predicts better. Growth by batches ignores it.",
    ),
    Parameter(
        "window_size",
        "int",
        Whole(1, _LARGEST_LIMIT),
        50_000,
        "The number of most recent points that are kept, from which nodes and alternates are made.",
    ),
    Parameter(
        "drift_delta",
        "float",
        Number(between=(0, 1)),
        0.002,
        "The chance that a look at the error of a node, or of a tree, finds a change where there is none.",
    ),
    Parameter(
        "swap_delta",
        "float",
        Number(between=(0, 1)),
        0.05,
        "The probability that an alternate is ever taken although it is no better, or dropped although no worse.",
    ),
    Parameter(
        "patience",
        "int",
        Whole(1, _LARGEST_LIMIT),
        10_000,
        "The number of points after which an alternate that has not won is dropped.",
        "In a sliding window, also the number of points before another begins beside the same node.",
    ),
    Parameter(
        "half_life",
        "int | None",
        Whole(1, _LARGEST_LIMIT, optional=True),
        10_000,
        "The number of points of a leaf after which what it has learned of its models counts half.",
        "Of leaves that mix, the weights of their models; of adaptive ones, how often each has been right. With None, "
        "all points count alike.",
    ),
    Parameter(
        "binarize",
        "float | None",
        Number(least=0, optional=True),
        0.0,
        "A feature of a sparse matrix is on where its number is greater than this.",
        "With None, every number must be 0 or 1. Dense arrays, tables and single points are not concerned: there a "
        "number is a number.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
    ),
    Parameter(
        "sparse_numbers",
        "bool",
        Flag(),
        False,
        "Whether the size of a number in a sparse matrix counts.",
        "A number above 1 then has the further feature that it is above 1, one above 2 also that it is above 2, and so "
        "on at powers of two, for counts of words and the like.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
    ),
    Parameter(
        "class_weight",
        "ClassWeight | None",
        OfClasses(),
        None,
        "The weight of each class, by which the weights of its points are multiplied.",
        "A class without one has the weight 1. Balanced, for fit alone: inverse to the share of the class among the "
        "points.",
        is_of_core=False,
    ),
    Parameter(
        "shuffle",
        "bool",
        Flag(),
        True,
        "Whether fit takes the points in random order.",
        "If not, and always in partial_fit and learn_one, they are taken in the order given.",
        option="",
        is_of_core=False,
        is_of_fit=True,
    ),
    Parameter(
        "batch_growth",
        "bool",
        Flag(),
        False,
        "Whether the tree grows between batches, so that it is a function of what each batch holds.",
        "The order of the rows of a call then leaves no trace, nor how they were divided among machines. Every leaf is "
        "asked once per batch and splits for good. It learns by fit and partial_fit, with leaves that predict by "
        "majority or naive Bayes, features that are flags, and whole weights.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
        is_left_out=True,
    ),
    Parameter(
        "sub_batches",
        "int",
        # Each is a pass over the batch.
        Whole(1, 1 << 16),
        1,
        "The number of parts of a batch that are learned one after the other with batch_growth; others ignore it.",
        "A leaf can split once per part. Which part a row belongs to is a hash of the row, not its place.",
        option="",
        is_of_core=False,
        is_of_matrices=True,
        is_left_out=True,
    ),
    Parameter(
        "n_jobs",
        "int | None",
        Whole(-(1 << 16), 1 << 16, optional=True),
        None,
        "The number of threads that learn; None is 1, and -1 all processors.",
        "What is learned does not depend on it.",
        unset="1",
        is_of_core=False,
    ),
    Parameter(
        "random_state",
        "int | np.random.RandomState | None",
        Seed(),
        None,
        "The seed of the order of points in fit, of the rounding of weights and of the choice between equal splits.",
        "With None, the seed is 0, and of splits that are equally good the feature that was seen first is taken.",
        option="seed",
        unset="0, and of equal splits that of the feature seen first",
        is_of_core=False,
    ),
)
"""Every parameter, in the order of the constructors."""

_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


@dataclass(frozen=True)
class TreeKind:
    """A learner: a tree, and how it grows."""

    name: str
    """The class of its estimator, and what it is called in the files of models."""
    growth: str
    """What the core calls it."""
    command: str
    """What the command line calls it."""
    sentence: str
    """What it is, for the help of the command line."""
    own: frozenset[str] = frozenset()
    """The parameters that not every learner has, and this one has."""
    defaults: tuple[tuple[str, object], ...] = ()
    """The defaults that are not those of the table, by the name of the parameter."""
    lacks: frozenset[str] = frozenset()
    """The parameters that the other learners have, and this one has not."""
    core: Literal["Tree", "DynamicTree", "Forest"] = "Tree"
    """The class of the core that it is made of."""
    without: frozenset[str] = frozenset()
    """The words that it does not take, of whatever parameter."""

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that it has, with its defaults."""
        others = frozenset().union(*(kind.own for kind in TREES)) - self.own | self.lacks
        defaults = dict(self.defaults)
        return tuple(
            replace(each, default=defaults.get(each.name, each.default), value=self._offered(each.value))
            for each in PARAMETERS
            if each.name not in others
        )

    def _offered(self, value: Word | Number | Whole | Seed | Flag | OfClasses) -> Any:
        if not isinstance(value, Word):
            return value
        return Word(tuple(word for word in value.words if word not in self.without))

    @property
    def parameters_of_streams(self) -> tuple[Parameter, ...]:
        """Those of a face that learns from points as they come, and never from all at once or from matrices."""
        return tuple(each for each in self.parameters if not each.is_of_fit and not self._is_of_matrices(each))

    def _is_of_matrices(self, each: Parameter) -> bool:
        return each.is_of_matrices and (self.takes_numbers or each.name != "binarize")

    def growth_for(self, parameters: Mapping[str, Any]) -> str:
        """How the core calls the growth that parameters choose."""
        return "batch" if parameters.get("batch_growth", False) else self.growth

    @property
    def takes_numbers(self) -> bool:
        """Whether it splits on numbers; to one that does not, a number is a flag, on where it exceeds `binarize`."""
        return self.core != "DynamicTree"


# What is not for points that are forgotten: bins that rely on counts which never fall, and a promise for all times.
_WITHOUT_REMOVAL = frozenset({"approximate", "evidence"})
# The parameters of all that follow a stream which changes, and of those that watch their errors.
_OF_CHANGE = ("window_size", "swap_delta", "patience", "half_life")
NOT_OF_BATCHES = frozenset({"drift", "drift_delta", *_OF_CHANGE})
"""The parameters that growth by batches ignores."""
ONLY_WITH_DRIFT = frozenset({"window_size", "drift_delta", "swap_delta", "patience"})
"""The parameters that a tree without drift ignores."""

_OF_FORESTS = frozenset(
    {
        "n_estimators",
        "lambda_value",
        "max_features",
        "subspace",
        "combining",
        "on_drift",
        "warning_delta",
        "drift_delta",
        "n_jobs",
    }
)

_OF_PUBLISHED = _OF_FORESTS | {"tau", "grace_period"}
# What the published forests have in common: leaves that answer with their best model.
_PUBLISHED: tuple[tuple[str, object], ...] = (("max_features", 1.0), ("leaf_prediction", "adaptive"))

TREES: tuple[TreeKind, ...] = (
    TreeKind(
        "StreamingTreeClassifier",
        "streaming",
        "tree",
        "a tree that splits on evidence, revises its splits and mixes its models",
        frozenset({"min_samples_reevaluate", "drift", "drift_delta", *_OF_CHANGE, "batch_growth", "sub_batches"}),
        (("split_test", "evidence"), ("delta", 0.05), ("window_size", 2_000)),
    ),
    TreeKind(
        "StreamingForestClassifier",
        "streaming",
        "forest",
        "a forest of such trees, whose answers are mixed",
        _OF_FORESTS | {"min_samples_reevaluate"},
        (("split_test", "evidence"), ("delta", 0.05), ("drift_delta", 0.001)),
        core="Forest",
    ),
    TreeKind("HoeffdingTreeClassifier", "hoeffding", "vfdt", "a Hoeffding tree", frozenset({"tau", "grace_period"})),
    TreeKind(
        "ExtremelyFastDecisionTreeClassifier",
        "extremely_fast",
        "efdt",
        "a tree that splits early and revises its splits later",
        frozenset({"tau", "grace_period", "min_samples_reevaluate"}),
    ),
    TreeKind(
        "DynamicTreeClassifier",
        "dynamic",
        "dynamic",
        "a tree that holds its points and can forget them",
        frozenset({"beta", "lazy", "stopping", "min_samples"}),
        (("delta", 0.05), ("leaf_prediction", "majority")),
        frozenset({"alpha", "split_test", "max_leaves", "class_weight", "shuffle", "random_state", "sparse_numbers"}),
        "DynamicTree",
    ),
    TreeKind(
        "SlidingWindowTreeClassifier",
        "windowed",
        "window",
        "the tree of the most recent points",
        frozenset({"tau", "grace_period", "min_samples_reevaluate", *_OF_CHANGE}),
        (("min_samples_reevaluate", 1), ("delta", 0.01), ("tau", 0.0)),
        without=_WITHOUT_REMOVAL,
    ),
    TreeKind(
        "HoeffdingAdaptiveTreeClassifier",
        "adaptive",
        "adaptive",
        "a Hoeffding tree that watches its errors and replaces what has become wrong",
        frozenset({"tau", "grace_period", "drift_delta", *_OF_CHANGE}),
        without=_WITHOUT_REMOVAL,
    ),
    TreeKind(
        "OnlineBaggingClassifier",
        "hoeffding",
        "bagging",
        "Hoeffding trees, each of which learns every point as often as a Poisson distribution draws",
        _OF_PUBLISHED,
        (*_PUBLISHED, ("lambda_value", 1.0), ("combining", "votes"), ("on_drift", "nothing"), ("grace_period", 200)),
        core="Forest",
    ),
    TreeKind(
        "ADWINBaggingClassifier",
        "hoeffding",
        "adwin-bagging",
        "the same, of which the worst starts anew when the error of one rises",
        _OF_PUBLISHED,
        (
            *_PUBLISHED,
            ("lambda_value", 1.0),
            ("combining", "votes"),
            ("on_drift", "reset_worst"),
            ("drift_delta", 0.002),
            ("grace_period", 200),
        ),
        core="Forest",
    ),
    TreeKind(
        "LeveragingBaggingClassifier",
        "hoeffding",
        "leveraging",
        "the same with more weight on every point",
        _OF_PUBLISHED,
        (
            *_PUBLISHED,
            ("lambda_value", 6.0),
            ("combining", "votes"),
            ("on_drift", "reset_worst"),
            ("drift_delta", 0.002),
            ("grace_period", 200),
        ),
        core="Forest",
    ),
    TreeKind(
        "AdaptiveRandomForestClassifier",
        "hoeffding",
        "arf",
        "Hoeffding trees whose nodes each draw the features to split on, with trees in the background",
        _OF_PUBLISHED,
        (
            *_PUBLISHED,
            ("lambda_value", 6.0),
            ("max_features", 0.6),
            ("subspace", "node"),
            ("combining", "accuracy"),
            ("drift_delta", 0.001),
            ("delta", 0.01),
            ("grace_period", 50),
        ),
        core="Forest",
    ),
    TreeKind(
        "StreamingRandomPatchesClassifier",
        "hoeffding",
        "srp",
        "Hoeffding trees that each draw the features to split on, with trees in the background",
        _OF_PUBLISHED,
        (
            *_PUBLISHED,
            ("lambda_value", 6.0),
            ("max_features", 0.6),
            ("combining", "accuracy"),
            ("warning_delta", 1e-4),
            ("drift_delta", 1e-5),
            ("delta", 0.01),
            ("grace_period", 50),
        ),
        core="Forest",
    ),
)
"""Every learner."""


def parameter(name: str) -> Parameter:
    """Return a parameter by its name."""
    return _BY_NAME[name]


def tree_grown_by(growth: str) -> TreeKind:
    """Return the learner of a single tree that grows in this way."""
    return next(kind for kind in TREES if kind.growth == growth and kind.core != "Forest")


def tree_called(name: str) -> TreeKind:
    """Return a learner by the name of its class, or by that of the command line."""
    return next(kind for kind in TREES if name in {kind.name, kind.command})


# ---- what users are told ---------------------------------------------------------------------------------------------


def described(parameters: Iterable[Parameter]) -> str:
    """Return the section of a docstring about parameters, as a class has it, but for its heading."""
    lines = []
    for each in parameters:
        lines.append(f"    {each.name} : {each.value.text}, default={_shown(each.default)}")
        text = f"{each.sentence} {each.more}".strip()
        lines += textwrap.wrap(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 8)
    return "\n".join(lines)


def _shown(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def refuse_unknown(owner: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError, in the words of the user, if a parameter is passed that there is none of."""
    names = list(known)
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the parameters are {', '.join(names)}"
            raise TypeError(f"{owner}: unexpected parameter {name!r}; {hint}")
