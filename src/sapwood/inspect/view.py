"""A snapshot of a tree, from which texts, tables and pictures of it are made."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sapwood import _core
from sapwood.inspect.core_tree import CoreTree
from sapwood.inspect.names import FeatureNames
from sapwood.inspect.node_test import NodeTest, NodeTests

__all__ = ["NodeView", "TreeView", "check_depth", "places_of"]


@dataclass(frozen=True)
class NodeView:
    """One node of a tree.

    `counts` are the points per class that passed through the node: for the root all points of the stream, for another
    inner node those that came since it was made, for a leaf those and the points that the split of its parent implies,
    with which it starts. So an inner node above two leaves has the points of both. An inner node above inner nodes has
    more than they have: the `split_after` points on which its split was decided came before they were made. `gain` and
    `margin` are computed on those; in a `StreamingTreeClassifier`, where inner nodes count a sample of their points, on
    that sample if the split was made anew. With ``revision="restructure"`` a node that was copied has the points of its
    leaves, and a `split_after` of 0. The counts of inner nodes may be too low in a tree limited by ``max_bytes``, where
    points that came while a leaf below had no statistics may be missing. A tree that forgets
    has at every node the points held that reach it; `split_after` and `split_at` are those of the node and of the tree
    now.
    """

    number: int  # from the root, 0, on: each before its children, off before on
    parent: int | None
    depth: int
    key: Hashable | None  # the feature tested, as the model knows it; None in a leaf, as are the next eight
    feature: str | None  # and as it is shown
    test: NodeTest | None  # the test of it
    off: int | None
    on: int | None
    gain: float | None
    margin: float | None  # how far the gain was ahead of the second best
    split_after: int | None  # the points of the node on which its split was decided
    split_at: int | None  # the points of the stream when it was split
    counts: tuple[int, ...]
    n: int
    shares: tuple[float, ...]  # of each class; equal where there is no point
    majority: int  # the place of the most frequent class; of several the first, as in predict
    model: str | None  # of a leaf: which model answers
    right: dict[str, int] | None  # of a leaf: how often each model has been right, with its forebears
    learning: bool  # whether it keeps statistics for a split
    paused: bool  # whether it gave them up for want of memory
    n_below: int  # the nodes of the subtree, with this one

    @property
    def is_leaf(self) -> bool:
        """Whether the node tests nothing."""
        return self.feature is None

    def ends(self, max_depth: int | None) -> bool:
        """Return whether nothing below the node is shown in a picture down to `max_depth`; None is no limit."""
        return self.is_leaf or (max_depth is not None and self.depth >= max_depth)


@dataclass(frozen=True)
class TreeView:
    """A snapshot of a tree, which later learning does not change.

    Nodes are in pre-order and refer to each other by number. Nothing about a view recurses, because text makes chains
    of thousands of nodes.
    """

    nodes: tuple[NodeView, ...]
    classes: tuple[Any, ...]
    criterion: str
    n: int  # points learned, by weight

    @staticmethod
    def of(
        tree: CoreTree,
        classes: Sequence[Any],
        feature_names: FeatureNames = None,
        criterion: str = "entropy",
        in_order: Sequence[Any] | None = None,
        *,
        owner: str = "TreeView.of",
    ) -> TreeView:
        """Return the view of a native tree.

        Parameters
        ----------
        tree : _core.Tree or _core.DynamicTree
            The tree.
        classes : sequence
            The label of each class, in the order of the tree. It may leave out the last ones, which have no points.
        feature_names : function, mapping, sequence of the names of columns or None
            What features are called where they are shown.
        criterion : str
            The criterion of the tree: gains are in bits for entropy.
        in_order : sequence or None
            The same labels in the order of the view; None: as they are.
        owner : str
            The function whose parameter `feature_names` is, for what it says of wrong ones.
        """
        nodes = tree.nodes()
        # Read after the nodes: features are only ever added, so each node's is among them.
        asked = NodeTests(tree, feature_names, owner)
        n_classes = nodes["counts"].shape[1]
        if not 0 < len(classes) <= n_classes:
            raise ValueError(f"TreeView.of: classes must be 1 to {n_classes} labels, got {list(classes)!r}")
        places = places_of(classes, in_order)
        passed = _passed(nodes)
        counts = passed[:, places]
        n = counts.sum(axis=1)
        chosen_for = nodes["counts"].sum(axis=1).tolist()
        shares = np.where(n[:, np.newaxis] > 0, counts / np.maximum(n, 1)[:, np.newaxis], 1 / len(classes)).tolist()
        majority = counts.argmax(axis=1).tolist()
        n_below = _sizes(nodes["parent"])
        column = {name: values.tolist() for name, values in nodes.items()}
        views = []
        for i, slot in enumerate(column["feature"]):
            is_leaf = slot < 0
            test, key, feature = (None, None, None) if is_leaf else asked.of(i, column["kind"][i], slot)
            views.append(
                NodeView(
                    number=i,
                    parent=None if i == 0 else column["parent"][i],
                    depth=column["depth"][i],
                    key=key,
                    feature=feature,
                    test=test,
                    off=None if is_leaf else column["off"][i],
                    on=None if is_leaf else column["on"][i],
                    gain=None if is_leaf else column["gain"][i],
                    margin=None if is_leaf else column["margin"][i],
                    split_after=None if is_leaf else chosen_for[i],
                    split_at=None if is_leaf else column["split_at"][i],
                    counts=tuple(counts[i].tolist()),
                    n=int(n[i]),
                    shares=tuple(shares[i]),
                    majority=majority[i],
                    model=_core.LEAF_MODELS[column["model"][i]] if is_leaf else None,
                    # Of the models that a leaf chooses among; a mix is not one of them.
                    right=dict(zip(_core.LEAF_MODELS, column["right"][i], strict=False)) if is_leaf else None,
                    learning=bool(column["learning"][i]),
                    paused=bool(column["paused"][i]),
                    n_below=n_below[i],
                )
            )
        return TreeView(tuple(views), tuple(classes[place] for place in places), criterion, tree.n())

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return (len(self.nodes) + 1) // 2

    @property
    def depth(self) -> int:
        """The number of tests on the longest way from the root to a leaf."""
        return max(node.depth for node in self.nodes)

    def _repr_html_(self) -> str:
        """Return the tree as HTML, which notebooks show."""
        from sapwood.inspect.html import tree_html

        return tree_html(self, "Tree")

    def children(self, node: NodeView) -> tuple[NodeView, NodeView]:
        """Return the child of an inner node with the smaller subtree and the one with the larger; if equal, on first.

        Indenting the smaller side and continuing with the larger indents at most log₂ of the number of leaves times,
        however deep the tree: a chain becomes a list.
        """
        assert node.off is not None
        assert node.on is not None
        off, on = self.nodes[node.off], self.nodes[node.on]
        return (off, on) if off.n_below < on.n_below else (on, off)


def places_of(classes: Sequence[Any], in_order: Sequence[Any] | None) -> list[int]:
    """Return the place of each label of `in_order` in `classes`."""
    if in_order is None:
        return list(range(len(classes)))
    place = {label: k for k, label in enumerate(classes)}
    if len(in_order) != len(classes) or set(in_order) != set(place):
        raise ValueError(f"TreeView.of: in_order must hold the labels {list(classes)!r}, got {list(in_order)!r}")
    return [place[label] for label in in_order]


def check_depth(owner: str, max_depth: object) -> None:
    """Raise ValueError unless `max_depth`, a parameter of `owner`, is None or an integer of at least 0."""
    if max_depth is None or (isinstance(max_depth, int) and not isinstance(max_depth, bool) and max_depth >= 0):
        return
    raise ValueError(f"{owner}: max_depth must be None or an integer of at least 0, got {max_depth!r}")


def _passed(nodes: dict[str, npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    """Return the points per class that passed through each node, as `NodeView` defines them.

    The core keeps, for an inner node, the points on which its split was decided and, for a leaf, its points and those
    counted since it was made. So the points of an inner node are the first plus those that came to its children since.
    A leaf that counts nothing (at ``max_depth``, or paused) leaves a gap in this sum. If its sibling is a leaf too, the
    points of the two leaves add up to those of their parent; the larger of both sums is taken. A node that was copied
    when the tree was restructured was chosen for no points of its own: its leaves have points from before it was made,
    which passed the nodes above it, too, before they were split.
    """
    if "counted" not in nodes:  # a tree that holds its points counts them all at every node
        return nodes["counts"].astype(np.int64)
    parent, is_leaf = nodes["parent"].tolist(), nodes["feature"] < 0
    passed = nodes["counts"].astype(np.int64)  # of inner nodes, at first: those that the split was decided on
    since = np.where(is_leaf[:, np.newaxis], nodes["counted"], 0)  # the node was made
    in_leaves = np.where(is_leaf[:, np.newaxis], passed, 0)  # that are below
    arrived = np.zeros_like(passed)  # at the children
    for i in range(len(parent) - 1, -1, -1):
        if not is_leaf[i]:
            is_copy = not passed[i].any()
            passed[i] += arrived[i]
            since[i] = passed[i] if is_copy else np.maximum(passed[i], in_leaves[i])
            passed[i] = np.maximum(passed[i], in_leaves[i])
        if i > 0:
            arrived[parent[i]] += since[i]
            in_leaves[parent[i]] += in_leaves[i]
    return passed


def _sizes(parent: npt.NDArray[np.int64]) -> list[int]:
    sizes = [1] * len(parent)
    for i in range(len(parent) - 1, 0, -1):
        sizes[int(parent[i])] += sizes[i]
    return sizes
