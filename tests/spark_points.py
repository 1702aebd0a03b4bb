"""Points for the tests on Spark, and the model of one machine that they must give."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from reference_batch import drawn

from sapwood import StreamingTreeClassifier, _core

Rows = list[tuple[list[int], int]]
SCHEMA = "features array<int>, label int"
_FIRST_TIME = 1_700_000_000  # of the first file of a stream, in seconds: any
OPTIONS: dict[str, Any] = {"delta": 0.3, "leaf_prediction": "naive_bayes"}


def rows_of(n: int, seed: int = 1) -> Rows:
    """Return points whose class shows in a few of 60 features."""
    rng = np.random.default_rng(seed)
    rows: Rows = []
    for _ in range(n):
        label = int(rng.integers(3))
        on = rng.random(60) < 0.06
        on[:6] = rng.random(6) < np.where(np.arange(6) % 3 == label, 0.7, 0.2)
        rows.append(([int(j) for j in rng.permutation(np.flatnonzero(on))], label))
    return rows


def write_batch(folder: Path, number: int, rows: Rows) -> None:
    """Write a file that a stream reads as its next batch, at once."""
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps({"features": features, "label": label}) + "\n" for features, label in rows)
    waiting = folder / f".{number}"
    waiting.write_text(text, encoding="utf-8")
    # A stream reads files in the order of their times, to the millisecond, in which several may be written.
    os.utime(waiting, (_FIRST_TIME + number, _FIRST_TIME + number))
    waiting.rename(folder / f"{number:05}.json")


def driven(folder: Path, checkpoint: Path, when: str = "never", master: str = "local[2]", shards: int = 0) -> list[str]:
    """Run a driver (spark_driver.py); return what it printed at its end, nothing if it was killed."""
    program = str(Path(__file__).parent / "spark_driver.py")
    command = [sys.executable, program, str(folder), str(checkpoint), master, when, str(shards)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert ran.returncode == (0 if when == "never" else -signal.SIGKILL), ran.stderr[-4000:]
    return [line for line in ran.stdout.splitlines() if line.startswith("learned")]


def matrix_of(rows: Rows) -> Any:
    """Return the features of points as a matrix."""
    import scipy.sparse

    indptr = np.cumsum([0, *(len(features) for features, _ in rows)])
    ids = [j for features, _ in rows for j in features]
    X = scipy.sparse.csr_matrix((np.ones(len(ids)), ids, indptr), shape=(len(rows), 60))
    X.sort_indices()
    return X


def one_machine(
    batches: Sequence[Rows],
    sub_batches: int,
    weights_of: Callable[[Rows, int], Sequence[int]] | None = None,
    **options: Any,
) -> Any:
    """Return the model that one machine learns; `weights_of(rows, batch)` says how often each row counts."""
    model = StreamingTreeClassifier(**{**OPTIONS, **options}, batch_growth=True, sub_batches=sub_batches)
    for batch, rows in enumerate(batches):
        weights = None if weights_of is None else weights_of(rows, batch)
        model.partial_fit(matrix_of(rows), [label for _, label in rows], classes=[0, 1, 2], sample_weight=weights)
    return model


def forest_of_one_machine(batches: Sequence[Rows], n_trees: int, mean: float, seed: int, sub_batches: int) -> list[Any]:
    """Return the trees that one machine learns, each with the draws of plain Python."""

    def learned(tree: int) -> Any:
        def weights(rows: Rows, batch: int) -> list[int]:
            return [drawn(features, label, mean, seed=seed, tree=tree, batch=batch) for features, label in rows]

        return one_machine(batches, sub_batches, weights)

    return [learned(tree) for tree in range(n_trees)]


def digest_of_forest(trees: Sequence[Any], mean: float, seed: int) -> str:
    """Return the hash that a forest of Spark has of the same trees."""
    return hashlib.sha256(repr(([digest_of(tree) for tree in trees], mean, seed)).encode()).hexdigest()


def digest_of(model: StreamingTreeClassifier) -> str:
    """Return the hash that a model of Spark has of the same tree."""
    tree: Any = model.learner.fitted().tree
    found = hashlib.sha256(tree.to_bytes())
    found.update(_core.ids_of_names(tree.named_keys()).astype("<u8").tobytes())
    found.update(repr(tuple(model.classes_.tolist())).encode())
    return found.hexdigest()
