"""The data set Author, from its texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from os import PathLike

import numpy as np

from sapwood.datasets._arguments import as_count, as_csr
from sapwood.datasets._read import LabelledMatrix, check_published, locate, opened
from sapwood.datasets.download import HOMES

__all__ = ["load_author"]

# The data set numbers its fifty authors; these are the women among them, those under a man's name included: Wharton,
# Eliot, Austen, Manning, Sedgwick, Burnett, Mathers, Bird, Winter (Stannard), Malet (Kingsley), Corelli, Jewett, Ellis.
_WOMEN = frozenset({4, 5, 9, 24, 27, 31, 34, 36, 42, 43, 44, 46, 47})


def load_author(
    path: str | PathLike[str] | None = None,
    *,
    words: int = 100,
    url: str | None = None,
    cache: str | PathLike[str] | None = None,
) -> LabelledMatrix:
    """Load Author: snippets of Victorian novels, with label 1 where the author is a woman.

    The source is the Victorian Era Authorship Attribution of UCI (Güngör, 2018), the file with texts and authors. The
    paper uses snippets of 100 words where the file has texts of 1,000, and does not say how they were cut: here a point
    is the set of the first `words` words of a text. The features are the words of the file in alphabetical order.

    Without a path the archive is downloaded, from `url` if given, into the folder `cache`, or the default folder of
    pooch. Unless a `url` is given, the data must have the size of the paper's Table 1. The path may be that of the
    archive or of the file within it.
    """
    words = as_count("load_author", "words", words, least=1)
    local = locate("load_author", "author", path, url, cache)
    with opened("load_author", local, HOMES["author"].member) as stream:
        # The file is not UTF-8; Latin-1 reads every byte, and the words themselves are plain letters.
        rows = csv.DictReader(io.TextIOWrapper(stream, encoding="latin-1", newline=""))
        if not {"text", "author"} <= set(rows.fieldnames or ()):
            raise ValueError(f"load_author: {local} must have the columns text and author, got {rows.fieldnames}")
        points = _from_rows(rows, words)
    if path is None and url is None:
        check_published("load_author", "author", points, local)
    return points


def _from_rows(rows: Iterable[dict[str, str]], words: int) -> LabelledMatrix:
    vocabulary: set[str] = set()
    texts: list[frozenset[str]] = []
    labels: list[int] = []
    for row in rows:
        tokens = row["text"].split()
        vocabulary.update(tokens)
        texts.append(frozenset(tokens[:words]))
        labels.append(int(int(row["author"]) in _WOMEN))
    number = {word: i for i, word in enumerate(sorted(vocabulary))}
    lengths = np.fromiter((len(text) for text in texts), np.int64, len(texts))
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.fromiter(
        (i for text in texts for i in sorted(number[word] for word in text)), np.int32, int(indptr[-1])
    )
    return as_csr(indptr, indices, len(number)), np.asarray(labels, dtype=np.uint8)
