"""The confusion matrix of a page: a table that fits twenty classes."""

from __future__ import annotations

import html
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable

import numpy as np

__all__ = ["in_order", "page_confusion"]

_MOST_CLASSES = 20
# From this many classes on, cells are small and the heads of columns stand upright.
_MANY_CLASSES = 9
# Of a row, where the next shade begins: about a half of a power of ten each, as mistakes are few beside what is right.
_SHADES = (0.0, 0.01, 0.03, 0.1, 0.3)


def in_order(labels: Iterable[Hashable]) -> list[Hashable]:
    """Return labels sorted, or as they come if they cannot be compared."""
    found = list(labels)
    try:
        return sorted(found)  # type: ignore[type-var]  # that is found out here
    except TypeError:
        return found


def page_confusion(confusion: dict[tuple[Hashable, Hashable | None], int]) -> str:
    """Return the confusion matrix of the most frequent classes, sorted, shaded by the share of each row."""
    if not confusion:
        return "<p>No point was evaluated.</p>"
    often: Counter[Hashable] = Counter()
    for (true, answered), n in confusion.items():
        often[true] += n
        if answered is not None:
            often[answered] += 0
    kept = {label for label, _ in often.most_common(_MOST_CLASSES)}
    shown = in_order(label for label in often if label in kept)
    others = len(often) - len(shown)
    place = {label: i for i, label in enumerate(shown)}
    width = len(shown) + 2  # and other classes, and no answer
    matrix = np.zeros((len(shown) + 1, width), dtype=np.int64)
    for (true, answered), n in confusion.items():
        column = width - 1 if answered is None else place.get(answered, len(shown))
        matrix[place.get(true, len(shown)), column] += n
    columns = [str(label) for label in shown] + [f"{others} others", "no answer"]
    keep = [*range(len(shown)), *([len(shown)] if others else []), *([width - 1] if matrix[:, -1].any() else [])]
    many = len(shown) >= _MANY_CLASSES
    head = "".join(f'<th scope="col"><span>{html.escape(columns[c])}</span></th>' for c in keep)
    lines = [
        f'<table class="confusion{" many" if many else ""}">',
        "<caption>A row for each true class, a column for each answer</caption>",
        f"<thead><tr><th></th>{head}</tr></thead><tbody>",
    ]
    for r in range(len(shown) + (1 if others else 0)):
        total = max(1, int(matrix[r].sum()))
        cells = [_cell(int(matrix[r, c]), total, is_right=r == c < len(shown), many=many) for c in keep]
        lines.append(f'<tr><th scope="row">{html.escape(columns[r])}</th>{"".join(cells)}</tr>')
    return "".join(lines) + f"</tbody></table>{_key()}"


def _cell(n: int, total: int, *, is_right: bool, many: bool) -> str:
    share = n / total
    look = f"heat{bisect_right(_SHADES, share) if n else 0}" + (" right" if is_right else "")
    words = "" if many and n == 0 else f"{n:,}".replace(",", "\u202f")
    return f'<td class="{look}" title="{share:.1%} of the row">{words}</td>'


def _key() -> str:
    """Return what the shades mean."""
    ends = [f"{share:.0%}" for share in _SHADES[1:]] + ["all"]
    starts = ["some", *ends[:-1]]
    cells = [
        f'<span class="heat{i}">{start} to {end}</span>'
        for i, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    ]
    return f'<p class="shades">Of the row: {"".join(cells)}</p>'
