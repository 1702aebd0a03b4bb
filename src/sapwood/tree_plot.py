"""A tree as a picture: the names of `sapwood.inspect.picture`, where they live, under their first address."""

from sapwood.inspect.picture import plot

__all__ = ["plot"]
