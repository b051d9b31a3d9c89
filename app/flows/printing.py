"""Lines on standard output and standard error, whatever the terminal can show."""

from __future__ import annotations

import sys
from typing import Any


def say(line: str) -> None:
    """One line on standard output."""
    print(encodable(line, sys.stdout))


def complain(line: str) -> None:
    """One line on standard error, after the name of the program."""
    print(f"signoff: {encodable(line, sys.stderr)}", file=sys.stderr)


def encodable(text: str, stream: Any) -> str:
    """A terminal that is not UTF-8 gets escapes for the signs it has not."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
