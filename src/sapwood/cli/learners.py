"""The options of commands that learn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from sapwood._tree_classifier import StreamingTreeClassifier

__all__ = ["Criterion", "Learner", "LearnerOptions", "Search"]


class Learner(str, Enum):
    """The learners."""

    vfdt = "vfdt"
    efdt = "efdt"


class Criterion(str, Enum):
    """The impurities."""

    entropy = "entropy"
    gini = "gini"
    kearns_mansour = "kearns_mansour"


class Search(str, Enum):
    """The searches."""

    certified = "certified"
    exhaustive = "exhaustive"
    approximate = "approximate"


class SplitTest(str, Enum):
    """What says that a split is better than another."""

    hoeffding = "hoeffding"
    mcdiarmid = "mcdiarmid"
    gaussian = "gaussian"


class LeafPrediction(str, Enum):
    """What answers for a leaf."""

    adaptive = "adaptive"
    majority = "majority"
    naive_bayes = "naive_bayes"
    logistic = "logistic"


@dataclass
class LearnerOptions:
    """Which tree, and how it grows."""

    learner: Annotated[
        Learner, typer.Option(help="vfdt: a Hoeffding tree. efdt: one that splits early and mends its tests later.")
    ] = Learner.vfdt
    criterion: Annotated[Criterion, typer.Option(help="The impurity that splits are judged by.")] = Criterion.entropy
    search: Annotated[Search, typer.Option(help="How the best split is found.")] = Search.certified
    alpha: Annotated[float, typer.Option(help="How far from the best an approximate split may be.")] = 0.1
    split_test: Annotated[SplitTest, typer.Option(help="What says that a split is better than another.")] = (
        SplitTest.hoeffding
    )
    delta: Annotated[float, typer.Option(help="The probability with which a single test of a split may err.")] = 1e-7
    tau: Annotated[float, typer.Option(help="A bound below this decides between splits that are as good.")] = 0.05
    grace_period: Annotated[int, typer.Option(min=1, help="Points between two looks at a leaf.")] = 1
    min_samples_reevaluate: Annotated[
        int | None, typer.Option(min=1, help="efdt: points between two looks at a test. [default: 20]")
    ] = None
    min_gain: Annotated[float, typer.Option(help="A split whose gain is not above this is not made.")] = 0.0
    max_depth: Annotated[int | None, typer.Option(min=0, help="The most tests between the root and a leaf.")] = None
    max_leaves: Annotated[int | None, typer.Option(min=1, help="The most leaves.")] = None
    max_bytes: Annotated[int | None, typer.Option(min=1, help="The memory that the tree may take.")] = None
    leaf_prediction: Annotated[LeafPrediction, typer.Option(help="What answers for a leaf.")] = LeafPrediction.adaptive
    seed: Annotated[
        int | None, typer.Option(min=0, help="Chooses among equally good splits. [default: the feature seen first]")
    ] = None

    def make(self, binarize: float | None) -> StreamingTreeClassifier:
        """Return a classifier that has learned nothing."""
        from sapwood.trees import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier

        options: dict[str, Any] = {
            "criterion": self.criterion.value,
            "search": self.search.value,
            "alpha": self.alpha,
            "split_test": self.split_test.value,
            "delta": self.delta,
            "tau": self.tau,
            "grace_period": self.grace_period,
            "min_gain": self.min_gain,
            "max_depth": self.max_depth,
            "max_leaves": self.max_leaves,
            "max_bytes": self.max_bytes,
            "leaf_prediction": self.leaf_prediction.value,
            "binarize": binarize,
            "random_state": self.seed,
        }
        if self.learner is Learner.efdt:
            if self.min_samples_reevaluate is not None:
                options["min_samples_reevaluate"] = self.min_samples_reevaluate
            return ExtremelyFastDecisionTreeClassifier(**options)
        if self.min_samples_reevaluate is not None:
            raise ValueError(
                f"--min-samples-reevaluate must be left out for --learner vfdt, got {self.min_samples_reevaluate}"
            )
        return HoeffdingTreeClassifier(**options)
