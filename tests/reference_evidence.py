"""The test by evidence and the selection test, from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence

# The features of the largest gain whose evidence is looked at.
N_LOOKED_AT = 4
# A feature has a rank from this occurrence on.
OCCURRENCES_FOR_RANK = 3


def log_kt(counts: Sequence[int]) -> float:
    """Return ln of the probability that Krichevsky and Trofimov give to a sequence of labels with these counts."""
    half_of_classes = len(counts) / 2
    return (
        sum(math.lgamma(count + 0.5) - math.lgamma(0.5) for count in counts)
        + math.lgamma(half_of_classes)
        - math.lgamma(sum(counts) + half_of_classes)
    )


def log_evidence(on: Sequence[int], of_class: Sequence[int]) -> float:
    """Return how much better the labels are foretold by one who looks at the feature, in nats."""
    n = sum(of_class)
    off = [c - a for c, a in zip(of_class, on, strict=True)]
    return log_kt(on) + log_kt(off) - sum(c * math.log(c / n) for c in of_class if c > 0)


def penalty(rank: int) -> float:
    """Return what the r-th of a list pays, r = 1, 2, ...: the inverses of all sum to less than 1."""
    return 2.11 * (rank + 1) * math.log(rank + 2) ** 2


def needed(delta: float, leaf: int, rank: int) -> float:
    """Return ln(1 / share of delta) for a feature of a leaf; both are numbered from 1."""
    return math.log(penalty(leaf) * penalty(rank) / delta)


def selection_radius(variance: float, n: int, need: float) -> float:
    """Return how far a gain can be from the true one: the boundary of Robbins' normal mixture."""
    rho = 100
    return math.sqrt(variance * (n + rho) * (math.log((n + rho) / rho) + 2 * need)) / n


def rarity(n: int) -> int:
    """Return r for one in 2^r points: of the point after n others, by the finaliser of splitmix64."""
    word = 2**64 - 1
    x = (n + 0x9E3779B97F4A7C15) & word
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & word
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & word
    x ^= x >> 31
    return (x & -x).bit_length() - 1 if x else 64


def rarity_counted(counted: int) -> int:
    """Return how rare a point must be for an inner node to count it: 3, and 1 more per doubling from 1024 on."""
    return 3 if counted < 1024 else 4 + int(math.log2(counted // 1024))
