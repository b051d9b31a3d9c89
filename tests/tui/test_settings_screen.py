"""The settings that last, on the screen: what begins with them, and what is kept from it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from textual.command import CommandPalette
from textual.containers import Vertical
from textual.widgets import Input, Static

from signoff.app.calls.answer_files import free_place
from signoff.app.engine.engine import Engine
from signoff.app.features.matrix.screen import MatrixScreen
from signoff.app.storage.settings.reading import read_settings
from signoff.app.storage.settings.values import Settings
from signoff.app.tui.answers.exporting import SaveScreen
from signoff.app.tui.approving.approval import ApprovalDialog
from signoff.app.tui.base.window import TooSmallScreen
from signoff.app.tui.startup import AppConfig
from signoff.widgets.matrix.grid import MatrixGrid
from tests.approved import approved
from tests.tui.bench_stage import BenchStage, bench_stage
from tests.tui.clocks import arm
from tests.tui.gallery import ORDER
from tests.tui.regions import frame, notices, whole

PROSE = approved("tui-settings")


def settings_of(text: str) -> Settings:
    return read_settings(text, "/home/me/config.toml", "config.toml", {})


Opened: TypeAlias = Callable[..., AbstractAsyncContextManager[BenchStage]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A start with settings; `is_demo`: on the bundled server, which has many tools."""
    make = AppConfig.of

    @asynccontextmanager
    async def begin(text: str, *, is_demo: bool = False) -> AsyncIterator[BenchStage]:
        settings = settings_of(text)

        def with_settings(engine: Engine) -> AppConfig:
            opening = make(engine)
            opening.settings = settings
            opening.theme = settings.text("theme")
            return opening

        monkeypatch.setattr(AppConfig, "of", with_settings)
        async with bench_stage(is_demo=is_demo) as stage:
            yield stage

    return begin


async def told(stage: BenchStage, words: str) -> str:
    """Wait for a notice with these words, and return the whole of it."""
    await stage.until(lambda: words in notices(stage.app), f"a notice {words!r}")
    return next(one.message for one in stage.app._notifications if words in one.message)


async def palette(stage: BenchStage, command: str) -> None:
    await stage.press("ctrl+p")
    await stage.is_open(CommandPalette)
    await stage.type(command)
    # As it is typed, and as it is found.
    await stage.until(lambda: stage.text.lower().count(command) >= 2, command)
    await stage.rests()
    await stage.press("enter")


@pytest.mark.slow
@pytest.mark.parametrize(("said", "name"), [("0;15", "signoff-light"), ("15;0", "signoff-dark")])
async def test_auto_follows_what_the_environment_says(
    opened: Opened, said: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORFGBG", said)
    async with opened("") as stage:
        assert stage.app.theme == name
        assert not stage.app.asks_background


@pytest.mark.slow
async def test_an_answer_of_the_terminal_counts_for_auto(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    async with opened("") as stage:
        assert stage.app.asks_background
        assert stage.app.theme == "signoff-dark"
        stage.app._began += 1000
        stage.app.heard_background(True)
        assert stage.app.theme == "signoff-light"
        await stage.rests()
        assert "To keep it" not in stage.text


@pytest.mark.slow
async def test_an_answer_changes_nothing_late_or_under_a_dialog_or_after_a_choice(
    opened: Opened,
) -> None:
    async with opened("", is_demo=True) as stage:
        stage.app._began -= 1000
        stage.app.heard_background(True)
        assert stage.app.theme == "signoff-dark"
        stage.app._began += 2000
        await stage.choose("delete_file")
        await stage.press("f12")
        await stage.is_open(ApprovalDialog)
        stage.app.heard_background(True)
        assert stage.app.theme == "signoff-dark"
        assert isinstance(stage.app.screen, ApprovalDialog)
        await arm(stage, stage.app.screen)
        await stage.press("escape")
        await stage.has_left(ApprovalDialog)
        stage.app.theme = "nord"
        await stage.rests()
        stage.app.heard_background(True)
        assert stage.app.theme == "nord"


@pytest.mark.slow
async def test_it_begins_with_grouping_panes_and_keys(opened: Opened) -> None:
    text = 'grouping = "world"\n[panes]\ntools = 25\nanswers = 70\n[keys]\nmain.matrix = "alt+m"'
    async with opened(text, is_demo=True) as stage:
        await stage.sees("by world", "↗ open world 24", "alt+m All hosts")
        assert stage.app.screen.query_one("#tools").region.width == 30
        await stage.sees("VSC VS Code", "° measured", "* finding")
        await stage.press("f2")
        await stage.sees("policy")
        await stage.press("escape")
        await stage.press("alt+m")
        await stage.until(lambda: type(stage.app.screen).__name__ == "MatrixScreen", "the matrix")


@pytest.mark.slow
async def test_calls_and_answer_keep_the_chosen_part(opened: Opened) -> None:
    heights = []
    for percent in (25, 70):
        async with opened(f"[panes]\nanswers = {percent}", is_demo=True) as stage:
            tool = stage.tool("order_something")
            await stage.engine.ended(stage.engine.call(tool, ORDER, although_invalid=True))
            await stage.choose("order_something")
            await stage.press("e")
            await stage.rests()
            work, page = (stage.app.screen.query_one(one) for one in ("#work", "#tool"))
            kept = work.size.height - page.outer_size.height
            assert abs(kept - work.size.height * percent / 100) <= 1
            heights.append(kept)
    assert heights[0] < heights[1]


@pytest.mark.slow
async def test_help_follows_the_keys_and_the_one_to_quit_works_in_a_tiny_window(
    opened: Opened,
) -> None:
    async with opened('[keys]\ntools.fold = "alt+o"\napp.quit = "alt+q"') as stage:
        await stage.press("f1")
        await stage.sees("alt+o, space")
        await stage.press("f1")
        await stage.resize(30, 8)
        await stage.is_open(TooSmallScreen)
        await stage.press("alt+q")
        await stage.until(lambda: not stage.app.is_running, "the end")


@pytest.mark.slow
async def test_the_keys_of_the_dialog_stay(opened: Opened) -> None:
    text = '[keys]\nmain.call = "alt+b"\nmain.log = "alt+l"\napp.quit = "alt+q"'
    async with opened(text, is_demo=True) as stage:
        await stage.choose("delete_file")
        await stage.press("f12")
        await stage.is_open(ApprovalDialog)
        found = stage.app.screen.active_bindings
        for key in ("escape", "q", "ctrl+c", "ctrl+y", "tab", "enter", "space", "v"):
            assert found[key].node is stage.app.screen, key
        await stage.press("alt+b", "alt+l")
        assert isinstance(stage.app.screen, ApprovalDialog)
        await stage.press("alt+q")
        await stage.until(lambda: not stage.app.is_running, "the end")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('bad = 1\nworse = 2\ntheme = "nord"', "begin: two mistakes"),
        ('polcy = "x"', "begin: a mistake in a policy"),
    ],
)
async def test_a_mistake_is_told_once_the_screen_is_there(
    opened: Opened, text: str, key: str
) -> None:
    async with opened(text) as stage:
        PROSE.holds(key, await told(stage, "config.toml"))
        if "nord" in text:
            assert stage.app.theme == "nord"
            assert "everything asks" not in stage.text


@pytest.mark.slow
async def test_what_was_changed_is_kept_on_request(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('# mine\ntheme = "light"  # by day\n[keys]\n', encoding="utf-8")
    monkeypatch.setenv("SIGNOFF_CONFIG", str(file))
    monkeypatch.setenv("SIGNOFF_GROUPING", "effect")
    async with opened("") as stage:
        await stage.press("g")
        PROSE.holds("look: grouped", await told(stage, "Grouped by world"))
        stage.app.theme = "nord"
        PROSE.holds("look: theme", await told(stage, "Theme nord"))
        await palette(stage, "keep the look")
        PROSE.holds("look: kept", await told(stage, "Kept in"), FILE=file)
    text = file.read_text(encoding="utf-8")
    assert text == '# mine\ntheme = "nord"  # by day\ngrouping = "world"\n[keys]\n'


@pytest.mark.slow
async def test_a_file_is_made_where_there_is_none(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "signoff" / "config.toml"
    monkeypatch.setenv("SIGNOFF_CONFIG", str(file))
    async with opened("") as stage:
        await stage.app.action_keep_look()
        PROSE.holds("look: nothing to keep", await told(stage, "Nothing to keep"))
        assert not file.exists()
        await stage.press("g")
        await stage.app.action_keep_look()
        await stage.is_told("Kept in")
    assert settings_of(file.read_text(encoding="utf-8")).text("grouping") == "world"


@pytest.mark.slow
async def test_a_file_that_cannot_be_changed_is_left_and_the_line_told(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("theme =", encoding="utf-8")
    monkeypatch.setenv("SIGNOFF_CONFIG", str(file))
    async with opened("") as stage:
        await stage.press("g")
        await stage.app.action_keep_look()
        PROSE.holds("look: not kept", await told(stage, "Not kept"), FILE=file)
    assert file.read_text(encoding="utf-8") == "theme ="


@dataclass
class Saving:
    stage: BenchStage

    @property
    def field(self) -> Input:
        return self.stage.app.screen.query_one(Input)

    async def enter(self, text: str) -> None:
        screen = self.stage.app.screen
        assert isinstance(screen, SaveScreen)
        # As long as one is being written, another one is not begun.
        await self.stage.until(lambda: not screen._is_writing, "the end of what is written")
        self.field.value = text
        await self.stage.press("enter")


def problem(stage: BenchStage) -> str:
    """What is said of the place that was entered."""
    return whole(stage.app.screen.query_one(".told", Static))


async def ask_for_picture(stage: BenchStage) -> Saving:
    await palette(stage, "screenshot")
    await stage.is_open(SaveScreen)
    return Saving(stage)


@pytest.mark.slow
async def test_a_screenshot_asks_where_and_overwrites_nothing_unasked(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened("") as stage:
        saving = await ask_for_picture(stage)
        await stage.sees("SVG")
        screen = stage.app.screen
        about = re.sub(r"[\d.]+ kB", "SIZE", whole(screen.query(Static).first()))
        PROSE.holds("picture: where to", f"{frame(screen.query_one(Vertical))}\n{about}")
        assert saving.field.value.startswith("./signoff-20")
        await saving.enter("one.svg")
        await stage.is_told("saved the picture")
        picture = (tmp_path / "one.svg").read_text(encoding="utf-8")
        assert picture.startswith("<svg")
        assert "cautious" in picture
        assert "Save&#160;a&#160;picture" not in picture
        (tmp_path / "one.svg").write_text("mine", encoding="utf-8")
        saving = await ask_for_picture(stage)
        await saving.enter("one.svg")
        await stage.sees("name exists")
        PROSE.holds("picture: replace it", problem(stage))
        assert (tmp_path / "one.svg").read_text(encoding="utf-8") == "mine"
        await stage.press("escape")
        await stage.has_left(SaveScreen)
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".svg"] == ["one.svg"]


@pytest.mark.slow
async def test_a_screenshot_goes_into_the_folder_for_files_which_is_made_when_asked(
    opened: Opened, tmp_path: Path
) -> None:
    folder = tmp_path / "kept" / "files"
    async with opened(f'files = "{folder}"') as stage:
        saving = await ask_for_picture(stage)
        assert saving.field.value.startswith(f"{folder}/signoff-20")
        await stage.press("enter")
        await stage.sees("no such folder")
        PROSE.holds("picture: a new folder", problem(stage), FOLDER=folder)
        assert not folder.exists()
        await stage.press("enter")
        await stage.is_told("saved the picture")
    (picture,) = folder.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert picture.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
async def test_why_a_screenshot_failed_is_told_and_it_can_be_tried_again(
    opened: Opened, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    async with opened("") as stage:
        saving = await ask_for_picture(stage)
        for place, entry in (
            ("/dev/full", "picture: to a device"),
            ("/proc/no/such/one.svg", "picture: not written"),
            (f"{tmp_path}/file/one.svg", "picture: to no folder"),
            ("", "picture: no name"),
        ):
            await saving.enter(place)
            await stage.rests()
            await stage.press("enter")
            await stage.rests()
            PROSE.holds(entry, problem(stage), FOLDER=tmp_path)
        await saving.enter(str(tmp_path / "one.svg"))
        await stage.is_told("saved the picture")


async def test_a_name_that_is_taken_is_not_suggested(tmp_path: Path) -> None:
    place = tmp_path / "a.svg"
    assert free_place(place) == place
    place.write_text("")
    (tmp_path / "a-2.svg").write_text("")
    assert free_place(place) == tmp_path / "a-3.svg"


async def test_the_hosts_of_the_settings_have_the_columns_and_the_theme_is_theirs(
    opened: Opened,
) -> None:
    async with opened('theme = "light"\nhosts = "zed,goose"') as stage:
        assert stage.app.theme == "signoff-light"
        await stage.sees("Zed Goo")


@pytest.mark.slow
async def test_hosts_that_are_selected_in_the_matrix_get_the_columns(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    monkeypatch.setenv("SIGNOFF_CONFIG", str(file))
    async with opened('hosts = "zed"') as stage:
        await stage.sees("Zed VSC")
        await stage.press("f2", "end", "i", "escape")
        await stage.no_longer_sees("Zed VSC")
        app = stage.app
        assert app.hosts
        await app.action_keep_look()
        assert f'hosts = "{app.hosts}"' in file.read_text(encoding="utf-8")


@pytest.mark.slow
async def test_the_palette_finds_themes_settings_and_hosts_by_their_names(opened: Opened) -> None:
    async with opened('theme = "dark"', is_demo=True) as stage:
        for wanted in ("light", "dark"):
            await palette(stage, f"theme: {wanted}")
            await stage.until(partial(_has_theme, stage, f"signoff-{wanted}"), wanted)
        titles = [one.title for one in stage.app.get_system_commands(stage.app.screen)]
        mine = [one for one in titles if one.startswith(("Theme", "Keep", "Settings"))]
        PROSE.holds("palette: themes and settings", "\n".join(mine))
        (title,) = (one for one in titles if one.startswith("VS Code"))
        PROSE.holds("palette: a host", title)
        await palette(stage, "vs code")
        screen = await stage.is_open(MatrixScreen)
        await stage.rests()
        names = [one.name for one in screen._state.columns]
        assert names[screen.query_one(MatrixGrid).column] == "vscode"


def _has_theme(stage: BenchStage, theme: str) -> bool:
    return stage.app.theme == theme
