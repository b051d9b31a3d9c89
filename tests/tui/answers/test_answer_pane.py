"""The parts of an answer by keyboard: open, fold, copy, save, other views, filter by audience."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from signoff.app.calls.call import Outcome
from signoff.app.protocol.rpc import Oversized
from signoff.app.schemas.schema import SchemaAnswer, SchemaVerdict
from signoff.app.tui.answers.blob import BlobBody, HexScreen
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.answers.links import LinkBody
from signoff.app.tui.answers.reader import ReaderScreen
from tests.approved import approved
from tests.tui.answer_stage import PaneStage, blob, call_of, pane_stage, said, texts
from tests.tui.drawn import drawn

TEXTS = approved("tui-answers")
STAMP = "2026-01-12T15:00:58Z"


ANNOTATED: Any = {
    "content": [
        {"type": "text", "text": "for people", **said(audience=["user"], priority=0.9)},
        {"type": "text", "text": "for models", **said(audience=["assistant"], lastModified=STAMP)},
        {"type": "text", "text": "for both", **said(audience=["user", "assistant"])},
        {"type": "text", "text": "for anybody"},
    ]
}


def focused(stage: PaneStage) -> int:
    """The place of the part whose header has the focus."""
    return [view.header for view in stage.views].index(stage.app.focused)  # type: ignore[arg-type]


@pytest.mark.slow
async def test_headers_say_what_for_whom_and_are_walked_by_up_down_and_tab() -> None:
    async with pane_stage(ANNOTATED) as stage:
        await stage.sees("for anybody", "enter Open")
        assert stage.text.count("enter Open") == 1
        TEXTS.holds("pane: parts for different audiences", drawn(stage.pane))
        TEXTS.holds("keys: of a text", stage.keys)
        before = stage.text.replace("enter Open", "").count("│")
        await stage.press("down", "down")
        assert focused(stage) == 2
        await stage.press("up")
        assert focused(stage) == 1
        await stage.press("tab")
        assert focused(stage) == 2
        await stage.press("down", "down")
        assert focused(stage) == 3
        assert stage.text.count("│") == before
        await stage.press("up", "up", "up", "up")
        assert stage.app.focused is stage.pane
        await stage.press("enter")
        assert focused(stage) == 0


async def test_the_mouse_and_space_fold_and_what_is_folded_stays_so() -> None:
    async with pane_stage(ANNOTATED) as stage:
        header = stage.views[1].header
        await stage.pilot.click(header, offset=(0, 1))
        await stage.until(lambda: stage.views[1].is_folded, "the fold")
        assert focused(stage) == 1
        await stage.pilot.click(header, offset=(6, 1))
        assert stage.views[1].is_folded
        await stage.press("space", "up")
        await stage.press("down", "space")
        await stage.until(lambda: "for models" not in stage.text, "the fold")
        assert "▸ part 2 of 4" in stage.text
        await stage.sees("space Unfold")
        # The same call again, with a verdict that late resultr.
        verdict = SchemaVerdict(SchemaAnswer.NO_SCHEMA, ())
        call = stage.pane.call
        assert call is not None
        await stage.shows(replace(call, schema=verdict))
        assert "for models" not in stage.text
        assert focused(stage) == 1
        await stage.press("space")
        await stage.sees("for models", "▾ part 2 of 4")


@pytest.mark.slow
async def test_y_copies_and_says_what_and_how_much_or_that_there_is_nothing() -> None:
    async with pane_stage(texts("x" * 1234, "a\u200bb\ud800", "y" * 1_000_001)) as stage:
        await stage.press("y")
        TEXTS.holds("copied: a text", await stage.notice())
        assert stage.app.clipboard == "x" * 1234
        stage.views[1].header.focus()
        await stage.press("y")
        TEXTS.holds("copied: a text with hidden characters", await stage.notice())
        assert stage.app.clipboard == "a\u200bb\\ud800"
        stage.views[2].header.focus()
        await stage.press("y")
        TEXTS.holds("not copied: too long", await stage.notice())
        assert stage.app.clipboard == "a\u200bb\\ud800"
        picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
        await stage.shows(call_of({"content": [picture]}, id=2))
        stage.views[0].header.focus()
        await stage.press("y")
        TEXTS.holds("not copied: no text", await stage.notice())


@pytest.mark.slow
async def test_v_shows_the_next_view_and_w_wraps() -> None:
    async with pane_stage(texts("# Title\n\nwords *and* more", "long " * 60)) as stage:
        view = stage.views[0]
        assert view.body is not None
        await stage.sees("v Plain", "w Wrap")
        assert "[" not in stage.text.split("part 1")[1].split("\n")[0]
        await stage.press("v")
        assert view.body.view == "plain"
        await stage.sees("[plain]", "words *and* more")
        await stage.press("w")
        TEXTS.holds("wrap: off", await stage.notice())
        await stage.press("v", "v")
        assert view.body.view == view.body.views[0]


@pytest.mark.slow
async def test_all_parts_become_plain_and_are_rendered_again() -> None:
    async with pane_stage(texts("# One\n\n*a*", "# Two\n\n*b*")) as stage:
        stage.pane.toggle_plain()
        assert [view.body and view.body.view for view in stage.views] == ["plain", "plain"]
        stage.pane.toggle_plain()
        assert [view.body and view.body.view for view in stage.views] == ["rendered", "rendered"]
        stage.pane.toggle_plain()
        await stage.shows(call_of(texts("# Three\n\n*c*"), id=2))
        assert stage.views[0].body is not None
        assert stage.views[0].body.view == "plain"


@pytest.mark.slow
async def test_keys_of_a_part_work_on_the_first_in_sight_while_none_has_the_focus() -> None:
    async with pane_stage(texts("one", "two")) as stage:
        stage.pane.focus()
        await stage.press("v")
        assert [view.body and view.body.view for view in stage.views] == ["raw", "plain"]
        await stage.press("y")
        TEXTS.holds("copied: the first in sight", await stage.notice())
        await stage.press("s")
        await stage.is_open(SaveScreen)


@pytest.mark.slow
async def test_u_filters_by_audience_and_says_so() -> None:
    async with pane_stage(ANNOTATED) as stage:
        TEXTS.holds("audience: all", stage.audience)
        await stage.press("u")
        await stage.sees("for people", "for anybody")
        TEXTS.holds("audience: the user", stage.audience)
        assert "for models" not in stage.text
        await stage.press("down")
        assert focused(stage) == 2
        stage.views[0].header.focus()
        await stage.press("u")
        await stage.sees("for models")
        TEXTS.holds("audience: the assistant", stage.audience)
        assert "for people" not in stage.text
        assert stage.app.focused is stage.pane
        # The filter stays for the next answer, and says so there.
        await stage.shows(call_of(texts("no audience"), id=2))
        await stage.sees("no audience")
        TEXTS.holds("audience: the next answer", stage.audience)
        await stage.press("u")
        assert "showing" not in stage.text


@pytest.mark.slow
async def test_enter_opens_all_of_it_and_says_where_that_is_all() -> None:
    async with pane_stage({"content": [blob(bytes(5000))]}) as stage:
        await stage.sees("00f0  00 00")
        assert "0100  " not in stage.text
        first = drawn(stage.views[0]).split("\n")[:4]
        TEXTS.holds("part: bytes that are cut", "\n".join(first))
        await stage.press("enter")
        await stage.is_open(HexScreen)
        await stage.sees("5,000 bytes", "x:1")
        await stage.press("end")
        await stage.sees("1380  00 00 00 00 00 00 00 00 ")
        await stage.press("escape")
    short = {"type": "resource_link", "uri": "x:1", "name": "n"}
    async with pane_stage({"content": [short]}) as stage:
        await stage.press("enter")
        TEXTS.holds("full: all is shown already", await stage.notice())


@pytest.mark.slow
async def test_bytes_say_what_they_claim_and_what_they_are() -> None:
    png = b"\x89PNG\r\n\x1a\n" + bytes(9)
    blocks = [blob(png, "application/pdf"), blob(b"# hello\n\nwords"), blob(b"\x00\x01\x02")]
    async with pane_stage({"content": blocks}, size=(120, 40)) as stage:
        bodies = [view.body for view in stage.views]
        assert [isinstance(body, BlobBody) and body.views for body in bodies] == [
            ("image", "hex"),
            ("text", "hex"),
            ("hex",),
        ]
        await stage.sees("0000  00 01 02", "no picture: damaged")
        TEXTS.holds("part: bytes of a picture that claim another type", drawn(stage.views[0]))
        TEXTS.holds("part: bytes of a text", drawn(stage.views[1]))
        TEXTS.holds("part: bytes of an unknown format", drawn(stage.views[2]))
        stage.views[1].header.focus()
        await stage.press("v")
        await stage.sees("0000  23 20 68 65")
        await stage.press("v")
        await stage.sees("words")
        await stage.press("y")
        TEXTS.holds("copied: text of bytes", await stage.notice())


async def test_what_is_not_understood_is_shown_with_its_reason() -> None:
    broken = {"type": "resource", "resource": {"uri": "x:", "blob": "*** not base64 ***"}}
    async with pane_stage({"content": [broken]}) as stage:
        await stage.sees("base64")
        TEXTS.holds("part: bytes that are not base64", drawn(stage.views[0]))
        await stage.press("enter")
        await stage.is_open(HexScreen)
        await stage.sees("base64")
    async with pane_stage({"content": [{"type": "hologram", "depth": 3}]}) as stage:
        await stage.sees('"depth": 3')
        TEXTS.holds("part: unknown type", drawn(stage.views[0]))
        await stage.press("y")
        TEXTS.holds("copied: raw JSON", await stage.notice())
        assert json.loads(stage.app.clipboard) == {"type": "hologram", "depth": 3}


async def test_a_link_is_followed_by_o_and_never_by_x() -> None:
    link = {"type": "resource_link", "uri": "https://example.org/", "name": "n"}
    async with pane_stage({"content": [link]}) as stage:
        await stage.sees("o Open the link")
        assert "x Open outside" not in stage.text
        assert isinstance(stage.views[0].body, LinkBody)
        await stage.press("x")
        TEXTS.holds("not opened: a link", await stage.notice())
        await stage.press("o")
        await stage.until(lambda: stage.app.followed == ["https://example.org/"], "the wish")


async def test_raw_answers_late_ones_and_data_of_errors_are_parts_too() -> None:
    async with pane_stage() as stage:
        await stage.shows(call_of(["no", "answer"], outcome=Outcome.UNREADABLE))
        await stage.sees('"no",')
        TEXTS.holds("part: raw answer", drawn(stage.views[0]))
        late: Any = {"content": [{"type": "text", "text": "late"}]}
        await stage.shows(call_of(None, id=2, outcome=Outcome.CANCELLED, late=late))
        await stage.sees('"text": "late"')
        TEXTS.holds("part: late response", drawn(stage.views[0]))


async def test_an_answer_too_large_shows_its_beginning() -> None:
    head = b'{"result":{"content":[{"type":"text","text":"the beginning of it'
    message = Oversized(100_000_000, 100_000_000, head, lambda: iter([head]))
    async with pane_stage() as stage:
        await stage.shows(call_of(None, oversized=message))
        await stage.sees("the beginning of it")
        assert "enter Open  " not in stage.text
        TEXTS.holds("part: too large, its beginning", drawn(stage.views[0]))


async def test_what_is_too_large_is_saved_whole_from_its_full_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    head = b'{"result":{"content":[{"type":"text","text":"the beginning'
    rest = b' and the end"}]}}'
    message = Oversized(len(head + rest), len(head + rest), head, lambda: iter([head, rest]))
    async with pane_stage() as stage:
        await stage.shows(call_of(None, oversized=message))
        stage.views[0].header.focus()
        await stage.press("enter")
        await stage.is_open(ReaderScreen)
        await stage.press("y")
        TEXTS.holds("copied: the beginning", await stage.notice())
        await stage.press("s")
        await stage.is_open(SaveScreen)
        await stage.name("whole.json")
        TEXTS.holds("saved: too large to be shown", await stage.notice(), FOLDER=tmp_path)
        assert (tmp_path / "whole.json").read_bytes() == head + rest
