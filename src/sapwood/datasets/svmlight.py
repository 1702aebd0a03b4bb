"""Data sets in the svmlight format: each line is a label and `index:value` pairs."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from sapwood._core import MAX_CLASSES
from sapwood.datasets._arguments import as_csr
from sapwood.datasets._read import LabelledMatrix, check_published, locate, opened
from sapwood.datasets.download import HOMES

__all__ = ["load_farm", "load_news20", "load_sraa", "load_svmlight"]


def load_svmlight(path: str | PathLike[str]) -> LabelledMatrix:
    """Read a file in the svmlight format, plain or compressed by gzip or bzip2.

    A feature is on where its value is not 0. The classes are numbered in the order of their labels: of two, the smaller
    label becomes 0 and the larger 1. Indices count from 0 if one of them is 0, and from 1 otherwise.

    Returns
    -------
    X : matrix in canonical CSR form, with ones stored as int8.
    y : the numbers of the classes, as uint8, or as uint16 if there are more than 256.
    """
    return _read("load_svmlight", Path(path), None, any_classes=True)


def load_farm(
    path: str | PathLike[str] | None = None, *, url: str | None = None, cache: str | PathLike[str] | None = None
) -> LabelledMatrix:
    """Load Farm: online advertisements from farm-related sites, with label 1 where the owner approved.

    The source is the vectorised file of Farm Ads of UCI. Without a path it is downloaded, from `url` if given, into the
    folder `cache`, or the default folder of pooch. Unless a `url` is given, the data must have the size of the paper's
    Table 1. The path may be that of the archive, of the file within it, or of any other file in the svmlight format.
    """
    return _load("load_farm", "farm", path, url, cache)


def load_sraa(
    path: str | PathLike[str] | None = None, *, url: str | None = None, cache: str | PathLike[str] | None = None
) -> LabelledMatrix:
    """Load SRAA, or real-sim: posts about real or simulated racing and aviation. From LIBSVM; see `load_farm`."""
    return _load("load_sraa", "sraa", path, url, cache)


def load_news20(
    path: str | PathLike[str] | None = None, *, url: str | None = None, cache: str | PathLike[str] | None = None
) -> LabelledMatrix:
    """Load 20News, or news20.binary: posts of twenty newsgroups in two halves. From LIBSVM; see `load_farm`."""
    return _load("load_news20", "news20", path, url, cache)


def _load(
    owner: str, name: str, path: str | PathLike[str] | None, url: str | None, cache: str | PathLike[str] | None
) -> LabelledMatrix:
    local = locate(owner, name, path, url, cache)
    points = _read(owner, local, HOMES[name].member)
    if path is None and url is None:
        check_published(owner, name, points, local)
    return points


def _read(owner: str, path: Path, member: str | None, *, any_classes: bool = False) -> LabelledMatrix:
    # Slow to import, and what makes synthetic streams does not need it.
    from sklearn.datasets import load_svmlight_file

    X: csr_matrix
    with opened(owner, path, member) as stream:
        try:
            X, y = load_svmlight_file(stream)
        except ValueError as error:
            raise ValueError(
                f"{owner}: {path} must be in the svmlight format, got a line that is not: {error}"
            ) from None
        except (EOFError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # the file cannot be read at all
            raise ValueError(f"{owner}: {path} must be a whole compressed file, got {error}") from None
    X.eliminate_zeros()
    X.sort_indices()
    classes, labels = np.unique(y, return_inverse=True)
    if classes.size != 2 and not any_classes:  # noqa: PLR2004 - the searches of the paper are for a pair of classes
        raise ValueError(f"{owner}: {path} must have two classes, got {classes.size}")
    if classes.size > MAX_CLASSES:
        raise ValueError(f"{owner}: {path} must have at most {MAX_CLASSES} classes, got {classes.size}")
    kind = np.uint8 if classes.size <= np.iinfo(np.uint8).max + 1 else np.uint16
    return as_csr(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.shape[1]), labels.reshape(-1).astype(kind)
