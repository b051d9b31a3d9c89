"""The colours of a unified diff, line by line; every sign stays."""

from __future__ import annotations

import re

_HEADER = re.compile(
    r"(?:diff |index |Index: |={20}|--- |\+\+\+ |old mode |new mode |new file |deleted file "
    r"|similarity |rename |copy |Binary files )"
)


def diff_style(line: str) -> str:
    """The style of one line: a rich style, or one of the names success, error, accent, ""."""
    if _HEADER.match(line):
        return "bold"
    return {"+": "success", "-": "error", "@": "accent", "\\": "muted"}.get(line[:1], "")
