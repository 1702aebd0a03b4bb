"""From a tree classifier to the sections of a model file and back, with every field checked.

The sections are:

- ``estimator``: JSON; the class, its parameters, and what is known of classes and columns
- ``classes``: the labels, in the order of ``classes_``
- ``features``: what the features are called, in the order of the tree
- ``tree``: the bytes of the core
- ``stream``, which may lack: how the stream was read that it was learned from, and how far
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sapwood import _core, _model_file
from sapwood._encoding import StreamNote
from sapwood._labels import Labels, as_label
from sapwood._rows import Columns
from sapwood._tree_model import Model
from sapwood._tree_parameters import make_tree, seed_of, threshold_of
from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

_SECTIONS = {"estimator", "classes", "features", "tree"}
# The types of arrays of labels that are kept as they are; the width of text is found again from the text.
_NUMBERS = {np.dtype(code).name for code in "?bhilqBHILQefd"}
_TYPES = {*_NUMBERS, "str", "bytes", "object"}
_FEWEST_CLASSES = 2  # that the core has, seen or not


class Kind(NamedTuple):
    """A class of classifiers."""

    growth: str
    """The word of the core for how its trees grow."""
    parameters: set[str]
    """The names of its parameters."""


class Saved(NamedTuple):
    """What a file says of a classifier."""

    name: str
    """The name of its class."""
    parameters: dict[str, Any]
    model: Model


def to_bytes(
    name: str, parameters: Mapping[str, Any], model: Model, others: dict[str, list[Hashable]] | None = None
) -> bytes:
    """Write a classifier.

    Parameters
    ----------
    name, parameters, model
        The name of its class, its parameters, and what it has learned.
    others
        Takes what the classes or the features are called, by the name of the section, if the format has no place for
        one of them; the section then holds numbers. None: that is an error.

    Raises
    ------
    TypeError, ValueError
        If a parameter, a label or a feature cannot be written.
    """
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in parameters.items()}
    if isinstance(plain["random_state"], np.random.RandomState):
        plain["random_state"] = model.tree.seed()
    # What could not be read again is not written.
    _check_parameters(model.tree.growth(), plain)
    labels, columns = model.labels, model.columns
    about = {
        "class": name,
        "parameters": plain,
        "binarize": model.binarize,
        "class_type": _type_name(labels.classes),
        "class_order": labels.columns.tolist(),
        "classes_declared": labels.declared,
        "n_features_in": None if columns is None else columns.n,
        "feature_names_in": None if columns is None or columns.names is None else columns.names.tolist(),
    }
    return _model_file.pack(
        {
            "estimator": json.dumps(about, allow_nan=False).encode(),
            "classes": _written("classes", labels.classes.tolist(), others),
            "features": _written("features", model.tree.keys(), others),
            "tree": model.tree.to_bytes(),
        }
    )


def from_bytes(data: bytes, kinds: Mapping[str, Kind], others: Mapping[str, list[Hashable]] | None = None) -> Saved:
    """Read a classifier.

    Parameters
    ----------
    data
        What ``to_bytes`` wrote.
    kinds
        The classes that it may be of, by their names.
    others
        What ``to_bytes`` put there.

    Raises
    ------
    ModelFormatError
        If a section is missing, a field is not what it must be, or two do not agree.
    """
    sections = _model_file.unpack(data)
    if (note := sections.pop("stream", None)) is not None:
        StreamNote.from_bytes(note)
    if set(sections) != _SECTIONS:
        raise ModelFormatError(f"sections must be {_listed(_SECTIONS)}, got {_listed(set(sections))}")
    about = _Fields(sections["estimator"])
    name = about.take("class", lambda value: isinstance(value, str) and value in kinds, f"one of {_listed(kinds)}")
    kind = kinds[name]
    parameters = about.take(
        "parameters",
        lambda value: isinstance(value, dict) and set(value) == kind.parameters,
        f"an object of {_listed(kind.parameters)}",
    )
    try:
        _check_parameters(kind.growth, parameters)
        binarize = threshold_of(about.take("binarize", lambda value: value is None or _is_number(value), "a number"))
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"parameters must be those of a {name}: {error}") from None
    columns = _columns(about)
    tree = _core.Tree.from_bytes(sections["tree"], _read("features", sections, others))
    if tree.growth() != kind.growth:
        raise ModelFormatError(f"the growth of the tree of a {name} must be {kind.growth!r}, got {tree.growth()!r}")
    labels = _labels(about, _read("classes", sections, others))
    about.finish()
    n_classes = max(len(labels.order), _FEWEST_CLASSES)
    if tree.n_classes() != n_classes:
        raise ModelFormatError(f"class_order must have the {tree.n_classes()} classes of the tree, got {n_classes}")
    if bool(labels.order) != (tree.n() > 0):
        raise ModelFormatError(f"class_order must be empty only without points, got {tree.n()} points")
    model = Model(tree, binarize, labels)
    if columns is not None:
        model.columns = model.with_ids(columns, make=True)
    return Saved(name, parameters, model)


def _written(section: str, keys: list[Hashable], others: dict[str, list[Hashable]] | None) -> bytes:
    try:
        return _model_file.encode_keys(keys, section)
    except (TypeError, ValueError):
        if others is None:
            raise
    others[section] = keys
    return _model_file.encode_keys(range(len(keys)))


def _read(section: str, sections: Mapping[str, bytes], others: Mapping[str, list[Hashable]] | None) -> list[Hashable]:
    written: list[Hashable] = [*_model_file.decode_keys(sections[section])]
    if others is None or section not in others:
        return written
    keys = others[section]
    if written != list(range(len(keys))):
        raise ModelFormatError(f"{section} must be the numbers of {len(keys)} others, got {repr(written)[:60]}")
    return keys


def _check_parameters(growth: str, parameters: dict[str, Any]) -> None:
    make_tree(growth, parameters, seed_of(parameters["random_state"]))
    threshold_of(parameters["binarize"])


class _Fields:
    """The fields of a JSON object, each to be taken once."""

    def __init__(self, text: bytes) -> None:
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            raise ModelFormatError("estimator must be JSON, got other bytes") from None
        if not isinstance(fields, dict):
            raise ModelFormatError(f"estimator must be a JSON object, got {type(fields).__name__}")
        self._fields = fields

    def take(self, name: str, is_right: Callable[[Any], bool], what: str) -> Any:
        if name not in self._fields:
            raise ModelFormatError(f"estimator must have the field {name!r}, got none")
        value = self._fields.pop(name)
        if not is_right(value):
            raise ModelFormatError(f"{name} must be {what}, got {repr(value)[:80]}")
        return value

    def finish(self) -> None:
        if self._fields:
            raise ModelFormatError(f"estimator must have no other fields, got {_listed(self._fields)}")


def _columns(about: _Fields) -> Columns | None:
    n = about.take("n_features_in", lambda v: v is None or _is_natural(v, _core.MAX_COLUMNS), "a number of columns")
    names = about.take(
        "feature_names_in",
        lambda v: v is None or (isinstance(v, list) and len(v) == n and all(isinstance(name, str) for name in v)),
        f"null or {n} strings",
    )
    if names is None:
        return None if n is None else Columns(n, None)
    if len(set(names)) < len(names):
        raise ModelFormatError("feature_names_in must be unique, got a name twice")
    return Columns(n, np.array(names, dtype=object))


def _labels(about: _Fields, labels: Sequence[Hashable]) -> Labels:
    class_type = about.take("class_type", lambda v: isinstance(v, str) and v in _TYPES, f"one of {_listed(_TYPES)}")
    order = about.take(
        "class_order",
        lambda v: (
            isinstance(v, list)
            and all(_is_natural(i, len(labels) - 1) for i in v)
            and len(set(v)) == len(v) <= _core.MAX_CLASSES
        ),
        f"different numbers from 0 to {len(labels) - 1}",
    )
    declared = about.take("classes_declared", lambda value: isinstance(value, bool), "true or false")
    if not declared and len(order) != len(labels):
        raise ModelFormatError(f"class_order must have all {len(labels)} classes if none is declared, got {len(order)}")
    try:
        for label in labels:
            as_label(label)
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"classes must be labels: {error}") from None
    if len(set(labels)) < len(labels):
        raise ModelFormatError("classes must be unique, got one twice")
    return Labels(tuple(labels[i] for i in order), _class_array(labels, class_type), declared)


def _type_name(classes: NDArray[Any]) -> str:
    return {"U": "str", "S": "bytes", "O": "object"}.get(classes.dtype.kind, classes.dtype.name)


def _class_array(labels: Sequence[Hashable], class_type: str) -> NDArray[Any]:
    try:
        if class_type == "object":
            classes = np.empty(len(labels), dtype=object)
            classes[:] = labels
        else:
            classes = np.array(labels, dtype=class_type)
    except (TypeError, ValueError, OverflowError):
        raise ModelFormatError(f"classes must be of the type {class_type}, got others") from None
    if classes.tolist() != list(labels):
        raise ModelFormatError(f"classes must be of the type {class_type}, got others")
    return classes


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_natural(value: object, largest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= largest


def _listed(names: Any) -> str:
    return ", ".join(sorted(repr(name)[:40] for name in names))
