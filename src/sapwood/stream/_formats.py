"""Which format a stream is in."""

from __future__ import annotations

import re
from pathlib import PurePath

from sapwood.stream._errors import StreamError, shown

__all__ = ["COLUMNAR", "DELIMITERS", "FORMATS", "TABLES", "columnar_of", "format_by_name", "format_of"]

FORMATS = ("svmlight", "text", "csv", "jsonl", "vw", "fasttext", "arff", "parquet", "arrow")
TABLES = ("csv", "jsonl", "arff", "parquet", "arrow")
"""The formats whose points have columns, so that one can be read by what another says of them."""
COLUMNAR = ("parquet", "arrow")
"""Those of them that are no text."""
DELIMITERS = (",", ";", "\t", "|")

_COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}
_EXTENSIONS = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".vw": "vw",
    ".fasttext": "fasttext",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
# The beginning of a Parquet file, of an Arrow file, and of a stream of Arrow without a file around it.
_COLUMNAR = ((b"PAR1", "parquet"), (b"ARROW1\0\0", "arrow"), (b"\xff\xff\xff\xff", "arrow"))
_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_LABEL_ONLY = re.compile(rf"\s*{_NUMBER}\s*(#.*)?")
_SVMLIGHT = re.compile(rf"\s*{_NUMBER}\s+(qid|\d+):")
# A label, maybe an importance, and a bar behind a blank or a tag. A row of CSV has no blank there.
_VOWPAL_WABBIT = re.compile(rf" *{_NUMBER} +({_NUMBER} +)?('?[^\s|]*)?\|")
_ARFF = re.compile(r"\s*(%|@relation\b|@attribute\b)", re.IGNORECASE)


def format_by_name(file: str) -> str | None:
    """Return the format that the extension of a name says; None if it says none."""
    suffixes = [suffix.lower() for suffix in PurePath(file).suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _EXTENSIONS.get(suffixes[-1]) if suffixes else None


def columnar_of(sample: bytes) -> str | None:
    """Return the format of data that is no text, by its first bytes; None if these are of no such format."""
    return next((name for magic, name in _COLUMNAR if sample.startswith(magic)), None)


def format_of(sample: bytes, file: str) -> str:
    """Return the format of a stream: by the extension of its name where that says it, else by the first lines.

    Raises
    ------
    StreamError
        If neither says it.
    """
    if (by_name := format_by_name(file)) is not None:
        return by_name
    text = sample.decode(errors="replace")
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    first = next((line for line in lines if not _LABEL_ONLY.fullmatch(line.rstrip())), None)
    if first is None:
        # Points without a feature, if anything.
        recognised = "svmlight" if lines else None
    elif first.lstrip().startswith("{"):
        recognised = "jsonl"
    elif _SVMLIGHT.match(first):
        recognised = "svmlight"
    elif _ARFF.match(lines[0]):
        recognised = "arff"
    elif lines[0].startswith("__label__"):
        recognised = "fasttext"
    elif "\t" in lines[0]:
        recognised = "text"
    elif _VOWPAL_WABBIT.match(lines[0]):
        recognised = "vw"
    elif any(delimiter in lines[0] for delimiter in DELIMITERS):
        recognised = "csv"
    else:
        recognised = None
    if recognised is None:
        found = shown(lines[0].rstrip("\r")) if lines else "no line but blanks and comments"
        raise StreamError(
            file,
            "svmlight, label<TAB>text, CSV, JSON lines, ARFF, or the lines of Vowpal Wabbit or fastText (or a format "
            "that is said to be one of these)",
            found,
        )
    return recognised
