"""Trees, explanations and tables as small pieces of HTML, which notebooks show.

A piece stands alone: it has its own style and no script, and nothing is fetched. Letters have the colour of the page
and backgrounds are transparent, so it is legible on a dark page and on a light one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from sapwood.inspect.names import shortened
from sapwood.inspect.text import TextLine, text_lines
from sapwood.style import class_colour
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.view import TreeView

__all__ = ["bar", "explanation_html", "piece", "table", "tree_html"]

DEPTH = 6
"""A piece shows the tests above this depth, unless asked for others: a notebook is no place for a thousand lines."""
_MOST_LINES = 40
_MOST_FEATURES = 10
_NAME_WIDTH = 40
_STYLE = (
    ".sapwood{font:13px/1.45 system-ui,sans-serif;color:inherit;overflow-x:auto}"
    ".sapwood p{margin:.2em 0 .5em}"
    ".sapwood table{font:inherit;border-collapse:collapse;background:transparent;color:inherit;margin:.3em 0}"
    ".sapwood tr,.sapwood td,.sapwood th{background:transparent;color:inherit}"
    ".sapwood th,.sapwood td{text-align:left;padding:.1em .8em .1em 0;border:0;white-space:pre;font-weight:400}"
    ".sapwood th{opacity:.65}"
    ".sapwood td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".sapwood code{font-size:12px;background:transparent;color:inherit;padding:0}"
    ".sapwood .bar{display:flex;width:9em;height:.8em;border-radius:2px;overflow:hidden;background:#8884}"
    ".sapwood .bar i{display:block;height:100%}"
    ".sapwood .key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 .3em 0 .9em}"
)


def piece(*parts: str) -> str:
    """Return parts of HTML as one that stands alone."""
    return f'<div class="sapwood"><style>{_STYLE}</style>{"".join(parts)}</div>'


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Return a table of cells of HTML; `numbers` are the columns that are set to the right."""
    right = set(numbers)
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="n">{c}</td>' if i in right else f"<td>{c}</td>" for i, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    return f"<table>{f'<tr>{head}</tr>' if header else ''}{body}</table>"


def bar(shares: Sequence[float], colours: Sequence[str]) -> str:
    """Return shares of a whole as a bar of colours."""
    parts = "".join(
        f'<i style="width:{100 * share:.1f}%;background:{colour}"></i>'
        for share, colour in zip(shares, colours, strict=True)
        if share > 0
    )
    return f'<div class="bar">{parts}</div>'


def tree_html(view: TreeView, title: str, max_depth: int | None = DEPTH) -> str:
    """Return a tree: its size, its classes, and its rules with the shares of the classes in the leaves.

    The rules are those of ``export_text``: a point goes to the first whose condition it meets.
    """
    colours = [class_colour(place) for place in range(len(view.classes))]
    lines = list(text_lines(view, max_depth))
    rows = [_rule(view, line, colours) for line in lines[:_MOST_LINES]]
    hidden = (
        len(view.nodes) - sum(line.leaf is not None for line in lines) - sum(line.split is not None for line in lines)
    )
    left = len(lines) - len(rows)
    more = []
    if left:
        more.append(counted(left, "more rule"))
    if hidden > 0:
        more.append(f"{counted(hidden, 'node')} below depth {max_depth}")
    size = (
        f"{counted(view.n, 'point')}, {counted(len(view.nodes), 'node')}, {counted(view.n_leaves, 'leaf', 'leaves')}, "
        f"depth {view.depth:,}"
    )
    return piece(
        f"<p><b>{escape(title)}</b> {size}{_key(view.classes, colours)}</p>",
        table(("rule", "class", "share", "", "points", "gain"), rows, (2, 4, 5)),
        f"<p>{' and '.join(more)}: see export_text()</p>" if more else "",
    )


def _rule(view: TreeView, line: TextLine, colours: Sequence[str]) -> tuple[str, ...]:
    leaf, split = line.leaf, line.split
    gain = "" if split is None or split.gain is None else f"{split.gain:.3f}"
    rule = f"<code>{escape(line.rule)}</code>"
    if leaf is None:
        return rule, "", "", "", "", gain
    label = escape(shortened(str(view.classes[leaf.majority]), _NAME_WIDTH))
    return rule, label, f"{leaf.shares[leaf.majority]:.3f}", bar(leaf.shares, colours), f"{leaf.n:,}", gain


def explanation_html(told: Explanation) -> str:
    """Return an explanation: the probabilities, the tests on the way, and what each feature adds to the log-odds."""
    colours = [class_colour(place) for place in range(len(told.classes))]
    place = told.classes.index(told.label)
    name = escape(shortened(str(told.label), _NAME_WIDTH))
    parts = [
        f"<p><b>{name}</b>: probability {told.probabilities[place]:.3f}{_key(told.classes, colours)}</p>",
        bar(told.probabilities, colours),
    ]
    if told.tests:
        parts.append(f"<p>{counted(len(told.tests), 'test')} on the way to leaf {told.leaf}; the share of {name}:</p>")
        rows = [("(root)", "", "", f"{told.root_shares[place]:.3f}")]
        rows += [
            (
                f"<code>{escape(test.test.text(test.feature, test.on, _NAME_WIDTH))}</code>",
                bar(test.after, colours),
                f"{test.contribution(place):+.3f}",
                f"{test.after[place]:.3f}",
            )
            for test in told.tests[:_MOST_FEATURES]
        ]
        if len(told.tests) > _MOST_FEATURES:
            rows.append((f"({len(told.tests) - _MOST_FEATURES:,} more)", "", "", ""))
        parts.append(table(("test", "", "adds", "share"), rows, (2, 3)))
    if told.against is not None:
        against = escape(shortened(str(told.against), _NAME_WIDTH))
        parts.append(f"<p>Log-odds of {name} against {against}, by {escape(told.model)}:</p>")
        parts.append(_log_odds(told, colours))
    return piece(*parts)


def _log_odds(told: Explanation, colours: Sequence[str]) -> str:
    named = told.contributions()
    shown = named[: _MOST_FEATURES + 1]
    finite = [abs(value) for _, value in shown if abs(value) != float("inf")]
    most = max(finite, default=0.0) or 1.0
    towards, away = colours[told.classes.index(told.label)], colours[told.classes.index(told.against)]
    rows = []
    for name, value in shown:
        share = min(1.0, abs(value) / most)
        rows.append(
            (escape(shortened(name, _NAME_WIDTH)), bar([share], [towards if value > 0 else away]), f"{value:+.3f}")
        )
    if len(named) > len(shown):
        rest = sum(value for _, value in named[len(shown) :])
        rows.append((f"({counted(len(named) - len(shown), 'other feature')})", "", f"{rest:+.3f}"))
    rows.append(("(sum)", "", f"{told.log_odds():+.3f}"))
    return table((), rows, (2,))


def _key(classes: Sequence[object], colours: Sequence[str]) -> str:
    """Return the colours of the classes; of many the first."""
    told = "".join(
        f'<span class="key" style="background:{colour}"></span>{escape(shortened(str(label), _NAME_WIDTH))}'
        for label, colour in list(zip(classes, colours, strict=True))[:_MOST_FEATURES]
    )
    more = len(classes) - _MOST_FEATURES
    return told if more <= 0 else f"{told} and {more:,} more"
