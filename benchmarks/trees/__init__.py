"""Benchmarks of the trees: accuracy, speed and memory, beside those of other libraries on the same points.

Run with ``python -m benchmarks.trees``. The other libraries are in the extra ``peers``; one that is absent is skipped,
and the report says so.
"""
