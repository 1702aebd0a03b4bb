"""Run the benchmarks of the streams that are named, or all of them."""

from __future__ import annotations

import sys

from benchmarks.main import run_benchmarks

from . import commands, peers, readers

BENCHMARKS = {"readers": readers.run, "commands": commands.run, "peers": peers.run}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    return run_benchmarks("benchmarks.streams", __doc__, BENCHMARKS, arguments)


if __name__ == "__main__":
    sys.exit(main())
