"""What a key and its value become: the rule of the core against the same rule written out, and hostile points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sapwood import _core

KEY = st.one_of(st.text(max_size=4), st.integers(0, 5), st.tuples(st.integers(0, 2)))
NUMBER = st.one_of(
    st.integers(-3, 3), st.integers(-(10**400), 10**400), st.floats(-2, 2), st.floats(-2, 2).map(np.float64),
    st.integers(-3, 3).map(np.int16),
)  # fmt: skip
VALUE = st.one_of(
    NUMBER, st.booleans(), st.booleans().map(np.bool_), st.text(max_size=4), st.none(), st.lists(st.text(max_size=3))
)


def active_keys(point: dict[Any, Any], binarize: float) -> list[Any]:
    """The rule, written out."""
    keys: list[Any] = []
    for key, value in point.items():
        if isinstance(value, str):
            keys.append(f"{key}={value}")
        elif isinstance(value, list):
            keys += [f"{key}={item}" for item in value]
        elif isinstance(value, (bool, np.bool_)):
            keys += [key] * bool(value)
        elif value is not None:
            keys += [key] * bool(value > binarize)
    return keys


@given(st.dictionaries(KEY, VALUE, max_size=6), st.sampled_from([0.0, 1.0, -1.5]))
def test_the_rule(point: dict[Any, Any], binarize: float) -> None:
    assert _core.active_keys(point, binarize) == active_keys(point, binarize)
    assert _core.active_keys(MappingProxyType(point), binarize) == active_keys(point, binarize)


@given(st.lists(KEY, max_size=6))
def test_an_iterable_holds_the_active_features(keys: list[Any]) -> None:
    for x in (keys, tuple(keys), iter(keys)):
        assert _core.active_keys(x, None) == keys


def test_what_is_missing_is_off() -> None:
    pd = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    missing = {"a": math.nan, "b": None, "c": pd.NA, "d": pd.NaT, "e": np.float32("nan")}
    for binarize in (0.0, -1.0, None):
        assert _core.active_keys(missing | {"f": 1}, binarize) == ["f"]


def test_columns_of_polars_hold_names() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    assert _core.active_keys(pl.Series(["a", "b"]), 0.0) == ["a", "b"]
    assert _core.active_keys(pl.Series([3, 5]), 0.0) == [3, 5]
    for values in ([0.5], [True]):
        with pytest.raises(TypeError, match="got a row of values: pass a matrix to partial_fit or predict instead"):
            _core.active_keys(pl.Series(values), 0.0)


def test_without_a_threshold_numbers_are_0_and_1() -> None:
    assert _core.active_keys({"a": 1, "b": 0, "c": 1.0, "d": True, "e": "x", "f": None}, None) == ["a", "c", "d", "e=x"]


@pytest.mark.parametrize(
    ("x", "binarize", "error", "message"),
    [
        ({"a": math.inf}, 0.0, ValueError, "x must hold finite numbers, got inf for 'a'"),
        ({"a": -math.inf}, None, ValueError, "x must hold finite numbers, got -inf for 'a'"),
        ({"a": 2}, None, ValueError, "x must hold 0 and 1 only if binarize is None, got 2 for 'a'"),
        ({"a": -(10**400)}, None, ValueError, "x must hold 0 and 1 only if binarize is None, got -1000"),
        ({"a": ["b", 1]}, 0.0, TypeError, "x must hold numbers, booleans, strings, lists of strings and None, got ["),
        ({"a": {}}, 0.0, TypeError, "x must hold numbers, booleans, strings, lists of strings and None, got {} for 'a"),
        ("text", 0.0, TypeError, "x must be a dict or an iterable of active features, got 'text'"),
        (3, 0.0, TypeError, "x must be a dict or an iterable of active features, got 3"),
        (np.ones(2), 0.0, TypeError, "x must be a dict or an iterable of active features, got a row of values: "),
    ],
)
def test_refusals(x: object, binarize: float | None, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        _core.active_keys(x, binarize)
    assert str(caught.value).startswith(message)


def test_errors_of_the_users_own_go_on() -> None:
    class Angry:
        def __float__(self) -> float:
            raise KeyError("no")

    def broken() -> Iterator[str]:
        yield "a"
        raise KeyError("no")

    for x in ({"a": Angry()}, broken()):
        with pytest.raises(KeyError, match="no"):
            _core.active_keys(x, 0.0)


def test_a_point_that_changes_while_it_is_read() -> None:
    point: dict[Any, Any] = {}

    class Adding:
        def __float__(self) -> float:
            point.update({f"k{i}": 1 for i in range(1000)})
            return 1.0

    class Clearing:
        def __str__(self) -> str:
            texts.clear()
            return "k"

    point["a"] = Adding()
    with pytest.raises(RuntimeError, match="x must not change while it is read"):
        _core.active_keys(point, 0.0)
    texts = ["u", "v"]
    assert _core.active_keys({Clearing(): texts}, 0.0) == ["k=u"]
