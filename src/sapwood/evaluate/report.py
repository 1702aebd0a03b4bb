"""The report of an evaluation: one page that needs no other file, no network and no permission."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from sapwood.data.unicode import in_unicode
from sapwood.evaluate._page_confusion import page_confusion
from sapwood.evaluate._page_features import page_features
from sapwood.evaluate._page_reliability import page_reliability
from sapwood.evaluate._page_tree import page_tree
from sapwood.evaluate._scoreboard import MEMORIES, METRICS, column_of
from sapwood.evaluate.evaluation import Evaluation, bytes_in_words, plain
from sapwood.model_files.files import write_atomically
from sapwood.style import N_CLASS_COLOURS, class_colour, line_style
from sapwood.wording import counted

__all__ = ["render_report", "save_report"]

_SCRIPTS = ("report_dom.js", "report_curves.js", "report_tree.js", "report_splits.js")
_TITLES = {
    "accuracy": "Accuracy",
    "kappa": "Kappa",
    "kappa_temporal": "Kappa temporal",
    "f1": "F1",
    "log_loss": "Logarithmic loss",
    "roc_auc": "ROC AUC",
    "calibration_error": "Calibration error",
}
# What is better the less it is, and has no top worth showing.
_FROM_ZERO = ("log_loss", "calibration_error")
# More of each would make a page slow, and say no more to a reader.
_MOST_RECORDS = 1000
_MOST_SPLITS = 5000
_MOST_CHANGES = 200
_CHANGES_HINT = " Dotted lines are changes of error that were found, solid ones alternates that were swapped in."
_LINES = {"all": "exhaustive", "window": "approximate", "fading": "certified"}


def save_report(evaluation: Evaluation, path: str | PathLike[str], *, title: str | None = None) -> Path:
    """Write the page of an evaluation to a file, and return its path. A file of that name is replaced at once."""
    target = Path(path)
    write_atomically(target, in_unicode(render_report(evaluation, title=title)).encode("utf-8"))
    return target


def render_report(evaluation: Evaluation, *, title: str | None = None) -> str:
    """Return the page as text."""
    style = _filled(_text("report.css"), {"class_colours": _colours()})
    script = '"use strict";\n(() => {\n' + "\n".join(_text(name) for name in _SCRIPTS) + "})();\n"
    parts = {
        "title": html.escape(title or f"{evaluation.model} over a stream"),
        "lead": html.escape(_lead(evaluation)),
        "version": html.escape(version("sapwood")),
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "metrics": _metrics(evaluation),
        "sizes": _sizes(evaluation),
        "confusion": page_confusion(evaluation.confusion),
        "reliability": page_reliability(evaluation.reliability, evaluation.settings.get("positive")),
        "features": _features(evaluation),
        "changes": _changes(evaluation),
        "changes_hint": _CHANGES_HINT if evaluation.changes else "",
        "parameters": _pairs("Parameters of the model", evaluation.parameters),
        "settings": _pairs("Evaluation", evaluation.settings),
        "versions": _pairs("Versions", evaluation.versions),
        "data": _as_data(_data(evaluation)),
    }
    return _filled(_text("report.html"), parts)


def _text(name: str) -> str:
    return files("sapwood.evaluate").joinpath(name).read_text(encoding="utf-8")


def _filled(template: str, parts: dict[str, str]) -> str:
    """Put each part in its place. What is put in is not looked at again, whatever it holds."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], template)


def _hash(text: str) -> str:
    """Return what a content security policy knows a script or a style by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"


def _as_data(value: object) -> str:
    """Return JSON that nothing in an HTML page mistakes for the end of its script."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _colours() -> str:
    """Return the colours of lines and classes, lighter lines for dark paper."""
    rules = []
    for memory, search in _LINES.items():
        colour = line_style(search).colour
        rules.append(f":root {{ --line-{memory}-light: {colour}; --line-{memory}-dark: {_lighter(colour)}; }}")
    rules += [f".class{k} {{ fill: {class_colour(k)}; }}" for k in range(N_CLASS_COLOURS)]
    return "\n".join(rules)


def _lighter(colour: str) -> str:
    """Return a colour half way to white if it is dark."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    share = 0.6 if sum(parts) < 3 * 96 else 0.25
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


# ---- what is written as HTML at once --------------------------------------------------------------------------------


def _lead(evaluation: Evaluation) -> str:
    words = counted(evaluation.n, "point").replace(",", "\u202f")
    words += ", each predicted before it was learned"
    if evaluation.n:
        rate = f"{evaluation.points_per_second:,.0f}".replace(",", "\u202f")
        words += f"; {rate} per second in the model"
    return words + (". Interrupted before the end of the stream." if evaluation.interrupted else ".")


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.4f}"  # noqa: PLR0124 - nan


def _metrics(evaluation: Evaluation) -> str:
    heads = ["all points", f"last {evaluation.settings['window']}", f"fading {evaluation.settings['fading']:g}"]
    rows = []
    for metric in METRICS:
        values = [evaluation[column_of(metric, memory)] for memory in MEMORIES]
        if any(value == value for value in values):  # noqa: PLR0124 - nan
            rows.append([_TITLES[metric], *map(_number, values)])
    return _table("Metrics", ["", *heads], rows)


def _sizes(evaluation: Evaluation) -> str:
    rows: list[list[str]] = []
    for name in ("nodes", "leaves", "depth"):
        value = evaluation[name]
        if value == value:  # noqa: PLR0124 - nan
            rows.append([name, f"{value:.0f}"])
    memory = evaluation["bytes"]
    if memory == memory:  # noqa: PLR0124 - nan
        rows.append(["memory", bytes_in_words(memory)])
    if evaluation.trees:
        rows.append(["trees", str(len(evaluation.trees[-1].trees))])
        rows.append(["warnings", str(evaluation.tally["warnings"])])
        rows.append(["drifts", str(evaluation.tally["drifts"])])
        rows.append(["trees swapped in", str(evaluation.tally["swapped"])])
        rows.append(["trees begun anew", str(evaluation.tally["reset"])])
    elif evaluation.tally:
        rows.append(["splits made", str(evaluation.tally["split"])])
        rows.append(["split anew", str(evaluation.tally["resplit"])])
        rows.append(["nodes given up", str(evaluation.tally["pruned"])])
    if evaluation.changes:
        rows.append(["changes of error found", str(evaluation.tally["drifts"])])
        rows.append(["alternates begun", str(evaluation.tally["alternates_started"])])
        rows.append(["alternates swapped in", str(evaluation.tally["alternates_swapped"])])
        rows.append(["alternates given up", str(evaluation.tally["alternates_dropped"])])
    return _table("The model", None, rows) if rows else ""


def _pairs(caption: str, values: dict[str, Any]) -> str:
    rows = [[name, str(plain(value))] for name, value in values.items()]
    return _table(caption, None, rows, numbers=False) if rows else ""


def _table(caption: str, heads: Sequence[str] | None, rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    kind = "number" if numbers else "long"
    lines = [f"<table><caption>{html.escape(caption)}</caption>"]
    if heads is not None:
        cells = "".join(f'<th scope="col" class="{kind}">{html.escape(head)}</th>' for head in heads)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for first, *rest in rows:
        cells = "".join(f'<td class="{kind}">{html.escape(cell)}</td>' for cell in rest)
        lines.append(f'<tr><th scope="row">{html.escape(first)}</th>{cells}</tr>')
    return "".join(lines) + "</tbody></table>"


def _features(evaluation: Evaluation) -> str:
    """Return the section of the features with the largest weights; nothing if there are no models."""
    order = None if evaluation.tree is None else evaluation.tree.classes
    found = page_features(evaluation.top_features, order, N_CLASS_COLOURS)
    if not found:
        return ""
    return (
        '<section aria-labelledby="features-title"><h2 id="features-title">What the models know</h2>'
        '<p class="hint">For each class the features with the largest weights: what a feature that is on adds to '
        "the log-odds of the class in the models of the leaves. A large weight does not mean a frequent feature.</p>"
        f"{found}</section>"
    )


def _changes(evaluation: Evaluation) -> str:
    """Return the section of what was done to follow the stream; nothing if nothing was."""
    if not evaluation.changes:
        return ""
    shown = evaluation.changes[-_MOST_CHANGES:]
    heads = ["after points", "nodes whose error changed", "alternates begun", "swapped in", "given up"]
    rows = [
        [
            f"{change.at:,}".replace(",", "\u202f"),
            *map(str, (change.drifts, change.begun, change.swapped, change.dropped)),
        ]
        for change in shown
    ]
    left_out = len(evaluation.changes) - len(shown)
    words = (
        "What the tree did to follow the stream, at the first record after it. An alternate learns beside a node, and "
    )
    words += "takes its place when it predicts better."
    words += f" The last {len(shown)} of {len(evaluation.changes)}." if left_out else ""
    return (
        '<section aria-labelledby="changes-title"><h2 id="changes-title">Changes followed</h2>'
        f'<p class="hint">{words}</p><div class="scroll">{_table("Changes", heads, rows)}</div></section>'
    )


# ---- what the script draws ------------------------------------------------------------------------------------------


def _data(evaluation: Evaluation) -> dict[str, Any]:
    n = len(evaluation.records["n"])
    # The last is always there.
    rows = np.unique(np.linspace(0, n - 1, min(n, _MOST_RECORDS)).astype(int)).tolist() if n else []
    columns = {name: [_short(column[i]) for i in rows] for name, column in evaluation.records.items()}
    splits = evaluation.splits[-_MOST_SPLITS:]
    return {
        "columns": columns,
        "panels": _panels(evaluation),
        "split_at": [split.at for split in evaluation.splits],
        "drift_at": [change.at for change in evaluation.changes if change.drifts and not change.swapped],
        "swap_at": [change.at for change in evaluation.changes if change.swapped],
        "splits": [
            {
                "at": split.at,
                "feature": split.feature,
                "depth": split.depth,
                "gain": _short(split.gain),
                "margin": _short(split.margin),
                "anew": split.anew,
                "until": split.until,
            }
            for split in splits
        ],
        "splits_hint": _splits_hint(evaluation, len(splits)),
        "tree": None if evaluation.tree is None else page_tree(evaluation.tree, N_CLASS_COLOURS),
    }


def _panels(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return what is drawn in each chart."""
    labels = {
        "window": f"last {evaluation.settings['window']}",
        "fading": f"fading {evaluation.settings['fading']:g}",
        "all": "all points",
    }
    panels: list[dict[str, Any]] = []
    for metric in METRICS:
        lines = [
            {"column": column_of(metric, memory), "label": label, "style": memory} for memory, label in labels.items()
        ]
        limits = {} if metric in _FROM_ZERO else {"most": 1.0}
        panels.append({"title": _TITLES[metric], "format": "share", "lines": lines, **limits})

    def more(title: str, how: str, *lines: tuple[str, str]) -> None:
        styles = ("one", "two", "three")
        drawn = [{"column": name, "label": label, "style": styles[i]} for i, (name, label) in enumerate(lines)]
        panels.append({"title": title, "format": how, "zero": True, "lines": drawn})

    more("Tree", "whole", ("nodes", "nodes"), ("leaves", "leaves"), ("depth", "depth"))
    more("Memory", "bytes", ("bytes", "model"))
    more("Points per second", "whole", ("points_per_second", "since the last record"))
    return panels


def _splits_hint(evaluation: Evaluation, n_shown: int) -> str:
    words = []
    if n_shown < len(evaluation.splits):
        words.append(f"The last {n_shown} of {len(evaluation.splits)}.")
    made = evaluation.tally.get("split", 0) + evaluation.tally.get("resplit", 0)
    unseen = made - len(evaluation.splits)
    if unseen > 0:
        words.append(f"{unseen} more {'was' if unseen == 1 else 'were'} made and given up between two records.")
    if any(split.until is not None for split in evaluation.splits):
        words.append("The time at which a split was given up is that of the first record without it.")
    return " ".join(words)


def _short(value: Any) -> Any:
    """Return a number as it is written in the page: six digits are more than a screen shows."""
    value = plain(value)
    return float(f"{value:.6g}") if isinstance(value, float) else value
