"""What the command says of its end to the shell."""

from __future__ import annotations

__all__ = ["BROKEN_PIPE", "FAILED", "INTERRUPTED", "TERMINATED", "WRONG"]

FAILED = 1  # something that should work did not: a full disk, too little memory
WRONG = 2  # what was asked for cannot be done: an option, a file or a line in it is wrong
# As a shell reports of programs that these signals ended.
INTERRUPTED = 130  # Ctrl-C
BROKEN_PIPE = 141  # whoever read the output has left
TERMINATED = 143  # SIGTERM
