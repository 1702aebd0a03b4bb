"""The size and the history of a tree in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood import _core

__all__ = ["TreeSummary"]


@dataclass(frozen=True)
class TreeSummary:
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
    """The memory of the index of the features in bytes, without their names."""
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
        )

    def __str__(self) -> str:
        width = max(len(each.name) for each in fields(self))
        return "\n".join(f"{each.name:<{width}}  {getattr(self, each.name):>13,}" for each in fields(self))
