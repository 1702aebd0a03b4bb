"""`sapwood explain`: why a saved model predicts what it predicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.answers import names_of_classes
from sapwood.cli.groups import command
from sapwood.cli.models import opened_model
from sapwood.cli.output import OutputOptions, note, write
from sapwood.cli.predict import encoding_of, format_remark, tell_missing, typed_as_known
from sapwood.cli.progress import shown
from sapwood.cli.readers import FILE, Format, OnError, reported
from sapwood.cli.signals import StopSignals, batches
from sapwood.cli.vocabulary import named
from sapwood.wording import counted

if TYPE_CHECKING:
    from sapwood.data import Batch
    from sapwood.inspect import Explanation
    from sapwood.learner import TreeLearner

__all__ = ["explain"]


@command
def explain(
    *,
    file: FILE,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A model that `train` saved.")],
    points: Annotated[int | None, typer.Option(min=1, help="Explain the first N points. [default: all]")] = None,
    tree: Annotated[int, typer.Option(min=0, help="The number of the tree to explain, of a forest.")] = 0,
    labelled: Annotated[
        bool,
        typer.Option(
            "--labelled/--unlabelled",
            help="Whether the points have classes, which are then not read as features; svmlight always has them.",
        ),
    ] = False,
    format: Annotated[  # noqa: A002 - the word for it
        Format | None, typer.Option(help="The format of the stream. [default: by extension, else as in training]")
    ] = None,
    on_error: Annotated[
        OnError, typer.Option(help="At a bad line: stop, skip it, or skip it and report it on standard error.")
    ] = OnError.stop,
    output: OutputOptions,
) -> None:
    """Print why each point of a stream is predicted as it is.

    An explanation has two sums. The share of the class in the leaf is its share among all points plus what each test on
    the way adds. The log-odds of the class are the intercept of the model of the leaf plus what each feature adds.
    Points are read as in training. With --json each line is an object. Of a forest one tree is explained, beside what
    all trees say together.

    Try:
      sapwood explain new.tsv --model spam.sapwood --points 3
      sapwood explain new.tsv --model forest.sapwood --tree 7
      echo "win a prize now" | sapwood explain - --model spam.sapwood
    """
    from sapwood.stream import Encoding

    learner, about = opened_model(model)
    explained = learner.member(tree)
    saved = Encoding() if about is None else about.encoding
    encoding = encoding_of(saved, file, format)
    reader = encoding.open(
        file, batch_size=1000, on_error=on_error.value, labelled=labelled, only_typed=typed_as_known(saved, encoding)
    )
    remark = format_remark(saved, reader.format, reader.name)
    if remark:
        note(f"Warning: {remark}.", quiet=output.quiet)
    n = 0
    with (
        reported(reader, quiet=output.quiet),
        shown("Explaining", reader, quiet=output.quiet, prints=True) as show,
        StopSignals(reader.interrupt) as signals,
    ):
        for batch in batches(reader):
            if n == 0:
                tell_missing(saved, reader, quiet=output.quiet)
            wanted = len(batch) if points is None else min(len(batch), points - n)
            told = named(batch.part(0, wanted), learner.columns, reader.name)
            together = None if explained is learner else _Together(learner, told, tree)
            for i, each in enumerate(explained.explain_batch(told)):
                n += 1
                if output.json:
                    more = {} if together is None else together.data(i)
                    write(json.dumps({**more, **_data(each)}, ensure_ascii=False) + "\n", signals)
                else:
                    headline = "" if together is None else together.headline(i)
                    write(f"{'' if n == 1 else chr(10)}Point {n:,}: {headline}{each}\n", signals)
                if signals.number is not None:  # a thousand explanations take seconds
                    break
            show(counted(n, "point"))
            if n == points:
                break
    signals.check(f"after {counted(n, 'point')}")


class _Together:
    """What all trees of a forest say of the points of a batch, of which one tree is explained."""

    def __init__(self, learner: TreeLearner, batch: Batch, tree: int) -> None:
        self._tree = tree
        self._n_trees = learner.parameters["n_estimators"]
        self._classes = learner.labels.classes.tolist()
        self._labels = learner.predict(batch).tolist() if len(batch) > 0 else []
        self._shares = learner.predict_proba(batch).tolist() if len(batch) > 0 else []

    def headline(self, i: int) -> str:
        """Return the prediction for point i of the batch in words, before that of the tree."""
        from sapwood.inspect.names import one_line

        share = self._shares[i][self._classes.index(self._labels[i])]
        trees = "its only tree" if self._n_trees == 1 else f"all {self._n_trees:,} trees"
        label = one_line(str(self._labels[i]))
        return f"{label} with probability {share:.3f}, by {trees}. Tree {self._tree} alone:\n"

    def data(self, i: int) -> dict[str, Any]:
        """Return the prediction for point i of the batch in plain types."""
        from sapwood.evaluate.evaluation import plain

        proba = dict(zip(names_of_classes(self._classes), self._shares[i], strict=True))
        return {"forest": {"label": plain(self._labels[i]), "proba": proba}, "tree": self._tree}


def _data(told: Explanation) -> dict[str, Any]:
    """Return an explanation in plain types."""
    from sapwood.evaluate.evaluation import plain

    place = told.classes.index(told.label)
    return {
        "label": plain(told.label),
        "against": plain(told.against),
        "proba": dict(zip(names_of_classes(told.classes), told.probabilities, strict=True)),
        "leaf": told.leaf,
        "points": told.n,
        "model": told.model,
        "root_share": told.root_shares[place],
        "tests": [
            {
                "feature": test.feature,
                "on": test.on,
                "condition": test.test.text(test.feature, test.on),
                "gain": test.gain,
                "adds": test.contribution(place),
            }
            for test in told.tests
        ],
        "log_odds": [{"feature": name, "adds": value} for name, value in told.contributions()],
    }
