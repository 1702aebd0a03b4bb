"""A reproduction that was interrupted goes on where it was, and mixes nothing that does not belong together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from miniature import miniature

from sapwood.paper import EXPERIMENTS, Settings
from sapwood.paper.experiment import Piece, complete
from sapwood.paper.rows import Row
from sapwood.paper.store import Store

SETTINGS = replace(miniature(), repeats=2)


def pieces_in(folder: Path) -> dict[str, int]:
    """The finished pieces, and when each was written."""
    return {path.relative_to(folder).as_posix(): path.stat().st_mtime_ns for path in folder.rglob("*.json")}


def run_pieces(folder: Path, settings: Settings = SETTINGS, *names: str) -> list[str]:
    """Run what is not yet done of some experiments, Figure 4 by default, and return what was run."""
    events: list[str] = []
    pieces = [piece for name in names or ("figure-4",) for piece in EXPERIMENTS[name].pieces(settings)]
    complete(pieces, Store(folder), lambda what, *_: events.append(what))
    return [event for event in dict.fromkeys(events) if event != "done"]


def test_a_second_run_runs_nothing(tmp_path: Path) -> None:
    first = run_pieces(tmp_path)
    before = pieces_in(tmp_path)
    assert len(first) == len(before) == 4
    assert run_pieces(tmp_path) == []
    assert pieces_in(tmp_path) == before


def test_figures_2_and_3_share_their_pieces(tmp_path: Path) -> None:
    assert len(run_pieces(tmp_path, SETTINGS, "figure-2")) == 2
    assert run_pieces(tmp_path, SETTINGS, "figure-3") == []


def test_findings_share_the_pieces_of_the_figures(tmp_path: Path) -> None:
    run_pieces(tmp_path, SETTINGS, "figure-1", "figure-2", "figure-6")
    assert run_pieces(tmp_path, SETTINGS, "findings", "table-2", "figure-5") == []


def test_more_repeats_run_only_what_is_new(tmp_path: Path) -> None:
    run_pieces(tmp_path)
    before = pieces_in(tmp_path)
    assert run_pieces(tmp_path, replace(SETTINGS, repeats=3)) == [
        "dimension: d-100-repeat-2",
        "dimension: d-300-repeat-2",
    ]
    assert before.items() <= pieces_in(tmp_path).items()


def test_another_seed_runs_all(tmp_path: Path) -> None:
    run_pieces(tmp_path)
    assert len(run_pieces(tmp_path, replace(SETTINGS, seed=9))) == 4


def test_another_build_runs_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_pieces(tmp_path)
    monkeypatch.setattr("sapwood.paper.store._made_by", lambda: {"core": "another"})
    assert len(run_pieces(tmp_path)) == 4


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"rows": []}'])
def test_a_broken_piece_is_run_again(tmp_path: Path, broken: str) -> None:
    run_pieces(tmp_path)
    (tmp_path / "dimension" / "d-100-repeat-1.json").write_text(broken, encoding="utf-8")
    assert run_pieces(tmp_path) == ["dimension: d-100-repeat-1"]


def test_an_interrupt_keeps_the_finished_pieces(tmp_path: Path) -> None:
    runs: list[str] = []

    def piece(name: str, *, fails: bool = False) -> Piece:
        def run(_: object) -> list[Row]:
            if fails:
                raise KeyboardInterrupt
            runs.append(name)
            return [{"name": name}]

        return Piece("series", name, {"x": 1}, run)

    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        complete([piece("a"), piece("b"), piece("c", fails=True), piece("d")], store)
    assert sorted(pieces_in(tmp_path)) == ["series/a.json", "series/b.json"]
    rows = complete([piece(name) for name in "abcd"], store)
    assert runs == ["a", "b", "c", "d"]
    assert [row for key in rows for row in rows[key]] == [{"name": name} for name in "abcd"]


def test_progress_goes_from_nothing_to_all(tmp_path: Path) -> None:
    shares: list[float] = []
    pieces = [piece for name in ("figure-1", "figure-4") for piece in EXPERIMENTS[name].pieces(SETTINGS)]
    complete(pieces, Store(tmp_path), lambda _, done, total: shares.append(done / total))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert len(shares) > 20
