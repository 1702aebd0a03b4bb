"""`sapwood generate`: synthetic streams on standard output."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from sapwood.cli.groups import command
from sapwood.cli.signals import StopSignals
from sapwood.cli.standard_output import standard_output
from sapwood.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

__all__ = ["sparse", "text"]

N = Annotated[int, typer.Option(min=1, help="The number of points.")]
SEED = Annotated[
    int | None, typer.Option(min=0, help="The seed; the same seed gives the same stream. [default: random]")
]


class Drift(str, Enum):
    """How concepts follow each other."""

    none = "none"
    abrupt = "abrupt"
    gradual = "gradual"
    recurring = "recurring"


class Changes(str, Enum):
    """What differs between two concepts."""

    labels = "labels"
    vocabulary = "vocabulary"


@partial(command, within="generate")
def sparse(
    *,
    n: N = 10_000,
    d1: Annotated[int, typer.Option(min=0, help="The number of features with a signal.")] = 10,
    d2: Annotated[int, typer.Option(min=0, help="The number of noise features.")] = 10_000,
    q: Annotated[float, typer.Option(help="The probability that a noise feature is on.")] = 0.001,
    seed: SEED = None,
) -> None:
    """Write the synthetic stream of the paper to standard output, in the svmlight format.

    Try:
      sapwood generate sparse --n 1000000 --d1 10 --d2 100000 --q 1e-4 --seed 1 > stream.svm
      sapwood generate sparse --n 5000 --seed 1 | sapwood evaluate -
    """
    from sapwood.datasets import make_sparse

    _write(partial(make_sparse, n, d1, d2, q, seed=seed))


@partial(command, within="generate")
def text(
    *,
    n: N = 10_000,
    d: Annotated[int, typer.Option(min=1, help="The number of words in the vocabulary.")] = 50_000,
    length: Annotated[int, typer.Option(min=1, help="The average number of words per text.")] = 50,
    exponent: Annotated[float, typer.Option(help="The exponent of Zipf's law.")] = 1.1,
    topical: Annotated[float, typer.Option(help="The share of words that indicate a class.")] = 0.1,
    contrast: Annotated[float, typer.Option(help="How strongly these words avoid the other class.")] = 0.8,
    drift: Annotated[Drift, typer.Option(help="How the stream changes.")] = Drift.none,
    changes: Annotated[Changes, typer.Option(help="What changes: the classes of words, or the words.")] = (
        Changes.labels
    ),
    n_changes: Annotated[int, typer.Option(min=1, help="The number of changes.")] = 1,
    severity: Annotated[float, typer.Option(help="The share of words that take part in a change.")] = 1.0,
    seed: SEED = None,
) -> None:
    """Write synthetic texts to standard output, in the svmlight format: sets of words drawn by Zipf's law.

    Try:
      sapwood generate text --n 100000 --seed 1 > texts.svm
      sapwood generate text --drift abrupt --n-changes 3 --seed 1 | gzip > drifting.svm.gz
    """
    from sapwood.datasets import make_text

    _write(
        partial(
            make_text,
            n,
            d,
            length,
            exponent,
            topical=topical,
            contrast=contrast,
            drift=drift.value,
            changes=changes.value,
            n_changes=n_changes,
            severity=severity,
            seed=seed,
        )
    )


def _write(make: Callable[..., tuple[csr_array, NDArray[np.uint8]]]) -> None:
    """Write the points as they are made, so that a stream of any length takes the same memory."""
    from sapwood.stream import write_svmlight

    written = 0
    # A signal ends no line in its midst.
    with StopSignals() as signals:
        output = standard_output(signals)

        def use(X: csr_array, y: NDArray[np.uint8]) -> None:
            nonlocal written
            write_svmlight(output, X, y)
            written += len(y)
            signals.check(f"after {counted(written, 'point')}")

        use(*make(use=use))
