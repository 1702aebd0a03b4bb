"""A tree as rules: the names of `sapwood.inspect.text`, where they live, under their first address."""

from sapwood.inspect.text import export_text

__all__ = ["export_text"]
