"""The reliability curves of a page, drawn as SVG."""

from __future__ import annotations

import html
from collections.abc import Hashable

from sapwood.evaluate._calibration import N_BINS, ReliabilityCurve
from sapwood.evaluate._page_confusion import in_order
from sapwood.wording import counted

__all__ = ["page_reliability"]

_SIZE = 250
_LEFT, _TOP, _RIGHT, _BOTTOM = 40, 12, 12, 40
_MOST_OF_BAR = 0.3  # of the height, for the fullest bin


def page_reliability(curves: dict[Hashable | None, ReliabilityCurve], positive: Hashable | None) -> str:
    """Return the curve of the predicted class and, of two classes, that of the positive one, or else of the last."""
    if not curves:
        return "<p>The model gives no probabilities.</p>"
    figures = [_figure("of the predicted class", "how often it was right", curves[None])]
    labels = in_order(label for label in curves if label is not None)
    if labels:
        label = positive if positive in labels else labels[-1]
        name = f"of class {label}"
        figures.append(_figure(name, "how often the class was it", curves[label]))
    return "".join(figures)


def _figure(of: str, truth: str, curve: ReliabilityCurve) -> str:
    points = round(sum(curve.n))
    words = f"Probability {of}: expected calibration error {curve.error:.4f}"
    return (
        f'<figure class="reliability"><figcaption>Probability {html.escape(of)}'
        f'<div class="legend"><span>expected calibration error <b class="value">{curve.error:.4f}</b></span></div>'
        "</figcaption>"
        f'<svg viewBox="0 0 {_SIZE} {_SIZE}" class="chart" role="img" aria-label="{html.escape(words)}">'
        f"{_frame(html.escape(truth))}{_bars(curve, points)}{_curve(curve)}</svg></figure>"
    )


def _x(value: float) -> float:
    return _LEFT + value * (_SIZE - _LEFT - _RIGHT)


def _y(value: float) -> float:
    return _SIZE - _BOTTOM - value * (_SIZE - _TOP - _BOTTOM)


def _frame(truth: str) -> str:
    parts = []
    for i in range(0, 11, 2):
        at = i / 10
        parts.append(f'<line class="grid" x1="{_x(0):.1f}" x2="{_x(1):.1f}" y1="{_y(at):.1f}" y2="{_y(at):.1f}"/>')
        parts.append(f'<text x="{_x(0) - 6:.1f}" y="{_y(at) + 4:.1f}" text-anchor="end">{at:g}</text>')
        parts.append(f'<text x="{_x(at):.1f}" y="{_y(0) + 15:.1f}" text-anchor="middle">{at:g}</text>')
    parts.append(f'<line class="diagonal" x1="{_x(0):.1f}" y1="{_y(0):.1f}" x2="{_x(1):.1f}" y2="{_y(1):.1f}"/>')
    middle = (_x(0) + _x(1)) / 2
    parts.append(f'<text x="{middle:.1f}" y="{_SIZE - 6}" text-anchor="middle">probability that was given</text>')
    parts.append(f'<text transform="translate(10 {_y(0.5):.1f}) rotate(-90)" text-anchor="middle">{truth}</text>')
    return "".join(parts)


def _bars(curve: ReliabilityCurve, points: int) -> str:
    """Return how many points each bin has, as bars at the bottom."""
    most = max(curve.n)
    parts = []
    for i, n in enumerate(curve.n):
        if n <= 0:
            continue
        height = (_y(0) - _y(1)) * _MOST_OF_BAR * n / most
        left, right = _x(i / N_BINS) + 1, _x((i + 1) / N_BINS) - 1
        parts.append(
            f'<rect class="share-bar" x="{left:.1f}" y="{_y(0) - height:.1f}" width="{right - left:.1f}" '
            f'height="{height:.1f}"><title>{n:,.0f} of {counted(points, "point")}</title></rect>'
        )
    return "".join(parts)


def _curve(curve: ReliabilityCurve) -> str:
    places = [(m, s, n) for m, s, n in zip(curve.mean, curve.share, curve.n, strict=True) if n > 0]
    path = "".join(f"{'L' if i else 'M'}{_x(m):.1f} {_y(s):.1f}" for i, (m, s, _) in enumerate(places))
    dots = "".join(
        f'<circle class="knot" cx="{_x(m):.1f}" cy="{_y(s):.1f}" r="3.5">'
        f"<title>given {m:.3f}, came true in {s:.3f} of {counted(round(n), 'point')}</title></circle>"
        for m, s, n in places
    )
    return f'<path class="line line-window" d="{path}"/>{dots}'
