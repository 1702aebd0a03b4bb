"""What a benchmark found: printed as tables, saved as JSON and as Markdown with a picture beside it."""

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
class Table:
    """Rows of text under a header."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def numeric(self) -> list[bool]:
        """Return which columns hold numbers, and so stand to the right."""
        return [all(_is_number(row[i]) for row in self.rows) for i in range(len(self.header))]

    def text(self) -> str:
        """Return the table in columns of even width."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        rule = tuple("-" * width for width in widths)
        lines = []
        for row in (self.header, rule, *self.rows):
            cells = (
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, self.numeric(), strict=True)
            )
            lines.append("  " + "  ".join(cells).rstrip())
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the table in Markdown."""
        rule = tuple("--:" if right else "---" for right in self.numeric())
        return "\n".join("| " + " | ".join(row) + " |" for row in (self.header, rule, *self.rows))


@dataclass(frozen=True)
class Report:
    """Tables of text for the reader, the same figures as numbers for a program, and a picture."""

    name: str
    title: str
    tables: list[Table]
    figures: list[dict[str, Any]]
    draw: Callable[[Figure], None]
    quick: bool
    notes: list[str] = field(default_factory=list)

    def print(self) -> None:
        """Print the tables, and the notes below them."""
        print(f"{self.name}: {self.title}" + (" (quick: figures are not to be quoted)" if self.quick else ""))
        for table in self.tables:
            print(f"\n  {table.title}\n{table.text()}")
        print()
        for note in self.notes:
            print(f"  {note}")

    def markdown(self) -> str:
        """Return the tables and the notes in Markdown, to be put below a heading of the second level."""
        tables = "\n\n".join(f"**{table.title}**\n\n{table.markdown()}" for table in self.tables)
        notes = "\n".join(f"- {note}" for note in self.notes)
        return f"## {self.name}: {self.title}\n\n{tables}\n\n{notes}\n"

    def save(self) -> list[Path]:
        """Write the figures as JSON, the tables as Markdown and the picture as PNG; return the paths."""
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
        tables = OUTPUT / f"{stem}.md"
        tables.write_text(self.markdown(), encoding="utf-8")
        picture = OUTPUT / f"{stem}.png"
        with picture_style():
            figure = Figure(layout="constrained")
            FigureCanvasAgg(figure)
            self.draw(figure)
            figure.savefig(picture, format="png")
        return [text, tables, picture]


def _is_number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789+-−–≥≤<"


def _processor() -> str:
    """Return the processor's name where the system tells it: a time means little without."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
