"""Memory of the trees: bytes for each pair of a leaf and a feature that it has seen, and a million features."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse import csr_array

import sapwood
from benchmarks.micro.measure import significant
from benchmarks.micro.report import Report, Table
from benchmarks.micro.workloads import SEED, Stream, stream_of

GIBIBYTE = 2**30


def run(quick: bool) -> Report:
    """Measure the memory of trees of about a hundred leaves."""
    rows: list[tuple[str, ...]] = []
    figures: list[dict[str, Any]] = []
    d = 10_000 if quick else 1_000_000
    for name, stream in {"uniform": _stream(d, quick, zipf=False), "Zipf": _stream(d, quick, zipf=True)}.items():
        for cls in (sapwood.HoeffdingTreeClassifier, sapwood.ExtremelyFastDecisionTreeClassifier):
            for prediction in ("majority", "adaptive"):
                # A generous delta and ties that are settled early make a hundred leaves of a stream of this length.
                model = cls(leaf_prediction=prediction, delta=0.1, tau=0.1, max_leaves=100)
                model.fit(stream.matrix, stream.labels)
                entry = _measured(name, model, stream, prediction)
                figures.append(entry)
                rows.append(
                    (
                        name,
                        entry["learner"],
                        prediction,
                        f"{entry['leaves']}",
                        f"{entry['pairs']:,}",
                        significant(entry["bytes"] / 2**20),
                        significant(entry["bytes_a_pair"]),
                        f"≤ 2 GiB: {'met' if entry['bytes'] <= 2 * GIBIBYTE else 'MISSED'}",
                    )
                )
    notes = [
        f"{stream.n:,} points of 20 features out of {d:,}, uniform or by Zipf's law; at most 100 leaves.",
        "A pair: a leaf and a feature that is on in a point that reached it (the last leaf of each point counts).",
        "EFDT keeps the statistics of inner nodes as well.",
    ]
    header = ("features", "learner", "leaf_prediction", "leaves", "pairs", "MiB", "bytes per pair", "asked")
    return Report(
        "trees-memory",
        "memory of trees over many features",
        [Table("memory", header, rows)],
        figures,
        lambda figure: _draw(figure, figures),
        quick,
        notes,
    )


def _stream(d: int, quick: bool, *, zipf: bool) -> Stream:
    """Return points of 20 features; the label follows a rule of the first fifty features, with noise."""
    rng = np.random.default_rng(SEED)
    n, m = (20_000 if quick else 300_000), 20
    signal = rng.random((n, 8)) < 0.5
    if zipf:
        noise = np.minimum((d ** rng.random((n, m - 4)) - 1).astype(np.int64), d - 9) + 8
    else:
        noise = rng.integers(8, d, (n, m - 4))
    code = signal @ (1 << np.arange(8))
    labels = rng.random(256)[code] > rng.random(n)
    rows = [np.unique(np.concatenate((np.flatnonzero(on), others))) for on, others in zip(signal, noise, strict=True)]
    indptr = np.concatenate(([0], np.cumsum([row.size for row in rows])))
    return stream_of("wide", indptr, np.concatenate(rows), labels, d)


def _measured(name: str, model: Any, stream: Stream, prediction: str) -> dict[str, Any]:
    leaves = model.apply(stream.matrix)
    by_leaf = csr_array((np.ones(stream.n, np.int8), (leaves, np.arange(stream.n))), shape=(leaves.max() + 1, stream.n))
    pairs = int((by_leaf @ stream.matrix.astype(np.int32)).nnz)
    n_bytes = model.summary().tree_bytes
    return {
        "features": name,
        "learner": "EFDT" if "Fast" in type(model).__name__ else "VFDT",
        "leaf_prediction": prediction,
        "leaves": model.get_n_leaves(),
        "pairs": pairs,
        "bytes": n_bytes,
        "bytes_a_pair": n_bytes / pairs,
    }


def _draw(figure: Figure, figures: list[dict[str, Any]]) -> None:
    axes = figure.subplots()
    names = [f"{entry['features']}, {entry['learner']}, {entry['leaf_prediction']}" for entry in figures]
    axes.barh(names, [entry["bytes_a_pair"] for entry in figures], color="0.4")
    axes.invert_yaxis()
    axes.set_xlabel("bytes for each pair of a leaf and a feature")
