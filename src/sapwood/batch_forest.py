"""Forests whose trees have learned by batches, as ``sapwood.spark`` makes them: they answer anywhere, without Spark."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.exceptions import ModelFormatError
from sapwood.model_files.files import write_atomically
from sapwood.model_files.sections import pack, unpack
from sapwood.trees import StreamingTreeClassifier

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray
    from typing_extensions import Self

__all__ = ["BatchForest", "pack_forest", "unpack_forest"]

_SECTIONS = ("forest", "trees")
_FIELDS = {"lambda_value", "seed", "sizes"}


class BatchForest:
    """Trees that have learned the same batches, each point as often as each tree drew it.

    The answer is the mean of the probabilities of the trees, each of which is a `StreamingTreeClassifier` to explain,
    draw and export. A tree that drew no point yet is not among them. It answers; what learns is
    `sapwood.spark.SparkForestClassifier`.

    Guarantee: the same answers as those of the model that it comes from, and of the file that ``save`` writes.

    Parameters
    ----------
    trees
        The trees, at least one, all of the same classes.
    lambda_value, seed
        What the draws were made of.
    """

    def __init__(self, trees: Sequence[StreamingTreeClassifier], lambda_value: float, seed: int) -> None:
        if not trees:
            raise ValueError("BatchForest: trees must be at least one, got none")
        classes = {tuple(tree.classes_.tolist()) for tree in trees}
        if len(classes) > 1:
            raise ValueError(f"BatchForest: trees must have the same classes, got {len(classes)} different ones")
        self.estimators_ = list(trees)
        self.lambda_value = lambda_value
        self.seed = seed

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of the probabilities."""
        return self.estimators_[0].classes_

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for each row: the mean of those of the trees."""
        found: NDArray[np.float64] = np.mean([tree.predict_proba(X) for tree in self.estimators_], axis=0)
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; of several, the first."""
        found: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found

    def predict_proba_one(self, x: Any) -> dict[Hashable, float]:
        """Return the probability of each class for one point."""
        of_trees = [tree.predict_proba_one(x) for tree in self.estimators_]
        return {label: float(np.mean([each[label] for each in of_trees])) for label in self.classes_.tolist()}

    def predict_one(self, x: Any) -> Hashable:
        """Return the most probable class of one point; of several, the first."""
        answers = self.predict_proba_one(x)
        return max(answers, key=lambda label: answers[label])

    def to_bytes(self) -> bytes:
        """Return the forest as the bytes of a file."""
        return pack_forest([tree.to_bytes() for tree in self.estimators_], self.lambda_value, self.seed)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the forest that ``to_bytes`` wrote.

        Raises
        ------
        ModelFormatError
            If the bytes are those of no forest.
        """
        trees, lambda_value, seed = unpack_forest(data)
        try:
            return cls([StreamingTreeClassifier.from_bytes(tree) for tree in trees if tree], lambda_value, seed)
        except ValueError as error:
            raise ModelFormatError(f"a forest must be one of trees that go together: {error}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file, all or nothing."""
        write_atomically(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the forest of a file that ``save`` wrote. Raises ModelFormatError."""
        return cls.from_bytes(Path(path).read_bytes())


def pack_forest(trees: Sequence[bytes], lambda_value: float, seed: int) -> bytes:
    """Return the files of trees as one file; a tree without points has no bytes."""
    about = {"lambda_value": lambda_value, "seed": seed, "sizes": [len(tree) for tree in trees]}
    return pack({"forest": json.dumps(about, allow_nan=False).encode(), "trees": b"".join(trees)})


def unpack_forest(data: bytes) -> tuple[list[bytes], float, int]:
    """Return what ``pack_forest`` was given. Raises ModelFormatError."""
    sections = unpack(data, _SECTIONS)
    try:
        about = json.loads(sections["forest"])
    except (ValueError, RecursionError):
        raise ModelFormatError("forest must be JSON, got other bytes") from None
    if not isinstance(about, dict) or set(about) != _FIELDS:
        raise ModelFormatError(f"forest must have the fields {', '.join(sorted(_FIELDS))}, got others")
    mean, seed, sizes = about["lambda_value"], about["seed"], about["sizes"]
    if isinstance(mean, bool) or not isinstance(mean, (int, float)) or not mean >= 0:
        raise ModelFormatError(f"lambda_value must be a number from 0 on, got {repr(mean)[:80]}")
    if not _is_natural(seed):
        raise ModelFormatError(f"seed must be a whole number from 0 on, got {repr(seed)[:80]}")
    if not isinstance(sizes, list) or not all(map(_is_natural, sizes)) or sum(sizes) != len(sections["trees"]):
        raise ModelFormatError(f"sizes must add up to the {len(sections['trees'])} bytes of the trees, got others")
    ends = np.cumsum([0, *sizes]).tolist()
    return [sections["trees"][a:b] for a, b in pairwise(ends)], float(mean), seed


def _is_natural(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
