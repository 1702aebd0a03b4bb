"""Sapwood's tree in a pipeline of river, beside river's own naive Bayes, judged by river's evaluation.

pip install 'sapwood[river]'
python examples/river_pipeline.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from river import evaluate, feature_extraction, metrics, naive_bayes

from sapwood.river import HoeffdingTreeClassifier

TOPICS = {
    "sport": ["match", "goal", "team", "coach", "season", "league", "player", "win", "lose", "cup"],
    "food": ["recipe", "oven", "sugar", "butter", "soup", "taste", "dinner", "bread", "cheese", "cook"],
    "travel": ["train", "hotel", "beach", "flight", "passport", "museum", "ticket", "island", "map", "coast"],
}
FILLERS = ["the", "a", "of", "and", "to", "in", "we", "you", "this", "was", "with", "for", "very", "good", "new"]


def notes(n: int, seed: int) -> Iterator[tuple[Any, str]]:
    """Yield short texts and their topics. Two words of a topic in nine are of another."""
    chance = random.Random(seed)
    for _ in range(n):
        topic = chance.choice(list(TOPICS))
        words = [chance.choice(FILLERS) for _ in range(6)]
        for _ in range(3):
            (source,) = chance.choices([topic, *TOPICS], weights=[6, 1, 1, 1])
            words.append(chance.choice(TOPICS[source]))
        yield " ".join(words), topic


def main() -> None:
    """Judge both models on the same stream, each text predicted before it is learned."""
    models = {
        "sapwood's tree": HoeffdingTreeClassifier(tau=0.2),
        "river's naive Bayes": naive_bayes.BernoulliNB(),
    }
    for name, model in models.items():
        pipeline = feature_extraction.BagOfWords() | model
        score = evaluate.progressive_val_score(notes(2000, seed=1), pipeline, metrics.Accuracy())
        print(f"{name}: {score.get():.3f} right")
    tree = models["sapwood's tree"]
    assert isinstance(tree, HoeffdingTreeClassifier)
    print(f"\n{tree.export_text(max_depth=5)}")
    print(tree.debug_one({"soup": 1, "ticket": 1, "butter": 1, "the": 1}))


if __name__ == "__main__":
    main()
