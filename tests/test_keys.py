"""The names of features: what fails in the middle of a point takes nothing back that another call has made."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from sapwood import HoeffdingTreeClassifier


class OwnError(Exception):
    """Not one of the package."""


def raising(*names: str) -> Iterator[str]:
    yield from names
    raise OwnError


def test_a_generator_that_learns_and_then_raises_takes_back_nothing_that_was_learned() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one(["first"], 0)

    def learns_meanwhile() -> Iterator[str]:
        yield "mine"
        for i in range(2000):
            model.learn_one([f"other-{i}"], i % 2)
        raise OwnError

    with pytest.raises(OwnError):
        model.learn_one(learns_meanwhile(), 1)
    assert model.features_seen_ == ["first", *(f"other-{i}" for i in range(2000))]
    assert type(model).from_bytes(model.to_bytes()).features_seen_ == model.features_seen_
    model.learn_one(["mine"], 1)
    assert model.features_seen_[-1] == "mine"


def test_a_point_may_learn_itself_while_it_is_read() -> None:
    model = HoeffdingTreeClassifier()

    def learns_the_same() -> Iterator[str]:
        yield "a"
        model.learn_one(["a", "b"], 0)
        yield "b"

    model.learn_one(learns_the_same(), 1)
    assert model.features_seen_ == ["a", "b"]
    assert model.n_points_ == 2


def test_a_reader_that_fails_forgets_nothing_that_another_thread_learns() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one(["x"], 0)
    model.learn_one(["y"], 1)
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            with pytest.raises(OwnError):
                model.predict_one(raising("x", "unknown-a", "unknown-b"))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    expected = ["x", "y"]
    for i in range(3000):
        model.learn_one([f"{i}-a", f"{i}-b"], i % 2)
        expected += [f"{i}-a", f"{i}-b"]
    done.set()
    for reader in readers:
        reader.join()
    assert model.features_seen_ == expected


def test_what_is_only_asked_about_is_no_feature() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one(["a"], 0)
    before = model.to_bytes()
    model.predict_one(["never", "met"])
    model.learn_one(["new"], 1, w=0)
    assert model.features_seen_ == ["a"]
    assert model.to_bytes() == before


def test_a_refused_point_adds_no_feature() -> None:
    model = HoeffdingTreeClassifier()
    model.learn_one(["a"], 0)
    for bad in (["new", []], ["b", "a", float("nan")], {"c": object()}):
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(bad, 0)
    assert model.features_seen_ == ["a"]


class Clumsy:
    """An object whose hash works only so often."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __hash__(self) -> int:
        self.times -= 1
        if self.times < 0:
            raise OwnError
        return 7


@pytest.mark.parametrize("times", range(5))
def test_a_name_whose_hash_fails_sooner_or_later_breaks_nothing(times: int) -> None:
    model = HoeffdingTreeClassifier()
    try:
        model.learn_one(["a", Clumsy(times), "b"], 0)
        n_features = 3
    except OwnError:
        n_features = 0
    model.learn_one(["b", "c"], 1)
    assert len(model.features_seen_) == (n_features + 1 if n_features else 2)
    assert model.features_seen_[-1] == "c"
