"""The response pane at length: full screens, many parts, what is left as it was, hostile words."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from signoff.app.content.json.jsonio import JsonValue
from signoff.app.demo.content import scene
from signoff.app.protocol.requests import ToolCall
from signoff.app.schemas.schema import Mismatch, SchemaAnswer, SchemaVerdict, judge
from signoff.app.tui.answers.blob import HexScreen
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.answers.image import ImageScreen
from signoff.app.tui.answers.reader import ReaderScreen
from signoff.app.tui.answers.structured_screen import StructuredScreen
from signoff.widgets.json_tree.errors import ErrorList
from signoff.widgets.json_tree.tree import JsonTree
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.answer_stage import PaneStage, blob, call_of, pane_stage, said, texts
from tests.tui.drawn import drawn
from tests.widgets.hostile import PAYLOADS, assert_harmless

TEXTS = approved("tui-answers")
BYTES = bytes(range(256)) * 2
PICTURE = scene(64, 40).data


@pytest.mark.slow
@pytest.mark.parametrize(
    ("result", "whole", "name", "data"),
    [
        (
            {"content": [], "structuredContent": {"a": "\udc00"}},
            *(StructuredScreen, "structured.json", b'{\n  "a": "\\udc00"\n}\n'),
        ),
        ({"content": [blob(BYTES)]}, HexScreen, "part-01.bin", BYTES),
        (texts("plain"), ReaderScreen, "part-01.txt", b"plain"),
        (
            {"content": [{"type": "image", "data": PICTURE, "mimeType": "image/jpeg"}]},
            *(ImageScreen, "part-01.png", base64.b64decode(PICTURE)),
        ),
        (
            {"content": [{"type": "hologram"}]},
            *(ReaderScreen, "part-01.json", b'{\n  "type": "hologram"\n}\n'),
        ),
    ],
)
async def test_the_full_screen_saves_the_part_as_its_header_does(
    result: Any,
    whole: type[Screen[Any]],
    name: str,
    data: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    async with pane_stage(result) as stage:
        await stage.press("enter")
        await stage.is_open(whole)
        await stage.press("s")
        await stage.is_open(SaveScreen)
        await stage.sees(f"./signoff-response-1-parts-{name}")
        await stage.press("enter")
        await stage.told("saved ")
        assert (tmp_path / f"signoff-response-1-parts-{name}").read_bytes() == data


@pytest.mark.slow
async def test_all_errors_open_on_the_full_screen_which_saves_like_the_header() -> None:
    value: JsonValue = list(range(20))
    verdict = judge({"items": {"type": "string"}}, value)
    async with pane_stage() as stage:
        await stage.shows(call_of({"content": [], "structuredContent": value}, schema=verdict))
        stage.app.screen.query_one(ErrorList).focus()
        await stage.press("end", "enter")
        await stage.is_open(StructuredScreen)
        await stage.press("s")
        await stage.is_open(SaveScreen)
        await stage.sees("Save structuredContent", "./signoff-response-1-parts-structured.json")


@pytest.mark.slow
async def test_folds_and_views_are_as_they_were_after_another_call() -> None:
    async with pane_stage(texts("# One\n\n*a*", "two")) as stage:
        await stage.press("v", "down", "space")
        await stage.until(lambda: "┃ two" not in stage.text, "the fold")
        first = stage.pane.call
        assert first is not None
        await stage.shows(call_of(texts("three", "four"), id=2))
        assert not any(view.is_folded for view in stage.views)
        await stage.shows(first)
        await stage.sees("[plain]", "▸ part 2 of 2")
        assert "┃ two" not in stage.text
        stage.views[1].header.focus()
        await stage.press("space")
        await stage.sees("┃ two")


@pytest.mark.slow
async def test_g_goes_to_the_top_and_the_end_as_in_the_reader() -> None:
    async with pane_stage(texts(*(f"text {n}\nline" for n in range(30)))) as stage:
        await stage.press("G")
        await stage.rests()
        assert "text 29" in stage.text
        await stage.press("g")
        await stage.rests()
        assert "text 0" in stage.text


@pytest.mark.slow
async def test_only_what_works_is_offered() -> None:
    link = {"type": "resource_link", "uri": "x:1", "name": "one"}
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    sound = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
    table = {"type": "text", "text": '[{"a": 1, "b": 2}]'}
    async with pane_stage({"content": [link, picture, sound, table]}) as stage:
        await stage.sees("o Open the link")
        assert "enter Open" not in stage.text
        TEXTS.holds("keys: of a link", stage.keys)
        await stage.press("down")
        await stage.sees("enter Open")
        TEXTS.holds("keys: of a picture", stage.keys)
        await stage.press("down")
        await stage.until(lambda: "enter Open" not in stage.text, "the sound")
        TEXTS.holds("keys: of a sound", stage.keys)
        await stage.press("down")
        await stage.sees("v Table")
        TEXTS.holds("keys: of a table", stage.keys)
        await stage.press("v", "v")
        await stage.sees("w Wrap")


async def test_a_part_that_is_alone_is_not_counted_and_others_say_their_keys() -> None:
    async with pane_stage(texts("one")) as stage:
        TEXTS.holds("header: a part that is alone", stage.header(0))
        await stage.press("y")
        TEXTS.holds("copied: the only part", await stage.notice())
        await stage.shows(call_of(texts("one", "two"), id=2))
        stage.views[1].header.focus()
        await stage.sees("enter Open")


async def test_e_leads_to_the_errors_from_the_header() -> None:
    schema: JsonValue = {"properties": {"a": {"type": "integer"}}, "required": ["b"]}
    errors = (
        Mismatch(("b",), "required, but missing", ("required",), "required"),
        Mismatch(("a",), "is no integer", ("properties", "a", "type"), "type"),
    )
    call = call_of({"content": [], "structuredContent": {"a": "x"}})
    request = ToolCall(replace(call.request.definition, output_schema=schema))
    async with pane_stage() as stage:
        await stage.shows(
            replace(call, request=request, schema=SchemaVerdict(SchemaAnswer.INVALID, errors))
        )
        stage.views[0].header.focus()
        await stage.sees("f Next error")
        TEXTS.holds("part: structured content with errors", drawn(stage.views[0]))
        assert stage.text.count("$.a must be an integer") == 1
        await stage.press("f")
        tree = stage.views[0].query_one(JsonTree)
        assert stage.app.focused is tree
        assert tree.path == ("a",)
        await stage.press("f")
        assert tree.path == ("b",)


async def test_a_withheld_answer_shows_nothing() -> None:
    async with pane_stage() as stage:
        await stage.shows(call_of(None, withheld=True))
        assert not stage.views
        TEXTS.holds("pane: withheld", drawn(stage.pane))
        stage.pane.focus()
        await stage.press("y", "s", "x", "v", "w", "enter", "u")
        await stage.press("S")
        TEXTS.holds("not saved: no response", await stage.notice())


@pytest.mark.slow
async def test_many_parts_cost_a_header_each_until_they_are_seen() -> None:
    async with pane_stage(texts(*(f"text {n}\nline\nline" for n in range(130)))) as stage:
        assert len(stage.views) == 100
        assert stage.made[0] == 0
        assert len(stage.made) <= 8
        stage.pane.focus()
        await stage.press("end")
        await stage.rests()
        await stage.sees("text 99")
        TEXTS.holds("pane: the end of many parts", "\n".join(drawn(stage.pane).split("\n")[-5:]))
        assert 50 not in stage.made
        top = stage.pane.scroll_y
        # Going up, what is below stays where it is while the bodies above are made.
        for _ in range(3):
            await stage.press("pageup")
            await stage.rests()
        assert stage.pane.scroll_y < top
        seen = [int(line.split("text ")[-1].split()[0]) for line in _rows(stage, "┃ text ")]
        assert seen == list(range(seen[0], seen[0] + len(seen)))


@pytest.mark.slow
async def test_a_folded_part_is_not_made_when_it_comes_into_sight() -> None:
    async with pane_stage(texts(*(f"text {n}\n" * 30 for n in range(4)))) as stage:
        last = stage.views[3]
        last.header.focus(scroll_visible=False)
        assert last.body is None
        await stage.press("space")
        stage.pane.focus()
        await stage.press("end")
        await stage.rests()
        assert last.body is None
        last.header.focus()
        await stage.press("space")
        await stage.until(lambda: last.body is not None, "the body")


@pytest.mark.slow
async def test_the_place_stays_while_the_same_call_is_drawn_again() -> None:
    call = call_of(
        {**texts(*(f"text {n}\n" * 30 for n in range(3))), "structuredContent": {"a": 1}}
    )
    async with pane_stage() as stage:
        await stage.shows(call)
        stage.pane.scroll_to(y=25, animate=False)
        await stage.rests()
        bodies = [view.body for view in stage.views]
        assert stage.pane.scroll_y == 25
        await stage.shows(replace(call, schema=SchemaVerdict(SchemaAnswer.VALID, ())))
        assert stage.pane.scroll_y == 25
        assert [view.body for view in stage.views][1:] == bodies[1:]
        assert stage.views[0].body is not bodies[0]
        await stage.shows(call_of(texts("another"), id=2))
        assert stage.pane.scroll_y == 0


def hostile(payload: str) -> Any:
    """An answer that says the payload wherever it can."""
    annotations = said(audience=[payload, "user"], priority=0.1, lastModified=payload)
    blocks: list[Any] = [
        {"type": "text", "text": payload, **annotations},
        {**blob(b"\x00\x01", payload, payload), **annotations},
        {"type": "resource", "resource": {"uri": payload, "mimeType": payload, "text": payload}},
        {"type": "resource_link", "uri": payload, "name": payload, "mimeType": payload},
        {"type": "image", "data": payload, "mimeType": payload},
        {"type": "audio", "data": payload, "mimeType": payload},
        {"type": payload, "x": payload},
    ]
    return {"content": blocks, "structuredContent": {payload: payload}}


@pytest.mark.parametrize("payloads", first_quick([PAYLOADS[::4], PAYLOADS]), ids=["some", "all"])
async def test_hostile_strings_are_shown_and_do_nothing(
    tmp_path: Path, payloads: Sequence[str]
) -> None:
    async with pane_stage(size=(120, 60)) as stage:
        for number, payload in enumerate(payloads, 1):
            call = call_of(hostile(payload), id=number, tool=payload)
            stage.pane.show(call)
            await stage.until(partial(_is_drawn, stage, number), "the parts")
            for view in stage.views:
                await view.make_body()
            await stage.pilot.pause()
            assert_harmless(stage.app.screen._compositor.render_strips())
        stage.views[0].header.focus()
        await stage.press("S")
        await stage.is_open(SaveScreen)
        await stage.name(tmp_path / "all")
        await stage.notice()
        assert {one.name.split(".")[0] for one in (tmp_path / "all").iterdir()} == {
            *(f"part-{number:02d}" for number in range(1, 8)),
            *("structured", "raw-result", "manifest"),
        }


def _is_drawn(stage: PaneStage, number: int) -> bool:
    return stage.pane.drawn == number


def _rows(stage: PaneStage, words: str) -> list[str]:
    return [row for row in stage.text.split("\n") if words in row]
