"""The same points as files, in every format and compression."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import random
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from benchmarks.micro.workloads import DATA, SEED, Unavailable
from sapwood.datasets import make_sparse, make_text
from sapwood.stream import write_svmlight

REAL = {
    "a9a": "a9a/a9a.shuf.svm.gz",
    "news20-bigrams": "news20-bigrams/news20-bigrams.shuf.svm.gz",
    "author-gender": "author-gender/author-gender.shuf.svm.gz",
}


class File(NamedTuple):
    """A file, and the bytes of its text."""

    path: Path
    n_bytes: int


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that the processor spends on this process meanwhile."""
    start = time.process_time()
    work()
    return time.process_time() - start


def clock_seconds(work: Callable[[], object]) -> float:
    """Return the seconds that go by meanwhile."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def texts(n: int) -> tuple[csr_array, np.ndarray[tuple[int], np.dtype[np.uint8]]]:
    """Return texts of about 50 of 50,000 words."""
    return make_text(n, seed=SEED)


def svmlight(folder: Path, name: str, X: csr_array, y: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> File:
    """Write points in the svmlight format."""
    path = folder / f"{name}.svm"
    with path.open("wb") as file:
        write_svmlight(file, X, y)
    return File(path, path.stat().st_size)


def svmlight_files(folder: Path, n: int, notes: list[str]) -> Iterator[tuple[str, File]]:
    """Yield plain svmlight files: synthetic ones, and those real ones that are there."""
    yield "texts", svmlight(folder, "texts", *texts(n))
    yield "the paper's stream", svmlight(folder, "sparse", *make_sparse(3 * n, 10, 10_000, 0.001, seed=SEED))
    for name, where in REAL.items():
        try:
            yield name, _unpacked(folder, name, DATA / where, 400 * n)
        except Unavailable as reason:  # noqa: PERF203 - a handful of files
            notes.append(f"Skipped: {reason}.")


def _unpacked(folder: Path, name: str, source: Path, most: int) -> File:
    if not source.is_file():
        raise Unavailable(f"{name}: set SAPWOOD_DATA to the folder that holds {source.parent.name}/{source.name}")
    path = folder / f"{name}.svm"
    with gzip.open(source) as packed:
        text = packed.read(most)
    path.write_bytes(text[: text.rfind(b"\n") + 1])
    return File(path, path.stat().st_size)


def formats(folder: Path, n: int) -> Iterator[tuple[str, File]]:
    """Yield the same texts as text, CSV and JSON lines."""
    X, y = texts(n)
    rows = [X.indices[start:stop].tolist() for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    labels = ["ham" if label else "spam" for label in y.tolist()]
    lines = {
        "text": [f"{label}\t{' '.join(f'word{j}' for j in row)}" for label, row in zip(labels, rows, strict=True)],
        # Wide tables have few cells of interest: twenty of the numbers, as numbers and as strings.
        "csv": [
            ",".join([*(f"c{k}" for k in range(20)), "label"]),
            *(
                ",".join([*(str(j % 2) for j in row[:10]), *(f"v{j}" for j in row[:10]), label])
                for label, row in zip(labels, rows, strict=True)
                if len(row) >= 10
            ),
        ],
        "jsonl": [
            json.dumps({"words": [f"word{j}" for j in row], "length": len(row), "label": label})
            for label, row in zip(labels, rows, strict=True)
        ],
    }
    for name, each in lines.items():
        path = folder / f"texts.{'tsv' if name == 'text' else name}"
        path.write_text("\n".join(each) + "\n", encoding="ascii")
        yield name, File(path, path.stat().st_size)


def compressed(folder: Path, file: File, notes: list[str]) -> Iterator[tuple[str, File]]:
    """Yield a file compressed in every way that can be read here."""
    text = file.path.read_bytes()
    packers: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    if find_spec("zstandard") is None:
        notes.append("Skipped: zst, as zstandard is not installed; install the extra 'zstd'.")
    else:
        import zstandard

        packers["zst"] = zstandard.ZstdCompressor().compress
    for extension, pack in packers.items():
        path = folder / f"{file.path.name}.{extension}"
        path.write_bytes(pack(text))
        yield extension, File(path, file.n_bytes)


def vowpal_wabbit(file: File) -> File:
    """Write the points of an svmlight file as Vowpal Wabbit's lines."""
    path = file.path.with_suffix(".vw")
    with file.path.open() as source, path.open("w") as target:
        for line in source:
            label, _, features = line.rstrip("\n").partition(" ")
            target.write(f"{1 if label == '1' else -1} | {features}\n")
    return File(path, path.stat().st_size)


def arff_tables(folder: Path, n: int) -> Iterator[tuple[str, File]]:
    """Yield the same table as dense and as sparse ARFF: eight numbers, most of them 0, and two categories."""
    draw = random.Random(SEED)
    numbers = "".join(f"@attribute n{i} numeric\n" for i in range(8))
    words = "@attribute c {red,green}\n@attribute s {'a b',c}\n@attribute class {no,yes}\n"
    head = f"@relation r\n{numbers}{words}@data\n"
    usual = ["0"] * 8 + ["red", "'a b'", "no"]
    rows = [
        [
            *(f"{draw.random():.4f}" if draw.random() < 0.3 else "0" for _ in range(8)),
            *map(draw.choice, (["red", "green"], ["'a b'", "c"], ["no", "yes"])),
        ]
        for _ in range(n)
    ]
    pairs = ([f"{i} {cell}" for i, cell in enumerate(row) if cell != usual[i]] for row in rows)
    ways = {"dense": map(",".join, rows), "sparse": ("{" + ", ".join(row) + "}" for row in pairs)}
    for name, lines in ways.items():
        path = folder / f"{name}.arff"
        path.write_text(head + "\n".join(lines) + "\n", encoding="ascii")
        yield name, File(path, path.stat().st_size)


# ---- files that other readers read, too ------------------------------------------------------------------------------


def english(folder: Path, n: int) -> File:
    """Write labelled texts whose words are as long and as frequent as those of English, with capitals and stops."""
    draw = random.Random(SEED)
    # Short words are frequent: the length of the word of rank r grows with its logarithm, about 4.7 on average.
    ranks = range(1, 30_001)
    lengths = [max(1, round(draw.gauss(2 + 0.62 * math.log(r + 1), 1.5))) for r in ranks]
    words = ["".join(draw.choices("etaoinshrdlucmfwypvbgkjqxz", k=length)) for length in lengths]
    shares = list(accumulate(1 / (r + 2) for r in ranks))
    path = folder / "english.tsv"
    with path.open("w", encoding="ascii") as file:
        for i in range(n):
            chosen = draw.choices(words, cum_weights=shares, k=100)
            chosen[::12] = [f". {word.capitalize()}" for word in chosen[::12]]
            file.write(f"{'ham' if i % 2 else 'spam'}\t{' '.join(chosen)}\n")
    return File(path, path.stat().st_size)


def mixed_table(folder: Path, n: int) -> File:
    """Write a table of numbers, categories, flags and missing cells as CSV."""
    draw = random.Random(SEED)
    path = folder / "people.csv"
    with path.open("w", encoding="ascii") as file:
        file.write("age,income,country,job,member,score,city,label\n")
        for _ in range(n):
            row = (
                str(draw.randrange(18, 90)),
                f"{draw.random() * 1e5:.2f}",
                draw.choice(["fi", "se", "no", "dk", ""]),
                draw.choice(["teacher", '"engineer, civil"', "nurse", "clerk"]),
                draw.choice(["true", "false"]),
                f"{draw.random():.6f}",
                f"city{draw.randrange(500)}",
                draw.choice(["yes", "no"]),
            )
            file.write(",".join(row) + "\n")
    return File(path, path.stat().st_size)


def objects(folder: Path, n: int) -> File:
    """Write objects with numbers, texts, flags, a list and an object within, as JSON lines."""
    draw = random.Random(SEED)
    path = folder / "people.jsonl"
    with path.open("w", encoding="ascii") as file:
        for _ in range(n):
            person = {
                "age": draw.randrange(18, 90),
                "income": round(draw.random() * 1e5, 2),
                "country": draw.choice(["fi", "se", "no", "dk"]),
                "member": draw.random() < 0.5,
                "score": round(draw.random(), 6),
                "tags": draw.sample(["red", "green", "blue", "old", "new"], 2),
                "user": {"city": f"city{draw.randrange(500)}", "visits": draw.randrange(20)},
                "label": draw.choice(["yes", "no"]),
            }
            file.write(json.dumps(person) + "\n")
    return File(path, path.stat().st_size)
