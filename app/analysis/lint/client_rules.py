"""Rules on what client libraries cannot read: found where definitions are read, by a table."""

from __future__ import annotations

from typing import Final

from ...protocol.findings import Severity
from .rule import Rule, seen_already
from .sample import giving, sample, with_keys

_ROW: Final = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
_UPPER: Final = {"type": "object", "properties": {"key": {"type": "string", "pattern": "^\\p{Lu}"}}}

RULES: Final = (
    Rule(
        "clients-lose-tools",
        Severity.ERROR,
        "some client libraries refuse the whole list of tools",
        "One entry that they cannot read costs the server all of its tools there, without a word.",
        "Change the member at the path; signoff compat lists each client.",
        seen_already("clients-lose-tools"),
        (with_keys(sample("read_row", readOnlyHint=True), title=None),),
        (sample("read_row", readOnlyHint=True),),
    ),
    Rule(
        "clients-reject-results",
        Severity.ERROR,
        "some client libraries reject every result of the tool",
        "They cannot use its output schema, so no result reaches the program or the model.",
        "Change the schema at the path; signoff compat lists each client.",
        seen_already("clients-reject-results"),
        (giving(_UPPER),),
        (giving(_ROW),),
    ),
)
