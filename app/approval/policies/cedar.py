"""Cedar policies of two gateways as policies: Docker's MCP gateway, and ToolHive.

Both read the hints of a tool, each in its own way. Docker gives every tool four attributes, by the
defaults of the specification. ToolHive gives a tool only the hints that its server declares, and an
error of evaluation denies: a policy without `has` denies every tool without that hint. Arguments
and person are not known before a call. If they decide, the verdict is “not known”.

Sources, read on 2026-11-27: github.com/docker/docs at 03153a3, content/manuals/ai/sandboxes/
governance/reference/mcp-policy.md; github.com/stacklok/docs-website at 03e91c9, docs/toolhive/
reference/authz-policy-reference.mdx.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any, Final

from ...content.frozen import frozen
from ...content.json.jsonio import JsonValue
from ...content.suggest import did_you_mean
from ...content.text import shortened, visible
from ...platforms.extras import install_line
from ...protocol.hints import Claim
from ...protocol.rpc import CALL_METHOD
from ...protocol.server import Trust
from ...protocol.tool import ToolDefinition
from ...protocol.tool_reading import read_tool
from .policy import Explanation, Policy, PolicyKind
from .verdicts import Case, Verdict, VerdictAnswer

DOCKER: Final = "docker"
TOOLHIVE: Final = "toolhive"
DIALECTS: Final = (DOCKER, TOOLHIVE)
"""Words before the path of a file: `docker:org.cedar`."""
TITLES: Final = {DOCKER: "Docker's MCP gateway", TOOLHIVE: "ToolHive"}
LONGEST: Final = 100_000
"""Characters of one statement."""
MOST: Final = 2_000
"""Statements of a file."""
DEEPEST: Final = 100
"""Brackets within brackets, and conditions with `if`: the parser is native code without a limit."""
LONGEST_CHAIN: Final = 1_000
"""Signs of one kind, such as `||` or `.`, in one statement, for the same reason."""
_SHOWN: Final = 200
_ARGUMENT: Final = re.compile(r"\barg_\w+")
_ID: Final = re.compile(r"policy(\d+)")
_TOKEN: Final = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\n]*|[;()\[\]{}.+*!-]|&&|\|\||\b(?:if|when|unless)\b', re.DOTALL
)
_BLANK: Final = re.compile(r"(?:\s|//[^\n]*)*")
_CHAINED: Final = (".", "[", "+", "-", "*", "!", "&&", "||")
_MISSING: Final = re.compile(r"does not have the attribute `(\w+)`")
_NOT_JUDGED: Final = "Cedar cannot judge it: "
_OF_EVALUATION: Final = "error while evaluating policy"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]+")
_PERSON: Final = {"type": "MCP::User", "id": "person"}
_EVERY: Final = {"op": "All"}
_HINTS: Final = {
    "readOnlyHint": "readOnly",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "openWorld",
}
"""The hints, and the names of Docker's attributes."""


class CedarProblem(ValueError):
    """Cedar cannot be used, or cannot read a text; the message is safe to show."""


@frozen
class Statement:
    """One `permit` or `forbid`."""

    text: str
    place: str
    """Its file and line, safe to show."""
    is_permit: bool
    approval: str | None
    """The reason of its `@requireApproval`, which Docker knows; None without one."""
    own_id: str
    """Its `@id`."""
    for_anyone: str
    """The text without its condition on the person in the head."""

    @property
    def label(self) -> str:
        kind = "permit" if self.is_permit else "forbid"
        return visible(f"{kind} “{self.own_id}”" if self.own_id else kind)


@frozen
class CedarPolicy(Policy):
    """A policy whose verdicts come from Cedar. The trust in a server makes no difference to it."""

    dialect: str = DOCKER
    statements: tuple[Statement, ...] = field(default=(), repr=False)
    entities: tuple[Any, ...] = field(default=(), repr=False)
    """Static entities of ToolHive, as Cedar's JSON has them."""

    @property
    def is_constant(self) -> bool:
        return False

    @property
    def judges_by_name(self) -> bool:
        return True

    def judge(self, case: Case) -> Verdict:
        if case.arguments is not None or case.unlogged:
            return self._judge(case)
        key: Hashable = (
            case.tool.name,
            tuple(hint.claim for hint in case.tool.hints),
            case.server,
            case.tool.callable,
            case.denied_for_session,
            case.method,
        )
        if key not in self._known:
            self._known[key] = self._judge(case)
        return self._known[key]

    def explain(self, case: Case) -> Explanation:
        return Explanation(self.judge(case), ())

    def _judge(self, case: Case) -> Verdict:
        # Whatever the statements: a tool without a name, and one that was denied, stay refused.
        verdict = Policy._judge(self, case)
        if verdict.answer is VerdictAnswer.REFUSE:
            return verdict
        if case.method != CALL_METHOD:
            return self._verdict(VerdictAnswer.ASK, "only calls are judged by the file", None)
        try:
            return self._decided(case)
        except CedarProblem as problem:
            return self._verdict(VerdictAnswer.UNKNOWN, str(problem), None)

    def check_entities(self) -> None:
        """Raise CedarProblem for static entities that Cedar cannot read."""
        sample = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}})
        request, entities = self._request(Case(sample, Trust.UNTRUSTED))
        try:
            _evaluated(request, [], entities)
        except CedarProblem as problem:
            words = str(problem).rpartition("deserialization: ")[2]
            words = words.removeprefix(_NOT_JUDGED)
            raise CedarProblem(f"entities_json: {words}") from None

    def unknown_attributes(self) -> list[str]:
        """Attributes that a statement for Docker reads and that no tool has there."""
        if self.dialect != DOCKER:
            return []
        sample = read_tool(0, {"name": "a", "inputSchema": {"type": "object"}})
        request, entities = self._request(Case(sample, Trust.UNTRUSTED))
        errors = _evaluated(request, [one.text for one in self.statements], entities).errors
        missing = [_MISSING.search(str(one)) for one in errors]
        return sorted({one[1] for one in missing if one})

    def _decided(self, case: Case) -> Verdict:
        """The verdict of the statements that apply, and of those that may."""
        request, entities = self._request(case)
        diagnostics = _evaluated(request, [one.text for one in self.statements], entities)
        if self.dialect == TOOLHIVE and diagnostics.errors:
            return self._verdict(VerdictAnswer.HIDE, _error_words(diagnostics.errors[0]), None)
        applies = _named(self.statements, diagnostics.reasons)
        opens = _named(self.statements, diagnostics.nontrivial_residuals)
        if opens:
            # If the head is on another tool, the person makes no difference.
            again = _evaluated(request, [one.for_anyone for one in opens], entities)
            opens = _named(opens, [*again.reasons, *again.nontrivial_residuals])
        verdict = self._settled_by(applies, opens)
        missing = [_MISSING.search(str(one)) for one in diagnostics.errors]
        if verdict.rule or not any(missing):
            return verdict
        name = next(one[1] for one in missing if one)
        known = did_you_mean(name, ("name", *_HINTS.values()))
        words = f"a statement reads {visible(name)}, which a tool does not have{known}"
        return replace(verdict, reasons=(*verdict.reasons, words))

    def _settled_by(self, applies: Sequence[Statement], opens: Sequence[Statement]) -> Verdict:
        is_docker = self.dialect == DOCKER
        denied = VerdictAnswer.REFUSE if is_docker else VerdictAnswer.HIDE
        forbids = [one for one in applies if not one.is_permit]
        permits = [one for one in applies if one.is_permit]
        if forbids:
            return self._verdict(denied, "a forbid matches", forbids[0])
        asking = [one for one in permits if is_docker and one.approval is not None]
        may_forbid = any(not one.is_permit for one in opens)
        may_ask = is_docker and any(one.approval is not None for one in opens)
        may_change = may_forbid or (may_ask and not asking) or (bool(opens) and not permits)
        if may_change:
            what = "the arguments" if is_docker else "the arguments or the person"
            return self._verdict(VerdictAnswer.UNKNOWN, f"it depends on {what}", opens[0])
        if asking:
            words = f"approval is required: {asking[0].approval}".removesuffix(": ")
            return self._verdict(VerdictAnswer.ASK, words, asking[0])
        if permits:
            return self._verdict(VerdictAnswer.ALLOW, "a permit matches", permits[0])
        return self._verdict(denied, "no permit matches: denied by default", None)

    def _request(self, case: Case) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The request for Cedar, and its entities; arguments that are not known are left out."""
        tool = _entity(case.tool.name)
        request: dict[str, Any]
        if self.dialect == DOCKER:
            request = {
                "principal": f'{_PERSON["type"]}::"{_PERSON["id"]}"',
                "action": 'MCP::Action::"invokeTool"',
                "resource": _uid_text("MCP::Tool", tool),
            }
            if case.arguments is not None:
                request["context"] = _docker_context(case.arguments)
            own = {
                "uid": {"type": "MCP::Tool", "id": tool},
                "attrs": {"name": tool, **_all_hints(case.tool)},
                "parents": [{"type": "MCP::Server", "id": _entity(case.server)}],
            }
            # A person without attributes and groups: conditions on them do not match there.
            return request, [own, {"uid": _PERSON, "attrs": {}, "parents": []}]
        request = {"action": 'Action::"call_tool"', "resource": _uid_text("Tool", tool)}
        wanted = sorted({one for each in self.statements for one in _ARGUMENT.findall(each.text)})
        static: dict[str, Any] = next(
            (one for one in self.entities if one["uid"] == _uid(tool)), {}
        )
        own = {
            "uid": _uid(tool),
            "attrs": {
                **static.get("attrs", {}),
                "name": tool,
                "operation": "call",
                "feature": "tool",
                **_declared_hints(case.tool),
                **dict(_toolhive_arguments(case.arguments, wanted)),
            },
            "parents": [*static.get("parents", []), {"type": "MCP", "id": _entity(case.server)}],
        }
        return request, [own, *(one for one in self.entities if one["uid"] != _uid(tool))]

    def _verdict(self, answer: VerdictAnswer, words: str, by: Statement | None) -> Verdict:
        return Verdict(
            answer,
            (words,),
            policy=self.shown_name,
            rule="" if by is None else by.label,
            source=self.source if by is None else by.place,
        )


@lru_cache(maxsize=16)
def _policy_set(text: str) -> Any:
    """Statements as Cedar has parsed them."""
    return _cedar().PolicySet.from_str(text)


def _evaluated(request: Mapping[str, Any], texts: Sequence[str], entities: Sequence[Any]) -> Any:
    """Cedar's diagnostics on a request. Raises CedarProblem if it cannot be read."""
    try:
        policies = _policy_set("\n".join(texts))
        found = _cedar().is_authorized_partial(dict(request), policies, list(entities))
    except (ValueError, TypeError, RecursionError) as error:
        words = shortened(visible(str(error)), _SHOWN) or "it is nested too deeply"
        raise CedarProblem(f"{_NOT_JUDGED}{words}") from None
    errors = [str(one) for one in found.diagnostics.errors]
    wrong = next((one for one in errors if not one.startswith(_OF_EVALUATION)), None)
    if wrong is not None:
        # Before the cause it repeats all entities.
        cause = wrong.rpartition("]: ")[2] if "entities" in wrong else wrong
        raise CedarProblem(f"{_NOT_JUDGED}{shortened(visible(cause), _SHOWN)}")
    return found.diagnostics


def _named(statements: Sequence[Statement], ids: Sequence[Any]) -> list[Statement]:
    """The statements by Cedar's names for them, in their order."""
    found = [_ID.fullmatch(str(one)) for one in ids]
    numbers = sorted({int(one[1]) for one in found if one})
    return [statements[at] for at in numbers if at < len(statements)]


def read_cedar(
    dialect: str, name: str, statements: Sequence[tuple[str, str]], entities: Sequence[Any] = ()
) -> CedarPolicy:
    """A policy of these statements, each with its place. Raises CedarProblem."""
    if len(statements) > MOST:
        raise CedarProblem(f"more than {MOST:,} statements")
    known = tuple(_statement(text, place) for text, place in statements)
    policy = CedarPolicy(
        f"{dialect}:{name}",
        (),
        PolicyKind.OWN,
        summary=f"Decides as {TITLES[dialect]} does by this file.",
        honours_grants=False,
        heeds_doubts=False,
        source=visible(name),
        dialect=dialect,
        statements=known,
        entities=tuple(_static_entity(one) for one in entities),
    )
    if entities:
        policy.check_entities()
    return policy


def split_statements(text: str) -> Iterator[tuple[str, int]]:
    """The statements of a text, each with its first line. What follows the last `;` is one more."""
    begin, line, counted = 0, 1, 0
    ends = [match.end() for match in _TOKEN.finditer(text) if match[0] == ";"]
    for end in (*ends, len(text)):
        first = _skipped(text, begin)
        if first < end:
            line += text.count("\n", counted, first)
            counted = first
            yield text[begin:end], line
        begin = end


def _skipped(text: str, begin: int) -> int:
    """The place of the first word after blanks and comments."""
    found = _BLANK.match(text, begin)
    return found.end() if found is not None else begin


def _statement(text: str, place: str) -> Statement:
    problem, conditions_at = _too_much(text)
    if problem:
        raise CedarProblem(f"{place}: {problem}")
    # Of its head alone: the conditions may be long, and are not needed as values.
    head = f"{text[:conditions_at].rstrip().removesuffix(';')};"
    try:
        _cedar().PolicySet.from_str(text)
        found = json.loads(_cedar().policies_to_json_str(head))
    except CedarProblem:
        raise
    except (ValueError, RecursionError) as error:
        words = shortened(visible(" ".join(str(error).split())), _SHOWN)
        raise CedarProblem(f"{place}: {words}") from None
    policies = list(found["staticPolicies"].values())
    if len(policies) != 1 or found["templates"]:
        raise CedarProblem(f"{place}: one permit or forbid is expected, without a slot")
    own = dict(policies[0])
    marks = own.get("annotations") or {}
    approval = None
    if "requireApproval" in marks:
        approval = shortened(marks["requireApproval"] or "", _SHOWN)
    own_id = shortened(marks.get("id") or "", 60)
    for_anyone = text
    if own["principal"] != _EVERY:
        found["staticPolicies"] = {"policy0": {**own, "principal": _EVERY}}
        plain = str(_cedar().policies_from_json_str(json.dumps(found))).rstrip()
        for_anyone = f"{plain.removesuffix(';')} {text[conditions_at:].rstrip().removesuffix(';')};"
    return Statement(text, place, own["effect"] == "permit", approval, own_id, for_anyone)


def _too_much(text: str) -> tuple[str, int]:
    """Why a statement is not given to the parser, and the place where its conditions begin."""
    if len(text) > LONGEST:
        return f"the statement has more than {LONGEST:,} characters", 0
    depth = deepest = 0
    conditions_at = len(text)
    counts: Counter[str] = Counter()
    for match in _TOKEN.finditer(text):
        sign = match[0]
        depth += (sign in ("(", "[", "{")) - (sign in (")", "]", "}"))
        deepest = max(deepest, depth)
        counts[sign] += 1
        if sign in ("when", "unless") and depth == 0:
            conditions_at = min(conditions_at, match.start())
    if max(deepest, counts["if"]) > DEEPEST:
        return f"the statement is nested more than {DEEPEST} levels deep", 0
    longest = max(_CHAINED, key=lambda sign: counts[sign])
    if counts[longest] > LONGEST_CHAIN:
        return f"the statement has more than {LONGEST_CHAIN:,} times {longest}: use several", 0
    return "", conditions_at


def _cedar() -> Any:
    try:
        import cedarpy
    except ImportError:
        raise CedarProblem(f"Cedar policies need an extra: {install_line('cedar')}") from None
    return cedarpy


def _error_words(error: str) -> str:
    missing = _MISSING.search(error)
    if missing is None:
        return f"an error of evaluation denies: {shortened(visible(error), _SHOWN)}"
    return f"{missing[1]} is not declared, and the file reads it without has: an error denies"


def _all_hints(tool: ToolDefinition) -> dict[str, bool]:
    """Docker's attributes: the declared hints, else the defaults of the specification."""
    names = tuple(_HINTS.values())
    return {name: hint.effective for name, hint in zip(names, tool.hints, strict=True)}


def _declared_hints(tool: ToolDefinition) -> dict[str, bool]:
    """ToolHive's attributes: only the hints that are declared."""
    return {
        name: hint.claim is Claim.TRUE
        for name, hint in zip(_HINTS, tool.hints, strict=True)
        if hint.claim in (Claim.TRUE, Claim.FALSE)
    }


def _docker_context(arguments: Mapping[str, JsonValue]) -> dict[str, Any]:
    """The arguments, or nothing if one of them has a type that Cedar lacks."""
    if _has_cedar_type(dict(arguments)):
        return {"args": dict(arguments)}
    return {}


def _has_cedar_type(value: JsonValue) -> bool:
    match value:
        case bool() | str():
            return True
        case int():
            return -(2**63) <= value < 2**63
        case dict():
            # Such keys are Cedar's own, for entities and functions.
            plain = not any(key.startswith("__") for key in value)
            return plain and all(map(_has_cedar_type, value.values()))
        case list():
            return all(map(_has_cedar_type, value))
    return False


def _toolhive_arguments(
    arguments: Mapping[str, JsonValue] | None, wanted: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Attributes for the arguments; while these are not known, each that the file reads is open."""
    if arguments is None:
        for name in wanted:
            yield name, {"__extn": {"fn": "unknown", "arg": name}}
        return
    for key, value in arguments.items():
        if isinstance(value, dict | list):
            yield f"arg_{key}_present", True
        elif isinstance(value, float):
            yield f"arg_{key}", {"__extn": {"fn": "decimal", "arg": f"{value:.4f}"}}
        elif _has_cedar_type(value):
            yield f"arg_{key}", value


def _static_entity(value: Any) -> dict[str, Any]:
    """An entity of `entities_json`, whose uid may be `Type::id`. Raises CedarProblem."""
    uid = value.get("uid") if isinstance(value, dict) else None
    if isinstance(uid, str) and "::" in uid:
        kind, _, own = uid.rpartition("::")
        uid = {"type": kind, "id": own.strip('"')}
    if isinstance(uid, dict):
        uid = uid.get("__entity", uid)
    if not isinstance(uid, dict) or not {"type", "id"} <= uid.keys():
        raise CedarProblem("entities_json: every entity needs a uid with a type and an id")
    attrs, parents = value.get("attrs", {}), value.get("parents", [])
    if not isinstance(attrs, dict) or not isinstance(parents, list):
        raise CedarProblem("entities_json: attrs is an object, and parents is a list")
    return {"attrs": attrs, "parents": parents, "uid": {"type": uid["type"], "id": uid["id"]}}


def _uid(tool: str) -> dict[str, str]:
    return {"type": "Tool", "id": tool}


def _entity(name: str) -> str:
    """A name as UTF-8 can have it: a lone surrogate cannot be in a name of Cedar."""
    return name.encode("utf-8", "replace").decode()


def _uid_text(kind: str, name: str) -> str:
    """An entity as Cedar itself writes it, which is the only form that it reads."""
    if _PLAIN.fullmatch(name):
        return f'{kind}::"{name}"'
    resource = {"op": "==", "entity": {"type": kind, "id": name}}
    policy = {"effect": "permit", "principal": _EVERY, "action": _EVERY, "resource": resource}
    one = {**policy, "conditions": []}
    whole = {"templates": {}, "templateLinks": [], "staticPolicies": {"policy0": one}}
    text = str(_cedar().policies_from_json_str(json.dumps(whole)))
    return text[text.index(f"{kind}::") : text.rindex('"') + 1]
