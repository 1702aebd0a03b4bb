"""A frozen picture of a tree: the names of `sapwood.inspect.view`, where they live, under their first address."""

from sapwood.inspect.view import NodeView, TreeView, check_depth, places_of

__all__ = ["NodeView", "TreeView", "check_depth", "places_of"]
