"""A tree as text: a list of rules, one line per leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sapwood.inspect.names import one_line
from sapwood.inspect.view import NodeView, TreeView, check_depth
from sapwood.wording import counted

__all__ = ["TextLine", "export_text", "text_lines"]

_INDENT = "|   "
_NAME_WIDTH = 48
_UNITS = {"entropy": " in bits"}


class TextLine(NamedTuple):
    """A line of the text: the rule, the leaf that it leads to, and the node whose split it is of; either may lack."""

    rule: str
    leaf: NodeView | None
    split: NodeView | None


def export_text(
    view: TreeView,
    *,
    max_depth: int | None = None,
    decimals: int = 3,
    show_counts: bool = True,
    show_gain: bool = True,
    show_model: bool = True,
) -> str:
    """Return a tree as rules to be read from the top: the first that a point meets is where it goes.

    Of the two sides of a test the one with fewer nodes is told first, indented unless it is a single leaf, and the
    other follows as ``else``, not indented. A chain, which is what text data make, is therefore a flat list; no line is
    ever indented more than log₂ of the number of leaves times.

    A line tells the most frequent class of a leaf, its share and the points that passed through it (see `NodeView`),
    which need not be what the leaf predicts for each of its points: that is for its model to say.

    Parameters
    ----------
    view : TreeView
        The tree.
    max_depth : int or None
        Show the tests above this depth; an inner node there is shown as if it were a leaf.
    decimals : int
        Digits of shares, gains and margins.
    show_counts, show_gain, show_model : bool
        Whether to show the points per class; the gain of each test, its margin, the points of its node on which it was
        decided and the points of the stream after which it was made; the model that predicts in a leaf.
    """
    check_depth("export_text", max_depth)
    if type(decimals) is not int or decimals < 0:
        raise ValueError(f"export_text: decimals must be an integer of at least 0, got {decimals!r}")
    rows = []
    for line in text_lines(view, max_depth):
        cells = [line.rule, *(_prediction(view, line.leaf, decimals) if line.leaf else ("", ""))]
        if show_counts:
            cells.append(_counts(view, line.leaf) if line.leaf else "")
        if show_model:
            cells.append(_model(line.leaf) if line.leaf else "")
        if show_gain:
            cells += _gain(line.split, decimals) if line.split else ("", "", "", "")
        rows.append(cells)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    header = (
        f"{counted(view.n, 'point')}, {counted(len(view.nodes), 'node')}, {counted(view.n_leaves, 'leaf', 'leaves')}, "
        f"depth {view.depth:,}; gain by {view.criterion}{_UNITS.get(view.criterion, '')}"
    )
    lines = [header]
    for cells in rows:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True) if width)
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def text_lines(view: TreeView, max_depth: int | None) -> Iterator[TextLine]:
    """Yield the rules of a tree in the order in which they are to be read."""
    waiting = [(view.nodes[0], "", "if")]
    while waiting:
        node, indent, word = waiting.pop()
        if node.ends(max_depth):
            yield TextLine(indent + ("always" if node.number == 0 else "else"), node, None)
            continue
        first, rest = view.children(node)
        assert node.test is not None
        said = node.test.text(str(node.feature), first.number == node.on, _NAME_WIDTH)
        rule = f"{indent}{word} {said}"
        waiting.append((rest, indent, "else if"))
        if first.ends(max_depth):
            yield TextLine(rule, first, node)
        else:
            yield TextLine(rule + ":", None, node)
            waiting.append((first, indent + _INDENT, "if"))


def _prediction(view: TreeView, node: NodeView, decimals: int) -> tuple[str, str]:
    label = one_line(str(view.classes[node.majority]))
    below = "" if node.is_leaf else f", {counted(node.n_below, 'node')}"
    return f"{label} {node.shares[node.majority]:.{decimals}f}", f"of {node.n:,}{below}"


def _counts(view: TreeView, node: NodeView) -> str:
    return ", ".join(
        f"{one_line(str(label))} {count:,}" for label, count in zip(view.classes, node.counts, strict=True) if count
    )


def _model(node: NodeView) -> str:
    return "" if node.model is None else f"{node.model}{' (paused)' if node.paused else ''}"


def _gain(node: NodeView, decimals: int) -> tuple[str, str, str, str]:
    return (
        f"gain {node.gain:.{decimals}f}",
        f"margin {node.margin:.{decimals}f}",
        f"split after {node.split_after:,}",
        f"at {node.split_at:,}",
    )
