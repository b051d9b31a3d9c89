"""Pages one after the other: items that come again, cursors that lead back, ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.app.calls.paging import MAX_ITEMS, PageWalk, items_of
from signoff.app.content.json.jsonio import JsonValue
from signoff.app.protocol.answers.content import Answer, read_answer
from signoff.app.protocol.answers.cursors import MAX_CURSOR, End
from signoff.app.protocol.tool_reading import read_tool
from tests.approved import approved
from tests.content.json_values import json_values

PROSE = approved("calls")

TOOL = read_tool(0, {"name": "list", "inputSchema": {"properties": {"cursor": {"type": "string"}}}})


def text(*lines: str) -> Answer:
    return made({"content": [{"type": "text", "text": "\n".join(lines)}]})


def data(**structured: Any) -> Answer:
    return made({"content": [], "structuredContent": structured})


def made(raw: Any) -> Answer:
    found = read_answer(raw)
    assert found is not None
    return found


def walked(*pages: Answer) -> tuple[PageWalk, list[str | None]]:
    """A walk through pages, each asked for with the cursor of the one before."""
    walk, cursors = PageWalk.of(TOOL), list[str | None]()
    arguments: dict[str, JsonValue] = {}
    for page in pages:
        cursor = walk.take(arguments, page)
        cursors.append(cursor)
        if cursor is None:
            break
        arguments = {"cursor": cursor}
    return walk, cursors


def codes(walk: PageWalk) -> list[str]:
    return [finding.code for finding in walk.findings]


def test_pages_in_order_have_nothing_wrong() -> None:
    walk, cursors = walked(
        text("Repositories of acme:", "- a", "- b", "[Next page cursor: c1]"),
        text("Repositories of acme:", "- c", "[End of results]"),
    )
    assert cursors == ["c1", None]
    assert codes(walk) == []
    assert walk.ended
    assert not walk.is_broken
    PROSE.holds("walk: marked end", walk.words)
    assert [(page.cursor, page.next_cursor, page.items) for page in walk.pages] == [
        (None, "c1", 2),
        ("c1", None, 1),
    ]


def test_an_item_of_an_earlier_page_is_found_with_both_pages() -> None:
    walk, _ = walked(
        text("- a", "- b", "[Next page cursor: c1]"), text("- b", "- c", "[End of results]")
    )
    assert codes(walk) == ["page-repeats"]
    PROSE.holds("walk: a repeated item", walk.findings[0].message)
    PROSE.holds("walk: marked end", walk.words)
    assert walk.is_broken


def test_the_same_line_twice_on_one_page_is_the_servers_own_affair() -> None:
    assert codes(walked(text("- a", "- a", "[End of results]"))[0]) == []


def test_records_are_known_by_their_id() -> None:
    first = data(items=[{"id": 1, "stars": 5}, {"id": 2}], nextCursor="c1")
    walk, _ = walked(first, data(items=[{"id": 1, "stars": 6}], nextCursor=None))
    assert codes(walk) == ["page-repeats"]
    walk, _ = walked(data(items=[{"a": 1}], nextCursor="x"), data(items=[{"a": 2}]))
    assert codes(walk) == []
    assert walk.pages[-1].end is End.ABSENT
    assert walk.ended


@pytest.mark.parametrize("back", ["c1", "c2"])
def test_a_cursor_that_leads_back_is_not_followed(back: str) -> None:
    walk, cursors = walked(
        text("- a", "[Next page cursor: c1]"),
        text("- b", "[Next page cursor: c2]"),
        text("- c", f"[Next page cursor: {back}]"),
    )
    assert cursors == ["c1", "c2", None]
    assert codes(walk) == ["page-cursor-loops"]
    walk.stopped()
    assert codes(walk) == ["page-cursor-loops"]


def test_an_end_that_nothing_marks() -> None:
    walk, _ = walked(text("- a", "[Next page cursor: c1]"), text("- b"))
    assert codes(walk) == ["page-end-unmarked"]
    PROSE.holds("walk: unmarked end", walk.words)
    assert not walk.ended


def test_more_than_was_asked_for_is_a_note() -> None:
    walk, _ = walked(text("- a", "[Next page cursor: c1]"))
    walk.stopped()
    assert codes(walk) == ["pages-not-finished"]
    assert not walk.is_broken


def test_a_cursor_that_is_too_long_is_not_followed() -> None:
    walk, cursors = walked(text("- a", f"[Next page cursor: {'x' * 1_000_000}]"))
    assert cursors == [None]
    assert codes(walk) == ["cursor-too-long"]
    assert walk.is_broken


def test_a_tool_without_a_parameter_for_it() -> None:
    for page in (text("- a", "[Next page cursor: c\x1b[2J]"), data(nextCursor="c\x1b[2J")):
        walk = PageWalk.of(read_tool(0, {"name": "list"}))
        assert walk.take({}, page) is None
        assert walk.is_broken
        assert all(finding.message.isprintable() for finding in walk.findings)
    assert codes(walk) == ["cursor-has-no-parameter"]


def test_a_page_without_items_that_goes_on() -> None:
    walk, cursors = walked(data(items=[], nextCursor="c1"), data(items=[]))
    assert cursors == ["c1", None]
    assert codes(walk) == ["page-empty"]


def test_items_of_lists_and_lines() -> None:
    def shown(answer: Answer) -> list[str]:
        return [one for _, one in items_of(answer)]

    assert shown(text("Found 2:", "a", "b")) == ["a", "b"]
    assert shown(text("head", "1. a", "2) b", "tail")) == ["1. a", "2) b"]
    assert shown(text('{"rows": ["a"], "more": true}')) == ['"a"']
    assert shown(text('["a", "b"]')) == ['"a"', '"b"']
    assert shown(text("--", "***", "")) == []


@pytest.mark.slow
def test_what_is_remembered_of_items_is_bounded() -> None:
    walk = PageWalk.of(TOOL)
    walk.take({}, data(items=list(range(MAX_ITEMS + 9)), nextCursor="c"))
    walk.take({"cursor": "c"}, data(items=[MAX_ITEMS - 1, MAX_ITEMS + 5]))
    assert walk.pages[1].repeated == 1


@given(
    st.lists(
        st.tuples(
            json_values(st.sampled_from(["items", "nextCursor", "hasMore", "id"])), st.text()
        ),
        max_size=5,
    )
)
def test_total_and_never_back_to_where_it_was(pages: list[tuple[JsonValue, str]]) -> None:
    walk = PageWalk.of(TOOL)
    arguments: dict[str, JsonValue] = {}
    sent: list[str] = []
    for structured, words in pages:
        raw = {"content": [{"type": "text", "text": words}], "structuredContent": structured}
        cursor = walk.take(arguments, made(raw))
        assert all(finding.message.isprintable() for finding in walk.findings)
        assert walk.pages[-1].repeated <= walk.pages[-1].items
        if cursor is None:
            break
        assert cursor not in sent
        assert len(cursor) <= MAX_CURSOR
        sent.append(cursor)
        arguments = {"cursor": cursor}
    assert walk.words.isprintable()
