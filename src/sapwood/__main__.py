"""The command line, as `python -m sapwood`."""

from sapwood.cli import main

main()
