"""What the box of a node says, and its colour, in every picture of a tree."""

from __future__ import annotations

from sapwood.inspect.names import shortened
from sapwood.inspect.view import NodeView, TreeView
from sapwood.style import class_colour
from sapwood.wording import counted

__all__ = ["DEPTH", "FULL", "colour_of", "label_of", "lines_of"]

# Deeper trees than this are drawn in part unless asked for: nobody can read a picture of a thousand boxes.
DEPTH = 20
# Of the strongest colour of a box: black letters must be legible on it.
FULL = 0.75
_NAME_WIDTH = 24


def label_of(label: object) -> str:
    """Return a class as a picture shows it."""
    return shortened(str(label), _NAME_WIDTH - 6)


def lines_of(view: TreeView, node: NodeView, max_depth: int | None) -> list[str]:
    """Return what a box says: the test or the class, the points that passed, and what the split is or is not shown."""
    if not node.ends(max_depth):
        assert node.test is not None
        return [
            node.test.asked(str(node.feature), _NAME_WIDTH),
            f"n {node.n:,}",
            f"gain {node.gain:.3f}",
            f"split after {node.split_after:,}",
        ]
    lines = [f"{label_of(view.classes[node.majority])} {node.shares[node.majority]:.3f}", f"n {node.n:,}"]
    return lines if node.is_leaf else [*lines, counted(node.n_below, "node")]


def colour_of(node: NodeView) -> str:
    """Return the colour of the most frequent class: white where all are equally frequent, full where it is alone."""
    chance = 1 / len(node.shares)
    purity = 1.0 if chance == 1 else (node.shares[node.majority] - chance) / (1 - chance)
    return class_colour(node.majority, FULL * max(0.0, min(1.0, purity)))
