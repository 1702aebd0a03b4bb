"""The report: each experiment beside what the paper says, as one self-contained HTML file and as Markdown."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path

from sapwood.paper.claims import Claim, tally
from sapwood.paper.experiment import Result
from sapwood.paper.machine import machine
from sapwood.paper.rows import write_text
from sapwood.paper.settings import Settings

__all__ = ["write_report"]

_TITLE = "The paper, reproduced"
_CLAIM_COLUMNS = ("claim", "paper", "here", "holds")
_INTRODUCTION = (
    (
        "Every experiment of Nikolaj Tatti, Approximating splits for decision trees quickly in sparse data streams "
        "(SDM 2025), run again with sapwood, with its certified search added to each."
    ),
    (
        "Times are measured in C++, around the loop that adds each point and asks for the best split after it; the "
        "algorithms take turns. Medians, with quartiles where there is more than one repeat. Counting only is the same "
        "loop, which only increments counters. Whether a claim holds is computed from the measurements of this run; "
        "claims set in italics are sapwood's, not the paper's. The machine of the paper is another one: compare ratios "
        "and shapes, not seconds."
    ),
)


def write_report(results: Sequence[Result], folder: Path, settings: Settings) -> tuple[Path, Path]:
    """Write report.html, which needs no other file, and report.md, beside the pictures; return their paths."""
    about = {
        **machine(),
        "seed": str(settings.seed),
        "repeats of the synthetic experiments": str(settings.repeats),
        "repeats on the benchmark data sets": str(settings.benchmark_repeats),
    }
    markdown = _markdown(results, about)
    return write_text(_html(results, about), folder / "report.html"), write_text(markdown, folder / "report.md")


def _all_claims(results: Sequence[Result]) -> list[Claim]:
    return [claim for result in results for claim in result.claims]


def _rows(claims: Sequence[Claim], emphasis: str) -> list[tuple[str, str, str, str]]:
    return [
        (f"{emphasis}{claim.text}{emphasis}" if claim.ours else claim.text, claim.paper, claim.here, claim.verdict)
        for claim in claims
    ]


def _markdown(results: Sequence[Result], about: dict[str, str]) -> str:
    parts = [f"# {_TITLE}", *_INTRODUCTION, f"**{tally(_all_claims(results))}.**", "## This run"]
    parts.append(_markdown_table(("", ""), list(about.items())))
    for result in results:
        parts += [f"## {result.experiment.title}", f"**The paper:** {result.experiment.says}"]
        if result.picture is None:
            parts.append("Nothing was run.")
        else:
            parts.append(f"![{result.experiment.title}]({result.picture.name})")
            parts.append(_markdown_table(result.shown.columns, result.shown.rows))
            parts.append(_markdown_table(_CLAIM_COLUMNS, _rows(result.claims, "*")))
        parts += [f"- {note}" for note in result.notes]
        parts.append(f"The whole table: [{result.csv.name}]({result.csv.name})")
    return _joined(parts)


def _joined(parts: Sequence[str]) -> str:
    """Put blank lines between parts, but not between the items of a list."""
    parts = [part for part in parts if part]
    text = ""
    for before, part in zip(("", *parts), parts, strict=False):
        text += "" if not text else "\n" if before.startswith("- ") and part.startswith("- ") else "\n\n"
        text += part
    return text + "\n"


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(entry.replace("|", "\\|") for entry in line) + " |" for line in lines)


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
img { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.92em; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.7rem; text-align: left; vertical-align: top; }
th { border-bottom: 2px solid #16325c; }
h2 { margin-top: 3rem; border-top: 1px solid #ccc; padding-top: 1rem; }
.yes { color: #1f6a4d; font-weight: bold; } .no { color: #a3260f; font-weight: bold; }
@media print { h2 { break-before: page; } }
""".strip()


def _html(results: Sequence[Result], about: dict[str, str]) -> str:
    body = [f"<h1>{_TITLE}</h1>", *(f"<p>{html.escape(text)}</p>" for text in _INTRODUCTION)]
    body.append(f"<p><strong>{html.escape(tally(_all_claims(results)))}.</strong></p>")
    body += ["<h2>This run</h2>", _html_table(("", ""), list(about.items()))]
    for result in results:
        title = html.escape(result.experiment.title)
        body.append(f'<h2 id="{result.experiment.name}">{title}</h2>')
        body.append(f"<p><strong>The paper:</strong> {html.escape(result.experiment.says)}</p>")
        if result.picture is None:
            body.append("<p>Nothing was run.</p>")
        else:
            data = base64.b64encode(result.picture.read_bytes()).decode("ascii")
            body.append(f'<p><img alt="{title}" src="data:image/png;base64,{data}"></p>')
            body.append(_html_table(result.shown.columns, result.shown.rows))
            body.append(_html_claims(result.claims))
        if result.notes:
            body.append("<ul>" + "".join(f"<li>{html.escape(note)}</li>" for note in result.notes) + "</ul>")
    head = f'<meta charset="utf-8"><title>{_TITLE}</title><style>\n{_STYLE}\n</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def _html_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns) if any(columns) else ""
    lines = ("".join(f"<td>{html.escape(entry)}</td>" for entry in row) for row in rows)
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>"


def _html_claims(claims: Sequence[Claim]) -> str:
    head = "".join(f"<th>{column}</th>" for column in _CLAIM_COLUMNS)
    lines = []
    for claim in claims:
        text = html.escape(claim.text)
        text = f"<em>{text}</em>" if claim.ours else text
        entries = (text, html.escape(claim.paper), html.escape(claim.here))
        kind = {True: "yes", False: "no", None: "open"}[claim.holds]
        cells = "".join(f"<td>{entry}</td>" for entry in entries)
        lines.append(f'<tr>{cells}<td class="{kind}">{claim.verdict}</td></tr>\n')
    return f"<table><tr>{head}</tr>" + "".join(lines) + "</table>" if lines else ""
