"""Log messages by level, and what the server asks of a model."""

from __future__ import annotations

from typing import Any

import pytest

from tests.approved import approved
from tests.demo.peer import Json
from tests.demo.talker import Talker, nothing

PROSE = approved("demo")

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def logged(messages: list[Json]) -> list[Json]:
    return [one["params"] for one in messages if one.get("method") == "notifications/message"]


@pytest.mark.parametrize("least", LEVELS)
def test_the_level_that_is_set_is_the_least_that_is_sent(legacy: Talker, least: str) -> None:
    assert legacy.request("logging/setLevel", {"level": least}).result == {}
    legacy.heard.clear()
    wanted = LEVELS[LEVELS.index(least) :]
    reply = legacy.talk(nothing, "log_every_level")
    assert reply.text.startswith(f"Sent {len(wanted)} of 8 messages")
    assert [one["level"] for one in logged(legacy.heard)] == list(wanted)


def test_messages_are_text_and_data_from_several_loggers(legacy: Talker) -> None:
    legacy.request("logging/setLevel", {"level": "debug"})
    legacy.heard.clear()
    legacy.talk(nothing, "log_every_level")
    messages = logged(legacy.heard)
    assert {one.get("logger") for one in messages} == {"demo.kitchen", "demo.door", None}
    assert {type(one["data"]) for one in messages} == {str, dict, list}
    error = legacy.request("logging/setLevel", {"level": "loud"}).error
    assert error is not None
    assert error["code"] == -32602


@pytest.mark.slow
def test_a_flood_is_as_large_as_it_is_wanted(legacy: Talker) -> None:
    legacy.request("logging/setLevel", {"level": "info"})
    legacy.heard.clear()
    PROSE.holds("log: flooded", legacy.talk(nothing, "flood_the_log").text)
    assert len(logged(legacy.heard)) == 2_000
    assert "2000 of 2000" in logged(legacy.heard)[-1]["data"]


def test_in_the_later_era_each_request_says_which_levels_it_wants(modern: Talker) -> None:
    params: Json = {"name": "log_every_level", "arguments": {}}
    level = {"io.modelcontextprotocol/logLevel": "error"}
    *messages, answer = modern.raw("levels", "tools/call", params, level)
    assert [one["level"] for one in logged(messages)] == list(LEVELS[4:])
    PROSE.holds("log: as far as it goes", answer["result"]["content"][0]["text"])
    *messages, answer = modern.raw("none", "tools/call", params, {})
    assert logged(messages) == []
    PROSE.holds("log: not requested", answer["result"]["content"][0]["text"])


def said(words: str, **more: Any) -> Json:
    content = {"type": "text", "text": words}
    return {
        "role": "assistant",
        "model": "a-model",
        "stopReason": "endTurn",
        "content": content,
        **more,
    }


def used(identity: str, name: str, **given: Any) -> Json:
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def test_a_question_to_the_model_says_how_it_shall_be_answered(talker: Talker) -> None:
    def answer(method: str, params: Json) -> Json:
        assert method == "sampling/createMessage"
        return said("It is a yes.")

    reply = talker.talk(answer, "ask_the_model", question="What?", maxTokens=77)
    PROSE.holds("model: one turn", reply.text)
    ((_, params),) = talker.asked
    assert params["messages"] == [{"role": "user", "content": {"type": "text", "text": "What?"}}]
    assert params["systemPrompt"].startswith("You explain")
    assert params["modelPreferences"] == {
        "hints": [{"name": "sonnet"}, {"name": "small"}],
        "costPriority": 0.7,
        "speedPriority": 0.5,
        "intelligencePriority": 0.3,
    }
    assert (params["temperature"], params["maxTokens"]) == (0.4, 77)
    assert params["stopSequences"] == ["END", "\n\n\n"]


def test_the_model_uses_tools_and_hears_what_came_of_them(talker: Talker) -> None:
    turns = [
        said(
            "",
            content=[
                used("a", "count_stock", article="lamp"),
                used("b", "count_stock", article="x"),
            ],
            stopReason="toolUse",
        ),
        said("", content=used("c", "add", a=12, b=3), stopReason="toolUse"),
        said("There are 15."),
    ]
    reply = talker.talk(
        lambda method, params: turns[len(talker.asked) - 1], "let_the_model_use_tools"
    )
    PROSE.holds("model: with tools", reply.text)
    choices = [params["toolChoice"]["mode"] for _, params in talker.asked]
    assert choices == ["required", "auto", "none"]
    assert [tool["name"] for tool in talker.asked[0][1]["tools"]] == ["count_stock", "add"]
    _, asked, results, *_ = talker.asked[2][1]["messages"]
    assert [part["type"] for part in asked["content"]] == ["tool_use", "tool_use"]
    assert results["role"] == "user"
    assert [part["toolUseId"] for part in results["content"]] == ["a", "b"]
    assert results["content"][0]["content"] == [{"type": "text", "text": "12"}]
    assert results["content"][1]["isError"] is True


def test_a_model_that_never_stops_is_stopped_after_three_turns(talker: Talker) -> None:
    endless = said("", content=[used("a", "add", a=1, b=1)], stopReason="toolUse")
    reply = talker.talk(lambda method, params: endless, "let_the_model_use_tools")
    assert len(talker.asked) == 3
    assert reply.result["isError"] is True
    PROSE.holds("model: too many turns", reply.text)


def test_an_answer_that_is_no_text_is_named(talker: Talker) -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    reply = talker.talk(lambda method, params: said("", content=picture), "ask_the_model")
    assert reply.text.endswith("[image]")
