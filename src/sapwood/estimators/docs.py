"""The sections of an estimator's docstring that are the same in every class, or written from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sapwood.parameters import described

if TYPE_CHECKING:
    from sapwood.parameters import TreeKind

__all__ = ["completed"]

_PARAMETERS = "    parameters\n        The table of `sapwood.parameters`, which is written here when the class is made."
_ATTRIBUTES = "    attributes\n        Those of every tree classifier, which are written here when the class is made."

_OF_EVERY_TREE = """\
    classes_ : ndarray of shape (n_classes,)
        The classes: sorted if they can be compared, otherwise in the order of appearance. ``learn_one`` may add
        classes.
    n_features_in_ : int
        The number of columns of the matrices, if the model has seen one.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if those of the first matrix were all text. They name the features.
    features_seen_ : list
        The features that were on in a point, and the numbers, in the order of appearance.
    feature_importances_ : ndarray of shape (n_features_in_,)
        The share of each feature in the impurity that the splits removed. Only splits count, not the models of the
        leaves; for those see ``top_features``.
    n_points_ : int
        The number of points learned, counted with their weights, of which fractions are rounded at random."""


def completed(doc: str, kind: TreeKind) -> str:
    """Return the docstring of a class with the sections Parameters and Attributes filled in, where it asks for it."""
    return doc.replace(_PARAMETERS, described(kind.parameters)).replace(_ATTRIBUTES, _OF_EVERY_TREE)
