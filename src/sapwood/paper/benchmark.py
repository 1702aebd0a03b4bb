"""The pieces of the experiments with benchmark data sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sapwood.data import Batch, binary_batch
from sapwood.paper.experiment import Piece
from sapwood.paper.measure import Contestant, Tick, count, evenly, run_turns
from sapwood.paper.names import CRITERIA, SEARCHES
from sapwood.paper.rows import Row
from sapwood.paper.settings import Settings
from sapwood.paper.sources import Source, available, left_out
from sapwood.paper.synthetic import SAME
from sapwood.style import COUNTING

__all__ = ["benchmark_notes", "benchmark_pieces", "data_pieces"]

# A data set so large that a search takes long is shared out in turns; a short run is one turn, because every turn
# begins with the caches that the others left.
_TURNS_WHEN_LARGE = 10


def data_pieces(settings: Settings) -> list[Piece]:
    """Return the pieces that look at the size of each data set."""

    def piece(source: Source) -> Piece:
        def run(_: Tick) -> list[Row]:
            X, y = source.load()
            n, d = X.shape
            return [
                {
                    "data": source.name,
                    "key": source.key,
                    "stand_in": source.stand_in,
                    "n": n,
                    "d": d,
                    "density": X.nnz / (n * d),
                    "on_in_a_point": X.nnz / n,
                    "share_of_class_1": float(y.mean()),
                }
            ]

        return Piece("data", source.key, source.parameters, run, size=3.0)

    return [piece(source) for source in available(settings)]


def benchmark_pieces(settings: Settings) -> list[Piece]:
    """Return the pieces that run every search over a data set, and compare every answer with the optimum."""

    def piece(source: Source, repeat: int) -> Piece:
        parameters = {
            **source.parameters,
            "alpha": settings.alpha,
            "checkpoints": settings.benchmark_checkpoints,
            "points": settings.benchmark_points,
            "large": settings.large,
            "repeat": repeat,
        }

        def run(tick: Tick) -> list[Row]:
            X, y = source.load()
            n = X.shape[0]
            if settings.benchmark_points is not None and X.shape[1] > settings.large:
                n = min(n, settings.benchmark_points)
            rows = _run(binary_batch(X[:n], y[:n]), settings, repeat, tick)
            return [{"data": source.name, "key": source.key, "stand_in": source.stand_in, **row} for row in rows]

        return Piece("benchmark", f"{source.key}-repeat-{repeat}", parameters, run, size=_SIZES.get(source.key, 5.0))

    return [piece(source, repeat) for repeat in range(settings.benchmark_repeats) for source in available(settings)]


_SIZES = {"author": 6.0, "farm": 2.0, "sraa": 10.0, "news20": 60.0}


def benchmark_notes(settings: Settings) -> list[str]:
    """Return which data sets are stand-ins, cut short or left out."""
    notes = [f"{source.name}: {source.origin}." for source in available(settings)]
    if settings.benchmark_points is not None:
        notes.append(
            f"Of a data set with more than {settings.large:,} features, only the first {settings.benchmark_points:,} "
            f"points are run; --full runs them all."
        )
    return notes + left_out(settings)


def _run(stream: Batch, settings: Settings, repeat: int, tick: Tick) -> list[Row]:
    marks = evenly(len(stream), settings.benchmark_checkpoints)
    contestants = [Contestant(criterion, search, settings.alpha) for criterion in CRITERIA for search in SEARCHES]
    turns = _TURNS_WHEN_LARGE if stream.X.shape[1] > settings.large else 1
    outcomes = run_turns(stream, contestants, marks, turns=turns, rotation=repeat, tick=tick)
    counting = count(stream, marks).tolist()
    rows: list[Row] = []
    for i, n in enumerate(marks.tolist()):
        common: Row = {"repeat": repeat, "n": n}
        rows.append({**common, "criterion": None, "search": COUNTING, "seconds": counting[i], "times_counting": 1.0})
        for one, outcome in outcomes.items():
            seconds = outcome.seconds[i]
            named = {"criterion": one.criterion, "search": one.search}
            rows.append({**common, **named, "seconds": seconds, "times_counting": seconds / counting[i]})
    for one, outcome in outcomes.items():
        true = outcomes[Contestant(one.criterion, "exhaustive", settings.alpha)]
        rows.append(
            {
                "repeat": repeat,
                "n": len(stream),
                "criterion": one.criterion,
                "search": one.search,
                **_compared(outcome.scores(), true.scores()),
                "identical": bool(
                    np.array_equal(outcome.scores(), true.scores(), equal_nan=True)
                    and np.array_equal(outcome.features(), true.features())
                ),
            }
        )
    return rows


def _compared(scores: npt.NDArray[np.float64], optimum: npt.NDArray[np.float64]) -> Row:
    """Return how often the scores are above the optimum, and by which factor at the worst."""
    above = scores > optimum * (1.0 + SAME) + SAME
    # A score above an optimum of 0 has no factor; the guarantee rules it out.
    factors = np.where(above & (optimum > 0), scores / np.where(optimum > 0, optimum, 1.0), 1.0)
    worst = int(np.argmax(factors)) if factors.size else 0
    return {
        "suboptimal": int(above.sum()),
        "worst_factor": float(factors[worst]) if factors.size else 1.0,
        "worst_score": float(scores[worst]) if above.any() else None,
        "worst_optimum": float(optimum[worst]) if above.any() else None,
    }
