"""A model together with how far it has read its stream, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.exceptions import ModelFormatError
from sapwood.learner import TreeLearner
from sapwood.model_files import tree_file
from sapwood.model_files.files import write_atomically
from sapwood.model_files.sections import pack, unpack
from sapwood.model_files.stream_note import StreamNote
from sapwood.stream import Encoding

if TYPE_CHECKING:
    from os import PathLike

    from sapwood.data import Batch
    from sapwood.estimators import StreamingTreeClassifier

__all__ = ["Checkpoint", "Encoding"]


class Checkpoint:
    """A model that learns a stream, and can go on after a crash where it was last saved.

    Its file is that of the model, with a section more: `sapwood.load_model` reads it too.

    Parameters
    ----------
    model : tree classifier, or TreeLearner
        What learns.
    encoding : Encoding
        How the stream is read.
    points : int
        The points of the stream that have been learned: where to start reading it again.
    """

    def __init__(self, model: StreamingTreeClassifier | TreeLearner, encoding: Encoding, points: int = 0) -> None:
        self._model = None if isinstance(model, TreeLearner) else model
        self.learner = model if isinstance(model, TreeLearner) else model.learner
        self.encoding = encoding
        self.points = points

    @property
    def model(self) -> StreamingTreeClassifier:
        """The model as an estimator of scikit-learn's; it is needed for nothing else here."""
        if self._model is None:
            from sapwood.trees import classifier_of

            self._model = classifier_of(self.learner)
        return self._model

    def learn(self, batch: Batch) -> None:
        """Learn the next batch of the stream. An error changes nothing."""
        self.learner.learn(batch)
        self.points += len(batch)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file; at any moment, also after a crash, the one before it or this one is there whole.

        The bytes are a function of the points learned, their order, the parameters and the encoding.
        """
        learner = self.learner
        with learner.lock:
            sections = unpack(tree_file.to_bytes(learner.kind, learner.parameters, learner.fitted()))
        sections["stream"] = StreamNote(self.points, self.encoding).to_bytes()
        write_atomically(path, pack(sections))

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
        try:
            learner = tree_file.from_bytes(data)
        except ModelFormatError as error:
            raise ModelFormatError(f"Checkpoint.load: {error}") from None
        note = unpack(data).get("stream")
        if note is None:
            raise ModelFormatError("Checkpoint.load: the model must say how far it has read a stream, got one without")
        about = StreamNote.from_bytes(note)
        return cls(learner, about.encoding, about.points)
