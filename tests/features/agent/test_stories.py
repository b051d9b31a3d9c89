"""Questions of an agent and the calls at its server, matched; and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.features.agent import stories as stories_module
from signoff.app.features.agent.stories import (
    CallStory,
    Flaw,
    NamePlace,
    SentCall,
    Stories,
    has_arguments,
    name_in,
    read_naming,
)
from signoff.app.protocol.acp import (
    OptionKind,
    PermissionOption,
    PermissionRequest,
    arguments_of,
    read_permission,
)
from signoff.app.protocol.tool_reading import read_tools

TOOLS = read_tools([{"name": name} for name in ("delete_file", "file", "read_file", "sum")])
ONCE = PermissionOption("once", "Allow", OptionKind.ALLOW_ONCE)
ALWAYS = PermissionOption("always", "Always", OptionKind.ALLOW_ALWAYS)
NO = PermissionOption("no", "Reject", OptionKind.REJECT_ONCE)
PATH: dict[str, JsonValue] = {"path": "a"}


def request(
    title: str = "mcp__demo__delete_file",
    arguments: object = PATH,
    *,
    earlier: dict[str, Any] | None = None,
    options: tuple[PermissionOption, ...] = (ONCE, NO),
    **fields: Any,
) -> PermissionRequest:
    call: dict[str, Any] = {"toolCallId": "c1", "title": title, **fields}
    if arguments is not None:
        call["rawInput"] = arguments
    return PermissionRequest(1, call, earlier or {}, options)


def sent(tool: str = "delete_file", arguments: object = PATH, number: int = 1) -> SentCall:
    return SentCall(tool, arguments, "p", number)  # type: ignore[arg-type]


def asked(stories: Stories, option: PermissionOption | None = ONCE, **given: Any) -> CallStory:
    story = stories.ask(request(**given), TOOLS)
    stories.answer(story, option)
    return story


@pytest.mark.parametrize(
    ("option", "given", "arguments", "flaws", "is_loud"),
    [
        (ONCE, {}, PATH, [], False),
        (NO, {}, PATH, [Flaw.RAN_REJECTED], True),
        (None, {}, PATH, [Flaw.RAN_REJECTED], True),
        (ONCE, {}, {"path": "b"}, [Flaw.OTHER_ARGUMENTS], True),
        (ONCE, {"title": "read_file"}, PATH, [Flaw.OTHER_TOOL], True),
        (ONCE, {"title": '{"path": "a"}'}, PATH, [Flaw.NOT_NAMED], False),
    ],
    ids=["as asked", "rejected", "cancelled", "other arguments", "another tool", "not named"],
)
def test_a_call_that_belongs_to_a_question(
    option: PermissionOption | None, given: Any, arguments: object, flaws: Any, is_loud: bool
) -> None:
    stories = Stories()
    story = asked(stories, option, **given)
    assert stories.send(sent(arguments=arguments)) is story
    assert (story.flaws, list(story.loud)) == (flaws, flaws if is_loud else [])
    assert len(stories) == 1


def test_a_call_without_a_question_is_loud_unless_the_tool_is_declared_read_only() -> None:
    story = Stories().send(sent(), is_read_only=True)
    assert (story.flaws, story.loud, story.was_asked) == ([Flaw.RAN_UNASKED], (), False)
    story = Stories().send(sent())
    assert story.flaws == [Flaw.RAN_UNASKED, Flaw.HARM_UNASKED]
    assert story.loud == (Flaw.HARM_UNASKED,)


@pytest.mark.parametrize(("options", "loud"), [((ONCE, ALWAYS), True), ((), True), ((NO,), False)])
def test_a_question_without_a_way_to_refuse_is_loud(
    options: tuple[PermissionOption, ...], loud: bool
) -> None:
    assert (asked(Stories(), None, options=options).loud == (Flaw.NO_REFUSAL,)) is loud


def test_a_call_before_its_answer_or_its_question_is_loud() -> None:
    stories = Stories()
    story = stories.ask(request(), TOOLS)
    assert stories.send(sent()) is story
    stories.answer(story, NO)
    assert story.loud == (Flaw.RAN_EARLY,)
    stories = Stories()
    story = stories.send(sent())
    stories.end("p", 1, "ok")
    assert stories.ask(request(), TOOLS) is story
    assert story.loud == (Flaw.ASKED_LATE,)


def test_each_question_covers_one_call_and_a_lasting_answer_later_ones_of_the_tool() -> None:
    stories = Stories()
    asked(stories)
    stories.send(sent())
    assert stories.send(sent(number=2), is_read_only=True).flaws == [Flaw.RAN_UNASKED]
    stories = Stories()
    asked(stories, ALWAYS)
    stories.send(sent())
    later = stories.send(sent(arguments={"path": "b"}, number=2))
    assert (later.covered_by, later.flaws) == (ALWAYS, [])
    unasked = stories.send(sent("sum", {"a": 1}, 3), is_read_only=True)
    assert unasked.flaws == [Flaw.RAN_UNASKED]
    # The better of two questions is taken.
    stories = Stories()
    first, second = asked(stories, arguments={"path": "b"}), asked(stories)
    assert stories.send(sent()) is second
    assert stories.send(sent(arguments={"path": "b"}, number=2)) is first


def test_missing_arguments_are_noted_only_where_the_call_has_some() -> None:
    stories = Stories()
    story = asked(stories, arguments=None)
    assert story.flaws == [Flaw.NO_ARGUMENTS]
    stories.send(sent(arguments={}))
    assert not story.flaws


def test_ids_of_other_types_end_no_call() -> None:
    stories = Stories()
    story = stories.send(sent())
    for process, identity in (("p", True), ("p", "1"), ("q", 1)):
        assert stories.end(process, identity, "ok") is None
    assert stories.end("p", 1, "ok") is story


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"title": "mcp__demo__delete_file"}, NamePlace.TITLE),
        ({"content": [{"content": {"text": "run delete_file?"}}]}, NamePlace.TEXT),
        ({"arguments": {"tool_name": "delete_file"}}, NamePlace.INPUT),
        ({"earlier": {"title": "demo.delete_file"}}, NamePlace.EARLIER),
        ({"options": (PermissionOption("p", "in x: delete_file", ONCE.kind),)}, NamePlace.OPTION),
        ({"toolCallId": "mcp_demo_delete_file-1"}, None),
        ({"toolCallId": "delete_file"}, NamePlace.CALL_ID),
        ({"arguments": {"path": "delete_file"}}, None),
    ],
)
def test_the_place_of_the_name(given: dict[str, Any], place: NamePlace | None) -> None:
    naming = read_naming(request(**{"title": "x", **given}), TOOLS)
    assert naming.place is place
    assert naming.tool == (None if place is None else "delete_file")
    assert naming.is_named is (place in (NamePlace.TITLE, NamePlace.TEXT))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("delete_file", "delete_file"),
        ("mcp__demo__read_file (demo)", "read_file"),
        ("undelete_files", None),
        ("xdelete_file", "file"),
        ("file.sum", "sum"),
        ("summary", None),
    ],
)
def test_names_are_compared_whole(text: str, name: str | None) -> None:
    assert name_in(text, {tool.name for tool in TOOLS}) == name


def test_arguments_in_a_wrapper_or_a_text() -> None:
    assert has_arguments({"server": "demo", "arguments": PATH}, PATH)
    assert not has_arguments({"path": "b", "comment": PATH}, PATH)
    assert not has_arguments({"n": 1}, {"n": True})
    assert arguments_of({"title": 'sum (demo): {"a": 1}'}) == {"a": 1}
    assert arguments_of({"rawInput": {}, "title": "{no json}"}) is None
    content: Any = [{"type": "content", "content": {"text": '{"b":2}'}}]
    assert arguments_of({"content": content}) == {"b": 2}


def test_odd_options_are_left_out() -> None:
    listed: list[Any] = [
        {"optionId": "a", "name": "A", "kind": "allow_once"},
        {"optionId": "a", "name": "B", "kind": "reject_once"},
        {"optionId": 1},
        "x",
        {"optionId": "b", "kind": "new_kind"},
    ]
    found = read_permission({"toolCall": {"toolCallId": "c"}, "options": listed}, {}, 1)
    assert [(one.option_id, one.kind) for one in found.options] == [
        ("a", OptionKind.ALLOW_ONCE),
        ("b", OptionKind.OTHER),
    ]
    assert found.dropped == 3


@pytest.mark.parametrize(
    "params", [{}, {"toolCall": {}}, {"toolCall": {"toolCallId": 1}, "options": []}]
)
def test_a_request_without_its_members_is_invalid(params: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="toolCall"):
        read_permission(params, {}, 1)


def test_a_flood_of_calls_is_counted_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stories_module, "CALLS_MOST", 3)
    stories = Stories()
    numbers = [stories.send(sent(number=number)).number for number in range(5)]
    assert numbers == [1, 2, 3, 4, 5]
    assert (len(stories), stories.more) == (3, 2)
