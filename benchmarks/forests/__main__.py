"""Run the benchmarks of the forests that are named, or all of them.

`--points N` sets how many points the made streams that change have: the forests of others take milliseconds for each.
`--streams elec,SEA` chooses some of the streams of accuracy; `--trees N` and `--seconds S` are what the forests of
others have there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from benchmarks.main import run_benchmarks
from benchmarks.micro.report import Report

from . import accuracy, speed


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    own.add_argument("--points", type=int, default=accuracy.MADE)
    own.add_argument("--streams", type=lambda names: tuple(names.split(",")), default=())
    own.add_argument("--trees", type=int, default=10)
    own.add_argument("--seconds", type=float, default=accuracy.SECONDS_OF_PEERS)
    options, others = own.parse_known_args(arguments)
    if options.points < accuracy.CONCEPTS:
        own.error(f"--points must be at least {accuracy.CONCEPTS}, got {options.points}")
    if options.trees < 1:
        own.error(f"--trees must be at least 1, got {options.trees}")
    asked = accuracy.Asked(options.points, options.streams, options.trees, options.seconds)
    benchmarks: dict[str, Callable[[bool], Report]] = {
        "accuracy": partial(accuracy.run, asked=asked),
        "changing": partial(accuracy.run_changing, asked=asked),
        "speed": speed.run,
    }
    return run_benchmarks("benchmarks.forests", __doc__, benchmarks, others)


if __name__ == "__main__":
    sys.exit(main())
