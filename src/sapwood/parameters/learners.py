"""The table of the learners: how each grows, its names in Python and on the command line, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sapwood.parameters.table import PARAMETERS
from sapwood.parameters.values import Word

if TYPE_CHECKING:
    from sapwood.parameters.parameter import Parameter
    from sapwood.parameters.values import Flag, Number, OfClasses, Seed, Whole

__all__ = ["NOT_OF_BATCHES", "ONLY_WITH_DRIFT", "TREES", "TreeKind", "tree_called", "tree_grown_by"]


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
NOT_OF_BATCHES = frozenset({"revision", "drift", "drift_delta", *_OF_CHANGE})
"""The parameters that growth by batches has no use for, and refuses."""
ONLY_WITH_DRIFT = frozenset({"window_size", "drift_delta", "swap_delta", "patience"})
"""The parameters that a tree without drift ignores."""

# The parameters of trees that are cut.
_OF_SIZE = frozenset({"max_size", "when_full"})

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
        frozenset(
            {"min_samples_reevaluate", "revision", "drift", "drift_delta", *_OF_CHANGE, "batch_growth", "sub_batches"}
        ),
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
        frozenset({"tau", "grace_period", "min_samples_reevaluate", "revision"}),
    ),
    TreeKind(
        "DynamicTreeClassifier",
        "dynamic",
        "dynamic",
        "a tree that holds its points and can forget them",
        frozenset({"beta", "lazy", "stopping", "min_samples"}),
        (("delta", 0.05), ("leaf_prediction", "majority")),
        frozenset(
            {
                "alpha",
                "split_test",
                "max_leaves",
                "max_name_bytes",
                "class_weight",
                "shuffle",
                "random_state",
                "sparse_numbers",
            }
        ),
        "DynamicTree",
    ),
    TreeKind(
        "SlidingWindowTreeClassifier",
        "windowed",
        "window",
        "the tree of the most recent points",
        frozenset({"tau", "grace_period", "min_samples_reevaluate", "drift_delta", *_OF_CHANGE}),
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
        "AdaptiveSizeHoeffdingTreeClassifier",
        "adaptive_size",
        "asht",
        "a Hoeffding tree that is cut when it has grown too large",
        frozenset({"tau", "grace_period"}) | _OF_SIZE,
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
        "ASHTBaggingClassifier",
        "adaptive_size",
        "asht-bagging",
        "the same of trees that are cut when they have grown too large, each at twice the size of the one before",
        _OF_PUBLISHED | _OF_SIZE,
        (
            *_PUBLISHED,
            ("lambda_value", 1.0),
            ("combining", "inverse_error"),
            ("on_drift", "nothing"),
            ("grace_period", 200),
            ("max_size", 2),
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


def tree_grown_by(growth: str) -> TreeKind:
    """Return the learner of a single tree that grows in this way."""
    return next(kind for kind in TREES if kind.growth == growth and kind.core != "Forest")


def tree_called(name: str) -> TreeKind:
    """Return a learner by the name of its class, or by that of the command line."""
    return next(kind for kind in TREES if name in {kind.name, kind.command})
