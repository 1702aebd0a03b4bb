"""A tree as plain data: the names of `sapwood.inspect.export`, where they live, under their first address."""

from sapwood.inspect.export import to_dataframe, to_dict

__all__ = ["to_dataframe", "to_dict"]
