"""A long stream over many features through `train`: ``python -m benchmarks.load --picture load.png``.

Points per second and the memory of the process while it learns, with and without a limit. By default 200,000 points
over 100,000 features; ``--points 10000000 --features 1000000`` is the full size, which takes hours. What is flat after
the first tenth will be flat after the last.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from sapwood.style import class_colour, picture_style

COMMAND = [sys.executable, "-c", "from sapwood.cli import main; main()"]
PER_POINT = 20
IN_CHUNK = 2_000


class Sample(NamedTuple):
    """The points that were sent, the seconds since the first, and the resident bytes of the process."""

    points: int
    seconds: float
    resident: int


def chunk(random: np.random.Generator, n: int, n_features: int) -> bytes:
    """Return lines of svmlight: features as frequent as words are, and a label that a few of them tell."""
    ids = np.minimum(random.pareto(0.6, (n, PER_POINT)) * 20, n_features - 1).astype(np.int64) + 1
    labels = (ids < 30).sum(axis=1) + random.integers(0, 3, n) > PER_POINT * 0.55
    lines = []
    for row, label in zip(ids.tolist(), labels.tolist(), strict=True):
        lines.append(f"{int(label)} " + " ".join(f"{i}:1" for i in sorted(set(row))))
    return ("\n".join(lines) + "\n").encode()


def resident(process: int) -> int:
    """Return the resident memory of a process in bytes, as Linux tells it."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def train(n: int, n_features: int, max_bytes: str) -> list[Sample]:
    """Send a stream to `train`, and look at it after every chunk."""
    random = np.random.default_rng(1)
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        command = [*COMMAND, "train", "-", "--format", "svmlight", "-m", str(model), "-q", "--max-bytes", max_bytes]
        with subprocess.Popen(command, stdin=subprocess.PIPE) as running:
            assert running.stdin is not None
            begin = time.monotonic()
            for sent in range(0, n, IN_CHUNK):
                running.stdin.write(chunk(random, min(IN_CHUNK, n - sent), n_features))
                running.stdin.flush()
                # The pipe holds less than a chunk, so that what was sent is what was read, but for the last lines.
                samples.append(Sample(sent + IN_CHUNK, time.monotonic() - begin, resident(running.pid)))
            running.stdin.close()
        if running.returncode != 0:
            raise RuntimeError(f"load: train must succeed, got exit status {running.returncode}")
    return samples


def rates(samples: list[Sample], n_parts: int = 40) -> tuple[list[int], list[float]]:
    """Return points per second in each part of a stream, and where it ends."""
    step = max(1, len(samples) // n_parts)
    ends = samples[::step]
    pairs = list(pairwise(ends))
    return [b.points for _, b in pairs], [(b.points - a.points) / (b.seconds - a.seconds) for a, b in pairs]


def draw(runs: dict[str, list[Sample]]) -> Figure:
    """Draw memory above speed, over the points."""
    with picture_style():
        figure = Figure(figsize=(7, 5), layout="constrained")
        memory, speed = figure.subplots(2, 1, sharex=True)
        for i, (name, samples) in enumerate(runs.items()):
            colour = class_colour(i)
            memory.plot([s.points for s in samples], [s.resident / 1e6 for s in samples], color=colour, label=name)
            speed.plot(*rates(samples), color=colour, label=name)
        memory.set_ylabel("memory of the process (MB)")
        memory.set_ylim(bottom=0)
        memory.legend(title="max_bytes")
        speed.set_ylabel("points per second")
        speed.set_ylim(bottom=0)
        speed.set_xlabel("points")
    return figure


def main() -> int:
    """Run both, print the first and the last tenth, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--max-bytes", default="20MB")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    runs = {}
    for limit in (options.max_bytes, "none"):
        samples = runs[limit] = train(options.points, options.features, limit)
        _, speed = rates(samples)
        tenth = max(1, len(speed) // 10)
        print(
            f"max_bytes={limit}: {np.mean(speed[tenth : 2 * tenth]):,.0f} points per second in the second tenth, "
            f"{np.mean(speed[-tenth:]):,.0f} in the last; {samples[len(samples) // 5].resident / 1e6:,.0f} MB after "
            f"a fifth, {samples[-1].resident / 1e6:,.0f} MB at the end",
            flush=True,
        )
    if options.picture is not None:
        draw(runs).savefig(options.picture, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
