"""Options that several commands share, as a class: a command takes the whole as one parameter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer

from sapwood.cli.errors import told

__all__ = ["command", "given_options"]

_CONTEXT = "context_of_command"
_given: ContextVar[frozenset[str]] = ContextVar("given", default=frozenset())


def command(function: Callable[..., None], within: str = "") -> Callable[..., None]:
    """Make of a function what typer takes for a command; its errors are told in one sentence.

    `within` is the command that it is one of, if it is. A parameter that is a group is replaced by its options: those
    that its method `options` returns, or the fields of a dataclass, with annotations of typer's.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name in inspect.signature(function).parameters:
        hint = hints[name]
        if is_dataclass(hint) or hasattr(hint, "options"):
            members = _members(hint) if is_dataclass(hint) else hint.options()
            groups[name] = (hint, [member.name for member in members])
            parameters += members
        else:
            default = inspect.signature(function).parameters[name].default
            parameters.append(_parameter(name, hint, default))

    # typer fills it in where it finds the type, and users never see it.
    parameters.append(_parameter(_CONTEXT, typer.Context, inspect.Parameter.empty))

    @functools.wraps(function)
    def run(**values: Any) -> None:
        _given.set(_given_to(values.pop(_CONTEXT)))
        for name, (kind, members) in groups.items():
            values[name] = kind(**{member: values.pop(member) for member in members})
        with told(f"{within} {function.__name__}".strip()):
            function(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def given_options() -> frozenset[str]:
    """Return the options that the user has given to the command that runs, by the names of its parameters."""
    return _given.get()


def _given_to(context: typer.Context) -> frozenset[str]:
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE")


def _members(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _parameter(
            field.name, hints[field.name], inspect.Parameter.empty if field.default is MISSING else field.default
        )
        for field in fields(group)
    ]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
