"""Detectors of change, against twins that keep every value and against river's."""

from __future__ import annotations

import copy
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
from reference_adwin import ReferenceAdwin

from sapwood.drift import ADWIN
from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    from collections.abc import Callable


def _bits(*parts: tuple[int, float]) -> list[float]:
    """0 and 1, of each length and rate in turn."""
    chance = random.Random(7)
    return [float(chance.random() < rate) for size, rate in parts for _ in range(size)]


STREAMS: dict[str, list[float]] = {
    "nothing but 0": [0.0] * 300,
    "nothing but 1": [1.0] * 300,
    "0 and then 1": [0.0] * 200 + [1.0] * 200,
    "one mean": _bits((600, 0.3)),
    "a rise": _bits((400, 0.1), (300, 0.6)),
    "a fall": _bits((400, 0.7), (300, 0.1)),
    "up and down": _bits((150, 0.1), (150, 0.9), (150, 0.1), (150, 0.9)),
    "slowly up": _bits(*((50, i / 10) for i in range(11))),
    "numbers": [random.Random(3).gauss(i // 250, 0.2) for i in range(600)],
    "far from 0": [1e6 + (i > 300) + (i % 3) / 8 for i in range(600)],
    "one": [0.25],
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"clock": 1},
    {"clock": 1, "delta": 0.3, "max_buckets": 2, "min_window_length": 1, "grace_period": 0},
    {"clock": 7, "delta": 1e-6, "max_buckets": 9, "min_window_length": 20, "grace_period": 100},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("stream", STREAMS)
def test_adwin_is_its_twin_after_every_value(stream: str, options: dict[str, Any]) -> None:
    adwin, twin = ADWIN(**options), ReferenceAdwin(**options)
    for x in STREAMS[stream]:
        adwin.update(x)
        twin.update(x)
        assert (adwin.width, adwin.n_detections) == (twin.width, twin.n_detections)
        assert (adwin.drift_detected, adwin.rose) == (twin.drift_detected, twin.rose)
        assert adwin.total == pytest.approx(twin.total, rel=1e-12)
        assert adwin.estimation == pytest.approx(twin.mean, rel=1e-12)
        assert adwin.variance == pytest.approx(twin.variance, rel=1e-6, abs=1e-9)


def test_changes_are_found_and_the_recent_part_stays() -> None:
    """What the streams above are for: some are cut, some are not, and what is left is of after the change."""
    for stream, n_least, n_most in [("one mean", 0, 0), ("a rise", 1, 5), ("a fall", 1, 5), ("up and down", 3, 12)]:
        adwin = ADWIN()
        for x in STREAMS[stream]:
            adwin.update(x)
        assert n_least <= adwin.n_detections <= n_most
        assert adwin.width >= 100
    assert adwin.estimation > 0.8


@pytest.mark.parametrize("stream", STREAMS)
def test_adwin_is_that_of_river_until_a_change(stream: str) -> None:
    """River empties its window at the value after a change, so that the two differ from then on."""
    drift = pytest.importorskip("river.drift")
    adwin, other = ADWIN(), drift.ADWIN()
    for x in STREAMS[stream]:
        adwin.update(x)
        other.update(x)
        assert (adwin.width, adwin.drift_detected) == (other.width, other.drift_detected)
        assert adwin.estimation == pytest.approx(other.estimation, rel=1e-9)
        # What river calls the variance is the sum of the squares.
        assert adwin.variance * adwin.width == pytest.approx(other.variance, rel=1e-4, abs=1e-6)
        if adwin.drift_detected:
            break


@pytest.mark.parametrize("stream", STREAMS)
def test_adwin_is_the_window_inside_that_of_river(stream: str) -> None:
    """Without that, they are the same for good."""
    module = pytest.importorskip("river.drift.adwin")
    adwin = ADWIN()
    other = module.AdaptiveWindowing(delta=0.002, clock=32, max_buckets=5, min_window_length=5, grace_period=10)
    for x in STREAMS[stream]:
        adwin.update(x)
        assert other.update(x) == adwin.drift_detected
        assert other.get_width() == adwin.width
        assert other.get_n_detections() == adwin.n_detections


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda adwin: pickle.loads(pickle.dumps(adwin))])
@pytest.mark.parametrize("stream", ["up and down", "numbers"])
def test_a_copy_goes_on_as_the_original(stream: str, duplicate: Callable[[ADWIN], ADWIN]) -> None:
    adwin = ADWIN(clock=3, max_buckets=3)
    for i, x in enumerate(STREAMS[stream]):
        if i % 50 == 0:
            twin = duplicate(adwin)
        adwin.update(x)
        twin.update(x)
        assert twin.__getstate__() == adwin.__getstate__()


def test_what_no_adwin_saved_is_refused() -> None:
    adwin = ADWIN(clock=1)
    for x in STREAMS["a rise"]:
        adwin.update(x)
    parameters, state = adwin.__getstate__()
    for damaged in [b"", state[:-1], state + b"\0", b"\xff" * len(state), state[:8] + b"\xff" * 8 + state[16:]]:
        with pytest.raises(ModelFormatError):
            ADWIN().__setstate__((parameters, damaged))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"delta": 0}, ValueError, "ADWIN: delta must be between 0 and 1, got 0"),
        ({"delta": float("nan")}, ValueError, "ADWIN: delta must be between 0 and 1, got nan"),
        ({"delta": "x"}, TypeError, "ADWIN: delta must be a number, got 'x'"),
        ({"clock": 0}, ValueError, "ADWIN: clock must be at least 1, got 0"),
        ({"clock": 1.5}, TypeError, "ADWIN: clock must be an integer, got 1.5"),
        ({"clock": -1}, ValueError, "ADWIN: clock must be from 0 to 4294967295, got -1"),
        ({"max_buckets": 1}, ValueError, "ADWIN: max_buckets must be at least 2, got 1"),
        ({"min_window_length": 0}, ValueError, "ADWIN: min_window_length must be at least 1, got 0"),
    ],
)
def test_bad_parameters(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ADWIN(**options)


@pytest.mark.parametrize("x", [float("nan"), float("inf"), 1e101, "1", None])
def test_bad_values_change_nothing(x: Any) -> None:
    adwin = ADWIN()
    adwin.update(True)
    before = adwin.__getstate__()
    with pytest.raises((ValueError, TypeError), match=r"ADWIN\.update: x must be a number"):
        adwin.update(x)
    assert adwin.__getstate__() == before
    assert repr(adwin).startswith("ADWIN(delta=0.002, clock=32")
