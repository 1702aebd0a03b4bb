"""The names of features: what fails in the middle of a point takes nothing back that another call has made."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sapwood import HoeffdingTreeClassifier, StreamingTreeClassifier, river


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


def test_whoever_only_asks_adds_no_name() -> None:
    """A service that answers strangers does not grow by the names that they make up."""
    model = HoeffdingTreeClassifier()
    model.learn_one(["a"], 0)
    model.learn_one({"n": 1.5}, 1)
    before = model.summary().vocabulary_bytes
    for i in range(1000):
        for x in ([f"never-{i}"], {f"number-{i}": 2.5}, {"n": 1.5, "k": f"value-{i}"}):
            model.predict_one(x)
            model.predict_proba_one(x)
    model.explain_one(["never", "met"])
    assert model.summary().vocabulary_bytes == before


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


def test_a_name_counts_once_wherever_it_stands_and_however_many_there_are() -> None:
    # Some of them have keys that differ by a multiple of a power of two, which a table of few bits does not tell apart.
    names = [f"name-{i}" for i in range(5000)]
    points = [names[i::977] for i in range(977)] + [[names[0], names[4096], names[1]], names[4096:0:-1024]]
    models = [HoeffdingTreeClassifier() for _ in range(2)]
    for model, repeats in zip(models, (False, True), strict=True):
        model.learn_one(names, 0)
        for i, point in enumerate(points):
            model.learn_one([*point, *point[::-1], point[0]] if repeats else point, i % 2)
    assert models[0].to_bytes() == models[1].to_bytes()
    assert models[0].features_seen_ == names


@pytest.mark.parametrize("learn", [True, False])
def test_a_list_may_change_while_it_is_read(learn: bool) -> None:
    point: list[object] = []

    class Shrinks:
        """A name that takes all after itself out of the point when it is looked up."""

        def __hash__(self) -> int:
            del point[2:]
            return 1

    shrinks = Shrinks()
    point.extend(["a", shrinks, *(f"after-{i}" for i in range(100))])
    model = HoeffdingTreeClassifier()
    model.learn_one(["a"], 0)
    if learn:
        model.learn_one(point, 1)
        assert model.features_seen_ == ["a", shrinks]
    else:
        assert model.predict_one(point) == 0
    assert len(point) == 2


def test_a_tuple_and_a_list_and_a_subclass_of_either_are_the_same_point() -> None:
    class Words(list[str]):
        pass

    class Pair(tuple[str, ...]):
        __slots__ = ()

    points = [["a", "b"], ["b", "c", "a"], []]
    models = []
    for form in (list, tuple, Words, Pair, iter):
        model = HoeffdingTreeClassifier()
        for i, point in enumerate(points):
            model.learn_one(form(point), i % 2)
        models.append(model.to_bytes())
    assert len(set(models)) == 1


# In a process of its own: what the core needs of other modules it imports once.
THINNED = """
import builtins, gc
from sapwood import StreamingTreeClassifier

class Told(str):
    pass

model = StreamingTreeClassifier()
model.learn_one(["a"], 0)
point = {point}
imported = builtins.__import__

def thins(*arguments, **options):
    if "sapwood.data.category" in arguments:
        builtins.__import__ = imported
        point.clear()
        junk = [bytes(200) for _ in range(2000)]
        gc.collect()
    return imported(*arguments, **options)

builtins.__import__ = thins
try:
    model.{call}
except RuntimeError as error:
    print(error)
print(len(point))
"""


@pytest.mark.parametrize("call", ["predict_one(point)", "learn_one(point, 1)"])
@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("[Told('x' * 150)]", "0"),
        ("{'a': True, Told('k' * 3): 'v' * 150}", "x must not change while it is read\n0"),
    ],
    ids=["list", "dict"],
)
def test_code_that_runs_while_a_text_is_made_plain_may_empty_the_point(point: str, said: str, call: str) -> None:
    """As a finalizer may, which the collector calls: the text had been let go of, and was read."""
    program = THINNED.replace("{point}", point).replace("{call}", call)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert (run.returncode, run.stdout.strip()) == (0, said), run.stderr


class Colour(str, Enum):
    """Texts whose hashes are not those of equal texts."""

    RED = "red"


class Told(str):
    """A text that prints as another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "told"


@pytest.mark.parametrize("text", [Colour.RED, Told("red"), np.str_("red")], ids=["enum", "subclass", "numpy"])
@pytest.mark.parametrize("face", [StreamingTreeClassifier, river.StreamingTreeClassifier])
def test_a_text_is_the_text_that_it_is_whatever_its_class(face: Any, text: str, tmp_path: Path) -> None:
    points: list[tuple[Any, Any]] = [
        ({text: True, "b": True}, {"red": True, "b": True}),
        ({text: 2.5}, {"red": 2.5}),
        ({"country": text, "b": True}, {"country": "red", "b": True}),
        ({text: text}, {"red": "red"}),
        ({text: {text: True}}, {"red": {"red": True}}),
        ({text: ["a", text]}, {"red": ["a", "red"]}),
    ]
    if face is StreamingTreeClassifier:
        points += [([text, "b"], ["red", "b"]), ((text,), ("red",)), (iter([text, "red"]), ["red"])]
    given, plain = face(), face()
    for n, (x, same) in enumerate(points):
        given.learn_one(x, n % 2)
        plain.learn_one(same, n % 2)
    given.save(tmp_path / "given")
    plain.save(tmp_path / "plain")
    assert (tmp_path / "given").read_bytes() == (tmp_path / "plain").read_bytes()
    assert given.predict_proba_one({text: True}) == plain.predict_proba_one({"red": True})


def test_texts_of_any_class_are_learned_together_as_one_by_one() -> None:
    points = [[Colour.RED, "a"], ["red", Told("a")], [np.str_("a"), "red"]] * 5
    one, many = StreamingTreeClassifier(), StreamingTreeClassifier()
    for n, x in enumerate(points):
        one.learn_one(x, n % 2)
    many.learn_many(points, [n % 2 for n in range(len(points))])
    assert one.features_seen_ == many.features_seen_ == ["red", "a"]
    assert {type(name) for name in many.features_seen_} == {str}
    assert one.to_bytes() == many.to_bytes()


@pytest.mark.parametrize(
    ("of_numpy", "of_python"),
    [
        (np.float32(2), 2),
        (np.float16(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), 1),
        (np.str_("a"), "a"),
        (np.bytes_(b"a"), b"a"),
        ((1, np.int64(2)), (1, 2)),
        (("a", (np.float32(0.5), None)), ("a", (0.5, None))),
        ((Told("a"), (Colour.RED, np.str_("b"))), ("a", ("red", "b"))),
    ],
)
def test_a_name_is_that_of_python_before_and_after_it_is_saved(of_numpy: Any, of_python: Any) -> None:
    """Equal names were two features, with which no model could be saved."""
    model = HoeffdingTreeClassifier()
    for i in range(4):
        model.learn_one([of_numpy] if i % 2 else [of_python], i % 2)
    assert model.features_seen_ == [of_python]
    assert type(model.features_seen_[0]) is type(of_python)
    saved = model.to_bytes()
    assert HoeffdingTreeClassifier.from_bytes(saved).to_bytes() == saved
