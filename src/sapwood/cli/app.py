"""The application: each command is a module of its own beside this one, and is added here."""

from __future__ import annotations

import inspect as python_inspect
from collections.abc import Callable
from typing import Annotated

import typer

from sapwood.cli import generate
from sapwood.cli.evaluate import evaluate
from sapwood.cli.inspect import inspect
from sapwood.cli.predict import predict
from sapwood.cli.race import race
from sapwood.cli.reproduce import reproduce
from sapwood.cli.splits import splits
from sapwood.cli.train import train

__all__ = ["COMMANDS", "GENERATORS", "app"]

COMMANDS: tuple[Callable[..., None], ...] = (train, predict, evaluate, inspect, splits, race, reproduce)
"""The commands."""

GENERATORS: tuple[Callable[..., None], ...] = (generate.sparse, generate.text)
"""Those of `sapwood generate`."""

app = typer.Typer(
    name="sapwood",
    help="Decision trees from streams of sparse data.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from sapwood import __version__

        typer.echo(f"sapwood {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Decision trees from streams of sparse data."""


def _help(command: Callable[..., None]) -> str:
    """Return the help of a command: its docstring, with the examples at its end kept line by line."""
    # A line with a backspace alone asks click not to fill the paragraph behind it.
    return (python_inspect.getdoc(command) or "").replace("\nTry:\n", "\n\b\nTry:\n")


for _command in COMMANDS:
    app.command(_command.__name__, help=_help(_command))(_command)

_generate = typer.Typer(
    help="Write a synthetic stream to standard output.", no_args_is_help=True, rich_markup_mode=None
)
for _command in GENERATORS:
    _generate.command(_command.__name__, help=_help(_command))(_command)
app.add_typer(_generate, name="generate")
