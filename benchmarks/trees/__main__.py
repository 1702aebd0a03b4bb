"""Run the benchmarks of the trees that are named, or all of them."""

from __future__ import annotations

import sys

from benchmarks.main import run_benchmarks

from . import accuracy, change, dynamic, limits, memory, mixed, numbers, short, speed, splits

BENCHMARKS = {
    "speed": speed.run,
    "accuracy": accuracy.run,
    "memory": memory.run,
    "limits": limits.run,
    "splits": splits.run,
    "change": change.run,
    "dynamic": dynamic.run,
    "mixed": mixed.run,
    "numbers": numbers.run,
    "short": short.run,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    return run_benchmarks("benchmarks.trees", __doc__, BENCHMARKS, arguments)


if __name__ == "__main__":
    sys.exit(main())
