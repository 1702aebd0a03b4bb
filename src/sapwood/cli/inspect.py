"""`sapwood inspect`: what a saved model is, its tree and its best features."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.groups import command
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions

if TYPE_CHECKING:
    from sapwood._tree_classifier import StreamingTreeClassifier

__all__ = ["inspect"]

_NAME_WIDTH = 48


@command
def inspect(
    *,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A saved model.")],
    depth: Annotated[int | None, typer.Option(min=0, help="Show the tests above this depth. [default: all]")] = None,
    top: Annotated[int, typer.Option(min=0, help="How many of the best features to show.")] = 10,
    output: OutputOptions,
) -> None:
    """Show a model: what it is, its best features, and its tree as rules.

    The best features are those whose tests took away most of the impurity. The rules are read from the top: the first
    that a point meets is where it goes. With --quiet there are the rules only.

    Try:
      sapwood inspect spam.sapwood
      sapwood inspect spam.sapwood --depth 5 --top 20
      sapwood inspect spam.sapwood --json | jq .best_features
    """
    from sapwood.checkpoint import Checkpoint

    saved = opened_model(model)
    classifier = saved.model if isinstance(saved, Checkpoint) else saved
    best = _best_features(classifier, top)
    rules = classifier.export_text(max_depth=depth)
    if output.quiet and not output.json:
        typer.echo(rules, nl=False)
        return
    parts = [
        f"{type(classifier).__name__} in {model}",
        _table(asdict(classifier.summary())),
        "Parameters\n" + _indented(_table(classifier.get_params())),
    ]
    if isinstance(saved, Checkpoint):
        stream = {"points": saved.points, **asdict(saved.encoding)}
        parts.append("Stream\n" + _indented(_table({name: value for name, value in stream.items() if value})))
    if best:
        width = max(len(name) for name, _ in best)
        parts.append(
            "Best features, by their share in the impurity taken away\n"
            + "\n".join(f"  {name:<{width}}  {share:6.1%}" for name, share in best)
        )
    parts.append("Tree\n" + rules.rstrip("\n"))
    output.result(
        "\n\n".join(parts),
        {
            "model": str(model),
            "class": type(classifier).__name__,
            "summary": asdict(classifier.summary()),
            "parameters": classifier.get_params(),
            "stream": {"points": saved.points, **asdict(saved.encoding)} if isinstance(saved, Checkpoint) else None,
            "best_features": [{"feature": name, "share": share} for name, share in best],
            "tree": classifier.to_dict(),
        },
    )


def _best_features(classifier: StreamingTreeClassifier, most: int) -> list[tuple[str, float]]:
    """Return the features whose tests took away most impurity, with their shares."""
    from sapwood._feature_names import shortened

    taken: Counter[str] = Counter()
    for node in classifier.to_dict()["nodes"]:
        if node["feature"] is not None:
            taken[shortened(node["feature"], _NAME_WIDTH)] += node["n"] * node["gain"]
    total = taken.total()
    return [(name, amount / total) for name, amount in taken.most_common(most)] if total > 0 else []


def _table(values: dict[str, Any]) -> str:
    width = max(map(len, values))
    return "\n".join(f"{name:<{width}}  {_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
