"""The parameters of a reference tree, and by how much a split must be ahead, written from the definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

from reference_gains import gain_variance, is_nearly_normal


@dataclass(frozen=True)
class Options:
    """The parameters of a tree, by the names that they have in the core."""

    growth: str = "hoeffding"
    criterion: str = "entropy"
    split_test: str = "hoeffding"
    delta: float = 1e-7
    tau: float = 0.05
    grace_period: int = 1
    min_samples_reevaluate: int = 20
    min_gain: float = 0.0
    max_depth: int | None = None
    max_leaves: int | None = None
    leaf_prediction: str = "adaptive"
    revision: str = "replace"

    def of_core(self) -> dict[str, Any]:
        """Return what a tree of the core is made with: only some growths make splits anew."""
        revises = self.growth in {"extremely_fast", "streaming"}
        return {name: value for name, value in asdict(self).items() if revises or name != "revision"}

    @property
    def half_life(self) -> int | None:
        """The points after which what a leaf knows of its models counts half; None for learners without one."""
        return None


def bound(options: Options, of_class: Sequence[int], compared: Sequence[Sequence[int]]) -> float:
    """Return by how much a gain must be ahead; `compared` holds where the features that are compared are on."""
    n = sum(of_class)
    if options.split_test == "gaussian":
        if not all(is_nearly_normal(on, of_class) for on in compared):
            return math.inf
        variance = sum(gain_variance(on, of_class, options.criterion) for on in compared)
        return -NormalDist().inv_cdf(options.delta) * math.sqrt(variance / n)
    k = max(2, sum(count > 0 for count in of_class))
    if options.split_test == "hoeffding":
        spread = math.log2(k) if options.criterion == "entropy" else 1.0
    elif options.criterion == "entropy":
        spread = 6 * (k * math.log2(math.e * n) + math.log2(2 * n)) + 2 * math.log2(k)
    else:
        spread = 8.0
    return spread * math.sqrt(math.log(1 / options.delta) / (2 * n))
