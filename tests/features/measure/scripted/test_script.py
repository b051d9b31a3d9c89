"""The script of the model: which requests get a call, and which something harmless."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from signoff.app.features.measure.scripted.dialects import Given, ModelRequest, Offered
from signoff.app.features.measure.scripted.model import (
    BODY_MAX,
    HARMLESS,
    QUESTION,
    Planned,
    Script,
    ScriptedModel,
)

TOOLS = (Offered("mcp__probes__probe_a"), Offered("own"))


def script(*names: str, **first: Any) -> Script:
    """A script of calls of these tools, the first one with more."""
    made = Script("marker", lambda tool, server: ("", f"mcp__{server or 'probes'}__{tool}"))
    made.planned = [Planned(name, name, {"note": "x"}) for name in names]
    made.planned[0] = made.planned[0]._replace(**first)
    return made


def name_of(step: Any) -> str:
    """The name of the first call of a step."""
    assert isinstance(step, tuple)
    return str(step[0].name)


def request(*given: Given, text: str = "marker", tools: Any = TOOLS, **more: Any) -> ModelRequest:
    return ModelRequest(tools, given, text, "m", is_streamed=False, **more)


def test_the_name_of_a_call() -> None:
    assert name_of(script("probe_a").step(request())) == "mcp__probes__probe_a"
    made = script("probe_b")
    assert name_of(made.step(request())) == "mcp__probes__probe_b"
    assert not made.attempts[0].is_offered


@pytest.mark.parametrize(
    ("more", "called"),
    [
        ((Offered("probe_a", "mcp__archive"),), ("mcp__archive", "probe_a", True)),
        ((), ("", "mcp__archive__probe_a", False)),
    ],
    ids=["offered", "not offered"],
)
def test_a_server_with_another_name_is_called_by_it(more: Any, called: Any) -> None:
    made = script("probe_a", needs_session=True, server="archive")
    assert made.step(request(tools=(*TOOLS, *more))) == HARMLESS
    made.begin_session()
    step = made.step(request(tools=(*TOOLS, *more)))
    assert isinstance(step, tuple)
    assert (step[0].namespace, step[0].name, made.attempts[0].is_offered) == called


@pytest.mark.parametrize("other", [{"text": "a title"}, {"tools": ()}])
def test_a_request_of_another_kind_gets_no_call(other: dict[str, Any]) -> None:
    made = script("probe_a")
    assert made.step(request(**other)) == HARMLESS
    assert not made.attempts


def test_a_schema_is_answered_with_json() -> None:
    wanted = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    step = script("probe_a").step(request(text="judge this", wanted=wanted))
    assert json.loads(str(step)) == {"ok": False}


@pytest.mark.parametrize(
    ("following", "is_next"),
    [
        ([request()], False),
        ([request(), request(Given("call_1", "done"))], True),
        ([request(text="marker\nmarker")], True),
        # `previous_response_id` of Responses: the API keeps the beginning of the conversation.
        ([request(Given("call_1", "done"), text="")], True),
        ([request(Given("call_9", "done"), text="")], False),
    ],
    ids=["a judgement", "an answer", "a new prompt after a denial", "no prompt", "another answer"],
)
def test_what_is_a_next_turn(following: list[ModelRequest], is_next: bool) -> None:
    made = script("probe_a", "own")
    for one in (request(), *following):
        step = made.step(one)
    assert isinstance(step, tuple) is is_next
    assert (step == HARMLESS) is not is_next
    assert len(made.attempts) == 1 + is_next


def test_the_end_is_told_once_every_call_was_made() -> None:
    made = script("probe_a")
    made.step(request())
    assert made.step(request(Given("call_1", "done"))) == HARMLESS
    assert made.is_over
    assert made.attempts[0].given == "done"


def test_a_new_session_is_waited_for() -> None:
    made = script("probe_a", "probe_b")
    made.planned[1] = made.planned[1]._replace(needs_session=True)
    made.step(request())
    assert made.step(request(Given("call_1", "done"))) == HARMLESS
    assert made.waits_for_session
    made.begin_session()
    assert isinstance(made.step(request(text="marker\nmarker")), tuple)


def test_calls_of_one_turn_are_made_and_answered_together() -> None:
    made = script("probe_a", "own", "probe_a", with_next=True)
    step = made.step(request())
    assert isinstance(step, tuple)
    assert [one.call_id for one in step] == ["call_1", "call_2"]
    assert [one.turn for one in made.open_calls] == [1, 1]
    assert made.step(request()) == HARMLESS
    assert isinstance(made.step(request(Given("call_1", "a"), Given("call_2", "b"))), tuple)
    assert [one.given for one in made.attempts] == ["a", "b", None]
    assert [one.turn for one in made.open_calls] == [2]


async def test_the_model_as_a_server_answers_its_key_and_keeps_what_is_not_understood() -> None:
    model, asked = ScriptedModel(script("probe_a")), []

    async def answer(question: Any) -> bool:
        asked.append(question)
        return True

    model.on_question = answer
    async with model.serving(), httpx2.AsyncClient(base_url=model.url, timeout=60) as http:
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({"Authorization": f"Bearer {model.token}"}, 200),
            ({"x-api-key": model.token}, 200),
            ({"x-goog-api-key": model.token}, 200),
        ):
            assert (await http.get("/v1/models", headers=headers)).status_code == status
        http.headers["x-api-key"] = model.token
        long = b"{" + b" " * BODY_MAX + b"}"
        for path, body in (("embeddings", b"{}"), ("messages", b"["), ("messages", long)):
            assert (await http.post(f"/v1/{path}", content=body)).status_code == 404
        answered = await http.post(QUESTION, json={"tool": "x"})
    assert [one.partition(":")[0] for one in model.not_understood] == [
        "POST /v1/embeddings",
        "POST /v1/messages",
        "POST /v1/messages",
    ]
    assert (answered.json(), asked) == ({"approved": True}, [{"tool": "x"}])
