"""The data sets of the paper load from files and from a server, and say clearly why they do not."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import re
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sapwood.datasets import HOMES, load_author, load_farm, load_news20, load_sraa, load_svmlight
from sapwood.datasets import download as downloads

LINES = b"-1 1:0.5 4:0.25\n+1 2:1\n-1 \n+1 1:1 2:0 5:3\n"
DENSE = [[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 1]]
TEXTS = "text,author\nthe dog and the cat,1\na dog \xe9 barks,4\ncat the the,47\n"
LOADERS = {"farm": load_farm, "sraa": load_sraa, "news20": load_news20}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and keeps count of what was asked for."""

    def __init__(self, *arguments: Any, asked: list[str], **options: Any) -> None:
        self.asked = asked
        super().__init__(*arguments, **options)

    def log_request(self, code: object = "-", size: object = "-") -> None:  # noqa: ARG002 - as in the base class
        """Count instead of printing."""
        self.asked.append(self.path)

    def log_error(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """A web server on this machine: its address, its folder, and the requests so far."""
    folder = tmp_path / "served"
    folder.mkdir()
    asked: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, asked=asked, directory=str(folder))) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}", folder, asked
        running.shutdown()
        thread.join()


def write_zip(path: Path, member: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "about")
        archive.writestr(f"inside/{member}", content)
    return path


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress)],
    ids=["plain", "gzip", "bzip2"],
)
def test_svmlight_files(tmp_path: Path, suffix: str, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"points.svm{suffix}"
    path.write_bytes(compress(LINES))
    X, y = load_svmlight(path)
    assert X.toarray().tolist() == DENSE
    assert [str(array.dtype) for array in (X.data, y)] == ["int8", "uint8"]
    assert y.tolist() == [0, 1, 0, 1]
    for load in LOADERS.values():
        assert load(path)[0].toarray().tolist() == DENSE


def test_farm_from_its_archive(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "farm.zip", "farm-ads-vect", LINES)
    assert load_farm(path)[0].toarray().tolist() == DENSE
    other = write_zip(tmp_path / "other.zip", "something", LINES)
    with pytest.raises(ValueError, match=r"^load_farm: .*other.zip must hold farm-ads-vect, got readme.txt, inside"):
        load_farm(other)


def test_author_is_the_set_of_the_first_words(tmp_path: Path) -> None:
    member = HOMES["author"].member
    assert member is not None
    path = write_zip(tmp_path / "author.zip", member, TEXTS.encode("latin-1"))
    X, y = load_author(path, words=3)
    # In alphabetical order: a, and, barks, cat, dog, the, é.
    assert X.toarray().tolist() == [[0, 1, 0, 0, 1, 1, 0], [1, 0, 0, 0, 1, 0, 1], [0, 0, 0, 1, 0, 1, 0]]
    assert y.tolist() == [0, 1, 1]
    plain = tmp_path / "author.csv"
    plain.write_bytes(TEXTS.encode("latin-1"))
    assert load_author(plain)[0].toarray()[0].tolist() == [0, 1, 0, 1, 1, 1, 0]


def test_any_number_of_classes(tmp_path: Path) -> None:
    path = tmp_path / "points.svm"
    path.write_bytes(b"7 1:1\n-2 2:1\n3.5 1:1\n7 2:1\n")
    X, y = load_svmlight(path)
    assert (y.tolist(), y.dtype) == ([2, 0, 1, 2], np.dtype(np.uint8))
    assert X.toarray().tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    path.write_bytes(b"".join(b"%d 1:1\n" % (3 * i) for i in range(300)))
    assert (load_svmlight(path)[1].tolist(), load_svmlight(path)[1].dtype) == (list(range(300)), np.dtype(np.uint16))
    path.write_bytes(b"5 1:1\n")
    assert load_svmlight(path)[1].tolist() == [0]


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not numbers\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^load_sraa: .*notes.txt must be in the svmlight format, got a line"):
        load_sraa(path)
    with pytest.raises(ValueError, match=r"^load_author: .*notes.txt must have the columns text and author, got"):
        load_author(path)
    path.write_bytes(b"1 1:1\n2 2:1\n3 1:1\n")
    with pytest.raises(ValueError, match=r"^load_sraa: .*notes.txt must have two classes, got 3$"):
        load_sraa(path)
    with pytest.raises(FileNotFoundError):
        load_farm(tmp_path / "absent.svm")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("text.gz", LINES),
        ("text.bz2", LINES),
        ("half.gz", gzip.compress(LINES * 100, mtime=0)[:-20]),
        ("half.bz2", bz2.compress(LINES * 100)[:-20]),
    ],
)
def test_broken_compressed_files(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"^load_svmlight: .*{name} must be a whole compressed file, got "):
        load_svmlight(path)


def test_a_path_and_a_url_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^load_farm: url must not be given with a path, got 'http://x'$"):
        load_farm(tmp_path / "x", url="http://x")


def test_download_once(server: tuple[str, Path, list[str]], tmp_path: Path) -> None:
    address, folder, asked = server
    (folder / "real-sim.bz2").write_bytes(bz2.compress(LINES))
    for _ in range(2):
        X, _ = load_sraa(url=f"{address}/real-sim.bz2", cache=tmp_path / "cache")
        assert X.toarray().tolist() == DENSE
    assert len(asked) == 1
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["real-sim.bz2"]


def test_the_paper_size_is_checked(
    server: tuple[str, Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, folder, _ = server
    write_zip(folder / "farm.zip", "farm-ads-vect", LINES)
    home = HOMES["farm"]._replace(url=f"{address}/farm.zip")
    monkeypatch.setitem(downloads.HOMES, "farm", home)
    with pytest.raises(ValueError, match=r"must hold 4,143 points of 54,877 features, got 4 of 5; if the download"):
        load_farm(cache=tmp_path / "cache")
    monkeypatch.setitem(downloads.HOMES, "farm", home._replace(n=4, d=5))
    assert load_farm(cache=tmp_path / "cache")[0].shape == (4, 5)


def test_absent_on_the_server(server: tuple[str, Path, list[str]], tmp_path: Path) -> None:
    address, _, _ = server
    with pytest.raises(ConnectionError, match=r"^load_news20: http.*/gone.bz2 must be reachable, got HTTPError: 404"):
        load_news20(url=f"{address}/gone.bz2", cache=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_no_network(tmp_path: Path) -> None:
    # Nobody listens at this port of this machine.
    with pytest.raises(
        ConnectionError, match=r"must be reachable, got .*; without a network, give the path of a copy$"
    ):
        load_author(url="http://127.0.0.1:9/author.zip", cache=tmp_path)


def test_no_pooch(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pooch" else real(name))
    message = (
        "load_farm: pooch must be installed to download https://archive.ics.uci.edu/static/public/218/farm+ads.zip"
    )
    with pytest.raises(ModuleNotFoundError, match=f"^{re.escape(message)}.*pip install 'sapwood\\[data\\]'"):
        load_farm()


def test_farm_is_the_paper_s(shared_data: Path) -> None:
    path = shared_data / "farm" / "farm.orig.svm.gz"
    if not path.is_file():
        pytest.skip("no farm/farm.orig.svm.gz in the folder of real data")
    X, _ = load_farm(path)
    assert X.shape == (4_143, 54_877)
    assert f"{X.nnz / (X.shape[0] * X.shape[1]):.2g}" == "0.0036"
