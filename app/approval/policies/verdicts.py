"""Verdicts, and what a policy may know of a call to come to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ...content.json.jsonio import JsonValue
from ...protocol.definitions.history import Seen
from ...protocol.rpc import CALL_METHOD
from ...protocol.tools import ToolDefinition
from ...protocol.trust import Trust
from ..grants import Grant
from .trials import NOTHING_TRIED, Tried


class VerdictAnswer(StrEnum):
    """What a policy says; the last two only models of hosts say."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"
    HIDE = "hide"
    """The host does not show the tool at all."""
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy says of one call. `strong`: ask in the form for what may destroy."""

    answer: VerdictAnswer
    reasons: tuple[str, ...]
    strong: bool = False
    policy: str = "cautious"
    rule: str = ""
    """The name of the rule that fired; empty where none did."""
    source: str = ""
    """Where the rule stands or was read: a file and line, or a URL with a date."""
    reviews_result: bool = False
    """Whether the answer is asked about, too, before it counts as shown."""
    grant_id: int | None = None
    """The remembered approval by which it is allowed."""
    depends: bool = False
    """Whether another verdict may come of other arguments."""
    denied_before: bool = False
    """It is refused because the person denied all such calls for the session."""
    unjudged: tuple[str, ...] = ()
    """What could not be judged on the way and was held against the call; among the reasons, too."""

    @property
    def words(self) -> str:
        return "ask, strongly" if self.strong else self.answer.value

    def as_json(self) -> dict[str, object]:
        return {
            "answer": self.answer.value,
            "strong": self.strong,
            "policy": self.policy,
            "rule": self.rule,
            "reviews_result": self.reviews_result,
            "reasons": list(self.reasons),
            "unjudged": list(self.unjudged),
        }


@dataclass(frozen=True, slots=True)
class Case:
    """What a policy may know of one request. `arguments` is None while nobody knows them yet."""

    tool: ToolDefinition
    """The definition by which it is judged; of a read one that claims nothing."""
    trust: Trust
    server: str = ""
    """The configured name."""
    arguments: Mapping[str, JsonValue] | None = None
    argument_problems: tuple[str, ...] = ()
    """The ways in which the arguments break the input schema, in words."""
    seen: Seen = Seen.UNKNOWN
    approved_before: bool = False
    """Whether this tool was approved in this session under this very definition."""
    grant: Grant | None = None
    """A remembered approval that covers exactly this call."""
    denied_for_session: bool = False
    tried: Mapping[str, Tried] = field(
        default_factory=lambda: NOTHING_TRIED, compare=False, repr=False
    )
    """What came of the trials of patterns and schemas, by their keys."""
    unlogged: str = ""
    """Why the audit log cannot be written; empty where it can, or is not wanted."""
    method: str = CALL_METHOD
    """What would be sent."""
