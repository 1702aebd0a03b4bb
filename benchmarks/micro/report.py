"""What a benchmark found: printed as a table, saved as JSON with a picture beside it."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sapwood.style import picture_style

OUTPUT = Path(__file__).resolve().parents[2] / "build" / "benchmarks"


@dataclass(frozen=True)
class Report:
    """A table of text for the reader, the same figures as numbers for a program, and a picture."""

    name: str
    title: str
    header: tuple[str, ...]
    table: list[tuple[str, ...]]
    figures: list[dict[str, Any]]
    draw: Callable[[Figure], None]
    quick: bool
    notes: list[str] = field(default_factory=list)

    def print(self) -> None:
        """Print the table, numbers to the right, and the notes below it."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.table, strict=True)]
        numeric = [all(_is_number(row[i]) for row in self.table) for i in range(len(self.header))]
        print(f"{self.name}: {self.title}" + (" (quick: figures are not to be quoted)" if self.quick else ""))
        rule = tuple("-" * width for width in widths)
        for row in (self.header, rule, *self.table):
            cells = (
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            )
            print("  " + "  ".join(cells).rstrip())
        for note in self.notes:
            print(f"  {note}")

    def save(self) -> list[Path]:
        """Write the figures as JSON and the picture as PNG; return the two paths."""
        record = {
            "benchmark": self.name,
            "title": self.title,
            "quick": self.quick,
            "sapwood": version("sapwood"),
            "python": platform.python_version(),
            "processor": _processor(),
            "notes": self.notes,
            "figures": self.figures,
        }
        # A quick run never replaces figures that may be quoted.
        stem = f"{self.name}-quick" if self.quick else self.name
        text = OUTPUT / f"{stem}.json"
        text.write_text(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
        picture = OUTPUT / f"{stem}.png"
        with picture_style():
            figure = Figure(layout="constrained")
            FigureCanvasAgg(figure)
            self.draw(figure)
            figure.savefig(picture, format="png")
        return [text, picture]


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789+-−–≥<"


def _processor() -> str:
    """Return the processor's name where the system tells it: a time means little without."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
