"""Probes: tools of the probe server, and what each of them is to show about a host.

A probe is one tool with the arguments that the scripted model gives it and the result that the
server returns; of answers, there is one tool for each kind of result. This module imports nothing
of Signoff: the probe server, which hosts start with a limit of a few seconds, is made of it.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from .patience import FAMILY as PATIENCE_FAMILY
from .patience import patience_probes
from .probe import NOTE_SCHEMA, SERVER_NAME, Probe, text_result, tool_of
from .whole import LARGE_ANSWER, numbered, offered_probes, whole_probes


def _answer(kind: str, words: str, result: dict[str, Any], **more: Any) -> Probe:
    name = f"probe_a_{kind.replace('-', '_')}"
    hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
    tool = tool_of(name, hints, **more)
    arguments = {"note": f"word-{kind}"}
    return Probe(f"answers/{kind}", "answers", tool, arguments, result, words=words)


@lru_cache(maxsize=1)
def answer_probes() -> tuple[Probe, ...]:
    """One tool for each kind of answer: those of `answers.json`, and a large one."""
    rows = json.loads(Path(__file__).with_name("answers.json").read_text(encoding="utf-8"))
    large = text_result(numbered(LARGE_ANSWER))
    return (
        *(_answer(**row) for row in rows),
        _answer("large", "200,000 characters", large),
    )


HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
FAMILIES: Final = {
    "hints": "which hints make the host run, ask, refuse or hide",
    "answers": "what the model is given of each kind of response",
    "shown": "what the person is shown before approving",
    "remembered": "what “always” covers",
    "requests": "what a server may ask of the host",
    "dialog": "what keys do to the question itself",
    "reading": "how many tools are left of a list with one oddity",
    "whole": "how much of 200,000 characters the model is given",
    "offered": "what the model is offered of a definition and of the server's instructions",
    PATIENCE_FAMILY: "how long the host waits for a slow tool, up to 15 minutes",
}
"""The families of probes, in words."""
NEW_SESSION: Final = "new-session"
RENAMED_SERVER: Final = "renamed-server"
RENAMED: Final = "archive"
"""The other name under which the host is given the probe server."""
TWO_AT_ONCE: Final = "two-at-once"
CHANGE: Final = "change-"
"""How the acts begin that change the definitions of the server."""
FIRST_WORD: Final = "word-of-the-first-call"
SECOND_WORD: Final = "word-of-the-second-call"
TWO_WORDS: Final = {"first argument": FIRST_WORD, "second argument": SECOND_WORD}
LONG_ARGUMENT: Final = 2_000


def _hints_id(hints: dict[str, Any]) -> str:
    parts = [f"{key.removesuffix('Hint')}={json.dumps(value)}" for key, value in hints.items()]
    return ",".join(parts) or "none"


def _hint_probe(number: int, hints: dict[str, Any]) -> Probe:
    name = f"probe_h{number:02}"
    return Probe(
        f"hints/{_hints_id(hints)}",
        "hints",
        tool_of(name, hints or None),
        {"note": f"word-{number:02}"},
        text_result(f"written: word-{number:02}"),
        words=_hints_id(hints),
    )


def _combination(values: tuple[bool | None, ...]) -> dict[str, Any]:
    return {key: value for key, value in zip(HINTS, values, strict=True) if value is not None}


_TELLING: Final = (
    (None, None, None, None),
    (True, None, None, None),
    (False, None, None, None),
    (None, True, None, None),
    (None, False, None, None),
    (True, True, None, None),
    (True, False, None, None),
    (False, True, None, None),
    (False, False, None, None),
    (False, False, None, False),
    (True, None, None, False),
    (True, None, None, True),
    (None, False, None, False),
    (None, None, None, False),
    (False, None, True, None),
    (True, False, True, False),
)
"""The 16 combinations that are tried by default."""


@lru_cache(maxsize=1)
def hint_probes() -> tuple[Probe, ...]:
    """All 81 combinations, the 16 telling ones first, then names that contradict hints."""
    rest = [one for one in itertools.product((None, True, False), repeat=4) if one not in _TELLING]
    combinations = [_combination(one) for one in (*_TELLING, *rest)]
    numbered = enumerate(combinations, 1)
    return (*(_hint_probe(number, hints) for number, hints in numbered), *_named_probes())


def _named_probes() -> tuple[Probe, ...]:
    """Tools whose name and hints are at odds, and hints where some hosts look for them as well."""

    def named(kind: str, name: str, hints: dict[str, Any], words: str, **more: Any) -> Probe:
        tool = tool_of(name, hints, **more)
        note = {"note": f"word-{kind}"}
        return Probe(
            f"hints/{kind}", "hints", tool, note, text_result(f"written: {kind}"), words=words
        )

    return (
        named(
            "name-deletes-hint-reads",
            "delete_all_records_n1",
            {"readOnlyHint": True},
            "named delete_..., declared read-only",
        ),
        named(
            "name-reads-hint-destroys",
            "get_records_n2",
            {"readOnlyHint": False, "destructiveHint": True},
            "named get_..., declared destructive",
        ),
        named("name-deletes-no-hint", "delete_record_n3", {}, "named delete_..., no hint"),
        named("name-reads-no-hint", "list_records_n4", {}, "named list_..., no hint"),
    )


@lru_cache(maxsize=1)
def shown_probes() -> tuple[Probe, ...]:
    """Tools whose every part has a canary of its own: which of them does the person see?"""
    destructive = {"readOnlyHint": False, "destructiveHint": True}
    filler = "harmless words, and "
    body = (filler * (LONG_ARGUMENT // len(filler) + 1))[: LONG_ARGUMENT - 20]
    long = body + "last-canary-longarg"
    bidi = "ev\u202eerab\u202cil \x1b[2Kbidi-canary"

    def shown(kind: str, words: str, arguments: dict[str, Any], **canaries: str) -> Probe:
        name = f"probe_s_{kind}"
        tool = {
            **tool_of(name, {**destructive, "title": "hinttitle-canary"}),
            "title": "toptitle-canary",
            "description": "desc-canary is the first word. "
            + "More words. " * 40
            + "descend-canary",
        }
        common = {
            "name": name,
            "title": "toptitle-canary",
            "annotations.title": "hinttitle-canary",
            "description": "desc-canary",
            "end of the description": "descend-canary",
            "server": SERVER_NAME,
        }
        return Probe(
            f"shown/{kind}",
            "shown",
            tool,
            arguments,
            text_result(f"done: {kind}"),
            words=words,
            canaries={**common, **canaries},
        )

    return (
        shown(
            "short",
            "a short argument",
            {"note": "shortarg-canary"},
            **{"argument": "shortarg-canary", "name of the argument": "note"},
        ),
        shown(
            "long",
            "2,000 characters, the telling part last",
            {"note": "begin-canary " + long},
            beginning="begin-canary",
            end="last-canary-longarg",
        ),
        shown(
            "bidi",
            "control and bidirectional characters",
            {"note": bidi},
            **{
                "argument": "bidi-canary",
                "raw control characters": "\x1b[2K",
                "raw bidi": "\u202e",
            },
        ),
    )


@lru_cache(maxsize=1)
def remembered_probes() -> tuple[Probe, ...]:
    """A call that is answered with “always” once, and the calls after it."""

    def remembered(kind: str, name: str, note: str, words: str, act: str = "") -> Probe:
        return Probe(
            f"remembered/{kind}",
            "remembered",
            tool_of(name, None),
            {"note": note},
            text_result(f"written: {note}"),
            act,
            words=words,
        )

    first = "probe_m_first"
    return (
        remembered("first", first, "one", "the first call, answered with “always”"),
        remembered("same", first, "one", "the same call again"),
        remembered("other-arguments", first, "two", "the same tool, other arguments"),
        remembered("other-tool", "probe_m_second", "one", "another tool of the server"),
        remembered(
            "changed-description", first, "one", "another description", "change-description"
        ),
        remembered("changed-schema", first, "one", "another schema", "change-schema"),
        remembered("changed-hints", first, "one", "no hint became destructive", "change-hints"),
        remembered("new-session", first, "one", "the same call in a new session", NEW_SESSION),
        remembered("renamed-server", first, "one", "the server under another name", RENAMED_SERVER),
    )


@lru_cache(maxsize=1)
def request_probes() -> tuple[Probe, ...]:
    """Tools in whose calls the server asks something of the host, or is slow, or breaks off."""
    hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}

    def asking(kind: str, words: str) -> Probe:
        name = f"probe_q_{kind.replace('-', '_')}"
        tool, note = tool_of(name, hints), {"note": f"word-{kind}"}
        result = text_result("done")
        return Probe(f"requests/{kind}", "requests", tool, note, result, kind, words=words)

    return (
        asking("elicit-form", "an elicitation with a form"),
        asking("elicit-empty", "an elicitation without fields"),
        asking("elicit-url", "an elicitation with a URL"),
        asking("sampling", "a sampling request"),
        asking("roots", "a roots request"),
        asking("progress", "progress for five seconds"),
        asking("silence", "silence for a minute"),
        asking("breaks", "the server ends in the middle of the call"),
    )


@lru_cache(maxsize=1)
def dialog_probes() -> tuple[Probe, ...]:
    """Calls with a question, and the effect of keys, a resize and silence on it."""
    hints = {"readOnlyHint": False, "destructiveHint": True}

    def dialog(kind: str, words: str) -> Probe:
        tool = tool_of(f"probe_d_{kind.replace('-', '_')}", hints)
        note = {"note": f"word-{kind}"}
        return Probe(f"dialog/{kind}", "dialog", tool, note, text_result("done"), kind, words=words)

    return (
        dialog("enter-held", "Enter every 0.1 s from before the question opens"),
        dialog("enter-early", "one Enter 0.05 s after the question opens"),
        dialog("enter-later", "one Enter 1.6 s after the question opens"),
        dialog("resize", "another size of the window while the question is open"),
        dialog("silence", "no key for 15 seconds"),
        replace(
            dialog(TWO_AT_ONCE, "two calls of one tool in one turn: the first question is denied"),
            arguments={"note": FIRST_WORD},
            beside={"note": SECOND_WORD},
            canaries={"name": "probe_d_two_at_once", **TWO_WORDS},
        ),
    )


def _odd(kind: str, words: str, **more: Any) -> Probe:
    tool = tool_of("probe_o_odd", {"readOnlyHint": True}, **more)
    note = {"note": "word"}
    return Probe(f"reading/{kind}", "reading", tool, note, text_result("odd"), words=words)


@lru_cache(maxsize=1)
def reading_probes() -> tuple[Probe, ...]:
    """Definitions with one oddity each; each is listed with two ordinary tools."""

    def output(schema: Any) -> dict[str, Any]:
        return {"outputSchema": schema}

    null_hint = {"annotations": {"readOnlyHint": True, "destructiveHint": None}}
    any_of = {"inputSchema": {"anyOf": [NOTE_SCHEMA]}}
    return (
        _odd("null-title", "title is null", title=None),
        _odd("null-description", "description is null", description=None),
        _odd("null-annotations", "annotations is null", annotations=None),
        _odd("null-hint", "a hint is null", **null_hint),
        _odd("null-output-schema", "outputSchema is null", outputSchema=None),
        _odd("null-meta", "_meta is null", _meta=None),
        _odd("null-icons", "icons is null", icons=None),
        _odd("any-of-input", "inputSchema without type", **any_of),
        _odd("array-output", "outputSchema of an array", **output({"type": "array"})),
        _odd(
            "true-property",
            "a property of outputSchema is true",
            **output({"type": "object", "properties": {"a": True}}),
        ),
        _odd(
            "lost-reference",
            "outputSchema with a $ref that leads nowhere",
            **output({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
        ),
        _odd("text-hint", "a hint is a text", annotations={"readOnlyHint": "true"}),
        _odd("false-text-hint", "false as a text", annotations={"readOnlyHint": "false"}),
        _odd("number-hint", "a hint is a number", annotations={"readOnlyHint": 1}),
        _odd("list-annotations", "annotations is a list", annotations=[]),
    )


def ordinary_tools() -> tuple[Probe, ...]:
    """The two tools beside each oddity."""
    return hint_probes()[:2]


@lru_cache(maxsize=1)
def all_probes() -> dict[str, Probe]:
    """Every probe by its id."""
    families = (
        hint_probes(),
        answer_probes(),
        shown_probes(),
        remembered_probes(),
        request_probes(),
        dialog_probes(),
        reading_probes(),
        whole_probes(),
        offered_probes(),
        patience_probes(),
    )
    return {probe.id: probe for family in families for probe in family}


def default_probes() -> tuple[Probe, ...]:
    """The 16 telling combinations of hints, and every kind of answer."""
    return (*hint_probes()[: len(_TELLING)], *answer_probes())
