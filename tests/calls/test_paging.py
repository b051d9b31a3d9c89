from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.call import Page, State
from signoff.app.calls.paging import NextPageCall, cursor_parameter, next_page, page_after
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import Answer, read_answer
from signoff.app.protocol.answers.cursors import MAX_CURSOR, End, said_of_next
from signoff.app.protocol.requests import CallName, ToolCall
from signoff.app.protocol.tool import ToolDefinition
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values
from tests.widgets.call_samples import ended

PROSE = approved("calls")


def tool(parameter: str = "cursor", schema: JsonValue = None) -> ToolDefinition:
    given: JsonValue = {"type": "string"} if schema is None else schema
    raw: JsonValue = {
        "name": "list",
        "inputSchema": {
            "type": "object",
            "properties": {"limit": {"type": "integer"}, parameter: given},
        },
    }
    return read_tool(0, raw)


def answer(structured: Any = None, *texts: str, is_error: bool = False) -> Answer:
    result: dict[str, Any] = {"content": [{"type": "text", "text": one} for one in texts]}
    if structured is not None:
        result["structuredContent"] = structured
    result["isError"] = is_error
    found = read_answer(result)
    assert found is not None
    return found


def cursor(given: Answer, parameter: str = "cursor", used: JsonValue = None) -> str | None:
    page = next_page(tool(parameter), {} if used is None else {parameter: used}, given)
    return page.cursor if page is not None and page.can_be_asked_for else None


TEXT: JsonValue = {"type": "string"}
TAKES = ("cursor", "page_token", "pageToken", "next_token", "after", "offset", "starting-after")
NULLABLE: tuple[JsonValue, ...] = (
    {"type": ["string", "null"]},
    {"anyOf": [TEXT, {"type": "null"}]},
    {"oneOf": [{"type": "null"}, TEXT]},
)


@pytest.mark.parametrize(
    ("name", "schema", "takes"),
    [
        *((name, TEXT, True) for name in TAKES),
        *(("cursor", schema, True) for schema in NULLABLE),
        *((name, {"type": "integer"}, False) for name in ("cursor", "offset")),
        ("cursor", {}, False),
        ("cursor", True, False),
        *((name, TEXT, False) for name in ("page", "cursor_style", "query")),
    ],
)
def test_parameters_that_take_a_cursor(name: str, schema: JsonValue, takes: bool) -> None:
    assert cursor_parameter(tool(name, schema)) == (name if takes else None)


@pytest.mark.parametrize(
    "structured",
    [
        *({"nextCursor": "abc"}, {"next_cursor": "abc"}, {"NextPageToken": "abc"}),
        *({"next": "abc"}, {"pagination": {"next_cursor": "abc"}}),
        {"meta": {"nextCursor": "abc", "hasMore": True}},
        *({"response_metadata": {"next_cursor": "abc"}}, {"page": {"next": "abc"}, "items": []}),
        {"pageInfo": {"endCursor": "abc", "hasNextPage": True}},
        {"nextCursor": None, "meta": {"nextCursor": "abc"}},
    ],
)
def test_the_next_cursor_in_a_structured_answer(structured: JsonValue) -> None:
    assert cursor(answer(structured)) == "abc"
    assert cursor(answer(None, json.dumps(structured))) == "abc"


@pytest.mark.parametrize(
    "structured",
    [
        *({}, {"nextCursor": None}, {"nextCursor": ""}, {"nextCursor": 7}),
        *({"nextCursor": ["abc"]}, {"next": "x" * (MAX_CURSOR + 1)}),
        *({"next": "https://example.com/?page=2"}, {"items": {"nextCursor": "abc"}}),
        *({"meta": {"deep": {"nextCursor": "abc"}}}, {"cursor": "abc"}),
        {"nextCursor": "abc", "has_more": False},
        {"pageInfo": {"endCursor": "abc", "hasNextPage": False}},
        *({"pageInfo": {"endCursor": "abc"}}, [{"nextCursor": "abc"}], "nextCursor"),
    ],
)
def test_nothing_exact_is_the_end(structured: JsonValue) -> None:
    assert cursor(answer(structured)) is None


@pytest.mark.parametrize(
    "text",
    [
        *("cursor: abc", "nextCursor: abc", "**nextCursor**: abc", '"nextCursor": "abc",'),
        *("Found 3 rows.\n\n- next_cursor: `abc`\n", "page 1 of 9\ncursor = abc"),
        'done, {"nextCursor": "abc"} follows',
        *("- a\n- b\n\n[Next page cursor: abc]", "a [next_cursor: abc]", "[Next cursor: `abc`]"),
        *("[Next page token = abc]", "[NEXT PAGE CURSOR: abc] "),
        *("[Next page cursor: abc] (2 of 5)", "[Next page cursor: abc] and [more]"),
    ],
)
def test_a_cursor_named_in_a_text(text: str) -> None:
    assert cursor(answer(None, text)) == "abc"


@pytest.mark.parametrize(
    "text",
    [
        *("The next cursor is abc", "use cursor abc to go on", "next: abc", "cursor: abc def"),
        *("a cursor: abc", "nextCursor: null", "nextCursor: None", "nextCursor:", "offset: 20"),
        *("cursor: abc\nnextCursor: def", "{broken", "https://example.com/?cursor=abc"),
        *("[Next page: abc]", "[cursor abc]", "[Next page cursor: a b]"),
    ],
)
def test_prose_is_no_cursor(text: str) -> None:
    assert cursor(answer(None, text)) is None


def test_an_echo_of_the_question_is_no_next_page() -> None:
    assert next_page(tool(), {"cursor": "abc"}, answer(None, "cursor: abc")) is None
    assert cursor(answer(None, "cursor: abc\nnextCursor: def"), used="abc") == "def"
    # A bracket in a cursor belongs to it.
    assert cursor(answer(None, "[Next page cursor: a]b[c]")) == "a]b[c"


def test_the_same_cursor_again_is_said() -> None:
    page = next_page(tool(), {"cursor": "abc"}, answer({"nextCursor": "abc"}))
    assert page == NextPageCall("cursor", "abc", is_repeated=True)
    assert not page.can_be_asked_for
    PROSE.holds("paging: the same cursor", page.words)


def test_the_structured_answer_has_the_last_word() -> None:
    assert cursor(answer({"nextCursor": None}, '{"nextCursor": "abc"}')) is None
    assert cursor(answer({"rows": []}, '{"nextCursor": "abc"}')) == "abc"


def test_no_parameter_or_an_error_offers_nothing() -> None:
    page = answer({"nextCursor": "abc"})
    assert next_page(tool("query", {"type": "integer"}), {}, page) is None
    assert next_page(tool(), {}, answer({"nextCursor": "abc"}, is_error=True)) is None


def test_where_no_name_takes_the_cursor_a_person_says_which_parameter_does() -> None:
    given = tool("position")
    page = next_page(given, {}, answer(None, "[Next page cursor: abc]"))
    assert page == NextPageCall("", "abc")
    # What may mean something else is no reason to ask.
    assert next_page(given, {}, answer({"next": "abc"})) is None
    chosen = next_page(given, {"position": "abc"}, answer({"nextCursor": "abc"}), "position")
    assert chosen == NextPageCall("position", "abc", is_repeated=True)


def test_a_cursor_that_is_too_long_is_said_and_not_offered() -> None:
    for one in (
        answer({"nextCursor": "x" * 1_000_000}),
        answer(None, f"a\n[Next page cursor: {'x' * 1_000_000}]"),
    ):
        page = next_page(tool(), {}, one)
        assert page is not None
        assert not page.can_be_asked_for
        PROSE.holds("paging: a long cursor", page.words)


@pytest.mark.parametrize(
    ("given", "end"),
    [
        (answer(None, "- a\n[End of results]"), End.MARKED),
        (answer(None, "- a\n[end of list.]"), End.MARKED),
        (answer(None, "- a\nnextCursor: null"), End.MARKED),
        (answer(None, "- a\n[Next page cursor: none]"), End.MARKED),
        (answer(None, "- a\n[Next page cursor: c]"), End.MORE),
        (answer(None, "- a"), End.UNMARKED),
        (answer(None, "the end of results is near"), End.UNMARKED),
        (answer({"items": [], "nextCursor": None}), End.MARKED),
        (answer({"items": [], "hasMore": False}), End.MARKED),
        (answer({"items": []}), End.ABSENT),
        (answer(None, '{"items": []}'), End.ABSENT),
        (answer({"items": []}, "[End of results]"), End.MARKED),
        (answer({"nextCursor": 7}), End.UNMARKED),
    ],
)
def test_what_an_answer_says_of_being_the_last_page(given: Answer, end: End) -> None:
    assert said_of_next(given, "cursor").end is end


def test_the_next_arguments_differ_by_the_cursor_only() -> None:
    page = next_page(tool(), {"limit": 3}, answer({"nextCursor": "a" * 30 + "\u202e"}))
    assert page is not None
    assert page.arguments({"limit": 3, "cursor": "old"}) == {"limit": 3, "cursor": page.cursor}
    PROSE.holds("paging: a next page", page.words)


@given(json_values(st.sampled_from(["nextCursor", "next", "meta", "hasMore", "page"])), st.text())
def test_total_and_never_anything_that_is_not_there(structured: JsonValue, text: str) -> None:
    page = next_page(tool(), {}, answer(structured, text, f"cursor: {text}"))
    if page is not None:
        assert page.cursor in f"{json.dumps(structured, ensure_ascii=False)}{text}" or (
            json.dumps(page.cursor)[1:-1] in json.dumps(structured)
        )
        assert page.words.isprintable()


def test_hostile_texts_take_no_time() -> None:
    lines = "\n".join(["`" * 8_000, "cursor:" * 9_000, '"' * 60_000, " " * 60_000])
    assert next_page(tool(), {}, answer(None, lines, "a: " * 30_000)) is None
    bracket = "[next cursor:"
    for one in (bracket * 80_000, f"{bracket} " * 80_000, "[next_cursor:" + "x" * 900_000):
        started = time.process_time()
        assert cursor(answer(None, one)) is None
        assert time.process_time() - started < 5
    rows = json.dumps({"rows": list(range(100_000))})
    many = answer(None, *[rows] * 40, *["nextCursor: n" + "x " * 30_000] * 50, "cursor: c9")
    started = time.process_time()
    assert cursor(many) == "c9"
    assert time.process_time() - started < 3


def test_pages_are_counted_from_the_first_call() -> None:
    first = ended(7)
    second = replace(first, name=CallName("demo", 9), page=Page.after(first))
    third = replace(first, name=CallName("demo", 12), page=Page.after(second))
    assert second.page == Page(first=7, number=2, before=7)
    assert third.page == Page(first=7, number=3, before=9)
    assert third.page is not None
    assert third.page.words == "page 3 of call 7"
    assert Page.after(None) is None


def test_a_call_that_is_not_over_or_was_not_answered_offers_nothing() -> None:
    given = answer({"nextCursor": "abc"})
    done = ended(1, request=ToolCall(tool()), answer=given)
    page = page_after(done)
    assert page is not None
    assert page.cursor == "abc"
    assert page_after(replace(done, state=State.RUNNING)) is None
    assert page_after(replace(done, answer=None, withheld=True)) is None
