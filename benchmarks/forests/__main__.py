"""Run the benchmarks of the forests that are named, or all of them."""

from __future__ import annotations

import sys

from benchmarks.main import run_benchmarks

from . import accuracy, speed

BENCHMARKS = {"accuracy": accuracy.run, "speed": speed.run}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    return run_benchmarks("benchmarks.forests", __doc__, BENCHMARKS, arguments)


if __name__ == "__main__":
    sys.exit(main())
