"""What leaves the answer pane: files, folders, and other programs, each asked about first."""

from __future__ import annotations

import base64
import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from signoff.app.tui.answers.exporting import SaveScreen, ViewerDialog, look_at
from tests.approved import approved
from tests.tiers import first_quick
from tests.tui.answer_stage import PaneStage, pane_stage, texts
from tests.tui.clocks import arm, press_slowly

TEXTS = approved("tui-saving")
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()


def image(data: str = PNG, mime: str = "image/png") -> dict[str, Any]:
    return {"content": [{"type": "image", "data": data, "mimeType": mime}]}


def bytes_of(data: bytes, mime: str) -> dict[str, Any]:
    return image(base64.b64encode(data).decode(), mime)


async def asks_where(stage: PaneStage) -> None:
    await stage.is_open(SaveScreen)
    await stage.pilot.pause()


def suggestion(stage: PaneStage) -> str:
    return stage.app.screen.query_one(Input).value


def question(stage: PaneStage) -> str:
    """The question where to save, with its title and without the place."""
    box = stage.app.screen.query_one(Vertical)
    lines = [str(one.render()) for one in stage.app.screen.query(Static)]
    keys = Content.from_markup(box.border_subtitle or "").plain
    return "\n".join([str(box.border_title), *lines, keys])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, where relative names lead."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


async def test_s_saves_one_part_under_the_suggested_name(here: Path) -> None:
    async with pane_stage(texts("one", '{"a": 1}')) as stage:
        await stage.press("down", "s")
        await asks_where(stage)
        assert suggestion(stage) == "./signoff-response-1-parts-part-02.json"
        TEXTS.holds("question: one part", question(stage), FOLDER=here)
        await stage.press("enter")
        TEXTS.holds("saved: one part", await stage.notice(), FOLDER=here)
        assert (here / "signoff-response-1-parts-part-02.json").read_text() == '{"a": 1}'
        assert stage.app.focused is stage.views[1].header


async def test_what_is_there_is_replaced_only_after_asking(here: Path) -> None:
    (here / "mine").write_text("mine")
    async with pane_stage(texts("one")) as stage:
        await stage.press("s")
        await asks_where(stage)
        await stage.name("mine")
        await stage.sees("enter: replace it")
        TEXTS.holds("question: a file with this name", question(stage), FOLDER=here)
        assert (here / "mine").read_text() == "mine"
        # Another name is another question.
        await stage.name("mine2")
        TEXTS.holds("saved: the only part", await stage.notice(), FOLDER=here)
        assert (here / "mine").read_text() == "mine"
        await stage.press("s")
        await asks_where(stage)
        await stage.name("mine")
        await stage.sees("enter: replace it")
        await stage.press("enter")
        await stage.until(lambda: (here / "mine").read_text() == "one", "the replacement")


async def test_escape_writes_nothing(here: Path) -> None:
    async with pane_stage(texts("one")) as stage:
        for key in ("s", "S"):
            await stage.press(key)
            await asks_where(stage)
            await stage.press("escape")
            await stage.has_left(SaveScreen)
        assert not list(here.iterdir())


async def test_capital_s_saves_all_with_a_manifest(here: Path) -> None:
    async with pane_stage({**texts("one", "two"), "structuredContent": {"a": 1}}) as stage:
        await stage.press("S")
        await asks_where(stage)
        assert suggestion(stage) == "./signoff-response-1-parts"
        TEXTS.holds("question: all", question(stage), FOLDER=here)
        await stage.press("enter")
        words = re.sub("5 files, .* in", "5 files, SIZE in", await stage.notice())
        TEXTS.holds("saved: all", words, FOLDER=here)
        folder = here / "signoff-response-1-parts"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["server"] == "the server"
        assert manifest["tool"] == "parts"
        assert manifest["outcome"] == "answered"
        assert manifest["ended"].endswith("+00:00")
        # The same name again: asked first.
        await stage.press("S")
        await asks_where(stage)
        await stage.press("enter")
        await stage.sees("enter: write into it")
        TEXTS.holds("question: a folder that is not empty", question(stage), FOLDER=here)
        await stage.press("enter")
        await stage.until(lambda: len(stage.notices) == 2, "another notice")


async def test_what_cannot_be_written_is_said_and_another_place_may_be_tried(here: Path) -> None:
    async with pane_stage(texts("one")) as stage:
        await stage.press("S")
        await asks_where(stage)
        await stage.name(here / "none" / "folder")
        # Only a second enter would make the folder: another name is another question.
        await stage.sees("enter: create")
        TEXTS.holds("question: no such folder", question(stage), FOLDER=here)
        assert not list(here.iterdir())
        await stage.name(here / "folder")
        assert "saved response 1" in await stage.notice()
        assert [one.name for one in here.iterdir()] == ["folder"]


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop whose opener writes down what it was told to open."""
    place = tmp_path / "bin"
    place.mkdir()
    opened = tmp_path / "opened"
    opener = place / "xdg-open"
    opener.write_text(f'#!/bin/sh\ncp "$1" "{opened}.new" && mv "{opened}.new" "{opened}"\n')
    opener.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("sys.platform", "linux")
    return opened


async def asks_to_open(stage: PaneStage) -> ViewerDialog:
    return await stage.asks(ViewerDialog)


@pytest.mark.slow
async def test_x_names_file_program_and_type_and_opens_after_a_press_that_is_meant(
    desktop: Path,
) -> None:
    async with pane_stage(image()) as stage:
        await stage.press("x")
        dialog = await asks_to_open(stage)
        assert dialog.focused is dialog.leave
        sheet = str(dialog.query(Static).first().render())
        (program,) = re.findall("program  (.*)", sheet)
        assert program == str(desktop.parent / "bin" / "xdg-open")
        (file,) = re.findall("file     (.*)/answer-1-part-01.png", sheet)
        TEXTS.holds("open: a picture", sheet, FOLDER=file, PROGRAM=program)
        await press_slowly(stage, "tab", "enter")
        await stage.until(desktop.exists, "the viewer")
        assert desktop.read_bytes() == base64.b64decode(PNG)
        TEXTS.holds("opened: a picture", await stage.notice())


@pytest.mark.parametrize("key", first_quick(["enter", "escape", "space"]))
async def test_the_first_key_in_the_dialog_opens_nothing(desktop: Path, key: str) -> None:
    async with pane_stage(image()) as stage:
        await stage.press("x")
        await asks_to_open(stage)
        await stage.press(key)
        await stage.has_left(ViewerDialog)
        assert not desktop.exists()
        assert not stage.notices


async def test_a_hurried_press_opens_nothing(desktop: Path) -> None:
    async with pane_stage(image()) as stage:
        await stage.press("x")
        dialog = await asks_to_open(stage)
        await stage.press("tab", "enter")
        await stage.sees("that key came too soon")
        assert stage.app.screen is dialog
        assert not desktop.exists()


@pytest.mark.slow
async def test_what_is_risky_is_asked_twice(desktop: Path) -> None:
    async with pane_stage(bytes_of(b"%PDF-1.7", "image/png")) as stage:
        await stage.press("x")
        dialog = await asks_to_open(stage)
        await stage.sees("▲")
        sheet = str(dialog.query(Static).first().render())
        TEXTS.holds("open: a file that may act", "\n".join(re.findall("▲.*", sheet)))
        await press_slowly(stage, "tab", "enter")
        await stage.sees("Open it anyway?")
        assert dialog.focused is dialog.leave
        assert not desktop.exists()
        await arm(stage, dialog)
        await press_slowly(stage, "tab", "enter")
        await stage.until(desktop.exists, "the viewer")


@pytest.mark.parametrize(
    ("data", "key"),
    first_quick(
        [
            (b"\x7fELF\x02", "not opened: a program"),
            (b"#!/bin/sh", "not opened: a script"),
            (b"<html><script>", "not opened: a web page"),
            (b"<svg xmlns='x'>", "not opened: an SVG"),
            (b"\x00\x01\x02", "not opened: an unknown type"),
        ],
        2,
        several=True,
    ),
)
async def test_what_may_run_is_refused(desktop: Path, data: bytes, key: str) -> None:
    async with pane_stage(bytes_of(data, "image/png")) as stage:
        await stage.press("x")
        TEXTS.holds(key, await stage.notice())
        assert not isinstance(stage.app.screen, ViewerDialog)


async def test_without_a_desktop_nothing_is_opened(
    desktop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    async with pane_stage(image()) as stage:
        await stage.press("x")
        TEXTS.holds("not opened: no desktop", await stage.notice())


async def test_markup_in_text_is_refused_and_plain_text_is_a_txt(desktop: Path) -> None:
    async with pane_stage(texts("<html>x", "import os")) as stage:
        await stage.press("x")
        TEXTS.holds("not opened: a text that is a web page", await stage.notice())
        await stage.press("down", "x")
        await asks_to_open(stage)
        await stage.sees("text/plain", "answer-1-part-02.txt")


@pytest.mark.parametrize(
    "head",
    [
        b"\x7fELF\x02",
        b"MZ\x90",
        b"\xcf\xfa\xed\xfe",
        b"#!/bin/sh",
        b"[Desktop Entry]\nExec=x",
        b"L\x00\x00\x00\x01\x14\x02\x00",
        b"<html>",
        b"<svg onload='x'>",
        b"<?xml version='1.0'?><html xmlns='x'>",
        b"%!PS",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"\xca\xfe\xba\xbe",
        b"SQLite format 3\x00",
        b"\x00\x01\x02\x03",
    ],
)
@pytest.mark.parametrize("claimed", ["", "image/png", "text/plain"])
def test_what_may_run_or_is_not_known_is_refused(head: bytes, claimed: str) -> None:
    assert look_at(head, claimed).refusal


def test_pictures_and_sounds_are_asked_about() -> None:
    found = look_at(b"\x89PNG\r\n\x1a\n", "image/png")
    assert (found.found, found.suffix) == ("image/png", ".png")
    assert not found.refusal
    assert not found.warning
    assert not found.disagreement


def test_the_bytes_decide_and_the_claim_is_told() -> None:
    found = look_at(b"\x89PNG\r\n\x1a\n", "application/x-sh")
    assert found.suffix == ".png"
    approved("tui-saving").holds("open: another type than claimed", found.disagreement)


def test_what_is_risky_takes_a_second_look() -> None:
    assert "scripts" in look_at(b"%PDF-1.7", "application/pdf").warning


@pytest.mark.parametrize("claimed", ["text/html", "application/x-sh", "text/csv", "", "text/x-py"])
def test_text_is_opened_as_plain_text_whatever_it_claims(claimed: str) -> None:
    found = look_at(b"import os", claimed)
    assert (found.found, found.suffix, found.refusal) == ("text/plain", ".txt", "")
