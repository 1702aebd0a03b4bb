"""A forest as a small piece of HTML, which notebooks show."""

from __future__ import annotations

from html import escape

from sapwood import _core
from sapwood.inspect.html import bar, piece, table
from sapwood.style import class_colour
from sapwood.wording import counted

__all__ = ["forest_html"]

_MOST_TREES = 20
"""The most trees that a piece shows: a notebook is no place for a hundred lines."""


def forest_html(forest: _core.Forest, title: str) -> str:
    """Return a forest: its size, what it did about changes, and a line per tree.

    The accuracy of a tree is that of its answers since it answers, each given before the point was learned.
    """
    trees = forest.of_trees()
    done = forest.tally()
    size = (
        f"{counted(forest.n(), 'point')}, {counted(len(trees), 'tree')}, {counted(forest.n_nodes(), 'node')}, "
        f"{counted(forest.n_leaves(), 'leaf', 'leaves')}"
    )
    told = [counted(done[f"{name}s"], name) for name in ("warning", "drift") if done[f"{name}s"]]
    told += [f"{counted(done[name], 'tree')} {name}" for name in ("swapped", "reset") if done[name]]
    rows = []
    for number, tree in enumerate(trees[:_MOST_TREES]):
        share = tree["n_right"] / tree["n_asked"] if tree["n_asked"] else None
        rows.append(
            (
                f"{number}",
                f"{tree['n_leaves']:,}",
                f"{tree['depth']:,}",
                f"{tree['n_points']:,}",
                "" if share is None else f"{share:.3f}",
                "" if share is None else bar([share], [class_colour(0)]),
                "one in the background" if tree["has_background"] else "",
            )
        )
    more = len(trees) - len(rows)
    return piece(
        f"<p><b>{escape(title)}</b> {size}, depth {forest.depth():,}{'; ' if told else ''}{', '.join(told)}</p>",
        table(("tree", "leaves", "depth", "points", "accuracy", "", ""), rows, (0, 1, 2, 3, 4)),
        f"<p>{counted(more, 'more tree')}</p>" if more > 0 else "",
        "<p>Single trees: export_text(tree=0), plot(tree=0)</p>",
    )
