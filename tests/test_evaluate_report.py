"""The page of an evaluation: whole in one file, with nothing from the data taken for markup."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Hashable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from sapwood import HoeffdingTreeClassifier, StreamingTreeClassifier
from sapwood.datasets import make_text
from sapwood.evaluate import Evaluation, prequential
from sapwood.evaluate._page_confusion import page_confusion
from sapwood.evaluate._page_reliability import page_reliability
from sapwood.evaluate._page_tree import page_tree
from sapwood.evaluate.report import render_report

NASTY = "</script><script>alert('&')</script><!--\u2028\"{{title}}"


def evaluation(n: int = 1500, name: str = NASTY, label: str = "<b>spam</b>") -> Evaluation:
    generator = np.random.default_rng(1)
    X = generator.random((n, 6)) < 0.4
    points = [([name] * int(x[0]) + [f"word {i}" for i in range(1, 6) if x[i]], label if x[0] else "ham") for x in X]
    return prequential(HoeffdingTreeClassifier(delta=0.01), points, every=100)


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def test_names_from_the_data_are_never_markup() -> None:
    page = render_report(evaluation(), title=NASTY)
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "<b>" not in page.replace('"b"', "")
    assert "<!--" not in page
    data = data_of(page)
    assert data["splits"][0]["feature"] == NASTY
    assert data["tree"]["features"][0] == NASTY
    assert "<b>spam</b>" in data["tree"]["classes"]


def test_the_page_needs_nothing_else() -> None:
    page = render_report(evaluation())
    assert re.findall(r"(?:src|href)\s*=\s*\"?([^\"\s>]+)", page) == ["data:,"]
    assert "@import" not in page
    assert "url(" not in page
    # The policy lets run what is there, and nothing else.
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy.group(1)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert script is not None
    assert style is not None
    for kind, text in (("script-src", script.group(1)), ("style-src", style.group(1))):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy.group(1)
    assert set(re.findall(r"\{\{\w+\}\}", page)) == {"{{title}}"}  # in the name of a feature


def test_templates_are_in_the_package() -> None:
    package = files("sapwood.evaluate")
    for name in (
        "report.html",
        "report.css",
        "report_dom.js",
        "report_curves.js",
        "report_tree.js",
        "report_splits.js",
    ):
        assert package.joinpath(name).is_file(), name


@pytest.mark.parametrize("n", [0, 1, 3])
def test_short_streams(n: int) -> None:
    data = data_of(render_report(evaluation(n)))
    assert len(data["columns"]["n"]) == min(n, 1)


def test_saved_at_once_and_over_an_old_one(tmp_path: Path) -> None:
    target = tmp_path / "run.html"
    target.write_text("old")
    result = evaluation(300)
    assert result.save_report(str(target), title="Réviews") == target
    assert "<title>Réviews</title>" in target.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [target]


def test_many_records_and_classes_are_thinned() -> None:
    result = prequential(HoeffdingTreeClassifier(), [([i % 3], i % 25) for i in range(1200)], every=1, auc=False)
    page = render_report(result)
    data = data_of(page)
    assert len(data["columns"]["n"]) == 1000
    assert data["columns"]["n"][-1] == 1200
    assert "5 others" in page
    assert "confusion many" in page


def test_of_a_large_tree_the_largest_nodes_are_there() -> None:
    generator = np.random.default_rng(2)
    X = scipy.sparse.csr_array((generator.random((4000, 30)) < 0.3).astype(np.int8))
    y = (X[:, [0]] + X[:, [1]] + X[:, [2]]).toarray().reshape(-1) % 2
    result = prequential(HoeffdingTreeClassifier(delta=0.4, tau=0.3), (X, y))
    view = result.tree
    assert view is not None
    assert len(view.nodes) > 9
    whole = page_tree(view, 7)
    assert len(whole["n"]) == len(view.nodes)
    assert not any(whole["cut"])
    part = page_tree(view, 7, most_nodes=7)
    assert len(part["n"]) <= 7
    assert sum(part["cut"]) + len(part["n"]) == len(view.nodes)
    for i, on in enumerate(part["on"]):
        assert (on < 0) == (part["off"][i] < 0) == (part["feature"][i] < 0)
        assert on < 0 or part["parent"][on] == i
    assert "nodes that most points go through" in part["hint"]


def test_classes_are_sorted_and_small_shares_are_seen() -> None:
    confusion: dict[tuple[Hashable, Hashable | None], int] = {
        ("b", "b"): 980,
        ("b", "a"): 20,
        ("a", "a"): 500,
        ("c", "b"): 1,
        ("a", None): 1,
    }
    table = page_confusion(confusion)
    assert re.findall(r'<th scope="row">(.*?)</th>', table) == ["a", "b", "c"]
    assert re.findall(r'<th scope="col"><span>(.*?)</span></th>', table) == ["a", "b", "c", "no answer"]
    cells = re.findall(r'<td class="heat(\d)( right)?" title="([\d.]+)% of the row">(.*?)</td>', table)
    assert cells[4:6] == [("2", "", "2.0", "20"), ("5", " right", "98.0", "980")]
    assert "many" not in table
    mixed = page_confusion({(1, "x"): 1, ("x", "x"): 1})
    assert re.findall(r'<th scope="row">(.*?)</th>', mixed) == ["1", "x"]


def test_calibration_and_features_are_in_the_page() -> None:
    result = evaluation(label="spam")
    page = render_report(result)
    assert page.count('<figure class="reliability">') == 2
    assert f'expected calibration error <b class="value">{result["calibration_error"]:.4f}</b>' in page
    assert "Probability of class spam" in page
    assert "What the models know" in page
    assert html.escape(NASTY) in page
    majority = prequential(HoeffdingTreeClassifier(leaf_prediction="majority"), [([i % 3], i % 2) for i in range(50)])
    assert "What the models know" not in render_report(majority)
    curves = page_reliability(result.reliability, "ham")
    assert "Probability of class ham" in curves
    assert page_reliability({}, None) == "<p>The model gives no probabilities.</p>"


def test_changes_are_marked_and_listed() -> None:
    X, y = make_text(6000, d=300, drift="abrupt", n_changes=1, seed=1)
    result = prequential(StreamingTreeClassifier(drift=True), (X, y), every=100)
    assert sum(change.swapped for change in result.changes) == result.tally["alternates_swapped"] > 0
    for name, field in (("drifts", "drifts"), ("alternates_started", "begun"), ("alternates_dropped", "dropped")):
        assert sum(getattr(change, field) for change in result.changes) == result.tally[name]
    swapped = next(change for change in result.changes if change.swapped)
    assert 3000 < swapped.at <= 4000
    assert json.loads(result.to_json())["changes"][0]["at"] == result.changes[0].at
    page = render_report(result)
    assert "Changes followed" in page
    assert f'"swap_at":[{swapped.at}' in page
    still = render_report(prequential(StreamingTreeClassifier(), (X, y)))
    assert "Changes followed" not in still
    assert "Dotted lines" not in still
