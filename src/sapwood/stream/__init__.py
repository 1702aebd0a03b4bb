"""Streams of labelled points from files and pipes: svmlight, text, CSV and JSON lines, plain or compressed."""

from sapwood.data import Batch
from sapwood.stream._ahead import ReadAhead
from sapwood.stream._errors import LineError, StreamError
from sapwood.stream._formats import FORMATS, format_by_name
from sapwood.stream._reader import ON_ERROR, Errors, Reader, read
from sapwood.stream._svmlight_writer import write_all, write_svmlight
from sapwood.stream.encoding import Encoding

__all__ = [
    "FORMATS",
    "ON_ERROR",
    "Batch",
    "Encoding",
    "Errors",
    "LineError",
    "ReadAhead",
    "Reader",
    "StreamError",
    "format_by_name",
    "read",
    "write_all",
    "write_svmlight",
]
