"""Streams of labelled points from files and pipes: svmlight, text, CSV and JSON lines, plain or compressed."""

from sapwood.stream._ahead import ReadAhead
from sapwood.stream._batch import Batch
from sapwood.stream._errors import LineError, StreamError
from sapwood.stream._formats import FORMATS
from sapwood.stream._reader import ON_ERROR, Errors, Reader, read
from sapwood.stream._svmlight_writer import write_svmlight

__all__ = [
    "FORMATS",
    "ON_ERROR",
    "Batch",
    "Errors",
    "LineError",
    "ReadAhead",
    "Reader",
    "StreamError",
    "read",
    "write_svmlight",
]
