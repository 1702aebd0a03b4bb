"""A tree drawn with matplotlib as an outline, which is legible for a chain and for a wide tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sapwood.inspect.boxes import DEPTH, FULL, colour_of, label_of, lines_of
from sapwood.inspect.view import NodeView, TreeView, check_depth
from sapwood.style import class_colour, picture_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot"]

# Inches, in a figure that is as large as it must be.
_MARGIN = 0.1
_TOP = 0.5  # with the names of the classes
_COLUMN, _ROW = 2.6, 0.61
_WIDTH, _HEIGHT = 2.05, 0.42  # of a box
_CORNER = 0.05
_SIGN = 0.075  # a letter of the names of the classes, at most
# Points.
_FONT = 8.0
_LINE = 1.1

_INK = "#4d4d4d"


def plot(view: TreeView, ax: Axes | None = None, *, max_depth: int | None = DEPTH) -> Axes:
    """Draw a tree with matplotlib and return the axes; ``plot(view).figure.savefig(path)`` saves the picture.

    A box has the colour of its most frequent class, fuller where the node is purer. The side of a test with fewer nodes
    is drawn to the right, the other below: a chain is a column with its leaves beside it. Each leaf has its own row,
    and m leaves take at most 1 + log₂ m columns. Needs matplotlib, which the extra `plot` installs.

    Parameters
    ----------
    view : TreeView
        The tree.
    ax : matplotlib.axes.Axes or None
        Where to draw; letters become as small as they must. None: in a figure of its own, as large as it must be.
    max_depth : int or None
        Nodes at this depth stand for all below them; None: there is no limit.
    """
    check_depth("plot", max_depth)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plot: matplotlib must be installed; install it with: pip install 'sapwood[plot]'") from error
    places = list(_places(view, max_depth))
    width = max(place.x for place in places) + _WIDTH + _MARGIN
    height = max(place.y for place in places) + _HEIGHT + _MARGIN
    with picture_style():
        if ax is None:
            figure = Figure(figsize=(width, height))
            FigureCanvasAgg(figure)
            ax = figure.add_axes((0, 0, 1, 1))
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_xlim(0, width)
        ax.set_ylim(height, 0)
        # How much smaller than planned the room is.
        room = ax.get_window_extent()
        dpi = ax.figure.dpi
        scale = min(1.0, room.width / dpi / width, room.height / dpi / height)
        for place in places:
            _draw_box(ax, place, lines_of(view, place.node, max_depth), scale)
            if place.parent is not None:
                _draw_edge(ax, place.parent, place, scale)
        _draw_legend(ax, view, scale, width)
    return ax


class _Place(NamedTuple):
    """Where a node stands."""

    node: NodeView
    column: int
    row: int
    parent: _Place | None

    @property
    def x(self) -> float:
        return _MARGIN + self.column * _COLUMN

    @property
    def y(self) -> float:
        return _TOP + self.row * _ROW


def _places(view: TreeView, max_depth: int | None) -> Iterator[_Place]:
    """Yield the place of each node, from left to right and from the top down."""
    rows = [1] * len(view.nodes)
    for node in reversed(view.nodes):
        if not node.ends(max_depth):
            rows[node.number] = sum(rows[child.number] for child in view.children(node))
    waiting = [_Place(view.nodes[0], 0, 0, None)]
    while waiting:
        place = waiting.pop()
        yield place
        if not place.node.ends(max_depth):
            aside, below = view.children(place.node)
            waiting.append(_Place(below, place.column, place.row + rows[aside.number], place))
            waiting.append(_Place(aside, place.column + 1, place.row, place))


def _draw_box(ax: Axes, place: _Place, lines: list[str], scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(
        FancyBboxPatch(
            (place.x + _CORNER, place.y + _CORNER),
            _WIDTH - 2 * _CORNER,
            _HEIGHT - 2 * _CORNER,
            boxstyle=f"round,pad={_CORNER}",
            facecolor=colour_of(place.node),
            edgecolor=_INK,
            linewidth=_LINE * scale,
            zorder=2,
        )
    )
    middle = place.x + _WIDTH / 2
    first, *rest = lines
    # A name may hold dollar signs, which make no formula.
    said = ax.text(middle, place.y + 0.31 * _HEIGHT, first, weight="bold", fontsize=_FONT * scale, parse_math=False)
    beside = ax.text(middle, place.y + 0.71 * _HEIGHT, "  ".join(rest), fontsize=0.9 * _FONT * scale)
    for text in (said, beside):
        text.set(horizontalalignment="center", verticalalignment="center", zorder=3)


def _draw_edge(ax: Axes, parent: _Place, child: _Place, scale: float) -> None:
    is_on = parent.node.on == child.node.number
    if child.row == parent.row:
        y = child.y + _HEIGHT / 2
        xs, ys = (parent.x + _WIDTH, child.x), (y, y)
        at, sides = ((xs[0] + xs[1]) / 2, y - 0.02), ("center", "bottom")
    else:
        x = child.x + _WIDTH / 2
        xs, ys = (x, x), (parent.y + _HEIGHT, child.y)
        at, sides = (x + 0.06, child.y - 0.02), ("left", "bottom")
    ax.plot(xs, ys, color=_INK, linewidth=_LINE * scale, linestyle="solid" if is_on else (0, (3, 2)), zorder=1)
    assert parent.node.test is not None
    text = ax.text(*at, parent.node.test.branch(is_on), fontsize=0.9 * _FONT * scale)
    text.set(horizontalalignment=sides[0], verticalalignment=sides[1])


def _draw_legend(ax: Axes, view: TreeView, scale: float, width: float) -> None:
    from matplotlib.patches import Rectangle

    x, y, side = _MARGIN, 0.15, 0.14
    for place, label in enumerate(view.classes):
        text = label_of(label)
        room = 0.4 + _SIGN * len(text)
        if place > 0 and x + room > width:
            ax.text(x, y + side / 2, "…", va="center", fontsize=_FONT * scale)
            return
        colour = class_colour(place, FULL)
        ax.add_patch(Rectangle((x, y), side, side, facecolor=colour, edgecolor=_INK, linewidth=_LINE * scale))
        ax.text(x + 0.19, y + side / 2, text, va="center", fontsize=_FONT * scale, parse_math=False)
        x += room
