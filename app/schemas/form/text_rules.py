"""Patterns that can be decided by comparing texts.

A pattern is the server's: running it as a regular expression could take any time. Most patterns
for names of properties only fix how they begin or end, and that much can be said without one.
"""

from __future__ import annotations

import re
from typing import Final

_LITERAL: Final = re.compile(r"(?:[^\\^$.|?*+()\[\]{}]|\\[-_./@:#])*")
_EVERYTHING: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$", "(.*)"})
_ONE_LINE: Final = frozenset({"^.*$", "^(.*)$", "^.+$", ".+", "."})
_BREAKS: Final = re.compile("[\n\r\u2028\u2029]")
"""What a dot does not take."""


def obeys(pattern: str, text: str) -> bool | None:
    """Whether an ECMA-262 pattern is found in a text; None where that needs the real thing."""
    if pattern in _EVERYTHING:
        return True
    if pattern in _ONE_LINE:
        return None if _BREAKS.search(text) else bool(text) or "*" in pattern
    starts = pattern.startswith("^")
    body = pattern[1:] if starts else pattern
    if body.endswith(".*"):
        body, ends = body[:-2], False
    elif body.endswith((".*$", ".+$")):
        return None if not _LITERAL.fullmatch(body[:-3]) else _rest(body, text, starts)
    else:
        ends = body.endswith("$") and not body.endswith("\\$")
        body = body[:-1] if ends else body
    if not _LITERAL.fullmatch(body):
        return None
    literal = re.sub(r"\\(.)", r"\1", body)
    if starts and ends:
        return text == literal
    if starts:
        return text.startswith(literal)
    return text.endswith(literal) if ends else literal in text


def _rest(body: str, text: str, starts: bool) -> bool | None:
    literal = re.sub(r"\\(.)", r"\1", body[:-3])
    if not starts or _BREAKS.search(text):
        return None
    least = len(literal) + (1 if body.endswith(".+$") else 0)
    return text.startswith(literal) and len(text) >= least
