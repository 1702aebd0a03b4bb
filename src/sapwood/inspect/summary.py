"""What a tree is and what it has done, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood import _core

__all__ = ["TreeSummary"]


@dataclass(frozen=True)
class TreeSummary:
    """The size of a streaming tree, and what it has tried and done. It prints as a table."""

    n_points: int
    """The points learned, each as often as its weight says."""
    n_features_seen: int
    """The features that were on in at least one of them."""
    n_classes: int
    """The classes, those declared and not yet seen among them."""
    n_nodes: int
    """The nodes of the tree, inner ones and leaves."""
    n_leaves: int
    """The leaves of the tree."""
    depth: int
    """The tests between the root and the leaf that is farthest from it."""
    tree_bytes: int
    """The memory of the tree, which is what ``max_bytes`` limits."""
    vocabulary_bytes: int
    """The memory of the index of the features, without the objects that they are called by."""
    n_splits_tried: int
    """Times a split was looked for."""
    n_splits_made: int
    """Leaves that were split."""
    n_splits_remade: int
    """Inner nodes that were split anew, on another feature."""
    n_nodes_pruned: int
    """Nodes given up for that."""
    n_paused: int
    """Nodes that at present do not learn about splits, for want of memory."""

    @staticmethod
    def of(tree: _core.Tree, n_classes: int) -> TreeSummary:
        """Return the summary of a tree of the core."""
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
