"""Looking inside a tree: its view, texts, tables and pictures made from it, and explanations of predictions.

Names are loaded on first use: to learn and to predict needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.inspect.explain import Evidence, Explanation, TestTaken, explain_one
    from sapwood.inspect.export import to_dataframe, to_dict
    from sapwood.inspect.graph import draw, to_dot
    from sapwood.inspect.node_test import NodeTest
    from sapwood.inspect.picture import plot
    from sapwood.inspect.strongest_features import top_features
    from sapwood.inspect.summary import DynamicTreeSummary, TreeSummary
    from sapwood.inspect.text import export_text
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

_MODULES = {
    "DynamicTreeSummary": "summary",
    "Evidence": "explain",
    "Explanation": "explain",
    "NodeTest": "node_test",
    "NodeView": "view",
    "TestTaken": "explain",
    "TreeSummary": "summary",
    "TreeView": "view",
    "draw": "graph",
    "explain_one": "explain",
    "export_text": "text",
    "plot": "picture",
    "to_dataframe": "export",
    "to_dict": "export",
    "to_dot": "graph",
    "top_features": "strongest_features",
}
"""Where each name is. No module has the name of what it exports: once loaded, it would take its place."""


def __getattr__(name: str) -> Any:
    """Load a public name, which is then there for good (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"sapwood.inspect.{_MODULES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
