"""The formats of an elicitation's fields are looked at before an answer is sent."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.approval.approval import Decision, DecisionAnswer, deny
from signoff.app.approval.questions.questions import Question
from signoff.app.approval.server_questions import AboutElicitation, filled
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.server import Trust
from signoff.app.transport.events import Requested
from tests.engine.opened import opened


class SendsOnce:
    """Sends these values, and declines when it is asked again."""

    def __init__(self, values: dict[str, JsonValue]) -> None:
        self.asked: list[AboutElicitation] = []
        self._values = values

    async def ask(self, question: Question) -> Decision:
        assert isinstance(question, AboutElicitation)
        self.asked.append(question)
        if len(self.asked) > 1:
            return deny("you")
        written = filled(question, self._values, {})
        return Decision(DecisionAnswer.APPROVE, "you", answer_sent=written.snapshot)


async def told(field: JsonValue, value: JsonValue) -> tuple[Any, list[AboutElicitation]]:
    """What the server is told of one field `it`, and what was asked."""
    story: Any = opened("--era", "legacy", trust=Trust.TRUSTED)
    async with story as one:
        approver = one.engine.approver = SendsOnce({"it": value})
        answers: list[Any] = []
        one.engine.link.answer = lambda request, answer: answers.append(answer)
        schema: JsonValue = {"type": "object", "properties": {"it": field}}
        params: JsonValue = {"message": "?", "requestedSchema": schema}
        one.engine._connection.take(Requested("their-1", "elicitation/create", params))
        await one.watch.until(lambda: answers)
    return answers[0], approver.asked


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("email", "nobody", "ada@example.org"),
        ("uri", "no address", "https://example.org/"),
        ("date", "tomorrow", "2026-11-23"),
        ("date-time", "2026-11-23", "2026-11-23T09:30:00Z"),
    ],
)
async def test_what_is_not_of_its_format_is_not_sent(name: str, wrong: str, right: str) -> None:
    field: JsonValue = {"type": "string", "format": name}
    answer, asked = await told(field, wrong)
    assert answer == {"action": "decline"}
    assert "$.it: not " in asked[1].problems[0]
    answer, asked = await told(field, right)
    assert answer == {"action": "accept", "content": {"it": right}}
    assert len(asked) == 1


async def test_a_format_that_no_elicitation_has_is_in_nobodys_way() -> None:
    field: JsonValue = {"type": "string", "format": "uuid"}
    assert (await told(field, "no uuid"))[0]["action"] == "accept"


async def test_a_suggestion_that_is_not_of_its_format_cannot_be_sent() -> None:
    field: JsonValue = {"type": "string", "format": "email", "default": "nope"}
    _, asked = await told(field, "ada@example.org")
    assert asked[0].problems[0].startswith("$.it: ")
    assert not asked[0].is_ready
