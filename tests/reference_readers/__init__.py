"""The readers of lines and tables in plain Python: what the native ones must equal on any input."""
