"""The sections of an estimator's docstring that are the same in every class, or written from a table."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import TYPE_CHECKING

from sapwood.parameters import described

if TYPE_CHECKING:
    from sapwood.parameters import TreeKind

__all__ = ["completed"]

_GUARANTEE_OF_FORESTS = """\
Guarantee:

- The forest depends on the parameters, the points and their order alone, as that of `StreamingForestClassifier`
  does.
- What is drawn is no evidence: a bound takes the number of points, not their weight.
- The detectors see what a tree answered before it learned a point.
- An error changes nothing. Many threads may read one object, and one at a time change it."""

_START = """\
Parameters take effect when the {what} starts: at ``fit``, or at the first ``partial_fit`` or ``learn_one``."""

_ATTRIBUTES = """\
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

_EXAMPLES = """\
>>> from sapwood.datasets import make_sparse
>>> X, y = make_sparse(n=2000, d1=10, d2=1000, q=0.001, seed=1)
>>> model = {name}(random_state=1).fit(X[:1000], y[:1000])
>>> model.score(X[1000:], y[1000:]) > 0.9
True"""

_REFERENCES = {
    "ADB": "A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby and R. Gavaldà, *New ensemble methods for evolving data "
    "streams*, KDD 2009.",
    "ARF": "H. M. Gomes et al., *Adaptive random forests for evolving data stream classification*, Machine Learning "
    "106, 2017.",
    "CVFDT": "G. Hulten, L. Spencer and P. Domingos, *Mining time-changing data streams*, KDD 2001.",
    "EFDT": "C. Manapragada, G. I. Webb and M. Salehi, *Extremely fast decision tree*, KDD 2018.",
    "FDT": "M. Bressan, G. Damay and M. Sozio, *Fully-dynamic decision trees*, AAAI 2023.",
    "GAU": "R. Jin and G. Agrawal, *Efficient decision tree construction on streaming data*, KDD 2003.",
    "HAT": "A. Bifet and R. Gavaldà, *Adaptive learning from evolving data streams*, IDA 2009.",
    "ID5R": "P. E. Utgoff, *Incremental induction of decision trees*, Machine Learning 4, 1989.",
    "ITI": "P. E. Utgoff, N. C. Berkman and J. A. Clouse, *Decision tree induction based on efficient tree "
    "restructuring*, Machine Learning 29, 1997.",
    "LEV": "A. Bifet, G. Holmes and B. Pfahringer, *Leveraging bagging for evolving data streams*, ECML PKDD 2010.",
    "MCD": "L. Rutkowski, L. Pietruczuk, P. Duda and M. Jaworski, *Decision trees for mining data streams based on the "
    "McDiarmid's bound*, IEEE Transactions on Knowledge and Data Engineering 25(6), 2013.",
    "OZA": "N. Oza and S. Russell, *Online bagging and boosting*, AISTATS 2001.",
    "SRP": "H. M. Gomes, J. Read and A. Bifet, *Streaming random patches for evolving data stream classification*, "
    "ICDM 2019.",
    "VFDT": "P. Domingos and G. Hulten, *Mining high-speed data streams*, KDD 2000.",
}
"""The publications that docstrings cite, by the key of the citation."""


def completed(doc: str, kind: TreeKind) -> str:
    """Return the docstring of a class with the sections that it does not have itself.

    Those are the guarantee of the published forests, Parameters, Attributes, References, which are the publications
    that the others cite, and Examples. Python 3.13 has taken the indentation away already; elsewhere it is taken here.
    """
    lead, examples = _split(inspect.cleandoc(doc), "Examples")
    lead, attributes = _split(lead, "Attributes")
    paragraphs = [lead]
    if kind.core == "Forest" and "Guarantee:" not in lead:
        paragraphs.append(_GUARANTEE_OF_FORESTS)
    paragraphs += [
        _START.format(what="forest" if kind.core == "Forest" else "tree"),
        _section("Parameters", described(kind.parameters)),
        _section("Attributes", attributes or _ATTRIBUTES),
    ]
    cited = dict.fromkeys(re.findall(r"\[(\w+)\]_", "\n".join(paragraphs)))
    paragraphs.append(_section("References", "\n".join(_reference(key) for key in cited)))
    paragraphs.append(_section("Examples", examples or _EXAMPLES.format(name=kind.name)))
    return "\n\n".join(paragraphs)


def _split(doc: str, title: str) -> tuple[str, str]:
    """Return what is above the last section of a docstring, if that is its title, and what it says."""
    before, _, section = doc.partition(f"\n\n{title}\n{'-' * len(title)}\n")
    return before, section


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}"


def _reference(key: str) -> str:
    return textwrap.fill(f".. [{key}] {_REFERENCES[key]}", 116, subsequent_indent=" " * 3)
