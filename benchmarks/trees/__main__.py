"""Run the benchmarks of the trees that are named, or all of them."""

from __future__ import annotations

import argparse
import sys

from benchmarks.micro.report import OUTPUT

from . import accuracy, memory, speed

BENCHMARKS = {"speed": speed.run, "accuracy": accuracy.run, "memory": memory.run}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(BENCHMARKS)} (all of them)")
    parser.add_argument("--quick", action="store_true", help="few points: to see that it runs, not how fast")
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
