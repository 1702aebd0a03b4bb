"""The tree of the driver: it never sees a row, and grows by what workers have counted."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data.csr import kept
from sapwood.data.labels import as_classes
from sapwood.learner import make_learner
from sapwood.model_files import tree_file
from sapwood.parameters import tree_called
from sapwood.spark.counting import Counts, Sent

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from sapwood.spark.columns import Given
    from sapwood.spark.mixed import Numbers

__all__ = ["Grower"]

_KIND = tree_called("StreamingTreeClassifier")


class Grower:
    """A tree that grows by deltas, with the parameters and the bytes of ``StreamingTreeClassifier(batch_growth=True)``.

    Guarantee: after the same batches it is the tree that ``partial_fit`` makes of their rows on one machine.
    """

    def __init__(self, parameters: dict[str, Any], classes: Sequence[Hashable], owner: str) -> None:
        self._learner = make_learner(_KIND, parameters, owner=owner)
        self._model = self._learner.begin(as_classes(list(classes)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the grower that `to_bytes` wrote."""
        made = cls.__new__(cls)
        made._learner = tree_file.from_bytes(data)
        made._model = made._learner.fitted()
        return made

    def to_bytes(self) -> bytes:
        """Return the model as the file of a ``StreamingTreeClassifier``; it must have met a point."""
        return tree_file.to_bytes(_KIND, self._learner.parameters, self._model)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the tree."""
        return dict(self._learner.parameters)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes in the order of their numbers."""
        return tuple(self._model.labels.classes.tolist())

    @property
    def tree(self) -> _core.Tree:
        """The tree of the core."""
        assert isinstance(self._model.tree, _core.Tree)
        return self._model.tree

    def digest(self) -> str:
        """Return a hash of all that was learned; that of one machine after the same batches is the same."""
        ids = _core.ids_of_names([*self.tree.named_keys(), *self.tree.number_keys()])
        return self.digest_with(self.tree.to_bytes(), ids)

    def digest_with(self, data: bytes, ids: NDArray[np.uint64]) -> str:
        """Return the hash of a tree: of these bytes, these ids of features and numbers, and its classes."""
        found = hashlib.sha256(data)
        found.update(ids.astype("<u8").tobytes())
        found.update(repr(self.classes).encode())
        return found.hexdigest()

    def unnamed(self, delta: _core.Delta) -> NDArray[np.uint64]:
        """Return the ids of texts of which the names are not known."""
        return self.tree.unnamed(delta)

    def must_look(self, numbers: Sequence[str]) -> bool:
        """Whether the values of some numbers, which are named with that, must be known before they are counted."""
        self.tree.ids_of_numbers(list(numbers), True)
        router = self.tree.router()
        return not all(router.is_settled(each) for each in _core.ids_of_names(numbers).tolist())

    def unnamed_of(self, ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return those ids that are of texts of which the names are not known."""
        known = _core.ids_of_names(self.tree.named_keys())
        texts = np.unique(ids[ids >= np.uint64(_core.MAX_COLUMNS)])
        return texts[~np.isin(texts, known)]

    def name(self, names: dict[int, str]) -> None:
        """Learn the names of ids."""
        self.tree.ids_of_keys([names[each] for each in sorted(names)], True)

    def sent(self) -> Sent:
        """Return what workers need to count for this tree."""
        router = self.tree.router().to_bytes()
        if not self.tree.learns_gradients():
            return Sent(router)
        return Sent(router, self.tree.answers(), self.tree.named_keys(), self.tree.number_keys())

    def learn(self, counts: Counts) -> int:
        """Learn what workers counted, and split the leaves for which it is time; return how many."""
        self.tree.absorb(counts.delta, counts.gradients)
        return self.tree.grow()

    def predict_proba(self, given: Given) -> NDArray[np.float64]:
        """Return the probability of each class for points by the ids on which all agree; unknown ones are left out."""
        indptr, ids, numbers = given
        keys = ids.astype(np.int64).astype(np.int32)
        is_text = ids >= np.uint64(_core.MAX_COLUMNS)
        if is_text.any():
            known, of_known = self._text_keys
            places = np.minimum(np.searchsorted(known, ids), max(len(known) - 1, 0))
            found = known[places] == ids if len(known) else np.zeros(len(ids), dtype=bool)
            texts = np.where(found, of_known[places] if len(known) else -1, -1)
            keys = np.where(is_text, texts, keys).astype(np.int32)
            indptr, keys = kept(indptr, keys, keys >= 0)
        return self.tree.predict_proba(indptr, keys, None if numbers is None else self._known_numbers(numbers))

    def _known_numbers(self, numbers: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return numbers by their keys in the core; those that the tree has not met are left out."""
        indptr, ids, values = numbers
        names = self.tree.number_keys()
        known = self.tree.ids_of_numbers(names, False)
        keys = dict(zip(_core.ids_of_names(names).tolist(), known.tolist(), strict=True))
        found, places = np.unique(ids, return_inverse=True)
        of_found = np.array([keys.get(each, -1) for each in found.tolist()], dtype=np.int32)
        each = of_found[places.reshape(-1)] if len(found) else np.empty(0, np.int32)
        return (*kept(indptr, each, each >= 0), values[each >= 0])

    @cached_property
    def _text_keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The ids of the texts that the tree knows, ascending, and their keys in the core."""
        names = [name for name in self.tree.named_keys() if isinstance(name, str)]
        ids = _core.ids_of_names(names)
        order = np.argsort(ids)
        return ids[order], self.tree.ids_of_keys(names, False)[order]
