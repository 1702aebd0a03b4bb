"""The methods by which a classifier shows its tree."""

from __future__ import annotations

from abc import abstractmethod
from html import escape
from typing import TYPE_CHECKING, Any

from sapwood.inspect.boxes import DEPTH
from sapwood.inspect.export import to_dataframe, to_dict
from sapwood.inspect.graph import draw, to_dot
from sapwood.inspect.html import piece
from sapwood.inspect.picture import plot
from sapwood.inspect.text import export_text

if TYPE_CHECKING:
    import graphviz
    import pandas as pd
    from matplotlib.axes import Axes

    from sapwood.inspect.explain import Explanation
    from sapwood.inspect.names import FeatureNames
    from sapwood.inspect.strongest_features import TopFeatures
    from sapwood.inspect.view import TreeView

__all__ = ["Inspectable"]


class Inspectable:
    """Shows a tree as text, as data and as a picture, and explains predictions.

    In each method `feature_names` names the features. A sequence names the columns, as ``get_feature_names_out`` of a
    vectoriser returns it; a mapping or a function names the features of the model. Without it a feature has its own
    name, and a column without a name is ``x[12]``.
    """

    __slots__ = ()

    @abstractmethod
    def _view(self, feature_names: FeatureNames, owner: str) -> TreeView:
        """Return the tree as it is now; raise NotFittedError before there is one.

        `owner` is the method whose parameter `feature_names` is.
        """

    @abstractmethod
    def _html(self) -> str:
        """Return what was learned as HTML; raise NotFittedError before there is anything."""

    @abstractmethod
    def _explain(self, x: Any, feature_names: FeatureNames) -> Explanation:
        """Return why a point is predicted as it is; raise NotFittedError before there is a tree."""

    @abstractmethod
    def _top_features(self, k: int, feature_names: FeatureNames) -> TopFeatures:
        """Return the features with the largest weights per class; raise NotFittedError before there is a tree."""

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
        """Return the tree as rules, read from the top: a point goes to the first line whose condition it meets.

        A line has the condition of a leaf, its most frequent class with its share, the number of points that passed
        through it, the points per class, the model that predicts, and for the split its gain, its margin over the
        second best, the number of points of its node on which it was decided and the number of points of the stream
        after which it was made. A chain of splits is a flat list, however long.

        Parameters
        ----------
        feature_names : sequence, mapping, function or None, default=None
            The names of the features.
        max_depth : int or None, default=None
            Show the tests above this depth; an inner node at this depth is shown like a leaf.
        decimals : int, default=3
            The number of decimals of shares, gains and margins.
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
        """Return the tree in plain types for json.dumps: a flat list of nodes, however deep the tree.

        The ``id`` of a node is its place in the list, to which ``parent``, ``off`` and ``on`` refer.
        """
        return to_dict(self._view(feature_names, "to_dict"))

    def to_dataframe(self, *, feature_names: FeatureNames = None) -> pd.DataFrame:
        """Return the tree as a pandas table, one row per node. Needs pandas, which the extra ``pandas`` installs."""
        return to_dataframe(self._view(feature_names, "to_dataframe"))

    def to_dot(self, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH) -> str:
        """Return the tree in the language of graphviz, down to `max_depth`; None is no limit."""
        return to_dot(self._view(feature_names, "to_dot"), max_depth=max_depth)

    def draw(self, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH) -> graphviz.Source:
        """Return the tree as a graph that a notebook shows and whose ``render`` writes a file.

        Needs the package graphviz, which the extra ``draw`` installs. Showing and writing need the program ``dot``.
        """
        return draw(self._view(feature_names, "draw"), max_depth=max_depth)

    def plot(
        self, ax: Axes | None = None, *, feature_names: FeatureNames = None, max_depth: int | None = DEPTH
    ) -> Axes:
        """Draw the tree with matplotlib and return the axes; ``plot().figure.savefig(path)`` saves the picture.

        The side of a test with fewer nodes is drawn to the right, the other below, so a chain is a column.
        Needs matplotlib, which the extra ``plot`` installs.
        """
        return plot(self._view(feature_names, "plot"), ax, max_depth=max_depth)

    def _repr_html_(self) -> str:
        """Return the tree as HTML, which notebooks show; before there is one, what others show of the class."""
        try:
            return self._html()
        except ValueError:  # which NotFittedError is
            shown = getattr(super(), "_repr_html_", None)
            return str(shown()) if callable(shown) else piece(f"<p><b>{escape(type(self).__name__)}</b></p>")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return what notebooks choose from; scikit-learn's would not have the tree."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def top_features(self, k: int = 10, *, feature_names: FeatureNames = None) -> TopFeatures:
        """Return for each class the features with the largest weights for it in the models of the leaves.

        The weight of a feature for a class is what the feature, when it is on, adds to the log-odds of the class: of
        this class against the other if there are two, against the geometric mean of the others if there are more. In
        a leaf it is the weight in the model that predicts there: the weight of the logistic regression of the whole
        stream (plus that of the leaf's correction, where it predicts), or the logarithm of the ratio of the shares in
        naive Bayes. Over the tree it is the mean over the leaves, weighted by their points; a feature that a leaf has
        never met has weight 0 there. So a weight is the mean of what ``explain_one`` shows for single points.

        A large weight does not mean that the feature is frequent: features that are on in a few points may come first.
        Only positive weights are returned. For the features that the splits use, see ``feature_importances_``.

        Parameters
        ----------
        k : int, default=10
            The number of features per class.
        feature_names : sequence, mapping, function or None, default=None
            The names of the features.

        Returns
        -------
        features : dict
            For each class, in the order of ``classes_``, a list of pairs (name, weight), the largest weight first.

        Raises
        ------
        ValueError
            If ``leaf_prediction="majority"``: there are no models then.
        """
        return self._top_features(k, feature_names)

    def explain_one(self, x: Any, *, feature_names: FeatureNames = None) -> Explanation:
        """Explain the prediction for a point; print the result to read it.

        Parameters
        ----------
        x : dict, other mapping, iterable of active features, or sparse matrix of one row
            The point. Features that the model has never seen have no effect and are not mentioned.
        feature_names : sequence, mapping, function or None, default=None
            The names of the features.
        """
        return self._explain(x, feature_names)
