"""The grammar of flow files: one register for the reader and for the published schema.

Includes expectations on images and progress, the person who answers dialogs, and replies to the
server's requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...approval.approval import BY_WORDS
from ...approval.matrix import HINT_NAMES
from ...calls.call import Outcome
from ...cli.options.declared import Option
from ...cli.options.meaning import Fits, OptionMeaning
from ...cli.options.session import session_options
from ...content.files.kinds import (
    AnyValue,
    Flag,
    Key,
    ListOf,
    MapOf,
    Number,
    OneOf,
    Table,
    Text,
    Word,
)
from ...content.files.tree import Problems, Tree
from ...protocol.extensions.denials import Remediation
from ...protocol.extensions.evidence_digests import DigestAnswer
from ...protocol.extensions.late_approval import Disposition
from ...protocol.extensions.tool_resolution import ResolutionStatus
from ...protocol.extensions.trust_annotations import TrustLabel
from ...protocol.findings.codes import CODES
from ...protocol.hints import Effect
from ...schemas.schema import SchemaAnswer
from .flow import ABSENT, ACTIONS
from .matcher_grammar import COUNT, MATCH_TEXT, MATCH_VALUE, VALUE, check_pointer, check_regex
from .sign_in_grammar import NONE, SIGN_IN, check_sign_ins, is_none

SCHEMA_ERROR: Final = OneOf(
    (
        Text(),
        Table(
            "a schema error",
            {
                "at": Key(Text(), "where, as a JSON Pointer"),
                "message": Key(MATCH_TEXT, "the message"),
            },
            check=check_pointer,
        ),
    )
)
IMAGE: Final = Table(
    "a picture",
    {
        "mime": Key(Text(), "the type that the server claims: image/png"),
        "width": Key(COUNT, "in pixels, as the data has it"),
        "height": Key(COUNT, "in pixels, as the data has it"),
    },
)
PROGRESS: Final = Table(
    "progress",
    {
        "reports": Key(COUNT, "at least so many reports"),
        "increasing": Key(Flag(), "whether each report is above the one before"),
        "total": Key(VALUE, "the total of the newest report"),
        "message": Key(MATCH_TEXT, "the messages, a line each"),
    },
)
_SOME: Final = Word(("none", "some"))
EVIDENCE: Final = Table(
    "evidence",
    {
        "writes": Key(_SOME, "files that are created, changed or deleted"),
        "destroys": Key(_SOME, "files that lose something"),
        "starts": Key(_SOME, "programs"),
        "reaches": Key(_SOME, "other machines"),
        "contradicts": Key(Flag(), "whether a hint of the tool is contradicted by it"),
    },
)
RESOLVED: Final = Table(
    "resolved hints",
    {
        "status": Key(
            Word(tuple(one.value for one in ResolutionStatus)), "how far the resolution came"
        ),
        "effect": Key(Word(tuple(one.value for one in Effect)), "what the hints add up to"),
        **{name: Key(Flag(), f"the resolved hint {name}") for name in HINT_NAMES},
        "because": Key(MATCH_TEXT, "why the static hints count, in Signoff's words"),
    },
)
ACTION: Final = Table(
    "action metadata",
    {
        "outcome": Key(
            ListOf(Text(), or_one=True, may_be_empty=True), "all declared outcomes: irreversible"
        ),
        "review": Key(Flag(), "whether the tool requires a review of each call"),
    },
)
ANSWERED: Final = Table(
    "something asked",
    {
        "kind": Key(Word(("elicitation", "sampling")), "what is asked for"),
        "message": Key(MATCH_TEXT, "what the person reads of it"),
        "answered": Key(Word(("approve", "deny", "cancel", "withdrawn")), "what came of it"),
    },
)


PERSONS: Final = ("approve", "deny", "never", "close", "absent")
SCOPES: Final = ("once", "arguments", "session")
SECONDS: Final = Number(0, 86_400, unit="seconds")


def _check_person(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    answer = found.get("answer")
    if answer == "edit" and "to" not in found:
        problems.add(tree.spot, "a person who edits needs to: the arguments to send instead")
    for key, wanted in (("to", "edit"), ("then", "edit"), ("remember", "approve")):
        if key in found and answer != wanted:
            words = f"{key} goes with answer: {wanted}, and this person's is {answer}"
            problems.add(tree.keys[key], words)
    days = found.get("remember")
    if isinstance(days, int) and days not in (1, 7, 30):
        problems.add(tree.keys["remember"], "the dialog offers 1, 7 or 30 days")


PERSON: Final = OneOf(
    (
        Word(PERSONS),
        Table(
            "a person",
            {
                "answer": Key(
                    Word((*PERSONS, "edit")), "what is answered to the dialog", is_required=True
                ),
                "after": Key(SECONDS, "seconds until then"),
                "remember": Key(
                    OneOf((Word(SCOPES), Number(1, 30, is_whole=True, unit="days"))),
                    "what is remembered of an approval",
                ),
                "to": Key(AnyValue(is_object=True), "the arguments that an edit leads to"),
                "then": Key(Word(PERSONS), "what is answered to the edited call; deny"),
                "use": Key(Flag(), "whether the response may be used, if a dialog asks; true"),
            },
            check=_check_person,
        ),
    )
)

_FORM_ANSWER: Final = OneOf(
    (
        Word(("accept", "decline", "cancel")),
        Table(
            "an answer",
            {
                "action": Key(Word(("accept", "decline", "cancel")), "accept where left out"),
                "content": Key(AnyValue(is_object=True), "the values of the form"),
                "unchecked": Key(Flag(), "whether values that the form refuses are sent; false"),
                "after": Key(SECONDS, "seconds until it is given"),
            },
        ),
    )
)
_MODEL_ANSWER: Final = OneOf(
    (
        Text(),
        Table(
            "a model's answer",
            {
                "action": Key(Word(("accept", "decline", "cancel")), "accept where left out"),
                "text": Key(Text(), "the model's response"),
                "model": Key(Text(), "the name of the model"),
                "after": Key(SECONDS, "seconds until it is given"),
            },
        ),
    )
)
ANSWERS: Final = Table(
    "answers",
    {
        "elicitation": Key(ListOf(_FORM_ANSWER, or_one=True), "to forms and visits, in order"),
        "sampling": Key(ListOf(_MODEL_ANSWER, or_one=True), "in a model's place, in order"),
    },
)


VERDICTS: Final = ("allow", "ask", "refuse", "hide")
EVENTS: Final = (
    "tools/list_changed",
    "resources/list_changed",
    "resources/updated",
    "prompts/list_changed",
    "message",
    "progress",
    "cancelled",
    "elicitation/complete",
    "tasks/status",
)
"""Notifications of a server, without what they all begin with."""
_BY: Final = ("you", "policy", "script", *(by for by in BY_WORDS if by != "you"))


_CODE: Final = Word(tuple(CODES))

EXPECT: Final = Table(
    "expect",
    {
        "verdict": Key(ListOf(Word(VERDICTS), or_one=True), "the verdict of the policy"),
        "strong": Key(Flag(), "whether it asks with a warning"),
        "rule": Key(MATCH_TEXT, "the rule that fired"),
        "reason": Key(MATCH_TEXT, "the reason of the verdict"),
        "dialog": Key(OneOf((Flag(), MATCH_TEXT)), "whether a dialog opens, or its text"),
        "decided_by": Key(Word(_BY), "who decided"),
        "sent": Key(Flag(), "whether anything was sent"),
        "outcome": Key(
            ListOf(Word(tuple(one.value for one in Outcome)), or_one=True), "how it ended"
        ),
        "ended_because": Key(MATCH_TEXT, "why it ended so, in Signoff's words"),
        "schema": Key(
            Word(tuple(one.value for one in SchemaAnswer)), "the verdict on structuredContent"
        ),
        "schema_errors": Key(
            ListOf(SCHEMA_ERROR, or_one=True, may_be_empty=True), "places of schema errors"
        ),
        "findings": Key(ListOf(_CODE, or_one=True), "codes that have to be found"),
        "no_findings": Key(
            OneOf((Flag(), ListOf(_CODE, or_one=True))),
            "codes that must not be found; true: no warning and no error",
        ),
        "content": Key(ListOf(MATCH_TEXT, or_one=True), "the texts of the response"),
        "structured": Key(ListOf(MATCH_VALUE, or_one=True), "structuredContent"),
        "result": Key(ListOf(MATCH_VALUE, or_one=True), "the whole result, as it came"),
        "error": Key(MATCH_TEXT, "the message of a protocol error"),
        "error_code": Key(Number(-1_000_000, is_whole=True), "the code of a protocol error"),
        "images": Key(ListOf(IMAGE, or_one=True, may_be_empty=True), "the pictures, in order"),
        "progress": Key(PROGRESS, "what is reported while it runs"),
        "evidence": Key(EVIDENCE, "what the server's processes do; they are watched then"),
        "resolved": Key(RESOLVED, "the hints of this call (tool-resolution)"),
        "action": Key(ACTION, "what the tool declares (action-metadata)"),
        "labels": Key(
            ListOf(Word(tuple(TrustLabel)), or_one=True, may_be_empty=True),
            "all labels of the result (trust-annotations)",
        ),
        "digests": Key(
            ListOf(Word(tuple(DigestAnswer)), or_one=True, may_be_empty=True),
            "the digest of each evidence, in order (trust-annotations)",
        ),
        "denial": Key(
            Word((ABSENT, *Remediation)),
            "the remedy of a server's denial, or none (structured-authorization-denials)",
        ),
        "disposition": Key(
            Word((ABSENT, *Disposition)),
            "what became of the work, or none (tool-approval)",
        ),
        "asked": Key(
            ListOf(ANSWERED, or_one=True, may_be_empty=True),
            "requests of the server",
        ),
        "within": Key(SECONDS, "seconds that it may take, without those of the person"),
        "messages": Key(
            MapOf(COUNT), "how many messages of a method were exchanged: {tools/call: 1}"
        ),
        "exit_status": Key(Number(0, 255, is_whole=True), "the exit status of `signoff call`"),
    },
)


def _check_step(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    actions = [name for name in ACTIONS if name in found]
    if len(actions) != 1:
        said = f"has {' and '.join(actions)}" if actions else "does nothing"
        words = f"a step {said}: give exactly one of {', '.join(ACTIONS)}"
        problems.add(tree.spot if not actions else tree.keys[actions[1]], words)
        return
    if "with" in found and actions[0] not in ("call", "prompt", "each", "consent"):
        problems.add(tree.keys["with"], f"with gives arguments, and a {actions[0]} has none")
    if "cancel" in found and actions[0] not in ("call", "read", "prompt", "each"):
        problems.add(tree.keys["cancel"], f"only a call can be cancelled, and no {actions[0]}")
    for name in ("answers", "expect", "capture", "sign_in"):
        if name in found and actions[0] == "consent":
            problems.add(tree.keys[name], f"consent has its own checks, and takes no {name}")
    if actions[0] == "each" and not is_none(found.get("sign_in", NONE)):
        words = "a step for each tool makes several calls: its sign_in can only be none"
        problems.add(tree.keys["sign_in"], words)
    if isinstance(found.get("wait"), int | float):
        for name in ("expect", "capture"):
            if name in found:
                problems.add(tree.keys[name], f"nothing comes of a wait for seconds to {name}")


def _check_capture(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    ways = [name for name in ("result", "regex") if name in found]
    if len(ways) != 1:
        problems.add(tree.spot, "a capture is by result, a JSON Pointer, or by regex")
    check_pointer(tree, found, problems, "result")
    check_regex(tree, found, problems)


CAPTURE: Final = OneOf(
    (
        Text(),
        Table(
            "a capture",
            {
                "result": Key(Text(), "a JSON Pointer into the result"),
                "regex": Key(Text(), "a pattern in the texts of the response; its group, or all"),
                "as": Key(Word(("text", "number")), "what the regex finds; text"),
            },
            check=_check_capture,
        ),
    )
)

STEP: Final = Table(
    "a step",
    {
        "name": Key(Text(), "what the report calls it"),
        "call": Key(Text(may_be_number=True), "the exact name of a tool"),
        "read": Key(Text(), "the URI of a resource"),
        "prompt": Key(Text(may_be_number=True), "the name of a prompt"),
        "subscribe": Key(Text(), "the URI of a resource whose updates are wanted"),
        "wait": Key(
            OneOf((Word(EVENTS), SECONDS)),
            "a notification of the server, since the step before began; or seconds",
        ),
        "each": Key(
            Table(
                "each",
                {
                    "name": Key(ListOf(Text(), or_one=True), "patterns of names: delete_*"),
                    "except": Key(ListOf(Text(), or_one=True), "patterns of names to leave out"),
                    "effect": Key(
                        ListOf(Word(tuple(one.value for one in Effect)), or_one=True),
                        "what the hints add up to",
                    ),
                },
            ),
            "a call of every tool that matches",
        ),
        "consent": Key(
            Text(may_be_number=True), "the exact name of a tool that asks: eight people call it"
        ),
        "with": Key(AnyValue(is_object=True), "the arguments"),
        "person": Key(PERSON, "who answers the dialog, and what"),
        "answers": Key(ANSWERS, "replies to the server's requests"),
        "sign_in": Key(SIGN_IN, "whether a sign-in is asked during this step, and the answer"),
        "expect": Key(EXPECT, "what has to come of it"),
        "capture": Key(MapOf(CAPTURE), "values for later steps, as ${name}: JSON Pointers"),
        "timeout": Key(SECONDS, "seconds that the call may take"),
        "cancel": Key(SECONDS, "seconds after its sending until the call is cancelled"),
        "retries": Key(Number(0, 100, is_whole=True), "retries if the step fails"),
    },
    check=_check_step,
)

VARIABLE: Final = OneOf(
    (
        Table(
            "a variable",
            {
                "env": Key(Text(), "the variable of the environment that has it", is_required=True),
                "default": Key(Text(), "the default"),
            },
        ),
        AnyValue(),
    )
)


_OWN_KINDS: Final = {
    "env": MapOf(Text(may_be_number=True)),
    "headers": MapOf(Text()),
    "trust": Flag(),
}
"""The options that are written in another way than on a command line."""


def _in_flows() -> Iterator[tuple[str, Option, OptionMeaning]]:
    """The options of a session that are keys of a flow, too."""
    return (one for one in session_options() if one[2].flow)


def _kind_of(name: str, one: Option) -> Any:
    """What the key of an option takes."""
    if name in _OWN_KINDS:
        return _OWN_KINDS[name]
    choices = one.more.get("choices")
    each = Word(tuple(choices)) if choices else Text()
    if one.kind == "tuple":
        return ListOf(each, or_one=True)
    return Flag() if one.kind == "bool" else each


OPTION_KEYS: Final = tuple(name for name, _, _ in _in_flows() if name not in _OWN_KINDS)
"""The keys whose value is that of the option."""


def _check_flow(tree: Tree, found: dict[str, Any], problems: Problems) -> None:
    targets = [name for name in ("server", "command", "url") if name in found]
    if len(targets) != 1:
        said = f"has {' and '.join(targets)}" if targets else "has no server"
        words = f"the flow {said}: give one of server: demo, command or url"
        problems.add(tree.keys[targets[1]] if targets else tree.spot, words)
    if "policy" in found and "host" in found:
        problems.add(tree.keys["host"], "give only one of policy and host")
    for key, _, means in _in_flows():
        if key not in found or not targets:
            continue
        if means.fits is Fits.STARTED and "url" in found:
            words = f"{key} is for a server that Signoff starts, not for a url"
            problems.add(tree.keys[key], words)
        if means.fits is Fits.URL and "url" not in found:
            problems.add(tree.keys[key], f"{key} is for a url, not for a server that is started")
    if "folder" in found and targets and "command" not in found:
        problems.add(tree.keys["folder"], "folder is for a command")
    check_sign_ins(tree, is_url=targets == ["url"], has_target=bool(targets), problems=problems)


FLOW: Final = Table(
    "a flow",
    {
        "flow": Key(Text(), "what it is about, in a few words"),
        "server": Key(Word(("demo",)), "the bundled server"),
        "command": Key(
            OneOf((Text(), ListOf(Text(may_be_number=True)))),
            "a stdio server: its words, or a line that is split as a shell would",
        ),
        "url": Key(Text(), "a server over Streamable HTTP"),
        "folder": Key(Text(), "where the command is started, beside the file"),
        **{name: Key(_kind_of(name, one), means.flow) for name, one, means in _in_flows()},
        "sign_in": Key(SIGN_IN, "whether the url asks for a sign-in to connect, and the answer"),
        "policy": Key(Text(), "who decides: a name, or a TOML file beside this one; cautious"),
        "host": Key(Text(), "decide by the rules of a known host: vscode"),
        "person": Key(PERSON, "who answers dialogs by default; deny"),
        "decision_seconds": Key(
            Number(0.1, 86_400, unit="seconds"), "after which a dialog denies by itself; 120"
        ),
        "timeout": Key(SECONDS, "seconds that a call may take; 60"),
        "retries": Key(Number(0, 100, is_whole=True), "how often a failed step is tried again; 0"),
        "variables": Key(MapOf(VARIABLE), "values for the steps, as ${name}"),
        "steps": Key(ListOf(STEP), "one after the other, on one server", is_required=True),
    },
    check=_check_flow,
)


def flow_schema() -> dict[str, Any]:
    """The JSON Schema of flow files, for editors."""
    made = FLOW.schema()
    targets: list[Any] = [{"required": [name]} for name in ("server", "command", "url")]
    step = made["properties"]["steps"]["items"]
    step["oneOf"] = [{"required": [name]} for name in ACTIONS]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A flow of Signoff",
        "description": "Steps on an MCP server, and the expected result of each.",
        **made,
        "oneOf": targets,
    }
