"""Rules on names and titles of tools, and on tools that do several things.

The words of a name suggest a hint, or none if they are too vague. A finding that is often wrong is
not read, so these are few words, and a name that has words of two kinds suggests nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from ...approval.archetypes.holding import words_of
from ...content.json.jsonio import pointer
from ...content.labels import all_named, some_named
from ...content.text import shortened
from ...protocol.findings.codes import meaning_of
from ...protocol.findings.findings import Severity
from ...protocol.tool import NAME_LIMIT, ToolDefinition
from ...protocol.tool_reading import acting_word
from ...schemas.parameters import choices, parts, resolved
from .rule import LintHit, LintRule, Subject, of_each, sample, seen_already, taking, with_keys


def _these(words: str) -> frozenset[str]:
    return frozenset(words.split())


LOOKING: Final = _these("get list read search find show describe lookup inspect view count")
"""Verbs of looking. `query`, `fetch` and `check` are not among them: SQL writes, git does."""
_OR_NOUN: Final = _these("list view count search read lookup")
ADDING: Final = _these(
    "add append assign attach book build clone comment commit compose copy create draft emit fork "
    "generate import increment init initialize insert invite join launch make new order pay post "
    "publish push put register save schedule send share store submit upload write"
)
CHANGING: Final = _these(
    "apply approve archive change click close configure convert disable drag edit enable "
    "enqueue execute exec fill lock mark merge migrate modify move navigate pause pin press "
    "reload rename replace reply reschedule restart restore resume rotate run set sort start stop "
    "subscribe switch sync tag toggle trigger type undo unlock unpin update upgrade upsert call "
    "track wait"
)
DESTROYING: Final = _these(
    "delete remove drop destroy purge wipe erase truncate overwrite uninstall terminate kill "
    "revoke clear reset prune discard clean empty cancel unlink del rm flush"
)
_SURELY_DESTROYING: Final = _these(
    "delete remove drop destroy purge wipe erase truncate overwrite uninstall terminate kill"
)
_COUNTING: Final = _these("append send resend increment decrement toggle")
_OUTSIDE: Final = (
    _these("web website websites webpage url google internet"),
    _these("search fetch scrape crawl browse"),
)


def says_it_writes(name: str) -> bool:
    """True if any word of a name may be about a change."""
    return not (ADDING | CHANGING | DESTROYING).isdisjoint(words_of(name))


def looking_word(name: str) -> str:
    """The verb for reading in a name without a verb for writing; empty without one."""
    if says_it_writes(name):
        return ""
    words = words_of(name)
    for at, word in enumerate(words[:2]):
        if word in LOOKING and not (at and word in _OR_NOUN and at == len(words) - 1):
            return word
    return ""


def destroying_word(name: str) -> str:
    """The verb for destroying in a name; empty without one."""
    word = acting_word(name)
    return word if word in _SURELY_DESTROYING else ""


def repeating_word(name: str) -> str:
    """The verb in a name for an effect of each call; empty without one."""
    return next((word for word in words_of(name)[:2] if word in _COUNTING), "")


def outside_words(name: str) -> str:
    """The words in a name for access to the web; empty without them."""
    what, verbs = _OUTSIDE
    for one, other in pairwise([word for word in words_of(name) if word not in ("the", "a")]):
        if (one in what and other in verbs) or (one in verbs and other in what):
            return f"{one} {other}"
    return ""


def kind_of_action(value: str) -> str:
    """Classify a value such as `list` or `delete_row`: reads, adds, changes, removes.

    Empty if its first words suggest none of these.
    """
    for word in words_of(value)[:2]:
        for kind, words in (
            ("reads", LOOKING | {"status", "fetch", "query"}),
            ("adds", ADDING),
            ("changes", CHANGING),
            ("removes", DESTROYING),
        ):
            if word in words:
                return kind
    return ""


API_NAME: Final = 64
"""Characters of a function's name that the APIs of most models take."""
_ACTION_NAMES: Final = frozenset(
    (
        "action",
        "actions",
        "command",
        "cmd",
        "method",
        "mode",
        "op",
        "operation",
        "subcommand",
        "verb",
    )
)
_MANY: Final = 4
_DEPTH: Final = 2
_SHOWN: Final = 40
_LIST: Final = 5


def _not_portable(tool: ToolDefinition) -> Iterator[LintHit]:
    name = tool.name
    if not name or any(one.code == "unusual-name" for one in tool.findings):
        return
    if len(name) > API_NAME:
        message = f"the name has {len(name)} characters; the APIs of some models allow {API_NAME}"
        yield LintHit(tool, message, "$.name")
    elif "." in name:
        message = "the name has a dot, which the APIs of some models reject"
        yield LintHit(tool, message, "$.name")


def _names_alike(subject: Subject) -> Iterator[LintHit]:
    """Names that differ by case, joints or look-alike forms only."""
    found: dict[str, dict[str, ToolDefinition]] = defaultdict(dict)
    for tool in subject.tools:
        if plain := _plain(tool.name):
            found[plain].setdefault(tool.name, tool)
    for same in found.values():
        first, *others = same.values()
        for tool in others:
            message = (
                f"the name differs from {first.display_name} only by case or separators (_ - .)"
            )
            yield LintHit(tool, message, "$.name")


def _titles_alike(subject: Subject) -> Iterator[LintHit]:
    found: dict[str, dict[str, ToolDefinition]] = defaultdict(dict)
    for tool in subject.tools:
        if title := " ".join(tool.title.casefold().split()):
            found[title].setdefault(tool.name, tool)
    for same in found.values():
        first, *others = same.values()
        for tool in others:
            message = f"has the title of {first.display_name}: “{shortened(tool.title, _SHOWN)}”"
            yield LintHit(tool, message, "$.title")


def _title_missing(tool: ToolDefinition) -> Iterator[LintHit]:
    if tool.callable and not tool.title.strip():
        yield LintHit(tool, "has no title, so dialogs show only the name", "$")


def _does_many(tool: ToolDefinition) -> Iterator[LintHit]:
    root = tool.input_schema
    found: dict[str, list[str]] = defaultdict(list)
    places: dict[str, str] = {}
    for part in parts(root, "inputSchema"):
        if part.name is None or part.depth > _DEPTH or part.name.casefold() not in _ACTION_NAMES:
            continue
        chosen = choices(resolved(part.schema, root), root) or []
        found[part.name] += [one for one in chosen if isinstance(one, str)]
        places.setdefault(part.name, pointer(part.steps))
    for name, listed in found.items():
        values = list(dict.fromkeys(listed))
        kinds = dict.fromkeys(kind for kind in map(kind_of_action, values) if kind)
        writes = [kind for kind in kinds if kind != "reads"]
        if not writes or not ("reads" in kinds or (len(kinds) > 1 and len(values) >= _MANY)):
            continue
        message = (
            f"“{shortened(name, _SHOWN)}” chooses between things that {_and(list(kinds))}: "
            f"{_some(values)}; one set of hints covers all of them"
        )
        yield LintHit(tool, message, places[name])


def _and(words: Sequence[str]) -> str:
    return all_named([word.removesuffix("s") for word in words])


def _some(values: Sequence[str]) -> str:
    return some_named(values, _LIST, lambda one: shortened(one, _SHOWN))


def _plain(name: str) -> str:
    """A name without characters that people overlook."""
    folded = unicodedata.normalize("NFKC", name[:NAME_LIMIT]).casefold()
    return re.sub(r"[^\w]|_", "", folded)


RULES: Final = (
    LintRule(
        "unusual-name",
        Severity.WARNING,
        "the name has other characters than A-Z a-z 0-9 _ - ., or more than 128",
        'The specification requires this (2025-11-25, server/tools, "Tool Names"). Hosts that pass '
        "names to a model's API drop such tools.",
        "Rename it, and keep the old name as its title.",
        seen_already("unusual-name"),
        (sample("read row"),),
        (sample("read_row"),),
    ),
    LintRule(
        "unportable-name",
        Severity.NOTE,
        "the name is valid, but some models reject it",
        "The APIs of some models allow only 1 to 64 of A-Z a-z 0-9 _ - in a name. Hosts that add "
        "the server's name leave even less room.",
        "Keep it under 50 characters, without a dot.",
        of_each(_not_portable),
        (sample("rows.read"),),
        (sample("rows_read"),),
    ),
    LintRule(
        "duplicate-name",
        Severity.WARNING,
        meaning_of("duplicate-name"),
        "A call cannot distinguish them, so the approved one is not known.",
        "Give each tool a unique name.",
        seen_already("duplicate-name"),
        (sample("read_row"), sample("read_row", "Reads it in another way.")),
        (sample("read_row"), sample("read_rows", "Reads several.")),
    ),
    LintRule(
        "names-alike",
        Severity.WARNING,
        "two names differ only by case or separators (_ - .)",
        "People approve one and mean the other, and models confuse them.",
        "Name the difference: read_row, read_row_by_key.",
        _names_alike,
        (sample("read_row"), sample("readRow")),
        (sample("read_row"), sample("read_row_by_key")),
    ),
    LintRule(
        "title-missing",
        Severity.NOTE,
        "the title is missing",
        "Hosts show the title to people; some directories require it.",
        "Add `title`: two to four words on the effect of a call.",
        of_each(_title_missing),
        (sample("read_row"),),
        (with_keys(sample("read_row"), title="Read a row"),),
    ),
    LintRule(
        "titles-disagree",
        Severity.NOTE,
        meaning_of("titles-disagree"),
        "Hosts differ in which one they show, so the tool has two names.",
        "Keep `title`, and use the same text in annotations, or none.",
        seen_already("titles-disagree"),
        (with_keys(sample("read_row", title="Look at a row"), title="Read a row"),),
        (with_keys(sample("read_row", title="Read a row"), title="Read a row"),),
    ),
    LintRule(
        "titles-alike",
        Severity.WARNING,
        "two tools have the same title",
        "In a dialog that shows titles, they look the same.",
        "Make the difference part of the title.",
        _titles_alike,
        (
            with_keys(sample("read_row"), title="Read"),
            with_keys(sample("read_column"), title="read"),
        ),
        (
            with_keys(sample("read_row"), title="Read a row"),
            with_keys(sample("read_column"), title="Read a column"),
        ),
    ),
    LintRule(
        "does-many-things",
        Severity.WARNING,
        "one tool for reading and for changing",
        "Hints describe a tool, not its arguments, so the worst of its actions counts for all. "
        "If reads run without asking, so do deletes; otherwise each read asks.",
        "Make one tool per action, or at least one for reading and one for writing.",
        of_each(_does_many),
        (taking({"action": {"type": "string", "enum": ["list", "get", "delete"]}}),),
        (taking({"action": {"type": "string", "enum": ["list", "get", "count"]}}),),
    ),
    LintRule(
        "deprecated",
        Severity.WARNING,
        meaning_of("deprecated"),
        "It still uses room in every prompt, and a model does not know when it will be removed.",
        "Remove it from the list when its successor exists.",
        seen_already("deprecated"),
        (sample("read_row", "DEPRECATED: use read_rows instead."),),
        (sample("read_row"),),
    ),
)
