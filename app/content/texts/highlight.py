"""Colours for code and data: a lexer's tokens, as styled lines of safe text.

Nothing but the colours depends on the lexer; the characters are those of the text, each of the
hidden ones as its mark. JSON and YAML need no more than the line itself; for the rest pygments is
used, whose rules a text can make expensive: `highlighted` belongs into a worker with limits.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, TypeAlias

from ..frozen import frozen
from ..text import spans

Piece: TypeAlias = tuple[str, str]
"""Text and the name of its style: muted, accent, success, warning, key, mark, bold or ""."""
StyledLine: TypeAlias = list[Piece]

MAX_CHARACTERS = 400_000
LINE_MAX = 5_000
"""Longer lines have no colours: finding them would take longer than reading them is worth."""

MARK = "mark"

_JSON = re.compile(
    r'(?P<key>"[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*+:))|(?P<success>"[^"\\]*+(?:\\.[^"\\]*+)*+"?)'
    r"|(?P<warning>-?\d[\d.eE+-]*+)|(?P<accent>\b(?:true|false|null)\b)"
)
_YAML = re.compile(
    r"(?P<muted>(?:^|(?<=\s))#.*)|(?P<key>^\s*+(?:-\s++)*+[\w.\"'/-]{1,100}(?=:(?:\s|$)))"
    r"|(?P<accent>^(?:---|\.\.\.)|(?<=[:-]\s)[&*!|>][\w-]*+|\b(?:true|false|null)\b(?=\s*$))"
    r"|(?P<success>\"[^\"]*+\"|'[^']*+')|(?P<warning>(?<=[:-]\s)-?\d[\d.eE+-]*+(?=\s*$))"
)
_LOG = re.compile(
    r"(?P<muted>^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?[\d.,]*+Z?\]?)"
    r"|(?P<error>\b(?:ERROR|FATAL|CRITICAL)\b)|(?P<warning>\bWARN(?:ING)?\b)"
    r"|(?P<accent>\b(?:INFO|NOTICE)\b)"
)


@frozen
class HighlightRefused:
    """A text has no colours, for `reason`; it can be shown without them."""

    reason: str


def json_pieces(line: str) -> StyledLine:
    """One line of JSON; its strings cannot go on in the next."""
    return _lexed(_JSON, line)


def yaml_pieces(line: str) -> StyledLine:
    """One line of YAML, as far as a line by itself can tell."""
    return _lexed(_YAML, line)


def log_pieces(line: str) -> StyledLine:
    """One line of a log: when, and how bad."""
    return _lexed(_LOG, line)


def safe_pieces(text: str, style: str = "") -> StyledLine:
    """Draw raw text of one line in one style, hidden characters as marks; blanks are kept."""
    return [
        (span.text, MARK if span.mark else style)
        for span in spans(text, multiline=True, max_blanks=len(text), max_newlines=len(text))
    ]


def highlighted(text: str, language: str) -> list[StyledLine] | HighlightRefused:
    """The lines of a raw text with the colours of a language that pygments knows. Never raises.

    Takes as long as the text makes it take: call it in a worker.
    """
    if len(text) > MAX_CHARACTERS:
        return HighlightRefused(f"more than {MAX_CHARACTERS:,} characters")
    try:
        return _with_pygments(text, language)
    except Exception as error:  # pygments promises nothing about a stranger's text
        return HighlightRefused(f"no colours ({type(error).__name__})")


def _lexed(pattern: re.Pattern[str], line: str) -> StyledLine:
    if len(line) > LINE_MAX:
        return safe_pieces(line)
    found: StyledLine = []
    done = 0
    for match in pattern.finditer(line):
        if match.start() > done:
            found += safe_pieces(line[done : match.start()])
        found += safe_pieces(match.group(), match.lastgroup or "")
        done = match.end()
    return found + safe_pieces(line[done:]) if done < len(line) else found


def _with_pygments(text: str, language: str) -> list[StyledLine] | HighlightRefused:
    # Imported here because only a worker needs it; and it has no types.
    lexers: Any = importlib.import_module("pygments.lexers")
    lexer = lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False)
    lines: list[StyledLine] = [[]]
    length = 0
    # Not `get_tokens`, which would rewrite line breaks and drop a byte order mark.
    for _, token, value in lexer.get_tokens_unprocessed(text):
        style = _style_of(".".join(("Token", *token)))
        length += len(value)
        first, *others = value.split("\n")
        _add(lines[-1], first, style)
        for other in others:
            lines.append([])
            _add(lines[-1], other, style)
    if length != len(text):
        return HighlightRefused("no colours (the lexer left something out)")
    if not lines[-1]:
        lines.pop()
    return lines


def _add(line: StyledLine, text: str, style: str) -> None:
    for shown, name in safe_pieces(text, style):
        if line and line[-1][1] == name:
            line[-1] = (line[-1][0] + shown, name)
        else:
            line.append((shown, name))


_STYLES = (
    ("Token.Comment.Preproc", "accent"),
    ("Token.Comment", "muted"),
    ("Token.Keyword", "accent"),
    ("Token.Operator.Word", "accent"),
    ("Token.Literal.String", "success"),
    ("Token.Literal.Number", "warning"),
    ("Token.Name.Tag", "key"),
    ("Token.Name.Attribute", "key"),
    ("Token.Name.Function", "key"),
    ("Token.Name.Class", "key"),
    ("Token.Name.Decorator", "accent"),
    ("Token.Generic.Heading", "bold"),
)


def _style_of(token: str) -> str:
    return next((style for prefix, style in _STYLES if token.startswith(prefix)), "")
