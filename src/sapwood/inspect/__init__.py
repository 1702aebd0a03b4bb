"""Looking inside a tree: its view, texts, tables and pictures made from it, and explanations of predictions."""

from sapwood.inspect.explain import Evidence, Explanation, TestTaken, explain_one
from sapwood.inspect.export import to_dataframe, to_dict
from sapwood.inspect.graph import draw, to_dot
from sapwood.inspect.node_test import NodeTest
from sapwood.inspect.picture import plot
from sapwood.inspect.summary import DynamicTreeSummary, TreeSummary
from sapwood.inspect.text import export_text
from sapwood.inspect.top_features import top_features
from sapwood.inspect.view import NodeView, TreeView

__all__ = [
    "DynamicTreeSummary",
    "Evidence",
    "Explanation",
    "NodeTest",
    "NodeView",
    "TestTaken",
    "TreeSummary",
    "TreeView",
    "draw",
    "explain_one",
    "export_text",
    "plot",
    "to_dataframe",
    "to_dict",
    "to_dot",
    "top_features",
]
