"""The exit codes of the command."""

from __future__ import annotations

__all__ = ["BROKEN_PIPE", "FAILED", "INTERRUPTED", "TERMINATED", "WRONG"]

FAILED = 1  # a failure of the system: a full disk, too little memory
WRONG = 2  # an option, a file or a line in it is wrong
# As a shell reports of programs that these signals ended.
INTERRUPTED = 130  # Ctrl-C
BROKEN_PIPE = 141  # the reader of the output closed the pipe
TERMINATED = 143  # SIGTERM
