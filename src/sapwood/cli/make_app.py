"""From functions to the application that typer runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated

import typer

__all__ = ["make_app"]


def _show_version(wanted: bool) -> None:
    if wanted:
        from sapwood import __version__

        typer.echo(f"sapwood {__version__}")
        raise typer.Exit


def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Decision trees and forests from streams, sparse or mixed."""


def _help(command: Callable[..., None]) -> str:
    """Return the help of a command: its docstring, with the examples at its end kept line by line."""
    # A line with a backspace alone asks click not to fill the paragraph behind it.
    return (inspect.getdoc(command) or "").replace("\nTry:\n", "\n\b\nTry:\n")


def _short_help(command: Callable[..., None]) -> str:
    """Return the first sentence, which stands in the list of commands; whole, where click would cut it."""
    return " ".join(_help(command).partition("\n\n")[0].split())


def make_app(commands: Iterable[Callable[..., None]], generators: Iterable[Callable[..., None]] = ()) -> typer.Typer:
    """Return the application with these commands, and with these of `sapwood generate`."""
    app = typer.Typer(
        name="sapwood",
        help="Decision trees and forests from streams, sparse or mixed.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for command in commands:
        app.command(command.__name__, help=_help(command), short_help=_short_help(command))(command)
    generate = typer.Typer(
        help="Write a synthetic stream to standard output.", no_args_is_help=True, rich_markup_mode=None
    )
    for command in generators:
        generate.command(command.__name__, help=_help(command), short_help=_short_help(command))(command)
    if generate.registered_commands:
        app.add_typer(generate, name="generate")
    return app
