"""What the server offers beside tools: resources, templates, completion, prompts."""

from __future__ import annotations

import base64
import io
import json
import wave

import pytest
from PIL import Image

from tests.approved import approved
from tests.demo.peer import Json, Peer
from tests.demo.talker import Talker, nothing

PROSE = approved("demo")

NOTE = {"type": "ref/resource", "uri": "notes://{folder}/{name}"}
GREETING = {"type": "ref/prompt", "name": "write_greeting"}


def resources(peer: Peer) -> dict[str, Json]:
    """All pages of the list, by URI."""
    found: dict[str, Json] = {}
    params: Json = {}
    while True:
        page = peer.request("resources/list", params).result
        assert 1 <= len(page["resources"]) <= 4
        found |= {entry["uri"]: entry for entry in page["resources"]}
        if "nextCursor" not in page:
            return found
        params = {"cursor": page["nextCursor"]}


def read(peer: Peer, uri: str) -> Json:
    (content,) = peer.request("resources/read", {"uri": uri}).result["contents"]
    assert content["uri"] == uri
    assert isinstance(content, dict)
    return content


def completed(
    peer: Peer, ref: Json, argument: str, value: str = "", others: Json | None = None
) -> Json:
    params: Json = {"ref": ref, "argument": {"name": argument, "value": value}}
    if others is not None:
        params["context"] = {"arguments": others}
    completion: Json = peer.request("completion/complete", params).result["completion"]
    return completion


def test_resources_come_in_pages_with_all_that_can_be_said_of_them(peer: Peer) -> None:
    assert "nextCursor" in peer.request("resources/list", {}).result
    listed = resources(peer)
    kinds = {entry["mimeType"] for entry in listed.values()}
    assert kinds >= {"text/markdown", "application/json", "image/png", "audio/wav", "text/plain"}
    menu = listed["demo://kitchen/menu.md"]
    assert menu == {
        "uri": "demo://kitchen/menu.md",
        "name": "menu.md",
        "title": "Menu",
        "description": "The dishes of the day, as Markdown",
        "mimeType": "text/markdown",
        "size": menu["size"],
        "annotations": {"audience": ["user"], "priority": 1.0},
    }
    for uri, entry in listed.items():
        content = read(peer, uri)
        assert content["mimeType"] == entry["mimeType"]
        data = (
            base64.b64decode(content["blob"], validate=True)
            if "blob" in content
            else content["text"].encode()
        )
        assert entry.get("size", len(data)) == len(data), uri
    unsized = {uri for uri, entry in listed.items() if "size" not in entry}
    assert unsized >= {"demo://kitchen/view.png", "clock://now"}


@pytest.mark.parametrize("cursor", ["", "nonsense", "4", "ä"])
def test_a_cursor_that_was_never_given_is_refused(peer: Peer, cursor: str) -> None:
    error = peer.request("resources/list", {"cursor": cursor}).error
    assert error is not None
    assert error["code"] == -32602


def test_a_picture_a_sound_and_a_long_text_are_what_they_say(peer: Peer) -> None:
    picture = base64.b64decode(read(peer, "demo://kitchen/view.png")["blob"])
    assert Image.open(io.BytesIO(picture)).size == (320, 200)
    sound = base64.b64decode(read(peer, "demo://kitchen/bell.wav")["blob"])
    with wave.open(io.BytesIO(sound)) as bell:
        assert bell.getnframes() == 8_000
    assert read(peer, "demo://kitchen/service.log")["text"].count("\n") == 4_000
    assert json.loads(read(peer, "demo://kitchen/tables.json")["text"])["open"] is True
    assert read(peer, "demo://kitchen/empty.txt")["text"] == ""


def test_templates_are_listed_and_read(peer: Peer) -> None:
    templates = peer.request("resources/templates/list", {}).result["resourceTemplates"]
    assert [one["uriTemplate"] for one in templates] == [
        "notes://{folder}/{name}",
        "notes-search://all{?query,limit}",
    ]
    assert all(one["title"] and one["description"] and one["annotations"] for one in templates)
    assert "garden" in read(peer, "notes://home/garden")["text"]
    found = json.loads(read(peer, "notes-search://all?query=garden&limit=1")["text"])
    assert found == {"query": "garden", "found": 2, "first": ["notes://home/garden"]}
    assert json.loads(read(peer, "notes-search://all")["text"])["found"] == 156
    for uri, code in (
        ("notes://home/nothing", -32602),
        ("notes-search://all?limit=x", -32603),
        ("nowhere://at/all", -32602),
    ):
        error = peer.request("resources/read", {"uri": uri}).error
        assert error is not None
        assert (error["code"], error["data"]["uri"]) == (code, uri)


def test_variables_are_completed_by_what_the_others_are(peer: Peer) -> None:
    assert completed(peer, NOTE, "folder")["values"] == ["home", "work", "diary"]
    assert completed(peer, NOTE, "folder", "", {"name": "agenda"})["values"] == ["work"]
    home = completed(peer, NOTE, "name", "G", {"folder": "home"})
    assert home == {"values": ["garden"], "total": 1, "hasMore": False}
    diary = completed(peer, NOTE, "name", "", {"folder": "diary"})
    assert (len(diary["values"]), diary["total"], diary["hasMore"]) == (100, 150, True)
    assert completed(peer, NOTE, "name", "day-14")["total"] == 10
    search = {"type": "ref/resource", "uri": "notes-search://all{?query,limit}"}
    assert completed(peer, search, "limit", "5")["values"] == ["5", "50"]
    for ref in ({**NOTE, "uri": "x://{y}"}, {**GREETING, "name": "x"}):
        assert completed(peer, ref, "name")["values"] == []


def test_arguments_of_prompts_are_completed_a_hundred_at_a_time(peer: Peer) -> None:
    countries = completed(peer, GREETING, "country")
    assert len(countries["values"]) == 100 < countries["total"]
    assert countries["hasMore"] is True
    assert completed(peer, GREETING, "country", "de")["values"] == ["DE"]
    assert completed(peer, GREETING, "tone", "f")["values"] == ["formal", "friendly"]
    assert completed(peer, GREETING, "language", "Fr")["values"] == ["Français"]


def test_prompts_say_which_arguments_they_take(peer: Peer) -> None:
    listed = {one["name"]: one for one in peer.request("prompts/list", {}).result["prompts"]}
    assert {"explain_hints", "write_greeting", "show_every_content"} <= set(listed)
    assert not listed["explain_hints"].get("arguments")
    taken = {one["name"]: one["required"] for one in listed["write_greeting"]["arguments"]}
    assert taken == {"language": True, "country": False, "tone": False}


def test_a_prompt_is_filled_in_and_wrong_arguments_are_named(peer: Peer) -> None:
    def get(name: str, **arguments: str) -> Json:
        reply = peer.request("prompts/get", {"name": name, "arguments": arguments})
        return reply.error or reply.result

    said = get("write_greeting", language="English", country="GB")["messages"]
    PROSE.holds("prompt: in English", said[0]["content"]["text"])
    assert [message["role"] for message in said] == ["user", "assistant", "user"]
    assert len(get("explain_hints")["messages"]) == 1
    for wrong, words in (
        (get("write_greeting"), "Missing arguments: language."),
        (get("write_greeting", language="x", colour="y"), "Unknown arguments: colour."),
        (get("write_nothing"), "No prompt has the name 'write_nothing'."),
    ):
        assert (wrong["code"], wrong["message"]) == (-32602, words)


def test_one_prompt_holds_every_kind_of_content_from_both_roles(peer: Peer) -> None:
    said = peer.request("prompts/get", {"name": "show_every_content"}).result["messages"]
    kinds = {message["content"]["type"] for message in said}
    assert kinds == {"text", "image", "audio", "resource", "resource_link"}
    assert {message["role"] for message in said} == {"user", "assistant"}
    link = said[-1]["content"]
    assert read(peer, link["uri"])["mimeType"] == link["mimeType"]


def test_a_notice_comes_and_goes_and_the_list_says_so(legacy: Talker) -> None:
    before = resources(legacy)
    uri = "demo://board/notice-7.txt"
    for action, is_there in (("pin", True), ("take down", False)):
        legacy.heard.clear()
        reply = legacy.talk(nothing, "pin_notice", number=7, action=action)
        PROSE.holds("resources: changed", reply.text.partition(". ")[2])
        assert [one["method"] for one in legacy.heard] == ["notifications/resources/list_changed"]
        assert (uri in resources(legacy)) is is_there
        legacy.heard.clear()
        again = legacy.talk(nothing, "pin_notice", number=7, action=action)
        assert again.text.endswith("nothing has changed.")
        assert legacy.heard == []
    assert resources(legacy) == before
    assert legacy.request("resources/read", {"uri": uri}).error is not None


def test_a_prompt_comes_and_the_list_says_so(legacy: Talker) -> None:
    legacy.heard.clear()
    assert "has changed" in legacy.talk(nothing, "add_prompt", poem="toast").text
    assert [one["method"] for one in legacy.heard] == ["notifications/prompts/list_changed"]
    assert "nothing has changed" in legacy.talk(nothing, "add_prompt", poem="toast").text
    params = {"name": "write_toast", "arguments": {"subject": "friends"}}
    (message,) = legacy.request("prompts/get", params).result["messages"]
    PROSE.holds("prompt: a toast", message["content"]["text"])


def test_the_clock_ticks_for_those_who_subscribed_until_they_leave(legacy: Talker) -> None:
    clock = {"uri": "clock://now"}
    first = read(legacy, clock["uri"])["text"]
    assert legacy.request("resources/subscribe", clock).result == {}
    for _ in range(2):
        assert legacy.hear("notifications/resources/updated") == clock
    assert read(legacy, clock["uri"])["text"] > first
    assert legacy.request("resources/unsubscribe", clock).result == {}
    legacy.heard.clear()
    legacy.call("wait_without_total", seconds=0.4)
    assert legacy.heard == []
    assert legacy.request("resources/subscribe", {"uri": "demo://kitchen/menu.md"}).result == {}
    error = legacy.request("resources/subscribe", {"uri": "demo://nowhere"}).error
    assert error is not None
    assert error["code"] == -32002


@pytest.mark.slow
def test_the_later_era_listens_to_the_clock_and_the_lists(modern: Talker) -> None:
    filters = {
        "resourceSubscriptions": ["clock://now"],
        "resourcesListChanged": True,
        "promptsListChanged": True,
    }
    listening = modern.send("subscriptions/listen", {"notifications": filters}, progress=False)
    named = {"io.modelcontextprotocol/subscriptionId": listening}
    acknowledged = modern.hear("notifications/subscriptions/acknowledged")
    assert acknowledged["notifications"] == filters
    for _ in range(2):
        updated = modern.hear("notifications/resources/updated")
        assert (updated["uri"], updated["_meta"]) == ("clock://now", named)
    modern.send("tools/call", {"name": "pin_notice", "arguments": {}}, progress=False)
    assert modern.hear("notifications/resources/list_changed")["_meta"] == named
    modern.send("tools/call", {"name": "add_prompt", "arguments": {}}, progress=False)
    assert modern.hear("notifications/prompts/list_changed")["_meta"] == named
    modern.cancel(listening)
    modern.call("wait_without_total", seconds=0.2)
    modern.heard.clear()
    modern.call("wait_without_total", seconds=0.4)
    assert modern.heard == []
