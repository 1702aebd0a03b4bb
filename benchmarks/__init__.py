"""Benchmarks: seeded, offline, stable by name; every figure is a ratio within one run."""
