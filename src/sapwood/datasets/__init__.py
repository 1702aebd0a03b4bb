"""Streams of sparse binary points: synthetic ones, and the data sets of the paper."""

from sapwood.datasets._read import LabelledMatrix
from sapwood.datasets.author import load_author
from sapwood.datasets.download import HOMES, Home
from sapwood.datasets.sparse import make_sparse
from sapwood.datasets.svmlight import load_farm, load_news20, load_sraa, load_svmlight
from sapwood.datasets.text import CHANGES, DRIFTS, make_text

__all__ = [
    "CHANGES",
    "DRIFTS",
    "HOMES",
    "Home",
    "LabelledMatrix",
    "load_author",
    "load_farm",
    "load_news20",
    "load_sraa",
    "load_svmlight",
    "make_sparse",
    "make_text",
]
