"""The addresses of the data sets of the paper, and how they are downloaded."""

from __future__ import annotations

import importlib.util
from os import PathLike
from pathlib import Path
from typing import NamedTuple

__all__ = ["HOMES", "Home", "fetch"]

_TIMEOUT = 30  # seconds without a byte, after which a server counts as absent


class Home(NamedTuple):
    """The public home of a data set, and its size as the paper's Table 1 gives it."""

    url: str
    member: str | None
    """The file within an archive."""
    n: int
    d: int


_UCI = "https://archive.ics.uci.edu/static/public"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"

HOMES: dict[str, Home] = {
    "author": Home(
        f"{_UCI}/454/victorian+era+authorship+attribution.zip",
        "Gungor_2018_VictorianAuthorAttribution_data-train.csv",
        53_678,
        10_000,
    ),
    "farm": Home(f"{_UCI}/218/farm+ads.zip", "farm-ads-vect", 4_143, 54_877),
    "sraa": Home(f"{_LIBSVM}/real-sim.bz2", None, 72_309, 20_958),
    "news20": Home(f"{_LIBSVM}/news20.binary.bz2", None, 19_996, 1_355_191),
}
"""The data sets of the paper by name."""


def fetch(owner: str, url: str, cache: str | PathLike[str] | None = None) -> Path:
    """Return the local copy of a file, downloaded with pooch unless the folder `cache` has it already.

    Raises
    ------
    ModuleNotFoundError
        If pooch, which the extra `data` installs, is not there.
    ConnectionError
        If the file cannot be had, saying what can be done instead. Nothing is left in the folder then.
    """
    if importlib.util.find_spec("pooch") is None:
        raise ModuleNotFoundError(
            f"{owner}: pooch must be installed to download {url}; install it with: "
            f"pip install 'sapwood[data]', or download the file by other means and give its path"
        )
    import pooch

    folder = pooch.os_cache("sapwood") if cache is None else Path(cache)
    try:
        # The homes publish no checksum: that a file is the paper's is seen by its size once it is read.
        downloader = pooch.HTTPDownloader(timeout=_TIMEOUT)
        local = pooch.retrieve(url, known_hash=None, fname=url.rpartition("/")[2], path=folder, downloader=downloader)
    except OSError as error:
        raise ConnectionError(
            f"{owner}: {url} must be reachable, got {type(error).__name__}: {error}; without a network, give the path "
            f"of a copy"
        ) from error
    return Path(local)
