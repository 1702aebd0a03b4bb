"""The learners that are compared, each as an object that takes one point at a time, test first."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

import sapwood
from benchmarks.micro.workloads import Stream, Unavailable
from sapwood.parameters import TREES


class Run(NamedTuple):
    """What a learner did with a stream, or with as much of it as there was time for."""

    right: npt.NDArray[np.bool_]
    """For each point whether the prediction made before learning it was right."""
    learning: float
    """Seconds spent learning, per point."""
    predicting: float
    """Seconds spent predicting, per point."""

    @property
    def accuracy(self) -> float:
        """The share of right predictions."""
        return float(self.right.mean())


class Learner(Protocol):
    """A classifier that learns one point after the other."""

    def predict(self, i: int) -> object:
        """Return the label predicted for point i of the stream."""

    def learn(self, i: int) -> None:
        """Learn point i of the stream."""


class Rows(NamedTuple):
    """A stream of the rows of a table: numbers, and texts that are categories."""

    name: str
    points: list[dict[Any, Any]]
    labels: npt.NDArray[np.uint16]

    @property
    def n(self) -> int:
        """The number of points."""
        return len(self.points)


Make = Callable[[Stream], Learner]
# What takes single points takes rows of tables too.
MakeOfAny = Callable[[Stream | Rows], Learner]


def prequential(make: MakeOfAny | Make, stream: Any, seconds: float) -> Run:
    """Let a learner predict each point and then learn it, for at most `seconds` seconds of the processor.

    Seconds by the clock would depend on what else the machine does.
    """
    learner = make(stream)
    right = np.zeros(stream.n, dtype=np.bool_)
    labels = stream.labels.tolist()
    learning = predicting = 0.0
    done = 0
    for done, label in enumerate(labels, start=1):
        i = done - 1
        start = time.process_time()
        predicted = learner.predict(i)
        middle = time.process_time()
        learner.learn(i)
        end = time.process_time()
        right[i] = predicted == label
        predicting += middle - start
        learning += end - middle
        if learning + predicting > seconds:
            break
    return Run(right[:done], learning / done, predicting / done)


def rows(stream: Stream) -> Iterator[list[int]]:
    """Yield the active features of each point."""
    for start, stop in zip(stream.indptr[:-1].tolist(), stream.indptr[1:].tolist(), strict=True):
        yield stream.indices[start:stop].tolist()


def points_of(stream: Stream | Rows) -> list[dict[Any, Any]]:
    """Return points as dicts: the features that are on, or the row."""
    return stream.points if isinstance(stream, Rows) else [dict.fromkeys(row, 1) for row in rows(stream)]


class OnePoint:
    """A learner with river's interface: points are dicts, made before the clock starts."""

    def __init__(self, model: Any, points: list[Any], labels: list[int]) -> None:
        self._model = model
        self._points = points
        self._labels = labels

    def predict(self, i: int) -> object:
        """Return the label predicted for point i."""
        return self._model.predict_one(self._points[i])

    def learn(self, i: int) -> None:
        """Learn point i."""
        self._model.learn_one(self._points[i], self._labels[i])


def sapwood_tree(growth: str, **parameters: Any) -> MakeOfAny:
    """Return sapwood's tree of one growth, by the name that the core has for it."""
    cls = getattr(sapwood, next(kind.name for kind in TREES if kind.growth == growth))

    def make(stream: Stream | Rows) -> Learner:
        return OnePoint(cls(**parameters), points_of(stream), stream.labels.tolist())

    return make


class InBlocks:
    """A classifier of scikit-learn's, which takes blocks: a point takes it time in proportion to all features."""

    def __init__(self, model: Any, stream: Stream, block: int) -> None:
        self._model = model
        # Some of scikit-learn takes no 64-bit indices.
        X = stream.matrix.astype(np.float64)
        self._X = csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        self._y = stream.labels
        self._classes = np.arange(stream.n_classes)
        self._block = block
        self._predicted: npt.NDArray[Any] = np.zeros(0)

    def predict(self, i: int) -> object:
        """Return the label predicted for point i by a model of all blocks before its own."""
        at = i % self._block
        if at == 0:
            block = self._X[i : i + self._block]
            self._predicted = self._model.predict(block) if i else np.full(block.shape[0], -1)
        return int(self._predicted[at])

    def learn(self, i: int) -> None:
        """Learn the block of which point i is the last."""
        if (i + 1) % self._block == 0 or i + 1 == self._X.shape[0]:
            start = i - i % self._block
            self._model.partial_fit(self._X[start : i + 1], self._y[start : i + 1], classes=self._classes)


def _block_of(stream: Stream) -> int:
    return 1 if stream.n_features < 20_000 else 100


def bernoulli(stream: Stream) -> Learner:
    """Return BernoulliNB, a point at a time where features are few enough for that."""
    from sklearn.naive_bayes import BernoulliNB

    return InBlocks(BernoulliNB(), stream, _block_of(stream))


def logistic_regression(stream: Stream) -> Learner:
    """Return a logistic regression that learns by stochastic gradients, likewise."""
    from sklearn.linear_model import SGDClassifier

    return InBlocks(SGDClassifier(loss="log_loss", random_state=0), stream, _block_of(stream))


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise Unavailable(f"{package} is not installed; install the extra 'peers'")


def river_tree(name: str, *, dense: bool) -> MakeOfAny:
    """Return one of river's trees, given only the features that are on, or all of them; or rows of a table."""

    def make(stream: Stream | Rows) -> Learner:
        _require("river")
        from river import tree

        if dense and isinstance(stream, Stream):
            absent = dict.fromkeys(range(stream.n_features), 0)
            points = [{**absent, **dict.fromkeys(row, 1)} for row in rows(stream)]
        else:
            points = points_of(stream)
        return OnePoint(getattr(tree, name)(), points, stream.labels.tolist())

    return make


class VowpalWabbit:
    """A linear model of Vowpal Wabbit's, or another by its options; more than two classes one against all."""

    def __init__(self, options: str, stream: Stream) -> None:
        _require("vowpalwabbit")
        from vowpalwabbit import Workspace

        self._is_binary = stream.n_classes == 2
        kind = "--loss_function logistic" if self._is_binary else f"--oaa {stream.n_classes} --loss_function logistic"
        # Enough bits for every feature to have a weight of its own.
        bits = max(18, int(stream.n_features).bit_length() + 1)
        self._model = Workspace(f"--quiet {kind} -b {bits} {options}")
        labels = stream.labels.astype(int)
        names = (2 * labels - 1 if self._is_binary else labels + 1).tolist()
        self._points = [f"| {' '.join(map(str, row))}" for row in rows(stream)]
        self._names = names

    def predict(self, i: int) -> object:
        """Return the label predicted for point i."""
        answer = self._model.predict(self._points[i])
        return int(answer > 0) if self._is_binary else int(answer) - 1

    def learn(self, i: int) -> None:
        """Learn point i."""
        self._model.learn(f"{self._names[i]} {self._points[i]}")


def vowpal_wabbit(options: str) -> Make:
    """Return Vowpal Wabbit with some options."""
    return lambda stream: VowpalWabbit(options, stream)


def river_adwin_bagging(stream: Stream | Rows) -> Learner:
    """Return river's bagging with ADWIN, of ten Hoeffding trees as is its default, given the features that are on."""
    _require("river")
    from river import ensemble, tree

    model = ensemble.ADWINBaggingClassifier(tree.HoeffdingTreeClassifier(), seed=1)
    return OnePoint(model, points_of(stream), stream.labels.tolist())


class CapyMoaTree:
    """One of CapyMOA's trees on sparse instances, which it makes of a file in the sparse ARFF format."""

    def __init__(self, name: str, stream: Stream) -> None:
        _require("capymoa")
        from capymoa import classifier
        from capymoa.stream import ARFFStream

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stream.arff"
            path.write_text(_arff(stream), encoding="ascii")
            source = ARFFStream(str(path))
            self._instances = [source.next_instance() for _ in range(stream.n)]
            self._model = getattr(classifier, name)(schema=source.get_schema())

    def predict(self, i: int) -> object:
        """Return the label predicted for point i."""
        return self._model.predict(self._instances[i])

    def learn(self, i: int) -> None:
        """Learn point i."""
        self._model.train(self._instances[i])


def _arff(stream: Stream) -> str:
    """Return a stream in the sparse ARFF format, with features and class as nominal attributes."""
    lines = ["@relation stream", *(f"@attribute x{j} {{0,1}}" for j in range(stream.n_features))]
    lines += [f"@attribute class {{{','.join(map(str, range(stream.n_classes)))}}}", "@data"]
    for row, label in zip(rows(stream), stream.labels.tolist(), strict=True):
        cells = [f"{j} 1" for j in row] + ([f"{stream.n_features} {label}"] if label else [])
        lines.append("{" + ",".join(cells) + "}")
    return "\n".join(lines) + "\n"


def capymoa_tree(name: str) -> MakeOfAny:
    """Return one of CapyMOA's trees, on features that are on or off."""

    def make(stream: Stream | Rows) -> Learner:
        if isinstance(stream, Rows):
            raise Unavailable("it is given flags only")
        return CapyMoaTree(name, stream)

    return make
