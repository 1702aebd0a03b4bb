"""A tree in the format ONNX."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from sapwood.data import Category
from sapwood.data.unicode import is_unicode
from sapwood.export.linear_leaves import linear_leaves, why_not_linear
from sapwood.export.models import learner_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    import onnx

    from sapwood.export.linear_leaves import LinearLeaves
    from sapwood.inspect import NodeView, TreeView
    from sapwood.learner import TreeLearner

__all__ = ["to_onnx"]

_OPSET, _OPSET_ML, _IR = 17, 3, 8  # what onnxruntime has read since 1.13
# Numbers of eight bytes: a file of ONNX has at most two gigabytes.
_MOST_WEIGHTS = 1 << 27
_LOWEST = float(np.finfo(np.float64).min)


def to_onnx(model: Any) -> onnx.ModelProto:
    """Return a tree as a model of ONNX, whose answers are those of ``predict`` and ``predict_proba``.

    The input ``x`` is a matrix of doubles, a row per point. Its columns are those of the matrices that the tree has
    learned, or, if it has learned single points, tables or text, one per feature, in the order that the entry
    ``features`` of the metadata of the model lists in JSON: a flag is on where its column is above 0, a missing number
    is NaN, and each value of a category is a flag ``country=fi``. The outputs are ``label`` and ``probabilities``, in
    the order of ``classes_``. The label is the ArgMax of the probabilities, taken in the graph.

    Needs onnx, which the extra ``onnx`` installs.

    Parameters
    ----------
    model : tree classifier
        A fitted tree, of scikit-learn's or river's interface.

    Raises
    ------
    ValueError
        If the answers of the leaves are no linear functions of flags, in one sentence: with
        ``leaf_prediction="mixed"``, and with other models of leaves where points have numbers.
    """
    try:
        from onnx import TensorProto, helper
    except ImportError as error:
        raise ImportError("to_onnx: onnx must be installed; install it with: pip install 'sapwood[onnx]'") from error

    learner = learner_of(model, "to_onnx")
    reason = why_not_linear(learner)
    if reason is not None:
        raise ValueError(f"to_onnx: {reason}")
    with learner.lock:
        view = learner.view(owner="to_onnx")
        leaves = linear_leaves(learner, view)
    if leaves.weights is not None and leaves.weights.size > _MOST_WEIGHTS:
        raise ValueError(
            f"to_onnx: the models of the leaves must have at most {_MOST_WEIGHTS:,} weights, got "
            f"{leaves.weights.size:,}; max_leaves bounds them, and leaf_prediction='majority' has none"
        )
    graph = _Graph(learner, view, leaves)
    labels = np.array(view.classes)
    is_number = labels.dtype.kind in "iub"
    kind = TensorProto.INT64 if is_number else TensorProto.STRING
    graph.constant("classes", labels.astype(np.int64) if is_number else np.array([str(each) for each in view.classes]))
    scores = graph.scores()
    graph.node("Softmax", [scores], "probabilities", axis=1)
    graph.node("ArgMax", ["probabilities"], "place", axis=1, keepdims=0)
    graph.node("Gather", ["classes", "place"], "label")
    made = helper.make_graph(
        graph.nodes,
        "sapwood",
        [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [None, len(graph.features)])],
        [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("probabilities", TensorProto.DOUBLE, [None, len(view.classes)]),
        ],
        graph.constants,
    )
    proto = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid("", _OPSET), helper.make_opsetid("ai.onnx.ml", _OPSET_ML)],
        producer_name="sapwood",
        ir_version=_IR,
    )
    helper.set_model_props(proto, {"features": json.dumps([_shown(each) for each in graph.features])})
    return proto


class _Graph:
    """The nodes and constants of a graph."""

    def __init__(self, learner: TreeLearner, view: TreeView, leaves: LinearLeaves) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._view, self._leaves = view, leaves
        self.features = _features(learner)
        self._place = {feature: i for i, feature in enumerate(self.features)}
        binarize = learner.reading.binarize
        # Of 0 and 1 alone any threshold between them.
        self._threshold = 0.0 if learner.columns is None or binarize is None else binarize
        self._sets: list[list[int]] = []

    def node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> None:
        """Add a node."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))

    def constant(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """Add a constant."""
        from onnx import helper, numpy_helper

        if values.dtype.kind == "U":
            texts: Any = [_utf_8(each) for each in values.tolist()]
            self.constants.append(
                helper.make_tensor(name, helper.np_dtype_to_tensor_dtype(np.dtype(object)), values.shape, texts)
            )
        else:
            self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))

    def scores(self) -> str:
        """Add the way from a point to the scores of its classes, and return what they are called."""
        leaves = self._leaves
        self._add_tree()
        self.constant("intercepts", leaves.intercepts)
        self.node("Gather", ["intercepts", "leaf"], "intercept")
        if leaves.weights is None:
            return "intercept"
        n_flags, n_leaves, n_classes = leaves.weights.shape
        self.constant("flag_columns", np.array([self._place[flag] for flag in leaves.flags], dtype=np.int64))
        self.constant("threshold", np.array(self._threshold))
        self.constant("weights", leaves.weights.reshape(n_flags, n_leaves * n_classes))
        self.constant("by_leaf", np.array([-1, n_leaves, n_classes], dtype=np.int64))
        self.node("Gather", ["x", "flag_columns"], "flags", axis=1)
        self.node("Greater", ["flags", "threshold"], "are_on")
        self.node("Cast", ["are_on"], "on", to=11)  # double
        self.node("MatMul", ["on", "weights"], "evidence_of_leaves")
        self.node("Reshape", ["evidence_of_leaves", "by_leaf"], "evidence_by_leaf")
        self.constant("last", np.array([1], dtype=np.int64))
        self.node("Unsqueeze", ["leaf", "last"], "of_leaf")
        self.node("GatherND", ["evidence_by_leaf", "of_leaf"], "evidence", batch_dims=1)
        self.node("Add", ["intercept", "evidence"], "scores")
        return "scores"

    def _add_tree(self) -> None:
        """Add the tree, whose output `leaf` is the number of the leaf, among leaves, that a point reaches."""
        from onnx import numpy_helper

        view = self._view
        leaves = [node.number for node in view.nodes if node.is_leaf]
        asked = [self._asked(node) for node in view.nodes]
        x = "x"
        if self._sets:
            # Whether a category is in a set: the sum of the flags of its values.
            columns = sorted({column for each in self._sets for column in each})
            members = np.array([[float(column in each) for each in self._sets] for column in columns])
            self.constant("category_columns", np.array(columns, dtype=np.int64))
            self.constant("members", members)
            self.node("Gather", ["x", "category_columns"], "categories", axis=1)
            self.node("MatMul", ["categories", "members"], "in_sets")
            x = "x_and_sets"
            self.node("Concat", ["x", "in_sets"], x, axis=1)
        n = len(view.nodes)
        self.node(
            "TreeEnsembleRegressor",
            [x],
            "leaf_as_number",
            domain="ai.onnx.ml",
            n_targets=1,
            nodes_treeids=[0] * n,
            nodes_nodeids=[node.number for node in view.nodes],
            nodes_featureids=[feature for feature, *_ in asked],
            nodes_modes=["LEAF" if node.is_leaf else "BRANCH_GT" for node in view.nodes],
            nodes_values_as_tensor=numpy_helper.from_array(np.array([value for _, value, _ in asked]), "values"),
            nodes_truenodeids=[node.on or 0 for node in view.nodes],
            nodes_falsenodeids=[node.off or 0 for node in view.nodes],
            nodes_missing_value_tracks_true=[int(missing) for *_, missing in asked],
            target_treeids=[0] * len(leaves),
            target_nodeids=leaves,
            target_ids=[0] * len(leaves),
            target_weights_as_tensor=numpy_helper.from_array(np.arange(len(leaves), dtype=np.float64), "leaves"),
        )
        self.node("Cast", ["leaf_as_number"], "leaf_in_column", to=7)  # int64
        self.constant("first", np.array([-1], dtype=np.int64))
        self.node("Reshape", ["leaf_in_column", "first"], "leaf")

    def _asked(self, node: NodeView) -> tuple[int, float, bool]:
        """Return the column that a node tests, the threshold above which a point passes, and whether a missing does."""
        test = node.test
        if test is None:
            return 0, 0.0, False
        if test.kind == "is_among":
            self._sets.append([self._place[Category(node.key, str(value))] for value in test.categories])
            return len(self.features) + len(self._sets) - 1, 0.5, False
        column = self._place[node.key]
        if test.kind == "is_above":
            assert test.threshold is not None
            return column, test.threshold, test.missing_passes
        # Every number that is there is above the lowest one.
        return (column, _LOWEST, False) if test.kind == "is_present" else (column, self._threshold, False)


def _features(learner: TreeLearner) -> list[Hashable]:
    """Return what the columns of the input are."""
    model = learner.fitted()
    columns, kinds = model.columns, None if model.columns is None else model.columns.kinds
    if columns is not None and not (isinstance(kinds, tuple) and "category" in kinds) and kinds != "category":
        return list(range(columns.n)) if columns.names is None else columns.names.tolist()
    made = model.tree.made_of_numbers()
    flags = [key for slot, key in enumerate(model.tree.keys()) if slot not in made]
    return [*flags, *model.tree.number_keys()]


def _shown(feature: Hashable) -> Any:
    return feature if isinstance(feature, int) else str(feature)


def _utf_8(text: str) -> bytes:
    """Return a text as the format has it, which knows no half of a surrogate pair."""
    if not is_unicode(text):
        raise ValueError(f"to_onnx: classes and values must be text that UTF-8 can write, got {text!r}")
    return text.encode()
