"""From a learner to the sections of a model file and back, with every field checked.

The sections are:

- ``estimator``: JSON; the class, its parameters, and what is known of classes and columns
- ``classes``: the labels, in the order of ``classes_``
- ``features``: what the features are called, in the order of the tree
- ``tree``: the bytes of the core
- ``stream``, which may lack: how the stream was read that it was learned from, and how far
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data import Columns, Labels, as_label
from sapwood.exceptions import ModelFormatError
from sapwood.learner import TreeLearner, TreeModel
from sapwood.learner.make_tree import checked_threshold, make_tree
from sapwood.model_files.keys import decode_keys, encode_keys
from sapwood.model_files.sections import pack, unpack
from sapwood.model_files.stream_note import StreamNote
from sapwood.parameters import TREES, TreeKind, tree_called

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

__all__ = ["from_bytes", "to_bytes"]

_SECTIONS = {"estimator", "classes", "features", "tree"}
# The types of arrays of labels that are kept as they are; the width of text is found again from the text.
_NUMBERS = {np.dtype(code).name for code in "?bhilqBHILQefd"}
_TYPES = {*_NUMBERS, "str", "bytes", "object"}
_FEWEST_CLASSES = 2  # that the core has, seen or not


def to_bytes(kind: TreeKind, parameters: Mapping[str, Any], model: TreeModel) -> bytes:
    """Write a learner: what it is, its parameters, and what it has learned.

    Raises
    ------
    TypeError, ValueError
        If a parameter, a label or a feature cannot be written.
    """
    plain = {each.name: _plain(parameters.get(each.name, each.default)) for each in kind.parameters}
    if isinstance(plain["random_state"], np.random.RandomState):
        plain["random_state"] = model.tree.seed()
    plain["class_weight"] = _written(plain["class_weight"])
    # What could not be read again is not written.
    make_tree(kind, {**plain, "class_weight": _read(plain["class_weight"])})
    labels, columns = model.labels, model.columns
    about = {
        "class": kind.name,
        "parameters": plain,
        "binarize": model.binarize,
        "class_type": _type_name(labels.classes),
        "class_order": labels.columns.tolist(),
        "classes_declared": labels.declared,
        "n_features_in": None if columns is None else columns.n,
        "feature_names_in": None if columns is None or columns.names is None else columns.names.tolist(),
    }
    return pack(
        {
            "estimator": json.dumps(about, allow_nan=False).encode(),
            "classes": encode_keys(labels.classes.tolist(), "classes"),
            "features": encode_keys(model.tree.keys(), "features"),
            "tree": model.tree.to_bytes(),
        }
    )


def from_bytes(data: bytes) -> TreeLearner:
    """Read what ``to_bytes`` wrote. It continues exactly as the learner that was written would.

    Raises
    ------
    ModelFormatError
        If a section is missing, a field is not what it must be, or two do not agree.
    """
    sections = unpack(data)
    if (note := sections.pop("stream", None)) is not None:
        StreamNote.from_bytes(note)
    if set(sections) != _SECTIONS:
        raise ModelFormatError(f"sections must be {_listed(_SECTIONS)}, got {_listed(set(sections))}")
    about = _Fields(sections["estimator"])
    names = {kind.name for kind in TREES}
    name = about.take("class", lambda value: isinstance(value, str) and value in names, f"one of {_listed(names)}")
    kind = tree_called(name)
    known = {each.name for each in kind.parameters}
    parameters = about.take(
        "parameters",
        lambda value: isinstance(value, dict) and set(value) == known,
        f"an object of {_listed(known)}",
    )
    try:
        parameters["class_weight"] = _read(parameters["class_weight"])
        make_tree(kind, parameters)
        binarize = checked_threshold(
            about.take("binarize", lambda value: value is None or _is_number(value), "a number")
        )
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"parameters must be those of a {name}: {error}") from None
    columns = _columns(about)
    tree = _core.Tree.from_bytes(sections["tree"], decode_keys(sections["features"]))
    if tree.growth() != kind.growth:
        raise ModelFormatError(f"the growth of the tree of a {name} must be {kind.growth!r}, got {tree.growth()!r}")
    labels = _labels(about, decode_keys(sections["classes"]))
    about.finish()
    n_classes = max(len(labels.order), _FEWEST_CLASSES)
    if tree.n_classes() != n_classes:
        raise ModelFormatError(f"class_order must have the {tree.n_classes()} classes of the tree, got {n_classes}")
    if bool(labels.order) != (tree.n_met() > 0):
        raise ModelFormatError(f"class_order must be empty only without points, got {tree.n_met()} points")
    return TreeLearner(kind, parameters, model=TreeModel(tree, binarize, labels, columns))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _written(class_weight: Any) -> Any:
    """Return the weights of classes as JSON has them: text and None as they are, the classes of a dict as keys."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    classes = encode_keys(class_weight, "class_weight").decode()
    return {"classes": classes, "weights": [_plain(weight) for weight in class_weight.values()]}


def _read(class_weight: Any) -> Any:
    if not isinstance(class_weight, dict):
        return class_weight
    classes, weights = class_weight.get("classes"), class_weight.get("weights")
    if set(class_weight) != {"classes", "weights"} or not isinstance(classes, str) or not isinstance(weights, list):
        raise ModelFormatError(f"class_weight must have classes and weights, got {repr(class_weight)[:80]}")
    keys = decode_keys(classes.encode())
    if len(keys) != len(weights):
        raise ModelFormatError(f"class_weight must have a weight for each of {len(keys)} classes, got {len(weights)}")
    return dict(zip(keys, weights, strict=True))


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
