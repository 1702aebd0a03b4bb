"""Benchmarks of forests: accuracy and time beside a single tree and river's forests."""
