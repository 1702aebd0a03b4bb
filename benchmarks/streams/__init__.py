"""Benchmarks of the readers and of the command line: `python -m benchmarks.streams [names...] [--quick]`.

Times are those that the processor spent on this process, in one thread, where nothing else is said: other work on the
machine does not count.
"""
