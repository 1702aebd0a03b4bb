"""A spam filter that learns from each message once it has judged it, and says why.

    python examples/spam.py

The messages are made up from a few phrases, with a chance of each that depends on who writes. After the first half the
senders of spam change their words, and the tree goes on learning.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from sapwood import HoeffdingTreeClassifier

COMMON = ["are you at home", "see you at noon", "call me later", "thank you", "the meeting is at ten", "how are you"]
HAM = ["lunch tomorrow", "happy birthday", "i will be late", "dinner with mum", "train is delayed", "love you"]
SPAM = ["win a free prize", "urgent claim now", "free entry text stop", "cash loan approved"]
NEW_SPAM = ["verify your account", "click this link", "your parcel is held", "crypto profit today"]


def messages(n: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield messages and whether they are spam or ham."""
    chance = random.Random(seed)
    for i in range(n):
        (label,) = chance.choices(["ham", "spam"], weights=[3, 1])
        own = HAM if label == "ham" else SPAM if i < n // 2 else NEW_SPAM
        (kind,) = chance.choices([own, COMMON], weights=[9, 1])
        phrases = [chance.choice(COMMON), chance.choice(kind)]
        chance.shuffle(phrases)
        yield " ".join(phrases), label


def main() -> None:
    """Learn from a stream of messages, and show what was learned."""
    model = HoeffdingTreeClassifier(tau=0.1)
    n, window, right = 4000, 500, 0
    print("messages  right of the last 500")
    for i, (text, label) in enumerate(messages(n, seed=1), start=1):
        words = dict.fromkeys(text.split(), 1)
        right += model.predict_one(words) == label
        model.learn_one(words, label)
        if i % window == 0:
            print(f"{i:8,}  {right / window:.3f}")
            right = 0
    print("\nThe tree, to be read from the top:\n")
    print(model.export_text(show_model=False))
    text = "thank you click this link"
    print(f"Why is {text!r} what it is?\n")
    print(model.explain_one(dict.fromkeys(text.split(), 1)))


if __name__ == "__main__":
    main()
