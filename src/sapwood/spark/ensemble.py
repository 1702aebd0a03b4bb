"""The trees of the driver: a single one, or those of a forest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sapwood.batch_forest import pack_forest, unpack_forest
from sapwood.spark.counting import Draws
from sapwood.spark.grower import Grower

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from sapwood import _core
    from sapwood.spark.columns import Given

__all__ = ["Ensemble", "ForestEnsemble"]


ShardsOf = Callable[[int], "list[_core.Shard]"]
"""What the shards of a tree, by its number, have counted."""


def digest_of(tree: bytes, number: int, shards_of: ShardsOf | None) -> str:
    """Return a hash of a tree with what its shards have counted: that of the same tree without shards."""
    grower = Grower.from_bytes(tree)
    if shards_of is None:
        return grower.digest()
    return grower.digest_with(*grower.tree.assembled(shards_of(number)))


def afresh(tree: bytes) -> bytes:
    """Return the file of a tree that answers the same, and whose leaves have counted nothing to split on."""
    grower = Grower.from_bytes(tree)
    grower.tree.count_afresh()
    return grower.to_bytes()


class Ensemble:
    """A single tree, which learns every point as often as its weight says."""

    def __init__(self, growers: Sequence[Grower]) -> None:
        self.growers = list(growers)

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes in the order of their numbers."""
        return self.growers[0].classes

    def draws(self, batch: int) -> Draws | None:  # noqa: ARG002 - of forests
        """Return how often each tree learns each point of a batch; None: as often as its weight says."""
        return None

    def n_points(self) -> int:
        """Return the points that were learned, by weight; of a forest those that all trees drew, on average."""
        return round(float(np.mean([grower.tree.n() for grower in self.growers])))

    def n_leaves(self) -> int:
        """Return the leaves of all trees."""
        return sum(grower.tree.n_leaves() for grower in self.growers)

    def has_learned(self) -> bool:
        """Whether a tree has met a point."""
        return any(grower.tree.n_met() > 0 for grower in self.growers)

    def predict_proba(self, given: Given) -> NDArray[np.float64]:
        """Return the probability of each class for points: the mean of those of trees that have met a point."""
        asked = [grower for grower in self.growers if grower.tree.n_met() > 0]
        found: NDArray[np.float64] = np.mean([grower.predict_proba(given) for grower in asked], axis=0)
        return found

    def to_bytes(self) -> bytes:
        """Return the file of the model; nothing if no tree has met a point."""
        return self.growers[0].to_bytes() if self.has_learned() else b""

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what answers as the model of a file does. Raises ModelFormatError."""
        return cls([Grower.from_bytes(data)])

    def go_on(self, data: bytes) -> None:
        """Go on from what `to_bytes` gave, in place of trees that have learned nothing."""
        self.growers = [Grower.from_bytes(data)]

    @staticmethod
    def counting_afresh(data: bytes) -> bytes:
        """Return the file of a model that answers the same, and whose leaves have counted nothing to split on."""
        return afresh(data)

    @staticmethod
    def n_trees(data: bytes) -> int:  # noqa: ARG004 - of forests
        """Return how many trees the model of a file has, also those that have met no point."""
        return 1

    @staticmethod
    def digest(data: bytes, shards_of: ShardsOf | None = None) -> str:
        """Return a hash of all that the model of a file has learned, with what the shards of its trees have counted."""
        return digest_of(data, 0, shards_of)


class ForestEnsemble(Ensemble):
    """The trees of a forest, each of which draws how often it learns a point."""

    def __init__(self, growers: Sequence[Grower], lambda_value: float, seed: int) -> None:
        super().__init__(growers)
        self.lambda_value = lambda_value
        self.seed = seed

    def draws(self, batch: int) -> Draws:
        """Return how often each tree learns each point of a batch."""
        return Draws(self.lambda_value, self.seed, batch)

    def to_bytes(self) -> bytes:
        """Return the file of the forest; nothing if no tree has met a point."""
        if not self.has_learned():
            return b""
        trees = [grower.to_bytes() if grower.tree.n_met() > 0 else b"" for grower in self.growers]
        return pack_forest(trees, self.lambda_value, self.seed)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what answers as the forest of a file does. Raises ModelFormatError."""
        trees, lambda_value, seed = unpack_forest(data)
        return cls([Grower.from_bytes(tree) for tree in trees if tree], lambda_value, seed)

    def go_on(self, data: bytes) -> None:
        """Go on from what `to_bytes` gave; raise ValueError if that is of other draws, or as many trees as it has not.

        A tree that has met no point yet is the one that is here.
        """
        trees, lambda_value, seed = unpack_forest(data)
        for name, theirs, mine in (
            ("n_estimators", len(trees), len(self.growers)),
            ("lambda_value", lambda_value, self.lambda_value),
            ("seed", seed, self.seed),
        ):
            if theirs != mine:
                raise ValueError(f"{name} must be as in the checkpoint, {theirs!r}, got {mine!r}")
        self.growers = [
            Grower.from_bytes(tree) if tree else mine for tree, mine in zip(trees, self.growers, strict=True)
        ]

    @staticmethod
    def counting_afresh(data: bytes) -> bytes:
        """Return the file of a forest that answers the same, and whose leaves have counted nothing to split on."""
        trees, lambda_value, seed = unpack_forest(data)
        return pack_forest([afresh(tree) if tree else tree for tree in trees], lambda_value, seed)

    @staticmethod
    def n_trees(data: bytes) -> int:
        """Return how many trees the forest of a file has, also those that have met no point."""
        return len(unpack_forest(data)[0])

    @staticmethod
    def digest(data: bytes, shards_of: ShardsOf | None = None) -> str:
        """Return a hash of all that the forest of a file has learned, with what the shards of its trees have."""
        trees, lambda_value, seed = unpack_forest(data)
        of_trees = [digest_of(tree, number, shards_of) if tree else "" for number, tree in enumerate(trees)]
        return hashlib.sha256(repr((of_trees, lambda_value, seed)).encode()).hexdigest()
