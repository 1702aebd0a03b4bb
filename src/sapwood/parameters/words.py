"""The words that parameters take, as types."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Literal, TypeAlias

__all__ = [
    "ClassWeight",
    "Combining",
    "Criterion",
    "LeafPrediction",
    "OnDrift",
    "Revision",
    "Search",
    "SplitTest",
    "Stopping",
    "Subspace",
    "WhenFull",
]

Criterion = Literal["entropy", "gini", "kearns_mansour"]
Search = Literal["certified", "exhaustive", "approximate"]
SplitTest = Literal["hoeffding", "mcdiarmid", "gaussian", "evidence"]
LeafPrediction = Literal["mixed", "adaptive", "majority", "naive_bayes", "logistic"]
Revision = Literal["replace", "restructure"]
Stopping = Literal["evidence", "none"]
Subspace = Literal["tree", "node"]
Combining = Literal["mixed", "votes", "accuracy", "inverse_error"]
WhenFull = Literal["drop_root", "reset"]
OnDrift = Literal["nothing", "swap", "reset_worst"]
ClassWeight: TypeAlias = Mapping[Hashable, float] | Literal["balanced"]
