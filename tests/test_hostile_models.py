"""Model files changed on purpose, with right checksums: refused as they are read, or they serve like any other."""

from __future__ import annotations

import json
import math
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from reliability.mutated_models import FINE, models, mutated, trial

import sapwood
from sapwood.exceptions import ModelFormatError
from sapwood.model_files import tree_file
from sapwood.model_files.keys import decode_keys, encode_keys
from sapwood.model_files.sections import pack, unpack


def changed(data: bytes, **sections: bytes) -> bytes:
    """A file with other sections and the checksums of these."""
    return pack({**unpack(data), **sections})


@pytest.fixture(scope="module")
def seeds() -> list[bytes]:
    return models(7)


@pytest.mark.parametrize("part", range(4))
def test_mutated_models_are_refused_or_serve(seeds: list[bytes], part: int) -> None:
    choice = random.Random(part)
    outcomes = {trial(mutated(choice.choice(seeds), choice)) for _ in range(300)}
    assert outcomes == FINE


REGRESSIONS = Path(__file__).parent / "reliability" / "regressions"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("path", sorted(REGRESSIONS.iterdir()), ids=lambda path: path.stem)
def test_files_that_once_broke_the_promise_are_refused_or_serve(path: Path) -> None:
    assert trial(path.read_bytes()) in FINE


@pytest.fixture(scope="module")
def following() -> bytes:
    """The file of a tree that follows its stream, and has an alternate beside its root."""
    tree = sapwood.StreamingTreeClassifier(leaf_prediction="majority", drift=True)
    choice = random.Random(3)
    for i in range(6000):
        words = [word for word in "abcd" if choice.random() < 0.5]
        tree.learn_one(words, ("a" in words) ^ (i > 3000))
        done = tree.summary()
        if done.n_alternates_started > done.n_alternates_swapped + done.n_alternates_dropped:
            return tree.to_bytes()
    raise AssertionError("no alternate was begun")


@pytest.mark.parametrize(
    ("place", "count", "message"),
    [
        (0, -1, r"drifts must be from 0 to 2\^60, got -1"),
        (1, 2**60 + 1, r"alternates_started must be from 0 to 2\^60, got 1152921504606846977"),
        (2, 2**63 - 1, r"alternates_swapped must be from 0 to 2\^60"),
        (3, -(2**63), r"alternates_dropped must be from 0 to 2\^60"),
        (1, 0, "the alternates are not as many as were begun and not ended"),
        (1, 2**60, "the alternates are not as many as were begun and not ended"),
        (2, 2**60, "the alternates are not as many as were begun and not ended"),
        (3, 2**60, "the alternates are not as many as were begun and not ended"),
    ],
)
def test_alternates_are_as_many_as_a_file_says(following: bytes, place: int, count: int, message: str) -> None:
    tree = unpack(following)["tree"]
    at = tree.rindex(b"\x06growth") + 7 + 8 + 8 * place
    with pytest.raises(ModelFormatError, match=message):
        tree_file.from_bytes(changed(following, tree=tree[:at] + struct.pack("<q", count) + tree[at + 8 :]))


@pytest.mark.parametrize("trust", [(0.0, 0.5, 0.5), (0.5, 0.6, 0.4), (2.0, -0.5, -0.5), (math.nan, 0.5, 0.5)])
def test_trust_in_trees_is_shares_above_nothing(trust: tuple[float, ...]) -> None:
    """With nothing left for an answer, a heavy point that all others get wrong would leave nothing to divide by."""
    forest = sapwood.StreamingForestClassifier(n_estimators=2)
    forest.learn_many([["a"], ["b"]] * 20, [0, 1] * 20)
    data = forest.to_bytes()
    tree = unpack(data)["tree"]
    core: Any = forest.learner.fitted().tree
    told = struct.pack("<3d", *core.trust())
    assert tree.count(told) == 1
    with pytest.raises(ModelFormatError, match="the trust in"):
        tree_file.from_bytes(changed(data, tree=tree.replace(told, struct.pack("<3d", *trust))))


@pytest.mark.parametrize("words", [b"\x1b[31mre", b"op\n\r\ton", "\u202eopts".encode()])
def test_a_refusal_says_nothing_of_a_file_that_a_terminal_would_obey(seeds: list[bytes], words: bytes) -> None:
    data = next(data for data in seeds if "tree" in unpack(data))
    tree = unpack(data)["tree"]
    with pytest.raises(ModelFormatError, match="must have the section 'options' here, got ") as refused:
        tree_file.from_bytes(changed(data, tree=tree.replace(b"\7options", b"\7" + words, 1)))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("name", ['{"float":"nan"}', '{"tuple":[1,{"float":"nan"}]}'])
def test_a_feature_that_does_not_equal_itself_is_refused(seeds: list[bytes], name: str) -> None:
    names = json.loads(unpack(seeds[2])["features"])
    names[0] = json.loads(name)
    features = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
    with pytest.raises(ModelFormatError, match="features must equal themselves, got "):
        tree_file.from_bytes(changed(seeds[2], features=features))


def test_a_feature_that_does_not_equal_itself_is_not_learned() -> None:
    tree = sapwood.HoeffdingTreeClassifier()
    tree.learn_one(["a"], "x")
    for name in (math.nan, ("a", math.nan), ("a", (1, math.nan))):
        with pytest.raises(ValueError, match="features must equal themselves, got"):
            tree.learn_one([name], "x")
        tree.predict_one(["a"])
    assert tree.features_seen_ == ["a"]


def test_a_class_with_points_must_have_a_name(seeds: list[bytes]) -> None:
    [data] = [each for each in seeds if json.loads(unpack(each)["estimator"])["class_order"] == [0, 1]][:1]
    about = json.loads(unpack(data)["estimator"])
    about["class_order"] = [0]
    with pytest.raises(ModelFormatError, match="class_order must have every class with points, got 1"):
        tree_file.from_bytes(changed(data, estimator=json.dumps(about).encode(), classes=b'["no"]'))


def test_a_page_is_written_in_one_way() -> None:
    """Records of zeros are left out, counts are as short as they can be, and no page is empty."""
    tree = sapwood.HoeffdingTreeClassifier(leaf_prediction="naive_bayes")
    for label in ("many", "one"):
        tree.learn_one(["a"], label)
    sections = unpack(tree.to_bytes())
    record = b"\x01\x00\x00\x00\x01\x00\x01\x01\x01\x00\x00\x00"  # one page; its record; one folder
    assert record in sections["tree"]
    for page, words in (
        (b"\x00\x00\x01\x01", "a page must have the records that are not all zero"),
        (b"\x01\x00\x00\x00", "a page must have the records that are not all zero"),
        (b"\x03\x00\x01\x01\x00\x00", "a page must have the records that are not all zero"),
        (b"\x01\x00\x81\x00\x01", "in its shortest form"),
        (b"\x01\x00\x81\x80\x80\x80\x10\x01", "a number of 32 bits"),
    ):
        tampered = sections["tree"].replace(record, record[:4] + page + record[8:], 1)
        at = tampered.index(b"\x06models") + 7
        grown = len(page) - 4
        size = struct.pack("<Q", struct.unpack_from("<Q", tampered, at)[0] + grown)
        with pytest.raises(ModelFormatError, match=words):
            tree_file.from_bytes(changed(tree.to_bytes(), tree=tampered[:at] + size + tampered[at + 8 :]))


def test_naive_bayes_counts_at_most_the_points_of_each_class() -> None:
    tree = sapwood.HoeffdingTreeClassifier(leaf_prediction="naive_bayes")
    for _ in range(200):
        tree.learn_one(["a"], "many")
    tree.learn_one(["a"], "one")
    sections = unpack(tree.to_bytes())
    # A page with the record of the one feature: 200 points of the first class and one of the second. Pages come
    # before nodes.
    record = b"\x01\x00\xc8\x01\x01"
    assert record in sections["tree"]
    for other in (b"\x01\x00\xc8\x01\x02", b"\x01\x00\xc9\x01\x01"):
        tampered = sections["tree"].replace(record, other, 1)
        with pytest.raises(ModelFormatError, match="a feature must be on in at most the points of its class"):
            tree_file.from_bytes(changed(tree.to_bytes(), tree=tampered))


# Numbers and tuples of which thousands have one hash.
MODULUS = 2**61 - 1
FLOODS: dict[str, list[Any]] = {
    "integers": [MODULUS * i for i in range(8, 30_008)],
    "negative integers": [-MODULUS * i for i in range(8, 30_008)],
    "tuples": [("a", MODULUS * i) for i in range(30_000)],
    "deep tuples": [(1, (MODULUS * i,)) for i in range(30_000)],
}


# Tuples take seconds: each is compared with others by its text.
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(names, id=kind, marks=pytest.mark.slow if "tuples" in kind else ())
        for kind, names in FLOODS.items()
    ],
)
def test_features_of_one_hash_are_features_like_others(names: list[Any]) -> None:
    # One by one in a dictionary they take minutes.
    assert len(set(map(hash, names[:100]))) == 1
    tree = sapwood.HoeffdingTreeClassifier(leaf_prediction="majority")
    tree.learn_one(names, "x")
    tree.learn_one(names[:10], "y")
    assert tree.features_seen_ == names
    assert type(tree).from_bytes(tree.to_bytes()).features_seen_ == names
    assert decode_keys(encode_keys(names)) == names
    with pytest.raises(ModelFormatError, match="keys must be unique"):
        decode_keys(encode_keys(names)[:-1] + b"," + encode_keys(names[5:6])[1:])


@pytest.mark.parametrize(
    "group",
    [
        (2**70, float(2**70)),
        (-(2**70), float(-(2**70))),
        ((1, "a"), (1.0, "a"), (True, "a")),
        ((2**70, "a"), (2.0**70, "a")),
        ((1, (0.5, b"x")), (1.0, (0.5, b"x"))),
    ],
)
def test_equal_names_are_one_feature(group: tuple[Any, ...]) -> None:
    tree = sapwood.HoeffdingTreeClassifier()
    for name in group:
        tree.learn_one([name], "x")
    assert tree.features_seen_ == [group[0]]


def test_names_that_look_alike_are_different_features() -> None:
    names: list[Any] = [
        "(0x1,)", (1,), ("0x1",), (b"0x1",), ((1,),), (1, 1), (1.5,), ("1.5",), (None,), ("None", 1), (None, 1),
        2**70, hex(2**70), (2**70,), (hex(2**70),), ("'", 1), ('"', 1), ("a,", 1), ("a", ",", 1),
    ]  # fmt: skip
    tree = sapwood.HoeffdingTreeClassifier()
    tree.learn_one(names, "x")
    assert tree.features_seen_ == names
    assert type(tree).from_bytes(tree.to_bytes()).features_seen_ == names


def test_classes_of_one_hash_are_refused(seeds: list[bytes]) -> None:
    about = json.loads(unpack(seeds[2])["estimator"])
    labels = encode_keys([MODULUS * i for i in range(8, 108)])
    with pytest.raises(ModelFormatError, match="classes must have different hashes, got 100 that have the same"):
        tree_file.from_bytes(changed(seeds[2], classes=labels, estimator=json.dumps(about).encode()))
