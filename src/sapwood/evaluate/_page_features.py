"""The features with the largest weights on a page, one list per class."""

from __future__ import annotations

import html
from collections.abc import Hashable, Sequence

from sapwood.wording import counted

__all__ = ["page_features"]

_MOST_CLASSES = 24


def page_features(
    features: dict[Hashable, list[tuple[str, float]]], classes: Sequence[object] | None, n_colours: int
) -> str:
    """Return lists of features with bars as long as their weights, in the colours of `classes` by their order."""
    shown = [(label, told) for label, told in features.items() if told]
    if not shown:
        return ""
    most = max(weight for _, told in shown for _, weight in told)
    order = list(classes or features)
    lists = [_list(str(label), told, order.index(label) % n_colours, most) for label, told in shown[:_MOST_CLASSES]]
    left_out = len(shown) - _MOST_CLASSES
    more = f"<p>and {counted(left_out, 'more class', 'more classes')}</p>" if left_out > 0 else ""
    return f'<div class="speaking">{"".join(lists)}</div>{more}'


def _list(label: str, told: list[tuple[str, float]], colour: int, most: float) -> str:
    rows = []
    for name, weight in told:
        bar = (
            f'<svg class="weight" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            f'<rect class="class{colour}" width="{100 * weight / most:.1f}" height="10"/></svg>'
        )
        rows.append(
            f'<tr><th scope="row" title="{html.escape(name)}">{html.escape(name)}</th><td>{bar}</td>'
            f'<td class="number">{weight:.2f}</td></tr>'
        )
    return f"<table><caption>{html.escape(label)}</caption><tbody>{''.join(rows)}</tbody></table>"
