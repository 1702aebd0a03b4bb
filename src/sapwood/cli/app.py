"""The application: each command is a module of its own beside this one, and is added here."""

from __future__ import annotations

from collections.abc import Callable

from sapwood.cli import generate
from sapwood.cli.evaluate import evaluate
from sapwood.cli.explain import explain
from sapwood.cli.forget import forget
from sapwood.cli.inspect import inspect
from sapwood.cli.make_app import make_app
from sapwood.cli.predict import predict
from sapwood.cli.race import race
from sapwood.cli.reproduce import reproduce
from sapwood.cli.splits import splits
from sapwood.cli.train import train

__all__ = ["COMMANDS", "GENERATORS", "app"]

COMMANDS: tuple[Callable[..., None], ...] = (
    train,
    predict,
    explain,
    evaluate,
    inspect,
    forget,
    splits,
    race,
    reproduce,
)
"""The commands."""

GENERATORS: tuple[Callable[..., None], ...] = (generate.sparse, generate.text)
"""Those of `sapwood generate`."""

app = make_app(COMMANDS, GENERATORS)
