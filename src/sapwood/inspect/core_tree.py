"""The trees of the core that can be looked into: they answer the same questions."""

from __future__ import annotations

from typing import TypeAlias

from sapwood import _core

__all__ = ["CoreForest", "CoreModel", "CoreTree"]

CoreTree: TypeAlias = _core.Tree | _core.DynamicTree

CoreForest: TypeAlias = _core.Forest

CoreModel: TypeAlias = CoreTree | CoreForest
"""What a learner can hold: a tree, or many."""
