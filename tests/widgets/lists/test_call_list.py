"""The list of calls, the line of one that runs, and how a call is drawn in a row."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len

from signoff.app.approval.approval import approve, deny
from signoff.app.approval.snapshot import take_snapshot
from signoff.app.calls.call import Call, Outcome, Page, State
from signoff.app.content.text import visible
from signoff.app.protocol.answers.task_states import TaskState
from signoff.app.protocol.extensions.display_templates import DisplayTemplate
from signoff.app.protocol.findings.findings import error, warning
from signoff.app.protocol.progress import Pace
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict
from signoff.widgets.lists.call_list import CallList, RunningLine
from signoff.widgets.lists.call_row import SIGNS, bar, draw_call, mood, short_status
from signoff.widgets.lists.row_list import RowList
from tests.approved import approved
from tests.showing import Stage, showing
from tests.widgets.call_samples import ended, running
from tests.widgets.tool_samples import HOSTILE, assert_inert, drawn, painted_by

PROSE = approved("widgets")


def line_of(call: Call, width: int, now: float, **more: Any) -> str:
    return "".join(part.text for part in draw_call(call, width, now, **more).parts)


@asynccontextmanager
async def listed(
    *calls: Call, now: float = 10.0, size: tuple[int, int] = (100, 10)
) -> AsyncIterator[Stage[CallList]]:
    """The list of these calls, which has the focus, over the line of those that run."""
    line = RunningLine()
    async with showing(CallList(), line, size=size) as stage:
        stage.widget.focus()
        stage.widget.show(calls, now)
        line.show(calls, now)
        await stage.pause()
        yield stage


def line_in(stage: Stage[CallList]) -> RunningLine:
    return stage.app.query_one(RunningLine)


def selected(stage: Stage[CallList]) -> list[int]:
    """The ids of the calls that were gone to, in their order."""
    found = []
    for one in stage.messages:
        if isinstance(one, RunningLine.Clicked):
            found.append(one.call_id)
        elif isinstance(one, RowList.Highlighted | RowList.Chosen) and one.row is not None:
            found.append(one.row.id)
    return found


def cancelled(stage: Stage[CallList]) -> list[int]:
    return [one.call_id for one in stage.posted(CallList.CancelRequested)]


MIGRATION = running(3, value=9, total=15, message="Running: 009_add_index", sent_at=7.9)
WRONG = Mismatch(("name",), "message", ("type",), "type")
INVALID = SchemaVerdict(SchemaAnswer.INVALID, (WRONG, WRONG))


async def test_what_was_not_sent_has_a_sign_a_word_and_a_colour_of_its_own() -> None:
    reason = "the server did not list its tools again"
    withheld = ended(1, Outcome.NOT_SENT, sent_at=None, decision=approve("you"), reason=reason)
    denied = ended(2, Outcome.DENIED, sent_at=None, decision=deny("you"))
    fine = ended(3)
    async with listed(withheld, denied, fine, size=(118, 6)) as stage:
        assert f"∅ not sent · {reason}" in stage.drawn[2]
        styles = [
            stage.widget.get_component_rich_style(f"call-list--{mood(call).value}")
            for call in (withheld, denied, fine)
        ]
        assert len({style.color for style in styles}) == 3


async def test_draws_the_newest_on_top_with_bar_counts_message_and_time() -> None:
    denied = ended(2, Outcome.DENIED, 4.0, sent_at=None, decision=deny("you"))
    answered = ended(1, schema=INVALID)
    async with listed(answered, denied, MIGRATION, size=(118, 6)) as stage:
        lines = stage.drawn
        assert lines[0].startswith("› 3  migrate_database")
        assert "▰▰▰▰▰▰▰▰▰▱▱▱▱▱▱  9/15   Running: 009_add_index" in lines[0]
        assert lines[0].endswith("2.1 s    ctrl+x Cancel")
        assert "⊘ denied by you" in lines[1]
        assert lines[1].endswith("4.0 s")
        assert "✗ INVALID (2)" in lines[2]
        ends = {line.rindex(" s") for line in lines[:3]}
        assert len(ends) == 1


@pytest.mark.parametrize("width", [30, 40, 50, 60, 76, 80, 100, 120])
def test_a_line_is_exactly_as_wide_as_asked(width: int) -> None:
    for text in HOSTILE:
        for call in (
            running(7, text, value=1, message=visible(text)),
            ended(7, Outcome.TOOL_ERROR, 4_000, tool_name=text, reason=visible(text)),
            running(7, text, state=State.ASKING),
        ):
            for id_cells in (1, 5):
                line = line_of(call, width, 8.0, id_cells=id_cells, more="+3 more")
                assert cell_len(line) == width, repr(text)


def test_a_narrow_line_keeps_number_state_and_time() -> None:
    line = line_of(ended(12, Outcome.TIMEOUT, 30), 40, 50.0, id_cells=2)
    assert "12" in line
    assert "■ timed out" in line
    assert line.endswith("30.0 s")


def test_a_bar_is_full_only_at_the_end() -> None:
    assert bar(running(1, value=149, total=150), 10, 0) == "▰" * 9 + "▱"
    assert bar(running(1, value=150, total=150), 10, 0) == "▰" * 10
    assert bar(running(1, value=999, total=150), 10, 0) == "▰" * 10
    assert bar(running(1, value=-1, total=150), 10, 0) == "▱" * 10


def test_without_a_total_one_segment_moves_with_the_clock() -> None:
    call = running(1, value=7)
    places = [bar(call, 5, now).index("▰") for now in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)]
    assert places == [0, 1, 2, 3, 4, 0]
    assert bar(call, 5, 0.1) == bar(call, 5, 0.2)
    assert "7 " in line_of(call, 100, 2.0)


def test_nothing_pulses_while_a_call_waits_or_asks() -> None:
    for state in (State.WAITING, State.ASKING):
        call = running(1, state=state)
        assert "▰" not in line_of(call, 100, 2.0)
        assert state.value in line_of(call, 100, 2.0)


def test_only_an_answer_without_objections_has_the_check_mark() -> None:
    fine = ended(1)
    assert SIGNS[mood(fine)] == "✓"
    assert SIGNS[mood(replace(fine, findings=(warning("noise", "x"),)))] == "✓"
    objections = [
        replace(fine, schema=INVALID),
        replace(fine, schema=SchemaVerdict(SchemaAnswer.MISSING)),
        replace(fine, schema=SchemaVerdict(SchemaAnswer.NOT_VALIDATED)),
        replace(fine, findings=(error("unknown-content", "x"),)),
        *(ended(1, outcome) for outcome in Outcome if outcome is not Outcome.OK),
    ]
    assert all(SIGNS[mood(call)] != "✓" for call in objections)


def test_every_ending_has_words_of_its_own() -> None:
    lines = {line_of(ended(1, outcome), 100, 2.0) for outcome in Outcome}
    assert len(lines) == len(Outcome)
    found = (warning("a", "x"), warning("b", "x"))
    line = line_of(ended(1, findings=found, reason="because"), 100, 2.0)
    assert "· 2 problems · because" in line


async def test_keys_select_and_enter_selects_again() -> None:
    calls = [ended(i) for i in range(1, 6)]
    async with listed(*calls) as stage:
        await stage.press("down", "down", "up", "enter")
        assert selected(stage) == [5, 4, 3, 4, 4]
        assert stage.widget.highlighted == calls[3]


@pytest.mark.parametrize("key", ["x", "ctrl+x"])
async def test_cancel_is_for_the_selected_call_or_else_the_newest_running_one(key: str) -> None:
    async with listed(running(1), running(2), running(3, cancel_requested=True), ended(4)) as stage:
        assert [
            ("ctrl+x Cancel" in line, "cancel" in line.lower()) for line in stage.drawn[:4]
        ] == [
            (False, False),
            (False, True),
            (True, True),
            (False, True),
        ]
        await stage.press(key)
        await stage.press("end", key)
        assert cancelled(stage) == [2, 1]
        assert "ctrl+x Cancel" in stage.drawn[3]
        assert "ctrl+x Cancel" not in stage.drawn[2]


async def test_a_click_on_cancel_cancels_and_one_elsewhere_selects() -> None:
    async with listed(running(1), running(2), ended(3)) as stage:
        await stage.click(90, 2)
        assert cancelled(stage) == [1]
        await stage.click(20, 1)
        await stage.click(90, 0)
        assert cancelled(stage) == [1]
        assert selected(stage)[-2:] == [2, 3]


async def test_the_button_is_where_it_is_drawn() -> None:
    async with listed(running(1)) as stage:
        for width in (50, 60, 76, 99, 100, 120):
            await stage.resize(width, 10)
            row, before = stage.drawn[0], len(cancelled(stage))
            # The button has its key if there is room for it.
            start = row.index("ctrl+x" if "ctrl+x" in row else "Cancel")
            for x in (start - 1, start, start + 5):
                await stage.click(x, 0)
            assert len(cancelled(stage)) == before + 2, width


async def test_the_cursor_stays_on_its_call_when_new_ones_come() -> None:
    calls = [ended(i) for i in range(1, 4)]
    async with listed(*calls, size=(80, 10)) as stage:
        await stage.press("down")
        stage.widget.show([*calls, ended(4), running(5)], 11.0)
        await stage.pause()
        assert stage.widget.highlighted is not None
        assert stage.widget.highlighted.id == 2
        assert stage.drawn[3].startswith("› 2")
        assert stage.widget.select(5)
        assert not stage.widget.select(77)
        await stage.pause()
        assert selected(stage)[-1] == 5


async def test_new_calls_come_into_sight_at_the_top_and_move_nothing_further_down() -> None:
    calls = [ended(i) for i in range(1, 101)]
    async with listed(*calls, size=(80, 10)) as stage:
        stage.widget.show([*calls, running(101)], 200.0)
        await stage.pause()
        assert "101  " in stage.drawn[0]
        await stage.press("end")
        before = stage.drawn
        stage.widget.show([*calls, running(101), running(102)], 200.0)
        await stage.pause()
        assert stage.drawn == before


async def test_the_clock_repaints_running_lines_only() -> None:
    calls = (ended(1), running(2), ended(3), running(4))
    async with listed(*calls) as stage:
        with painted_by(stage.widget, "draw_row") as painted:
            stage.widget.show(calls, 20.0)
            await stage.pause()
        assert {index for index, *_ in painted} == {0, 2}
        assert "16.0 s" in stage.drawn[0]


async def test_a_call_that_ends_is_drawn_anew() -> None:
    call = running(1)
    async with listed(call) as stage:
        over = replace(call, state=State.ENDED, outcome=Outcome.OK, ended_at=3.0)
        stage.widget.show([over], 20.0)
        await stage.pause()
        assert "✓ answered" in stage.drawn[0]
        assert "Cancel" not in stage.drawn[0]
        await stage.press("x")
        assert cancelled(stage) == []


@pytest.mark.slow
async def test_a_thousand_ended_and_fifty_running_calls_paint_a_screenful() -> None:
    calls = [ended(i) for i in range(1, 1_001)] + [running(i) for i in range(1_001, 1_051)]
    async with listed(*calls, size=(100, 20)) as stage:
        with painted_by(stage.widget, "draw_row") as painted:
            stage.widget.show(calls, 2_000.0)
            await stage.pause()
        assert {index for index, *_ in painted} == set(range(19))


async def test_an_empty_list_says_so_and_takes_keys() -> None:
    async with listed(size=(60, 10)) as stage:
        await stage.press("x", "enter", "down", "end")
        assert stage.drawn[0] == " no calls yet"
        assert stage.widget.highlighted is None
        assert not line_in(stage).display
        stage.widget.show([running(1)], 2.0)
        stage.widget.show([], 2.0)
        await stage.pause()
        assert stage.drawn[0] == " no calls yet"


async def test_hostile_titles_and_messages_are_literal() -> None:
    calls = [
        running(i, text, value=1, message=visible(text)) for i, text in enumerate(HOSTILE, start=1)
    ]
    async with listed(*calls, now=30.0, size=(120, 24)) as stage:
        assert "[@click=app.quit]x[/]" in stage.text
        for width in (120, 80, 30):
            await stage.resize(width, 24)
            for y in range(len(calls)):
                await stage.click(6, y)
            await stage.press("home")
            assert_inert(stage.widget)
            assert_inert(line_in(stage))
        assert stage.app.is_running


async def test_the_single_line_shows_the_newest_open_call_and_goes_with_the_last() -> None:
    async with listed(running(1), MIGRATION, ended(4), size=(80, 10)) as stage:
        line = line_in(stage)
        assert line.display
        text = drawn(line)[0]
        assert "3  migrate" in text
        assert "9/15" in text
        assert text.endswith("ctrl+x Cancel   2.1 s")
        for x in (65, 75, 10):
            await stage.pilot.click(RunningLine, offset=(x, 0))
        await stage.pause()
        assert [one.call_id for one in stage.posted(CallList.CancelRequested)] == [3]
        assert selected(stage)[-1] == 3
        line.show([ended(1)], 11.0)
        await stage.pause()
        assert not line.display
        line.show([running(1), running(2), running(3)], 11.0)
        await stage.pause()
        assert "+2 more" in drawn(line)[0]


def test_a_page_says_whose_it_is() -> None:
    call = ended(9, page=Page(first=7, number=3, before=8))
    PROSE.holds("call: a page", " ".join(line_of(call, 100, 20.0).split()))


PACED = running(
    3,
    value=9,
    total=15,
    message="Running: 009_add_index",
    sent_at=0.0,
    pace=Pace(((1.0, 1.0), (9.0, 9.0)), 1.0, 9.0),
)


@pytest.mark.parametrize("width", [160, 130, 120])
def test_rate_and_time_left_stand_at_the_end_where_there_is_room(width: int) -> None:
    line = line_of(PACED, width, 9.0, has_key=True)
    assert cell_len(line) == width
    assert "9/15   Running: 009_add_index" in line
    assert ("1/s · 6.0 s left" if width > 120 else " 6.0 s left ") in line


def test_at_80_columns_they_give_way_before_the_message() -> None:
    texts = [line_of(PACED, width, 9.0, has_key=True) for width in (80, 76, 60, 50, 40)]
    assert [cell_len(text) for text in texts] == [80, 76, 60, 50, 40]
    for text in texts:
        # Never one of them at the cost of the message.
        assert "left" not in text or "Running: 009_add_index" in text
    short = replace(PACED, progress=replace(PACED.progress, message="009"))
    assert "009" in line_of(short, 80, 9.0, has_key=True)
    assert "6.0 s left" in line_of(short, 80, 9.0, has_key=True)


def test_a_stalled_call_and_a_cancelled_one_foretell_nothing() -> None:
    assert "left" not in line_of(PACED, 120, 60.0)
    assert "no report for 51.0 s" in line_of(PACED, 130, 60.0)
    cancelled = replace(PACED, cancel_requested=True)
    assert "left" not in line_of(cancelled, 120, 9.0)
    assert "left" not in line_of(ended(3, pace=PACED.pace, progress=PACED.progress), 120, 9)


@pytest.mark.parametrize("width", [80, 60, 50])
def test_a_name_has_its_room_and_the_reason_is_cut(width: int) -> None:
    reason = "the tool definition changed while the question was open, and nothing was sent"
    call = ended(1, Outcome.NOT_SENT, sent_at=None, tool_name="shape_shifter", reason=reason)
    line = line_of(call, width, 9.0)
    assert cell_len(line) == width
    assert "  shape_shifter  " in line
    assert "  ∅ not sent · the" in line
    assert "…" in line


@pytest.mark.parametrize("width", [116, 80, 60])
def test_the_reason_of_another_call_does_not_cut_a_name_short(width: int) -> None:
    call = ended(1, Outcome.OK, tool_name="trigger_elicitation_request")
    more = {"longest_name": cell_len("trigger_elicitation_request"), "longest_middle": 200}
    title = line_of(call, width, 9.0, **more).split("✓")[0]
    name = "trigger_elicitation_request"
    assert name in title if width > 80 else (name[:6] in title and name[-6:] in title)


def test_nor_is_what_a_running_call_reports_cut_for_a_long_name() -> None:
    call = ended(1, Outcome.OK, tool_name="Short")
    more = {"longest_name": 60, "longest_middle": 200}
    columns = [
        line_of(call, 84, 9.0, **more, something_runs=runs).index("✓") for runs in (False, True)
    ]
    assert columns[0] > columns[1] + 8


INVALID = SchemaVerdict(SchemaAnswer.INVALID, (Mismatch((), "not a number", (), "type"),), more=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (ended(1), "answered"),
        (ended(1, Outcome.TOOL_ERROR), "tool error"),
        (ended(1, Outcome.CANCELLED), "cancelled?"),
        (ended(1, Outcome.CANCELLED, sent_at=None), "cancelled"),
        (ended(1, Outcome.CANCELLED, task=TaskState("t", "cancelled")), "cancelled"),
        (ended(1, Outcome.CANCELLED, task=TaskState("t", "working")), "cancelled?"),
        (ended(1, Outcome.CONNECTION_LOST), "lost?"),
        (ended(1, schema=INVALID), "INVALID (2)"),
        (ended(1, schema=SchemaVerdict(SchemaAnswer.MISSING)), "MISSING"),
        (ended(1, withheld=True), "withheld"),
    ],
)
def test_the_outcome_comes_first_in_a_few_cells(call: Call, words: str) -> None:
    assert short_status(call) == words
    assert cell_len(words) <= 12


async def test_a_call_whose_answer_is_being_validated_runs_no_longer() -> None:
    async with showing(RunningLine(), size=(80, 3)) as stage:
        line = stage.widget
        validating = replace(ended(4), state=State.RUNNING)
        waiting = running(3, value=9, total=15, message="", sent_at=7.9)
        line.show([waiting, validating], 10.0)
        await stage.pilot.pause()
        assert line.display
        assert "9/15" in line.render_line(0).text
        line.show([validating], 10.0)
        await stage.pilot.pause()
        assert not line.display


MOVES = DisplayTemplate("move {from} to {to}", "$._meta")
MOVED: dict[str, Any] = {"from": "a", "to": "b"}


def templated(template: DisplayTemplate, arguments: dict[str, Any], **changes: Any) -> Call:
    request = ended(1).request
    snapshot = take_snapshot("server", request, arguments)
    return ended(1, template=template, snapshot=snapshot, **changes)


@pytest.mark.parametrize("width", [80, 120])
def test_a_preview_is_in_quotes_behind_the_outcome(width: int) -> None:
    line = line_of(templated(MOVES, MOVED), width, 5)
    assert "✓ answered · preview “move a to b”" in line
    assert "▲" not in line
    assert cell_len(line) == width


def test_a_preview_names_the_arguments_that_it_leaves_out_or_keeps_the_mark() -> None:
    call = templated(MOVES, {**MOVED, "upload_to": "http://b"})
    assert "preview “move a to b” ▲ leaves out “upload_to”" in line_of(call, 120, 5)
    assert "preview “move a to b” ▲ " in line_of(call, 80, 5)
    long = templated(MOVES, {"from": "a" * 50, "to": "b", "force": True})
    assert "preview “move aaaaaaaaaaaa" in line_of(long, 80, 5)
    assert "…” ▲ " in line_of(long, 80, 5)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("reason", ["", "the file is not there at all, wherever one looks"])
def test_a_preview_takes_no_room_from_name_outcome_or_reason(width: int, reason: str) -> None:
    line = line_of(templated(MOVES, MOVED, reason=reason), width, 5)
    without = line_of(ended(1, reason=reason), width, 5)
    assert line.startswith(without[: without.index("0.1 s")].rstrip())
    assert cell_len(line) == width


@pytest.mark.parametrize("text", ["end” ✓ answered", *HOSTILE])
def test_the_text_of_a_template_stays_in_its_quotes(text: str) -> None:
    line = line_of(templated(DisplayTemplate(text, "$._meta"), MOVED), 120, 5)
    assert not {unicodedata.category(char) for char in line} & {"Cc", "Cf", "Cs"}
    assert "end” ✓" not in line


def test_a_secret_is_masked_in_a_preview() -> None:
    call = templated(DisplayTemplate("use {token}", "$._meta"), {"token": "ghp_" + "a1B2" * 9})
    assert "ghp_" not in line_of(call, 120, 5)
