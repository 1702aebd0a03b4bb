"""What the learners, the split finder and the streams do, in digests: cases, and how each is computed.

Only the public interface is used, so that the digests outlive any change of what is behind it. A case is a field by
field account: a digest says that something differs, the numbers in plain text beside it help to see what. Floats count
to the last bit. Memory in bytes is left out everywhere, and so are the bytes of files.

``PYTHONPATH=tests python -m golden --write [group ...]`` records the digests, a file a group in
``tests/golden/recorded``.
"""

# Each enters its cases as it is imported.
from golden import split_finder, streams, trees_bounded, trees_real, trees_synthetic
from golden.case import CASES, Case
from golden.digest import rounding
from golden.record import FOLDER, differences, recorded, write

__all__ = [
    "CASES",
    "FOLDER",
    "GROUPS",
    "Case",
    "differences",
    "recorded",
    "rounding",
    "split_finder",
    "streams",
    "trees_bounded",
    "trees_real",
    "trees_synthetic",
    "write",
]

GROUPS = tuple(dict.fromkeys(group for group, _ in CASES))
