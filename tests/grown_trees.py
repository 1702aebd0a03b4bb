"""Trees of the core that are quick to grow: words, a chain, a wide tree of several classes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sapwood import _core
from sapwood.inspect.view import TreeView

SPAM_WORDS = ["free", "call", "text", "win", "prize", "claim", "mobile", "stop", "urgent", "cash"]
WORDS = [*SPAM_WORDS, "the", "and", "you", "i", "to", "a", "me", "my", "at", "on"]
MAIL = ("ham", "spam")
LETTERS = tuple("ABCD")


def message(rng: np.random.Generator, *, drifted: bool = False) -> tuple[dict[str, bool], int]:
    """Return the words of a message, and whether it is spam; after a drift, the words of spam are others."""
    y = int(rng.random() < 0.3)
    is_spam_word = (np.arange(len(WORDS)) < len(SPAM_WORDS)) != drifted
    chances = np.where(is_spam_word, 0.3 if y else 0.01, 0.3)
    return {word: True for word, on in zip(WORDS, rng.random(len(WORDS)) < chances, strict=True) if on}, y


def word_tree(n: int = 6000, seed: int = 0, **options: Any) -> _core.Tree:
    """Return a tree grown from messages."""
    rng = np.random.default_rng(seed)
    tree = _core.Tree(**options)
    for _ in range(n):
        x, y = message(rng)
        tree.learn_one(x, y, 1, 0.0)
    return tree


def chain_tree(length: int, leaf_prediction: str = "majority") -> _core.Tree:
    """Return a chain of `length` tests, each for its own word, one after the other where the last was off."""
    tree = _core.Tree(delta=0.4, tau=0.9, max_leaves=length + 1, leaf_prediction=leaf_prediction)
    while tree.n_leaves() <= length:
        tree.learn_one({f"word {tree.n_leaves() - 1}": True}, 1, 1, 0.0)
        tree.learn_one({}, 0, 1, 0.0)
    return tree


def wide_tree(levels: int = 4, n: int = 4000, leaf_prediction: str = "adaptive") -> _core.Tree:
    """Return a tree of four classes in which all leaves are about equally deep."""
    rng = np.random.default_rng(2)
    tree = _core.Tree(delta=0.01, tau=0.4, leaf_prediction=leaf_prediction)
    code = rng.integers(0, len(LETTERS), size=(2,) * levels)
    for _ in range(n):
        bits = rng.integers(0, 2, levels)
        y = int(code[tuple(bits)]) if rng.random() > 0.1 else int(rng.integers(len(LETTERS)))
        tree.learn_one({f"bit {j}": True for j in range(levels) if bits[j]}, y, 1, 0.0)
    return tree


@cache
def view_of_words() -> TreeView:
    """Return the view of a small tree grown from messages."""
    return TreeView.of(word_tree(tau=0.1), MAIL)
