"""A split made anew without loss, in plain Python: the new test is pulled up above what was below a node.

Each side of the new test gets the tree that there was, less what is of the other side. Nodes are made anew but for
those below a node that asked the same: they move, as they are.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference_evidence import OCCURRENCES_FOR_RANK

if TYPE_CHECKING:
    from reference_models import Counts, LeafModels
    from reference_tree import Node


def points_of(node: Node) -> Counts:
    """Return the points of the leaves of a node."""
    return [sum(of_class) for of_class in zip(*(leaf.of_class for leaf in node.leaves()), strict=True)]


def points_through(node: Node) -> Counts:
    """Return the points that passed a node since it was made; at least those of its leaves, unless it is a copy."""
    if node.feature is None:
        return list(node.counted)
    since = [sum(k) for k in zip(node.of_class, *map(points_through, node.children), strict=True)]
    return list(map(max, since, points_of(node))) if any(node.of_class) else since


def is_borne_out(off: Counts, on: Counts) -> bool:
    """Whether points are told apart by more than half a logarithm of their number per class beyond the first."""

    def weighted(counts: Sequence[int]) -> float:
        return -sum(count * math.log(count / sum(counts)) for count in counts if count > 0)

    both = [a + b for a, b in zip(off, on, strict=True)]
    n_classes = sum(count > 0 for count in both)
    if n_classes < 2:
        return False
    return weighted(both) - weighted(off) - weighted(on) > 0.5 * (n_classes - 1) * math.log(sum(both))


@dataclass
class PullUp:
    """A feature that is pulled up to a node: `make_leaf` makes a node without a place of classes and models."""

    top: Node
    feature: int
    max_depth: int | None
    make_leaf: Callable[[Counts, LeafModels | None], Node]
    moved: list[Node] = field(default_factory=list)

    def sides(self) -> list[Node]:
        """Return what is below the node then; statistics are yet to be merged."""
        return [self._side(self.top, on=False), self._side(self.top, on=True)]

    def _side(self, node: Node, *, on: bool) -> Node:
        if node.feature is None:
            return self._side_of_leaf(node, on=on)
        if node.feature == self.feature:
            self.moved.append(node.children[on])
            return node.children[on]
        children = [self._side(child, on=on) for child in node.children]
        points = [points_of(child) for child in children]
        both = [a + b for a, b in zip(*points, strict=True)]
        fuller = children[sum(points[1]) > sum(points[0])]
        are_leaves = all(child.feature is None and not self._is_moved(child) for child in children)
        is_deepest = self.max_depth is not None and len(node.way) + 1 >= self.max_depth
        if is_deepest or (are_leaves and not is_borne_out(*points)):
            return self.make_leaf(both, fuller.models)
        if 0 in map(sum, points):
            return fuller
        made = self.make_leaf([0] * len(both), None)
        made.feature, made.children = node.feature, children
        made.gain, made.margin, made.split_at = node.gain, node.margin, node.split_at
        return made

    def _side_of_leaf(self, leaf: Node, *, on: bool) -> Node:
        none = [0] * len(leaf.of_class)
        with_it = []
        for k, n in enumerate(leaf.of_class):
            passed, counted = leaf.on.get(self.feature, none)[k], leaf.counted[k]
            above, of_above = self.top.on[self.feature][k], self.top.counted[k]
            if counted > 0:
                with_it.append(passed + (n - counted) * passed // counted)
            else:
                with_it.append(n * above // of_above if of_above > 0 else 0)
        without = [n - a for n, a in zip(leaf.of_class, with_it, strict=True)]
        return self.make_leaf(with_it if on else without, copy.deepcopy(leaf.models))

    def _is_moved(self, node: Node) -> bool:
        return any(node is each for each in self.moved)

    def settle(self, born: int, passed: Counts, *, samples: bool) -> int:
        """Give all nodes below the node their places and numbers, from `born` on, and what they have counted.

        Return the next number. `passed` are the points that passed the node; with `samples`, inner nodes have not
        counted all of theirs.
        """
        self._place(self.top)
        for below in self.top.nodes()[1:]:
            below.born = born
            born += 1
            looks = self.max_depth is None or len(below.way) < self.max_depth
            if looks and not below.looks:
                # What was as deep as may be has come nearer to the root.
                below.reached = 0
            below.looks = looks
        for child in self.top.children:
            self._merge(child)
        for child in self.top.children:
            since = points_through(child) if samples else child.counted
            passed = [max(0, n - below) for n, below in zip(passed, since, strict=True)]
        self.top.of_class = passed
        return born

    def _place(self, node: Node) -> None:
        for value, child in zip((False, True), node.children, strict=False):
            assert node.feature is not None
            child.way = (*node.way, (node.feature, value))
            self._place(child)

    def _merge(self, node: Node) -> None:
        if node.feature is None or self._is_moved(node):
            return
        for child in node.children:
            self._merge(child)
            node.counted = [a + b for a, b in zip(node.counted, child.counted, strict=True)]
            for j, on in child.on.items():
                so_far = node.on.get(j, [0] * len(on))
                node.on[j] = [a + b for a, b in zip(so_far, on, strict=True)]
            frequent = sorted(j for j, on in node.on.items() if sum(on) >= OCCURRENCES_FOR_RANK)
            for j in (*child.ranked, *frequent):
                if j not in node.ranked:
                    node.ranked.append(j)
        node.tested_at = node.reached = sum(node.counted)
