"""Whether a text looks like Markdown, without a parser for it."""

from __future__ import annotations

import re

from ..json.jsonio import JsonError, parse

MAX_BYTES = 32_000
"""Of UTF-8; what is longer is not laid out."""

_JSON_OR_XML = re.compile(r"\s*[{<]")
_LOG_LINE = re.compile(
    r"(?m)^(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b"
    r"|@@ |diff --git |\+\+\+ )"
)
_SIGNS = (
    (2, re.compile(r"(?m)(?:\A\s*|\n[ \t]*\n)#{1,6} \S.*(?:\n[ \t]*(?:\n|\Z)|\Z|\n[^#\s])")),
    (2, re.compile(r"(?m)^ {0,3}```[ \t]*$")),
    (2, re.compile(r"(?m)\|[^|\n]*\n[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|[-:| \t]*$")),
    (2, re.compile(r"\[[^\]\n]{1,200}\]\((?:https?://|/|#|mailto:)[^)\s]{1,500}\)")),
    (1, re.compile(r"(?<!\*)\*\*(?=\S)[^*\n]{1,200}\*\*(?!\*)")),
    (1, re.compile(r"(?<!`)`[^`\n]{1,100}`(?!`)")),
    (1, re.compile(r"(?m)^> \S")),
    (1, re.compile(r"(?m)^(?:[-*+]|\d{1,3}\.) \S.*\n+(?:[-*+]|\d{1,3}\.) \S")),
)


def looks_like_markdown(text: str) -> bool:
    """A guess, on the side of no: JSON, XML, logs and patches are not Markdown."""
    if _JSON_OR_XML.match(text) or len(text.encode("utf-8", "replace")) > MAX_BYTES:
        return False
    if len(_LOG_LINE.findall(text)) * 3 > text.count("\n") + 1:
        return False
    if sum(weight for weight, sign in _SIGNS if sign.search(text)) < 2:
        return False
    try:
        parse(text)
    except JsonError:
        return True
    return False
