"""A synthetic stream that looks like text, with drift."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from sapwood import _core
from sapwood.datasets._arguments import (
    MAX_FEATURES,
    Use,
    as_count,
    as_csr,
    as_number,
    as_probability,
    in_parts,
    random_words,
)

__all__ = ["CHANGES", "DRIFTS", "make_text"]

DRIFTS: tuple[str, ...] = ("none", "abrupt", "gradual", "recurring")
"""The ways in which one concept follows another."""

CHANGES: tuple[str, ...] = ("labels", "vocabulary")
"""What differs between two concepts."""


def make_text(
    n: int = 10_000,
    d: int = 50_000,
    length: int = 50,
    exponent: float = 1.1,
    *,
    topical: float = 0.1,
    contrast: float = 0.8,
    drift: str = "none",
    changes: str = "labels",
    n_changes: int = 1,
    severity: float = 1.0,
    seed: int | np.random.Generator | None = None,
    use: Use | None = None,
) -> tuple[csr_array, npt.NDArray[np.uint8]]:
    """Draw texts over a vocabulary whose frequencies follow Zipf's law; a point is the set of words of a text.

    A text has a label that is 0 or 1 with probability 1/2, and between 0.5 and 1.5 times `length` words. Each word has
    rank r = 1, …, d with probability proportional to r to the power of -`exponent`. A share `topical` of the words
    indicates a class, drawn evenly; in a text of the other class, such a word is drawn once more with probability
    `contrast`. Without drift, feature j is the word of rank j + 1.

    With drift, the stream passes through `n_changes` + 1 stages of the same length. From one concept to the next, a
    share `severity` of the words takes part in a change. With ``changes="labels"`` it is drawn anew which class they
    indicate, if any. With ``"vocabulary"`` they exchange their ranks, so that other words become frequent.

    - ``"abrupt"``: every stage has its own concept, from its first point on.
    - ``"gradual"``: for a quarter of a stage on either side of a border, texts of both concepts occur, those of the new
      one with a probability that rises from 0 to 1.
    - ``"recurring"``: the stages alternate abruptly between two concepts.

    The same arguments and the same integer seed give the same stream on every platform. The time is proportional to
    the number of words drawn, plus d per concept.

    Parameters
    ----------
    n : number of texts.
    d : number of words, at least 1.
    length : average number of words per text, at least 1, counted with repetition.
    exponent : exponent of Zipf's law, at least 0; at 0 all words are equally frequent.
    topical, contrast, severity : probabilities.
    drift : one of `DRIFTS`.
    changes : one of `CHANGES`.
    n_changes : number of changes of concept, at least 1.
    seed : a non-negative integer, a numpy Generator to draw a state from, or None for a stream that differs each time.
    use : function that is called with X and y of 10,000 points at a time, so that a stream of any length takes the same
        memory. Those that are returned are then the points left over.

    Returns
    -------
    X : n by d matrix in canonical CSR form, with ones stored as int8.
    y : the n labels as uint8.
    """
    n = as_count("make_text", "n", n)
    d = as_count("make_text", "d", d, least=1)
    if d > MAX_FEATURES:
        raise ValueError(f"make_text: d must be at most {MAX_FEATURES}, got {d}")
    length = as_count("make_text", "length", length, least=1)
    exponent = as_number("make_text", "exponent", exponent)
    if not 0.0 <= exponent < math.inf:
        raise ValueError(f"make_text: exponent must be finite and at least 0, got {exponent}")
    for name, word, words in (("drift", drift, DRIFTS), ("changes", changes, CHANGES)):
        if word not in words:
            raise ValueError(f"make_text: {name} must be one of {', '.join(words)}, got {word!r}")
    n_changes = as_count("make_text", "n_changes", n_changes, least=1)
    if n_changes >= max(2, n):
        raise ValueError(f"make_text: n_changes must be below the {n} points, got {n_changes}")
    indptr, indices, labels = _core.make_text(
        n,
        d,
        length,
        exponent,
        as_probability("make_text", "topical", topical),
        as_probability("make_text", "contrast", contrast),
        drift,
        changes,
        n_changes,
        as_probability("make_text", "severity", severity),
        random_words("make_text", seed),
        *in_parts(use, d),
    )
    return as_csr(indptr, indices, d), labels
