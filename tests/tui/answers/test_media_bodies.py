"""Pictures and sounds of an answer, from the bytes as a server sends them to what is drawn."""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from textual.containers import Vertical
from textual.widgets import Static

from signoff.app.demo.content import scene, tone
from signoff.app.tui.answers.audio import AudioBody, PlayDialog
from signoff.app.tui.answers.image import (
    STEPS,
    Box,
    ImageBody,
    ImageScreen,
    Zoom,
    crop_of,
    panned,
    scale_of,
    stepped,
    svg_body,
)
from signoff.widgets.images.image_view import ImageView
from tests.approved import approved
from tests.content.sounds import mp3
from tests.tui.answer_stage import BodyStage, body_stage
from tests.tui.clocks import press_slowly

TEXTS = approved("tui-media")
SVG_TEXT = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="40"><rect/></svg>'


def sizeless(words: str) -> str:
    """Words without the size in bytes, which depends on the library that made the picture."""
    return re.sub(r"\b[\d.]+ k?B\b", "SIZE", words)


def encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def below(stage: BodyStage[Any]) -> str:
    """The words below the picture of a sound, however they are folded."""
    return " ".join(f"peak{stage.text.partition('peak')[2]}".split())


def around(stage: BodyStage[Any]) -> str:
    """The rows without cells of a picture, and not empty."""
    rows = (row.strip("│ ") for row in stage.rows)
    return "\n".join(row for row in rows if row and not set("▀▄") & set(row))


def moving(count: int = 3) -> str:
    frames = [Image.new("RGB", (8, 8), (80 * n, 0, 0)) for n in range(count)]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=60, loop=0)
    return encoded(file.getvalue())


async def test_a_picture_is_drawn_and_described() -> None:
    body = ImageBody(scene(320, 200).data, "image/jpeg")
    TEXTS.holds("picture: claims another type", sizeless(body.words))
    assert body.copied() is None
    async with body_stage(body) as stage:
        await stage.sees("▀" * 38)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (encoded(b"hello"), "no picture: unknown"),
        ("no base64!", "no picture: not base64"),
        ("", "no picture: empty"),
        (scene(640, 400).data[:2_000], "no picture: truncated"),
        (
            encoded(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\0\0\0\1\0\0\x08\2\0\0\0"),
            "no picture: the head of one",
        ),
    ],
)
async def test_why_there_is_no_picture(data: str, key: str) -> None:
    async with body_stage(ImageBody(data, "image/png")) as stage:
        await stage.sees("no picture: ")
        TEXTS.holds(key, stage.text)


async def test_a_moving_picture_moves_on_request_only_and_a_still_one_does_not() -> None:
    body = ImageBody(scene(64, 64).data, "image/png")
    async with body_stage(body) as stage:
        await stage.sees("▀" * 8)
        await body.run_action("animate")
        await stage.pilot.pause()
        assert not body.query_one(ImageView).is_playing
    body = ImageBody(moving(), "image/gif")
    TEXTS.holds("picture: moving", sizeless(body.words))
    async with body_stage(body) as stage:
        await stage.sees("▀▀▀▀▀▀▀▀")
        view = body.query_one(ImageView)
        assert not view.is_playing
        await stage.press("tab", "p")
        await stage.until(lambda: view.is_playing)
        await stage.press("p")
        assert not view.is_playing
        await stage.press("p")
        await stage.until(lambda: view.is_playing)
        await body.remove()
        assert not view.is_playing


async def test_an_svg_is_text_with_the_size_it_claims() -> None:
    body = ImageBody(encoded(SVG_TEXT.encode()), "image/svg+xml")
    TEXTS.holds("picture: an SVG", body.words)
    copied = body.copied()
    assert copied is not None
    assert copied.text == SVG_TEXT
    assert body.full() is not None
    assert svg_body(SVG_TEXT).words == body.words
    async with body_stage(body) as stage:
        await stage.sees('width="64"')
    claiming = ImageBody(encoded(SVG_TEXT.encode()), "image/png")
    TEXTS.holds("picture: an SVG that claims another type", claiming.words)


@asynccontextmanager
async def in_full(data: str, mime: str = "image/png") -> AsyncIterator[BodyStage[ImageBody]]:
    body = ImageBody(data, mime)
    async with body_stage(body) as stage:
        screen = body.full()
        assert isinstance(screen, ImageScreen)
        stage.app.push_screen(screen)
        yield stage


async def test_the_full_screen_fits_zooms_and_moves() -> None:
    async with in_full(scene(640, 400).data) as stage:
        await stage.sees("640 x 400", "fitted at 11 %", "esc Close")
        fitted = stage.text
        await stage.press("plus")
        await stage.sees("shown at 12 %")
        await stage.press("1")
        await stage.sees("shown at 100 %", "▀" * 78)
        whole = stage.app.screen._compositor.render_strips()
        await stage.press("right", "right", "down")
        await stage.until(lambda: stage.app.screen._compositor.render_strips() != whole)
        await stage.press("0")
        await stage.until(lambda: stage.text == fitted)
        await stage.press(*["plus"] * 6)
        await stage.sees("shown at 400 %")
        await stage.press(*["minus"] * 9)
        await stage.sees("fitted at 11 %")
        await stage.press("escape")
        assert not isinstance(stage.app.screen, ImageScreen)


async def test_what_is_wrong_with_the_type_is_seen_beside_the_size() -> None:
    async with in_full(scene(640, 400).data, "image/jpeg") as stage:
        await stage.sees("WARNING", "640 x 400", "fitted at 10 %", "esc Close")
        key = "screen: a picture that claims another type"
        TEXTS.holds(key, sizeless(around(stage)))


async def test_a_moving_picture_plays_in_the_full_screen_until_it_is_left() -> None:
    async with in_full(moving(), "image/gif") as stage:
        await stage.sees("fitted at 100 %", "p Play")
        await stage.press("plus")
        await stage.sees("shown at 200 %")
        view = stage.app.screen.query_one(ImageView)
        await stage.press("p")
        await stage.until(lambda: view.is_playing)
        await stage.sees("fitted at 100 %")
        await stage.press("escape")
        await stage.until(lambda: not view.is_playing)


@pytest.mark.slow
async def test_the_full_screen_says_why_there_is_no_picture() -> None:
    async with in_full(encoded(b"hello")) as stage:
        await stage.sees("no picture: ", "s Save")
        before = stage.text
        TEXTS.holds("screen: no picture", around(stage))
        await stage.press("plus", "right", "1", "p")
        await stage.sees("no picture: ")
        assert stage.text == before


async def test_a_sound_is_described_and_drawn() -> None:
    body = AudioBody(encoded(tone(440, 0.5)), "audio/wav")
    TEXTS.holds("sound: header", body.words)
    async with body_stage(body) as stage:
        await stage.sees("██▇", "peak -2.2 dB")
        TEXTS.holds("sound: not played yet", below(stage))


async def test_what_is_not_drawn_has_no_waveform() -> None:
    async with body_stage(AudioBody(encoded(mp3()), "audio/mpeg")) as stage:
        await stage.sees("p plays it")
        assert "█" not in stage.text
    async with body_stage(AudioBody(encoded(b"hello"), "audio/wav")) as stage:
        await stage.pilot.pause()
        assert stage.text.strip() == ""


@pytest.fixture
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A player of this name that plays until it is told to stop; where it reports its number."""
    program = tmp_path / "bin" / "aplay"
    program.parent.mkdir()
    report = tmp_path / "report"
    script = (
        f"#!/bin/sh\necho $$ > {report}.new; /bin/mv {report}.new {report}; exec /bin/sleep 300\n"
    )
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    return report


async def agree(stage: BodyStage[Any]) -> None:
    dialog = await stage.asks(PlayDialog)
    await press_slowly(stage, "tab", "enter")
    await stage.has_left(dialog)


async def refuse(stage: BodyStage[Any], key: str) -> None:
    dialog = await stage.asks(PlayDialog)
    await stage.press(key)
    await stage.has_left(dialog)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@pytest.mark.slow
async def test_a_sound_is_played_after_asking_once(player: Path) -> None:
    body = AudioBody(encoded(tone(440, 0.2)), "audio/wav")
    async with body_stage(body) as stage:
        await stage.sees("peak")
        await stage.press("tab", "p")
        await stage.sees("Play", "audio  WAV", "program")
        dialog = stage.app.screen
        sheet = dialog.query_one(".sheet", Static).render()
        words = f"{dialog.query_one(Vertical).border_title}\n{sheet}"
        TEXTS.holds("question: play", words, PROGRAM=player.parent / "bin" / "aplay")
        assert not player.exists()
        await agree(stage)
        await stage.until(player.exists)
        await stage.sees("playing with aplay, p stops")
        first = int(player.read_text(encoding="utf-8"))
        assert is_running(first)
        await stage.press("p")
        await stage.until(lambda: not is_running(first))
        player.unlink()
        await stage.press("p")
        await stage.until(player.exists)
        second = int(player.read_text(encoding="utf-8"))
        await body.remove()
        await stage.until(lambda: not is_running(second))


async def test_nothing_is_started_when_the_answer_is_no(player: Path) -> None:
    async with body_stage(AudioBody(encoded(tone(440, 0.2)), "audio/wav")) as stage:
        await stage.sees("peak")
        for key in ("escape", "enter"):
            await stage.press("tab", "p")
            await refuse(stage, key)
        await stage.sees("p plays it")
        assert not player.exists()


async def test_without_a_player_those_that_would_do_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with body_stage(AudioBody(encoded(tone(440, 0.2)), "audio/wav")) as stage:
        await stage.sees("peak")
        await stage.press("tab", "p")
        await stage.sees("ffplay")
        TEXTS.holds("sound: no player", below(stage))


@pytest.mark.slow
async def test_a_player_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "aplay"
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    async with body_stage(AudioBody(encoded(tone(440, 0.2)), "audio/wav")) as stage:
        await stage.sees("peak")
        await stage.press("tab", "p")
        await agree(stage)
        await stage.sees("status 3")
        TEXTS.holds("sound: a player that fails", below(stage))


sides = st.integers(1, 10_000)
rooms = st.integers(1, 2_000)
boxes = st.builds(Box, sides, sides, rooms, rooms)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("zoom"), st.sampled_from([-1, 1]), st.just(0)),
        st.tuples(st.just("pan"), st.integers(-1, 1), st.integers(-1, 1)),
    ),
    max_size=20,
)


@given(box=boxes, moves=moves)
def test_whatever_is_pressed_a_piece_of_the_picture_is_seen(
    box: Box, moves: list[tuple[str, int, int]]
) -> None:
    zoom = Zoom()
    for kind, one, other in moves:
        zoom = stepped(zoom, box, one) if kind == "zoom" else panned(zoom, box, one, other)
        crop = crop_of(zoom, box)
        assert crop.left >= 0
        assert crop.top >= 0
        assert crop.left + crop.width <= box.width
        assert crop.top + crop.height <= box.height
        assert crop.width >= 1
        assert crop.height >= 1
        assert 1 <= crop.drawn_width <= box.room_width
        assert 1 <= crop.drawn_height <= box.room_height


def test_a_small_picture_is_not_enlarged_by_fitting() -> None:
    assert Box(10, 10, 80, 40).fitting == 1
    assert Box(160, 40, 80, 40).fitting == 0.5


def test_steps_go_up_to_the_last_and_down_to_fitting() -> None:
    box = Box(1_000, 1_000, 300, 300)
    zoom = stepped(Zoom(), box, 1)
    assert zoom.scale == 0.5
    for _ in range(20):
        zoom = stepped(zoom, box, 1)
    assert zoom.scale == STEPS[-1]
    for _ in range(20):
        zoom = stepped(zoom, box, -1)
    assert zoom == Zoom()
    assert scale_of(zoom, box) == 0.3


def test_moving_stops_at_the_edge() -> None:
    box = Box(1_000, 1_000, 100, 100)
    zoom = Zoom(1.0)
    for _ in range(100):
        zoom = panned(zoom, box, 1, -1)
    crop = crop_of(zoom, box)
    assert (crop.left, crop.top, crop.width, crop.height) == (900, 0, 100, 100)


def test_a_step_aside_keeps_most_of_what_is_seen() -> None:
    box = Box(1_000, 1_000, 100, 100)
    assert crop_of(Zoom(1.0), box).left == 450
    assert crop_of(panned(Zoom(1.0), box, 1, 0), box).left == 475
