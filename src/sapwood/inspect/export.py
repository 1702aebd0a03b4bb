"""A tree as plain data: for JSON, and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.inspect.node_test import NodeTest
from sapwood.inspect.view import NodeView, TreeView

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["to_dataframe", "to_dict"]

_MAY_LACK = ("parent", "off", "on", "split_after", "split_at")


def to_dict(view: TreeView) -> dict[str, Any]:
    """Return a tree in plain types for json.dumps: a flat list of nodes, however deep the tree.

    The `id` of a node is its place in the list, to which `parent`, `off` and `on` refer. A field that a node does not
    have is None. `counts` and `shares` are in the order of `classes` and count the points that passed through the node
    (see `NodeView`). `test` has the kind of the test and, for ``is_above`` and ``is_among``, its threshold or
    categories and whether a missing value passes. A label or a feature that is no string, number, boolean or None is
    given as text.
    """
    return {
        "criterion": view.criterion,
        "n": view.n,
        "n_leaves": view.n_leaves,
        "depth": view.depth,
        "classes": [_plain(label) for label in view.classes],
        "nodes": [_plain_node(node) for node in view.nodes],
    }


def to_dataframe(view: TreeView) -> pd.DataFrame:
    """Return a tree as a table, one row per node, in the order of the nodes; a field that a node lacks is missing.

    The columns are those of `to_dict`, the test as text. The counts and shares of each class, and how often each model
    was right, have their own columns: ``count[spam]``, ``share[spam]``, ``right[logistic]``.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_dataframe: pandas must be installed; install it with: pip install 'sapwood[pandas]'"
        ) from error
    columns: dict[str, Any] = {}
    for name in ("parent", "depth", "feature", "off", "on", "gain", "margin", "split_after", "split_at", "n"):
        values = [getattr(node, name) for node in view.nodes]
        # Int64, and not int64, where a value may be missing.
        columns[name] = pd.array(values, dtype="Int64") if name in _MAY_LACK else values
        if name == "feature":
            # What a point passes that goes to `on`: of a typed test the feature alone does not say it.
            columns["test"] = [
                None if node.test is None else node.test.text(str(node.feature), True) for node in view.nodes
            ]
    for k, label in enumerate(view.classes):
        columns[f"count[{label}]"] = [node.counts[k] for node in view.nodes]
        columns[f"share[{label}]"] = [node.shares[k] for node in view.nodes]
    columns["model"] = [node.model for node in view.nodes]
    for model in next(node.right for node in view.nodes if node.right is not None):
        right = [None if node.right is None else node.right[model] for node in view.nodes]
        columns[f"right[{model}]"] = pd.array(right, dtype="Int64")
    columns["learning"] = [node.learning for node in view.nodes]
    columns["paused"] = [node.paused for node in view.nodes]
    return pd.DataFrame(columns, index=pd.RangeIndex(len(view.nodes), name="node"))


def _plain_node(node: NodeView) -> dict[str, Any]:
    return {
        "id": node.number,
        "parent": node.parent,
        "depth": node.depth,
        "feature": node.feature,
        "key": _plain(node.key),
        "test": _plain_test(node.test),
        "off": node.off,
        "on": node.on,
        "gain": node.gain,
        "margin": node.margin,
        "split_after": node.split_after,
        "split_at": node.split_at,
        "n": node.n,
        "counts": list(node.counts),
        "shares": list(node.shares),
        "model": node.model,
        "right": None if node.right is None else dict(node.right),
        "learning": node.learning,
        "paused": node.paused,
    }


def _plain_test(test: NodeTest | None) -> dict[str, Any] | None:
    if test is None:
        return None
    if test.kind in {"is_on", "is_present"}:
        return {"kind": test.kind}
    return {
        "kind": test.kind,
        "threshold": test.threshold,
        "categories": [_plain(category) for category in test.categories],
        "missing_passes": test.missing_passes,
    }


def _plain(value: object) -> str | int | float | bool | None:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    return str(value)
