"""What drafts of extensions add to the definition of a tool, as findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from ..findings.findings import Finding
from ..tool import ToolDefinition
from . import action_metadata, display_templates

_FINDINGS: Final[dict[str, Callable[[ToolDefinition], Iterator[Finding]]]] = {
    display_templates.NAME: display_templates.template_findings,
    action_metadata.NAME: action_metadata.action_findings,
}


def with_drafts(
    tools: Iterable[ToolDefinition], names: Collection[str]
) -> tuple[ToolDefinition, ...]:
    """The tools with the findings of the drafts that are turned on; the same without any."""
    made = [make for name, make in _FINDINGS.items() if name in names]
    if not made:
        return tuple(tools)
    return tuple(
        replace(tool, findings=(*tool.findings, *(one for make in made for one in make(tool))))
        for tool in tools
    )
