"""The size and the history of a tree in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeAlias

from sapwood import _core

if TYPE_CHECKING:
    from sapwood.inspect.core_tree import CoreTree

__all__ = ["DynamicTreeSummary", "ForestSummary", "Summary", "TreeSummary", "summary_of"]


def _only_if_any() -> int:
    """Declare a count that only some learners have: it is told where there is any."""
    return field(default=0, metadata={"if_any": True})


class _Table:
    """What prints as a table of its fields."""

    def told(self) -> dict[str, int]:
        """Return the fields; what only some learners have is not told of the others."""
        every = fields(self)  # type: ignore[arg-type]  # summaries are data classes
        values = {each.name: getattr(self, each.name) for each in every}
        return {each.name: values[each.name] for each in every if not each.metadata.get("if_any") or values[each.name]}

    def __str__(self) -> str:
        told = self.told()
        width = max(map(len, told))
        return "\n".join(f"{name:<{width}}  {value:>13,}" for name, value in told.items())


@dataclass(frozen=True)
class TreeSummary(_Table):
    """The size and the history of a streaming tree. It prints as a table."""

    n_points: int
    """The number of points learned, counted with their weights."""
    n_features_seen: int
    """The number of features that were on in at least one point."""
    n_classes: int
    """The number of classes, including those declared and not yet seen."""
    n_nodes: int
    """The number of nodes, inner nodes and leaves."""
    n_leaves: int
    """The number of leaves."""
    depth: int
    """The largest number of tests between the root and a leaf."""
    tree_bytes: int
    """The memory of the tree in bytes, which ``max_bytes`` limits."""
    vocabulary_bytes: int
    """The memory of the features in bytes: their index and their names, which ``max_name_bytes`` limits."""
    n_splits_tried: int
    """The number of split tests."""
    n_splits_made: int
    """The number of leaves that were split."""
    n_splits_remade: int
    """The number of inner nodes that were split anew, on another feature."""
    n_nodes_pruned: int
    """The number of nodes given up when an inner node was split anew."""
    n_paused: int
    """The number of nodes that are paused: they do not look for splits, for lack of memory."""
    recent_bytes: int = _only_if_any()
    """The part of ``tree_bytes`` that holds recent points, in a tree that follows a changing stream."""
    n_drifts: int = _only_if_any()
    """The number of times that the error of a node was found to have changed."""
    n_alternates_started: int = _only_if_any()
    """The number of alternates that began to learn beside a node."""
    n_alternates_swapped: int = _only_if_any()
    """The number of alternates that took the place of their node."""
    n_alternates_dropped: int = _only_if_any()
    """The number of alternates that were given up."""

    @staticmethod
    def of(tree: _core.Tree, n_classes: int) -> TreeSummary:
        """Return the summary of a native tree."""
        done = tree.tally()
        return TreeSummary(
            n_points=tree.n(),
            n_features_seen=tree.n_features_seen(),
            n_classes=n_classes,
            n_nodes=tree.n_nodes(),
            n_leaves=tree.n_leaves(),
            depth=tree.depth(),
            tree_bytes=tree.n_bytes(),
            vocabulary_bytes=tree.vocabulary_bytes(),
            n_splits_tried=done["tested"],
            n_splits_made=done["split"],
            n_splits_remade=done["resplit"],
            n_nodes_pruned=done["pruned"],
            n_paused=int(tree.nodes()["paused"].sum()),
            recent_bytes=tree.recent_bytes(),
            n_drifts=done["drifts"],
            n_alternates_started=done["alternates_started"],
            n_alternates_swapped=done["alternates_swapped"],
            n_alternates_dropped=done["alternates_dropped"],
        )


@dataclass(frozen=True)
class DynamicTreeSummary(_Table):
    """The size and the work of a tree that forgets. It prints as a table."""

    n_points: int
    """The number of points held, counted with their weights."""
    n_distinct_points: int
    """The number of different points held: equal points of one class are stored once."""
    n_features_seen: int
    """The number of features that are on in at least one point held."""
    n_classes: int
    """The number of classes, including those declared and not yet seen."""
    n_nodes: int
    """The number of nodes, inner nodes and leaves."""
    n_leaves: int
    """The number of leaves."""
    depth: int
    """The largest number of tests between the root and a leaf."""
    points_bytes: int
    """The memory of the points in bytes."""
    statistics_bytes: int
    """The memory of the counts of features at nodes in bytes."""
    nodes_bytes: int
    """The memory of all else in the tree in bytes."""
    tree_bytes: int
    """The sum of the three, which ``max_bytes`` limits."""
    vocabulary_bytes: int
    """The memory of the features in bytes: their index and their names, which ``max_bytes`` does not limit."""
    n_nodes_settled: int
    """The number of times that a node was looked at because points had come or gone."""
    n_subtrees_rebuilt: int
    """The number of times that a node and all below it were built anew."""
    n_points_rebuilt: int
    """The number of points below these nodes, over all times."""
    ids_bytes: int = _only_if_any()
    """The memory of the ids of points in bytes, where points have ids; ``max_bytes`` does not limit it."""

    @staticmethod
    def of(tree: _core.DynamicTree, n_classes: int) -> DynamicTreeSummary:
        """Return the summary of a native tree."""
        done = tree.tally()
        points, statistics, together = tree.points_bytes(), tree.statistics_bytes(), tree.n_bytes()
        return DynamicTreeSummary(
            n_points=tree.n(),
            n_distinct_points=tree.n_distinct(),
            n_features_seen=tree.n_features_seen(),
            n_classes=n_classes,
            n_nodes=tree.n_nodes(),
            n_leaves=tree.n_leaves(),
            depth=tree.depth(),
            points_bytes=points,
            statistics_bytes=statistics,
            nodes_bytes=together - points - statistics,
            tree_bytes=together,
            vocabulary_bytes=tree.vocabulary_bytes(),
            n_nodes_settled=done["tested"],
            n_subtrees_rebuilt=done["resplit"],
            n_points_rebuilt=done["points_rebuilt"],
        )


@dataclass(frozen=True)
class ForestSummary(_Table):
    """The size and the history of a forest. It prints as a table."""

    n_points: int
    """The number of points learned, counted with their weights."""
    n_features_seen: int
    """The number of features that were on in at least one point."""
    n_classes: int
    """The number of classes, including those declared and not yet seen."""
    n_trees: int
    """The number of trees that answer."""
    n_nodes: int
    """The number of nodes of these, inner nodes and leaves."""
    n_leaves: int
    """The number of leaves."""
    depth: int
    """The largest number of tests between a root and a leaf."""
    tree_bytes: int
    """The memory of all trees and of what they share in bytes, which ``max_bytes`` limits."""
    shared_bytes: int
    """The part of it that the trees share: the regressions of the whole stream."""
    vocabulary_bytes: int
    """The memory of the features in bytes: their index and their names, which ``max_name_bytes`` limits."""
    n_background: int
    """The number of trees that learn in the background, to take the place of one."""
    n_warnings: int
    """The number of times that a tree was thought to have become worse."""
    n_drifts: int
    """The number of times that one was found to have."""
    n_trees_swapped: int
    """The number of trees that took the place of one from the background."""
    n_trees_reset: int
    """The number of trees that started anew."""

    @staticmethod
    def of(forest: _core.Forest, n_classes: int) -> ForestSummary:
        """Return the summary of a native forest."""
        done = forest.tally()
        return ForestSummary(
            n_points=forest.n(),
            n_features_seen=forest.n_features_seen(),
            n_classes=n_classes,
            n_trees=forest.n_trees(),
            n_nodes=forest.n_nodes(),
            n_leaves=forest.n_leaves(),
            depth=forest.depth(),
            tree_bytes=forest.n_bytes(),
            shared_bytes=forest.shared_bytes(),
            vocabulary_bytes=forest.vocabulary_bytes(),
            n_background=forest.n_background(),
            n_warnings=done["warnings"],
            n_drifts=done["drifts"],
            n_trees_swapped=done["swapped"],
            n_trees_reset=done["reset"],
        )


Summary: TypeAlias = TreeSummary | DynamicTreeSummary | ForestSummary


def summary_of(tree: CoreTree, n_classes: int) -> TreeSummary | DynamicTreeSummary:
    """Return the summary of a tree of either kind."""
    if isinstance(tree, _core.DynamicTree):
        return DynamicTreeSummary.of(tree, n_classes)
    return TreeSummary.of(tree, n_classes)
