"""Faults in the schemas of tools, found in the worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from ..content.json.jsonio import JsonValue
from ..content.text import visible
from ..protocol.findings.findings import Finding
from ..protocol.findings.schema_findings import pattern_findings
from ..protocol.tool import ToolDefinition
from ..sandbox.worker import WorkerMissing, WorkerStopped, run_limited
from ..schemas.faults import schema_fault
from ..schemas.habits import habits

MOST_NODES: Final = 5_000
"""Values of a schema; the time to check one grows with their square."""


_AT_ONCE: Final = 50


async def faults_of(tools: Iterable[ToolDefinition]) -> Faults:
    """Check the schemas of tools, in a worker; faults by the places of the tools."""
    asked = [
        (tool.index, key, schema)
        for tool in tools
        for key, schema in (
            ("inputSchema", tool.input_schema),
            ("outputSchema", tool.output_schema),
        )
        if isinstance(schema, dict) and schema
    ]
    found = Faults({}, {})
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        schemas = [(key, schema) for _, key, schema in some]
        for (index, key, _), (fault, patterns) in zip(some, await _faults(schemas), strict=True):
            if fault:
                before = found.schemas.get(index, ("", ""))
                is_output = key == "outputSchema"
                found.schemas[index] = (before[0], fault) if is_output else (fault, before[1])
            if patterns:
                found.patterns[index] = (*found.patterns.get(index, ()), *patterns)
    return found


class Faults(NamedTuple):
    """Faults in the schemas of tools: by the place of a tool, as `Subject` has it."""

    schemas: dict[int, tuple[str, str]]
    patterns: dict[int, tuple[Finding, ...]]


async def _faults(
    schemas: list[tuple[str, dict[str, JsonValue]]],
) -> list[tuple[str, tuple[Finding, ...]]]:
    """Of several schemas at once; one by one where they are too much together."""
    try:
        return await run_limited(schemas_faults, schemas)
    except WorkerMissing:
        raise
    except WorkerStopped as stopped:
        if len(schemas) == 1:
            return [(f"it cannot be checked: {visible(stopped.reason)}", ())]
    return [fault for schema in schemas for fault in await _faults([schema])]


def schemas_faults(
    schemas: list[tuple[str, dict[str, JsonValue]]],
) -> list[tuple[str, tuple[Finding, ...]]]:
    """Return the fault of each schema, or "", and the findings on its patterns."""
    found = []
    for key, schema in schemas:
        # Those are findings of their own, with what to write.
        besides = [one.path for one in habits(schema) if one.is_invalid]
        fault = schema_fault(schema, MOST_NODES, besides)
        found.append((fault, pattern_findings(schema, key)))
    return found
