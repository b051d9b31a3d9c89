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
DRAFTS_OF_DEFINITIONS: Final = frozenset(_FINDINGS)
"""Drafts that a server follows in the definitions of its tools alone."""


def draft_findings(tool: ToolDefinition) -> dict[str, tuple[Finding, ...]]:
    """The findings of each draft that the definition of a tool follows, by the draft's name."""
    made = {name: tuple(make(tool)) for name, make in _FINDINGS.items()}
    return {name: found for name, found in made.items() if found}


def with_drafts(
    tools: Iterable[ToolDefinition], names: Collection[str]
) -> tuple[ToolDefinition, ...]:
    """The tools with the findings of the drafts that are turned on; the same without any."""
    if not any(name in names for name in _FINDINGS):
        return tuple(tools)
    return tuple(
        replace(
            tool,
            findings=(
                *tool.findings,
                *(
                    one
                    for name, found in draft_findings(tool).items()
                    if name in names
                    for one in found
                ),
            ),
        )
        for tool in tools
    )
