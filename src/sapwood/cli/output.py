"""What commands print: results on standard output, all else on standard error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import typer

__all__ = ["OutputOptions", "note"]


@dataclass
class OutputOptions:
    """How a command speaks."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress and no remarks: the result only, and errors.")
    ] = False

    def result(self, text: str, data: Any) -> None:
        """Print a result, as text or as a line of JSON."""
        typer.echo(json.dumps(data, allow_nan=False, ensure_ascii=False) if self.json else text)


def note(message: str, *, quiet: bool) -> None:
    """Say something beside the result."""
    if not quiet:
        typer.echo(message, err=True)
