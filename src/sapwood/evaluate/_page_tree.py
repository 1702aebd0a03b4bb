"""A tree as the page of an evaluation has it: columns, and no more nodes than a page can hold."""

from __future__ import annotations

import heapq
from typing import Any

from sapwood.inspect.view import TreeView
from sapwood.wording import counted

__all__ = ["page_tree"]

_MOST_NODES = 20_000
_MOST_COUNTS = 400_000  # of all classes in all nodes

_HOW_TO_READ = (
    "Squares are tests, circles leaves, coloured by the most frequent class; the larger side of a test goes on "
    "straight down. Columns: classes, points, gain. Point at a node for its counts; choose a feature to see where "
    "else it is tested."
)


def page_tree(view: TreeView, n_colours: int, most_nodes: int | None = None) -> dict[str, Any]:
    """Return the nodes of a tree by columns, for JSON; of a larger tree those that most points go through.

    A node whose children are left out stands as a leaf, and `cut` tells how many nodes are below it.
    """
    kept = _kept(view, most_nodes or max(3, min(_MOST_NODES, _MOST_COUNTS // len(view.classes))))
    place = {number: i for i, number in enumerate(kept)}
    nodes = [view.nodes[number] for number in kept]
    features: dict[str, int] = {}

    def child(number: int | None) -> int:
        return -1 if number is None else place.get(number, -1)

    inner = [child(node.on) >= 0 for node in nodes]
    words = [
        f"{counted(len(view.nodes), 'node')}, {counted(view.n_leaves, 'leaf', 'leaves')}, depth {view.depth:,}."
        if len(view.nodes) > 1
        else "One node: no split was made.",
        _HOW_TO_READ,
    ]
    if len(kept) < len(view.nodes):
        words.append(f"The {counted(len(kept), 'node')} that most points go through are in this page.")
    return {
        "hint": " ".join(words),
        "unit": " bits" if view.criterion == "entropy" else "",
        "n_colours": n_colours,
        "classes": [str(label) for label in view.classes],
        "feature": [
            features.setdefault(node.feature, len(features)) if is_inner and node.feature is not None else -1
            for node, is_inner in zip(nodes, inner, strict=True)
        ],
        "features": list(features),
        # What is asked, and what is so at either child, where that is not whether the feature is on.
        "typed": {
            i: [node.test.asked(node.feature), node.test.state(False), node.test.state(True)]
            for i, node in enumerate(nodes)
            if node.test is not None and node.test.kind != "is_on" and node.feature is not None
        },
        "parent": [child(node.parent) for node in nodes],
        "off": [child(node.off) for node in nodes],
        "on": [child(node.on) for node in nodes],
        "depth": [node.depth for node in nodes],
        "n": [node.n for node in nodes],
        "below": [node.n_below for node in nodes],
        "cut": [
            0 if is_inner or node.is_leaf else node.n_below - 1 for node, is_inner in zip(nodes, inner, strict=True)
        ],
        "counts": [list(node.counts) for node in nodes],
        "gain": [None if node.gain is None else float(f"{node.gain:.6g}") for node in nodes],
        "margin": [None if node.margin is None else float(f"{node.margin:.6g}") for node in nodes],
        "split_after": [node.split_after for node in nodes],
        "split_at": [node.split_at for node in nodes],
        "model": [node.model for node in nodes],
    }


def _kept(view: TreeView, most_nodes: int) -> list[int]:
    """Return the numbers of the nodes that are kept, in order: with a node its parent and its sibling."""
    if len(view.nodes) <= most_nodes:
        return list(range(len(view.nodes)))
    kept = {0}
    waiting = [(-view.nodes[0].n, 0)]
    while waiting and len(kept) + 2 <= most_nodes:
        node = view.nodes[heapq.heappop(waiting)[1]]
        if node.off is None or node.on is None:
            continue
        for number in (node.off, node.on):
            kept.add(number)
            heapq.heappush(waiting, (-view.nodes[number].n, number))
    return sorted(kept)
