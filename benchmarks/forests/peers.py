"""The forests of others: adaptive random forests and streaming random patches of river and CapyMOA."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.micro.workloads import Unavailable

# A point as a batch has it: a dict of what it has, or the features that are on.
Point = tuple[Any, Any]

# CapyMOA's header holds every feature and a leaf looks at each: with this many a point takes half a second, and with
# five times as many the instances gigabytes.
MOST_FEATURES = 10_000


# So many points are made ready at once, before the clock goes on: all those of a long stream would take gigabytes.
BLOCK = 200


class Peer(Protocol):
    """A forest that has been given the points of a stream."""

    def prepare(self, n: int) -> None:
        """Make the next n points ready to be learned."""

    def predict(self, i: int) -> object:
        """Return the label predicted for point i, as the labels of the stream are."""

    def learn(self, i: int) -> None:
        """Learn point i."""


def peers_of(n_trees: int, notes: list[str]) -> dict[str, Callable[[Sequence[Point]], Peer]]:
    """Return the forests of others that are installed, of so many trees and by their defaults otherwise."""
    found: dict[str, Callable[[Sequence[Point]], Peer]] = {}
    if find_spec("river") is None:
        notes.append("Skipped: river, which is not installed.")
    else:
        from river import ensemble, forest

        found["river, ARF"] = lambda points: River(forest.ARFClassifier(n_models=n_trees, seed=1), points)
        found["river, SRP"] = lambda points: River(ensemble.SRPClassifier(n_models=n_trees, seed=1), points)
    if find_spec("capymoa") is None:
        notes.append("Skipped: CapyMOA, which is not installed.")
    else:
        found["CapyMOA, ARF"] = lambda points: CapyMoa("AdaptiveRandomForestClassifier", n_trees, points)
        found["CapyMOA, SRP"] = lambda points: CapyMoa("StreamingRandomPatches", n_trees, points)
    return found


def right_of_peer(peer: Peer, labels: Sequence[object], seconds: float) -> npt.NDArray[np.bool_]:
    """Return for each point that it reached in time whether what it predicted before it learned it was right."""
    right: list[bool] = []
    left = seconds
    while len(right) < len(labels) and left > 0:
        part = labels[len(right) : len(right) + BLOCK]
        peer.prepare(len(part))
        start = time.process_time()
        for label in part:
            i = len(right)
            right.append(peer.predict(i) == label)
            peer.learn(i)
            if time.process_time() - start > left:
                break
        left -= time.process_time() - start
    return np.array(right, dtype=np.bool_)


class River:
    """A forest of river's, told the features that are on, or what a row has."""

    def __init__(self, model: Any, points: Sequence[Point]) -> None:
        self._model = model
        self._points = [(x if isinstance(x, dict) else dict.fromkeys(x, 1), y) for x, y in points]

    def prepare(self, n: int) -> None:
        """Do nothing: all points are ready."""

    def predict(self, i: int) -> object:
        """Return the label predicted for point i."""
        return self._model.predict_one(self._points[i][0])

    def learn(self, i: int) -> None:
        """Learn point i."""
        self._model.learn_one(*self._points[i])


class CapyMoa:
    """A forest of CapyMOA's, which reads points from a file in the ARFF format while the clock stands."""

    def __init__(self, name: str, n_trees: int, points: Sequence[Point]) -> None:
        from capymoa import classifier
        from capymoa.stream import ARFFStream

        self._classes = sorted({y for _, y in points}, key=str)
        # Gone with this object, which goes on reading it.
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "stream.arff"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(_arff(points, self._classes))
        self._source = ARFFStream(str(path))
        self._instances: list[Any] = []
        self._n_gone = 0
        self._model = getattr(classifier, name)(schema=self._source.get_schema(), ensemble_size=n_trees)

    def prepare(self, n: int) -> None:
        """Read the next n points; those before are gone."""
        self._n_gone += len(self._instances)
        self._instances = [self._source.next_instance() for _ in range(n)]

    def predict(self, i: int) -> object:
        """Return the label predicted for point i; None, which is no label, before the first is learned."""
        found = self._model.predict(self._instances[i - self._n_gone])
        return None if found is None else self._classes[found]

    def learn(self, i: int) -> None:
        """Learn point i."""
        self._model.train(self._instances[i - self._n_gone])


def _arff(points: Sequence[Point], classes: Sequence[object]) -> Iterator[str]:
    """Return the lines of a stream in the ARFF format: rows of a table, or the features that are on, which are few."""
    is_table = all(isinstance(x, dict) for x, _ in points)
    names = list(dict.fromkeys(name for x, _ in points for name in x))
    if len(names) > MOST_FEATURES:
        raise Unavailable(f"it has {len(names):,} features")
    places = {name: place for place, name in enumerate(names)}
    yield "@relation stream\n"
    for name in names:
        texts = sorted({x[name] for x, _ in points if isinstance(x.get(name), str)}) if is_table else ["0", "1"]
        yield f"@attribute x{places[name]} {_kind(texts)}\n"
    codes = {label: str(code) for code, label in enumerate(classes)}
    yield f"@attribute class {_kind(list(codes.values()))}\n@data\n"
    for x, y in points:
        if is_table:
            yield ",".join([*(_cell(x.get(name)) for name in names), codes[y]]) + "\n"
        else:
            cells = [f"{place} 1" for place in sorted(places[name] for name in x)]
            yield "{" + ",".join(cells + ([f"{len(names)} {codes[y]}"] if codes[y] != "0" else [])) + "}\n"


def _kind(texts: Sequence[str]) -> str:
    return "{" + ",".join(map(_quoted, texts)) + "}" if texts else "numeric"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    return "?" if value is None or math.isnan(value) else repr(float(value))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
