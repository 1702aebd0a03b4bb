"""The svmlight (libsvm) format: ``label index:value index:value ...``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood import _core
from sapwood.data import Batch
from sapwood.data.matrix import thermometer
from sapwood.stream._errors import LineError
from sapwood.stream._parser import NativeLines

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

__all__ = ["SvmlightParser", "checked_threshold", "whole_labels"]


# Beyond this not every whole number is a double.
_LARGEST_WHOLE = 2.0**53


class SvmlightParser(NativeLines):
    """Parses svmlight text natively. The interface is that of `Parser`."""

    _native: _core.SvmlightParser

    def __init__(self, binarize: float | None, n_features: int | None, *, sparse_numbers: bool = False) -> None:
        super().__init__()
        binarize = checked_threshold(binarize, "an svmlight file")
        if n_features is not None and n_features > _core.MAX_COLUMNS:
            raise ValueError(f"read: n_features must be at most {_core.MAX_COLUMNS}, got {n_features}")
        self._n_features = _core.MAX_COLUMNS if n_features is None else n_features
        self._sparse_numbers = sparse_numbers
        self._native = _core.SvmlightParser(binarize, self._n_features, sparse_numbers)

    def events(self, blocks: Iterator[bytes]) -> Iterator[LineError | None]:
        """Yield the error of each bad line, and None whenever `most` points are gathered."""
        native = self._native
        for block in blocks:
            at = 0
            while at < len(block):
                at, error = native.parse(block, at, self.most)
                if error is not None:
                    line, column, found, expected = error
                    yield LineError(line, column, _printable(found), expected)
                if len(native) >= self.most:
                    yield None

    def take(self) -> Batch:
        """Return the points that are gathered, and begin anew."""
        first_line, indptr, indices, values, labels = self._native.take()
        names: list[Hashable] | None = None
        if self._sparse_numbers:
            indptr, indices, _, names = thermometer(indptr, indices, values, range(self._n_features))
        return Batch(
            y=whole_labels(labels),
            indptr=indptr,
            indices=indices,
            keys=None,
            n_features=self._n_features,
            first_line=first_line,
            names=names,
        )


def checked_threshold(binarize: float | None, of: str) -> float | None:
    """Return the threshold beyond which a number is on, for a format that does not write zeros."""
    if binarize is not None and binarize < 0:
        raise ValueError(
            f"read: binarize must be at least 0 for {of}, all of whose features that are not written would be on "
            f"otherwise, got {binarize}"
        )
    return binarize


def whole_labels(labels: NDArray[np.float64]) -> NDArray[Any]:
    """Return labels as integers if they are all whole."""
    if np.all((np.floor(labels) == labels) & (np.abs(labels) < _LARGEST_WHOLE)):
        return labels.astype(np.int64)
    return labels


def _printable(found: str) -> str:
    return found if found.isprintable() else found.encode("unicode_escape").decode()
