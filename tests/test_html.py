"""What notebooks show: small, self-contained pieces of HTML for trees, explanations and evaluations."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from sklearn.pipeline import make_pipeline

import sapwood.river as for_river
from sapwood import DynamicTreeClassifier, HoeffdingTreeClassifier, StreamingTreeClassifier
from sapwood.datasets import make_text
from sapwood.evaluate import prequential


class Checked(HTMLParser):
    """Checks that every element is closed, and gathers what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        assert not {"src", "href", "onclick"} & {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Nothing is open."""

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def shown(piece: str, most: int = 30_000) -> str:
    """Return what a piece shows, which must be well-formed, small and alone."""
    assert len(piece) < most
    assert "http" not in piece
    assert "<script" not in piece
    # The letters have the colour of the page.
    assert re.search(r"[;{]color:(?!inherit)", piece) is None
    checked = Checked()
    checked.feed(piece)
    checked.close()
    assert checked.open == []
    return checked.text


def learned(model: Any) -> Any:
    for i in range(300):
        words = [f"w{i % 7}", "<b>prize" if i % 3 else "lunch & tea"]
        # river's interface takes dicts.
        model.learn_one(dict.fromkeys(words, True), "spam <i>" if i % 3 else "ham")
    return model


@pytest.mark.parametrize(
    "model",
    [
        StreamingTreeClassifier(),
        HoeffdingTreeClassifier(leaf_prediction="majority", tau=0.5),
        DynamicTreeClassifier(),
        for_river.StreamingTreeClassifier(),
    ],
)
def test_a_tree(model: Any) -> None:
    text = shown(learned(model)._repr_html_())
    assert text.startswith(f"{type(model).__name__} 300 points, ")
    assert "spam <i>" in text
    assert "if <b>prize is " in text or "if lunch & tea is " in text
    bundle = model._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/html"] == model._repr_html_()
    assert bundle["text/plain"] == repr(model)


def test_a_large_tree_is_told_in_part() -> None:
    X, y = make_text(n=4000, d=300, topical=0.4, contrast=1.0, seed=5)
    model = HoeffdingTreeClassifier(delta=0.4, tau=0.5, leaf_prediction="majority").fit(X, y)
    assert model.get_n_leaves() > 100
    text = shown(model._repr_html_())
    assert re.search(r"\d more rules|\d nodes below depth 6", text)
    assert "see export_text()" in text


def test_before_there_is_a_tree() -> None:
    assert "HoeffdingTreeClassifier" in HoeffdingTreeClassifier()._repr_html_()
    assert "HoeffdingTreeClassifier" in for_river.HoeffdingTreeClassifier()._repr_html_()
    assert "HoeffdingTreeClassifier" in make_pipeline(HoeffdingTreeClassifier())._repr_html_()


def test_an_explanation() -> None:
    model = learned(StreamingTreeClassifier())
    told = model.explain_one(["<b>prize", "w1"])
    text = shown(told._repr_html_())
    assert text.startswith(f"spam <i>: probability {told.probabilities[1]:.3f}")
    assert f"(sum){told.log_odds():+.3f}" in text
    first = HoeffdingTreeClassifier()
    first.learn_one(["a"], "only")
    assert shown(first.explain_one(["a"])._repr_html_()).startswith("only: probability 1.000")


def test_an_evaluation() -> None:
    stream = (([f"w{i % 7}", f"c{i % 2}"], i % 2) for i in range(3000))
    result = prequential(StreamingTreeClassifier(), stream)
    text = shown(result._repr_html_())
    assert text.startswith("StreamingTreeClassifier 3,000 points in ")
    assert f"accuracy{result['accuracy']:.4f}" in text
    assert "<polyline" in result._repr_html_()
    assert shown(prequential(StreamingTreeClassifier(), iter([]))._repr_html_()).startswith(
        "StreamingTreeClassifier 0 points"
    )


def test_a_view() -> None:
    result = prequential(HoeffdingTreeClassifier(), ((["a"] if i % 2 else ["b"], i % 2) for i in range(200)))
    assert result.tree is not None
    assert shown(result.tree._repr_html_()).startswith("Tree 200 points")
