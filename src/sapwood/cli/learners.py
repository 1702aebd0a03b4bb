"""The options of commands that learn or search, made from the table of parameters."""

from __future__ import annotations

import inspect
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sapwood.parameters import (
    PARAMETERS,
    TREES,
    Criterion,
    Number,
    Parameter,
    Search,
    Seed,
    Whole,
    Word,
    parameter,
    tree_called,
)

if TYPE_CHECKING:
    from sapwood.learner import TreeLearner

__all__ = ["LearnerOptions", "RaceOptions", "SearchOptions", "option_of"]

_DEFAULTS = {kind.command: {each.name: each.default for each in kind.parameters} for kind in TREES}
_OFFERED = [each for each in PARAMETERS if each.option != ""]


@cache
def _choice(name: str, words: tuple[str, ...]) -> type[Enum]:
    """Return words as typer takes a choice."""
    return Enum(name, [(word, word) for word in words], type=str)  # type: ignore[return-value]  # what Enum returns


def _option(name: str, annotation: Any, default: Any, about: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[annotation, about]
    )


def option_of(each: Parameter, sentence: str | None = None) -> Any:
    """Return what typer knows of the option of a parameter; `sentence` replaces what the table says of it."""
    least = each.value.least if isinstance(each.value, (Whole, Seed)) else None
    return typer.Option(min=least, help=sentence or each.sentence)


def _as_option(each: Parameter, sentence: str | None = None) -> inspect.Parameter:
    """Return a parameter of the table as one of a function: its option, with its type and default."""
    sentence, default = sentence or each.sentence, each.default
    of_learner = {command: found[each.name] for command, found in _DEFAULTS.items() if each.name in found}
    if len(of_learner) < len(TREES) or len(set(of_learner.values())) > 1:
        # Left out unless given, so that each learner has its own default, or can refuse it.
        sentence, default = _with_defaults(sentence, of_learner), None
    elif each.unset:
        sentence = f"{sentence} [default: {each.unset}]"
    kind: Any = float if isinstance(each.value, Number) else int
    if isinstance(each.value, Word):
        kind = _choice(each.annotation, each.value.words)
        default = None if default is None else kind(default)
    return _option(_name(each), kind | None if default is None else kind, default, option_of(each, sentence))


def _with_defaults(sentence: str, of_learner: dict[str, Any]) -> str:
    """Return the sentence of a parameter with the learners that have it, and the default of each."""
    if len(of_learner) < len(TREES):
        sentence = f"{', '.join(of_learner)}: {sentence[:1].lower()}{sentence[1:]}"
    values = set(of_learner.values())
    if len(values) == 1:
        return f"{sentence} [default: {values.pop()}]"
    return f"{sentence} [default: {', '.join(f'{value} for {command}' for command, value in of_learner.items())}]"


def _name(each: Parameter) -> str:
    return each.option or each.name


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


class LearnerOptions:
    """Which tree, and how it grows: an option for each parameter that a learner has."""

    def __init__(self, learner: Enum, **values: Any) -> None:
        self._kind = tree_called(learner.value)
        self._values = values

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        names = _choice("Learner", tuple(kind.command for kind in TREES))
        about = typer.Option(help=". ".join(f"{kind.command}: {kind.sentence}" for kind in TREES) + ".")
        return [_option("learner", names, names(TREES[0].command), about), *map(_as_option, _OFFERED)]

    def make(self, binarize: float | None) -> TreeLearner:
        """Return a learner that has learned nothing."""
        from sapwood.learner import TreeLearner

        parameters = {each.name: each.default for each in self._kind.parameters}
        for each in _OFFERED:
            value = _plain(self._values[_name(each)])
            if each.name in parameters:
                if value is not None:
                    parameters[each.name] = value
            elif value is not None:
                option = "--" + _name(each).replace("_", "-")
                raise ValueError(f"{option} must be left out for --learner {self._kind.command}, got {value}")
        parameters["binarize"] = binarize
        return TreeLearner(self._kind, parameters)


class SearchOptions:
    """The criterion and the search."""

    def __init__(self, criterion: Enum, search: Enum, alpha: float) -> None:
        self.criterion = cast(Criterion, criterion.value)
        self.search = cast(Search, search.value)
        self.alpha = alpha

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        return [
            _as_option(parameter("criterion")),
            _as_option(parameter("search"), "The search that finds the best split."),
            _as_option(parameter("alpha")),
        ]


class RaceOptions:
    """The impurity measures of a race."""

    def __init__(self, criterion: list[Enum] | None, alpha: float) -> None:
        self.criteria = [cast(Criterion, each.value) for each in criterion or ()] or ["entropy", "gini"]
        self.alpha = alpha

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        each = parameter("criterion")
        assert isinstance(each.value, Word)
        words: Any = _choice(each.annotation, each.value.words)
        text = "The impurity measure; may be repeated. [default: entropy and gini]"
        return [_option("criterion", list[words] | None, None, typer.Option(help=text)), _as_option(parameter("alpha"))]
