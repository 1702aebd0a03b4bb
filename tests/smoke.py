"""Tries an installed sapwood in a few seconds, with nothing but what it requires: for `make wheel` and wheel builders.

It must not import the sources, so it is run from another folder. `--with-commands` also tries the extra `cli`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import sapwood
from sapwood import DynamicTreeClassifier, HoeffdingTreeClassifier, SplitFinder, StreamingTreeClassifier, load_model
from sapwood.datasets import make_sparse
from sapwood.evaluate import prequential
from sapwood.stream import read, write_svmlight


def try_the_library(folder: Path) -> None:
    """Learn, predict, save, load, search and read."""
    X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.01, seed=1)
    for classifier in (StreamingTreeClassifier, HoeffdingTreeClassifier, DynamicTreeClassifier):
        model = classifier().fit(X, y)
        assert model.score(X, y) > 0.8
        model.save(folder / "model")
        again = load_model(folder / "model")
        assert np.array_equal(again.predict(X), model.predict(X))
    finders = [SplitFinder(criterion="entropy", search=search) for search in ("certified", "exhaustive")]
    for finder in finders:
        finder.add_many(X, y)
    assert finders[0].best() == finders[1].best()
    with (folder / "points.svm").open("wb") as file:
        write_svmlight(file, X, y)
    result = prequential(StreamingTreeClassifier(), read(folder / "points.svm"))
    assert result.n == len(y)
    mixed = StreamingTreeClassifier()
    for i in range(300):
        mixed.learn_one({"age": i % 60, "country": ("fi", "se")[i % 2], "member": i % 3 == 0}, ("no", "yes")[i % 2])
    assert mixed.predict_one({"country": "se"}) == "yes"


def try_the_commands(folder: Path) -> None:
    """Train and predict by the command."""
    sapwood_command = Path(sys.executable).with_name("sapwood" + (".exe" if sys.platform == "win32" else ""))
    points, model = folder / "points.svm", folder / "command.sapwood"
    calls: list[list[str | Path]] = [
        ["train", points, "--model", model],
        ["predict", points, "--model", model],
        ["inspect", model],
    ]
    for arguments in calls:
        done = subprocess.run([sapwood_command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def main() -> None:
    """Try all of it."""
    where = Path(sapwood.__file__).parent
    assert "site-packages" in str(where), f"sapwood must be the one that is installed, got {where}"
    with tempfile.TemporaryDirectory() as folder:
        try_the_library(Path(folder))
        if "--with-commands" in sys.argv:
            try_the_commands(Path(folder))
    print(f"sapwood {version('sapwood')} works with Python {sys.version.split()[0]} in {where}")


if __name__ == "__main__":
    main()
