"""
The native core of sapwood. Private: use the names that the package exports.
"""

from collections.abc import Iterable
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def check_csr(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int) -> None:
    """
    Raises ValueError unless the arrays are compressed sparse rows in order.
    """

CRITERIA: tuple = ('entropy', 'gini', 'kearns_mansour')

SEARCHES: tuple = ('exhaustive', 'approximate', 'certified')

MAX_CLASSES: int = 65535

def searches_for(criterion: str, n_classes: int = 2) -> list[str]:
    """The searches that there are for a criterion and a number of classes."""

class SplitSearch:
    """Keeps the best split of one node. One object is safe in many threads."""

    def __init__(self, criterion: str, search: str, alpha: float, n_classes: int = 2) -> None: ...

    def add(self, features: Iterable[int], label: int, weight: int = 1) -> None: ...

    def remove(self, features: Iterable[int], label: int, weight: int = 1) -> None: ...

    def merge(self, other: SplitSearch, over: str) -> None: ...

    def add_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, trace: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]] | None: ...

    def best(self) -> tuple[int, float, float, tuple[tuple[int, ...], tuple[int, ...]]] | None: ...

    def top(self, k: int) -> list[tuple[int, float, float, tuple[tuple[int, ...], tuple[int, ...]]]]: ...

    def counts(self, feature: int) -> tuple[tuple[int, ...], tuple[int, ...]]: ...

    def work(self) -> dict[str, int]: ...

    def stats(self) -> dict[str, int]: ...

    def validate(self) -> None: ...

    def copy(self) -> SplitSearch: ...

    def n_trees(self) -> int: ...

    def n_bytes(self) -> int: ...

    def n_features_seen(self) -> int: ...

    def n(self) -> int: ...

    def class_counts(self) -> tuple[int, ...]: ...

    @property
    def criterion(self) -> str: ...

    @property
    def search(self) -> str: ...

    @property
    def alpha(self) -> float: ...

    @property
    def n_classes(self) -> int: ...

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class SvmlightParser:
    """Reads the svmlight format from text in pieces of whole lines."""

    def __init__(self, threshold: float | None, n_columns: int) -> None: ...

    def parse(self, text: bytes, start: int, most: int) -> tuple[int, tuple[int, int, str, str] | None]: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]: ...

    def __len__(self) -> int: ...

    def n_lines(self) -> int: ...

@overload
def svmlight_text(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bytes:
    """The text of points with whole numbers as labels."""

@overload
def svmlight_text(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bytes:
    """The text of points with any numbers as labels."""

def run_timed(search: SplitSearch, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], every: int, checkpoints: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Adds points to a search, queries it after every so many, and returns the seconds at each checkpoint.
    """

def run_traced(search: SplitSearch, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], checkpoints: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Adds points to a search, queries it after each, and returns the seconds at each checkpoint with the feature and the score of the best split after every point.
    """

def plain_timed(criterion: str, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_features: int, checkpoints: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
    """
    The baselines of the paper as it defines them, term by term: the seconds at each checkpoint, and the last score.
    """

def slowest_timed(search: SplitSearch, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], every: int) -> tuple[float, float]:
    """
    Adds points to a search, queries it after every so many, and returns the seconds that a point took on the average, and those that the slowest took.
    """

def count_timed(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_features: int, checkpoints: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Counting only, the reference for all times: increments dense counters and nothing else.
    """

GROWTHS: tuple = ('hoeffding', 'extremely_fast')

SPLIT_TESTS: tuple = ('hoeffding', 'mcdiarmid', 'gaussian')

LEAF_PREDICTIONS: tuple = ...

LEAF_MODELS: tuple = ('majority', 'naive_bayes', 'trunk', 'logistic')

MAX_COLUMNS: int = 1073741824

def hoeffding_bound(range: float, delta: float, n: float) -> float: ...

def mcdiarmid_bound(criterion: str, n_classes: int, delta: float, n: float) -> float: ...

class Tree:
    """A streaming tree. Many threads may read one object, or one change it."""

    def __init__(self, **options: Any) -> None: ...

    def learn(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def learn_one(self, x: object | None, label: int, weight: object | None = 1, binarize: float | None = None) -> None: ...

    def prequential(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def predict(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def predict_proba(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def predict_proba_one(self, x: object | None, binarize: float | None = None) -> list[float]: ...

    def point(self, x: object | None, binarize: float | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids_of_keys(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def keys(self) -> list: ...

    def n_bytes(self) -> int: ...

    def vocabulary_bytes(self) -> int: ...

    def growth(self) -> str: ...

    def seed(self) -> int | None: ...

    def depth(self) -> int: ...

    def n(self) -> int: ...

    def n_classes(self) -> int: ...

    def n_nodes(self) -> int: ...

    def n_leaves(self) -> int: ...

    def n_features_seen(self) -> int: ...

    def decision_path(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def evidence(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple: ...

    def nodes(self) -> dict: ...

    def typed_tests(self) -> dict: ...

    def tally(self) -> dict[str, int]: ...

    def to_bytes(self) -> bytes:
        """The tree without the names of its features."""

    @staticmethod
    def from_bytes(data: bytes, keys: list[Any]) -> Tree:
        """
        The tree of what `to_bytes` gave, and the names of its features. Raises ModelFormatError.
        """

def make_sparse(n: int, d1: int, d2: int, q: float, state: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """Draws sparse(n, d1, d2, q): indptr, indices and labels."""

def make_text(n: int, d: int, length: int, exponent: float, topical: float, contrast: float, drift: str, changes: str, n_changes: int, severity: float, state: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """Draws a stream of texts: indptr, indices and labels."""

def active_keys(x: object, binarize: float | None) -> list: ...
