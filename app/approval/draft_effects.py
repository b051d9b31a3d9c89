"""What a server gains and loses with each draft of an extension that is turned on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.labels import some_named
from ..protocol.extensions.register import EXTENSIONS
from ..protocol.tool import ToolDefinition
from .draft_facts import ROWS, DraftFact, DraftRow, EffectKind, FactWhen, PolicyDecision
from .draft_tools import DraftSubject, ToolReason

Shown: TypeAlias = Callable[[ToolDefinition], str]
"""The name of a tool, masked and safe to show."""
Mask: TypeAlias = Callable[[str], str]
"""Hides secrets in a text."""
ADVICE: Final = "Use the draft if the gains count for more than the losses."
_NAMED: Final = 5
_POLICIES_NAMED: Final = 4
_LEADS: Final = {
    (EffectKind.GAIN, False): "gain",
    (EffectKind.LOSS, False): "loss",
    (EffectKind.GAIN, True): "possible gain",
    (EffectKind.LOSS, True): "possible loss",
}


@frozen
class ConcernedTool:
    """A tool that an effect is about. The reason is safe to show, with the server's words."""

    tool: ToolDefinition
    reason: str
    decisions: tuple[PolicyDecision, ...]


@frozen
class DraftEffect:
    """One thing that a server gains or loses with a draft."""

    kind: EffectKind
    is_possible: bool
    """True if the server does not use the draft for this, but could."""
    words: str
    tools: tuple[ConcernedTool, ...] = ()
    """Empty for an effect on the server as a whole."""

    @property
    def lead(self) -> str:
        """What it is, without the tools: `possible gain: …`."""
        return f"{_LEADS[self.kind, self.is_possible]}: {self.words}"

    def details(self, shown: Shown, mask: Mask) -> tuple[str, ...]:
        """The tools and the decisions, a line each; no line for what it has not."""

        def name(one: ConcernedTool) -> str:
            return f"{shown(one.tool)} ({mask(one.reason)})" if one.reason else shown(one.tool)

        return tuple(filter(None, (some_named(self.tools, _NAMED, name), self.decided)))

    def sentence(self, shown: Shown, mask: Mask) -> str:
        """All of it in one line."""
        details = "; ".join(self.details(shown, mask))
        return f"{self.lead}: {details}" if details else self.lead

    @property
    def decided(self) -> str:
        """The decisions of hosts and policies on one of the tools at least; empty for none."""
        groups: dict[str, dict[str, None]] = {}
        for tool in self.tools:
            for one in tool.decisions:
                groups.setdefault(one.change, {})[one.label] = None
        return "; ".join(
            f"{change} in {some_named(list(titles), _POLICIES_NAMED)}"
            for change, titles in groups.items()
        )

    def as_json(self, mask: Mask) -> dict[str, JsonValue]:
        """All of it, with every tool and every decision."""
        return {
            "words": self.words,
            "possible": self.is_possible,
            "tools": [
                {
                    "name": mask(one.tool.name),
                    "reason": mask(one.reason) or None,
                    "decisions": [
                        {"policy": by.policy, "now": by.now, "then": by.then or None}
                        for by in one.decisions
                    ],
                }
                for one in self.tools
            ],
        }


@frozen
class DraftEffects:
    """All that one draft changes for a server."""

    draft: str
    is_used: bool
    status: str
    """Whether the server uses the draft, or why it does not, in words of Signoff's own."""
    effects: tuple[DraftEffect, ...]

    @property
    def title(self) -> str:
        """A heading; it needs no server to be safe."""
        return f"draft {self.draft}: {self.status}"

    def as_json(self, mask: Mask) -> dict[str, JsonValue]:
        return {
            "name": self.draft,
            "used": self.is_used,
            "status": self.status,
            "gains": [one.as_json(mask) for one in self.effects if one.kind is EffectKind.GAIN],
            "losses": [one.as_json(mask) for one in self.effects if one.kind is EffectKind.LOSS],
        }


def balance_code(draft: str) -> str:
    """The code of the findings on the gains and losses with a draft."""
    return f"with-{draft}"


def balance_title(draft: str) -> str:
    """The heading of these findings."""
    return f"what the server gains and loses with {draft} (a draft)"


def effects_of(subject: DraftSubject) -> tuple[DraftEffects, ...]:
    """The effects of each draft that is turned on, in the order of the register."""
    return tuple(
        _of_row(subject, name, ROWS[name]) for name in EXTENSIONS if name in subject.drafts
    )


def _of_row(subject: DraftSubject, name: str, row: DraftRow) -> DraftEffects:
    is_used, status = row.status(subject)
    left_out = FactWhen.NOT_USED if is_used else FactWhen.USED
    facts = [one for one in row.facts if one.when is not left_out]
    found = [(fact, _effect(subject, fact, is_used=is_used)) for fact in facts]
    concerned = [one for fact, one in found if one is not None and fact.tools is not None]
    if not is_used and not concerned:
        if any(fact.tools for fact in facts):
            status = f"{status}; nothing in its tools suggests a use"
        return DraftEffects(name, is_used, status, ())
    effects = [one for _, one in found if one is not None]
    effects.sort(key=lambda one: one.kind is EffectKind.LOSS)
    return DraftEffects(name, is_used, status, tuple(effects))


def _effect(subject: DraftSubject, fact: DraftFact, *, is_used: bool) -> DraftEffect | None:
    if fact.tools is None:
        return DraftEffect(fact.kind, not is_used, fact.words)
    tools = tuple(_concerned(subject, fact, fact.tools(subject)))
    is_possible = not is_used or fact.is_for_others
    return DraftEffect(fact.kind, is_possible, fact.words, tools) if tools else None


def _concerned(
    subject: DraftSubject, fact: DraftFact, found: Iterable[ToolReason]
) -> Iterator[ConcernedTool]:
    for one in found:
        decisions: tuple[PolicyDecision, ...] = ()
        if fact.decisions is not None:
            decisions = tuple(fact.decisions(subject, one.tool))
            if fact.must_decide and not decisions:
                continue
        yield ConcernedTool(one.tool, one.reason, decisions)
