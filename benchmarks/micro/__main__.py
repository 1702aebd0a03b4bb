"""Run the micro benchmarks that are named, or all of them."""

from __future__ import annotations

import argparse
import sys

from . import memory, multiclass, python_overhead, scaling, speed, speed_up, window
from .report import OUTPUT

BENCHMARKS = {
    "speed": speed.run,
    "speed_up": speed_up.run,
    "scaling": scaling.run,
    "memory": memory.run,
    "window": window.run,
    "multiclass": multiclass.run,
    "python_overhead": python_overhead.run,
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.micro", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(BENCHMARKS)} (all of them)")
    parser.add_argument(
        "--quick", action="store_true", help="few points and repeats: to see that it runs, not how fast"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"name must be one of {', '.join(BENCHMARKS)}, got {unknown[0]}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    try:
        for name in options.names or BENCHMARKS:
            report = BENCHMARKS[name](options.quick)
            report.print()
            for path in report.save():
                print(f"saved {path}")
            print()
    except KeyboardInterrupt:
        print(f"Stopped by Ctrl-C; what had finished is in {OUTPUT}.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
