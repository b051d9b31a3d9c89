"""The table of archetypes, and tools held against it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.approval.archetypes import HINTS, ExpectedHint, archetypes, readings
from signoff.app.approval.archetypes.holding import (
    hold,
    holding_json,
    hosts_on,
    hosts_words,
    words_of,
)
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.hosts.rules import host_names, read_host
from signoff.app.protocol.hints import HINT_KEYS
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("archetypes")

HOSTS = [read_host(name) for name in host_names()]
CLAIMS = st.sampled_from([True, False, None, "true", 1])


def tool(name: str, title: str = "", **annotations: JsonValue) -> ToolDefinition:
    return read_tool(0, {"name": name, "title": title, "annotations": annotations})


def differing(one: ToolDefinition) -> list[str]:
    return [held.hint for held in hold(one).differing]


def test_the_table_is_whole() -> None:
    names = [one.name for one in archetypes()]
    assert names == ["read", "search", "http-get", "upsert", "append", "delete", "send", "deploy"]
    for one in archetypes():
        assert set(one.hints) == set(one.why) == set(HINTS)
        assert all(one.why.values())
        is_read_only = one.hints["readOnly"] is ExpectedHint.TRUE
        for hint in ("destructive", "idempotent"):
            assert (one.hints[hint] is ExpectedHint.NOT_APPLICABLE) is is_read_only
    phrases = [words for one in archetypes() for words in one.words]
    assert len(phrases) == len(set(phrases)), "a word tells one archetype"
    assert all(word == word.casefold() for words in phrases for word in words)


def test_each_dispute_has_both_sides_with_sources() -> None:
    for one in readings():
        assert one.hint in HINTS
        assert set(one.archetypes) <= {row.name for row in archetypes()}
        assert one.if_true.sources
        assert one.if_false.sources
        assert one.if_true.words != one.if_false.words
    questions = [one.name for one in readings()]
    assert questions == ["delete-idempotent", "overwrite-destructive", "open-world"]


@pytest.mark.parametrize(
    ("name", "archetype"),
    [
        ("read_table", "read"),
        ("getUserName", "read"),
        ("search_files", "search"),
        ("web-search", "search"),
        ("http_get", "http-get"),
        ("HTTPGet", "http-get"),
        ("fetch.url", "http-get"),
        ("upsert_setting", "upsert"),
        ("update_user", "upsert"),
        ("append_note", "append"),
        ("create_record", "append"),
        ("delete_file", "delete"),
        ("github_delete_branch", "delete"),
        ("slack_send_message", "send"),
        ("deploy_release", "deploy"),
        ("db_migrate", "deploy"),
    ],
)
def test_names_tell_an_archetype(name: str, archetype: str) -> None:
    found = hold(tool(name))
    assert found.archetype is not None
    assert found.archetype.name == archetype


@pytest.mark.parametrize("name", ["frobnicate", "", "deleted_things", "forget", "x" * 1_000])
def test_other_names_tell_none(name: str) -> None:
    found = hold(tool(name))
    assert found.archetype is None
    assert found.summary == "fits no archetype"
    assert found.hints == ()
    assert found.readings == ()


def test_the_first_word_decides_and_the_others_are_named() -> None:
    found = hold(tool("list_and_delete_or_send"))
    PROSE.holds("decided: the first word", found.decided_words)
    PROSE.holds("decided: the title", hold(tool("frob", "Delete a File")).decided_words)
    # The name comes before the title.
    PROSE.holds("decided: the name", hold(tool("get_it", "Delete")).decided_words)


def test_what_differs_is_said_with_the_reason() -> None:
    found = hold(tool("delete_file", readOnlyHint=True))
    [held] = found.differing
    PROSE.holds("differs: declared otherwise", held.words)
    found = hold(tool("read_table"))
    [held] = found.differing
    PROSE.holds("differs: not set", held.words)
    assert found.summary == "differs: readOnly"
    assert differing(tool("read_table", readOnlyHint=True)) == []
    assert differing(tool("read_table", readOnlyHint=True, destructiveHint=True)) == ["destructive"]
    assert differing(tool("append_note", readOnlyHint=False, destructiveHint=False)) == []
    assert differing(tool("send_mail", idempotentHint=True, openWorldHint=False)) == [
        "idempotent",
        "openWorld",
    ]
    # A default that fits is no difference, and a hint that is disputed is none either.
    assert differing(tool("delete_file")) == []
    assert differing(tool("delete_file", idempotentHint=True)) == []


def test_what_hosts_do_about_a_disputed_hint() -> None:
    one = tool("update_user", readOnlyHint=False, idempotentHint=True, openWorldHint=False)
    overwrite = next(one for one in readings() if one.name == "overwrite-destructive")
    said = {host.host: (host.if_true, host.if_false) for host in hosts_on(one, overwrite, HOSTS)}
    assert len(said) == len(HOSTS)
    assert said["Codex"] == ("ask", "run")
    assert said["Gemini CLI"][0] == said["Gemini CLI"][1]
    words = hosts_words(hosts_on(one, overwrite, HOSTS))
    PROSE.holds("hosts: a disputed hint", words)
    gone = next(one for one in readings() if one.name == "delete-idempotent")
    alike = hosts_words(hosts_on(tool("delete_x"), gone, HOSTS))
    PROSE.holds("hosts: all alike", alike, COUNT=len(HOSTS))
    PROSE.holds("hosts: none", hosts_words([]))


@given(st.text(), st.text(), st.dictionaries(st.sampled_from(HINT_KEYS), CLAIMS))
def test_total_and_what_differs_is_never_what_is_expected(
    name: str, title: str, annotations: dict[str, JsonValue]
) -> None:
    one = hold(tool(name, title, **annotations))
    assert f"{one.decided_words}{one.summary}".isprintable()
    for held in one.hints:
        assert held.words.isprintable()
        if held.expected in (ExpectedHint.TRUE, ExpectedHint.FALSE):
            assert held.differs is (held.counts is not (held.expected is ExpectedHint.TRUE))
    report = holding_json(one, HOSTS[:2])
    assert report["differs"] == [held.hint for held in one.differing]


@given(json_values(st.sampled_from(["name", "title", "annotations", "readOnlyHint"])))
def test_any_definition_is_held(raw: JsonValue) -> None:
    one = hold(read_tool(0, raw))
    assert bool(one.hints) is (one.archetype is not None)


def test_words_of_names() -> None:
    assert words_of("getHTTPUser_by-id.v2") == ["get", "http", "user", "by", "id", "v2"]
    assert words_of("a" * 100_000) == ["a" * 400]
