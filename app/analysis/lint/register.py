"""Every rule by its code, the page that explains it, and the table of all in the manual."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from ...protocol.finding_codes import DEFINITION
from . import (
    belying_rules,
    client_rules,
    hint_rules,
    input_rules,
    list_rules,
    name_rules,
    output_rules,
    pin_rules,
    text_rules,
)
from .rule import Rule, seen_already

GROUPS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "hints": hint_rules.RULES,
    "names beside hints": belying_rules.RULES,
    "names": name_rules.RULES,
    "texts": text_rules.RULES,
    "input schemas": input_rules.RULES,
    "output schemas": output_rules.RULES,
    "the entry and the list": list_rules.RULES,
    "client libraries": client_rules.RULES,
    "since the baseline (`--pin`)": pin_rules.RULES,
}
_OWN: Final = {rule.code: rule for group in GROUPS.values() for rule in group}
_OTHERS: Final = {
    code: Rule(
        code,
        row.severities[0],
        row.meaning,
        "It is seen where definitions are read.",
        "Mend the place that is named.",
        seen_already(code),
    )
    for code, row in DEFINITION.items()
    if code not in _OWN
}
"""Findings about definitions of which nobody has written a page."""
RULES: Final[Mapping[str, Rule]] = {**_OWN, **_OTHERS}


def explained(rule: Rule) -> Iterator[str]:
    """The page of a rule, line by line."""
    yield f"{rule.code}   {rule.severity.value}"
    yield ""
    yield f"What   {rule.title}"
    yield f"Why    {rule.why}"
    yield f"Fix    {rule.fix}"
    if rule.pinned:
        yield from _example("In the baseline", rule.pinned)
    yield from _example("Has it", rule.bad)
    yield from _example("Has it not", rule.good)
    yield ""
    yield f'Off, or weighed otherwise, in a file for --rules:   [severity]   {rule.code} = "off"'


def _example(heading: str, entries: tuple[object, ...]) -> Iterator[str]:
    text = json.dumps(entries[0] if len(entries) == 1 else entries, indent=2)
    if not entries or len(text) > _LONGEST:
        return
    yield ""
    yield f"{heading}:"
    yield from (f"    {line}" for line in text.split("\n"))


_LONGEST: Final = 2_000


def table() -> str:
    """The register as a Markdown table."""
    lines = ["| rule | severity | looks at | what |", "|---|---|---|---|"]
    for group, rules in GROUPS.items():
        for rule in rules:
            lines.append(f"| `{rule.code}` | {rule.severity.value} | {group} | {rule.title} |")
    return "\n".join(lines)
