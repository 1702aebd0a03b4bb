"""A tree as a picture: drawn by graphviz, or by matplotlib.

Both show the same: a box for each node in the colour of its most frequent class, the fuller the purer; an inner node
with its test and gain, a leaf with its class. Dashed lines lead to where the feature is off, solid ones to where it is
on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sapwood._feature_names import one_line, shortened
from sapwood.style import class_colour, picture_style
from sapwood.tree_view import NodeView, TreeView

if TYPE_CHECKING:
    import graphviz
    from matplotlib.axes import Axes

__all__ = ["draw", "plot", "to_dot"]

# Deeper trees than this are drawn in part unless asked for: nobody can read a picture of a thousand boxes.
_DEPTH = 20
_NAME_WIDTH = 24
# Of the strongest colour of a box: black letters must be legible on it.
_STRENGTH = 0.75

# Inches of the picture by matplotlib.
_COLUMN = 2.35
_ROW = 0.56
_BOX_WIDTH = 1.75
_BOX_HEIGHT = 0.42
_FONT = 8.0


def to_dot(view: TreeView, *, max_depth: int | None = _DEPTH) -> str:
    """Return a tree in the language of graphviz. Nodes at `max_depth` (None: no limit) stand for all below them."""
    _check_depth("to_dot", max_depth)
    lines = [
        "digraph tree {",
        '    node [shape=box, style="filled,rounded", color="#4d4d4d", fontname="Helvetica", fontsize=11, '
        "margin=0.12];",
        '    edge [color="#4d4d4d", fontname="Helvetica", fontsize=10];',
    ]
    for node in view.nodes:
        if max_depth is not None and node.depth > max_depth:
            continue
        label = "\\n".join(_quoted(text) for text in _texts(view, node, max_depth))
        lines.append(f'    {node.number} [label="{label}", fillcolor="{_colour(node)}"];')
        if _ends(node, max_depth):
            continue
        _, straight = view.children(node)
        for child, state in ((node.off, "off"), (node.on, "on")):
            # A heavy edge is drawn straight: a chain goes down, and its leaves stand beside it.
            weight = 8 if child == straight.number else 1
            style = "dashed" if state == "off" else "solid"
            lines.append(f'    {node.number} -> {child} [label="{state}", style={style}, weight={weight}];')
    return "\n".join([*lines, "}"]) + "\n"


def draw(view: TreeView, *, max_depth: int | None = _DEPTH) -> graphviz.Source:
    """Return a tree as a graph of the package graphviz, which a notebook shows, and whose `render` writes a file.

    Needs the package graphviz, which the extra `draw` installs; to show or write the graph, also the program ``dot``.
    """
    dot = to_dot(view, max_depth=max_depth)
    try:
        import graphviz
    except ImportError as error:
        raise ImportError(
            "draw: graphviz must be installed, got nothing by that name; install with: pip install 'sapwood[draw]', or "
            "use to_dot, which needs nothing"
        ) from error
    return graphviz.Source(dot)


def plot(view: TreeView, ax: Axes | None = None, *, max_depth: int | None = _DEPTH) -> Axes:
    """Draw a tree with matplotlib, and return the axes.

    Of the two sides of a test the one with fewer nodes stands to the right, the other below: a chain is a column with
    its leaves beside it, each leaf has a row of its own, and there are at most 1 + log₂ as many columns as leaves.

    Parameters
    ----------
    view : TreeView
        The tree.
    ax : matplotlib.axes.Axes or None
        Where to draw; letters become as small as they must. None: in a figure of its own, as large as it must be.
    max_depth : int or None
        Nodes at this depth stand for all below them; None: there is no limit.
    """
    _check_depth("plot", max_depth)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "plot: matplotlib must be installed, got nothing by that name; install with: pip install 'sapwood[plot]'"
        ) from error
    places = list(_places(view, max_depth))
    width = max(place.column for place in places) * _COLUMN + _BOX_WIDTH + 0.2
    height = max(place.row for place in places) * _ROW + _BOX_HEIGHT + 0.6
    with picture_style():
        if ax is None:
            figure = Figure(figsize=(width, height))
            FigureCanvasAgg(figure)
            ax = figure.add_axes((0, 0, 1, 1))
        _draw_places(ax, view, places, max_depth, width, height)
    return ax


class _Place(NamedTuple):
    node: NodeView
    column: int
    row: int
    parent: _Place | None


def _places(view: TreeView, max_depth: int | None) -> Iterator[_Place]:
    """Yield where each node stands, from the top down and from left to right."""
    rows = [1] * len(view.nodes)
    for node in reversed(view.nodes):
        if not _ends(node, max_depth):
            rows[node.number] = sum(rows[child.number] for child in view.children(node))
    waiting: list[_Place] = [_Place(view.nodes[0], 0, 0, None)]
    while waiting:
        place = waiting.pop()
        yield place
        if _ends(place.node, max_depth):
            continue
        aside, below = view.children(place.node)
        waiting.append(_Place(below, place.column, place.row + rows[aside.number], place))
        waiting.append(_Place(aside, place.column + 1, place.row, place))


def _draw_places(
    ax: Axes, view: TreeView, places: list[_Place], max_depth: int | None, width: float, height: float
) -> None:
    from matplotlib.patches import FancyBboxPatch

    box = ax.get_position()
    figure_width, figure_height = ax.figure.get_figwidth(), ax.figure.get_figheight()
    scale = min(1.0, box.width * figure_width / width, box.height * figure_height / height)
    font = _FONT * scale
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    top = 0.5  # below the names of the classes

    def corner(place: _Place) -> tuple[float, float]:
        return 0.1 + place.column * _COLUMN, top + place.row * _ROW

    for place in places:
        x, y = corner(place)
        if place.parent is not None:
            from_x, from_y = corner(place.parent)
            is_on = place.parent.node.on == place.node.number
            style = {"color": "#4d4d4d", "linewidth": 1.1 * scale, "linestyle": "solid" if is_on else (0, (3, 2))}
            state = "on" if is_on else "off"
            if place.row == place.parent.row:
                y_middle = y + _BOX_HEIGHT / 2
                ax.plot([from_x + _BOX_WIDTH, x], [y_middle, y_middle], zorder=1, **style)
                ax.text((from_x + _BOX_WIDTH + x) / 2, y_middle - 0.02, state, ha="center", va="bottom", fontsize=font)
            else:
                x_middle = x + _BOX_WIDTH / 2
                ax.plot([x_middle, x_middle], [from_y + _BOX_HEIGHT, y], zorder=1, **style)
                if y - from_y - _BOX_HEIGHT > 0.1:
                    ax.text(x_middle + 0.05, y - 0.02, state, ha="left", va="bottom", fontsize=font * 0.9)
        ax.add_patch(
            FancyBboxPatch(
                (x + 0.05, y + 0.05),
                _BOX_WIDTH - 0.1,
                _BOX_HEIGHT - 0.1,
                boxstyle="round,pad=0.05,rounding_size=0.06",
                facecolor=_colour(place.node),
                edgecolor="#4d4d4d",
                linewidth=0.8 * scale,
                zorder=2,
            )
        )
        first, *rest = _texts(view, place.node, max_depth)
        centre = x + _BOX_WIDTH / 2
        # A name may hold dollar signs, which are no formula.
        ax.text(
            centre, y + 0.13, first, ha="center", va="center", fontsize=font, weight="bold", parse_math=False, zorder=3
        )
        ax.text(centre, y + 0.3, "  ".join(rest), ha="center", va="center", fontsize=font * 0.9, zorder=3)
    _draw_legend(ax, view, font, width)


def _draw_legend(ax: Axes, view: TreeView, font: float, width: float) -> None:
    from matplotlib.patches import Rectangle

    x = 0.1
    for k, label in enumerate(view.classes):
        text = shortened(str(label), _NAME_WIDTH)
        room = 0.35 + 0.075 * len(text)
        if x + room > width and k > 0:
            ax.text(x, 0.22, "…", va="center", fontsize=font)
            return
        ax.add_patch(Rectangle((x, 0.15), 0.14, 0.14, facecolor=class_colour(k, _STRENGTH), edgecolor="#4d4d4d"))
        ax.text(x + 0.19, 0.22, text, va="center", fontsize=font, parse_math=False)
        x += room


def _ends(node: NodeView, max_depth: int | None) -> bool:
    return node.is_leaf or (max_depth is not None and node.depth >= max_depth)


def _texts(view: TreeView, node: NodeView, max_depth: int | None) -> list[str]:
    """Return the lines of a node: what it says, then how many points it has and what its test gains."""
    if not _ends(node, max_depth):
        return [shortened(str(node.feature), _NAME_WIDTH), f"n {node.n:,}", f"gain {node.gain:.3f}"]
    label = shortened(str(view.classes[node.majority]), _NAME_WIDTH - 6)
    texts = [f"{label} {node.shares[node.majority]:.3f}", f"n {node.n:,}"]
    return texts if node.is_leaf else [*texts, f"{node.n_below:,} nodes"]


def _colour(node: NodeView) -> str:
    """Return the colour of the most frequent class: white where all are equally frequent, full where it is alone."""
    chance = 1 / len(node.shares)
    purity = 1.0 if chance == 1 else (node.shares[node.majority] - chance) / (1 - chance)
    return class_colour(node.majority, _STRENGTH * max(0.0, min(1.0, purity)))


def _quoted(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def _check_depth(owner: str, max_depth: object) -> None:
    if max_depth is None or (isinstance(max_depth, int) and not isinstance(max_depth, bool) and max_depth >= 0):
        return
    raise ValueError(f"{owner}: max_depth must be None or an integer of at least 0, got {max_depth!r}")
