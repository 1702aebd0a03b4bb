"""Table 1: the characteristics of the data sets."""

from __future__ import annotations

from pathlib import Path

from sapwood.paper.benchmark import benchmark_notes, data_pieces
from sapwood.paper.claims import Claim
from sapwood.paper.drawing import panels
from sapwood.paper.experiment import Experiment, Shown
from sapwood.paper.names import data_name
from sapwood.paper.rows import Row
from sapwood.paper.settings import Settings
from sapwood.paper.sources import PAPER

__all__ = ["EXPERIMENT", "reproduce"]


def _tabulate(rows: list[Row], _: Settings) -> list[Row]:
    return rows


def _density(row: Row) -> str:
    """Return the density with as many digits as the paper prints for this data set."""
    published = PAPER.get(row["key"])
    digits = len(published.density.removeprefix("0.").lstrip("0")) if published else 2
    return f"{row['density']:.{digits}g}"


def _draw(table: list[Row], _: Settings, path: Path) -> None:
    colour = "#16325c"
    with panels(1, 3, path) as (figure, axes):
        names = [data_name(row) for row in table]
        places = range(len(table))
        for axis, column, title in zip(
            axes, ("n", "d", "density"), ("points n", "features d", "density (share of ones)"), strict=True
        ):
            axis.scatter([row[column] for row in table], places, s=90, color=colour, label="here", zorder=3)
            known = [
                (PAPER[row["key"]], place) for row, place in zip(table, places, strict=True) if row["key"] in PAPER
            ]
            printed = [float(getattr(published, column)) for published, _ in known]
            axis.scatter(
                printed,
                [place for _, place in known],
                s=260,
                facecolors="none",
                edgecolors="#e8871e",
                linewidths=2.4,
                label="paper",
            )
            axis.set_xscale("log")
            axis.xaxis.set_minor_formatter(lambda *_: "")
            axis.set_xlabel(title + ", log scale")
            axis.set_yticks(list(places), names if axis is axes[0] else [""] * len(names))
            axis.set_ylim(len(table) - 0.4, -0.6)
            axis.margins(x=0.2)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=13)


def _claims(table: list[Row], _: Settings) -> list[Claim]:
    claims = []
    for row in table:
        published = PAPER.get(row["key"])
        if published is None:
            continue
        same = (row["n"], row["d"], _density(row)) == (published.n, published.d, published.density)
        claims.append(
            Claim(
                f"{data_name(row)}: n, d and density.",
                f"{published.n:,}, {published.d:,}, {published.density}",
                f"{row['n']:,}, {row['d']:,}, {_density(row)}",
                None if row["stand_in"] else same,
            )
        )
    return claims


def _shown(table: list[Row], _: Settings) -> Shown:
    rows = [
        (
            row["data"],
            "stand-in" if row["stand_in"] else "as in the paper" if row["key"] in PAPER else "other",
            f"{row['n']:,}",
            f"{row['d']:,}",
            f"{row['density']:.4g}",
            f"{row['on_in_a_point']:.1f}",
            f"{row['share_of_class_1']:.3f}",
        )
        for row in table
    ]
    columns = ("data", "what it is", "n", "d", "density", "ones in a point", "share of class 1")
    return Shown(columns, rows)


EXPERIMENT = Experiment(
    name="table-1",
    title="Table 1: characteristics of the data sets",
    says=(
        "Author (n = 53,678, d = 10,000, density 0.007), Farm (4,143, 54,877, 0.0036), SRAA (72,309, 20,958, "
        "0.0024) and 20News (19,996, 1,355,191, 0.00033)."
    ),
    pieces=data_pieces,
    tabulate=_tabulate,
    draw=_draw,
    claims=_claims,
    shown=_shown,
    notes=benchmark_notes,
)

reproduce = EXPERIMENT.reproduce
