"""All that a user sees of a model that learns, is saved and loaded, and goes on learning."""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from golden.choices import IN_BYTES
from golden.digest import digest
from golden.points import matrix
from sapwood import load_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from golden.case import Fields


@dataclass(frozen=True)
class Asked:
    """What a model is asked: a matrix, or None, and single points, with the classes of these."""

    X: Any
    points: Sequence[Any]
    classes: Sequence[Any]


def looked_at(model: Any, asked: Asked) -> Fields:
    """Return all that a user sees of a model, memory apart."""
    summary = {name: value for name, value in asdict(model.summary()).items() if name not in IN_BYTES}
    paused = summary.pop("n_paused")
    ones = [model.predict_one(x) for x in asked.points]
    right = sum(a == b for a, b in zip(ones, asked.classes, strict=True))
    fields: Fields = {
        "accuracy": f"{right / max(len(ones), 1):.4f}",
        "summary": ", ".join(f"{value} {short(name)}" for name, value in summary.items()),
        "tree": digest(model.to_dict()),
        "text": digest(model.export_text() + model.export_text(max_depth=2, decimals=6) + model.to_dot(max_depth=None)),
        "explain": digest([explained(model.explain_one(x)) for x in asked.points[-6:]]),
        "one": digest([ones, [list(model.predict_proba_one(x).items()) for x in asked.points]]),
    }
    if model.max_bytes is not None:
        fields["paused"] = paused
    if hasattr(model, "classes_"):
        seen = [model.classes_, model.features_seen_, model.n_points_, model.get_depth(), model.get_n_leaves()]
        fields["importances"] = digest([model.feature_importances_, *seen])
    if asked.X is not None:
        path = model.decision_path(asked.X)
        fields["predict"] = digest(model.predict(asked.X))
        fields["proba"] = digest(np.ascontiguousarray(model.predict_proba(asked.X), dtype=np.float64).tobytes())
        fields["paths"] = digest([model.apply(asked.X), path.indptr, path.indices, list(path.shape)])
    return fields


def short(name: str) -> str:
    """Return the last word of a name, or the one before it where that says more."""
    return name.removeprefix("n_").removeprefix("splits_").removeprefix("nodes_").removesuffix("_seen")


def explained(explanation: Any) -> list[Any]:
    """Return an explanation: its parts, the sums of these, and its text."""
    return [explanation, explanation.scores, explanation.log_odds(), explanation.contributions(), str(explanation)]


THEN = ("summary", "paused", "tree", "explain", "one", "proba")
KEPT = ("it is the same", "it is saved as the same bytes", "it goes on the same")


def grown(model: Any, first: Callable[[Any], Any], then: Callable[[Any], Any], asked: Asked) -> Fields:
    """Return the fields of a model that learns, is saved and loaded, and goes on learning, loaded and not.

    `kept` tells whether all of `KEPT` is true of the loaded model. It must be, save that with a limit of memory it may
    go on otherwise: what it has room for depends on how the memory came about.
    """
    first(model)
    fields = looked_at(model, asked)
    loaded, same_bytes = saved_and_loaded(model)
    same = looked_at(loaded, asked) == fields
    then(model)
    then(loaded)
    after = looked_at(model, asked)
    fields["then"] = {name: after[name] for name in THEN if name in after}
    after_loaded = looked_at(loaded, asked)
    lost = [name for name, kept in zip(KEPT, (same, same_bytes, after_loaded == after), strict=True) if not kept]
    fields["kept"] = "all" if not lost else f"not: {', '.join(lost)}"
    if after_loaded != after:
        fields["then_loaded"] = {name: after_loaded[name] for name in THEN if name in after_loaded}
    return fields


def saved_and_loaded(model: Any) -> tuple[Any, bool]:
    """Return a model that was saved and loaded, and whether it is saved again as the same bytes."""
    if not hasattr(model, "to_bytes"):
        return pickle.loads(pickle.dumps(model)), True
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder) / "model", Path(folder) / "again"
        model.save(path)
        loaded = type(model).load(path)
        assert type(load_model(path)) is type(model)
        loaded.save(again)
        same = path.read_bytes() == again.read_bytes() == loaded.to_bytes()
    return loaded, same


def from_matrices(
    model: Any,
    stream: Sequence[tuple[Sequence[int], int]],
    cut: int,
    *,
    classes: Sequence[int] | None = None,
    weights: Sequence[int] | None = None,
) -> Fields:
    """Let a model learn a stream by `partial_fit`, in two parts, and ask it about every third point."""
    X, y = matrix(stream)
    declared = sorted({label for _, label in stream}) if classes is None else classes
    w = None if weights is None else np.array(weights)

    def learn(start: int, end: int) -> Callable[[Any], Any]:
        part = slice(start, end)
        return lambda m: m.partial_fit(X[part], y[part], classes=declared, sample_weight=None if w is None else w[part])

    asked = Asked(X[::3], [list(features) for features, _ in stream[::29]], [label for _, label in stream[::29]])
    return grown(model, learn(0, cut), learn(cut, len(stream)), asked)


def from_points(
    model: Any, stream: Sequence[tuple[Any, Any]], cut: int, weights: Sequence[int] | None = None, X: Any = None
) -> Fields:
    """Let a model learn a stream by `learn_one`, in two parts, and ask it about some of the points."""

    def learn(start: int, end: int) -> Callable[[Any], Any]:
        def each(m: Any) -> None:
            for i in range(start, end):
                x, y = stream[i]
                m.learn_one(x, y, w=1 if weights is None else weights[i])

        return each

    asked = Asked(X, [x for x, _ in stream[::11]], [y for _, y in stream[::11]])
    return grown(model, learn(0, cut), learn(cut, len(stream)), asked)
