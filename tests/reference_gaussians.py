"""What a leaf of the reference tree knows of numbers as numbers: all values, and normal densities made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# The squared standard deviations that a value counts as away at the most; larger values are not looked at.
FURTHEST = 16.0
LARGEST_VALUE = 1e100


@dataclass
class Gaussians:
    """The values of each number, with the class and the weight of their points."""

    values: dict[int, list[tuple[float, int, int]]] = field(default_factory=dict)

    def learn(self, numbers: Mapping[int, float], label: int, times: int) -> None:
        """Note the numbers of a point."""
        for number, value in numbers.items():
            if abs(value) <= LARGEST_VALUE and times > 0:
                self.values.setdefault(number, []).append((value, label, times))

    def scores(self, numbers: Mapping[int, float], of_class: Sequence[int]) -> list[float]:
        """Return the logarithm of the share of each class, plus those of the densities of a point there.

        The density of a number in a class is that of its values and of one more, which is spread as all values are.
        """
        scores = [math.log(count + 1) for count in of_class]
        for number, value in numbers.items():
            known = self.values.get(number, [])
            if not known or abs(value) > LARGEST_VALUE:
                continue
            mean, variance = moments([(x, times) for x, _, times in known])
            if variance < 1e-250:
                continue
            for k in range(len(scores)):
                own = [(x, times) for x, label, times in known if label == k]
                n = sum(times for _, times in own)
                of_own, within = moments(own) if own else (0.0, 0.0)
                middle = (n * of_own + mean) / (n + 1)
                spread = (n * (within + (of_own - middle) ** 2) + variance + (mean - middle) ** 2) / (n + 1)
                scores[k] -= min((value - middle) ** 2 / spread, FURTHEST) / 2 + math.log(spread / variance) / 2
        return scores


def moments(values: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the mean and the variance of values with weights."""
    n = sum(times for _, times in values)
    first = values[0][0]
    mean = first + math.fsum(times * (value - first) for value, times in values) / n
    return mean, math.fsum(times * (value - mean) ** 2 for value, times in values) / n
