"""A picture of how the trees of a forest grew: the leaves and the accuracy of each over the stream."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sapwood.style import class_colour, picture_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from sapwood.evaluate._forest_growth import TreesSeen

__all__ = ["forest_picture"]

_SIZE = (9.6, 6.4)  # inches
_MOST_NAMED = 12  # the lines that a legend beside the picture has room for


def forest_picture(seen: Sequence[TreesSeen], together: Sequence[float], title: str) -> Figure:
    """Return a figure with the leaves of each tree above, and below their accuracy between records.

    A dot is where another tree took the place. `together` is the accuracy of the forest between the same records, drawn
    in black.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with picture_style():
        figure = Figure(figsize=_SIZE, layout="constrained")
        FigureCanvasAgg(figure)
        sizes, accuracies = figure.subplots(2, 1, sharex=True)
        at = [each.at for each in seen]
        for place in range(len(seen[0].trees)):
            trees = [each.trees[place] for each in seen]
            leaves = [tree.leaves for tree in trees]
            right = [math.nan if tree.accuracy is None else tree.accuracy for tree in trees]
            new = [i for i, tree in enumerate(trees) if tree.is_new]
            colour, name = class_colour(place), f"tree {place}" if place < _MOST_NAMED else None
            for axis, values in ((sizes, leaves), (accuracies, right)):
                axis.plot(at, values, color=colour, linewidth=1.4, marker="o", markersize=6, markevery=new, label=name)
        accuracies.plot(at, together, color="#000000", linewidth=2.8, label="the forest")
        sizes.set(ylabel="leaves", title=title)
        sizes.set_ylim(bottom=0)
        # There are no halves of leaves.
        sizes.yaxis.set_major_locator(MaxNLocator(integer=True))
        accuracies.set(xlabel="points", ylabel="accuracy since the last record")
        accuracies.xaxis.set_major_formatter("{x:,.0f}")
        accuracies.margins(x=0.02)
        handles, names = accuracies.get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=11)
    return figure
