"""The sizes of a reproduction."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The sizes of every experiment. `quick` and `full` are the two that the command knows.

    `repeats` is that of the synthetic experiments, each with data of its own: repeat r has the seed `seed` + r.
    The benchmark data sets are what they are: each of the `benchmark_repeats` measures the same points again.
    """

    repeats: int = 3
    """The number of repeats of the synthetic experiments; the paper has 100."""
    plain_repeats: int = 1
    """The number of repeats with the plain baselines, which are slow."""
    benchmark_repeats: int = 2
    """The number of repeats on the benchmark data sets."""
    seed: int = 1
    n: int = 10_000
    """The number of points of the synthetic streams."""
    d1: int = 10
    """The number of signal features of the synthetic streams."""
    d2: int = 10_000
    """The number of noise features of the synthetic streams."""
    q: float = 0.001
    """The probability that a noise feature is on."""
    alpha: float = 0.1
    """The guarantee wherever it does not vary."""
    alphas: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
    """The guarantees of Figure 1."""
    far_alpha: float = 40.0
    """The unreasonably high guarantee of the text."""
    dimensions: tuple[int, ...] = (500, 2_000, 4_000, 6_000, 8_000, 10_000)
    """The numbers of noise features of Figure 4."""
    checkpoints: int = 20
    """The number of checkpoints of the time, in Figures 2 and 3."""
    benchmark_checkpoints: int = 50
    """The same for the benchmark data sets."""
    benchmark_points: int | None = 3_000
    """The number of first points used of a data set with more than `large` features; None for all."""
    large: int = 100_000
    data: dict[str, Path] = field(default_factory=dict)
    """Files in the svmlight format by name: `author`, `farm`, `sraa`, `news20`, or any other."""
    folder: Path | None = None
    """The folder with the data sets."""
    download: bool = False
    """Whether to download missing data sets."""

    @classmethod
    def full(cls) -> Settings:
        """Return the sizes of the paper."""
        return cls(
            repeats=100,
            plain_repeats=3,
            benchmark_repeats=3,
            alphas=(0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, *(k / 2 for k in range(2, 11))),
            dimensions=tuple(range(500, 10_001, 100)),
            benchmark_points=None,
            download=True,
        )
