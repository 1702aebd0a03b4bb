"""A tree as a graph: the names of `sapwood.inspect.graph`, where they live, under their first address."""

from sapwood.inspect.graph import draw, to_dot

__all__ = ["draw", "to_dot"]
