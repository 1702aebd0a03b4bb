"""Run the micro benchmarks that are named, or all of them."""

from __future__ import annotations

import sys

from benchmarks.main import run_benchmarks

from . import hostile, memory, multiclass, python_overhead, scaling, speed, speed_up, window

BENCHMARKS = {
    "speed": speed.run,
    "speed_up": speed_up.run,
    "scaling": scaling.run,
    "hostile": hostile.run,
    "memory": memory.run,
    "window": window.run,
    "multiclass": multiclass.run,
    "python_overhead": python_overhead.run,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    return run_benchmarks("benchmarks.micro", __doc__, BENCHMARKS, arguments)


if __name__ == "__main__":
    sys.exit(main())
