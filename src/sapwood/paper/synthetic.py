"""The pieces of the experiments with synthetic data: one for each repeat, with data of its own.

A search runs over a stream in one go, which takes a fraction of a second; the others follow at once, in an order that
rotates from one repeat to the next.
"""

from __future__ import annotations

import math
from typing import Any

from sapwood import _timing
from sapwood.data import Batch, binary_batch
from sapwood.datasets import make_sparse
from sapwood.paper.experiment import Piece
from sapwood.paper.measure import Contestant, Tick, count, evenly, run_turns, trees
from sapwood.paper.names import CRITERIA, SEARCHES
from sapwood.paper.rows import Row
from sapwood.paper.settings import Settings
from sapwood.style import COUNTING

__all__ = ["SAME", "alpha_pieces", "dimension_pieces", "is_optimal", "stream_pieces"]

SAME = 1e-9
"""Scores that differ relatively by no more are the same: they are sums of many roundings."""


def is_optimal(score: float, optimum: float) -> bool:
    """Return whether a score is the optimum up to rounding."""
    return math.isclose(score, optimum, rel_tol=SAME, abs_tol=SAME)


def alpha_pieces(settings: Settings) -> list[Piece]:
    """Return the pieces that vary the guarantee: trees, time, and the last split of each."""
    guarantees = [*settings.alphas, settings.far_alpha]
    if settings.alpha not in guarantees:
        guarantees.append(settings.alpha)

    def piece(repeat: int) -> Piece:
        parameters = {**_stream(settings, repeat), "alphas": guarantees}

        def run(tick: Tick) -> list[Row]:
            stream = _draw(parameters)
            ends = evenly(len(stream), 1)
            contestants = [
                Contestant(criterion, "approximate", alpha) for criterion in CRITERIA for alpha in guarantees
            ]
            contestants += [Contestant(criterion, search) for criterion in CRITERIA for search in _EXACT]
            outcomes = run_turns(stream, contestants, ends, turns=1, rotation=repeat * 7, tick=tick)
            counting = float(count(stream, ends)[-1])
            rows: list[Row] = [_row(repeat, None, COUNTING, seconds=counting, times_counting=1.0)]
            for contestant, outcome in outcomes.items():
                optimum = float(outcomes[Contestant(contestant.criterion, "exhaustive")].score[-1][-1])
                score = float(outcome.score[-1][-1])
                approximate = contestant.search == "approximate"
                rows.append(
                    _row(
                        repeat,
                        contestant.criterion,
                        contestant.search,
                        alpha=contestant.alpha if approximate else None,
                        trees=outcome.search.n_trees() if approximate else None,
                        seconds=outcome.seconds[-1],
                        times_counting=outcome.seconds[-1] / counting,
                        excess=score / optimum - 1.0 if optimum > 0.0 else 0.0,
                        optimal=is_optimal(score, optimum),
                    )
                )
            return rows

        return Piece("alpha", f"repeat-{repeat}", parameters, run, size=0.1 * len(guarantees) + 0.4)

    return [piece(repeat) for repeat in range(settings.repeats)]


def stream_pieces(settings: Settings) -> list[Piece]:
    """Return the pieces that follow the searches along the stream: time and trees at each checkpoint."""

    def piece(repeat: int) -> Piece:
        plain = repeat < settings.plain_repeats
        parameters = {
            **_stream(settings, repeat),
            "alpha": settings.alpha,
            "checkpoints": settings.checkpoints,
            "plain": plain,
        }

        def run(tick: Tick) -> list[Row]:
            stream = _draw(parameters)
            marks = evenly(len(stream), settings.checkpoints)
            contestants = [
                Contestant(criterion, search, settings.alpha) for criterion in CRITERIA for search in SEARCHES
            ]
            outcomes = run_turns(stream, contestants, marks, turns=1, rotation=repeat, tick=tick)
            seconds = {(one.criterion, one.search): outcome.seconds for one, outcome in outcomes.items()}
            counting = count(stream, marks).tolist()
            if plain:
                for criterion in CRITERIA:
                    times, _ = _timing.plain_timed(criterion, *stream.as_numbers(), stream.n_features or 0, marks)
                    seconds[criterion, "plain"] = times.tolist()
            rows = []
            for i, n in enumerate(marks.tolist()):
                rows.append(_row(repeat, None, COUNTING, n=n, seconds=counting[i], times_counting=1.0))
                for (criterion, search), spent in seconds.items():
                    ratio = spent[i] / counting[i]
                    rows.append(_row(repeat, criterion, search, n=n, seconds=spent[i], times_counting=ratio))
            for criterion in CRITERIA:
                numbers = trees(stream, Contestant(criterion, "approximate", settings.alpha), marks)
                rows += [
                    _row(repeat, criterion, "approximate", n=n, trees=number)
                    for n, number in zip(marks.tolist(), numbers, strict=True)
                ]
            return rows

        return Piece("stream", f"repeat-{repeat}", parameters, run, size=4.0 if plain else 0.6)

    return [piece(repeat) for repeat in range(settings.repeats)]


def dimension_pieces(settings: Settings) -> list[Piece]:
    """Return the pieces that vary the number of noise features, with as many of them on in a point."""
    on = settings.q * settings.d2

    def piece(repeat: int, d: int) -> Piece:
        parameters = {**_stream(settings, repeat), "d2": d, "q": on / d, "alpha": settings.alpha}

        def run(tick: Tick) -> list[Row]:
            stream = _draw(parameters)
            ends = evenly(len(stream), 1)
            contestants = [
                Contestant(criterion, search, settings.alpha) for criterion in CRITERIA for search in SEARCHES
            ]
            outcomes = run_turns(stream, contestants, ends, turns=1, rotation=repeat + d // 100, tick=tick)
            counting = float(count(stream, ends)[-1])
            density = stream.X.nnz / (len(stream) * stream.X.shape[1])
            common = {"d": d, "density": density}
            rows = [_row(repeat, None, COUNTING, **common, seconds=counting, times_counting=1.0)]
            for one, outcome in outcomes.items():
                total = outcome.seconds[-1]
                rows.append(
                    _row(repeat, one.criterion, one.search, **common, seconds=total, times_counting=total / counting)
                )
            return rows

        return Piece("dimension", f"d-{d}-repeat-{repeat}", parameters, run, size=0.12 + 0.00003 * d)

    return [piece(repeat, d) for repeat in range(settings.repeats) for d in settings.dimensions]


_EXACT = ("exhaustive", "certified")


def _row(repeat: int, criterion: str | None, search: str, **entries: Any) -> Row:
    return {"repeat": repeat, "criterion": criterion, "search": search, **entries}


def _stream(settings: Settings, repeat: int) -> dict[str, Any]:
    return {
        "n": settings.n,
        "d1": settings.d1,
        "d2": settings.d2,
        "q": settings.q,
        "seed": settings.seed + repeat,
    }


def _draw(parameters: dict[str, Any]) -> Batch:
    sizes = (parameters["n"], parameters["d1"], parameters["d2"], parameters["q"])
    return binary_batch(*make_sparse(*sizes, seed=parameters["seed"]))
