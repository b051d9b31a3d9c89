"""What the calls of one tool came to, as `signoff evidence` tells it."""

from __future__ import annotations

from dataclasses import dataclass

from ...analysis.evidence.claims import ClaimVerdict, Standing
from ...calls.call import Call
from ...calls.deeds import Seen
from ...content.json.jsonio import JsonValue
from ...protocol.tool import ToolDefinition


@dataclass(frozen=True, slots=True)
class ToolEvidence:
    """One tool with one set of arguments: its calls, and how its hints stand after them."""

    tool: ToolDefinition
    arguments: dict[str, JsonValue]
    calls: tuple[Call, ...]
    verdicts: tuple[ClaimVerdict, ...]
    problem: str = ""
    """Why it was not called, in words that are safe to show."""
    ending: Seen | None = None
    """What the server did at its end for these calls."""

    @property
    def is_contradicted(self) -> bool:
        return any(one.standing is Standing.CONTRADICTED for one in self.verdicts)
