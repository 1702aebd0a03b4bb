"""A miniature of every experiment of the paper, which runs in seconds."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file

from sapwood.datasets import make_text
from sapwood.paper import Settings


def write_points(path: Path, n: int = 300, d: int = 400, seed: int = 1) -> Path:
    """Write texts to a file in the svmlight format."""
    X, y = make_text(n, d, 15, seed=seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wb") if path.suffix == ".gz" else path.open("wb") as stream:
        dump_svmlight_file(X.astype(np.float64), y, stream, zero_based=False)
    return path


def miniature(data: dict[str, Path] | None = None) -> Settings:
    """Return settings of everything small."""
    return replace(
        Settings(),
        repeats=2,
        benchmark_repeats=2,
        n=400,
        d2=300,
        q=0.02,
        alphas=(0.05, 0.1, 1.0, 5.0),
        dimensions=(100, 300),
        checkpoints=8,
        benchmark_checkpoints=10,
        data=data or {},
    )
