"""The options of commands that learn or search, made from the table of parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Hashable
from contextlib import suppress
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from sapwood.parameters import (
    PARAMETERS,
    TREES,
    Criterion,
    Flag,
    Number,
    OfClasses,
    Parameter,
    Search,
    Seed,
    Whole,
    Word,
    parameter,
    tree_called,
)

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from sapwood.learner import TreeLearner
    from sapwood.stream import Encoding

__all__ = ["LearnerOptions", "RaceOptions", "SearchOptions", "option_of", "size_of"]

BALANCED = "balanced"
DEFAULT_BUDGET_OF = "tree"
DEFAULT_BUDGET = 80_000_000
"""The memory of the default learner: with what reading and saving take, a program below 300 MB."""
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


_UNITS = {"": 1, **{f"{sign}B": 1000**i for i, sign in enumerate("KMGT", 1)}}
_UNITS |= {f"{sign}IB": 1024**i for i, sign in enumerate("KMGT", 1)}


def size_of(text: str | int) -> int:
    """Return the bytes that a text such as 20MB, 64MiB or 20000000 says; 0 for "none"."""
    if str(text).strip().lower() == "none":
        return 0
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([KMGT]?I?B?)", str(text).strip().upper())
    unit = None if found is None else _UNITS.get(found[2] + ("B" if len(found[2]) == 1 and found[2] != "B" else ""))
    is_whole = unit in {None, 1}
    if found is None or float(found[1]) == 0 or (unit is None and found[2] != "B") or (is_whole and "." in found[1]):
        raise typer.BadParameter(f"must be a number of bytes such as 20MB, 64MiB or 20000000, or none, got {text!r}")
    return int(float(found[1]) * unit) if unit and "." in found[1] else int(found[1]) * (unit or 1)


def option_of(each: Parameter, sentence: str | None = None) -> Any:
    """Return what typer knows of the option of a parameter; `sentence` replaces what the table says of it."""
    if each.name.endswith("_bytes"):
        return typer.Option(parser=size_of, metavar="SIZE", help=sentence or each.sentence)
    least = each.value.least if isinstance(each.value, (Whole, Seed)) else None
    return typer.Option(min=least, help=sentence or each.sentence)


def _as_option(each: Parameter, sentence: str, default: Any) -> inspect.Parameter:
    """Return a parameter of the table as one of a function: its option, with its type and the default given."""
    kind: Any = bool if isinstance(each.value, Flag) else float if isinstance(each.value, Number) else int
    if isinstance(each.value, Word):
        kind = _choice(each.annotation, each.value.words)
        default = None if default is None else kind(default)
    return _option(_name(each), kind | None if default is None else kind, default, option_of(each, sentence))


def _of_a_search(each: Parameter, sentence: str | None = None) -> inspect.Parameter:
    """Return the option of a command without a learner: it has the default of the table, whatever learners have."""
    return _as_option(each, sentence or each.sentence, each.default)


def _of_a_learner(each: Parameter) -> inspect.Parameter:
    """Return the option of a command that learns, which says which learners have the parameter."""
    sentence, default = each.sentence, each.default
    of_learner = {command: found[each.name] for command, found in _DEFAULTS.items() if each.name in found}
    if isinstance(each.value, OfClasses):
        more = 'May be repeated. Or "balanced": inverse to the share of each class, for which train first counts them.'
        text = _of_learners(f"{sentence} {more}", of_learner)
        about = typer.Option(metavar="CLASS=WEIGHT", help=f"{text} [default: 1]")
        return _option(_name(each), list[str] | None, None, about)
    if each.name == "max_bytes":
        return _as_option(each, f'{sentence} "none" is no limit. [default: 80MB for {DEFAULT_BUDGET_OF}]', None)
    if len(of_learner) < len(TREES) or len(set(of_learner.values())) > 1:
        # Left out unless given, so that each learner has its own default, or can refuse it.
        sentence, default = _with_defaults(sentence, of_learner), None
    elif each.unset:
        sentence = f"{sentence} [default: {each.unset}]"
    return _as_option(each, sentence, default)


def _of_learners(sentence: str, of_learner: dict[str, Any]) -> str:
    """Return the sentence of a parameter with the learners that have it, unless all do."""
    if len(of_learner) == len(TREES):
        return sentence
    return f"{', '.join(of_learner)}: {sentence[:1].lower()}{sentence[1:]}"


def _with_defaults(sentence: str, of_learner: dict[str, Any]) -> str:
    """Return the sentence of a parameter with the learners that have it, and the default of each."""
    sentence = _of_learners(sentence, of_learner)
    values = set(of_learner.values())
    if len(values) == 1:
        return f"{sentence} [default: {values.pop()}]"
    return f"{sentence} [default: {', '.join(f'{value} for {command}' for command, value in of_learner.items())}]"


def _name(each: Parameter) -> str:
    return each.option or each.name


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _class_weight(given: list[str] | None) -> dict[Hashable, float] | None:
    """Return the weights of classes, CLASS=WEIGHT each. A class that is a number is meant as such and as text."""
    if not given:
        return None
    if given == [BALANCED]:
        raise ValueError("--class-weight balanced is for train alone: here the classes are not counted beforehand")
    weights: dict[Hashable, float] = {}
    for each in given:
        name, _, number = each.rpartition("=")
        try:
            weight = float(number)
            parameter("class_weight").value.check("weight", {name: weight})
        except ValueError:
            weight = -1
        if not name or weight < 0 or name in weights:
            raise ValueError(
                f"--class-weight must be CLASS=WEIGHT, each class once, weights from 0 to 2147483647, got {each!r}"
            )
        weights[name] = weight
        with suppress(ValueError):
            weights[float(name)] = weight
    return weights


class LearnerOptions:
    """Which tree, and how it grows: an option for each parameter that a learner has."""

    def __init__(self, learner: Enum, **values: Any) -> None:
        self._kind = tree_called(learner.value)
        self._values = values
        self._balanced: dict[Hashable, float] = {}

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        names = _choice("Learner", tuple(kind.command for kind in TREES))
        about = typer.Option(help=". ".join(f"{kind.command}: {kind.sentence}" for kind in TREES) + ".")
        return [_option("learner", names, names(TREES[0].command), about), *map(_of_a_learner, _OFFERED)]

    @property
    def is_balanced(self) -> bool:
        """Whether classes have weights inverse to their shares, which someone must count."""
        return bool(self._values["class_weight"] == [BALANCED])

    def balance(self, counts: Counter[Hashable]) -> None:
        """Settle the weights of the classes, given their points: the number of all, shared equally by the classes."""
        total = counts.total()
        self._balanced = {label: total / (len(counts) * n) for label, n in counts.items()}

    def unmet_classes(self, classes: Collection[Hashable]) -> str:
        """Return the classes that weights were given for and that are none of these, as text."""
        given = [] if self.is_balanced else self._values["class_weight"] or []
        return " or ".join(
            repr(each.rpartition("=")[0]) for each in given if not set(_class_weight([each]) or ()) & set(classes)
        )

    def check_same(self, there: TreeLearner, path: Path, given: Collection[str]) -> None:
        """Raise ValueError if one of the options that were given is not that of a saved model, which is to go on."""
        if "learner" in given and self._kind is not there.kind:
            raise ValueError(f"--learner must be {there.kind.command}, as of {path}, got {self._kind.command}")
        for each in _OFFERED:
            if _name(each) not in given or (each.may_change and each.name in there.parameters):
                continue
            value = self._value(each)
            if each.name not in there.parameters or there.parameters[each.name] != value:
                known = there.parameters.get(each.name)
                option = "--" + _name(each).replace("_", "-")
                raise ValueError(f"{option} must be left out or {known}, as of {path}, got {value}")

    def change(self, there: TreeLearner, given: Collection[str]) -> None:
        """Let a saved model, which is to go on, have the options that were given and may change."""
        for each in _OFFERED:
            if each.may_change and _name(each) in given:
                there.parameters[each.name] = self._value(each)

    def _value(self, each: Parameter) -> Any:
        value = _plain(self._values[_name(each)])
        if each.name == "max_bytes" and value is None and self._kind.command == DEFAULT_BUDGET_OF:
            return DEFAULT_BUDGET
        if each.name.endswith("_bytes"):
            return value or None
        if isinstance(each.value, OfClasses):
            return self._balanced if self.is_balanced and self._balanced else _class_weight(value)
        return value

    def make(self, encoding: Encoding) -> TreeLearner:
        """Return a learner that has learned nothing, for points of this encoding."""
        from sapwood.learner import make_learner

        parameters = {each.name: each.default for each in self._kind.parameters}
        for each in _OFFERED:
            value = self._value(each)
            if each.name in parameters:
                if value is not None:
                    parameters[each.name] = value
            elif value is not None:
                option = "--" + _name(each).replace("_", "-")
                raise ValueError(f"{option} must be left out for --learner {self._kind.command}, got {value}")
        for name in ("binarize", "sparse_numbers"):
            if name in parameters:
                parameters[name] = getattr(encoding, name)
        return make_learner(self._kind, parameters)


class SearchOptions:
    """The criterion and the search."""

    def __init__(self, criterion: Enum, search: Enum, alpha: float | None) -> None:
        self.criterion = cast(Criterion, criterion.value)
        self.search = cast(Search, search.value)
        self.alpha: float = parameter("alpha").default if alpha is None else alpha

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        return [
            _of_a_search(parameter("criterion")),
            _of_a_search(parameter("search"), "The search that finds the best split."),
            _of_a_search(parameter("alpha")),
        ]


class RaceOptions:
    """The impurity measures of a race."""

    def __init__(self, criterion: list[Enum] | None, alpha: float | None) -> None:
        self.criteria = [cast(Criterion, each.value) for each in criterion or ()] or ["entropy", "gini"]
        self.alpha: float = parameter("alpha").default if alpha is None else alpha

    @staticmethod
    def options() -> list[inspect.Parameter]:
        """Return the options, as parameters of a function."""
        each = parameter("criterion")
        assert isinstance(each.value, Word)
        words: Any = _choice(each.annotation, each.value.words)
        text = "The impurity measure; may be repeated. [default: entropy and gini]"
        return [
            _option("criterion", list[words] | None, None, typer.Option(help=text)),
            _of_a_search(parameter("alpha")),
        ]
