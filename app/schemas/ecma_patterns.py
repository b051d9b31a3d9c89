r"""Patterns of JSON Schema, as ECMA-262 means them. Matching one can take any time.

JSON Schema 2020-12, core, section 6.4: patterns should be ECMA-262 with the `u` flag. One that is a
regular expression only without that flag (`\_`, `\'`) is used as that: the clients that insist on
the flag are named elsewhere. The engine goes back and tries again, so this runs in a worker.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ..content.text import visible

if TYPE_CHECKING:
    from regress import Regex

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_NOBODYS: Final = "\uffff"
"""In place of half a character: the engine reads UTF-8, and this is in no class of characters."""
_REMEMBERED: Final = 256


class PatternFault(Exception):
    """A pattern that is not valid ECMA-262; its text is safe to show."""


def is_found(pattern: str, text: str) -> bool:
    """True if a pattern is found in a text. Raises PatternFault."""
    return _compiled(pattern).find(_SURROGATE.sub(_NOBODYS, text)) is not None


def pattern_fault(pattern: str) -> str:
    """The reason why a text is not an ECMA-262 pattern, or "". Nothing is matched."""
    try:
        _compiled(pattern)
    except PatternFault as fault:
        return str(fault)
    return ""


def unicode_fault(pattern: str) -> str:
    """The same of a pattern under the `u` flag, with which TypeScript clients read it."""
    return _tried(pattern, "u")[1]


@lru_cache(_REMEMBERED)
def _compiled(pattern: str) -> Regex:
    regex, fault = _tried(pattern, "u")
    if regex is None:
        regex, _ = _tried(pattern, "")
    if regex is None:
        raise PatternFault(fault)
    return regex


def _tried(pattern: str, flags: str) -> tuple[Regex | None, str]:
    from regress import Regex, RegressError

    escaped = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", pattern)
    try:
        return Regex(escaped, flags), ""
    except RegressError as error:
        return None, visible(str(error))
