"""Action metadata of a tool: where its input goes, what its output is, and its outcome.

The draft's own text is not published; names and words are those of the Python SDK of its
repository (`sdk/python/src/trust_types.py`) and of servers that send it. A word that is not known
is kept and shown: the vocabulary is open. These are claims: they make a decision stricter, never
milder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue, pointer
from ...content.text import shortened
from ..findings.findings import Finding, note, warning
from ..hints import Claim
from ..tool import ToolDefinition
from .register import EXTENSIONS

NAME: Final = "action-metadata"
REVIEW_CODE: Final = "requires-review"
"""The finding on a tool that asks for a review of each call: a doubt about it."""
BENIGN: Final = "benign"
"""The outcome of a call that has no consequences."""
KEY: Final = EXTENSIONS[NAME].identifier
REVIEW_ASKED: Final = "the server asks for a review of each call (requiresReview)"
_REVIEW_WORD: Final = "requires_review"
"""The same as an outcome, as the README of the draft's repository spells it."""
_WORDS_MAX: Final = 5
_SHOWN: Final = 40
_OUTSIDE: Final = frozenset({"public", "external"})
_FROM_OUTSIDE: Final = frozenset({"untrustedPublic", "trustedPublic", "public", "external"})
_EFFECTS: Final = frozenset({"consequential", "irreversible"})


@frozen
class ActionMetadata:
    """What a tool declares. Each field has the words as sent, raw, without those left out."""

    destination: tuple[str, ...] = ()
    sensitivity: tuple[str, ...] = ()
    """Of the input."""
    source: tuple[str, ...] = ()
    return_sensitivity: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    requires_review: bool = False

    @property
    def words(self) -> str:
        """All of it as one phrase, safe to show; empty if nothing is declared."""
        facts = (
            ("input goes to", self.destination),
            ("input may be", self.sensitivity),
            ("output comes from", self.source),
            ("output may be", self.return_sensitivity),
            ("outcome", self.outcome),
        )
        return ", ".join(f"{label} {_listed(words)}" for label, words in facts if words)


def _listed(words: tuple[str, ...]) -> str:
    shown = [f"“{shortened(one, _SHOWN)}”" for one in words[:_WORDS_MAX]]
    more = len(words) - len(shown)
    return " or ".join(shown) + (f" or {more:,} more" if more else "")


def read_action(tool: ToolDefinition) -> ActionMetadata | None:
    """What a tool declares, read as far as it can be; None for a tool without action metadata."""
    path, held = _place(tool)
    if not path:
        return None
    return _read(held if isinstance(held, dict) else {}, [])


def action_findings(tool: ToolDefinition) -> Iterator[Finding]:
    """What a tool declares of its action, whether its calls need a review, and contradictions."""
    path, held = _place(tool)
    if not path:
        return
    if not isinstance(held, dict):
        yield warning("malformed-action-metadata", "action metadata is not an object", path)
        return
    flaws: list[str] = []
    read = _read(held, flaws)
    if read.words:
        yield note("action-metadata", f"the server declares: {read.words}", path)
    if read.requires_review:
        yield warning(REVIEW_CODE, REVIEW_ASKED, path)
    for words in flaws[:_WORDS_MAX]:
        yield warning("malformed-action-metadata", words, path)
    for words in _contradictions(tool, read):
        yield warning("action-contradicts-hints", words, path)


def _place(tool: ToolDefinition) -> tuple[str, JsonValue]:
    """The place and the value: in `_meta`, or among the annotations, where the README has it."""
    entry = tool.raw if isinstance(tool.raw, dict) else {}
    for holder in ("_meta", "annotations"):
        held = entry.get(holder)
        if isinstance(held, dict) and KEY in held:
            return pointer((holder, KEY)), held[KEY]
    return "", None


def _read(held: dict[str, JsonValue], flaws: list[str]) -> ActionMetadata:
    sent, returned = (_object(held, key, flaws) for key in ("inputMetadata", "returnMetadata"))
    outcome = (
        *_words(held, "outcome", flaws),
        *_words(held, "outcomes", flaws),
        *_words(sent, "outcome", flaws),
        *_words(sent, "outcomes", flaws),
    )
    review = held.get("requiresReview")
    if review is not None and not isinstance(review, bool):
        flaws.append("requiresReview is not true or false: a review is assumed")
    return ActionMetadata(
        _words(sent, "destination", flaws),
        _words(sent, "sensitivity", flaws),
        _words(returned, "source", flaws),
        _words(returned, "sensitivity", flaws),
        tuple(one for one in dict.fromkeys(outcome) if one != _REVIEW_WORD),
        # A malformed value counts as the stricter one.
        review not in (None, False) or _REVIEW_WORD in outcome,
    )


def _object(held: dict[str, JsonValue], key: str, flaws: list[str]) -> dict[str, JsonValue]:
    value = held.get(key)
    if isinstance(value, dict):
        return value
    if key in held:
        flaws.append(f"{key} is not an object")
    return {}


def _words(held: dict[str, JsonValue], key: str, flaws: list[str]) -> tuple[str, ...]:
    """One word or several; a class of data may be an object with the scopes of a regulation."""
    if key not in held:
        return ()
    value = held[key]
    listed = value if isinstance(value, list) else [value]
    found: list[str] = []
    for one in listed:
        scopes = one.get("regulated") if isinstance(one, dict) else None
        names = scopes.get("scopes") if isinstance(scopes, dict) else None
        if isinstance(one, str):
            found.append(one)
        elif isinstance(names, list):
            found += (f"regulated: {name}" for name in names if isinstance(name, str))
        else:
            flaws.append(f"{key} is not a word or a list of words")
    return tuple(found)


def _contradictions(tool: ToolDefinition, read: ActionMetadata) -> Iterator[str]:
    hints = tool.hints
    if hints.read_only.claim is Claim.TRUE and (found := _EFFECTS.intersection(read.outcome)):
        yield f"readOnlyHint is true, but an outcome is “{min(found)}”"
    if hints.destructive.claim is Claim.FALSE and "irreversible" in read.outcome:
        yield "destructiveHint is false, but an outcome is “irreversible”"
    if hints.destructive.claim is Claim.TRUE and read.outcome == (BENIGN,):
        yield "destructiveHint is true, but the only outcome is “benign”"
    if hints.open_world.claim is Claim.FALSE:
        if found := _OUTSIDE.intersection(read.destination):
            yield f"openWorldHint is false, but input goes to “{min(found)}”"
        if found := _FROM_OUTSIDE.intersection(read.source):
            yield f"openWorldHint is false, but output comes from “{min(found)}”"
