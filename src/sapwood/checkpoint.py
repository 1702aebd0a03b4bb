"""A model and its position in the stream, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.exceptions import ModelFormatError
from sapwood.learner import TreeLearner
from sapwood.model_files import tree_file
from sapwood.model_files.files import write_atomically
from sapwood.model_files.sections import parts, unpack
from sapwood.model_files.stream_note import StreamNote
from sapwood.stream import Encoding

if TYPE_CHECKING:
    from os import PathLike

    from sapwood.data import Batch
    from sapwood.estimators import TreeClassifier

__all__ = ["Checkpoint", "Encoding"]


class Checkpoint:
    """A model that learns a stream and can continue, after a crash, from where it was last saved.

    Its file is that of the model with one more section, so `sapwood.load_model` reads it too.

    Parameters
    ----------
    model : tree classifier, or TreeLearner
        The model.
    encoding : Encoding
        How the stream is read.
    points : int
        The number of points of the stream that have been learned, from which reading continues.
    """

    def __init__(self, model: TreeClassifier | TreeLearner, encoding: Encoding, points: int = 0) -> None:
        self._model = None if isinstance(model, TreeLearner) else model
        self.learner = model if isinstance(model, TreeLearner) else model.learner
        self.encoding = encoding
        self.points = points

    @property
    def model(self) -> TreeClassifier:
        """The model as a scikit-learn estimator, which is imported only here."""
        if self._model is None:
            from sapwood.trees import classifier_of

            self._model = classifier_of(self.learner)
        return self._model

    def learn(self, batch: Batch) -> None:
        """Learn the next batch of the stream. An error changes nothing."""
        self.learner.learn(batch)
        self.points += len(batch)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, replacing it as a whole: at any time, even after a crash, the old or the new file is there.

        Equal points in equal order, with equal parameters and encoding, give equal bytes.
        """
        learner = self.learner
        with learner.lock:
            sections = tree_file.sections_of(learner.kind, learner.parameters, learner.fitted())
        sections["stream"] = StreamNote(self.points, self.encoding).to_bytes()
        write_atomically(path, parts(sections))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Checkpoint:
        """Return the checkpoint that `save` wrote. It continues exactly as the original would have.

        Raises
        ------
        ModelFormatError
            If the file is no model, or has no position in a stream, as a model that an estimator saved.
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
            raise ModelFormatError("Checkpoint.load: the model must have a position in a stream, got one without")
        about = StreamNote.from_bytes(note)
        return cls(learner, about.encoding, about.points)
