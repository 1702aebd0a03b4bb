"""A tree as a graph for graphviz.

Each node is a box in the colour of its most frequent class, fuller where the node is purer: an inner node with its test
and gain, a leaf with its class. Dashed lines lead to where the feature is off (or a typed test fails), solid lines to
where it is on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.inspect.boxes import DEPTH, colour_of, lines_of
from sapwood.inspect.view import TreeView, check_depth

if TYPE_CHECKING:
    import graphviz

__all__ = ["draw", "to_dot"]

_HEAD = """\
digraph tree {
    node [shape=box, style="filled,rounded", color="#4d4d4d", fontname="Helvetica", fontsize=11, margin=0.12];
    edge [color="#4d4d4d", fontname="Helvetica", fontsize=10];
"""


def to_dot(view: TreeView, *, max_depth: int | None = DEPTH) -> str:
    """Return a tree in the language of graphviz. Nodes at `max_depth` (None: no limit) stand for all below them."""
    check_depth("to_dot", max_depth)
    lines = []
    for node in view.nodes:
        if max_depth is not None and node.depth > max_depth:
            continue
        label = "\\n".join(_quoted(line) for line in lines_of(view, node, max_depth))
        lines.append(f'    {node.number} [label="{label}", fillcolor="{colour_of(node)}"];\n')
        if node.ends(max_depth):
            continue
        assert node.test is not None
        aside, straight = view.children(node)
        for child, state, style in (
            (node.off, node.test.branch(False), "dashed"),
            (node.on, node.test.branch(True), "solid"),
        ):
            # A heavy edge is drawn straight: a chain goes down, and its leaves stand beside it.
            weight = 8 if child == straight.number and aside.is_leaf and not straight.is_leaf else 1
            lines.append(f'    {node.number} -> {child} [label=" {state} ", style={style}, weight={weight}];\n')
    return "".join([_HEAD, *lines, "}\n"])


def draw(view: TreeView, *, max_depth: int | None = DEPTH) -> graphviz.Source:
    """Return a tree as a graph of the package graphviz, which a notebook shows, and whose `render` writes a file.

    Needs the package graphviz, which the extra `draw` installs; to show or write the graph, also the program ``dot``.
    """
    check_depth("draw", max_depth)
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "draw: graphviz must be installed; install it with: pip install 'sapwood[draw]', or "
            "use to_dot, which needs nothing"
        ) from error
    return graphviz.Source(to_dot(view, max_depth=max_depth))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
