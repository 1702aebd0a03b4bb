"""What there is to choose from: learners, leaves, searches and split tests, and options that make trees grow."""

from __future__ import annotations

from functools import partial
from typing import Any

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier

# Points in the order given, whichever way they come, and the leaves that were the default when digests were recorded.
AS_RECORDED: dict[str, Any] = {"shuffle": False, "leaf_prediction": "adaptive"}
LEARNERS: dict[str, Any] = {
    "vfdt": partial(HoeffdingTreeClassifier, **AS_RECORDED),
    "efdt": partial(ExtremelyFastDecisionTreeClassifier, **AS_RECORDED),
}
LEAVES = ("adaptive", "majority", "naive_bayes", "logistic")
# Parameters that there were none of when the digests were recorded; what they are by default changes nothing.
NEW_PARAMETERS = ("class_weight", "max_name_bytes", "revision", "shuffle")
IN_BYTES = ("tree_bytes", "vocabulary_bytes", "bytes", "bytes_per_point")
# What a criterion and a number of classes leave to choose from.
SEARCHES = {
    ("entropy", 2): ("certified", "exhaustive", "approximate"),
    ("entropy", 3): ("certified", "exhaustive"),
    ("entropy", 5): ("certified", "exhaustive"),
    ("gini", 2): ("certified", "exhaustive", "approximate"),
    ("gini", 3): ("certified", "exhaustive"),
    ("gini", 5): ("certified", "exhaustive"),
    ("kearns_mansour", 2): ("certified", "exhaustive"),
}
TESTS = {
    "entropy": ("hoeffding", "mcdiarmid", "gaussian"),
    "gini": ("hoeffding", "mcdiarmid", "gaussian"),
    "kearns_mansour": ("hoeffding", "gaussian"),
}
BOLD = {"delta": 0.2, "tau": 0.2}
# McDiarmid's bound is far wider: with the usual tau a short stream decides nothing.
BOLD_FOR = {("mcdiarmid", "entropy"): {"delta": 0.3, "tau": 15.0}, ("mcdiarmid", "gini"): {"delta": 0.3, "tau": 0.6}}
