"""The parts of a lint rule, and the subject that it checks.

Also walks the parameters of a schema, with references resolved, and builds sound definitions for
examples of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, TypeAlias

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, Path, pointer
from ...protocol.definitions.change_values import ListDiff
from ...protocol.findings.findings import Finding, Severity
from ...protocol.tool import ToolDefinition
from ...schemas.form.merging import Schema, target_of

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
class Limits:
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
    limits: Limits = field(default_factory=Limits)
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
    reviews: frozenset[str] = frozenset()
    """The reviews whose rules count, too."""


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


Check: TypeAlias = Callable[[Subject], Iterable[LintHit]]


@frozen
class Rule:
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
    supposing: str = ""
    """The condition for the hints that would fix the hit: "with readOnlyHint true"."""
    review: str = ""
    """The review that the rule is of; such a rule counts only if that is asked for."""
    clause: str = ""
    """The heading of its clause there."""

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


MAX_SEEN: Final = 2_000
"""Schemas inside one schema that are looked at."""
MAX_MEMBERS: Final = 100_000
"""Members of all these together: what many references lead to is looked at for each of them."""
MAX_ALTERNATIVES: Final = 50
MAX_REFERENCES: Final = 8
_BRANCHES: Final = ("anyOf", "oneOf", "allOf")


@frozen
class Parameter:
    """One property. `schema` is its own merged over the target of its reference."""

    name: str
    steps: Path
    schema: JsonValue

    @property
    def path(self) -> str:
        return pointer(self.steps)

    @property
    def words(self) -> Schema:
        """The schema as an object; empty for one that is none."""
        return self.schema if isinstance(self.schema, dict) else {}


@frozen
class Part:
    """A schema inside a schema, itself included; `depth` counts the properties on the way."""

    steps: Path
    schema: JsonValue
    depth: int
    name: str | None = None
    """Of the property that it is; None for any other part."""


def parts(root: JsonValue, key: str) -> Iterator[Part]:
    """Every schema inside a schema, in the order in which it is written; `key` is its member.

    The target of a reference is visited once, at the first reference to it.
    """
    pending = [Part((key,), root, 0)]
    referred: set[str] = set()
    left = MAX_MEMBERS
    for _ in range(MAX_SEEN):
        if not pending or left < 0:
            return
        part = pending.pop()
        schema = resolved(part.schema, root)
        left -= _members(schema)
        yield Part(part.steps, schema, part.depth, part.name)
        if not isinstance(schema, dict):
            continue
        reference = part.schema.get("$ref") if isinstance(part.schema, dict) else None
        if isinstance(reference, str):
            if reference in referred:
                continue
            referred.add(reference)
        pending += reversed([*_below(part, schema)])


def _members(schema: JsonValue) -> int:
    if not isinstance(schema, dict):
        return 1
    within = (len(value) for value in schema.values() if isinstance(value, dict | list))
    return 1 + len(schema) + sum(within)


def _below(part: Part, schema: Schema) -> Iterator[Part]:
    listed = schema.get("properties")
    if isinstance(listed, dict):
        for name, one in listed.items():
            yield Part((*part.steps, "properties", name), one, part.depth + 1, name)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield Part((*part.steps, word), schema[word], part.depth)
    for word in _BRANCHES:
        branches = schema.get(word)
        for at, one in enumerate(branches if isinstance(branches, list) else ()):
            yield Part((*part.steps, word, at), one, part.depth)


def parameters(root: JsonValue, key: str) -> Iterator[Parameter]:
    """Every property of a schema, at any depth."""
    for part in parts(root, key):
        if part.name is not None:
            yield Parameter(part.name, part.steps, part.schema)


def resolved(schema: JsonValue, root: JsonValue) -> JsonValue:
    """A schema merged with the target of its `$ref`, or its only `allOf`; its own words count
    first.
    """
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, dict):
            return schema
        inner: object = None
        reference, whole = schema.get("$ref"), schema.get("allOf")
        if isinstance(reference, str):
            inner, word = target_of(reference, root), "$ref"
        elif isinstance(whole, list) and len(whole) == 1:
            inner, word = whole[0], "allOf"
        if not isinstance(inner, dict):
            return schema
        schema = {**inner, **{key: value for key, value in schema.items() if key != word}}
    return schema


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


def alternatives(schema: Schema) -> list[JsonValue]:
    """The first branches of `anyOf`, `oneOf` and `allOf`."""
    found: list[JsonValue] = []
    for word in _BRANCHES:
        branches = schema.get(word)
        found += branches[:MAX_ALTERNATIVES] if isinstance(branches, list) else []
    return found


def choices(schema: JsonValue, root: JsonValue) -> list[JsonValue] | None:
    """The listed values of a schema that allows no others; None for any other schema."""
    if not isinstance(schema, dict):
        return None
    if "const" in schema:
        return [schema["const"]]
    listed = schema.get("enum")
    if isinstance(listed, list):
        return listed
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if not isinstance(branches, list) or not branches:
            continue
        found: list[JsonValue] = []
        for one in branches:
            branch = resolved(one, root)
            if not isinstance(branch, dict) or not ("const" in branch or "enum" in branch):
                break
            found += choices(branch, root) or []
        else:
            return found
    return None


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
