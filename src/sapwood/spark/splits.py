"""The best splits of a DataFrame."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sapwood.spark.columns import Columns
from sapwood.spark.counting import NAMED, namer
from sapwood.spark.grower import Grower
from sapwood.spark.learning import counted
from sapwood.split_finder import SplitFinder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from sapwood.parameters import Criterion

__all__ = ["FoundSplit", "best_splits"]

_FIRST_TEXT = 1 << 63


class FoundSplit(NamedTuple):
    """A feature and how well it splits the rows of a DataFrame."""

    feature: int | str
    """The feature: the number of a column, or a text."""
    gain: float
    """The impurity that the split removes per row. Larger is better."""
    counts: tuple[tuple[int, ...], tuple[int, ...]]
    """``counts[v][k]``: the number of rows of class k in which the feature is off (0) or on (1)."""


def best_splits(
    frame: DataFrame,
    k: int = 10,
    *,
    features: str = "features",
    label: str = "label",
    weight: str | None = None,
    classes: Sequence[Hashable],
    criterion: Criterion = "entropy",
    reducers: int | None = None,
) -> list[FoundSplit]:
    """Return the k best splits of the rows of a DataFrame, best first: exact, by merging what workers have counted.

    They are those that ``SplitFinder.top`` finds of the same rows. Among equal gains the smaller column comes first,
    or the text with the smaller hash.

    Parameters
    ----------
    frame
        The rows.
    k
        How many splits; fewer are returned where fewer features were seen.
    features, label, weight, classes
        As ``SparkTreeClassifier`` has them; here a row is counted as often as its weight says.
    criterion
        The impurity measure.
    reducers
        As ``SparkTreeClassifier`` has it.
    """
    # The router of a tree that is a single leaf counts all rows in one place.
    parameters = {
        **dict.fromkeys(("max_depth", "max_leaves", "max_bytes", "class_weight", "random_state")),
        "criterion": criterion,
        "split_test": "hoeffding",
        "leaf_prediction": "majority",
        "search": "exhaustive",
        "batch_growth": True,
    }
    if not isinstance(features, str):
        raise ValueError(f"best_splits: features must be one column, of flags, got {features!r}")
    grower = Grower(parameters, classes, "best_splits")
    columns = Columns(features, label, grower.classes, "best_splits", weight=weight)
    narrow = frame.select(*columns.names)
    counts, _, _ = counted(narrow, [grower.sent()], columns, reducers=reducers)
    if not counts or counts[0].delta.n_met() == 0:
        return []
    delta = counts[0].delta
    of_class, _, ids, labels, n_on = delta.counts()
    seen, places = np.unique(ids, return_inverse=True)
    on = np.zeros((len(grower.classes), len(seen)), dtype=np.int32)
    on[labels, places] = n_on
    # By the place of their ids: texts have ids beyond those that a finder takes, in the same order.
    finder = SplitFinder(criterion, "exhaustive", n_classes=max(2, len(grower.classes)))
    (totals,) = of_class.values()
    padded = np.zeros((finder.n_classes, len(seen)), dtype=np.int32)
    padded[: len(on)] = on
    finder.add_counts(np.array(totals, dtype=np.int32), np.arange(len(seen), dtype=np.int32), padded)
    found = finder.top(k)
    wanted = np.array([seen[split.feature_id] for split in found], dtype=np.uint64)
    names: dict[int, str] = {}
    if len(wanted) and int(wanted.max()) >= _FIRST_TEXT:
        rows = narrow.select(features).mapInArrow(namer(wanted, features), NAMED).collect()
        names = {int(np.int64(row["id"]).view(np.uint64)): row["name"] for row in rows}
    return [
        FoundSplit(names.get(int(each), int(each)), split.gain, split.counts)
        for each, split in zip(wanted, found, strict=True)
    ]
