"""Test then train: every point is first predicted, then learned."""

from __future__ import annotations

import math
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from types import FrameType
from typing import Any

import numpy as np

from sapwood.evaluate._faces import name_of, parameters_of
from sapwood.evaluate._growth import SIZES, Growth
from sapwood.evaluate._memory import checked_fading, checked_window
from sapwood.evaluate._pieces import Piece, Pieces
from sapwood.evaluate._scoreboard import MEMORIES, METRICS, Answered, Scoreboard, column_of
from sapwood.evaluate._testers import tester_of
from sapwood.evaluate.evaluation import Evaluation
from sapwood.inspect.names import FeatureNames

__all__ = ["PrequentialRun", "prequential"]

# Points that are handed to a model between two looks at the clock and at what it answered.
_POINTS_AT_ONCE = 4096
# Without `every`, records are at first _FIRST_EVERY points apart, as many as the window has by default, and there are
# at most _MOST_RECORDS, enough for a smooth curve: a record takes about a millisecond, which a thousand points share.
_FIRST_EVERY = 1000
_MOST_RECORDS = 128
_SECONDS_BETWEEN_PROGRESS = 0.05


def prequential(
    model: Any,
    stream: Any,
    *,
    window: int = 1000,
    fading: float = 0.999,
    every: int | None = None,
    positive: Hashable | None = None,
    auc: bool = True,
    classes: Sequence[Hashable] | None = None,
    block: int = 1,
    feature_names: FeatureNames = None,
    progress: Callable[[PrequentialRun], None] | None = None,
) -> Evaluation:
    """Let a model predict each point of a stream before it learns it, and record how well it does.

    Ctrl-C and `PrequentialRun.stop` end the evaluation after the current point; the result so far is returned, with
    `interrupted` set. An error of the stream or of the model is raised.

    Parameters
    ----------
    model : object
        A model with `learn_one`, `predict_one` and maybe `predict_proba_one`, as in river, or with `partial_fit`,
        `predict` and maybe `predict_proba`, as in scikit-learn. It continues from what it has learned.
    stream : iterable, or pair of a matrix and its labels
        Points (x, y), pairs (X, y) of a matrix and its labels, or batches as `sapwood.stream.read` gives them. A model
        that learns point by point is given each row of a matrix as a mapping from column to value.
    window : int
        The number of points of the window over which metrics are computed.
    fading : float
        The factor by which the weight of a point falls with each further point, for the fading metrics.
    every : int or None
        The number of points between two records. None starts with 1,000 and doubles it whenever there are 128 records,
        so a stream of any length takes the same memory.
    positive : label or None
        The class of F1; None for the mean over the classes.
    auc : bool
        Whether to compute the area under the ROC curve, whose time and memory grow with the number of classes.
    classes : sequence or None
        All classes, which `partial_fit` needs. By default those of the labels, if the stream is a matrix and its
        labels.
    block : int
        The number of rows that a model with `partial_fit` is given at a time; 1 is exact, more is faster.
    feature_names : sequence, mapping, function or None
        The names of the features in the report.
    progress : function or None
        A function that is called with the run, about 20 times per second and at the end.
    """
    if classes is None and isinstance(stream, tuple) and len(stream) == 2:  # noqa: PLR2004 - X and y
        classes = np.unique(np.asarray(stream[1])).tolist()
    run = PrequentialRun(
        model, window=window, fading=fading, every=every, positive=positive, auc=auc, classes=classes, block=block
    )
    run.feed(stream, progress=progress)
    return run.result(feature_names=feature_names)


class PrequentialRun:
    """An evaluation that is fed a stream in parts and can be asked for its result at any time.

    The parameters are those of `prequential`. An error of the stream or of the model loses nothing: `result` still
    returns what was done before it.
    """

    def __init__(
        self,
        model: Any,
        *,
        window: int = 1000,
        fading: float = 0.999,
        every: int | None = None,
        positive: Hashable | None = None,
        auc: bool = True,
        classes: Sequence[Hashable] | None = None,
        block: int = 1,
    ) -> None:
        self._settings: dict[str, Any] = {
            "window": checked_window("prequential", window),
            "fading": checked_fading("prequential", fading),
            "every": None if every is None else checked_window("prequential", every, "every"),
            "block": checked_window("prequential", block, "block"),
            "positive": positive,
        }
        self._tester = tester_of(model, classes, self._settings["block"])
        self._model = model
        self._every = _FIRST_EVERY if every is None else self._settings["every"]
        self._scoreboard = Scoreboard(self._settings["window"], self._settings["fading"], positive, auc=auc)
        self._growth = Growth(model)
        columns = ["n", "seconds", *(column_of(m, memory) for m in METRICS for memory in MEMORIES), *SIZES]
        self._records: dict[str, list[Any]] = {name: [] for name in columns}
        self._waits_for: Pieces | None = None
        self.seconds = 0.0
        self.interrupted = False

    @property
    def n(self) -> int:
        """The number of points tested and learned."""
        return self._scoreboard.n

    @property
    def accuracy(self) -> float:
        """The accuracy over all points; nan before the first."""
        return self._scoreboard.accuracy()

    @property
    def accuracy_window(self) -> float:
        """The accuracy over the last points; nan before the first."""
        return self._scoreboard.accuracy("window")

    def stop(self) -> None:
        """Stop after the current point. For use in a signal handler, a progress function or another thread."""
        self.interrupted = True
        self._tester.stopped = True

    def interrupt(self) -> None:
        """Do what the first Ctrl-C does. For use in the handler of another signal, in the thread that feeds.

        The run stops after the current point. If it waits for the stream, the waiting ends; a `sapwood.stream.Reader`
        first gives the points that it has read.
        """
        if self._waits_for is None:
            self.stop()
        else:
            self._waits_for.interrupt()

    def feed(self, stream: Any, *, progress: Callable[[PrequentialRun], None] | None = None) -> None:
        """Test then train on each point of a stream, until it ends or the run is stopped."""
        pieces = Pieces(stream)
        told = -math.inf
        ended = False
        with self._first_interrupt_stops():
            while not ended and not self.interrupted:
                ended = not self._test_then_train(pieces, min(_POINTS_AT_ONCE, self._every - self.n % self._every))
                if self.n and self.n % self._every == 0 and self._records["n"][-1:] != [self.n]:
                    self._record()
                now = time.monotonic()
                if progress is not None and now - told >= _SECONDS_BETWEEN_PROGRESS:
                    told = now
                    progress(self)
        if progress is not None:
            progress(self)

    def result(self, *, feature_names: FeatureNames = None) -> Evaluation:
        """Return the evaluation so far."""
        if self.n and self._records["n"][-1:] != [self.n]:
            self._record(last=True)
        records = {name: list(column) for name, column in self._records.items()}
        records["points_per_second"] = _rates(records["n"], records["seconds"])
        return Evaluation(
            model=name_of(self._model),
            parameters=parameters_of(self._model),
            settings=dict(self._settings),
            versions=dict(_versions()),
            n=self.n,
            seconds=self.seconds,
            interrupted=self.interrupted,
            records=records,
            classes=tuple(self._scoreboard.classes),
            confusion=self._scoreboard.confusion(),
            splits=self._growth.splits(feature_names),
            changes=self._growth.changes(),
            trees=self._growth.trees(self._records["n"]),
            tally=self._growth.tally(),
            tree=self._growth.view(feature_names),
            reliability=self._scoreboard.reliability(),
            top_features=self._growth.top_features(feature_names),
        )

    def _test_then_train(self, pieces: Pieces, size: int) -> bool:
        """Test then train on `size` points; return False if the stream ended or was interrupted before the last."""
        done: list[Answered] = []
        left = size
        try:
            while left > 0 and not self.interrupted:
                piece = self._wait_for(pieces, left)
                if piece is None:
                    return False
                left -= len(piece)
                done.append(Answered())
                start = time.perf_counter()
                try:
                    self._tester.run(piece, done[-1])
                except KeyboardInterrupt:
                    self.stop()
                finally:
                    self.seconds += time.perf_counter() - start
        finally:
            self._scoreboard.add(*map(_complete, done))
        return True

    def _wait_for(self, pieces: Pieces, size: int) -> Piece | None:
        try:
            self._waits_for = pieces
            return pieces.take(size)
        except KeyboardInterrupt:
            self.stop()
            return None
        finally:
            self._waits_for = None

    def _record(self, *, last: bool = False) -> None:
        self._growth.look()
        row = {"n": self.n, "seconds": self.seconds, **self._scoreboard.values(), **self._growth.sizes()}
        for name, column in self._records.items():
            column.append(row[name])
        if self._settings["every"] is None and not last and len(self._records["n"]) >= _MOST_RECORDS:
            self._every *= 2
            keep = [i for i, n in enumerate(self._records["n"]) if n % self._every == 0]
            self._records = {name: [column[i] for i in keep] for name, column in self._records.items()}

    @contextmanager
    def _first_interrupt_stops(self) -> Iterator[None]:
        """Let the first Ctrl-C stop the run at a point, so that each is counted that was learned.

        The second has its usual effect. Only where nobody else handles interrupts, and in the main thread, the only
        one that may.
        """
        mine = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if not mine:
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            if self.interrupted:
                signal.default_int_handler(number, frame)
            self.interrupt()

        signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _complete(answered: Answered) -> Answered:
    """Return the points that were both tested and learned, where a run broke off between the two."""
    if answered.numbers is not None:
        return answered
    lists = [answered.true, answered.predicted]
    if answered.probabilities is not None:
        n = min(len(answered.true), len(answered.predicted), len(answered.probabilities))
        probabilities = answered.probabilities[:n]
    else:
        n = min(map(len, lists))
        probabilities = None
    return Answered(answered.true[:n], answered.predicted[:n], probabilities, answered.classes)


def _rates(n: list[int], seconds: list[float]) -> list[float]:
    """Return the points per second between each record and the one before it."""
    more = np.diff(n, prepend=0)
    spent = np.diff(seconds, prepend=0)
    return [float(m / s) if s > 0 else math.nan for m, s in zip(more, spent, strict=True)]


@cache
def _versions() -> dict[str, str]:
    packages = {"sapwood": "sapwood", "numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn"}
    return {"python": platform.python_version(), **{name: _version(name, module) for name, module in packages.items()}}


def _version(name: str, module: str) -> str:
    """Return the version of a package: one that is loaded knows it, and to read what is installed takes far longer."""
    known = getattr(sys.modules.get(module), "__version__", None)
    return known if isinstance(known, str) else version(name)
