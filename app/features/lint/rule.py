"""The parts of a lint rule, and the subject that it checks.

Also walks the parameters of a schema, with references resolved, and builds sound definitions for
examples of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, TypeAlias

from ...approval.draft_effects import DraftEffect, DraftEffects
from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...protocol.definitions.change_values import ListDiff
from ...protocol.findings.findings import Finding, Severity
from ...protocol.tool import ToolDefinition
from ...schemas.form.merging import Schema
from ...schemas.parameters import alternatives, resolved

TOOL_TOKENS: Final = 2_000
LIST_TOKENS: Final = 20_000


AS_DESTRUCTIVE: Final = "with readOnlyHint false and destructiveHint true"
"""The condition of rules that take a tool for one that may destroy."""

CLAUDE: Final = "claude-directory"
CHATGPT: Final = "chatgpt"


@frozen
class Review:
    """The review of a directory."""

    title: str
    source: str
    date: str
    """The day on which its documents were read."""


REVIEWS: Final[Mapping[str, Review]] = {
    CLAUDE: Review(
        "the directory of connectors for Claude",
        "https://claude.com/docs/connectors/building/review-criteria",
        "2026-11-27",
    ),
    CHATGPT: Review(
        "the directory of plugins for ChatGPT and Codex",
        "https://developers.openai.com/plugins/app-guidelines",
        "2026-11-27",
    ),
}


@frozen
class SizeThresholds:
    """Thresholds of large definitions, in estimated tokens."""

    tool_tokens: int = TOOL_TOKENS
    list_tokens: int = LIST_TOKENS


@frozen
class Broken:
    """Answers with one flaw in an audit log. `last` is the newest: its record and its time."""

    answers: int
    last: str


@frozen
class Subject:
    """The input of all rules: the whole list of tools, and further facts."""

    tools: tuple[ToolDefinition, ...]
    limits: SizeThresholds = field(default_factory=SizeThresholds)
    faults: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """Why the input and the output schema of a tool cannot be used, by its place in the list."""
    patterns: Mapping[int, tuple[Finding, ...]] = field(default_factory=dict)
    """Findings on the patterns in the schemas of a tool, by its place in the list."""
    broken: Mapping[str, Broken] = field(default_factory=dict)
    """Answers that broke an output schema, by the digest of the definition that was called."""
    halves: Mapping[str, Broken] = field(default_factory=dict)
    """Answers whose text does not repeat their structuredContent, by the same digest."""
    since_pin: ListDiff | None = None
    """What changed since a baseline; None where none was given."""
    not_resolved: str = ""
    """Why the server resolves no hints (draft tool-resolution); empty for a file, or if it does."""
    reviews: frozenset[str] = frozenset()
    """The reviews whose rules count, too."""
    drafts: tuple[DraftEffects, ...] = ()
    """What the server gains and loses with each draft that is turned on."""


@frozen
class LintHit:
    """A place where a rule applies. `message` and `path` are safe to show."""

    tool: ToolDefinition | None
    """None for a hit on the whole list."""
    message: str
    path: str = ""
    severity: Severity | None = None
    """Where the case decides and not the rule."""
    supposed: Mapping[str, bool | None] = field(default_factory=dict)
    """Hints that would fix the hit, by their `Hint.name`: hosts are judged with them, too."""
    effect: DraftEffect | None = None
    """For a hit on what a draft changes: with its tools."""


Check: TypeAlias = Callable[[Subject], Iterable[LintHit]]


@frozen
class LintRule:
    """One rule. `bad` and `good` are lists of entries of `tools/list`, with and without it."""

    code: str
    severity: Severity
    title: str
    why: str
    fix: str
    check: Check = field(repr=False)
    bad: tuple[Any, ...] = ()
    good: tuple[Any, ...] = ()
    pinned: tuple[Any, ...] = ()
    """The baseline that `bad` and `good` are compared with."""
    example: str = ""
    """An example in words, for a fault that no entry in this file could have."""
    supposing: str = ""
    """The condition for the hints that would fix the hit: "with readOnlyHint true"."""
    review: str = ""
    """The review that the rule is of; such a rule counts only if that is asked for."""
    clause: str = ""
    """The heading of its clause there."""
    is_brief: bool = True
    """Whether a long report has all its notes in one line."""

    @property
    def clause_words(self) -> str:
        """The clause of a review with its source; empty for a rule of Signoff's own."""
        if not self.review:
            return ""
        review = REVIEWS[self.review]
        return f"“{self.clause}” of {review.title}: {review.source}, read on {review.date}"

    def review_json(self) -> dict[str, str]:
        """The same by keys; empty for a rule of Signoff's own."""
        if not self.review:
            return {}
        review = REVIEWS[self.review]
        return {
            "review": self.review,
            "clause": self.clause,
            "source": review.source,
            "date": review.date,
        }


def of_each(look: Callable[[ToolDefinition], Iterable[LintHit]]) -> Check:
    """The check of a rule that looks at one tool at a time."""

    def check(subject: Subject) -> Iterator[LintHit]:
        for tool in subject.tools:
            yield from look(tool)

    return check


def seen_already(code: str, supposed: Mapping[str, bool | None] | None = None) -> Check:
    """Return the check of a rule whose finding is made where definitions are read.

    `supposed`: the hints with which the finding would go.
    """

    def look(tool: ToolDefinition) -> Iterator[LintHit]:
        for one in tool.findings:
            if one.code == code:
                yield LintHit(tool, one.message, one.path, one.severity, supposed or {})

    return of_each(look)


def is_described(schema: JsonValue, root: JsonValue) -> bool:
    """True if a schema, one of its alternatives, or each of its members has a description."""
    if not isinstance(schema, dict):
        return False
    if _says(schema.get("description")):
        return True
    inside = [*alternatives(schema), schema.get("items")]
    words = [one for one in (resolved(part, root) for part in inside) if isinstance(one, dict)]
    return any(_says(one.get("description")) or _members_said(one) for one in (*words, schema))


def _members_said(schema: Schema) -> bool:
    """True if a schema is of an object each of whose members is described."""
    listed = schema.get("properties")
    members = list(listed.values()) if isinstance(listed, dict) else []
    said = (isinstance(one, dict) and _says(one.get("description")) for one in members)
    return bool(members) and all(said)


def _says(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value.strip())


SOUND: Final = "Does one thing with the rows of the table."
NO_INPUT: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def sample(name: str, description: str = SOUND, /, **annotations: Any) -> dict[str, Any]:
    """An entry of `tools/list` with these annotations."""
    return {
        "name": name,
        "description": description,
        "inputSchema": NO_INPUT,
        "annotations": annotations,
    }


def taking(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry whose input schema has these properties."""
    schema = {"type": "object", "properties": properties, **more}
    return {**sample("read_row", readOnlyHint=True), "inputSchema": schema}


def giving(schema: Any) -> dict[str, Any]:
    """An entry with this output schema."""
    return {**sample("read_row", readOnlyHint=True), "outputSchema": schema}


def with_keys(entry: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """An entry with other keys beside its own, or in place of them."""
    return {**entry, **keys}
