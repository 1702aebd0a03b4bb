"""The methods by which a classifier shows its tree."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from sapwood.inspect.boxes import DEPTH
from sapwood.inspect.export import to_dataframe, to_dict
from sapwood.inspect.graph import draw, to_dot
from sapwood.inspect.picture import plot
from sapwood.inspect.text import export_text

if TYPE_CHECKING:
    import graphviz
    import pandas as pd
    from matplotlib.axes import Axes

    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.view import TreeView

__all__ = ["Inspectable"]


class Inspectable:
    """Shows a tree in every way there is, from the view of it and the explanation of a point.

    In each, `feature_names` says what features are called: a sequence names the columns, as ``get_feature_names_out``
    of a vectoriser returns it, a mapping or a function what they are called in the model. Without it a feature is shown
    as it is called in the model, and a column without a name as ``x[12]``.
    """

    __slots__ = ()

    @abstractmethod
    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        """Return the tree as it is now; raise NotFittedError before there is one.

        `owner` is the method whose parameter `feature_names` is.
        """

    @abstractmethod
    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        """Return why a point is predicted as it is; raise NotFittedError before there is a tree."""

    def export_text(
        self,
        *,
        feature_names: FeatureNames = None,
        max_depth: int | None = None,
        decimals: int = 3,
        show_counts: bool = True,
        show_gain: bool = True,
        show_model: bool = True,
    ) -> str:
        """Return the tree as rules to be read from the top: the first that a point meets is where it goes.

        A line tells where a leaf is, its most frequent class, the share of that and the points that it is of, then the
        points of each class, the model that answers there, and the gain of the test, how far ahead of the second best
        it was and after how many points of the stream it was made. A chain is a flat list, however long.

        Parameters
        ----------
        feature_names : sequence, mapping, function or None, default=None
            What features are called.
        max_depth : int or None, default=None
            Show the tests above this depth; an inner node there is shown as if it were a leaf, with the points that its
            split was chosen for.
        decimals : int, default=3
            Digits of shares, gains and margins.
        show_counts, show_gain, show_model : bool, default=True
            Whether to show these columns.
        """
        return export_text(
            self._view(feature_names, "export_text"),
            max_depth=max_depth,
            decimals=decimals,
            show_counts=show_counts,
            show_gain=show_gain,
            show_model=show_model,
        )

    def to_dict(self, *, feature_names: FeatureNames = None) -> dict[str, Any]:
        """Return the tree in plain types that json.dumps takes: a flat list of nodes, however deep the tree.

        A node's ``id`` is its place in the list, by which ``parent``, ``off`` and ``on`` refer to it.
        """
        return to_dict(self._view(feature_names, "to_dict"))

    def to_dataframe(self, *, feature_names: FeatureNames = None) -> pd.DataFrame:
        """Return the tree as a table of pandas, a row a node. Needs pandas, which the extra ``pandas`` installs."""
        return to_dataframe(self._view(feature_names, "to_dataframe"))

    def to_dot(self, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH) -> str:
        """Return the tree in the language of graphviz; nodes at `max_depth` (None: no limit) stand for all below."""
        return to_dot(self._view(feature_names, "to_dot"), max_depth=max_depth)

    def draw(self, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH) -> graphviz.Source:
        """Return the tree as a graph that a notebook shows, and whose ``render`` writes a file.

        Needs the package graphviz, which the extra ``draw`` installs, and to show or write it the program ``dot``.
        """
        return draw(self._view(feature_names, "draw"), max_depth=max_depth)

    def plot(
        self, ax: Axes | None = None, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH
    ) -> Axes:
        """Draw the tree with matplotlib, and return the axes; ``plot().figure.savefig(path)`` saves the picture.

        Of the two sides of a test the one with fewer nodes stands to the right, the other below: a chain is a column.
        Needs matplotlib, which the extra ``plot`` installs.
        """
        return plot(self._view(feature_names, "plot"), ax, max_depth=max_depth)

    def explain_one(self, x: Any, *, feature_names: FeatureNames = None) -> Explanation:
        """Return why a point is predicted as it is; print it to read it.

        Parameters
        ----------
        x : dict, other mapping, iterable of active features, or sparse matrix of one row
            The point. Features that the model has never met say nothing, and are not mentioned.
        feature_names : sequence, mapping, function or None, default=None
            What features are called.
        """
        return self._explain(x, feature_names)
