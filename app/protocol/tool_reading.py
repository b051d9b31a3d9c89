"""Tool definitions, read leniently from the raw JSON of `tools/list`, one entry at a time.

Also finds a verb for an action beyond reading in a tool's name.

The name is read word by word, with any separator between them (`delete_file`, `deleteFile`,
`delete-file`, `Delete File`): `undeleted`, `dropdown` and `sender_info` do not count. The first
word for an action decides: `get_deploy_status` and `preview_delete` read. Words that are as often a
noun, or an action on a text and not on a thing (`clear`, `post`, `merge`, `remove_background`), are
left alone: a finding that is often wrong is not read.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from ..content.json.jsonio import DUPLICATES_MAX, JsonValue
from ..content.json.parts import Flawed
from ..content.text import hidden, shortened
from .answers.blocks import misspelt_findings, surrogate_findings
from .clients.findings import tool_findings
from .definitions.deprecation import read_deprecation
from .findings.findings import Finding, error, note, warning
from .findings.model_texts import addressing_findings
from .findings.schema_findings import habit_findings
from .hints import HINT_KEYS, Claim, Effect, Hints, read_hints
from .resources.offers import read_icons
from .tool import NAME_LIMIT, ToolDefinition
from .visibility import read_reach

_LOOKED_AT: Final = 1_000
"""Characters; longer names are findings of their own."""


def _these(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOTHING: Final[frozenset[str]] = frozenset()
_TRANSFORMED: Final = _these(
    "accents background formatting markup na noise nulls outliers punctuation stopwords watermark "
    "whitespace"
)
ACTING: Final[dict[str, frozenset[str]]] = {
    "delete": _NOTHING,
    "remove": _TRANSFORMED,
    "drop": _TRANSFORMED | _these("box down in off out point rate ship shadow zone"),
    "destroy": _NOTHING,
    "purge": _NOTHING,
    "wipe": _NOTHING,
    "erase": _TRANSFORMED,
    "truncate": _these("content html number output string strings text tokens words"),
    "overwrite": _NOTHING,
    "uninstall": _NOTHING,
    "terminate": _NOTHING,
    "kill": _NOTHING,
    "shutdown": _NOTHING,
    "reboot": _NOTHING,
    "revoke": _NOTHING,
    "send": frozenset({"grid", "in", "rate", "time"}),
    "resend": _NOTHING,
    "publish": _these("date status time year"),
    "unpublish": _NOTHING,
    "deploy": _these(
        "check docs guide history hook hooks info key keys log logs plan preview progress state "
        "stats status time url"
    ),
}
"""Words for what changes something, each with the words after it that make it a noun, or an
operation on a text."""

_ALSO: Final = {
    f"{word}s": word
    for word in (
        *("delete", "remove", "destroy", "purge", "wipe", "erase", "overwrite", "uninstall"),
        *("terminate", "revoke", "send", "resend"),
    )
} | {"destroys": "destroy", "publishes": "publish"}
"""As a sentence has them; `drops` and `deploys` are plurals more often."""

_READING: Final = _these(
    "analyse analyze calculate can check compare count describe detect dry estimate explain fetch "
    "find generate get has how inspect is lint lookup monitor parse plan predict preview read "
    "recommend should show simulate suggest summarize validate verify what when why would"
)
_READING_OR_NOUN: Final = _these("browse list query review search track view watch")
"""They decide unless an action comes last: in `list_deploy_keys`, not in `todo_list_delete`."""

_FOLLOWS_A_PREFIX: Final = frozenset({"describe", "fetch", "get"})
"""The words before them name the owner of the tool: `octopus_deploy_get_project`."""

_MERELY: Final = frozenset({"dryrun", "preview", "simulation"})
_JOINTS: Final = frozenset({"and", "or", "then"})
_PIECES: Final = re.compile(r"[^\W_]+")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\d]+|\d+")


def acting_word(name: str) -> str:
    """The word of a name or title for an action beyond reading; empty without one."""
    words = list(_words(name))
    for clause in _clauses(words):
        if word := _acting_in(clause):
            return word
    return ""


def _words(name: str) -> Iterator[str]:
    for piece in _PIECES.findall(unicodedata.normalize("NFKC", name[:_LOOKED_AT])):
        for hump in _HUMPS.findall(piece):
            yield hump.casefold()


def _clauses(words: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split words at `and`: in `get_and_delete` each half has a meaning of its own."""
    start = 0
    for at, word in enumerate(words):
        if word in _JOINTS and words[at - 1 : at] != ["drag"]:
            yield words[start:at]
            start = at + 1
    yield words[start:]


def _acting_in(clause: Sequence[str]) -> str:
    if set(clause[-1:]) & _MERELY or list(clause[-2:]) == ["dry", "run"]:
        return ""
    for at, spelt in enumerate(clause):
        word = _ALSO.get(spelt, spelt)
        after = clause[at + 1] if at + 1 < len(clause) else ""
        if word in _READING:
            return ""
        if word in _READING_OR_NOUN and _ALSO.get(clause[-1], clause[-1]) not in ACTING:
            return ""
        if word in ACTING and after not in ACTING[word] | _FOLLOWS_A_PREFIX:
            # What `drag_and_drop` moves about is on a screen.
            return "" if "drag" in clause[:at] else word
    return ""


NO_NAME = "this entry has no name, so it cannot be called"
UNREADABLE = "the definition of the tool cannot be read, so it cannot be called"
CONTRADICTS_READ_ONLY = "name-contradicts-read-only"
"""The code of the finding on a name or title that contradicts `readOnlyHint`."""
ENTRY_MAX = 2_000_000
"""Characters of one entry as JSON; the largest of published servers have some 50,000."""
_SHOWN = 40
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}\Z")
_KNOWN_ANNOTATIONS = {"title", *HINT_KEYS}


def read_tools(entries: Iterable[JsonValue], version: str = "") -> tuple[ToolDefinition, ...]:
    """Every entry of a whole `tools/list`, in its order; no entry is left out, none raises.

    `version` is the negotiated one of the protocol, "" if it is not known.
    """
    listed = list(entries)
    tools = [_read_within(index, raw, version, len(listed)) for index, raw in enumerate(listed)]
    counts = Counter(tool.name for tool in tools if tool.name)
    return tuple(
        _with_finding(
            tool,
            warning(
                "duplicate-name",
                f"{counts[tool.name]} tools have this name; a call cannot distinguish them",
                "$.name",
            ),
        )
        if counts[tool.name] > 1
        else tool
        for tool in tools
    )


def _read_within(index: int, raw: JsonValue, version: str, count: int) -> ToolDefinition:
    """Read one of `count` entries; an unreadable or very slow one gets a replacement."""
    flaws: list[Finding] = []
    doubled: frozenset[str] = frozenset()
    if isinstance(raw, Flawed):
        if not raw.is_whole:
            return _name_alone(index, raw, "definition-unreadable", f"cannot be read: {raw.flaw}")
        flaws = [error("duplicate-key", raw.flaw, "$")]
        doubled = _doubled_hints(raw.doubled)
        raw = dict(raw)
    try:
        size = len(json.dumps(raw))
    except (RecursionError, ValueError):
        size = ENTRY_MAX + 1
    if size > ENTRY_MAX:
        return _name_alone(index, raw, "definition-too-large", f"has {size:,} characters")
    tool = read_tool(index, raw, version, doubled)
    more = tool_findings(raw, count, version)
    return replace(tool, findings=(*flaws, *tool.findings, *more)) if flaws or more else tool


def _doubled_hints(names: tuple[str, ...]) -> frozenset[str]:
    """The hints that may be among names given twice: all, if more names may have been given so."""
    if "annotations" in names or len(names) >= DUPLICATES_MAX:
        return frozenset(HINT_KEYS)
    return frozenset(HINT_KEYS) & {*names}


def _name_alone(index: int, raw: JsonValue, code: str, what: str) -> ToolDefinition:
    name = raw.get("name") if isinstance(raw, dict) else None
    is_kept = isinstance(name, str) and 0 < len(name) <= NAME_LIMIT
    tool = read_tool(index, {"name": name} if is_kept else {})
    rest = "only its name is kept; it cannot be called" if is_kept else "it cannot be called"
    return replace(tool, callable=False, findings=(error(code, f"the entry {what}; {rest}", "$"),))


def read_tool(
    index: int, raw: JsonValue, version: str = "", doubled: Collection[str] = ()
) -> ToolDefinition:
    """Read one entry of `tools/list`, by a version of the protocol; deviations are findings.

    `doubled` are the hints that were given more than once.

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
    hints = read_hints(annotations, doubled)
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
    findings += addressing_findings(raw)
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
        return [error("malformed-tool", NO_NAME, "$.name")]
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
            f"{hint.name}Hint is {hint.malformed_as}, not true or false, so it is ignored",
            f"$.annotations.{hint.name}Hint",
        )
        for hint in hints
        if hint.claim is Claim.MALFORMED
    ]
    if hints.effect is Effect.CONTRADICTORY:
        found.append(
            warning(
                "contradictory-hints",
                "declared both read-only and destructive (the stricter counts here; hosts differ)",
                "$.annotations",
            )
        )
    if isinstance(annotations, dict) and (unknown := set(annotations) - _KNOWN_ANNOTATIONS):
        shown = ", ".join(sorted(shortened(key, _SHOWN) for key in unknown)[:4])
        found.append(note("unknown-annotation", f"annotations also has: {shown}", "$.annotations"))
    return found


def _telling_findings(name: str, own_title: str, other_title: str) -> list[Finding]:
    """Report the first name or title that contradicts a read-only hint."""
    for text, what, path in (
        (name, "name", "$.name"),
        (own_title, "title", "$.title"),
        (other_title, "title", "$.annotations.title"),
    ):
        if word := acting_word(text):
            message = f"the {what} contains “{word}”, but the tool is declared read-only"
            return [warning(CONTRADICTS_READ_ONLY, message, path)]
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
