"""The application: each command is a module of its own beside this one, and is added here."""

from __future__ import annotations

from typing import Annotated

import typer

from sapwood import __version__
from sapwood.cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(
    name="sapwood",
    help="Decision trees from streams of sparse data.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sapwood {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Decision trees from streams of sparse data."""


app.command("reproduce")(reproduce)
