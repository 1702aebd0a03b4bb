"""
The native core of sapwood. Private: use the names that the package exports.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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

    def add(self, features: Iterable[int], label: int, weight: int = 1, numbers: Mapping[str, float | None] | None = None, categories: Mapping[str, str | None] | None = None) -> None: ...

    def remove(self, features: Iterable[int], label: int, weight: int = 1, numbers: Mapping[str, float | None] | None = None, categories: Mapping[str, str | None] | None = None) -> None: ...

    def merge(self, other: SplitSearch, over: str) -> None: ...

    def add_csr(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int, trace: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]] | None: ...

    def best(self) -> tuple[int | tuple[object, ...], float, float, tuple[tuple[int, ...], tuple[int, ...]]] | None: ...

    def top(self, k: int) -> list[tuple[int | tuple[object, ...], float, float, tuple[tuple[int, ...], tuple[int, ...]]]]: ...

    def counts(self, feature: int) -> tuple[tuple[int, ...], tuple[int, ...]]: ...

    def add_counts(self, class_counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], on: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def work(self) -> dict[str, int]: ...

    def stats(self) -> dict[str, int]: ...

    def validate(self) -> None: ...

    def copy(self) -> SplitSearch: ...

    def n_trees(self) -> int: ...

    def n_bytes(self) -> int: ...

    def n_features_seen(self) -> int: ...

    def n(self) -> int: ...

    def class_counts(self) -> tuple[int, ...]: ...

    def has_attributes(self) -> bool: ...

    @property
    def criterion(self) -> str: ...

    @property
    def search(self) -> str: ...

    @property
    def alpha(self) -> float: ...

    @property
    def n_classes(self) -> int: ...

    def capsule(self) -> object:
        """
        The search for another compiled module of the package. Valid as long as this object.
        """

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple, /) -> None: ...

class Adwin:
    """A window as long as its mean has not changed."""

    def __init__(self, delta: float, clock: int, max_buckets: int, min_window_length: int, grace_period: int) -> None: ...

    def update(self, x: float) -> None:
        """Takes a value into the window, and cuts it if it is time."""

    @property
    def width(self) -> int: ...

    @property
    def total(self) -> float: ...

    @property
    def estimation(self) -> float: ...

    @property
    def variance(self) -> float: ...

    @property
    def n_detections(self) -> int: ...

    @property
    def drift_detected(self) -> bool: ...

    @property
    def rose(self) -> bool: ...

    def to_bytes(self) -> bytes:
        """Its state, without its parameters."""

    def load_bytes(self, data: bytes) -> None:
        """Takes the state of one. Raises ModelFormatError."""

class SvmlightParser:
    """Reads the svmlight format from text in pieces of whole lines."""

    def __init__(self, threshold: float | None, n_columns: int, keeps_values: bool = False) -> None: ...

    def parse(self, text: bytes, start: int, most: int) -> tuple[int, tuple[int, int, str, str] | None]: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

    def __len__(self) -> int: ...

    def n_lines(self) -> int: ...

@overload
def svmlight_text(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bytes:
    """The text of points with whole numbers as labels."""

@overload
def svmlight_text(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bytes:
    """The text of points with any numbers as labels."""

def ids_of_names(names: Iterable) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The ids of features on which all who count agree: columns by number, text by a hash.
    """

def ids_of_texts(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """The same of texts one after the other, as Arrow has them."""

def batch_draws(indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean: float, seed: int, tree: int, batch: int, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    How often a tree of a forest learns each point of a batch: the weight times what a hash draws.
    """

class Delta:
    """What points add to the leaves of one version of a tree."""

    @staticmethod
    def from_bytes(data: bytes) -> Delta:
        """The delta of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def merge(self, other: Delta) -> None: ...

    def version(self) -> int: ...

    def n(self) -> int: ...

    def n_met(self) -> int: ...

    def n_classes(self) -> int: ...

    def n_leaves(self) -> int: ...

    def features(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def counts(self) -> tuple: ...

    def divided(self, n_shards: int) -> list[Delta]:
        """A delta for each shard, of its features in all leaves."""

    def without_features(self) -> Delta:
        """The points of each class in every leaf alone."""

class Gradients:
    """The slopes of points at the weights of one version of a tree, summed."""

    @staticmethod
    def from_bytes(data: bytes) -> Gradients:
        """The gradients of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def merge(self, other: Gradients) -> None: ...

    def version(self) -> int: ...

class ValueCounts:
    """The values of some numbers in points, and how often each occurs."""

    def __init__(self) -> None: ...

    @staticmethod
    def from_bytes(data: bytes) -> ValueCounts:
        """The values of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def merge(self, other: ValueCounts) -> None: ...

    def n_numbers(self) -> int: ...

class Router:
    """Where points go in one version of a tree, and nothing else."""

    @staticmethod
    def from_bytes(data: bytes) -> Router:
        """The router of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def count(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, part: int = 0, n_parts: int = 1, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Delta: ...

    def values(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> ValueCounts:
        """
        The values of numbers that a tree must know before it counts points: `Tree.meet_values`.
        """

    def leaves(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def edges(self) -> dict:
        """The edges between the bins of each number, by its id."""

    def is_settled(self, number: int) -> bool:
        """Whether the edges of a number, by its id, stay as they are."""

    def version(self) -> int: ...

    def n_classes(self) -> int: ...

    def n_nodes(self) -> int: ...

    def n_leaves(self) -> int: ...

def shards_of(ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_shards: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Which shard counts each feature."""

class Candidates:
    """The best features of leaves, by what shards have counted."""

    @staticmethod
    def from_bytes(data: bytes) -> Candidates:
        """The candidates of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def merge(self, other: Candidates) -> None: ...

    def n_leaves(self) -> int: ...

class ShardedSplit:
    """A split that is due in a tree whose features are in shards."""

    @property
    def born(self) -> int: ...

    @property
    def feature(self) -> int: ...

    @property
    def gain(self) -> float: ...

class Shard:
    """What is counted of some features, in all leaves of a tree."""

    def __init__(self, n_classes: int) -> None: ...

    @staticmethod
    def from_bytes(data: bytes) -> Shard:
        """The shard of what `to_bytes` gave. Raises ModelFormatError."""

    def to_bytes(self) -> bytes: ...

    def absorb(self, delta: Delta, step: int, counting: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], each_once: bool) -> None: ...

    def candidates(self, delta: Delta, criterion: str) -> Candidates:
        """The best features of the leaves of a delta that was absorbed."""

    def n_before(self, questions: Sequence[tuple[int, int, int, int]]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """How many features have a rank before each one that is asked about."""

    def step(self) -> int: ...

    def n_features(self) -> int: ...

    def n_leaves(self) -> int: ...

class CsvRows:
    """Reads rows of CSV in blocks of whole lines."""

    def __init__(self, delimiter: str, longest: int, missing_numbers: Sequence[str], columns: Sequence[int], said: Callable) -> None: ...

    def read_as_number(self, field: int) -> None:
        """Have the cells of a place that look like numbers read as such."""

    def parse(self, block: bytes, start: int, n_lines: int, most: int) -> tuple[int, int, bool]:
        """
        Read rows from byte `start` on; return the byte after the last, the lines read in all, and whether the next row is left to the caller.
        """

    def add(self, line: int, cells: list) -> int: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[Any], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], list[int], NDArray[numpy.int64], list[Any]]: ...

    def __len__(self) -> int: ...

class ArffRows:
    """Reads rows of ARFF in blocks of whole lines."""

    def __init__(self, missing_numbers: Sequence[str], columns: Sequence[tuple[int, bool, str]], said: Callable) -> None: ...

    def parse(self, block: bytes, start: int, n_lines: int, most: int, most_cells: int) -> tuple[int, int, bool]:
        """
        Read rows from byte `start` on; return the byte after the last, the lines read in all, and whether the next row is left to the caller.
        """

    def add(self, line: int, cells: list, is_sparse: bool) -> int: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[Any], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], list[int], NDArray[numpy.int64], list[Any]]: ...

    def n_sparse_cells(self) -> int: ...

    def __len__(self) -> int: ...

class JsonLines:
    """Reads JSON lines in blocks of whole lines."""

    def __init__(self, is_labelled: bool, said: Callable) -> None: ...

    def add_column(self) -> int:
        """Return the number of a new column of the points."""

    def add_field(self, object: int, key: str, role: str, column: int, items: int) -> int:
        """
        Tell a field of an object, 0 being that of the line: ignored, label, plain, or the word for what it holds; return its number.
        """

    def parse(self, block: bytes, start: int, n_lines: int, most: int) -> tuple[int, int, bool]:
        """
        Read lines from byte `start` on; return the byte after the last, the lines read in all, and whether the next line is left to the caller.
        """

    def add(self, line: int, label: object | None, features: list, columns: Sequence[int], values: Sequence[float]) -> None: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[Any], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], list[int], NDArray[numpy.int64], list[Any]]: ...

    def __len__(self) -> int: ...

class TextLines:
    """
    Reads label<TAB>text, or the lines of fastText, from text in blocks of whole lines.
    """

    def __init__(self, is_labelled: bool, shortest: int, longest: int, n_columns: int | None, label_prefix: str = '') -> None: ...

    def parse(self, text: bytes, start: int, most: int, is_passed_over: bool) -> tuple[int, int]:
        """
        Read lines from byte `start` on; return the byte after the last, and where the last begins if it is left to the caller, otherwise the same again.
        """

    def add_texts(self, texts: list, start: int) -> int: ...

    def add_column(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: int) -> int: ...

    def add(self, label: str, words: Sequence[str]) -> None: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], list[str], NDArray[numpy.int64], list[str]]: ...

    def __len__(self) -> int: ...

    def n_lines(self) -> int: ...

class VowpalWabbitLines:
    """Reads Vowpal Wabbit's lines from text in blocks of whole lines."""

    def __init__(self, threshold: float | None, keeps_values: bool, is_labelled: bool, largest_weight: float) -> None: ...

    def parse(self, text: bytes, start: int, most: int) -> tuple[int, int]:
        """
        Read lines from byte `start` on; return the byte after the last, and where the last begins if it is left to the caller, otherwise the same again.
        """

    def add(self, label: float, weight: float, names: Sequence[str], values: Sequence[float]) -> None: ...

    def take(self) -> tuple[int, NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64], list[str], NDArray[numpy.float64], NDArray[numpy.float64]]: ...

    def __len__(self) -> int: ...

    def n_lines(self) -> int: ...

GROWTHS: tuple = ...

SPLIT_TESTS: tuple = ...

LEAF_PREDICTIONS: tuple = ...

LEAF_MODELS: tuple = ...

MAX_COLUMNS: int = 1073741824

class Tree:
    """A streaming tree. Many threads may read one object, or one change it."""

    def __init__(self, **options: Any) -> None: ...

    def learn(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

    def learn_one(self, x: object | None, label: int, weight: float = 1, binarize: float | None = None, typed: bool = False) -> None: ...

    def prequential(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def predict(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def predict_proba(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def predict_proba_one(self, x: object | None, binarize: float | None = None, typed: bool = False) -> list[float]: ...

    def n_bytes(self) -> int: ...

    def vocabulary_bytes(self) -> int: ...

    def growth(self) -> str: ...

    def seed(self) -> int | None: ...

    def depth(self) -> int: ...

    def n(self) -> int: ...

    def n_met(self) -> int: ...

    def n_classes(self) -> int: ...

    def expect_classes(self, n_classes: int) -> None: ...

    def n_rewrites(self) -> int: ...

    def n_nodes(self) -> int: ...

    def n_leaves(self) -> int: ...

    def recent_bytes(self) -> int: ...

    def n_features_seen(self) -> int: ...

    def typed_point(self, x: object | None) -> tuple: ...

    def point(self, x: object | None, binarize: float | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def limit_names(self, n_bytes: int) -> None:
        """
        Bounds the memory of the names of features; what has no room shares a few features.
        """

    def shares_names(self) -> bool:
        """
        Whether names share features, so that two of one point may be the same.
        """

    def ids_of_keys(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids_of_numbers(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def keys(self) -> list: ...

    def named_keys(self) -> list: ...

    def number_keys(self) -> list: ...

    def made_of_numbers(self) -> dict: ...

    def learn_batch(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_classes: int = 2, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

    def router(self) -> Router: ...

    def absorb(self, delta: Delta, gradients: Gradients | None = None) -> None: ...

    def gradients(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, part: int = 0, n_parts: int = 1, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Gradients: ...

    def meet_values(self, values: ValueCounts) -> None: ...

    def learns_gradients(self) -> bool:
        """Whether leaves learn from gradients, and not from counts alone."""

    def answers(self) -> bytes:
        """
        The bytes of a tree that answers the same, and has no feature to split on.
        """

    def grow(self) -> int: ...

    def unnamed(self, delta: Delta) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    def cover_classes(self, n_classes: int) -> None: ...

    def counting_leaves(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """The leaves that look for a split, ascending."""

    def rank_questions(self, candidates: Candidates) -> list[tuple[int, int, int, int]]:
        """The ranks on which it depends whether a leaf is to split."""

    def due_splits(self, candidates: Candidates, ranks: Mapping[tuple[int, int, int, int], int]) -> list[ShardedSplit]: ...

    def split_leaves(self, due: Sequence[ShardedSplit]) -> None: ...

    def assembled(self, shards: list) -> tuple[bytes, Annotated[NDArray[numpy.uint64], dict(shape=(None,))]]:
        """
        The bytes of the tree that holds what shards have counted, and the ids of its features.
        """

    def count_afresh(self) -> None:
        """Let all leaves begin to look for a split."""

    def decision_path(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def evidence(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def feature_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def nodes(self) -> dict: ...

    def typed_tests(self) -> dict: ...

    def tally(self) -> dict[str, int]: ...

    def to_bytes(self) -> bytes:
        """The tree without the names of its features."""

    def to_array(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The same bytes as an array, of which no copy was made."""

    @staticmethod
    def from_bytes(data: bytes, keys: list[Any], number_keys: list[Any] = []) -> Tree:
        """
        The tree of what `to_bytes` gave, and the names of its features and numbers. Raises ModelFormatError.
        """

class DynamicTree:
    """
    A tree that forgets. Many threads may read one object, or one change it.
    """

    def __init__(self, **options: Any) -> None: ...

    def predict(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def predict_proba(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def predict_proba_one(self, x: object | None, binarize: float | None = None, typed: bool = False) -> list[float]: ...

    def typed_point(self, x: object | None) -> tuple: ...

    def point(self, x: object | None, binarize: float | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids_of_keys(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids_of_numbers(self, keys: list, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def renumber(self, numbers: Sequence[int], n_classes: int) -> None: ...

    def class_counts(self) -> list[int]: ...

    def rebuild(self) -> None: ...

    def settle(self) -> None: ...

    def growth(self) -> str: ...

    def seed(self) -> int | None: ...

    def n(self) -> int: ...

    def n_met(self) -> int: ...

    def n_classes(self) -> int: ...

    def learn(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, named: bool = False) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))] | None: ...

    def learn_one(self, x: object | None, label: int, weight: float = 1, binarize: float | None = None, typed: bool = False, named: bool = False) -> int: ...

    def prequential(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def forget(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None, first_row: int = 0) -> None: ...

    def forget_one(self, x: object | None, label: int, weight: float = 1, binarize: float | None = None, typed: bool = False) -> None: ...

    def forget_named(self, points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def decision_path(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def evidence(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def feature_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def nodes(self) -> dict: ...

    def typed_tests(self) -> dict: ...

    def tally(self) -> dict[str, int]: ...

    def keys(self) -> list: ...

    def named_keys(self) -> list: ...

    def number_keys(self) -> list: ...

    def made_of_numbers(self) -> dict: ...

    def points_in_order(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]: ...

    def named_weights(self, points: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def to_bytes(self) -> bytes:
        """The tree without the names of its features."""

    def to_array(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The same bytes as an array, of which no copy was made."""

    @staticmethod
    def from_bytes(data: bytes, keys: list[Any], numbers: list[Any] = []) -> DynamicTree:
        """
        The tree of what `to_bytes` gave, and the names of its features. Raises ModelFormatError.
        """

    def n_bytes(self) -> int: ...

    def points_bytes(self) -> int: ...

    def statistics_bytes(self) -> int: ...

    def vocabulary_bytes(self) -> int: ...

    def n_distinct(self) -> int: ...

    def n_features_seen(self) -> int: ...

    def depth(self) -> int: ...

    def n_nodes(self) -> int: ...

    def n_leaves(self) -> int: ...

SUBSPACES: tuple = ('tree', 'node')

class Forest:
    """
    Many trees over one stream. Many threads may read one object, or one change it.
    """

    def __init__(self, **options: Any) -> None: ...

    def learn(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None: ...

    def learn_one(self, x: object | None, label: int, weight: float = 1, binarize: float | None = None, typed: bool = False) -> None: ...

    def prequential(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> tuple: ...

    def predict(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.uint16], dict(shape=(None,))]: ...

    def predict_proba(self, indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def predict_proba_one(self, x: object | None, binarize: float | None = None, typed: bool = False) -> list[float]: ...

    @property
    def n_jobs(self) -> int:
        """The threads that learn; what is learned does not depend on them."""

    @n_jobs.setter
    def n_jobs(self, arg: int, /) -> None: ...

    def mixer_weights(self) -> list[float]: ...

    def trust(self) -> list[float]: ...

    def tally(self) -> dict: ...

    def growth(self) -> str: ...

    def n_nodes(self) -> int: ...

    def n_leaves(self) -> int: ...

    def depth(self) -> int: ...

    def n_background(self) -> int: ...

    def feature_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    def of_trees(self) -> list:
        """
        Of each tree its size, the points it learned, those it was asked about and right about, and its history.
        """

    def shared_bytes(self) -> int: ...

    def n_trees(self) -> int: ...

    def n_bytes(self) -> int: ...

    def vocabulary_bytes(self) -> int: ...

    def seed(self) -> int | None: ...

    def n(self) -> int: ...

    def n_met(self) -> int: ...

    def n_classes(self) -> int: ...

    def expect_classes(self, n_classes: int) -> None: ...

    def n_features_seen(self) -> int: ...

    def typed_point(self, x: object | None) -> tuple: ...

    def point(self, x: object | None, binarize: float | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def limit_names(self, n_bytes: int) -> None:
        """
        Bounds the memory of the names of features; what has no room shares a few features.
        """

    def shares_names(self) -> bool:
        """
        Whether names share features, so that two of one point may be the same.
        """

    def ids_of_keys(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def ids_of_numbers(self, keys: Iterable, make: bool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def keys(self) -> list: ...

    def named_keys(self) -> list: ...

    def number_keys(self) -> list: ...

    def made_of_numbers(self) -> dict: ...

    def to_bytes(self) -> bytes:
        """The forest without the names of its features."""

    def to_array(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """The same bytes as an array, of which no copy was made."""

    @staticmethod
    def from_bytes(data: bytes, keys: list[Any], number_keys: list[Any] = []) -> Forest:
        """
        The forest of what `to_bytes` gave, and the names of its features and numbers. Raises ModelFormatError.
        """

    def tree(self, number: int, has_own_names: bool = False) -> Tree:
        """
        A copy of a tree, which answers as the tree does. Without names of its own it must not learn.
        """

def make_sparse(n: int, d1: int, d2: int, q: float, state: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], at_once: int | None = None, use: object | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Draws sparse(n, d1, d2, q): indptr, indices and labels; of all but the last points `use` is given those of `at_once` at a time.
    """

def make_text(n: int, d: int, length: int, exponent: float, topical: float, contrast: float, drift: str, changes: str, n_changes: int, severity: float, state: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], at_once: int | None = None, use: object | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Draws a stream of texts: indptr, indices and labels; of all but the last points `use` is given those of `at_once` at a time.
    """

def encoded(x: object, missing: frozenset[str] | None = None) -> tuple[list, dict]:
    """
    The features of a point that are on, and its numbers. `missing`: texts that stand for a missing value.
    """

def active_keys(x: object, binarize: float | None) -> list: ...
