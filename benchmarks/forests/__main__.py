"""Run the benchmarks of the forests that are named, or all of them.

`--points N` sets how many points the made streams that change have: river's forests take milliseconds for each.
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
    options, others = own.parse_known_args(arguments)
    if options.points < accuracy.CONCEPTS:
        own.error(f"--points must be at least {accuracy.CONCEPTS}, got {options.points}")
    benchmarks: dict[str, Callable[[bool], Report]] = {
        "accuracy": accuracy.run,
        "changing": partial(accuracy.run_changing, points=options.points),
        "speed": speed.run,
    }
    return run_benchmarks("benchmarks.forests", __doc__, benchmarks, others)


if __name__ == "__main__":
    sys.exit(main())
