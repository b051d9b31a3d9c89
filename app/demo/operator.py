"""Messages for the operator of the server: standard error, since standard output is the
protocol's."""

from __future__ import annotations

import sys


def tell(words: str) -> None:
    """One line of the server's log."""
    print(f"demo: {words}", file=sys.stderr, flush=True)
