"""A long stream over many features through `train`: ``python -m benchmarks.load --picture load.png``.

Points per second of processor time, reading included, and the memory of the process while it learns, with and without a
limit; both get the same stream. By default 200,000 points over 100,000 features; ``--points 10000000 --features
1000000 --max-bytes 50MB`` is the full size, which takes some ten minutes of a processor. Two features tell the label,
so that a tree has found its four leaves before long, and nearly every feature has come to each of them within the first
fifth: what grew after that would grow for ever.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from sapwood.style import class_colour, picture_style

COMMAND = [sys.executable, "-c", "from sapwood.cli import main; main()"]
# Of each point: features as frequent as words are, and features of which none is more frequent than another.
WORDS, OTHERS = 10, 10
IN_CHUNK = 2_000
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """The points that were sent, and by then the processor seconds and the resident bytes of the process."""

    points: int
    seconds: float
    resident: int


def chunk(random: np.random.Generator, n: int, n_features: int) -> bytes:
    """Return lines of svmlight, whose label the first two features tell in three cases of four."""
    words = np.minimum(random.pareto(0.6, (n, WORDS)) * 20, n_features - 3).astype(np.int64) + 3
    others = random.integers(3, n_features + 1, (n, OTHERS))
    telling = random.random((n, 2)) < 0.5
    chance = np.array([[0.1, 0.4], [0.6, 0.9]])[telling[:, 0].astype(int), telling[:, 1].astype(int)]
    labels = random.random(n) < chance
    # A feature that is off is left out, as 0.
    ids = np.concatenate([telling * [1, 2], words, others], axis=1)
    lines = []
    for row, label in zip(ids.tolist(), labels.tolist(), strict=True):
        lines.append(f"{int(label)} " + " ".join(f"{i}:1" for i in sorted({*row} - {0})))
    return ("\n".join(lines) + "\n").encode()


def resident(process: int) -> int:
    """Return the resident memory of a process in bytes, as Linux tells it."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def processor_seconds(process: int) -> float:
    """Return the processor time of a process, as Linux tells it."""
    # The second field is the name, in parentheses, and may be anything.
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def train(n: int, n_features: int, limits: list[str]) -> dict[str, list[Sample]]:
    """Send a stream to `train`, once for each limit of memory, and look at each process after every chunk."""
    random = np.random.default_rng(1)
    samples: dict[str, list[Sample]] = {limit: [] for limit in limits}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        running = {}
        for limit in limits:
            model = str(Path(folder) / f"model-{limit}")
            command = [*COMMAND, "train", "-", "--format", "svmlight", "-m", model, "-q", "--max-bytes", limit]
            running[limit] = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
        for sent in range(0, n, IN_CHUNK):
            lines = chunk(random, min(IN_CHUNK, n - sent), n_features)
            for limit, process in running.items():
                assert process.stdin is not None
                process.stdin.write(lines)
                process.stdin.flush()
                # The pipe holds less than a chunk, so that what was sent is what was read, but for the last lines.
                now = Sample(sent + IN_CHUNK, processor_seconds(process.pid), resident(process.pid))
                samples[limit].append(now)
        for limit, process in running.items():
            process.communicate()
            if process.returncode != 0:
                raise RuntimeError(f"load: train --max-bytes {limit} must succeed, got {process.returncode}")
    return samples


def rates(samples: list[Sample], n_parts: int = 40) -> tuple[list[int], list[float]]:
    """Return points per second in each part of a stream, and where it ends."""
    step = max(1, len(samples) // n_parts)
    ends = samples[::step]
    pairs = list(pairwise(ends))
    return [b.points for _, b in pairs], [
        # Less than a tick of the clock is none.
        (b.points - a.points) / max(b.seconds - a.seconds, 1 / TICKS_PER_SECOND)
        for a, b in pairs
    ]


def draw(runs: dict[str, list[Sample]]) -> Figure:
    """Draw memory above speed, over the points."""
    with picture_style():
        figure = Figure(figsize=(8, 6), layout="constrained")
        memory, speed = figure.subplots(2, 1, sharex=True)
        for i, (name, samples) in enumerate(runs.items()):
            colour = class_colour(i)
            memory.plot(
                [s.points / 1e6 for s in samples], [s.resident / 1e6 for s in samples], color=colour, label=name
            )
            ends, found = rates(samples)
            speed.plot([end / 1e6 for end in ends], [rate / 1e3 for rate in found], color=colour, label=name)
        memory.set_ylabel("resident memory, MB")
        memory.set_ylim(bottom=0)
        memory.legend(title="max_bytes")
        speed.set_ylabel("thousand points a second")
        speed.set_ylim(bottom=0)
        speed.set_xlabel("points, millions")
    return figure


def main() -> int:
    """Run both, print the second and the last tenth, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200_000)
    parser.add_argument("--features", type=int, default=100_000)
    parser.add_argument("--max-bytes", default="20MB")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    runs = train(options.points, options.features, [options.max_bytes, "none"])
    for limit, samples in runs.items():
        _, speed = rates(samples)
        tenth = max(1, len(speed) // 10)
        print(
            f"max_bytes={limit}: {np.mean(speed[tenth : 2 * tenth]):,.0f} points per second in the second tenth, "
            f"{np.mean(speed[-tenth:]):,.0f} in the last; {samples[len(samples) // 10].resident / 1e6:,.0f} MB after "
            f"a tenth, {samples[-1].resident / 1e6:,.0f} MB at the end",
            flush=True,
        )
    if options.picture is not None:
        draw(runs).savefig(options.picture, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
