"""What `sapwood train` starts from: nothing, a model that goes on, or a run that was interrupted."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from sapwood.cli.groups import given_options
from sapwood.cli.models import opened_model
from sapwood.cli.readers import are_tables
from sapwood.parameters import MAY_CHANGE, PARAMETERS

if TYPE_CHECKING:
    from pathlib import Path

    from sapwood.checkpoint import Checkpoint
    from sapwood.cli.learners import LearnerOptions
    from sapwood.stream import Encoding

__all__ = ["begun"]

_OPTIONS = {each.name: each.option for each in PARAMETERS if each.option}


def begun(learner: LearnerOptions, wanted: Encoding, start_from: Path | None, to_resume: Path | None) -> Checkpoint:
    """Return the state to learn from, for the options of the user.

    `start_from` is a model that goes on with new points, `to_resume` one whose stream is continued. Raises ValueError
    if an option is not that of the model.
    """
    from sapwood.checkpoint import Checkpoint

    state = Checkpoint(learner.make(wanted), wanted) if start_from is None else _continued(start_from, learner, wanted)
    return state if to_resume is None else _resumed(to_resume, state)


def _continued(path: Path, options: LearnerOptions, wanted: Encoding) -> Checkpoint:
    """Return a model at the beginning of a new stream, which is read as that of the model was."""
    from sapwood.checkpoint import Checkpoint

    learner, about = opened_model(path)
    given = given_options()
    options.check_same(learner, path, given)
    options.change(learner, given)
    if about is None:
        # An estimator has saved it, which has read matrices.
        reading = learner.reading
        return Checkpoint(learner, replace(wanted, binarize=reading.binarize, sparse_numbers=reading.sparse_numbers))
    saved = about.encoding
    for name, value in asdict(saved).items():
        option = "no_header" if name == "header" else name
        here = getattr(wanted, name)
        is_part = name in {"types", "ignore"} and set(here) <= set(value)
        if option in given and name != "format" and here != value and not is_part:
            raise ValueError(f"--{option.replace('_', '-')} must be left out or {value!r}, as of {path}, got {here!r}")
    if are_tables(wanted.format, saved.format) and wanted.format != saved.format:
        # The same columns, whatever they are written in.
        saved = replace(saved, format=wanted.format, delimiter=None, header=True)
    return Checkpoint(learner, saved)


def _resumed(path: Path, wanted: Checkpoint) -> Checkpoint:
    """Return the state to continue from. Its learner and its encoding must be the same."""
    from sapwood.checkpoint import Checkpoint

    saved = Checkpoint.load(path)
    if saved.learner.kind is not wanted.learner.kind:
        raise ValueError(f"--learner must be that of {path}, a {saved.learner.kind.name}, to resume it")
    encoding = wanted.encoding
    if set(encoding.types) <= set(saved.encoding.types):
        # The others were settled by the first rows.
        encoding = replace(encoding, types=saved.encoding.types)
    pairs = [
        (saved.learner.parameters, wanted.learner.parameters),
        (asdict(saved.encoding), asdict(encoding)),
    ]
    for there, here in pairs:
        for name, value in there.items():
            # The format is known once the stream is open, and the label once its columns are.
            if (
                here[name] != value
                and name not in MAY_CHANGE
                and not (name in {"format", "label"} and here[name] is None)
            ):
                option = "--" + _OPTIONS.get(name, name).replace("_", "-")
                raise ValueError(f"{option} must be {value!r}, as of {path}, to resume it, got {here[name]!r}")
    for name in MAY_CHANGE:
        if name in saved.learner.parameters:
            saved.learner.parameters[name] = wanted.learner.parameters[name]
    return saved
