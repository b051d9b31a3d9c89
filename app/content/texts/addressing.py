"""Text that addresses a model: it instructs it, or is about its permissions.

Findings, rules of lint and the difference of two definitions use these patterns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_USER: Final = r"(?:the |any |your )?(?:users?|humans?|persons?|people|customers?)"
INSTRUCTS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*"
    r"(?:previous|prior|earlier|above|other|preceding)\s+"
    r"(?:\w+\s+)?(?:instructions?|prompts?|rules|messages|guidelines|tools?)\b"
    rf"|\b(?:do not|don't|never|must not|without)\s+"
    rf"(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|reveal(?:ing)?"
    rf"|show(?:ing)?|ask(?:ing)?|alert(?:ing)?|warn(?:ing)?)\s+(?:\w+\s+){{0,4}}?{_USER}\b"
    r"|\b(?:before|prior to|instead of)\s+(?:using|calling|invoking|running)"
    r"\s+any\s+other\s+tools?\b"
    r"|</?(?:important|system|instructions?|secret|admin)>"
    r"|\b(?:read|open|cat|load|send|include|attach|upload|pass)\s+(?:\S+\s+){0,8}?"
    r"\S{0,40}?(?:~/\.ssh\b|\bid_rsa\b)",
    re.IGNORECASE,
)
"""A path of keys alone is data, such as the default of a parameter."""
_LIMITS: Final = r"(?:restrictions?|limitations?|guidelines|guardrails|polic(?:y|ies)|training)"
_PERMISSION: Final = r"(?:access|permissions?|authori[sz]ation|rights|privileges|clearance)"
ABOUT_MODEL: Final = re.compile(
    r"\b(?:originally|previously|formerly|initially|until now|in the past|before(?: this)?),?\s+"
    r"you\s+(?:did not|didn't|could not|couldn't|were not|weren't|had no)\b"
    r"|\byou\s+(?:originally|previously|formerly|initially)\s+"
    r"(?:did not|didn't|could not|couldn't|had no|lacked)\b"
    r"|\b(?:you|and|but)\s+(?:were|have been|had been)\s+(?:\w+\s+)?"
    r"(?:advised|instructed|trained|told|taught|programmed|ordered)\s+to\s+"
    r"(?:refuse|decline|reject|deny)\b"
    r"|\bnow\s+(?:grants?|gives?|allows?|permits?|authori[sz]es)\s+you\s+"
    rf"(?:[\w-]+\s+){{0,4}}?(?:{_PERMISSION}\b|to\s+(?:ignore|bypass|override|access)\b)"
    rf"|\byou\s+(?:now\s+have|have\s+now)\s+(?:[\w-]+\s+){{0,3}}?{_PERMISSION}\b"
    r"|\byou\s+are\s+now\s+(?:allowed|permitted|authori[sz]ed|free|cleared)\s+to\b"
    rf"|\byour\s+(?:\w+\s+)?{_LIMITS}\s+"
    r"(?:do(?:es)?\s+not|don't|doesn't|no\s+longer)\s+appl(?:y|ies)\b",
    re.IGNORECASE,
)

_LOOKED_AT: Final = 20_000
"""Characters of a text that are searched."""


def addressing(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each place that addresses a model, in order of the patterns.

    Invisible characters inside of it do not hide it.
    """
    for pattern in (INSTRUCTS, ABOUT_MODEL):
        yield from places(pattern, text)


def places(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each place of one of the two patterns; likewise."""
    looked_at = text[:_LOOKED_AT]
    if looked_at.isascii():
        if _may_match(pattern, looked_at.lower()):
            yield from (found.span() for found in pattern.finditer(looked_at))
        return
    at = [place for place, char in enumerate(looked_at) if not _is_invisible(char)]
    for found in pattern.finditer("".join(looked_at[place] for place in at)):
        yield at[found.start()], at[found.end() - 1] + 1


_NEEDED: Final[dict[re.Pattern[str], tuple[tuple[tuple[str, ...], ...], ...]]] = {
    INSTRUCTS: (
        (("ignore", "disregard", "forget", "override"),),
        (
            ("do not", "don't", "never", "must not", "without"),
            ("user", "human", "person", "people", "customer"),
        ),
        (("before", "prior to", "instead of"), ("other",), ("tool",)),
        (("important>", "system>", "instruction>", "instructions>", "secret>", "admin>"),),
        (("~/.ssh", "id_rsa"),),
    ),
    ABOUT_MODEL: (
        (
            ("you",),
            (
                *("originally", "previously", "formerly", "initially", "until now"),
                *("in the past", "before", "now", "refuse", "decline", "reject", "deny", "appl"),
            ),
        ),
    ),
}
"""Words without which no part of a pattern is found: of each group of one row, one."""


def _may_match(pattern: re.Pattern[str], lowered: str) -> bool:
    """False if a text cannot match; this costs a fraction of the pattern."""
    return any(
        all(any(word in lowered for word in words) for words in row) for row in _NEEDED[pattern]
    )


def _is_invisible(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char) in ("Cf", "Mn")
