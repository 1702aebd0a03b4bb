"""Explanations: the names of `sapwood.inspect.explain`, where they live, under their first address."""

from sapwood.inspect.explain import Evidence, Explanation, TestTaken, explain_ids, explain_one

__all__ = ["Evidence", "Explanation", "TestTaken", "explain_ids", "explain_one"]
