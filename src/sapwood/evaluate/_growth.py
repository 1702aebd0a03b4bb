"""How a model grows along a stream: its size, and the splits that it makes and gives up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sapwood import _core
from sapwood.evaluate._faces import learner_of
from sapwood.inspect.names import FeatureNames, teller_of_names
from sapwood.inspect.top_features import TopFeatures
from sapwood.inspect.view import TreeView

__all__ = ["SIZES", "Growth", "SplitMade"]

SIZES = ("bytes", "nodes", "leaves", "depth")


@dataclass(frozen=True)
class SplitMade:
    """A split that a tree made.

    `at` is the number of points learned when it was made. `anew` says whether it took the place of another split of
    the same node. `until` is the number of points learned when it was first seen to be gone, None if it is still there.
    """

    at: int
    feature: str
    depth: int
    gain: float
    margin: float
    anew: bool
    until: int | None


@dataclass
class _Event:
    slot: int
    depth: int
    gain: float
    margin: float
    node: int
    anew: bool
    until: int | None = None


class Growth:
    """Watches a model grow. Of a model that has no tree of ours nothing but its size is known, if that.

    A tree splits at most once at a point, so the point tells splits apart. They are looked for when sizes are recorded;
    one that was made and given up between two records is in the tally alone.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        tree = _tree_of(model)
        self._n_before = 0 if tree is None else tree.n()
        self._tally_before = {} if tree is None else tree.tally()
        self._tally_seen = dict(self._tally_before)
        self._events: dict[int, _Event] = {}
        self._present: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(0, dtype=np.int64)

    def sizes(self) -> dict[str, int | None]:
        """Return the bytes, nodes, leaves and depth of the model; None for what it does not tell."""
        tree = _tree_of(self._model)
        if tree is not None:
            found = (tree.n_bytes() + tree.vocabulary_bytes(), tree.n_nodes(), tree.n_leaves(), tree.depth())
            return dict(zip(SIZES, found, strict=True))
        return {
            "bytes": None,
            "nodes": _whole(self._model, "n_nodes"),
            "leaves": _whole(self._model, "n_leaves"),
            "depth": _whole(self._model, "height"),  # as river calls it
        }

    def look(self) -> None:
        """Note which splits were made and given up since the last look."""
        tree = _tree_of(self._model)
        if tree is None:
            return
        tally = tree.tally()
        if all(tally[name] == self._tally_seen.get(name, 0) for name in ("split", "resplit")):
            return
        self._tally_seen = tally
        now = tree.n()
        nodes = tree.nodes()
        inner = np.flatnonzero((nodes["feature"] >= 0) & (nodes["split_at"] > self._n_before))
        at = nodes["split_at"][inner]
        for moment in np.setdiff1d(self._present, at, assume_unique=True).tolist():
            self._events[moment].until = now
        last_of_node = {event.node: event for event in self._events.values() if event.until == now}
        new = inner[~np.isin(at, self._present)]
        for i in new[np.argsort(nodes["split_at"][new])].tolist():
            node = int(nodes["born"][i])
            event = _Event(
                slot=int(nodes["feature"][i]),
                depth=int(nodes["depth"][i]),
                gain=float(nodes["gain"][i]),
                margin=float(nodes["margin"][i]),
                node=node,
                anew=node in last_of_node,
            )
            self._events[int(nodes["split_at"][i])] = event
        self._present = at

    def tally(self) -> dict[str, int]:
        """Return how often what was done to the tree since the first point: splits, splits anew, nodes given up."""
        tree = _tree_of(self._model)
        if tree is None:
            return {}
        return {name: count - self._tally_before.get(name, 0) for name, count in tree.tally().items()}

    def splits(self, feature_names: FeatureNames = None) -> tuple[SplitMade, ...]:
        """Return the splits in the order in which they were made."""
        tree = _tree_of(self._model)
        if tree is None:
            return ()
        self.look()
        keys = tree.keys()
        name_of = teller_of_names(feature_names, "prequential")
        return tuple(
            SplitMade(
                at=at - self._n_before,
                feature=name_of(keys[event.slot]),
                depth=event.depth,
                gain=event.gain,
                margin=event.margin,
                anew=event.anew,
                until=None if event.until is None else event.until - self._n_before,
            )
            for at, event in sorted(self._events.items())
        )

    def view(self, feature_names: FeatureNames = None) -> TreeView | None:
        """Return a picture of the tree as it is now; None if there is none, or nothing was learned."""
        learner = learner_of(self._model)
        return None if learner is None or not learner.labels.order else learner.view(feature_names)

    def top_features(self, feature_names: FeatureNames = None) -> TopFeatures:
        """Return the features with the largest weights per class; nothing without a tree, or without models in it."""
        learner = learner_of(self._model)
        if learner is None or not learner.is_fitted or not learner.has_feature_weights:
            return {}
        return learner.top_features(feature_names=feature_names, owner="prequential")


def _tree_of(model: Any) -> _core.Tree | None:
    learner = learner_of(model)
    return None if learner is None or learner.model is None else learner.model.tree


def _whole(model: Any, name: str) -> int | None:
    value = getattr(model, name, None)
    return int(value) if isinstance(value, (int, np.integer)) else None
