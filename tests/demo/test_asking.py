"""What the server asks of the client: forms, pages, rounds, roots, a ping."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.approved import approved
from tests.demo.peer import Era, Json
from tests.demo.talker import Talker, accepting, acting, nothing

PROSE = approved("demo")


def test_forms_alone_are_not_pages_and_a_model_alone_uses_no_tools(era: Era) -> None:
    some = Talker(era, {"elicitation": {}, "sampling": {}})
    try:
        assert "Ada" in some.talk(accepting(name="Ada"), "ask_two_questions").text
        assert " elicitation of URLs." in some.talk(nothing, "open_page").text
        assert "sampling with tools." in some.talk(nothing, "let_the_model_use_tools").text
        assert "not declared roots." in some.talk(nothing, "plan_a_trip").text
    finally:
        assert some.close() == 0


MESSAGE = {"to": "Ada", "text": "Lunch?"}


def yes(method: str, params: Json) -> Json:
    assert method == "elicitation/create"
    assert all(value in params["message"] for value in MESSAGE.values())
    return {"action": "accept", "content": {"confirm": True}}


def sent(talker: Talker) -> int:
    """The number of messages in the outbox, which is a file."""
    return json.dumps(talker.call("get_config_file", path="outbox.txt").result).count("to Ada")


@pytest.mark.parametrize("name", ["send_after_asking", "send_at_each_answer"])
def test_a_message_is_sent_after_yes_alone(talker: Talker, name: str) -> None:
    before = sent(talker)
    for answer in (acting("decline"), acting("cancel"), accepting(confirm=False)):
        assert talker.talk(answer, name, **MESSAGE).result["isError"] is True
    assert sent(talker) == before
    assert talker.talk(yes, name, **MESSAGE).text == "Sent to Ada."
    assert sent(talker) == before + 1


def test_a_form_with_every_field_arrives_as_it_was_written(talker: Talker) -> None:
    def accept_defaults(method: str, params: Json) -> Json:
        assert method == "elicitation/create"
        fields = params["requestedSchema"]["properties"]
        return {
            "action": "accept",
            "content": {k: v["default"] for k, v in fields.items() if "default" in v},
        }

    reply = talker.talk(accept_defaults, "ask_every_field")
    assert "keeps its rules" in reply.text
    ((_, params),) = talker.asked
    PROSE.holds("register: the question", params["message"])
    fields = params["requestedSchema"]["properties"]
    assert [field["type"] for field in fields.values()].count("string") == 9
    formats = {field.get("format") for field in fields.values()}
    assert formats == {None, "email", "uri", "date", "date-time"}
    assert fields["meal"]["enumNames"] == ["Vegetables", "Fish", "Nothing, thank you"]
    assert fields["size"]["oneOf"][1] == {"const": "m", "title": "Medium"}
    assert fields["talks"]["items"]["anyOf"][0] == {"const": "t1", "title": "Approvals in practice"}
    assert fields["days"]["items"]["enum"] == ["monday", "tuesday", "wednesday"]
    assert (fields["days"]["minItems"], fields["days"]["maxItems"]) == (1, 2)
    assert (fields["name"]["minLength"], fields["name"]["maxLength"]) == (2, 40)
    assert (fields["luggage"]["minimum"], fields["luggage"]["maximum"]) == (0, 32.5)
    assert (fields["seats"]["minimum"], fields["seats"]["maximum"]) == (1, 12)
    without = [name for name, field in fields.items() if "default" not in field]
    assert without == ["nickname"]


def test_a_page_is_asked_for_and_its_end_told(talker: Talker) -> None:
    reply = talker.talk(acting("accept"), "open_page")
    ((method, params),) = talker.asked
    assert (method, params["mode"]) == ("elicitation/create", "url")
    assert params["url"].startswith("https://example.com/signoff-demo/seats?elicitation=")
    assert "You agreed" in reply.text
    if talker.era == "legacy":
        done = talker.hear("notifications/elicitation/complete")
        assert done == {"elicitationId": params["elicitationId"]}
    else:
        assert "elicitationId" not in params
    assert "declined" in talker.talk(acting("decline"), "open_page").text


@pytest.mark.slow
def test_a_call_is_refused_until_a_page_was_opened(legacy: Talker) -> None:
    error = legacy.call("sign_in_first").error
    assert error is not None
    assert error["code"] == -32042
    (wanted,) = error["data"]["elicitations"]
    assert wanted["mode"] == "url"
    done = legacy.hear("notifications/elicitation/complete")
    assert done["elicitationId"] == wanted["elicitationId"]
    assert "signed in" in legacy.call("sign_in_first").text
    assert legacy.call("sign_in_first").error is not None, "once, so that it can be seen again"
    legacy.hear("notifications/elicitation/complete")


def _plan(method: str, params: Json) -> Json:
    if method == "roots/list":
        return {"roots": [{"uri": "file:///srv/trips", "name": "Trips"}]}
    if "place" in params["requestedSchema"]["properties"]:
        return {"action": "accept", "content": {"place": "Kyoto"}}
    assert "Kyoto" in params["message"]
    return {"action": "accept", "content": {"day": "2027-04-02", "nights": 4}}


def test_a_round_that_leaves_a_question_open_is_asked_again_for_that_alone(modern: Talker) -> None:
    def call(more: Json) -> Json:
        params = {"name": "plan_a_trip", "arguments": {}, **more}
        return modern.request("tools/call", params).result

    first = call({})
    second = call(
        {
            "requestState": first["requestState"],
            "inputResponses": {"where": _plan("", first["inputRequests"]["where"]["params"])},
        }
    )
    assert set(second["inputRequests"]) == {"when", "roots"}
    third = call(
        {"requestState": second["requestState"], "inputResponses": {"roots": {"roots": []}}}
    )
    assert set(third["inputRequests"]) == {"when"}
    tampered = {"requestState": first["requestState"][:-2] + "xx", "inputResponses": {}}
    error = modern.request("tools/call", {"name": "plan_a_trip", "arguments": {}, **tampered}).error
    assert error is not None
    assert error["code"] == -32602


def test_roots_are_repeated_with_how_often_they_changed(talker: Talker) -> None:
    def roots(method: str, params: Json) -> Json:
        assert method == "roots/list"
        return {"roots": [{"uri": "file:///home/ada"}, {"uri": "file:///tmp", "name": "Scratch"}]}

    first = talker.talk(roots, "list_roots").text
    PROSE.holds("roots: listed", first)
    if talker.era == "legacy":
        talker.notify("notifications/roots/list_changed", {})
        PROSE.holds("roots: changed", talker.talk(roots, "list_roots").text)
    assert "no roots" in talker.talk(lambda m, p: {"roots": []}, "list_roots").text


def test_an_error_in_place_of_an_answer_is_told(legacy: Talker) -> None:
    def refuse(method: str, params: Json) -> Json:
        return {"error": {"code": -1, "message": "The person said no"}}

    reply = legacy.talk(refuse, "ask_two_questions")
    assert reply.result["isError"] is True
    PROSE.holds("ask: an error", reply.text)
    strange: dict[str, Any] = {"action": "perhaps"}
    assert "a shape that" in legacy.talk(lambda m, p: strange, "ask_two_questions").text


def test_both_sides_can_be_pinged_where_the_protocol_has_it(legacy: Talker) -> None:
    assert legacy.request("ping", {}).result == {}
    assert "answered the ping" in legacy.talk(lambda m, p: {}, "ping_client").text
    assert legacy.asked == [("ping", {})]


def test_the_server_says_what_it_can(legacy: Talker, modern: Talker) -> None:
    said = legacy.greeting["capabilities"]
    changes = {"listChanged": True}
    assert said == {
        "completions": {},
        "logging": {},
        "prompts": changes,
        "resources": {**changes, "subscribe": True},
        "tools": changes,
        "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
    }
    later = modern.greeting["capabilities"]
    extensions: Json = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
    assert later == {key: value for key, value in said.items() if key != "tasks"} | extensions
    icons = (
        legacy.greeting["serverInfo"]["icons"],
        modern.greeting["_meta"]["io.modelcontextprotocol/serverInfo"]["icons"],
    )
    for (icon,) in icons:
        assert icon["src"].startswith("data:image/png;base64,")
        assert icon["sizes"] == ["16x16"]
