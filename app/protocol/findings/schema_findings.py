"""Findings on a schema of a definition: habits of other dialects, and invalid patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...content.json.jsonio import pointer
from ...schemas.faults import MAX_FAULTS, SHOWN, pattern_faults
from ...schemas.habits import LOST, habits, patterns_in, required_unknown
from ...schemas.messages import quote
from .findings import Finding, error, warning

if TYPE_CHECKING:
    from ...content.json.jsonio import JsonValue

_MAX_FOUND: Final = 10


def habit_findings(schema: JsonValue, key: str) -> list[Finding]:
    """The findings on the schema under this key of a definition."""
    is_output = key == "outputSchema"
    found: list[Finding] = []
    for one in habits(schema):
        path, message = pointer((key, *one.path)), f"{one.words}; {one.instead}"
        if is_output and one.is_refused:
            found.append(error("keyword-of-other-dialect", f"{message}; {LOST}", path))
        elif one.is_invalid:
            found.append(error("keyword-of-other-dialect", message, path))
        else:
            found.append(warning("keyword-of-other-dialect", message, path))
        if len(found) == _MAX_FOUND:
            break
    for place, names in required_unknown(schema):
        if len(found) < _MAX_FOUND:
            message = f"required, but not defined: {names}; add them, or remove the names"
            found.append(warning("required-unknown", message, pointer((key, *place))))
    return found


def pattern_findings(schema: JsonValue, key: str) -> tuple[Finding, ...]:
    """The same as findings on a definition, with patterns that are valid without `u` only.

    Under that flag TypeScript clients read them, each output schema while they list the tools.
    """
    from ...schemas.ecma_patterns import unicode_fault

    lost = f"; {LOST}" if key == "outputSchema" else ""
    invalid = dict(pattern_faults(schema))
    found = []
    for place, pattern in patterns_in(schema):
        path = pointer((key, *place))
        if place in invalid:
            found.append(error("invalid-pattern", f"{invalid[place]}{lost}", path))
        elif fault := unicode_fault(pattern):
            words = f"the pattern {quote(pattern, SHOWN)} is not valid with the u flag: {fault}"
            if lost:
                found.append(error("invalid-pattern", f"{words}{lost}", path))
            else:
                found.append(warning("invalid-pattern", words, path))
    return tuple(found[:MAX_FAULTS])
