"""Where secrets stand in a text that assigns them: `name=value`, `name: value`, `--name value`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .secret_names import counts_something, is_secret_name, words_of
from .secret_shapes import looks_random

JUDGED_MAX = 256
"""Characters of a value that are looked at, to tell whether it is a secret."""

_RANDOM_WORDS = frozenset({"signature", "sig", "key", "hmac", "nonce", "code"})
"""Words under which a value in a URL or an assignment is masked where it looks random."""

PLACEHOLDER = re.compile(r"\[masked: [^\[\]]{1,60}\]\Z")
"""What a secret was masked with before."""
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]{1,200}+)(?P<closed>\\{0,4}+[\"']?)"
    r"(?:(?P<op>[ \t]{0,3}+[=:＝：][ \t]{0,3}+)|(?P<gap>[ \t]{1,3}+))"
)
_QUOTED = re.compile(r"(?P<open>\\{1,4}+\"|\"|')")
_BARE = re.compile(r"[^\s&;\"'<>]++")
_LINE = re.compile(r"[^\r\n\"']++")
_WHOLE_LINE = frozenset({"authorization", "cookie", "credentials"})
_UP_TO_SEMICOLON = re.compile(r"[^;\r\n\"']*+")
_BLANKS = " \t"
NUMBERS = re.compile(r"[\d.,]+[,;}\])]*")
"""What counts something, and is no secret under a name that counts."""


def assigned_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where the values begin and end that are secret by their names, or by their looks, too."""
    at = 0
    runs = _Runs(text)
    while (match := _ASSIGNED.search(text, at)) is not None:
        at = match.end()
        name = match.group("name")
        if match.group("op") is None and not name.startswith("-"):
            continue
        span = _span(text, match, runs) if _may_be_secret(name) else None
        if span is not None:
            yield span
            at = span[1]


def _may_be_secret(name: str) -> bool:
    words = words_of(name)
    return is_secret_name(name) or (bool(words) and words[-1] in {*_RANDOM_WORDS, "pin"})


class _Runs:
    """Where values without quotes end. One run of `a=b=c=...` holds thousands of assignments: its
    end is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0

    def end_of(self, start: int) -> int:
        """The end of the value that begins there; `start` where there is none."""
        if start >= self._end:
            found = _BARE.match(self._text, start)
            self._end = found.end() if found else start
        return self._end


def _span(text: str, match: re.Match[str], runs: _Runs) -> tuple[int, int] | None:
    """Where the secret of an assignment stands; None where it is none."""
    name, start = match.group("name"), match.end()
    words = words_of(name)
    is_sure = is_secret_name(name)
    is_colon = (match.group("op") or "").strip() in (":", "：")
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        begin = quoted.end()
        end = _closing(text, begin, quoted.group())
    elif is_colon and is_sure and words[-1] in _WHOLE_LINE and (line := _LINE.match(text, start)):
        begin, end = start, line.end()
    elif not is_colon and is_sure and _is_between_semicolons(text, match):
        # `Server=h;Password=a b;Encrypt=yes`: blanks belong to the value.
        found = _UP_TO_SEMICOLON.match(text, start)
        begin, end = start, found.end() if found else start
    else:
        begin, end = start, runs.end_of(start)
        if begin == end or (match.group("gap") and text[begin] == "-"):
            return None
        if is_colon and not match.group("closed") and not _stands_alone(text, end):
            is_sure = False
    # So much of it tells what it is.
    value = text[begin : min(end, begin + JUDGED_MAX)]
    if not value or PLACEHOLDER.match(value) or value.startswith("[masked:"):
        return None
    if words[-1] == "pin":
        return (begin, end) if value.isdigit() else None
    if value in ("true", "false", "null", "None") or (
        counts_something(words) and NUMBERS.fullmatch(value)
    ):
        return None
    return (begin, end) if is_sure or looks_random(value) else None


def _is_between_semicolons(text: str, match: re.Match[str]) -> bool:
    at = match.start()
    while at and text[at - 1] in _BLANKS:
        at -= 1
    return at > 0 and text[at - 1] == ";" and match.group("op") is not None


def _closing(text: str, begin: int, opening: str) -> int:
    """Where a quoted value ends; the end of the text where it is not closed."""
    quote = opening[-1]
    if len(opening) > 1:
        end = text.find(opening, begin)
        return len(text) if end < 0 else end
    end = begin
    while (end := text.find(quote, end)) >= 0:
        slashes = end
        while slashes > begin and text[slashes - 1] == "\\":
            slashes -= 1
        if (end - slashes) % 2 == 0:
            return end
        end += 1
    return len(text)


def _stands_alone(text: str, end: int) -> bool:
    """Whether nothing but the end of the line, or punctuation, follows a value."""
    while text[end : end + 1] and text[end] in _BLANKS:
        end += 1
    return end >= len(text) or text[end] in "\r\n#;&,\"'}"
