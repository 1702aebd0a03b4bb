"""Harnesses that run for as long as asked: ``python -m tests.reliability.<name> --seconds 60``."""
