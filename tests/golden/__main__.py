"""``python -m golden``: record the digests."""

import argparse

from golden import GROUPS, write

parser = argparse.ArgumentParser(prog="golden", description="Record golden digests.")
parser.add_argument("--write", action="store_true", required=True, help="record them in tests/golden/recorded")
parser.add_argument("groups", nargs="*", metavar="group", help=f"which: {', '.join(GROUPS)}; by default all")
arguments = parser.parse_args()
write(arguments.groups or GROUPS)
