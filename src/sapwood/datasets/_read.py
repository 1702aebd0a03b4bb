"""Open a data file, whether plain, compressed or in an archive."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from sapwood.datasets.download import HOMES, fetch

__all__ = ["LabelledMatrix", "check_published", "locate", "opened"]

LabelledMatrix = tuple[csr_array, npt.NDArray[np.uint8]]


def locate(
    owner: str, name: str, path: str | PathLike[str] | None, url: str | None, cache: str | PathLike[str] | None
) -> Path:
    """Return the path given, or that of a downloaded copy."""
    if path is None:
        return fetch(owner, HOMES[name].url if url is None else url, cache)
    if url is not None:
        raise ValueError(f"{owner}: url must not be given with a path, got {url!r}")
    return Path(path)


@contextmanager
def opened(owner: str, path: Path, member: str | None) -> Iterator[IO[bytes]]:
    """Open a file to be read in bytes; of an archive, the member whose name ends so."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            found = [name for name in archive.namelist() if member is not None and name.rpartition("/")[2] == member]
            if not found:
                raise ValueError(
                    f"{owner}: {path} must hold {member}, got {', '.join(archive.namelist()) or 'nothing'}"
                )
            with archive.open(found[0]) as stream:
                yield stream
    elif path.suffix in {".gz", ".bz2"}:
        with cast("IO[bytes]", gzip.open(path) if path.suffix == ".gz" else bz2.open(path)) as stream:
            yield stream
    else:
        with path.open("rb") as stream:
            yield stream


def check_published(owner: str, name: str, points: LabelledMatrix, path: Path) -> None:
    """Raise ValueError unless a downloaded data set has the size that the paper gives."""
    home = HOMES[name]
    n, d = points[0].shape
    if (n, d) != (home.n, home.d):
        raise ValueError(
            f"{owner}: the file from {home.url} must hold {home.n:,} points of {home.d:,} features, got {n:,} of "
            f"{d:,}; if the download was broken, delete {path} and try again"
        )
