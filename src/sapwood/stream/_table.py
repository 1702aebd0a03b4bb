"""What the columns of CSV and the fields of JSON lines hold, and how that is told."""

from __future__ import annotations

import difflib
import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sapwood.data.batch import Batch, Coding, Numbers, as_objects
from sapwood.data.kinds import KINDS
from sapwood.data.placed_keys import PlacedKeys

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from sapwood.data.kinds import Kind

__all__ = [
    "LABEL_NAMES",
    "MOST_EXAMPLES",
    "NA_VALUES",
    "SETTLING",
    "ColumnRead",
    "TableRead",
    "checked_types",
    "finite_number",
    "flag_of",
    "kind_of",
    "looks_like_number",
    "nearest",
    "retyped",
    "table_batch",
    "text_of",
]

LABEL_NAMES = ("label", "class", "target")
# fmt: off
NA_VALUES = frozenset({
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null", "?",
})
# fmt: on
"""Texts that stand for a missing value: those of ``pandas.read_csv``, and the question mark of the UCI repository."""
SETTLING = 1000
"""The rows by which it is settled what a column holds: so few that a pipe need not be waited for long."""
MOST_EXAMPLES = 3
"""The values of a column that are told as examples."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)
# Of names of three letters one may differ; a word that shares half of its letters was not meant.
_ALIKE = 0.65
_FLAGS = {"true": True, "false": False, "1": True, "0": False}


class ColumnRead(NamedTuple):
    """How a column was read: what it holds, and some of its values."""

    name: str
    kind: str
    """The word for it: flag, number, category, label or ignored; "flags" for lists; "empty" if nothing was there."""
    examples: tuple[str, ...] = ()


@dataclass
class TableRead:
    """How a table was read."""

    label: str | None = None
    """The column with the labels."""
    columns: list[ColumnRead] = field(default_factory=list)
    types: dict[str, Kind] = field(default_factory=dict)
    """What each column holds, as far as that is settled."""
    remarks: list[str] = field(default_factory=list)
    """What looks strange."""


# ---- cells -----------------------------------------------------------------------------------------------------------


def looks_like_number(text: str) -> bool:
    """Whether a text reads as a number, also an infinite one, which is an error wherever numbers are."""
    return _NUMBER.fullmatch(text) is not None


def kind_of(text: str) -> Kind:
    """Return what a cell that is not missing reads as."""
    if looks_like_number(text):
        return "number"
    return "flag" if text.lower() in {"true", "false"} else "category"


def finite_number(text: str) -> float:
    """Return the number that a text says; raise ValueError, with what was expected, if it says none."""
    if not looks_like_number(text):
        raise ValueError("a number")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def flag_of(text: str) -> bool:
    """Return whether a text says yes or no; raise ValueError, with what was expected, if it says neither."""
    found = _FLAGS.get(text.lower())
    if found is None:
        raise ValueError("true, false, 1 or 0")
    return found


def text_of(value: Any) -> str:
    """Return the text of a value; JSON writes a number and a boolean as they were read."""
    return value.strip() if isinstance(value, str) else json.dumps(value)


def retyped(value: Any, kind: Kind, na_values: frozenset[str]) -> Any:
    """Return a value as one of a kind, None if it is missing; raise ValueError, with what was expected."""
    if value is None or (isinstance(value, str) and (not value.strip() or value.strip() in na_values)):
        return None
    if isinstance(value, (list, dict)):
        raise ValueError(f"a {kind}")
    text = text_of(value)
    if kind == "number":
        return float(value) if isinstance(value, bool) else finite_number(text)
    return flag_of(text) if kind == "flag" else text


# ---- what the user says ----------------------------------------------------------------------------------------------


def checked_types(types: Mapping[str, str]) -> dict[str, Kind]:
    """Return the types of columns that a user gave; raise ValueError for a word that is none."""
    for name, kind in types.items():
        if kind not in KINDS:
            near = difflib.get_close_matches(str(kind), KINDS, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"read: types must be {', '.join(KINDS)}, got {kind!r} for {name!r}{hint}")
    return dict(types)  # type: ignore[arg-type]  # they are such words


def nearest(name: str, known: Collection[str]) -> str | None:
    """Return the name that was probably meant."""
    lower = {each.lower(): each for each in known}
    near = difflib.get_close_matches(name.lower(), list(lower), 1, _ALIKE)
    return lower[near[0]] if near else None


# ---- points ----------------------------------------------------------------------------------------------------------


def table_batch(taken: tuple[Any, ...], columns: Sequence[str], *, labelled: bool) -> Batch:
    """Return the points that a native reader of tables gives; `columns` are the names of its columns from 1 on."""
    first_line, indptr, indices, features, number_indptr, places, values, met, codes, classes = taken
    # Labels that are written in two ways may be equal.
    number: dict[Hashable, int] = {}
    of_class = np.array([number.setdefault(label, len(number)) for label in classes], dtype=np.intp)
    return Batch(
        y=as_objects(classes)[codes] if labelled else as_objects([None] * (len(indptr) - 1)),
        indptr=indptr,
        indices=None,
        keys=PlacedKeys(features, indices),
        n_features=None,
        first_line=first_line,
        coding=Coding(as_objects(list(number)), of_class[codes]) if labelled else None,
        numbers=Numbers(number_indptr, places, values, [columns[number - 1] for number in met]),
    )
