"""A miniature of every experiment of the paper has the tables, pictures and claims that it must have."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from miniature import miniature, write_points

from sapwood import SplitFinder, _core, _timing
from sapwood.data import binary_batch
from sapwood.datasets import make_sparse
from sapwood.paper import EXPERIMENTS, Reproduction, Settings, figure_2, findings, reproduce
from sapwood.paper.bounds import tree_bound
from sapwood.paper.claims import Claim, tally
from sapwood.paper.experiment import Result
from sapwood.paper.rows import Row, line, pick, summarise, value
from sapwood.paper.sources import PAPER, available, left_out
from sapwood.parameters import Criterion

CRITERIA = ("entropy", "gini")
SEARCHES = ("exhaustive", "approximate", "certified")
SUMMARY = ["quantity", "median", "lower", "upper", "repeats"]
COLUMNS = {
    "figure-1": ["criterion", "search", "alpha", *SUMMARY],
    "figure-2": ["criterion", "search", "n", *SUMMARY],
    "figure-3": ["criterion", "search", "n", *SUMMARY],
    "figure-4": ["density", "criterion", "search", "d", *SUMMARY],
    "table-1": ["data", "key", "stand_in", "n", "d", "density", "on_in_a_point", "share_of_class_1"],
    "table-2": ["data", "key", "stand_in", "n", "criterion", "search", *SUMMARY],
    "figure-5": ["data", "key", "stand_in", "criterion", "search", "n", *SUMMARY],
    "figure-6": ["data", "key", "stand_in", "criterion", "search", "n", *SUMMARY],
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of everything small, with three data sets, one of them not of the paper."""
    folder = tmp_path_factory.mktemp("data")
    names = ("farm", "news20", "mine")
    return miniature({name: write_points(folder / f"{name}.svm", seed=i) for i, name in enumerate(names)})


@pytest.fixture(scope="module")
def run(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """Every experiment, once."""
    return reproduce(tmp_path_factory.mktemp("paper"), settings=settings)


def result_of(run: Reproduction, name: str) -> Result:
    return next(result for result in run.results if result.experiment.name == name)


def test_every_experiment_ran(run: Reproduction) -> None:
    assert [result.experiment.name for result in run.results] == list(EXPERIMENTS)
    assert len(EXPERIMENTS) == 9


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_table_and_picture(run: Reproduction, name: str) -> None:
    image = pytest.importorskip("matplotlib.image", reason="matplotlib, of the extra `plot`, is not installed")
    result = result_of(run, name)
    with result.csv.open(encoding="utf-8", newline="") as stream:
        written = list(csv.DictReader(stream))
    assert len(written) == len(result.table) > 0
    if name in COLUMNS:
        assert list(written[0]) == COLUMNS[name]
    assert result.picture is not None
    height, width = image.imread(result.picture).shape[:2]
    assert height > 500
    assert width > 1400
    assert all(len(row) == len(result.shown.columns) for row in result.shown.rows)
    assert result.shown.rows


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_claims_are_judged(run: Reproduction, name: str) -> None:
    claims = result_of(run, name).claims
    assert claims
    assert all(claim.text and claim.here and claim.paper for claim in claims)
    assert all(claim.holds in (True, False, None) for claim in claims)
    assert any(claim.holds is not None for claim in claims)


@pytest.mark.parametrize("name", ["figure-2", "figure-5", "figure-6"])
def test_cumulative_time_is_monotone(run: Reproduction, name: str) -> None:
    table = pick(result_of(run, name).table, quantity="seconds")
    series = {(row.get("key"), row["criterion"], row["search"]) for row in table}
    assert len(series) >= 7
    for key, criterion, search in series:
        points = line([row for row in table if row.get("key") == key], "n", criterion=criterion, search=search)
        assert points.x.size >= 8
        assert np.all(np.diff(points.x) > 0)
        assert points.median[0] > 0
        assert np.all(np.diff(points.median) >= 0)
        assert np.all((points.lower <= points.median) & (points.median <= points.upper))


def test_trees_stay_within_the_bound(run: Reproduction, settings: Settings) -> None:
    by_alpha = pick(result_of(run, "figure-1").table, quantity="trees")
    by_n = pick(result_of(run, "figure-2").table, quantity="trees")
    assert len(by_alpha) == 2 * len(settings.alphas)
    assert len(by_n) == 2 * settings.checkpoints
    for row in by_alpha:
        assert 1 <= row["lower"] <= row["upper"] <= tree_bound(row["criterion"], row["alpha"], settings.n)
    for row in by_n:
        assert 1 <= row["lower"] <= row["upper"] <= tree_bound(row["criterion"], settings.alpha, row["n"])


@pytest.mark.parametrize(
    ("criterion", "alpha", "n", "bound"),
    # By hand: 1.1^26 < log2 10000 = 13.29 < 1.1^28, of which the first is l = 28; 2^4 > 13.29; 3 of 2 (2.1) / 0.1 = 42.
    [("entropy", 0.1, 10_000, 58), ("entropy", 1.0, 10_000, 10), ("entropy", 5.0, 4, 4), ("gini", 0.1, 10, 43)],
)
def test_bound(criterion: Criterion, alpha: float, n: int, bound: int) -> None:
    assert tree_bound(criterion, alpha, n) == bound


def test_figure_3_is_figure_2_over_n(run: Reproduction) -> None:
    total = result_of(run, "figure-2").table
    single = result_of(run, "figure-3").table
    for row in pick(single, quantity="seconds_over_n"):
        same = {name: row[name] for name in ("criterion", "search", "n")}
        assert row["median"] * row["n"] == pytest.approx(value(total, quantity="seconds", **same))


def test_figure_4_varies_dimension_at_the_same_number_of_ones(run: Reproduction, settings: Settings) -> None:
    table = result_of(run, "figure-4").table
    for d in settings.dimensions:
        densities = {row["density"] for row in pick(table, d=d)}
        assert len(densities) == 1
        assert densities.pop() * (d + settings.d1) == pytest.approx(settings.d1 / 2 + 6, rel=0.15)
        assert len(pick(table, d=d, quantity="seconds")) == 7


def test_table_1_is_the_data(run: Reproduction) -> None:
    table = result_of(run, "table-1").table
    assert [row["key"] for row in table] == ["farm", "news20", "mine"]
    assert all((row["n"], row["d"]) == (300, row["d"]) and row["d"] <= 400 for row in table)
    claims = {claim.text: claim.holds for claim in result_of(run, "table-1").claims}
    # They are not the paper's, and are not called stand-ins either: somebody said that they are Farm and 20News.
    assert claims == {"Farm: n, d and density.": False, "20News: n, d and density.": False}


def test_the_paper_s_sizes() -> None:
    shapes = {key: (published.n, published.d, published.density) for key, published in PAPER.items()}
    assert shapes["farm"] == (4_143, 54_877, "0.0036")
    assert shapes["news20"] == (19_996, 1_355_191, "0.00033")


def test_certified_answers_are_the_exhaustive_ones(run: Reproduction) -> None:
    rows = [row for row in result_of(run, "findings").table if row.get("part") == "every update"]
    assert len(rows) == 3 * 2 * 3
    for row in rows:
        if row["search"] != "approximate":
            assert row["identical"]
            assert row["suboptimal"] == 0
        assert 1.0 <= row["worst_factor"] <= 1.1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_plain_baseline_agrees(criterion: Criterion) -> None:
    stream = binary_batch(*make_sparse(300, 3, 50, 0.1, seed=1))
    marks = np.asarray([100, 300], dtype=np.int64)
    seconds, score = _timing.plain_timed(criterion, *stream.as_numbers(), stream.n_features or 0, marks)
    finder = SplitFinder(criterion=criterion, search="exhaustive")
    finder.add_many(*make_sparse(300, 3, 50, 0.1, seed=1))
    best = finder.best()
    assert best is not None
    assert score == pytest.approx(best.score)
    assert 0 < seconds[0] < seconds[1]


def test_a_traced_run_is_the_trace() -> None:
    points = make_sparse(300, 3, 50, 0.1, seed=2)
    stream = binary_batch(*points)
    search = _core.SplitSearch("gini", "certified", 0.1)
    seconds, features, scores = _timing.run_traced(search, *stream.as_numbers(), np.asarray([150, 300], dtype=np.int64))
    trace = SplitFinder(criterion="gini").add_many(*points, trace=True)
    assert np.array_equal(features, trace.feature)
    assert np.array_equal(scores, trace.score, equal_nan=True)
    assert 0 < seconds[0] < seconds[1]


def changed(table: list[Row], factor: float, **equal: object) -> list[Row]:
    """Return a table in which the medians and quartiles of some rows are multiplied."""
    chosen = [id(row) for row in pick(table, **equal)]
    assert chosen
    scaled = dict.fromkeys(("median", "lower", "upper"), factor)
    return [
        {name: entry * scaled.get(name, 1.0) if name in scaled else entry for name, entry in row.items()}
        if id(row) in chosen
        else row
        for row in table
    ]


@pytest.mark.parametrize(
    ("name", "start", "equal"),
    [
        ("figure-1", "The trees of UpdEnt stay within", {"criterion": "entropy", "quantity": "trees"}),
        ("figure-1", "The certified search, which is exact, is faster than UpdGini", {"search": "certified"}),
        ("figure-2", "The trees stay within", {"criterion": "gini", "quantity": "trees"}),
        ("figure-2", "The number of non-empty trees of UpdGini remains", {"criterion": "gini", "quantity": "trees"}),
        ("figure-4", "The certified search for entropy", {"criterion": "entropy", "search": "certified"}),
        ("table-2", "Farm: UpdEnt", {"key": "farm", "criterion": "entropy", "search": "approximate"}),
        ("table-2", "mine: the certified search for Gini", {"key": "mine", "criterion": "gini", "search": "certified"}),
        ("findings", "UpdEnt is 17 ×", {"part": "whole stream", "criterion": "entropy", "search": "approximate"}),
    ],
)
def test_claims_fail_where_the_numbers_say_so(
    run: Reproduction, settings: Settings, name: str, start: str, equal: dict[str, object]
) -> None:
    result = result_of(run, name)
    spoilt = result.experiment.claims(changed(result.table, 1e6, **equal), settings)
    verdicts = [claim.holds for claim in spoilt if claim.text.startswith(start)]
    assert verdicts
    assert not any(verdicts)


def test_claims_hold_where_the_numbers_say_so(run: Reproduction, settings: Settings) -> None:
    table = changed(result_of(run, "findings").table, 1e-6, part="whole stream", search="approximate")
    claims = findings.EXPERIMENT.claims(table, settings)
    assert [claim.holds for claim in claims if "× as fast" in claim.text] == [True] * 4


def test_an_experiment_alone(tmp_path: Path) -> None:
    result = figure_2.reproduce(tmp_path / "new", replace(miniature(), repeats=1))
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["figure-2.csv", "figure-2.png", "pieces"]
    assert {row["search"] for row in result.table} == {*SEARCHES, "counting"}


def test_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^reproduce: names must be among figure-1, .*, got 'figure-7'$"):
        reproduce(tmp_path / "out", ["figure-7"])
    assert not (tmp_path / "out").exists()


def test_without_data_texts_are_generated() -> None:
    sources = available(miniature())
    assert [(source.key, source.stand_in) for source in sources] == [("text", True)]
    assert [reason.split(" ")[0] for reason in left_out(miniature())] == ["Author", "Farm", "SRAA", "20News"]


def test_a_folder_says_what_is_a_stand_in(tmp_path: Path) -> None:
    write_points(tmp_path / "author-gender" / "author-gender.shuf.svm.gz")
    write_points(tmp_path / "farm" / "farm.orig.svm.gz")
    settings = replace(miniature(), folder=tmp_path)
    assert [(source.name, source.stand_in) for source in available(settings)] == [("Author", True), ("Farm", False)]
    assert len(left_out(settings)) == 2
    run = reproduce(tmp_path / "out", ["table-1"], settings)
    assert [claim.holds for claim in run.claims] == [None, False]
    assert "Author: a stand-in: " in run.markdown.read_text(encoding="utf-8")


def test_a_data_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^reproduce: data must be a file in the svmlight format, got farm="):
        reproduce(tmp_path, ["table-1"], miniature({"farm": tmp_path / "absent"}))


def test_large_data_sets_are_cut_short_unless_full(tmp_path: Path) -> None:
    data = {"news20": write_points(tmp_path / "news20.svm")}
    cut = replace(miniature(data), benchmark_points=120, large=100)
    run = reproduce(tmp_path / "out", ["table-1", "table-2"], cut)
    assert {row["n"] for row in result_of(run, "table-2").table} == {120}
    assert {row["n"] for row in result_of(run, "table-1").table} == {300}
    assert Settings.full().benchmark_points is None
    assert len(Settings.full().dimensions) == 96
    assert Settings.full().repeats == 100


def test_summarise() -> None:
    rows: list[Row] = [{"a": 1, "x": x} for x in (1.0, 2.0, 3.0, 4.0, 10.0)] + [{"a": 2, "x": None}]
    spread = {"median": 3.0, "lower": 2.0, "upper": 4.0, "repeats": 5}
    assert summarise(rows, ("a",), ("x", "y")) == [{"a": 1, "quantity": "x", **spread}]


def test_tally() -> None:
    claims = [Claim("", "", "", holds) for holds in (True, True, False, None)]
    assert tally(claims) == "2 of 3 claims hold; 1 could not be judged"
    assert [claim.verdict for claim in claims] == ["yes", "yes", "no", "–"]
