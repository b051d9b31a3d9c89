"""Tool definitions, read leniently from the raw JSON of `tools/list`, one entry at a time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from ..content.json.jsonio import JsonValue
from ..content.json.parts import Flawed
from ..content.text import hidden, shortened
from .answers.block_checks import misspelt_findings, surrogate_findings
from .clients.findings import tool_findings
from .definitions.deprecation import read_deprecation
from .findings import Finding, error, note, warning
from .hints import HINT_KEYS, Claim, Effect, Hints, read_hints
from .offers.icons import read_icons
from .reach import read_reach
from .schema_findings import habit_findings
from .telling_names import acting_word
from .tools import NAME_LIMIT, ToolDefinition

BELIES_READ_ONLY = "name-belies-read-only"
"""The code of the finding that a name or title says more than the hint."""
ENTRY_MAX = 2_000_000
"""Characters of one entry as JSON; the largest of published servers have some 50,000."""
_SHOWN = 40
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")
_KNOWN_ANNOTATIONS = {"title", *HINT_KEYS}


def read_tools(entries: Iterable[JsonValue], version: str = "") -> tuple[ToolDefinition, ...]:
    """Every entry of a whole `tools/list`, in its order; no entry is left out, none raises.

    `version` is the negotiated one of the protocol, "" where it is not known.
    """
    listed = list(entries)
    tools = [_read_within(index, raw, version, len(listed)) for index, raw in enumerate(listed)]
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


def _read_within(index: int, raw: JsonValue, version: str, count: int) -> ToolDefinition:
    """One entry of so many, or what stands for one that could not be read, or only in seconds."""
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
    more = tool_findings(raw, count, version)
    return replace(tool, findings=(*flaws, *tool.findings, *more)) if flaws or more else tool


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
    read_icons(entry.get("icons"), findings)
    findings += misspelt_findings(entry, "$")
    meta = entry.get("_meta")
    if meta is not None and not isinstance(meta, dict):
        findings.append(warning("malformed-tool", "_meta is not an object", "$._meta"))
    findings += surrogate_findings(raw, "$")
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
    for key in ("inputSchema", "outputSchema"):
        found += habit_findings(entry.get(key), key)
    return found


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


def _with_finding(tool: ToolDefinition, finding: Finding) -> ToolDefinition:
    return replace(tool, findings=(*tool.findings, finding))
