"""The classes of a stream: the order in which they came, which the core knows, and the order that users see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["NO_LABELS", "Labels", "as_classes", "as_label", "distinct", "error_of_label", "label_array"]

_KINDS = "biufUSO"  # what a label in an array may be; dates are not, as their items change type with their unit


@dataclass(frozen=True, eq=False)
class Labels:
    """The classes of a model. It never changes: a model that meets a class takes a new one.

    The core numbers classes in the order of first appearance, so that a tree does not depend on what they are called or
    on how its points arrived. Users see ``classes``: sorted where the labels can be compared, else as they appeared.
    """

    order: tuple[Hashable, ...]
    """The classes that were seen, in the order of the core."""
    classes: NDArray[Any]
    """All classes, those that were declared and not yet seen among them."""
    declared: bool
    """Whether users of matrices have said which classes there are."""
    index: dict[Hashable, int] = field(init=False)
    """The number of each class that was seen, in the core."""
    column: dict[Hashable, int] = field(init=False)
    """The number of each class in ``classes``."""
    columns: NDArray[np.intp] = field(init=False)
    """The number in ``classes`` of each class of the core."""
    unseen: tuple[Hashable, ...] = field(init=False)
    """The classes that were declared and not yet seen."""

    def __post_init__(self) -> None:
        column = {label: i for i, label in enumerate(self.classes.tolist())}
        set_ = object.__setattr__
        set_(self, "index", {label: i for i, label in enumerate(self.order)})
        set_(self, "column", column)
        set_(self, "columns", np.array([column[label] for label in self.order], dtype=np.intp))
        set_(self, "unseen", tuple(label for label in column if label not in self.index))

    @property
    def in_order(self) -> list[Hashable]:
        """The classes that were seen, in the order of ``classes``."""
        return [label for label in self.column if label in self.index]

    def seen(self, labels: Iterable[Hashable]) -> Labels:
        """Return the labels with some that have now been seen, in this order, after those seen before."""
        new = [label for label in labels if label not in self.index]
        if not new:
            return self
        classes = self.classes
        fresh = [label for label in new if label not in self.column]
        if fresh and _are_of_one_order([*self.column, *fresh]):
            classes = as_classes([*self.column, *fresh])
        else:
            # One by one: where labels cannot be compared, the order must not depend on how many come in a call.
            for label in fresh:
                classes = as_classes([*classes.tolist(), label])
        return Labels((*self.order, *new), classes, self.declared)

    def in_one_order(self) -> Labels:
        """Return the same labels in an order that does not tell how they came, those that were seen like all classes.

        Labels that cannot be compared are in the order of their types, then of their texts.
        """
        classes = self.classes
        if not self.declared:
            classes = as_classes(sorted(self.order, key=lambda label: (type(label).__name__, repr(label))))
        labels = Labels(self.order, classes, self.declared)
        return (
            labels if list(labels.order) == labels.in_order else Labels(tuple(labels.in_order), classes, self.declared)
        )

    def without(self, gone: Iterable[Hashable]) -> Labels:
        """Return the labels as if some had never been seen. Those that were declared stay so."""
        dropped = set(gone)
        order = tuple(label for label in self.order if label not in dropped)
        if self.declared:
            return Labels(order, self.classes, declared=True)
        return Labels(order, as_classes(order), declared=False) if order else NO_LABELS

    def declare(self, classes: NDArray[Any]) -> Labels:
        """Return the labels with all classes that there will be, which must hold those that were seen."""
        return Labels(self.order, classes, declared=True)


NO_LABELS = Labels((), np.empty(0, dtype=np.int64), declared=False)


def as_label(y: Any) -> Hashable:
    """Return a label as it is kept: a number of NumPy as Python's. Raises TypeError or ValueError for what is none."""
    if isinstance(y, np.generic):
        y = y.item()
    if y is None:
        raise ValueError("y must be a label, got None")
    try:
        hash(y)
    except TypeError:
        raise TypeError(f"y must be hashable, got {y!r}") from None
    try:
        is_itself = bool(y == y)  # noqa: PLR0124 - NaN is what does not equal itself
    except TypeError:  # nor does pandas.NA say that it does
        is_itself = False
    if not is_itself:
        raise ValueError(f"y must be a label that equals itself, got {y!r}")
    label: Hashable = y
    return label


def as_classes(labels: Sequence[Hashable]) -> NDArray[Any]:
    """Return distinct labels as an array: sorted if they can be compared, else in the order given.

    Text and numbers become arrays of their own type unless that would change them; all else is kept as objects.
    """
    try:
        ordered = sorted(labels)  # type: ignore[type-var]  # what cannot be compared says so itself
    except TypeError:
        ordered = list(labels)
    kinds = {type(label) for label in ordered}
    if kinds and (kinds <= {int, float} or kinds in ({bool}, {str})):
        try:
            typed = np.array(ordered)
        except OverflowError:
            typed = np.empty(0)
        # Text loses the zeros at its end, and large integers their last digits.
        if typed.dtype.kind in "bifU" and typed.tolist() == ordered:
            return typed
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    return classes


def _are_of_one_order(labels: Sequence[Hashable]) -> bool:
    """Whether all are text, or all integers that an array holds: whatever their order, they end as the same classes."""
    kinds = {type(label) for label in labels}
    return kinds == {str} or (kinds == {int} and all(-(2**63) <= label < 2**63 for label in labels))  # type: ignore[operator]


def label_array(y: Any) -> Any:
    """Return labels as an array; 1 beside "1" stays a number, of which NumPy would make text. Arrays are left alone."""
    if not isinstance(y, (list, tuple)):
        return y
    array = np.asarray(y)
    text = {"U": str, "S": bytes}.get(array.dtype.kind)
    if text is None or array.ndim != 1 or all(isinstance(label, text) for label in y):
        return array
    objects = np.empty(len(y), dtype=object)
    objects[:] = y
    return objects


def distinct(y: NDArray[Any], name: str = "y") -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the distinct labels of an array, as classes, and the number of each of its items among them."""
    if y.dtype.kind not in _KINDS:
        raise ValueError(f"{name} must hold numbers, strings or objects, got an array of {y.dtype}")
    if y.dtype.char == "g":
        # Neither Python nor the file of a model has such numbers.
        y = y.astype(np.float64)
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(f"{name} must hold labels that equal themselves, got nan")
    if y.dtype.kind != "O":
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.reshape(-1)
    items = [_as_item(label, name) for label in y.tolist()]
    classes = np.empty(len(set(items)), dtype=object)
    classes[:] = as_classes(list(dict.fromkeys(items))).tolist()
    column = {label: i for i, label in enumerate(classes.tolist())}
    return classes, np.fromiter((column[label] for label in items), np.intp, len(items))


def _as_item(label: Any, name: str) -> Hashable:
    try:
        return as_label(label)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold labels: {error}") from None


def error_of_label(error: Exception, y: Any) -> Exception:
    """Say that a label must be hashable if that was the error."""
    if isinstance(error, TypeError):
        try:
            hash(y)
        except TypeError:
            return TypeError(f"y must be hashable, got {y!r}")
    return error
