"""The command `sapwood`."""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command, or say in one sentence what it needs."""
    missing = [module for module in ("typer", "rich") if importlib.util.find_spec(module) is None]
    if missing:
        print(
            f"sapwood: {' and '.join(missing)} must be installed, got nothing by that name; "
            f"install with: pip install 'sapwood[cli]'",
            file=sys.stderr,
        )
        sys.exit(1)
    from sapwood.cli.app import app

    app()
