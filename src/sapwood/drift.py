"""Detectors of change in a stream of numbers."""

from __future__ import annotations

from numbers import Real
from operator import index

from sapwood import _core

__all__ = ["ADWIN"]

_LARGEST = 2**32 - 1


class ADWIN:
    """A window over a stream of numbers that is as long as their mean has not changed.

    Every ``clock`` values the window is cut at every border between its buckets, the oldest first. Where the means of
    the two sides differ by more than chance explains, the oldest bucket is dropped, until no border shows a change.
    Values that came after the change stay. Bifet and Gavaldà, *Learning from time-changing data with adaptive
    windowing*, SDM 2007.

    Guarantee: for values from 0 to 1 of one mean, a look at the window drops values with a probability of about
    ``delta``. (The bound is that of the paper with the variance of the window, a normal approximation; it is for one
    look, not for all of them together.) A value takes O(1) and a look O(max_buckets · log width) time; memory is
    O(max_buckets · log width). Values outside 0 to 1 are taken, without a promise.

    The names, the parameters and the bound are those of river's ``drift.ADWIN``, with two differences. River empties
    the whole window at the value after a change; here, as in the paper, the recent part stays. What river calls
    ``variance`` is the sum of the squared deviations; here it is their mean.

    Parameters
    ----------
    delta
        The chance of a false alarm at one look, between 0 and 1.
    clock
        The number of values between two looks, at least 1.
    max_buckets
        The number of buckets of one size, at least 2. More buckets are more borders at which a change can be found.
    min_window_length
        The fewest values on either side of a cut, at least 1.
    grace_period
        A window of no more values than this is not looked at.

    Examples
    --------
    >>> adwin = ADWIN()
    >>> for i in range(1000):
    ...     adwin.update(i % 10 == 0)  # 1 in 10 is wrong
    >>> adwin.width, adwin.drift_detected
    (1000, False)
    >>> for i in range(200):
    ...     adwin.update(i % 2 == 0)  # now every other one
    ...     if adwin.drift_detected:
    ...         print(f"after {i + 1}: {adwin.width} values are left")
    after 56: 224 values are left
    after 88: 192 values are left
    after 120: 192 values are left
    """

    __slots__ = ("_parameters", "_window")

    _window: _core.Adwin
    _parameters: tuple[float, int, int, int, int]

    def __init__(
        self,
        delta: float = 0.002,
        *,
        clock: int = 32,
        max_buckets: int = 5,
        min_window_length: int = 5,
        grace_period: int = 10,
    ) -> None:
        if not isinstance(delta, Real):
            raise TypeError(f"ADWIN: delta must be a number, got {delta!r}")
        numbers = {
            "clock": clock,
            "max_buckets": max_buckets,
            "min_window_length": min_window_length,
            "grace_period": grace_period,
        }
        for name, number in numbers.items():
            try:
                value = index(number)
            except TypeError:
                raise TypeError(f"ADWIN: {name} must be an integer, got {number!r}") from None
            if not 0 <= value <= _LARGEST:
                raise ValueError(f"ADWIN: {name} must be from 0 to {_LARGEST}, got {value}")
        self._parameters = (float(delta), clock, max_buckets, min_window_length, grace_period)
        try:
            self._window = _core.Adwin(*self._parameters)
        except ValueError as error:
            raise ValueError(f"ADWIN: {error}") from None

    def update(self, x: float) -> None:
        """Take a value into the window; then, every ``clock`` values, drop what came before a change.

        Raises
        ------
        ValueError
            If x is not from -1e100 to 1e100.
        TypeError
            If x is no number.
        """
        try:
            self._window.update(x)
        except ValueError as error:
            raise ValueError(f"ADWIN.update: {error}") from None
        except TypeError:
            raise TypeError(f"ADWIN.update: x must be a number, got {x!r}") from None

    @property
    def drift_detected(self) -> bool:
        """Whether the last value made the window shorter."""
        return self._window.drift_detected

    @property
    def rose(self) -> bool:
        """Whether it did so, and the mean of what is left is above that of the window before."""
        return self._window.rose

    @property
    def width(self) -> int:
        """The number of values in the window."""
        return self._window.width

    @property
    def total(self) -> float:
        """Their sum."""
        return self._window.total

    @property
    def estimation(self) -> float:
        """Their mean; 0 for no value."""
        return self._window.estimation

    @property
    def variance(self) -> float:
        """Their variance: the mean square of the deviations from the mean."""
        return self._window.variance

    @property
    def n_detections(self) -> int:
        """How often a value made the window shorter."""
        return self._window.n_detections

    def __repr__(self) -> str:
        delta, clock, max_buckets, min_window_length, grace_period = self._parameters
        return (
            f"ADWIN(delta={delta}, clock={clock}, max_buckets={max_buckets}, min_window_length={min_window_length}, "
            f"grace_period={grace_period})"
        )

    def __getstate__(self) -> tuple[tuple[float, int, int, int, int], bytes]:
        return self._parameters, self._window.to_bytes()

    def __setstate__(self, state: tuple[tuple[float, int, int, int, int], bytes]) -> None:
        self._parameters, window = state
        self._window = _core.Adwin(*self._parameters)
        self._window.load_bytes(window)
