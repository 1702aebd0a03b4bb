"""What `sapwood predict` prints of each point."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sapwood.cli.line_account import Line
from sapwood.cli.readers import TABLES

if TYPE_CHECKING:
    import numpy as np

    from sapwood.data import Batch
    from sapwood.learner import TreeLearner
    from sapwood.stream import Encoding, Reader

__all__ = ["AnswerLines", "AnswerOptions", "names_of_classes"]


@dataclass
class AnswerOptions:
    """What is printed of a point beside its class, and how that is chosen."""

    proba: Annotated[
        bool,
        typer.Option(
            "--proba", help="Also print the probability of every class, in tab-separated columns with a header."
        ),
    ] = False
    top: Annotated[
        int | None,
        typer.Option(min=1, help="Print the N most probable classes with their probabilities, likewise."),
    ] = None
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS=P",
            help="Predict this class where its probability is at least P, and nowhere else. P alone is for the second "
            "of two classes.",
        ),
    ] = None
    id_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Tables: print this column or field first, separated by a tab."),
    ] = None

    @property
    def needs_shares(self) -> bool:
        """Whether probabilities are asked for."""
        return self.proba or self.top is not None or self.threshold is not None

    def with_id(self, encoding: Encoding) -> Encoding:
        """Return how points are read: with the column of the id as well."""
        name = self.id_column
        if (
            name is None
            or name in dict(encoding.types)
            or (encoding.format is not None and encoding.format not in TABLES)
        ):
            return encoding
        ignore = tuple(each for each in encoding.ignore if each != name)
        types = encoding.types if encoding.format == "jsonl" else (*encoding.types, (name, "category"))
        return replace(encoding, ignore=ignore, types=types)

    def check_format(self, reader: Reader) -> None:
        """Raise ValueError if an option does not apply to the format of a stream."""
        if self.id_column is not None and reader.format not in TABLES:
            raise ValueError(f"--id-column must be left out for {reader.name}, which is {reader.format}: it has none")

    def check_columns(self, reader: Reader) -> None:
        """Raise StreamError if a table has no column with the ids. Of JSON lines any may lack a field."""
        from sapwood.stream import StreamError

        name, table = self.id_column, reader.table
        if name is None or table is None or reader.format == "jsonl":
            return
        columns = [column.name for column in table.columns]
        if name not in columns:
            raise StreamError(
                reader.name, f"a column {name!r}, which --id-column names", f"the columns {', '.join(columns)}"
            )


def names_of_classes(classes: Sequence[Any]) -> list[str]:
    """Return the names of classes: as they are, but for classes that would be one then, such as 1 and "1"."""
    names = [str(label) for label in classes]
    return names if len(set(names)) == len(names) else [repr(label) for label in classes]


class AnswerLines:
    """Makes the lines of output. Raises ValueError if the options do not go together, or with the classes."""

    def __init__(self, options: AnswerOptions, classes: list[Any], *, as_json: bool) -> None:
        if options.proba and options.top is not None:
            raise ValueError("--top must be left out with --proba, which prints all classes")
        self._options = options
        self._classes = classes
        self._as_json = as_json
        self._names = names_of_classes(classes)
        self._n_top = 0 if options.top is None else min(options.top, len(classes))
        self._threshold = None if options.threshold is None else self._as_threshold(options.threshold)

    def _as_threshold(self, text: str) -> tuple[int, float]:
        name, equals, number = text.rpartition("=")
        try:
            least = float(number)
        except ValueError:
            least = -1.0
        if not 0 <= least <= 1 or (bool(equals) and not name):
            raise ValueError(f"--threshold must be CLASS=P with P from 0 to 1, got {text!r}")
        if not equals:
            if len(self._classes) != 2:  # noqa: PLR2004 - the one that is not the other
                raise ValueError(f"--threshold must name its class, CLASS=P, one of {', '.join(self._names)}")
            return 1, least
        if name not in self._names:
            raise ValueError(f"--threshold must name one of the classes {', '.join(self._names)}, got {name!r}")
        return self._names.index(name), least

    def header(self) -> str:
        """Return the line before the first answer; nothing where each line is a class alone, or JSON."""
        cells = ["label"]
        if self._options.proba:
            cells += [_text(name) for name in self._names]
        elif self._n_top:
            cells = [cell for i in range(1, self._n_top + 1) for cell in (f"label {i}", f"probability {i}")]
        if self._options.id_column is not None:
            cells.insert(0, _text(self._options.id_column))
        return "" if self._as_json or len(cells) == 1 else "\t".join(cells) + "\n"

    def chosen(self, found: list[Any], shares: np.ndarray[Any, Any] | None) -> list[Any]:
        """Return the class of each point: the most probable one, or as the threshold says."""
        if self._threshold is None or shares is None:
            return found
        place, least = self._threshold
        others = shares.copy()
        others[:, place] = -1
        best = others.argmax(axis=1)
        return [
            self._classes[place] if share >= least or len(self._classes) == 1 else self._classes[other]
            for share, other in zip(shares[:, place].tolist(), best.tolist(), strict=True)
        ]

    def of_points(self, batch: Batch, found: list[Any], shares: np.ndarray[Any, Any] | None) -> Iterator[str]:
        """Yield the line of each point."""
        ids = self._ids(batch)
        rows = [None] * len(found) if shares is None else shares.tolist()
        for answer, row, of in zip(self.chosen(found, shares), rows, ids, strict=True):
            yield self._line(answer, row, of)

    def of_blank(self, learner: TreeLearner) -> str:
        """Return the line of a point of which nothing is known."""
        import numpy as np

        from sapwood.data import Batch
        from sapwood.data.batch import unlabelled

        batch = Batch(
            y=unlabelled(1), indptr=np.zeros(2, np.int64), indices=None, keys=[], n_features=None, first_line=0
        )
        shares = learner.predict_proba(batch) if self._options.needs_shares else None
        return next(self.of_points(batch, learner.predict(batch).tolist(), shares))

    def between(self, lines: Iterator[Line], answers: Iterator[str], blank: str) -> str:
        """Return the answers with the lines of those lines of input between them that are no points."""
        none = '{"label": null}\n' if self._as_json else "\n"
        of = {Line.BLANK: blank, Line.COMMENT: none, Line.BAD: none}
        return "".join(next(answers) if line is Line.POINT else of[line] for line in lines)

    def _ids(self, batch: Batch) -> list[Any]:
        name = self._options.id_column
        if name is None:
            return [None] * len(batch)
        return [_plain(point.get(name, "")) if isinstance(point, dict) else "" for point, _ in batch.points()]

    def _line(self, answer: Any, row: list[float] | None, of: Any) -> str:
        from sapwood.evaluate.evaluation import plain

        options = self._options
        ranked = []
        if self._n_top and row is not None:
            # Of equal ones the first, as in predict.
            places = sorted(range(len(row)), key=lambda place: -row[place])[: self._n_top]
            ranked = [(self._classes[place], row[place]) for place in places]
        if self._as_json:
            found: dict[str, Any] = {"label": plain(answer)}
            if options.id_column is not None:
                found = {"id": of, **found}
            if options.proba and row is not None:
                found["proba"] = dict(zip(self._names, row, strict=True))
            if ranked:
                found["top"] = [{"label": plain(label), "proba": share} for label, share in ranked]
            return json.dumps(found, ensure_ascii=False) + "\n"
        cells = [_text(answer)]
        if options.proba and row is not None:
            cells += [f"{share:.6g}" for share in row]
        elif ranked:
            cells = [cell for label, share in ranked for cell in (_text(label), f"{share:.6g}")]
        if options.id_column is not None:
            cells.insert(0, _text(of))
        return "\t".join(cells) + "\n"


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _text(label: object) -> str:
    # A class that was read from JSON may be any text: a line is a point whatever it holds.
    return " ".join(str(label).splitlines()) if isinstance(label, str) else str(label)
