"""Models that commands read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.exceptions import ModelFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from sapwood._tree_classifier import StreamingTreeClassifier
    from sapwood.checkpoint import Checkpoint

__all__ = ["opened_model"]


def opened_model(path: Path) -> Checkpoint | StreamingTreeClassifier:
    """Return what a file holds: a model with its stream, as train saves it, or one that was saved from Python.

    Raises ModelFormatError, which names the file, if it holds neither.
    """
    from sapwood import _model_file, load_model
    from sapwood.checkpoint import Checkpoint

    try:
        if "stream" in _model_file.unpack(path.read_bytes()):
            return Checkpoint.load(path)
        return load_model(path)
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: this must be a model of sapwood: {error}") from None
