"""From a learner to the sections of a model file and back, with every field checked.

The sections are:

- ``estimator``: JSON; the class, its parameters, and what is known of classes and columns
- ``classes``: the labels, in the order of ``classes_``
- ``features``: what the features are called, in the order of the tree
- ``tree``: the bytes of the core
- ``ids``, which may lack: the ids of the points of a tree that forgets
- ``stream``, which may lack: how the stream was read that it was learned from, and how far
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sapwood import _core
from sapwood.data import Columns, Labels, as_label
from sapwood.data.encode import Reading
from sapwood.data.kinds import KINDS
from sapwood.exceptions import ModelFormatError
from sapwood.learner import DynamicModel, ForestModel, TreeLearner, TreeModel, make_learner
from sapwood.learner.make_tree import checked_reading, make_tree, tree_of_bytes
from sapwood.model_files.keys import Key, decode_keys, encode_keys
from sapwood.model_files.point_ids import read_ids, write_ids
from sapwood.model_files.sections import pack, unpack
from sapwood.model_files.stream_note import StreamNote
from sapwood.parameters import TREES, TreeKind, is_random_state, tree_called

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from sapwood.inspect.core_tree import CoreModel, CoreTree
    from sapwood.model_files.sections import Section

__all__ = ["from_bytes", "sections_of", "to_bytes"]

_SECTIONS = {"estimator", "classes", "features", "tree"}
# The types of arrays of labels that are kept as they are; the width of text is found again from the text.
_NUMBERS = {np.dtype(code).name for code in "?bhilqBHILQefd"}
_TYPES = {*_NUMBERS, "str", "bytes", "object"}
_FEWEST_CLASSES = 2  # that the core has, seen or not
_MOST_OF_ONE_HASH = 64  # numbers of 64 bits have at most eight, floats some thirty


def to_bytes(kind: TreeKind, parameters: Mapping[str, Any], model: TreeModel) -> bytes:
    """Write a learner: what it is, its parameters, and what it has learned. Raises as `sections_of` does."""
    return pack(sections_of(kind, parameters, model))


def sections_of(kind: TreeKind, parameters: Mapping[str, Any], model: TreeModel) -> dict[str, Section]:
    """Return the sections of the file of a learner.

    Raises
    ------
    TypeError, ValueError
        If a parameter, a label or a feature cannot be written.
    """
    plain = {each.name: _plain(parameters.get(each.name, each.default)) for each in kind.parameters}
    for each in kind.parameters:
        if each.is_left_out and plain[each.name] == each.default:
            del plain[each.name]
    if is_random_state(plain.get("random_state")):
        plain["random_state"] = model.tree.seed()
    if "class_weight" in plain:
        plain["class_weight"] = _written(plain["class_weight"])
    # What could not be read again is not written.
    make_tree(kind, {**plain, "class_weight": _read(plain.get("class_weight"))})
    labels, columns = model.labels, model.columns
    about = {
        "class": kind.name,
        "parameters": plain,
        **model.reading._asdict(),
        "class_type": _type_name(labels.classes),
        "class_order": labels.columns.tolist(),
        "classes_declared": labels.declared,
        "n_features_in": None if columns is None else columns.n,
        "feature_names_in": None if columns is None or columns.names is None else columns.names.tolist(),
        "feature_kinds_in": None if columns is None else columns.kinds,
    }
    sections: dict[str, Section] = {
        "estimator": json.dumps(about, allow_nan=False).encode(),
        "classes": encode_keys(labels.classes.tolist(), "classes"),
        "features": encode_keys(model.tree.named_keys(), "features"),
        "numbers": encode_keys(model.tree.number_keys(), "numbers"),
        "tree": model.tree.to_array().data,
    }
    if not model.tree.number_keys():
        del sections["numbers"]
    if isinstance(model, DynamicModel) and model.ids:
        sections["ids"] = write_ids(model.named_points())
    return sections


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
    numbers = decode_keys(sections.pop("numbers", b"[]"))
    ids = sections.pop("ids", None)
    if set(sections) != _SECTIONS:
        raise ModelFormatError(f"sections must be {_listed(_SECTIONS)}, got {_listed(set(sections))}")
    about = _Fields(sections["estimator"])
    names = {kind.name for kind in TREES}
    name = about.take("class", lambda value: isinstance(value, str) and value in names, f"one of {_listed(names)}")
    kind = tree_called(name)
    known = {each.name for each in kind.parameters}
    left_out = {each.name: each.default for each in kind.parameters if each.is_left_out}
    parameters = about.take(
        "parameters",
        lambda value: isinstance(value, dict) and known - set(left_out) <= set(value) <= known,
        f"an object of {_listed(known)}",
    )
    parameters = {**left_out, **parameters}
    try:
        if "class_weight" in parameters:
            parameters["class_weight"] = _read(parameters["class_weight"])
        make_tree(kind, parameters)
        reading = checked_reading(
            {
                "binarize": about.take("binarize", lambda value: value is None or _is_number(value), "a number"),
                "sparse_numbers": about.take("sparse_numbers", lambda value: isinstance(value, bool), "true or false"),
            }
        )
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"parameters must be those of a {name}: {error}") from None
    columns = _columns(about)
    tree = tree_of_bytes(kind, parameters, sections["tree"], decode_keys(sections["features"]), numbers)
    labels = _labels(about, _decode_classes(sections["classes"]))
    about.finish()
    n_classes = max(len(labels.order), _FEWEST_CLASSES)
    if tree.n_classes() != n_classes:
        raise ModelFormatError(f"class_order must have the {tree.n_classes()} classes of the tree, got {n_classes}")
    if len(labels.order) < n_classes and _has_others(tree, len(labels.order)):
        raise ModelFormatError(f"class_order must have every class with points, got {len(labels.order)}")
    if bool(labels.order) != (tree.n_met() > 0):
        raise ModelFormatError(f"class_order must be empty only without points, got {tree.n_met()} points")
    return make_learner(kind, parameters, model=_model(tree, reading, labels, columns, ids))


def _has_others(tree: CoreModel, n_classes: int) -> bool:
    """Whether a node has points of another class than the first few."""
    trees = [tree.tree(i) for i in range(tree.n_trees())] if isinstance(tree, _core.Forest) else [tree]
    return any(each.nodes()["counts"][:, n_classes:].any() for each in trees)


def _model(tree: CoreModel, reading: Reading, labels: Labels, columns: Columns | None, ids: bytes | None) -> TreeModel:
    if not isinstance(tree, _core.DynamicTree):
        if ids is not None:
            raise ModelFormatError("points must have ids only if they can be forgotten, got some")
        if isinstance(tree, _core.Forest):
            return ForestModel(cast("CoreTree", tree), reading, labels, columns)
        return TreeModel(tree, reading, labels, columns)
    if list(labels.order) != labels.in_order:
        raise ModelFormatError("class_order must be that of the classes, got another")
    if 0 in tree.class_counts()[: len(labels.order)]:
        raise ModelFormatError("class_order must have classes with points only, got one without")
    named = [] if ids is None else read_ids(ids, tree)
    if not named and tree.named_weights(tree.points_in_order()).any():
        raise ModelFormatError("points that are kept for ids must have them, got none")
    return DynamicModel(tree, reading, labels, columns, named)


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
    keys = _decode_classes(classes.encode())
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
    kinds = about.take("feature_kinds_in", lambda v: _are_kinds(v, n), f"a word, or one for each of the {n} columns")
    if n is None:
        return None
    if names is not None and len(set(names)) < len(names):
        raise ModelFormatError("feature_names_in must be unique, got a name twice")
    return Columns(
        n, None if names is None else np.array(names, dtype=object), tuple(kinds) if isinstance(kinds, list) else kinds
    )


def _are_kinds(kinds: Any, n: int | None) -> bool:
    """Whether this says what n columns hold: a word for all, or a word or null for each; of no columns nothing."""
    if isinstance(kinds, list):
        return len(kinds) == n and all(kind is None or kind in KINDS for kind in kinds)
    return kinds is None if n is None else kinds in KINDS


def _decode_classes(data: bytes) -> list[Key]:
    """Return labels, which are looked up in dictionaries: more than a few of one hash were chosen to make that slow."""
    keys = decode_keys(data)
    hashes = Counter(map(hash, keys))
    if (most := max(hashes.values(), default=0)) > _MOST_OF_ONE_HASH:
        raise ModelFormatError(f"classes must have different hashes, got {most} that have the same")
    return keys


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
        raise ModelFormatError(
            f"class_order must have all classes if none is declared, {len(labels)}, got {len(order)}"
        )
    try:
        for label in labels:
            as_label(label)
    except (TypeError, ValueError) as error:
        raise ModelFormatError(f"classes must be labels: {error}") from None
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
