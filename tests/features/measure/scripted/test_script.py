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


def script(*names: str) -> Script:
    made = Script("marker", lambda tool, server: ("", f"mcp__{server or 'probes'}__{tool}"))
    made.planned = [Planned(name, name, {"note": "x"}) for name in names]
    return made


def request(*given: Given, text: str = "marker", tools: Any = TOOLS, **more: Any) -> ModelRequest:
    return ModelRequest(tools, given, text, "m", is_streamed=False, **more)


def test_a_call_is_made_by_the_name_that_was_offered() -> None:
    step = script("probe_a").step(request())
    assert isinstance(step, tuple)
    assert step[0].name == "mcp__probes__probe_a"


def test_a_tool_that_is_not_offered_is_called_by_its_likely_name() -> None:
    made = script("probe_b")
    step = made.step(request())
    assert isinstance(step, tuple)
    assert step[0].name == "mcp__probes__probe_b"
    assert not made.attempts[0].is_offered


@pytest.mark.parametrize("other", [{"text": "a title"}, {"tools": ()}])
def test_a_request_of_another_kind_gets_no_call(other: dict[str, Any]) -> None:
    made = script("probe_a")
    assert made.step(request(**other)) == HARMLESS
    assert not made.attempts


def test_a_schema_is_answered_with_json() -> None:
    wanted = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    step = script("probe_a").step(request(text="judge this", wanted=wanted))
    assert json.loads(str(step)) == {"ok": False}


def test_a_judgement_of_the_open_call_is_no_next_turn() -> None:
    made = script("probe_a", "own")
    made.step(request())
    assert made.step(request()) == HARMLESS
    assert made.outstanding is not None
    assert isinstance(made.step(request(Given("call_1", "done"))), tuple)


def test_a_new_prompt_after_a_denial_is_a_next_turn() -> None:
    made = script("probe_a", "own")
    made.step(request())
    assert isinstance(made.step(request(text="marker\nmarker")), tuple)
    assert not made.attempts[0].has_answer


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


def test_an_answer_without_the_prompt_is_a_next_turn() -> None:
    """`previous_response_id` of Responses: the API keeps the beginning of the conversation."""
    made = script("probe_a", "own")
    made.step(request())
    assert isinstance(made.step(request(Given("call_1", "done"), text="")), tuple)
    assert made.step(request(Given("call_9", "done"), text="")) == HARMLESS


def test_calls_of_one_turn_are_made_and_answered_together() -> None:
    made = script("probe_a", "own", "probe_a")
    made.planned[0] = made.planned[0]._replace(with_next=True)
    step = made.step(request())
    assert isinstance(step, tuple)
    assert [one.call_id for one in step] == ["call_1", "call_2"]
    assert [one.turn for one in made.open_calls] == [1, 1]
    assert made.step(request()) == HARMLESS
    assert isinstance(made.step(request(Given("call_1", "a"), Given("call_2", "b"))), tuple)
    assert [one.given for one in made.attempts] == ["a", "b", None]
    assert [one.turn for one in made.open_calls] == [2]


def test_a_server_with_another_name_is_called_by_it() -> None:
    other = Offered("probe_a", "mcp__archive")
    made = script("probe_a", "probe_a")
    made.planned[0] = made.planned[0]._replace(needs_session=True, server="archive")
    assert made.step(request(tools=(*TOOLS, other))) == HARMLESS
    made.begin_session()
    step = made.step(request(tools=(*TOOLS, other)))
    assert isinstance(step, tuple)
    assert (step[0].namespace, step[0].name) == ("mcp__archive", "probe_a")


def test_the_usual_name_of_a_server_is_not_taken_for_another_one() -> None:
    made = script("probe_a")
    made.planned[0] = made.planned[0]._replace(needs_session=True, server="archive")
    made.step(request())
    made.begin_session()
    step = made.step(request())
    assert isinstance(step, tuple)
    assert step[0].name == "mcp__archive__probe_a"
    assert not made.attempts[0].is_offered


async def test_only_the_key_of_the_run_is_answered() -> None:
    model = ScriptedModel(script("probe_a"))
    async with model.serving(), httpx2.AsyncClient(base_url=model.url, timeout=60) as http:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert (await http.get("/v1/models", headers=headers)).status_code == 401
        for headers in (
            {"Authorization": f"Bearer {model.token}"},
            {"x-api-key": model.token},
            {"x-goog-api-key": model.token},
        ):
            assert (await http.get("/v1/models", headers=headers)).status_code == 200


async def test_what_is_not_understood_is_kept() -> None:
    model = ScriptedModel(script("probe_a"))
    async with model.serving(), httpx2.AsyncClient(base_url=model.url, timeout=60) as http:
        http.headers["x-api-key"] = model.token
        assert (await http.post("/v1/embeddings", json={})).status_code == 404
        assert (await http.post("/v1/messages", content=b"[")).status_code == 404
        long = b"{" + b" " * BODY_MAX + b"}"
        assert (await http.post("/v1/messages", content=long)).status_code == 404
    assert [one.partition(":")[0] for one in model.not_understood] == [
        "POST /v1/embeddings",
        "POST /v1/messages",
        "POST /v1/messages",
    ]


async def test_a_question_is_answered_by_the_person() -> None:
    model = ScriptedModel(script("probe_a"))
    asked = []

    async def answer(question: Any) -> bool:
        asked.append(question)
        return True

    model.on_question = answer
    async with model.serving(), httpx2.AsyncClient(base_url=model.url, timeout=60) as http:
        http.headers["x-api-key"] = model.token
        answered = await http.post(QUESTION, json={"tool": "x"})
    assert answered.json() == {"approved": True}
    assert asked == [{"tool": "x"}]
