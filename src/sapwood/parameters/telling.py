"""What users are told of parameters: documentation, the signature of a constructor, and which ones there are."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable
from inspect import Parameter as Argument
from inspect import Signature
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.parameters.parameter import Parameter

__all__ = ["described", "refuse_unknown", "signature"]


def described(parameters: Iterable[Parameter]) -> str:
    """Return the section of a docstring about parameters, as a class has it, but for its heading."""
    lines = []
    for each in parameters:
        lines.append(f"{each.name} : {each.value.text}, default={_shown(each.default)}")
        text = f"{each.sentence} {each.more}".strip()
        lines += textwrap.wrap(text, 116, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join(lines)


def _shown(default: object) -> str:
    return f'"{default}"' if isinstance(default, str) else repr(default)


def signature(parameters: Iterable[Parameter]) -> Signature:
    """Return the signature of the constructor that has these parameters, by keyword alone, with their defaults."""
    own = (
        Argument(each.name, Argument.KEYWORD_ONLY, default=each.default, annotation=each.annotation)
        for each in parameters
    )
    return Signature([Argument("self", Argument.POSITIONAL_OR_KEYWORD), *own], return_annotation=None)


def refuse_unknown(owner: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError, in the words of the user, if a parameter is passed that there is none of."""
    names = list(known)
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the parameters are {', '.join(names)}"
            raise TypeError(f"{owner}: unexpected parameter {name!r}; {hint}")
