"""The readers of text, CSV and JSON lines in plain Python: what the native ones must equal on any input."""
