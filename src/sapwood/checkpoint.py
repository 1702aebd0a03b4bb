"""A model together with how far it has read its stream, in one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sapwood.trees  # noqa: F401 - a file may hold a model of any of its classes
from sapwood import _model_file
from sapwood._batches import learn_batch
from sapwood._encoding import Encoding, StreamNote
from sapwood._tree_classifier import StreamingTreeClassifier
from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    from os import PathLike

    from sapwood.stream import Batch

__all__ = ["Checkpoint", "Encoding"]


@dataclass
class Checkpoint:
    """A model that learns a stream, and can go on after a crash where it was last saved.

    Its file is that of the model, with a section more: `sapwood.load_model` reads it too.
    """

    model: StreamingTreeClassifier
    encoding: Encoding
    """How the stream is read."""
    points: int = 0
    """The points of the stream that have been learned: where to start reading it again."""

    def learn(self, batch: Batch) -> None:
        """Learn the next batch of the stream. An error changes nothing."""
        learn_batch(self.model, batch)
        self.points += len(batch)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file; at any moment, also after a crash, the one before it or this one is there whole.

        The bytes are a function of the points learned, their order, the parameters and the encoding.
        """
        sections = _model_file.unpack(self.model.to_bytes())
        sections["stream"] = StreamNote(self.points, self.encoding).to_bytes()
        _model_file.write_atomically(path, _model_file.pack(sections))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Checkpoint:
        """Return what `save` wrote. It goes on exactly as that would have.

        Raises
        ------
        ModelFormatError
            If the file is no model, or does not say how far it has read a stream, as one saved from Python does not.
        OSError
            If the file cannot be read.
        """
        data = Path(path).read_bytes()
        model = StreamingTreeClassifier.from_bytes(data)
        note = _model_file.unpack(data).get("stream")
        if note is None:
            raise ModelFormatError("Checkpoint.load: the model must say how far it has read a stream, got one without")
        about = StreamNote.from_bytes(note)
        return cls(model, about.encoding, about.points)
