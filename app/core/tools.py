"""Tool definitions, read leniently from the raw JSON of `tools/list`, one entry at a time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain

from signoff.app.core.definitions.deprecation import MARK, Deprecation, read_deprecation
from signoff.app.core.findings import Finding, error, note, warning
from signoff.app.core.hints import HINT_KEYS, Claim, Effect, Hints, Repeating, read_hints
from signoff.app.core.json_parts import Flawed
from signoff.app.core.jsonio import JsonValue, digest
from signoff.app.core.reach import LIKE_ANY_OTHER, Reach, read_reach
from signoff.app.core.telling_names import acting_word
from signoff.app.core.text import hidden, shortened

NAME_LIMIT = 128
_SHOWN = 40
BELIES_READ_ONLY = "name-belies-read-only"
"""The code of the finding that a name or title says more than the hint."""
ENTRY_MAX = 2_000_000
"""Characters of one entry as JSON; the largest of published servers have some 50,000."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")
_KNOWN_ANNOTATIONS = {"title", *HINT_KEYS}


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One entry of `tools/list`, kept as the raw JSON it arrived as.

    `index` is its place in the list and identifies it: names may repeat. `name` is exact, code
    point for code point, and is what a call sends; everything that is drawn goes through the
    properties that end in `_shown`.
    """

    index: int
    raw: JsonValue
    name: str
    title: str
    description: str
    hints: Hints
    input_schema: JsonValue
    output_schema: JsonValue
    has_output_schema: bool
    findings: tuple[Finding, ...] = ()
    callable: bool = True
    """False where no `tools/call` can be made of it: no name, no object, or not to be read."""
    search_text: str = field(default="", repr=False)
    reach: Reach = LIKE_ANY_OTHER
    """Whether a plain call reaches it, and for whom it is meant."""
    deprecation: Deprecation | None = None
    """What it says of being deprecated; None where it says nothing of the kind."""
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """The digest, once it was asked for: canonical JSON of a long list takes a while."""

    @property
    def effect(self) -> Effect:
        return self.hints.effect

    @property
    def digest(self) -> str:
        """SHA-256 of the whole raw entry as canonical JSON: what an approval is bound to."""
        if not self._digest:
            self._digest.append(digest(self.raw))
        return self._digest[0]

    @property
    def name_shown(self) -> str:
        """The exact name, safe to show, at most 128 characters of it."""
        return shortened_name(self.name) if self.name else "(no name)"

    @property
    def title_shown(self) -> str:
        """The title, or the name where there is none; safe to show, at most 128 characters."""
        return shortened_name(self.title) if self.title else self.name_shown

    @property
    def mark(self) -> str:
        """What stands beside it in a list, of up to four cells; empty for a tool like any other."""
        return MARK if self.deprecation is not None else self.reach.mark

    @property
    def has_duplicate_name(self) -> bool:
        return any(finding.code == "duplicate-name" for finding in self.findings)


def read_tools(entries: Iterable[JsonValue], version: str = "") -> tuple[ToolDefinition, ...]:
    """Every entry of a whole `tools/list`, in its order; no entry is left out, none raises.

    `version` is the negotiated one of the protocol, "" where it is not known.
    """
    tools = [_read_within(index, raw, version) for index, raw in enumerate(entries)]
    counts = Counter(tool.name for tool in tools if tool.name)
    return tuple(
        _with_finding(
            tool,
            warning(
                "duplicate-name",
                f"{counts[tool.name]} tools have this name; a call cannot tell them apart",
                "$.name",
            ),
        )
        if counts[tool.name] > 1
        else tool
        for tool in tools
    )


def _read_within(index: int, raw: JsonValue, version: str) -> ToolDefinition:
    """One entry, or what stands for one that could not be read, or only in seconds."""
    flaws: list[Finding] = []
    if isinstance(raw, Flawed):
        if not raw.is_whole:
            return _name_alone(index, raw, "definition-unreadable", f"cannot be read: {raw.flaw}")
        flaws = [error("duplicate-key", raw.flaw, "$")]
        raw = dict(raw)
    try:
        size = len(json.dumps(raw))
    except (RecursionError, ValueError):
        size = ENTRY_MAX + 1
    if size > ENTRY_MAX:
        return _name_alone(index, raw, "definition-too-large", f"has {size:,} characters")
    tool = read_tool(index, raw, version)
    return replace(tool, findings=(*flaws, *tool.findings)) if flaws else tool


def _name_alone(index: int, raw: JsonValue, code: str, what: str) -> ToolDefinition:
    name = raw.get("name") if isinstance(raw, dict) else None
    is_kept = isinstance(name, str) and 0 < len(name) <= NAME_LIMIT
    tool = read_tool(index, {"name": name} if is_kept else {})
    rest = "only its name is kept, and it cannot be called" if is_kept else "it cannot be called"
    return replace(tool, callable=False, findings=(error(code, f"the entry {what}; {rest}", "$"),))


def read_tool(index: int, raw: JsonValue, version: str = "") -> ToolDefinition:
    """One entry of `tools/list`, by a version of the protocol; what breaks its shape is a finding.

    The title is `title`, else `annotations.title` (spec 2025-11-25, schema `BaseMetadata`).
    """
    findings: list[Finding] = []
    entry: dict[str, JsonValue] = raw if isinstance(raw, dict) else {}
    if not isinstance(raw, dict):
        findings.append(error("malformed-tool", "this entry is not an object", "$"))
    name = _text(entry, "name", findings)
    annotations = entry.get("annotations")
    notes = annotations if isinstance(annotations, dict) else {}
    if annotations is not None and not isinstance(annotations, dict):
        findings.append(warning("malformed-tool", "annotations is not an object", "$.annotations"))
    own_title = _text(entry, "title", findings)
    other_title = _text(notes, "title", findings, "$.annotations.title")
    description = _text(entry, "description", findings)
    hints = read_hints(annotations)
    if isinstance(raw, dict):
        findings += _name_findings(name)
        findings += _schema_findings(entry)
    if own_title and other_title and own_title != other_title:
        own, other = (shortened(one, _SHOWN) for one in (own_title, other_title))
        message = f"title is “{own}”, annotations.title is “{other}”"
        findings.append(note("titles-disagree", message, "$.annotations.title"))
    for text, path in (
        (name, "$.name"),
        (own_title, "$.title"),
        (other_title, "$.annotations.title"),
        (description, "$.description"),
    ):
        if marks := hidden(text):
            findings.append(warning("hidden-characters", "has " + ", ".join(marks), path))
    findings += _hint_findings(annotations, hints)
    if hints.read_only.claim is Claim.TRUE:
        findings += _telling_findings(name, own_title, other_title)
    reach, found = read_reach(entry, version)
    findings += found
    title = own_title or other_title
    titles = {"$.title": own_title, "$.annotations.title": other_title}
    deprecation = read_deprecation(entry, titles, description)
    if deprecation is not None:
        findings.append(deprecation.finding)
    return ToolDefinition(
        index=index,
        raw=raw,
        name=name,
        title=title,
        description=description,
        hints=hints,
        input_schema=entry.get("inputSchema"),
        output_schema=entry.get("outputSchema"),
        has_output_schema=entry.get("outputSchema") is not None,
        findings=tuple(findings),
        callable=bool(name),
        reach=reach,
        deprecation=deprecation,
        search_text=f"{name}\n{title}\n{description}".casefold(),
    )


def _name_findings(name: str) -> list[Finding]:
    """Spec 2025-11-25, server/tools, "Tool Names": 1 to 128 of `A-Z a-z 0-9 _ - .`, as a SHOULD."""
    if not name:
        return [error("malformed-tool", "this entry has no name, so it cannot be called", "$.name")]
    if _PLAIN_NAME.match(name):
        return []
    if len(name) > NAME_LIMIT:
        return [
            warning("unusual-name", f"the name has {len(name):,} characters, not 1..128", "$.name")
        ]
    return [
        warning("unusual-name", "the name has characters other than A-Z a-z 0-9 _ - .", "$.name")
    ]


def _schema_findings(entry: dict[str, JsonValue]) -> list[Finding]:
    found = []
    schema = entry.get("inputSchema")
    if not isinstance(schema, dict):
        words = "is not an object" if "inputSchema" in entry else "is missing"
        found.append(warning("malformed-schema", f"inputSchema {words}", "$.inputSchema"))
    elif schema.get("type") != "object":
        found.append(
            warning("malformed-schema", "inputSchema is not of type object", "$.inputSchema.type")
        )
    if "outputSchema" in entry and not isinstance(entry["outputSchema"], dict):
        found.append(warning("malformed-schema", "outputSchema is not an object", "$.outputSchema"))
    return found


class Grouping(StrEnum):
    """The three ways in which tools are grouped."""

    EFFECT = "effect"
    WORLD = "world"
    RETRY = "retry safety"

    @property
    def following(self) -> Grouping:
        order = list(Grouping)
        return order[(order.index(self) + 1) % len(order)]


@dataclass(frozen=True, slots=True)
class Group:
    """A heading and the tools under it; `sign` and `label` work without colour."""

    sign: str
    label: str
    tools: tuple[ToolDefinition, ...]
    starts_folded: bool = False
    """Whether only its heading is shown until a person opens it."""


def group_tools(tools: Iterable[ToolDefinition], grouping: Grouping) -> tuple[Group, ...]:
    """Groups in a fixed order, empty ones left out, tools in the order of the server."""
    headings = _headings(grouping)
    members: dict[str, list[ToolDefinition]] = {label: [] for _, label in headings}
    for tool in tools:
        members[_label(tool, grouping)].append(tool)
    return tuple(
        Group(sign, label, tuple(members[label])) for sign, label in headings if members[label]
    )


def filter_tools(
    tools: Iterable[ToolDefinition], words: str = "", *, read_only: bool = False
) -> tuple[ToolDefinition, ...]:
    """Tools whose name, title or description has every word, in any case and order."""
    found = tools if not read_only else [one for one in tools if one.effect is Effect.READ_ONLY]
    for word in words.casefold().split():
        found = [tool for tool in found if word in tool.search_text]
    return tuple(found)


def filter_groups(
    groups: Iterable[Group], words: str = "", *, read_only: bool = False
) -> tuple[Group, ...]:
    """`filter_tools` of each group, without those of which nothing is left.

    What is typed into a filter narrows groups that are there, which costs less than new ones.
    """
    found = (
        replace(group, tools=filter_tools(group.tools, words, read_only=read_only))
        for group in groups
    )
    return tuple(group for group in found if group.tools)


def best_match(tools: Iterable[ToolDefinition], words: str) -> ToolDefinition | None:
    """The tool that is meant by what was typed into the filter; the first of equals.

    Exact name, then the beginning of a name, then a part of it, then title, then description.
    """
    of = list(tools)
    wanted = words.casefold().split()
    phrase = " ".join(wanted)
    # The name stands at the beginning of the text, in that case.
    begun = [tool for tool in of if tool.search_text.startswith(phrase)]
    ways = (
        (one for one in begun if one.name.casefold() == phrase),
        begun,
        (one for one in of if _has_all(one.name.casefold(), wanted)),
        (one for one in of if _has_all(one.title.casefold(), wanted)),
        of,
    )
    return next(chain.from_iterable(ways), None)


def _has_all(text: str, words: Iterable[str]) -> bool:
    return all(word in text for word in words)


def _headings(grouping: Grouping) -> list[tuple[str, str]]:
    if grouping is Grouping.EFFECT:
        return [(effect.sign, effect.value) for effect in Effect]
    if grouping is Grouping.WORLD:
        return [("↗", "open world"), ("◇", "closed world")]
    return [(repeating.sign, repeating.value) for repeating in Repeating]


def _label(tool: ToolDefinition, grouping: Grouping) -> str:
    if grouping is Grouping.EFFECT:
        return tool.effect.value
    if grouping is Grouping.WORLD:
        return "open world" if tool.hints.is_open_world else "closed world"
    return tool.hints.repeating.value


def _hint_findings(annotations: JsonValue, hints: Hints) -> list[Finding]:
    found = [
        warning(
            "malformed-hint",
            f"{hint.name}Hint is {hint.malformed_as}, neither true nor false, so it claims nothing",
            f"$.annotations.{hint.name}Hint",
        )
        for hint in hints
        if hint.claim is Claim.MALFORMED
    ]
    if hints.effect is Effect.CONTRADICTORY:
        found.append(
            warning(
                "contradictory-hints",
                "claims to be read-only and destructive at once; judged by the worse",
                "$.annotations",
            )
        )
    if isinstance(annotations, dict) and (unknown := set(annotations) - _KNOWN_ANNOTATIONS):
        shown = ", ".join(sorted(shortened(key, _SHOWN) for key in unknown)[:4])
        found.append(note("unknown-annotation", f"annotations also has: {shown}", "$.annotations"))
    return found


def _telling_findings(name: str, own_title: str, other_title: str) -> list[Finding]:
    """What claims to be read-only and is called after something else; the first of them."""
    for text, what, path in (
        (name, "name", "$.name"),
        (own_title, "title", "$.title"),
        (other_title, "title", "$.annotations.title"),
    ):
        if word := acting_word(text):
            message = f"the {what} says “{word}”, and it claims to be read-only"
            return [warning(BELIES_READ_ONLY, message, path)]
    return []


def _text(
    entry: dict[str, JsonValue], key: str, findings: list[Finding], path: str | None = None
) -> str:
    value = entry.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    findings.append(warning("malformed-tool", f"{key} is not a string", path or f"$.{key}"))
    return ""


def shortened_name(text: str) -> str:
    """A name or title, safe to show, at most 128 characters of it."""
    return shortened(text, NAME_LIMIT)


def _with_finding(tool: ToolDefinition, finding: Finding) -> ToolDefinition:
    return replace(tool, findings=(*tool.findings, finding))
