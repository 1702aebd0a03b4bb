"""The parameters of the tree classifiers, and from them to a tree of the core, each checked."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = ("criterion", "search", "split_test", "leaf_prediction")
_NUMBERS = ("alpha", "delta", "tau", "min_gain")
_COUNTS = ("grace_period", "min_samples_reevaluate")
_LIMITS = ("max_depth", "max_leaves", "max_bytes")
_LARGEST_COUNT = 2**31 - 1
_LARGEST_LIMIT = 2**63 - 1
_LARGEST_SEED = 2**32 - 1


class HoeffdingParameters:
    """The parameters of a Hoeffding tree, for scikit-learn and for river: both read them off the constructor."""

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        search: str = "certified",
        alpha: float = 0.1,
        split_test: str = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 1,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: str = "adaptive",
        binarize: float | None = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.alpha = alpha
        self.split_test = split_test
        self.delta = delta
        self.tau = tau
        self.grace_period = grace_period
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes
        self.leaf_prediction = leaf_prediction
        self.binarize = binarize
        self.random_state = random_state
        super().__init__()


class ExtremelyFastParameters:
    """The parameters of an extremely fast decision tree, for scikit-learn and for river."""

    def __init__(
        self,
        *,
        criterion: str = "entropy",
        search: str = "certified",
        alpha: float = 0.1,
        split_test: str = "hoeffding",
        delta: float = 1e-7,
        tau: float = 0.05,
        grace_period: int = 1,
        min_samples_reevaluate: int = 20,
        min_gain: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | None = None,
        leaf_prediction: str = "adaptive",
        binarize: float | None = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.criterion = criterion
        self.search = search
        self.alpha = alpha
        self.split_test = split_test
        self.delta = delta
        self.tau = tau
        self.grace_period = grace_period
        self.min_samples_reevaluate = min_samples_reevaluate
        self.min_gain = min_gain
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes
        self.leaf_prediction = leaf_prediction
        self.binarize = binarize
        self.random_state = random_state
        super().__init__()


def make_tree(growth: str, parameters: Mapping[str, Any], seed: int | None = None) -> _core.Tree:
    """Make an empty tree, which breaks ties by a seed if it is given one.

    Raises TypeError or ValueError, which name the parameter, if it cannot be one.
    """
    options: dict[str, Any] = {}
    for name in _WORDS:
        options[name] = _word(name, parameters[name])
    for name in _NUMBERS:
        options[name] = _number(name, parameters[name])
    for name in _COUNTS:
        if name in parameters:
            options[name] = _integer(name, parameters[name], _LARGEST_COUNT)
    for name in _LIMITS:
        if parameters[name] is not None:
            options[name] = _integer(name, parameters[name], _LARGEST_LIMIT, "an integer or None")
    return _core.Tree(growth=growth, seed=seed, **options)


def threshold_of(binarize: Any) -> float | None:
    """Return the value above which a feature is on; None if only 0 and 1 are values."""
    return None if binarize is None else _number("binarize", binarize, "a number or None")


def seed_of(random_state: Any) -> int | None:
    """Return what chooses among equally good splits: nothing, the number itself, or one drawn from a RandomState."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_LARGEST_COUNT))
    seed = _integer("random_state", random_state, _LARGEST_SEED, "an integer, a RandomState or None")
    if seed < 0:
        raise ValueError(f"random_state must be at least 0, got {seed}")
    return seed


def _word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r}")
    return str(value)


def _number(name: str, value: Any, what: str = "a number") -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {what}, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


def _integer(name: str, value: Any, largest: int, what: str = "an integer") -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be {what}, got {value!r}")
    number = int(value)
    if number > largest:
        raise ValueError(f"{name} must be at most {largest}, got {number}")
    # What is below the range of the core is below every limit, and must reach its message.
    return max(number, -largest)
