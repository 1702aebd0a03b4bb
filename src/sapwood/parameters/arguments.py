"""The keywords of the constructors and their types, for type checkers and editors.

Which of them a class has, in which order and with which defaults, is said by `TREES`; the tests hold the two equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np

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
    "AdaptiveSizeForestArguments",
    "AdaptiveSizeTreeArguments",
    "AdaptiveTreeArguments",
    "DynamicTreeArguments",
    "HoeffdingForestArguments",
    "HoeffdingTreeArguments",
    "RevisingTreeArguments",
    "StreamingForestArguments",
    "StreamingTreeArguments",
    "WindowTreeArguments",
]


class _OfAll(TypedDict, total=False):
    """Those of every learner."""

    criterion: Criterion
    search: Search
    delta: float
    min_gain: float
    max_depth: int | None
    max_bytes: int | None
    leaf_prediction: LeafPrediction
    binarize: float | None


class _OfStreams(_OfAll, total=False):
    """Those of every learner that takes its points as they come and does not hold them."""

    alpha: float
    split_test: SplitTest
    max_leaves: int | None
    max_name_bytes: int | None
    sparse_numbers: bool
    class_weight: ClassWeight | None
    shuffle: bool
    random_state: int | np.random.RandomState | None


class _OfChange(TypedDict, total=False):
    """Those of every tree that follows a stream which changes."""

    window_size: int
    swap_delta: float
    patience: int
    half_life: int | None


class _OfForests(TypedDict, total=False):
    """Those of every forest."""

    n_estimators: int
    lambda_value: float
    max_features: float
    subspace: Subspace
    combining: Combining
    on_drift: OnDrift
    warning_delta: float
    drift_delta: float
    n_jobs: int | None


class _OfSize(TypedDict, total=False):
    """Those of every learner whose trees are cut."""

    max_size: int
    when_full: WhenFull


class HoeffdingTreeArguments(_OfStreams, total=False):
    """Those of `HoeffdingTreeClassifier`."""

    tau: float
    grace_period: int


class RevisingTreeArguments(HoeffdingTreeArguments, total=False):
    """Those of `ExtremelyFastDecisionTreeClassifier`."""

    min_samples_reevaluate: int
    revision: Revision


class WindowTreeArguments(HoeffdingTreeArguments, _OfChange, total=False):
    """Those of `SlidingWindowTreeClassifier`."""

    min_samples_reevaluate: int
    drift_delta: float


class AdaptiveTreeArguments(HoeffdingTreeArguments, _OfChange, total=False):
    """Those of `HoeffdingAdaptiveTreeClassifier`."""

    drift_delta: float


class StreamingTreeArguments(_OfStreams, _OfChange, total=False):
    """Those of `StreamingTreeClassifier`."""

    min_samples_reevaluate: int
    revision: Revision
    drift: bool
    drift_delta: float
    batch_growth: bool
    sub_batches: int


class DynamicTreeArguments(_OfAll, total=False):
    """Those of `DynamicTreeClassifier`."""

    beta: float
    lazy: bool
    stopping: Stopping
    min_samples: int


class StreamingForestArguments(_OfStreams, _OfForests, total=False):
    """Those of `StreamingForestClassifier`."""

    min_samples_reevaluate: int


class HoeffdingForestArguments(HoeffdingTreeArguments, _OfForests, total=False):
    """Those of the published forests, but for what trees of a largest size add."""


class AdaptiveSizeTreeArguments(HoeffdingTreeArguments, _OfSize, total=False):
    """Those of `AdaptiveSizeHoeffdingTreeClassifier`."""


class AdaptiveSizeForestArguments(HoeffdingForestArguments, _OfSize, total=False):
    """Those of `ASHTBaggingClassifier`."""
