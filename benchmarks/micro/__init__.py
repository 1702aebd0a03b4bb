"""Micro benchmarks, one a module: `python -m benchmarks.micro [names...] [--quick]`.

Each module has `run(quick)`, which measures and returns a `Report`; its name is the module's.
"""
