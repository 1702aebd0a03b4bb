"""`sapwood inspect`: the summary, top features, rules and tree of a saved model."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.groups import command
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions, check_place, note

if TYPE_CHECKING:
    from sapwood.inspect import TreeView

__all__ = ["inspect"]

_NAME_WIDTH = 48


@command
def inspect(
    *,
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A saved model.")],
    depth: Annotated[int | None, typer.Option(min=0, help="Show the tests above this depth. [default: all]")] = None,
    top: Annotated[int, typer.Option(min=0, help="The number of features and rules to show.")] = 10,
    tree: Annotated[int, typer.Option(min=0, help="The number of the tree to show, of a forest.")] = 0,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="PICTURE", help="Draw the tree into this file: .svg, .png or .pdf, by its extension."),
    ] = None,
    output: OutputOptions,
) -> None:
    """Show a model: its summary, its top features, its rules and its tree.

    The top features of a class are those that add most to its log-odds in the models of the leaves. The best features
    of the splits are those that removed most of the impurity. A rule describes a leaf: the features that a point must
    have and lack to reach it, and the classes of the points that did. The rules that most points have met are shown.
    The tree is read from the top: a point goes to the first line whose condition it meets. With --quiet only the tree
    is printed. Of a forest one tree is shown, and the top features are those of all.

    Try:
      sapwood inspect spam.sapwood
      sapwood inspect spam.sapwood --depth 5 --top 20 --picture tree.svg
      sapwood inspect spam.sapwood --json | jq .best_features
    """
    from sapwood.cli.rules import rules_of
    from sapwood.evaluate.evaluation import plain
    from sapwood.inspect import export_text, to_dict
    from sapwood.inspect.names import one_line, shortened
    from sapwood.stream import Encoding

    if picture is not None:
        _check_picture(picture)
    learner, about = opened_model(model)
    shown = learner.member(tree)
    view = shown.view()
    is_forest = shown is not learner
    of_tree = f" of tree {tree}" if is_forest else ""
    best = _best_features(view, top)
    told = learner.top_features(top) if top > 0 and learner.has_feature_weights else {}
    text = export_text(view, max_depth=depth)
    if output.quiet and not output.json:
        typer.echo(text, nl=False)
        if picture is not None:
            _draw(view, picture, depth)
        return
    rules = rules_of(view, top)
    summary = learner.summary()
    # By name, as scikit-learn lists them.
    parameters = dict(sorted(learner.parameters.items()))
    parts = [
        f"{learner.kind.name} in {model}",
        _table(summary.told()),
        "Parameters\n" + _indented(_table(parameters)),
    ]
    if about is not None:
        usual = asdict(Encoding())
        stream = {name: value for name, value in asdict(about.encoding).items() if value != usual[name]}
        parts.append("Stream\n" + _indented(_table({"points": about.points, **stream})))
    if any(told.values()):
        rows = [
            (
                one_line(str(label)),
                ", ".join(f"{shortened(name, _NAME_WIDTH)} {weight:+.2f}" for name, weight in features),
            )
            for label, features in told.items()
        ]
        parts.append("Top features of each class, by what they add to its log-odds\n" + _columns(rows))
    if best:
        shares = [(shortened(name, _NAME_WIDTH), f"{share:6.1%}") for name, share in best]
        parts.append(
            f"Best features of the splits{of_tree}, by their share of the impurity removed\n" + _columns(shares)
        )
    if rules:
        parts.append(
            f"Rules{of_tree}, by the points that met them\n"
            + _columns([(*rule.conclusion(), rule.condition()) for rule in rules])
        )
    title = f"Tree {tree} of 0 to {learner.parameters['n_estimators'] - 1:,}" if is_forest else "Tree"
    parts.append(f"{title}\n" + text.rstrip("\n"))
    if any(node.model == "trunk" for node in view.nodes):
        parts.append("(trunk: the leaf answers by the logistic regression of the whole stream, which all leaves share)")
    output.result(
        "\n\n".join(parts),
        {
            "model": str(model),
            "class": learner.kind.name,
            "summary": asdict(summary),
            "parameters": parameters,
            "stream": None if about is None else {"points": about.points, **asdict(about.encoding)},
            "top_features": [
                {"class": plain(label), "features": [{"feature": name, "weight": w} for name, w in features]}
                for label, features in told.items()
            ],
            "best_features": [{"feature": name, "share": share} for name, share in best],
            "rules": [{**asdict(rule), "label": plain(rule.label)} for rule in rules],
            **({"tree_number": tree} if is_forest else {}),
            "tree": to_dict(view),
        },
    )
    # Last, for it takes longest, and a signal breaks it off.
    if picture is not None:
        _draw(view, picture, depth)
        note(f"Picture: {picture}", quiet=output.quiet)


_PICTURES = (".svg", ".png", ".pdf")


def _check_picture(path: Path) -> None:
    if path.suffix.lower() not in _PICTURES:
        raise ValueError(f"--picture must end in {', '.join(_PICTURES[:-1])} or {_PICTURES[-1]}, got {path.name!r}")
    check_place(path)


def _draw(view: TreeView, path: Path, depth: int | None) -> None:
    from sapwood.inspect import plot
    from sapwood.inspect.boxes import DEPTH
    from sapwood.model_files.files import write_atomically

    figure = plot(view, max_depth=DEPTH if depth is None else depth).get_figure(root=True)
    assert figure is not None
    # All of it or nothing, as on a disk that is full.
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:].lower())
    write_atomically(path, drawn.getvalue())


def _best_features(view: TreeView, most: int) -> list[tuple[str, float]]:
    """Return the features whose tests removed most impurity, with their shares."""
    taken: Counter[str] = Counter()
    for node in view.nodes:
        if node.feature is not None and node.gain is not None and node.split_after is not None:
            taken[node.feature] += node.split_after * node.gain  # type: ignore[assignment]  # floats
    total = taken.total()
    return [(name, amount / total) for name, amount in taken.most_common(most)] if total > 0 else []


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _table(values: dict[str, Any]) -> str:
    width = max(map(len, values))
    return "\n".join(f"{name:<{width}}  {_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if not isinstance(value, tuple):
        return str(value)
    # The types of columns are pairs: a name, and what it holds.
    return ", ".join("=".join(each) if isinstance(each, tuple) else str(each) for each in value)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
