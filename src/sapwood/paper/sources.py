"""The benchmark data sets: those available, stand-ins for missing ones, and those left out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sapwood.datasets import (
    HOMES,
    LabelledMatrix,
    load_author,
    load_farm,
    load_news20,
    load_sraa,
    load_svmlight,
    make_text,
)
from sapwood.paper.settings import Settings

__all__ = ["PAPER", "Published", "Source", "available", "data_folder", "left_out"]


@dataclass(frozen=True)
class Published:
    """What the paper's Tables 1 and 2 say of a data set: its size, its density as printed, and seconds."""

    name: str
    n: int
    d: int
    density: str
    seconds: dict[tuple[str, str], float]


def _seconds(upd_ent: float, base_ent: float, upd_gini: float, base_gini: float) -> dict[tuple[str, str], float]:
    return {
        ("entropy", "approximate"): upd_ent,
        ("entropy", "exhaustive"): base_ent,
        ("gini", "approximate"): upd_gini,
        ("gini", "exhaustive"): base_gini,
    }


PAPER = {
    "author": Published("Author", 53_678, 10_000, "0.007", _seconds(6.71, 47.57, 6.41, 11.49)),
    "farm": Published("Farm", 4_143, 54_877, "0.0036", _seconds(2.75, 5.52, 2.44, 3.78)),
    "sraa": Published("SRAA", 72_309, 20_958, "0.0024", _seconds(11.52, 78.0, 7.86, 25.37)),
    "news20": Published("20News", 19_996, 1_355_191, "0.00033", _seconds(39.35, 1327.0, 31.51, 706.0)),
}
"""The data sets of the paper."""

_LOADERS: dict[str, Callable[..., LabelledMatrix]] = {
    "author": load_author,
    "farm": load_farm,
    "sraa": load_sraa,
    "news20": load_news20,
}

# What a folder of data sets may hold for each, in this order: a file, and what it is if it is not the paper's.
_IN_FOLDER: dict[str, tuple[tuple[str, str | None], ...]] = {
    "author": (
        ("author/author.svm.gz", None),
        (
            "author-gender/author-gender.shuf.svm.gz",
            "a stand-in: as many snippets of English novels with the same vocabulary size, by other authors, shuffled",
        ),
    ),
    "farm": (("farm/farm.orig.svm.gz", None),),
    "sraa": (("sraa/sraa.svm.gz", None), ("real-sim/real-sim.bz2", None)),
    "news20": (
        ("news20.binary/news20.binary.bz2", None),
        (
            "news20-bigrams/news20-bigrams.shuf.svm.gz",
            "a stand-in: the same newsgroups as words and pairs of words, in other halves, shuffled",
        ),
    ),
}


@dataclass(frozen=True)
class Source:
    """A data set that is available."""

    key: str
    name: str
    origin: str
    """Where the points are from, in words."""
    stand_in: bool
    """Whether it is known not to be the paper's."""
    parameters: dict[str, Any]
    """What tells its points from others."""
    load: Callable[[], LabelledMatrix] = field(compare=False)

    @property
    def published(self) -> Published | None:
        """What the paper says of the data set in whose place this is."""
        return PAPER.get(self.key)


def data_folder() -> Path | None:
    """Return the folder named by SAPWOOD_DATA, or shared/data beside the current folder, if it exists."""
    named = os.environ.get("SAPWOOD_DATA")
    folder = Path(named) if named else Path.cwd().parent / "shared" / "data"
    return folder if folder.is_dir() else None


def available(settings: Settings) -> list[Source]:
    """Return the data sets available, the paper's first, in its order; generated texts if there is none."""
    found, _ = _resolve(_key_of(settings))
    return found


def left_out(settings: Settings) -> list[str]:
    """Return why each missing data set is missing."""
    _, reasons = _resolve(_key_of(settings))
    return reasons


_Key = tuple[tuple[tuple[str, Path], ...], Path | None, bool, int]


def _key_of(settings: Settings) -> _Key:
    return tuple(settings.data.items()), settings.folder, settings.download, settings.seed


@lru_cache(maxsize=8)
def _resolve(key: _Key) -> tuple[list[Source], list[str]]:
    given, folder, download, seed = key
    named = dict(given)
    found: list[Source] = []
    reasons: list[str] = []
    for name in (*PAPER, *(other for other in named if other not in PAPER)):
        if name in named:
            found.append(_from_file(name, named[name], f"{named[name].name}, as given", stand_in=False))
            continue
        source = None if folder is None else _in_folder(name, folder)
        if source is None and download:
            try:
                source = _downloaded(name)
            except (ConnectionError, ModuleNotFoundError, ValueError) as error:
                reasons.append(f"{PAPER[name].name} is left out: {error}")
                continue
        if source is None:
            reasons.append(
                f"{PAPER[name].name} is left out: it is in no folder given, and downloads are off (--download turns "
                f"them on; its home is {HOMES[name].url})"
            )
        else:
            found.append(source)
    if not found:
        found.append(_generated(seed))
    return found, reasons


def _in_folder(name: str, folder: Path) -> Source | None:
    for relative, stand_in in _IN_FOLDER[name]:
        path = folder / relative
        if path.is_file():
            return _from_file(name, path, stand_in or f"the paper's, from {path.name}", stand_in=stand_in is not None)
    return None


def _from_file(key: str, path: Path, origin: str, *, stand_in: bool) -> Source:
    if not path.is_file():
        raise ValueError(f"reproduce: data must be a file in the svmlight format, got {key}={path}")
    published = PAPER.get(key)
    return Source(
        key,
        published.name if published else key,
        origin,
        stand_in,
        {"file": path.name, "bytes": path.stat().st_size},
        lambda: _load_file(path),
    )


def _downloaded(name: str) -> Source:
    home = HOMES[name]
    _load_home(name)
    parameters = {"url": home.url}
    return Source(name, PAPER[name].name, f"the paper's, from {home.url}", False, parameters, lambda: _load_home(name))


def _generated(seed: int) -> Source:
    n, d, length = 4_000, 50_000, 200
    return Source(
        "text",
        "Text",
        "generated by make_text in place of all four, which are not here",
        True,
        {"n": n, "d": d, "length": length, "seed": seed},
        lambda: make_text(n, d, length, seed=seed),
    )


@lru_cache(maxsize=4)
def _load_file(path: Path) -> LabelledMatrix:
    return load_svmlight(path)


@lru_cache(maxsize=4)
def _load_home(name: str) -> LabelledMatrix:
    return _LOADERS[name]()
