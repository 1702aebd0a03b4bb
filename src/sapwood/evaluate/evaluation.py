"""The result of an evaluation: tables over the stream, and the report."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.evaluate._calibration import ReliabilityCurve
from sapwood.evaluate._forest_growth import TreesSeen
from sapwood.evaluate._forest_picture import forest_picture
from sapwood.evaluate._growth import ChangeSeen, SplitMade
from sapwood.evaluate._scoreboard import MEMORIES, METRICS, column_of
from sapwood.inspect.view import TreeView
from sapwood.wording import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Evaluation"]


@dataclass(frozen=True)
class Evaluation:
    """The result of a test-then-train run.

    Attributes
    ----------
    model : str
        The class of the model.
    parameters : dict
        The parameters of the model, by name.
    settings : dict
        The settings of the evaluation.
    versions : dict
        The versions of Python and of the packages used.
    n : int
        The number of points tested and learned.
    seconds : float
        The time spent in the model, without reading the stream and computing metrics.
    interrupted : bool
        Whether the run was stopped before the end of the stream.
    records : dict of lists
        One row per record: `n`, `seconds`, `points_per_second` since the last row, the metrics (``accuracy`` over all
        points, ``accuracy_window``, ``accuracy_fading`` ...; nan where not defined), and the `bytes`, `nodes`, `leaves`
        and `depth` of the model, None where it has none. The last row is the end.
    classes : tuple
        The classes in the order in which they were met.
    confusion : dict
        The number of points per true and predicted class: ``confusion[true, predicted]``, None for no prediction.
    splits : tuple of SplitMade
        The splits in the order in which they were made.
    tally : dict
        Counters of what was done to the tree: splits, splits made anew, nodes given up and others; or to the forest:
        warnings, drifts, trees swapped in and begun anew.
    tree : TreeView or None
        The tree at the end.
    reliability : dict
        Reliability curves (`ReliabilityCurve`) over all points: that of the predicted class under the key None and, if
        there are two classes, that of each under its label. Empty for a model without probabilities.
    top_features : dict
        For each class the features with the largest weights at the end, as ``top_features`` of a tree returns them.
        Empty for a model that is not a tree of sapwood, or whose leaves have no models.
    changes : tuple of ChangeSeen
        What the tree did to follow its stream: for each record before which it did something, the changes found and the
        alternates begun, swapped and dropped since the record before. Empty for a model that follows no stream.
    trees : tuple of TreesSeen
        Of a forest, for each record, the leaves and the accuracy of each of its trees. `plot_forest` draws them.
    """

    model: str
    parameters: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    n: int
    seconds: float
    interrupted: bool
    records: dict[str, list[Any]]
    classes: tuple[Hashable, ...]
    confusion: dict[tuple[Hashable, Hashable | None], int]
    splits: tuple[SplitMade, ...]
    tally: dict[str, int]
    tree: TreeView | None
    reliability: dict[Hashable | None, ReliabilityCurve] = field(default_factory=dict)
    top_features: dict[Hashable, list[tuple[str, float]]] = field(default_factory=dict)
    changes: tuple[ChangeSeen, ...] = ()
    trees: tuple[TreesSeen, ...] = ()

    def __getitem__(self, column: str) -> float:
        """Return the last value of a column, such as ``accuracy``."""
        if column not in self.records:
            raise KeyError(f"Evaluation: column must be one of {', '.join(self.records)}, got {column!r}")
        value = self.records[column][-1] if self.records["n"] else None
        return math.nan if value is None else float(value)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the tree in plain types for json.dumps; None for what is not defined."""
        return {
            "model": self.model,
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "settings": {name: plain(value) for name, value in self.settings.items()},
            "versions": dict(self.versions),
            "n": self.n,
            "seconds": self.seconds,
            "points_per_second": self.points_per_second if math.isfinite(self.points_per_second) else None,
            "interrupted": self.interrupted,
            "metrics": {
                column_of(metric, memory): plain(self[column_of(metric, memory)])
                for metric in METRICS
                for memory in MEMORIES
            },
            "records": {name: [plain(value) for value in column] for name, column in self.records.items()},
            "classes": [plain(label) for label in self.classes],
            "confusion": [
                {"true": plain(true), "answered": plain(answered), "n": n}
                for (true, answered), n in self.confusion.items()
            ],
            "splits": [asdict(split) for split in self.splits],
            "changes": [asdict(change) for change in self.changes],
            "trees": [asdict(each) for each in self.trees],
            "tally": dict(self.tally),
            "reliability": [
                {
                    "class": plain(label),
                    **{name: [plain(value) for value in getattr(curve, name)] for name in ("n", "mean", "share")},
                    "error": plain(curve.error),
                }
                for label, curve in self.reliability.items()
            ],
            "top_features": [
                {"class": plain(label), "features": [{"feature": name, "weight": weight} for name, weight in features]}
                for label, features in self.top_features.items()
            ],
        }

    def plot_forest(self) -> Figure:
        """Return a picture of how the trees of a forest grew; ``plot_forest().savefig(path)`` saves it.

        Above are the leaves of each tree, below the share of its right answers between records, each given before the
        point was learned, with that of the forest in black. A dot is where another tree took the place. Needs
        matplotlib, which the extra ``plot`` installs.

        Raises
        ------
        ValueError
            If the model is no forest of sapwood, or nothing was learned.
        """
        if not self.trees:
            raise ValueError(f"Evaluation.plot_forest: the model must be a forest that has learned, got a {self.model}")
        n, accuracy = self.records["n"], self.records["accuracy"]
        right = {0: 0.0, **{at: at * share for at, share in zip(n, accuracy, strict=True)}}
        ends = [0, *(each.at for each in self.trees)]
        together = [(right[end] - right[start]) / (end - start) for start, end in pairwise(ends)]
        return forest_picture(self.trees, together, f"{self.model}: {counted(len(self.trees[0].trees), 'tree')}")

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the records as a table, one row per record. Needs pandas, which the extra `pandas` installs."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "Evaluation.to_dataframe: pandas must be installed; install it with: pip install 'sapwood[pandas]'"
            ) from error
        return pd.DataFrame(self.records)

    @property
    def points_per_second(self) -> float:
        """The average number of points tested and learned per second; nan if there was none."""
        return self.n / self.seconds if self.n and self.seconds > 0 else math.nan

    @property
    def summary(self) -> str:
        """A small table of the metrics, and the size of the tree, as text."""
        state = ", interrupted" if self.interrupted else ""
        rate = f"{self.points_per_second:,.0f} per second"
        last, fading = f"last {self.settings['window']:,}", f"fading {self.settings['fading']:g}"
        lines = [
            f"{self.model}: {counted(self.n, 'point')} in {self.seconds:.2f} s ({rate}){state}",
            f"{'':18}{'all':>10}{last:>14}{fading:>16}",
        ]
        for metric in METRICS:
            values = [self[column_of(metric, memory)] for memory in MEMORIES]
            if not all(math.isnan(value) for value in values):
                cells = ["–" if math.isnan(value) else f"{value:.4f}" for value in values]
                lines.append(f"{metric.replace('_', ' '):18}{cells[0]:>10}{cells[1]:>14}{cells[2]:>16}")
        if self.tree is not None:
            lines.append(self._size_of_forest() if self.trees else self._size_of_tree(self.tree))
        return "\n".join(lines)

    def _size_of_tree(self, tree: TreeView) -> str:
        return (
            f"tree: {counted(len(tree.nodes), 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}, "
            f"depth {tree.depth}, {bytes_in_words(self['bytes'])}; "
            f"{counted(self.tally['split'], 'split')}, {self.tally['resplit']:,} anew"
        )

    def _size_of_forest(self) -> str:
        return (
            f"forest: {counted(len(self.trees[-1].trees), 'tree')}, {counted(round(self['nodes']), 'node')}, "
            f"{counted(round(self['leaves']), 'leaf', 'leaves')}, "
            f"depth {self['depth']:.0f}, {bytes_in_words(self['bytes'])}; "
            f"{counted(self.tally['warnings'], 'warning')}, {counted(self.tally['drifts'], 'drift')}, "
            f"{counted(self.tally['swapped'], 'tree')} swapped, {self.tally['reset']:,} reset"
        )

    def __str__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        """Return the metrics as HTML, which notebooks show."""
        from sapwood.evaluate._html import evaluation_html

        return evaluation_html(self)

    def save_report(self, path: str | PathLike[str], *, title: str | None = None) -> Path:
        """Write the report, one HTML page that needs no other file and no network, and return its path."""
        from sapwood.evaluate.report import save_report

        return save_report(self, path, title=title)


def bytes_in_words(n: float) -> str:
    """Return a number of bytes in the unit that suits it."""
    if math.isnan(n):
        return "–"
    for unit in ("B", "kB", "MB"):
        if n < 1000:  # noqa: PLR2004 - the next unit
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1000
    return f"{n:.1f} GB"


def plain(value: object) -> str | int | float | bool | None:
    """Return a value as JSON has it: nan and infinities as None, other types as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)
