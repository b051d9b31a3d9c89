"""Records a session as a flow file that passes at once.

Secrets become variables of the environment.

Expectations on a response are its values, except for values that always change: those are expected
by shape. Times of about now and UUIDs are recognised by their look. Other changing values are found
by a second run, `signoff test --settle`; a recorded 42 is a 42 until then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ...approval.approval import BY_HOST, BY_REMEMBERED_APPROVAL, Decision, DecisionAnswer
from ...approval.grants import Scope
from ...approval.policies.verdicts import VerdictAnswer
from ...approval.server_questions import AboutSampling, ServerQuestion
from ...approval.sign_in import AboutSignIn
from ...calls.call import Call, Outcome
from ...content.json.jsonio import JsonValue
from ...protocol.answers.content import TextPart, TextResourcePart
from ...protocol.rpc import CALL_METHOD
from ...schemas.schema import SchemaAnswer
from ...schemas.secrets.arguments import mask_arguments
from ...schemas.secrets.masks import mask_text
from .settling import SETTLED, changes_by_look, matchers, shape_of
from .sign_in_grammar import DENY, FOLLOW
from .text_shapes import pattern_of_now
from .updating import escaped, written

LONGEST_TEXT: Final = 300
LONGEST_VALUE: Final = 800
"""Characters of a structured answer as JSON that are expected as they came; of more, the shape."""


def expected_of_answer(call: Call, when: datetime) -> dict[str, JsonValue]:
    """Expectations on the response of a call that ended at some time; nothing secret."""
    answer, found = call.answer, dict[str, JsonValue]()
    if answer is None:
        return found
    if call.schema is not None and call.schema.answer is not SchemaAnswer.NO_SCHEMA:
        found["schema"] = call.schema.answer.value
    if answer.has_structured:
        found["structured"] = _structured(call, answer.structured, when)
        return found
    texts = [one.text for one in answer.parts if isinstance(one, TextPart | TextResourcePart)]
    whole = "\n".join(texts)
    if texts and len(whole) <= LONGEST_TEXT and _can_be_kept(whole) and mask_text(whole) == whole:
        pattern = pattern_of_now(whole, when)
        found["content"] = escaped({"regex": pattern} if pattern else {"equals": whole})
    return found


def _structured(call: Call, value: JsonValue, when: datetime) -> JsonValue:
    tool = call.request.tool
    masked = mask_arguments(value, None if tool is None else tool.output_schema)
    as_json = json.dumps(value, ensure_ascii=False)
    if masked.count or len(as_json) > LONGEST_VALUE or not _can_be_kept(as_json):
        return {"schema": shape_of(value)}
    several = matchers(escaped(value), changes_by_look(value, when))
    return several[0] if len(several) == 1 else several


def _can_be_kept(text: str) -> bool:
    """True if a file can hold it: half a character cannot be written as UTF-8."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


_REPEATABLE: Final = (Outcome.OK, Outcome.TOOL_ERROR, Outcome.PROTOCOL_ERROR, Outcome.DENIED)
_SCOPES: Final = {Scope.ARGUMENTS: "arguments", Scope.SESSION: "session"}
ABSENT_SECONDS: Final = 1
"""How long a recorded flow waits for somebody who did not answer."""


@dataclass(slots=True)
class RecordedStep:
    """An ended call, and the server's requests during it."""

    call: Call
    ended: datetime
    answers: list[tuple[ServerQuestion, Decision]] = field(default_factory=list)
    sign_in: JsonValue = None
    """The first sign-in during it, as a flow has it."""


class SecretNames:
    """Names of variables for secrets, the same for the same one."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name_for(self, secret: str, meant: str) -> str:
        """Return the variable of a secret, named after its key."""
        if secret not in self._names:
            plain = re.sub(r"[^A-Za-z0-9_]+", "_", meant).strip("_").lower() or "secret"
            plain = plain if plain[0].isalpha() else f"secret_{plain}"
            taken = set(self._names.values())
            name, number = plain, 2
            while name in taken:
                name, number = f"{plain}_{number}", number + 1
            self._names[secret] = name
        return self._names[secret]

    @property
    def variables(self) -> dict[str, JsonValue]:
        """As a flow file has them: each from the environment."""
        return {name: {"env": name.upper()} for name in self._names.values()}


def recorded_flow(
    head: Mapping[str, JsonValue],
    steps: Sequence[RecordedStep],
    names: SecretNames,
    comments: Sequence[str] = (),
) -> str:
    """The YAML; `head` names the server and the rules, `names` has its secrets already."""
    given_before = False
    blocks: list[list[tuple[str, JsonValue]]] = []
    for one in steps:
        if not is_recordable(one.call):
            continue
        blocks.append(list(_step(one, names, given_before)))
        given_before = given_before or _remembers(one.call.decision)
    top = dict(head)
    if any(("person", "absent") in block for block in blocks):
        top["decision_seconds"] = ABSENT_SECONDS
    if names.variables:
        top["variables"] = names.variables
    lines = [f"# {words}" for words in comments]
    for name, value in top.items():
        lines += _entry(name, value, "")
    lines.append("steps:")
    for block in blocks:
        for number, (name, value) in enumerate(block):
            lines += _entry(name, value, "    " if number else "  - ")
    return "\n".join(lines) + "\n"


def recorded_sign_in(question: AboutSignIn, decision: Decision) -> JsonValue:
    """`sign_in` of a flow: what was asked, and the answer."""
    scopes: list[JsonValue] = list(question.wanted.scopes)
    is_allowed = decision.answer is DecisionAnswer.APPROVE
    return {"answer": FOLLOW if is_allowed else DENY, "scopes": scopes}


def is_recordable(call: Call) -> bool:
    """True if a repetition would have the same result: it ended, and was neither edited nor
    cancelled.
    """
    if call.decision is None or call.outcome not in _REPEATABLE or call.cancel_requested:
        return False
    return call.decision.answer in (DecisionAnswer.APPROVE, DecisionAnswer.DENY)


def _step(
    step: RecordedStep, names: SecretNames, given_before: bool
) -> Iterator[tuple[str, JsonValue]]:
    call, decision = step.call, step.call.decision
    assert decision is not None
    arguments, has_secrets = _without_secrets(call, names)
    if call.snapshot.method == CALL_METHOD:
        yield "call", call.request.name
        yield "with", arguments
    elif call.snapshot.method == "prompts/get":
        named = arguments if isinstance(arguments, dict) else {}
        yield "prompt", named.get("name")
        inside = named.get("arguments")
        if inside:
            yield "with", inside
    else:
        yield "read", arguments["uri"] if isinstance(arguments, dict) else ""
    is_old_grant = decision.by == BY_REMEMBERED_APPROVAL and not given_before
    person = "approve" if is_old_grant else _person(decision)
    if person is not None:
        yield "person", person
    answers = _answers(step.answers, names)
    if answers:
        yield "answers", answers
    if step.sign_in is not None:
        yield "sign_in", step.sign_in
    expected = _expected(call, decision)
    if is_old_grant:
        # An approval of an earlier session: the flow has none of it.
        for name in ("verdict", "dialog"):
            expected.pop(name, None)
    if not has_secrets:
        expected |= expected_of_answer(call, step.ended)
    yield "expect", expected


def _person(decision: Decision) -> JsonValue:
    if decision.by == "time limit":
        return "absent"
    if decision.by == BY_HOST:
        # It was sent in any case; a policy that asks is answered so.
        return "approve"
    if decision.by not in ("you", "script"):
        return None
    if decision.answer is DecisionAnswer.DENY:
        return "never" if decision.for_session else "deny"
    scope = decision.remember.scope
    if scope is Scope.ONCE:
        return "approve"
    return {"answer": "approve", "remember": _SCOPES.get(scope, decision.remember.days)}


def _remembers(decision: Decision | None) -> bool:
    return decision is not None and decision.remember.scope is not Scope.ONCE


def _expected(call: Call, decision: Decision) -> dict[str, JsonValue]:
    was_asked = decision.by in ("you", "script", "time limit")
    if decision.by == BY_HOST:
        was_asked = call.verdict.answer is VerdictAnswer.ASK
    expected: dict[str, JsonValue] = {
        "verdict": call.verdict.answer.value,
        "dialog": was_asked,
        "sent": call.sent,
    }
    if call.outcome is not None:
        expected["outcome"] = call.outcome.value
    return expected


def _without_secrets(call: Call, names: SecretNames) -> tuple[JsonValue, bool]:
    """The arguments with variables for their secrets."""
    tool = call.request.tool
    arguments: JsonValue = escaped(call.snapshot.arguments())
    masked = mask_arguments(arguments, None if tool is None else tool.input_schema)
    for place in masked.places:
        arguments = _replaced(arguments, place, names, "secret")
    return arguments, bool(masked.count)


def _replaced(
    value: JsonValue, place: Sequence[str | int], names: SecretNames, meant: str
) -> JsonValue:
    if not place:
        known = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return f"${{{names.name_for(known, meant)}}}"
    step, rest = place[0], place[1:]
    if isinstance(value, dict) and isinstance(step, str) and step in value:
        return {**value, step: _replaced(value[step], rest, names, step)}
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [
            _replaced(one, rest, names, meant) if at == step else one
            for at, one in enumerate(value)
        ]
    return value


def _answers(
    answers: Sequence[tuple[ServerQuestion, Decision]], names: SecretNames
) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for question, decision in answers:
        kind = "sampling" if isinstance(question, AboutSampling) else "elicitation"
        several = found.setdefault(kind, [])
        assert isinstance(several, list)
        several.append(_answer(question, decision, names))
    return found


def _answer(question: ServerQuestion, decision: Decision, names: SecretNames) -> JsonValue:
    if decision.answer is not DecisionAnswer.APPROVE:
        is_refused = decision.answer is DecisionAnswer.DENY and decision.by != "time limit"
        return "decline" if is_refused else "cancel"
    sent = decision.answer_sent
    if sent is None:
        return "accept"
    content = escaped(sent.arguments())
    if isinstance(question, AboutSampling):
        inside = content.get("content") if isinstance(content, dict) else None
        text = inside.get("text") if isinstance(inside, dict) else None
        return {"text": text} if isinstance(text, str) else "decline"
    masked = mask_arguments(content, question.form_schema)
    for place in masked.places:
        content = _replaced(content, place, names, "secret")
    return {"content": content} if content else "accept"


def _entry(name: str, value: JsonValue, indent: str) -> list[str]:
    below = " " * len(indent)
    if name == "expect" and isinstance(value, dict):
        inside = [line for key, one in value.items() for line in _entry(key, one, f"{below}  ")]
        return [f"{indent}{name}:", *inside]
    if name in SETTLED and isinstance(value, list):
        return [f"{indent}{name}:", *(f"{below}  - {written(one)}" for one in value)]
    return [f"{indent}{written(name)}: {written(value)}"]
