"""What every folder of benchmarks does when it is run: those that are named, or all, one after the other."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchmarks.micro.report import OUTPUT

if TYPE_CHECKING:
    from benchmarks.micro.report import Report


def run_benchmarks(
    package: str, about: str | None, benchmarks: Mapping[str, Callable[[bool], Report]], arguments: list[str] | None
) -> int:
    """Measure, print and save; return the exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {package}", description=about)
    parser.add_argument("names", nargs="*", metavar="name", help=f"which to run: {', '.join(benchmarks)} (all of them)")
    parser.add_argument(
        "--quick", action="store_true", help="few points and repeats: to see that it runs, not how fast"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in benchmarks]
    if unknown:
        parser.error(f"name must be one of {', '.join(benchmarks)}, got {unknown[0]}")
    OUTPUT.mkdir(parents=True, exist_ok=True)
    try:
        for name in options.names or benchmarks:
            report = benchmarks[name](options.quick)
            report.print()
            for path in report.save():
                print(f"saved {path}")
            print()
    except KeyboardInterrupt:
        print(f"Stopped by Ctrl-C; what had finished is in {OUTPUT}.")
        return 130
    return 0
