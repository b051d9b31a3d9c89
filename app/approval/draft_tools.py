"""The tools of a server that use a draft of an extension, or could use it, each with the reason.

Whether a tool could use a draft is taken from its hints, its parameters, its name and its
description: a suspicion with its reason, and no proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from ..content.frozen import frozen
from ..content.json.jsonio import JsonValue
from ..content.labels import some_named
from ..content.text import shortened
from ..protocol.extensions import action_metadata, display_templates
from ..protocol.extensions.tool_resolution import is_resolvable, marker_of
from ..protocol.extensions.trust_annotations import TrustLabel
from ..protocol.server import Trust
from ..protocol.tool import ToolDefinition
from ..schemas.parameters import choices, resolved
from .carried_labels import LabelledResult, carried_doubts
from .combinations import CombinationPart, parts_of
from .policies.policy import Policy

ACTIONS: Final = frozenset({"action", "command", "method", "mode", "op", "operation"})
"""Names of parameters by which one tool does several things."""
_READ_MAX: Final = 4_000
"""Characters of a description that are looked at."""
_PLAIN_MAX: Final = 6
"""Arguments that fit on one line."""
_SHOWN: Final = 40
_NAMED: Final = 2
_SCALARS: Final = ("string", "number", "integer", "boolean")
_BETWEEN: Final = r"\s(?:(?!no\b)[\w'-]{1,20}\s){0,3}?"
_NOT: Final = r"(?<!not )(?<!n't )(?<!never )\b"
_REVIEW: Final = re.compile(
    rf"{_NOT}(?:requires?|needs?|awaits?|after|until|pending|asks? (?:the user )?for|obtain)"
    rf"{_BETWEEN}(?:confirmation|approval|approved|review|consent)\b"
    rf"|{_NOT}(?:confirm|check) (?:it |this |them )?with {_BETWEEN[2:]}(?:user|human|person)\b"
    rf"|\bmust be (?:confirmed|approved|reviewed)\b",
    re.IGNORECASE,
)
_ACCESS: Final = re.compile(
    rf"{_NOT}(?:requires?|needs?|only){_BETWEEN}"
    r"(?:permissions?|scopes?|roles?|credentials?|authori[sz]ation|admins?|privileges?)\b"
    r"|\bnot (?:permitted|authori[sz]ed)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z0-9_.-]{4,128}")
_PARTED: Final = re.compile(r"[_-]|[a-z][A-Z]")
"""In the name of a tool that no sentence has by chance."""


@frozen
class DraftSubject:
    """The tools of a server, and all by which a draft changes something for them."""

    tools: tuple[ToolDefinition, ...]
    """With the findings of the drafts that are turned on."""
    drafts: frozenset[str]
    """The drafts that are turned on."""
    capabilities: Mapping[str, JsonValue] | None
    """The capabilities that the server declares; None for a file of definitions."""
    is_by_url: bool | None
    """Whether the server is reached by a URL; None for a file of definitions."""
    columns: tuple[Policy, ...] = ()
    """The hosts and policies whose decisions are compared."""
    trust: Trust = Trust.TRUSTED
    server: str = ""
    """The configured name."""


@frozen
class ToolReason:
    """A tool that a draft concerns, and why; the reason is safe to show, and may be empty."""

    tool: ToolDefinition
    reason: str = ""


Selection: TypeAlias = Callable[[DraftSubject], Iterator[ToolReason]]


def matching(test: Callable[[ToolDefinition], bool]) -> Selection:
    """Every tool that passes a test, without a reason."""
    return lambda subject: (ToolReason(one) for one in subject.tools if test(one))


def with_finding(*codes: str) -> Selection:
    """The tools with one of these findings."""
    return matching(lambda tool: any(one.code in codes for one in tool.findings))


def writing(tool: ToolDefinition) -> bool:
    """True for a tool that is not read-only."""
    return not tool.hints.read_only.effective


def may_destroy(tool: ToolDefinition) -> bool:
    """True for a tool that may destroy, declared or by default."""
    return tool.effect.may_destroy


def resolvable(tool: ToolDefinition) -> bool:
    """True for a tool whose hints a server resolves for the arguments of a call."""
    return is_resolvable(tool.raw)


def acting(tool: ToolDefinition) -> bool:
    """True for a tool that may destroy in one of several actions, which a parameter chooses."""
    return may_destroy(tool) and marker_of(tool.raw) is None and _has_actions(tool)


def _has_actions(tool: ToolDefinition) -> bool:
    schema, properties = tool.input_schema, _properties(tool)
    listed = (
        choices(resolved(properties[name], schema), schema) or ()
        for name in ACTIONS & properties.keys()
    )
    return any(sum(isinstance(one, str) for one in some) > 1 for some in listed)


def _properties(tool: ToolDefinition) -> Mapping[str, JsonValue]:
    schema = tool.input_schema
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def templated(tool: ToolDefinition) -> bool:
    """True for a tool with a display template."""
    return bool(display_templates.templates(tool))


def on_one_line(tool: ToolDefinition) -> bool:
    """True for a tool without a template, whose few arguments would all be on one line.

    Of a tool that may destroy, hosts show the arguments instead (draft display-templates,
    "Security Implications").
    """
    properties = _properties(tool)
    if not 0 < len(properties) <= _PLAIN_MAX or may_destroy(tool) or templated(tool):
        return False
    found = (resolved(one, tool.input_schema) for one in properties.values())
    return all(isinstance(one, dict) and one.get("type") in _SCALARS for one in found)


def declared_benign(tool: ToolDefinition) -> bool:
    """True for a tool whose action metadata has an outcome without consequences."""
    action = action_metadata.read_action(tool)
    return action is not None and action_metadata.BENIGN in action.outcome


def reviewed_in_words(subject: DraftSubject) -> Iterator[ToolReason]:
    """Tools whose description has that a person reviews a call, with its words."""
    return _describing(subject, _REVIEW)


def unreviewed(subject: DraftSubject) -> Iterator[ToolReason]:
    """The same, of tools without action metadata."""
    return (
        one for one in reviewed_in_words(subject) if action_metadata.read_action(one.tool) is None
    )


def access_in_words(subject: DraftSubject) -> Iterator[ToolReason]:
    """Tools whose description has that a call needs a right, with its words."""
    return _describing(subject, _ACCESS)


def _describing(subject: DraftSubject, words: re.Pattern[str]) -> Iterator[ToolReason]:
    for tool in subject.tools:
        if found := words.search(tool.description[:_READ_MAX]):
            yield ToolReason(tool, f"“{shortened(found.group(), _SHOWN)}”")


def across_tools(subject: DraftSubject) -> Iterator[ToolReason]:
    """Tools whose description names other tools of the list: a procedure across tools."""
    names = {one.name for one in subject.tools if _PARTED.search(one.name)}
    for tool in subject.tools:
        words = (one.strip(".-") for one in _WORD.findall(tool.description[:_READ_MAX]))
        others = [one for one in dict.fromkeys(words) if one in names and one != tool.name]
        if others:
            shown = some_named(others, _NAMED, lambda one: shortened(one, _SHOWN))
            yield ToolReason(tool, f"names {shown}")


_LABELLED: Final = {
    TrustLabel.SENSITIVE: CombinationPart.PRIVATE,
    TrustLabel.UNTRUSTED: CombinationPart.OUTSIDE,
}
"""What a tool returns whose result can have a label."""


def returning(label: TrustLabel) -> Selection:
    """Tools whose results look as if they could have a label."""
    return _with_part(_LABELLED[label], lambda tool: True)


def leading_out(subject: DraftSubject) -> Iterator[ToolReason]:
    """Tools without action metadata whose input may leave for the outside."""
    of_exit = _with_part(
        CombinationPart.EXIT, lambda tool: action_metadata.read_action(tool) is None
    )
    return of_exit(subject)


def _with_part(part: CombinationPart, test: Callable[[ToolDefinition], bool]) -> Selection:
    def select(subject: DraftSubject) -> Iterator[ToolReason]:
        for tool in filter(test, subject.tools):
            for one in parts_of(tool):
                if one.part is part:
                    yield ToolReason(tool, one.reason)

    return select


def labelled(label: TrustLabel) -> LabelledResult:
    """An earlier result with a label, of any tool of the session."""
    return LabelledResult("", "", frozenset((label,)))


def after_label(*labels: TrustLabel) -> Selection:
    """Tools about which such a label of an earlier result is a doubt, if a result could have it."""

    def select(subject: DraftSubject) -> Iterator[ToolReason]:
        possible = [one for one in labels if next(returning(one)(subject), None) is not None]
        carried = tuple(map(labelled, possible))
        for tool in subject.tools:
            if any(carried_doubts(tool, carried)):
                yield ToolReason(tool)

    return select
