"""How often a point of some weight counts, from the definition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

WORD = 2**64 - 1


def uniform(seed: int) -> Iterator[float]:
    """Yield the random numbers by which weights are rounded: xoshiro256++, seeded as the documents say."""

    def mixed(word: int) -> int:
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
        return word ^ (word >> 31)

    def rotated(word: int, by: int) -> int:
        return ((word << by) | (word >> (64 - by))) & WORD

    words = (seed, int.from_bytes(b"weights", "big"), 0, 0)
    s = [mixed((word + 0x9E3779B97F4A7C15 * (i + 1)) & WORD) for i, word in enumerate(words)]
    while True:
        drawn = (rotated((s[0] + s[3]) & WORD, 23) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotated(s[3], 45)
        yield (drawn >> 11) / 2**53


class Weight(NamedTuple):
    """How often counts count a point, and its weight, which may be a fraction."""

    times: int
    exact: float


class WeightRounding:
    """Rounds weights at random, up with the probability of the fraction; a whole number draws nothing."""

    def __init__(self, seed: int = 0) -> None:
        self._numbers = uniform(seed)

    def rounded(self, weight: float) -> Weight:
        """Return a weight with how often it counts."""
        return Weight(math.floor(weight) + (weight % 1 > 0 and next(self._numbers) < weight % 1), weight)


def counts(weights: Iterable[float], seed: int) -> list[int]:
    """Return how often points of these weights count."""
    rounding = WeightRounding(seed)
    return [rounding.rounded(float(weight)).times for weight in weights]
