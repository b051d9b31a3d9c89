"""The register of finding codes: every code, its severity, and its meaning.

Codes are stable: scripts and audit logs are read by them. A code that is not here is a fault
(`tests/protocol/findings/test_finding_codes.py`), and the table of the manual is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .codes_of_calls import ANSWER, CALLING
from .codes_of_drafts import CARD, EXPERIMENTAL, SKILL
from .codes_of_servers import DEFINITION, LISTS, OFFERED, PAGES, PROTOCOL, SIGN_IN, WIRE
from .findings import ERROR, NOTE, WARNING, Code, of_severity
from .spec_sections import section_behind

OURS: Final = {
    **of_severity(
        ERROR,
        {
            "audit-unwritable": "the audit log cannot be written: calls that may destroy stop",
            "fault": "internal error; its trace is in a file",
        },
    ),
    **of_severity(
        WARNING,
        {
            "capture-failed": "`--capture` stopped writing; the earlier part is kept",
            "arguments-not-kept": "earlier arguments could not be kept",
            "store-failed": "the store could not be read or written",
            "store-unusable": "the store cannot be used: approvals are not remembered",
        },
    ),
    **of_severity(
        NOTE,
        {
            "approvals-voided": "approvals were revoked because the definition or the program "
            "changed"
        },
    ),
}
"""Codes of findings about Signoff itself."""

GROUPS: Final[Mapping[str, Mapping[str, Code]]] = {
    "a definition": DEFINITION,
    "a resource, a template or a prompt": OFFERED,
    "a call": CALLING,
    "a response": ANSWER,
    "pages (`--pages`)": PAGES,
    "a list": LISTS,
    "the protocol": PROTOCOL,
    "the wire": WIRE,
    "the sign-in": SIGN_IN,
    "a draft (`--experimental`)": EXPERIMENTAL,
    "a skill": SKILL,
    "a server card": CARD,
    "Signoff itself": OURS,
}
CODES: Final[Mapping[str, Code]] = {
    code: row for group in GROUPS.values() for code, row in group.items()
}


def meaning_of(code: str) -> str:
    """The meaning of a code of the register, in words."""
    return CODES[code].meaning


def table() -> str:
    """The register as a Markdown table; cited is the newest revision with such a rule."""
    lines = ["| finding | severity | seen in | meaning | specification |", "|---|---|---|---|---|"]
    for group, rows in GROUPS.items():
        for code, row in rows.items():
            severity = " or ".join(one.value for one in row.severities)
            section = section_behind(code)
            cited = f"[{section.words}]({section.url})" if section is not None else ""
            lines.append(f"| `{code}` | {severity} | {group} | {row.meaning} | {cited} |")
    return "\n".join(lines)
