"""How a model grows along a stream: its size, and the splits that it makes and gives up."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sapwood.evaluate._faces import learner_of
from sapwood.evaluate._forest_growth import ForestGrowth, TreesSeen
from sapwood.inspect.core_tree import CoreForest, CoreModel, CoreTree
from sapwood.inspect.names import FeatureNames, teller_of_names
from sapwood.inspect.node_test import NodeTest, NodeTests
from sapwood.inspect.strongest_features import TopFeatures
from sapwood.inspect.view import TreeView
from sapwood.learner import ForestLearner

__all__ = ["SIZES", "ChangeSeen", "Growth", "SplitMade"]

SIZES = ("bytes", "nodes", "leaves", "depth")


@dataclass(frozen=True)
class SplitMade:
    """A split that a tree made.

    `feature` is what it asks: a feature, which is on or off, or a condition such as ``age > 37.5``. `at` is the number
    of points learned when it was made. `anew` says whether it took the place of another split of the same node. `until`
    is the number of points learned when it was first seen to be gone, None if it is still there.
    """

    at: int
    feature: str
    depth: int
    gain: float
    margin: float
    anew: bool
    until: int | None


@dataclass(frozen=True)
class ChangeSeen:
    """What a tree that follows its stream did between two records.

    `at` is the number of points learned at the second of the two. `drifts` counts the nodes whose error was found to
    have changed, `begun` the alternates that began to learn, `swapped` those that took the place of their node, and
    `dropped` those that were given up.
    """

    at: int
    drifts: int
    begun: int
    swapped: int
    dropped: int


# The counters of a tree that a change is made of, in the order of the fields above.
_OF_CHANGES = ("drifts", "alternates_started", "alternates_swapped", "alternates_dropped")


@dataclass
class _Event:
    test: NodeTest
    key: Hashable
    depth: int
    gain: float
    margin: float
    node: int
    anew: bool
    until: int | None = None


class Growth:
    """Watches a model grow. Of a model without a tree of ours nothing but its size is known, if that.

    Of a forest the sizes and answers of its trees are noted, and not their splits.

    A tree splits at most once at a point, so the point tells splits apart. They are looked for when sizes are recorded;
    one that was made and given up between two records is in the tally alone.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        tree = _tree_of(model)
        self._n_before = 0 if tree is None else tree.n()
        core = _core_of(model)
        self._tally_before = {} if core is None else core.tally()
        self._tally_seen = dict(self._tally_before)
        self._changes: list[ChangeSeen] = []
        self._forest = ForestGrowth(core if isinstance(core, CoreForest) else None)
        self._events: dict[int, _Event] = {}
        self._present: np.ndarray[Any, np.dtype[np.int64]] = np.zeros(0, dtype=np.int64)

    def sizes(self) -> dict[str, int | None]:
        """Return the bytes, nodes, leaves and depth of the model; None for what it does not tell."""
        core = _core_of(self._model)
        if core is not None:
            found = (core.n_bytes() + core.vocabulary_bytes(), core.n_nodes(), core.n_leaves(), core.depth())
            return dict(zip(SIZES, found, strict=True))
        return {
            "bytes": None,
            "nodes": _whole(self._model, "n_nodes"),
            "leaves": _whole(self._model, "n_leaves"),
            "depth": _whole(self._model, "height"),  # as river calls it
        }

    def look(self) -> None:
        """Note which splits were made and given up since the last look."""
        core = _core_of(self._model)
        if isinstance(core, CoreForest):
            self._forest.look(core)
        tree = _tree_of(self._model)
        if tree is None:
            return
        tally = tree.tally()
        more = [tally.get(name, 0) - self._tally_seen.get(name, 0) for name in _OF_CHANGES]
        if any(more):
            self._changes.append(ChangeSeen(tree.n() - self._n_before, *more))
            self._tally_seen.update({name: tally[name] for name in _OF_CHANGES})
        if all(tally[name] == self._tally_seen.get(name, 0) for name in ("split", "resplit")):
            return
        self._tally_seen = tally
        now = tree.n()
        nodes = tree.nodes()
        if "born" not in nodes:  # nothing tells when a split was made
            return
        inner = np.flatnonzero((nodes["feature"] >= 0) & (nodes["split_at"] > self._n_before))
        at = nodes["split_at"][inner]
        for moment in np.setdiff1d(self._present, at, assume_unique=True).tolist():
            self._events[moment].until = now
        last_of_node = {event.node: event for event in self._events.values() if event.until == now}
        new = inner[~np.isin(at, self._present)]
        asked = NodeTests(tree, None, "prequential") if len(new) else None
        for i in new[np.argsort(nodes["split_at"][new])].tolist():
            assert asked is not None
            test, key, _ = asked.of(i, int(nodes["kind"][i]), int(nodes["feature"][i]))
            node = int(nodes["born"][i])
            event = _Event(
                test=test,
                key=key,
                depth=int(nodes["depth"][i]),
                gain=float(nodes["gain"][i]),
                margin=float(nodes["margin"][i]),
                node=node,
                anew=node in last_of_node,
            )
            self._events[int(nodes["split_at"][i])] = event
        self._present = at

    def tally(self) -> dict[str, int]:
        """Return how often what was done since the first point.

        To a tree: splits, splits anew, nodes given up. To a forest: warnings, drifts, trees swapped in and begun anew.
        """
        core = _core_of(self._model)
        if core is None:
            return {}
        return {name: count - self._tally_before.get(name, 0) for name, count in core.tally().items()}

    def splits(self, feature_names: FeatureNames = None) -> tuple[SplitMade, ...]:
        """Return the splits in the order in which they were made."""
        tree = _tree_of(self._model)
        if tree is None:
            return ()
        self.look()
        name_of = teller_of_names(feature_names, "prequential")
        return tuple(
            SplitMade(
                at=at - self._n_before,
                feature=_asked(event.test, name_of(event.key)),
                depth=event.depth,
                gain=event.gain,
                margin=event.margin,
                anew=event.anew,
                until=None if event.until is None else event.until - self._n_before,
            )
            for at, event in sorted(self._events.items())
        )

    def changes(self) -> tuple[ChangeSeen, ...]:
        """Return what was done to follow the stream, record by record; nothing where nothing was."""
        self.look()
        return tuple(self._changes)

    def trees(self, records: Iterable[int]) -> tuple[TreesSeen, ...]:
        """Return what was seen of the trees of a forest at records, which are numbers of points."""
        return self._forest.seen(records)

    def view(self, feature_names: FeatureNames = None) -> TreeView | None:
        """Return a picture of the tree as it is now; None if there is none, or nothing was learned."""
        learner = learner_of(self._model)
        if learner is None or not learner.labels.order:
            return None
        if isinstance(learner, ForestLearner) and not learner.has_drawn():
            return None
        return learner.view(feature_names)

    def top_features(self, feature_names: FeatureNames = None) -> TopFeatures:
        """Return the features with the largest weights per class; nothing without a tree, or without models in it."""
        learner = learner_of(self._model)
        if learner is None or not learner.is_fitted or not learner.has_feature_weights:
            return {}
        return learner.top_features(feature_names=feature_names, owner="prequential")


def _asked(test: NodeTest, name: str) -> str:
    return name if test.kind == "is_on" else test.asked(name)


def _core_of(model: Any) -> CoreModel | None:
    """Return the tree or the forest of a model."""
    learner = learner_of(model)
    return None if learner is None or learner.model is None else learner.model.tree


def _tree_of(model: Any) -> CoreTree | None:
    """Return the tree of a model, whose splits are told; of a forest none, which has too many."""
    learner = learner_of(model)
    if learner is None or learner.model is None or isinstance(learner, ForestLearner):
        return None
    return learner.model.tree


def _whole(model: Any, name: str) -> int | None:
    value = getattr(model, name, None)
    return int(value) if isinstance(value, (int, np.integer)) else None
