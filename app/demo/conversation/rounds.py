"""Questions that build on answers, and several at once."""

from __future__ import annotations

from typing import Final

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ListRootsRequest

from ..answers import plain
from ..declare import Json, hints, tool
from .asking import (
    ELICITATION,
    ROOTS,
    Answers,
    Asked,
    Outcome,
    cannot_be_asked,
    converse,
)
from .folders import told_roots
from .forms import form, refusal

_WHERE: Final[Json] = {
    "type": "object",
    "properties": {
        "place": {"type": "string", "enum": ["Kyoto", "Lisbon", "Oslo"], "default": "Oslo"}
    },
    "required": ["place"],
}


def _when(place: str) -> Json:
    return {
        "type": "object",
        "properties": {
            "day": {
                "type": "string",
                "title": f"Day of departure to {place}",
                "format": "date",
                "default": "2027-04-01",
            },
            "nights": {"type": "integer", "minimum": 1, "maximum": 30, "default": 3},
        },
        "required": ["day", "nights"],
    }


class RoundTools:
    """One call in two rounds."""

    @tool("Plan a trip", hints(read_only=True, open_world=False))
    async def plan_a_trip(self, ctx: Context) -> Outcome:
        """Asks where to, and then two things at once: when, and for the folders that your client
        lets servers see. From 2026-07-28 on these are rounds of one call."""
        return cannot_be_asked(ctx, ELICITATION, ROOTS) or await converse(ctx, _step)


def _step(answers: Answers) -> dict[str, Asked] | CallToolResult:
    if (where := answers.get("where")) is None:
        return {"where": form("Where shall the trip go?", _WHERE)}
    if (refused := refusal(where)) is not None:
        return refused
    place = str((where.get("content") or {}).get("place"))
    when, roots = answers.get("when"), answers.get("roots")
    if when is None or roots is None:
        wanted: dict[str, Asked] = {}
        if when is None:
            wanted["when"] = form(f"When shall the trip to {place} begin?", _when(place))
        if roots is None:
            wanted["roots"] = ListRootsRequest()
        return wanted
    if (refused := refusal(when)) is not None:
        return refused
    content = when.get("content") or {}
    trip = f"{content.get('nights')} nights in {place} from {content.get('day')}."
    return plain(f"{trip}\n{told_roots(roots)}")
