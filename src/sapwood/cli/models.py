"""Models that commands read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from sapwood.learner import TreeLearner
    from sapwood.model_files.stream_note import StreamNote

__all__ = ["opened_model"]


def opened_model(path: Path) -> tuple[TreeLearner, StreamNote | None]:
    """Return what a file holds: a model, and what it says of its stream, as train saves it; None if it says nothing.

    Raises ModelFormatError, which names the file, if it holds none.
    """
    from sapwood.model_files import tree_file
    from sapwood.model_files.sections import unpack
    from sapwood.model_files.stream_note import StreamNote

    if path.is_fifo():
        # Nobody may ever write to it.
        raise ValueError(f"{path}: the model must be a file, got a pipe")
    try:
        data = path.read_bytes()
        note = unpack(data).get("stream")
        return tree_file.from_bytes(data), None if note is None else StreamNote.from_bytes(note)
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: the file must be a sapwood model: {error}") from None
