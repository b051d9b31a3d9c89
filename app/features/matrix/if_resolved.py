"""What hosts would decide with hints that a server resolves for given arguments (a draft)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ...approval.if_resolved import NO_HOST_RESOLVES, changed_decisions, changes_words
from ...approval.matrix import is_host
from ...approval.policies.policy import Policy
from ...content import html
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.text import shortened
from ...engine.calls.resolving import resolve_arguments
from ...presentation.escapes import markdown
from ...protocol.extensions.tool_resolution import Resolution
from ...protocol.tool import ToolDefinition
from ...schemas.secrets.masks import mask_text

if TYPE_CHECKING:
    from ...cli.targets.live import Options
    from ...engine.engine import Engine

TITLE: Final = "If hosts resolved hints"
NOTHING_CHANGES: Final = "no host would decide otherwise"
_SHOWN: Final = 200


@frozen
class ResolvedCall:
    """One tool with arguments: its resolution, and the hosts that would decide otherwise."""

    tool: ToolDefinition
    arguments: Mapping[str, JsonValue]
    """Secrets masked."""
    resolution: Resolution
    hosts: Mapping[str, tuple[str, str]]
    """Both decisions, by title."""

    @property
    def head(self) -> str:
        """The call and its hints; safe to show in one line."""
        given = json.dumps(self.arguments, ensure_ascii=True)
        words = self.resolution.words(self.tool.hints)
        shown = f"{self.tool.display_name} {shortened(given, _SHOWN)}"
        return f"{shown}: {shortened(mask_text(words), _SHOWN)}"

    @property
    def changes(self) -> str:
        """The hosts that would decide otherwise; empty without a resolution."""
        if not self.resolution.is_resolved:
            return ""
        return changes_words(self.hosts) or NOTHING_CHANGES

    def as_json(self) -> dict[str, Any]:
        return {
            "tool": self.tool.name,
            "arguments": dict(self.arguments),
            "resolution": self.resolution.as_json(self.tool.hints),
            "hosts": {name: {"static": a, "resolved": b} for name, (a, b) in self.hosts.items()},
        }


async def resolved_calls(
    options: Options,
    engine: Engine,
    columns: Sequence[Policy],
    inputs: Mapping[str, list[dict[str, JsonValue]]],
) -> list[ResolvedCall]:
    """Resolve each set of arguments once, in the order of the tools."""
    hosts = [one for one in columns if is_host(one)]
    found = []
    for tool in engine.tools:
        for arguments in inputs.get(tool.name, ()):
            one = await resolve_arguments(engine, tool, arguments)
            changed: dict[str, tuple[str, str]] = {}
            if one.is_resolved and one.hints is not None:
                changed = changed_decisions(tool, one.hints, hosts, engine.server.name)
            hiding = options.hiding(engine, tool, arguments)
            # The reason may quote an error of the server, which may repeat an argument.
            one = replace(one, reason=hiding.text(one.reason))
            found.append(ResolvedCall(tool, hiding.arguments or {}, one, changed))
    return found


def resolved_lines(calls: Sequence[ResolvedCall]) -> Iterator[str]:
    """A section below the table."""
    yield f"{TITLE} ({NO_HOST_RESOLVES})"
    for one in calls:
        yield f"  {one.head}"
        if one.changes:
            yield f"    {one.changes}"


def resolved_markdown(calls: Sequence[ResolvedCall]) -> str:
    """A section for the page in Markdown."""
    rows = (f"{one.head}; {one.changes}" if one.changes else one.head for one in calls)
    lines = [f"- {markdown(row)}" for row in rows]
    return "\n".join(["", f"## {TITLE}", "", f"{NO_HOST_RESOLVES.capitalize()}.", "", *lines, ""])


def resolved_html(calls: Sequence[ResolvedCall]) -> Iterator[str]:
    """A section for the page."""
    yield html.element("h2", html.text(TITLE))
    yield html.paragraph(f"{NO_HOST_RESOLVES.capitalize()}.")
    rows = [html.row((html.text(one.head), html.text(one.changes))) for one in calls]
    yield html.table(("tool, arguments, hints", "hosts"), rows)
