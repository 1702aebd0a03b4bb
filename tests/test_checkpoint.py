"""Batches are learned as points are, and a checkpoint goes on as if it had never been written."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sapwood import ExtremelyFastDecisionTreeClassifier, HoeffdingTreeClassifier, load_model
from sapwood.checkpoint import Checkpoint, Encoding
from sapwood.datasets import make_text
from sapwood.exceptions import ModelFormatError
from sapwood.model_files.sections import pack, unpack
from sapwood.model_files.stream_note import StreamNote
from sapwood.stream import write_svmlight

TEXT = "".join(
    f"{'spam' if i % 3 else 'ham'}\tword{i % 7} {'prize' if i % 3 else 'lunch'} w{i % 11} number{i}\n"
    for i in range(900)
).encode()


def svmlight(n: int = 1500) -> bytes:
    file = io.BytesIO()
    X, y = make_text(n=n, d=500, seed=3)
    write_svmlight(file, X, y)
    return file.getvalue()


STREAMS = {
    "svmlight": (svmlight(), Encoding()),
    "text": (TEXT, Encoding(ngrams=2)),
    "hashed": (TEXT, Encoding(format="text", n_features=64)),
    "csv": (b"a,b,label\n" + b"1,red,x\n0.5,blue,y\n,green,z\n" * 200, Encoding()),
    "jsonl": (b'{"a": 1, "label": "x"}\n{"a": 2.5, "b": {"c": "red"}, "label": "y"}\n' * 300, Encoding()),
}
KINDS = (HoeffdingTreeClassifier, ExtremelyFastDecisionTreeClassifier)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("size", [7, 10_000])
def test_a_batch_is_learned_and_answered_as_its_points_are(name: str, kind: type, size: int) -> None:
    data, encoding = STREAMS[name]
    by_batch, by_point = kind(tau=0.2), kind(tau=0.2)
    for batch in encoding.open(io.BytesIO(data), batch_size=size):
        by_batch.learner.learn(batch)
        for x, label in batch.points():
            by_point.learn_one(x, label)
    assert by_batch.get_n_leaves() > 1
    assert by_batch.to_bytes() == by_point.to_bytes()
    for batch in encoding.open(io.BytesIO(data[: len(data) // 2].rpartition(b"\n")[0] + b"\n"), batch_size=size):
        answers = by_batch.learner.predict(batch).tolist()
        shares = by_batch.learner.predict_proba(batch)
        for (x, _), answer, row in zip(batch.points(), answers, shares.tolist(), strict=True):
            assert answer == by_point.predict_one(x)
            of_classes = by_point.predict_proba_one(x)
            assert row == [of_classes[label] for label in by_batch.classes_.tolist()]


def test_features_that_were_never_met_say_nothing() -> None:
    model = HoeffdingTreeClassifier()
    for batch in Encoding().open(io.BytesIO(b"spam\twin now\nham\tsee you\n")):
        model.learner.learn(batch)
    known = model.n_points_, model.features_seen_
    strange = io.BytesIO(b"so and so on\nwin nothing whatever\n")
    for batch in Encoding(format="text").open(strange, labelled=False):
        assert model.learner.predict(batch).tolist() == [model.predict_one([]), model.predict_one(["win"])]
    assert (model.n_points_, model.features_seen_) == known


def test_columns_are_no_names() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas, of the extra `pandas`, is not installed")
    model = HoeffdingTreeClassifier().fit(pandas.DataFrame({"a": [1, 0], "b": [0, 1]}), [0, 1])
    with pytest.raises(ValueError, match="must have named features"):
        model.learner.predict(next(Encoding().open(io.BytesIO(b"1 0:1\n"))))


def test_a_class_too_many_changes_nothing() -> None:
    model = HoeffdingTreeClassifier(search="approximate")
    model.learner.learn(next(Encoding().open(io.BytesIO(b"1 0:1\n2 1:1\n"))))
    before = model.to_bytes()
    with pytest.raises(ValueError, match="HoeffdingTreeClassifier"):
        model.learner.learn(next(Encoding().open(io.BytesIO(b"1 5:1\n3 1:1\n"))))
    assert model.to_bytes() == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STREAMS)
def test_going_on_from_any_checkpoint_gives_the_same_bytes(name: str, kind: type, tmp_path: Path) -> None:
    data, encoding = STREAMS[name]
    whole = Checkpoint(kind(tau=0.2), encoding)
    for i, batch in enumerate(encoding.open(io.BytesIO(data), batch_size=100)):
        whole.learn(batch)
        whole.save(tmp_path / str(i))
    whole.save(tmp_path / "whole")
    for i in (0, 3, 5):
        part = Checkpoint.load(tmp_path / str(i))
        assert (part.points, part.encoding) == ((i + 1) * 100, encoding)
        for batch in part.encoding.open(io.BytesIO(data), batch_size=33, start=part.points):
            part.learn(batch)
        part.save(tmp_path / "part")
        assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_checkpoint_is_a_model_and_a_model_is_none(tmp_path: Path) -> None:
    state = Checkpoint(HoeffdingTreeClassifier(), Encoding())
    state.learn(next(Encoding().open(io.BytesIO(svmlight(50)))))
    state.save(tmp_path / "m")
    model = load_model(tmp_path / "m")
    assert model.to_bytes() == state.model.to_bytes()
    model.save(tmp_path / "m")
    with pytest.raises(ModelFormatError, match="must have a position in a stream"):
        Checkpoint.load(tmp_path / "m")


NOTE = StreamNote(5, Encoding(format="csv", label="x", ignore=("a", "b"), delimiter=";")).to_bytes()


@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        NOTE.replace(b"5", b"-5"),
        NOTE.replace(b"5", b"true"),
        NOTE.replace(b"csv", b"xls"),
        NOTE.replace(b'"x"', b"7"),
        NOTE.replace(b'["a", "b"]', b"[1]"),
        NOTE.replace(b'"ngrams": 1', b'"ngrams": 77'),
        NOTE.replace(b'"ngrams": 1', b'"ngrams": 2'),
        NOTE.replace(b'"binarize": 0.0', b'"binarize": NaN'),
        NOTE.replace(b'"binarize": 0.0', b'"binarize": []'),
        NOTE.replace(b'"delimiter"', b'"more": 1, "delimiter"'),
        NOTE.replace(b": ", b":"),
    ],
)
def test_a_note_that_was_not_written_is_refused(note: bytes) -> None:
    assert StreamNote.from_bytes(NOTE).points == 5
    refusal = "the section stream must hold points and encoding, got "
    with pytest.raises(ModelFormatError, match=rf"^{refusal}"):
        StreamNote.from_bytes(note)
    model = HoeffdingTreeClassifier()
    model.learn_one(["a"], 1)
    sections = {**unpack(model.to_bytes()), "stream": note}
    with pytest.raises(ModelFormatError, match=rf"^HoeffdingTreeClassifier\.from_bytes: {refusal}"):
        HoeffdingTreeClassifier.from_bytes(pack(sections))


@pytest.mark.parametrize(
    ("options", "message"), [({"ngrams": 0}, "from 1 to 9"), ({"ngrams": 2, "format": "csv"}, "be 1 for")]
)
def test_an_encoding_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"Encoding: ngrams must .*{message}"):
        Encoding(**options)  # type: ignore[arg-type]  # any of its fields
