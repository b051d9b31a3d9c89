"""The screen of settings: a list, the details of one, and their file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from ....widgets.bindings import bindings_of
from ....widgets.cells import left
from ....widgets.lists.row_list import KeyedList
from ...cli.targets.session import read_policy_setting
from ...content.text import count, sentence
from ...content.texts.sheet_line import SheetLine
from ...protocol.tool import Grouping
from ...storage.settings.file import STRICT_WORDS, VARIABLE, load_settings, settings_file
from ...storage.settings.values import DEFAULT, FILE, Settings
from ...storage.state_dir import StoreError, shown
from ...tui.appearance import HasLook
from ...tui.base.browser_screen import BrowserScreen
from ...tui.base.context import ScreenContext, Shown
from ...tui.main.workplace import Workplace
from ...tui.save_appearance import SaveResult, forget_setting, keep_look
from ...tui.tools.tools_pane import ToolsPane
from .rows import AT_ONCE, InUse, SettingRow, setting_lines, setting_rows
from .value_screen import ValueScreen

if TYPE_CHECKING:
    from textual.app import App

    from ...tui.startup import AppConfig

NAME_CELLS, VALUE_CELLS, SOURCE_CELLS = 18, 24, 24
MOST_MISTAKES: Final = 2
"""Mistakes over the list; the others are counted."""


class SettingList(KeyedList[SettingRow]):
    """Name, value and source of each setting; in a wide terminal its purpose, too."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("settings: list")

    def key(self, row: SettingRow) -> Hashable:
        return row.setting.name

    def paint(self, row: SettingRow, width: int, base: Style, under_cursor: bool) -> list[Segment]:
        muted = base if under_cursor else self.get_component_rich_style("row-list--muted")
        value = f"{row.value} → {row.later}" if row.later else row.value
        about = max(0, width - 2 - NAME_CELLS - VALUE_CELLS - SOURCE_CELLS)
        return [
            Segment("› " if under_cursor else "  ", base),
            Segment(left(row.setting.name, NAME_CELLS), base),
            Segment(f"{left(value, VALUE_CELLS - 1)} ", base + Style(bold=True)),
            Segment(f"{left(row.source, SOURCE_CELLS - 1)} ", muted),
            *([Segment(left(row.setting.about, about), muted)] if about else ()),
        ]


class SettingsScreen(BrowserScreen[SettingRow, None]):
    """Shows every setting, and writes a changed one into the file.

    Args:
        opening: The session whose policy and limits are shown.
    """

    DEFAULT_CSS = """
    SettingsScreen KeyedList { height: 2fr; max-height: 14; }
    SettingsScreen #detail { height: 1fr; min-height: 4; }
    SettingsScreen .line { height: auto; padding: 0 1; display: none; }
    SettingsScreen .line.-said { display: block; }
    SettingsScreen #mistakes { color: $text-warning; }
    SettingsScreen #outcome { text-style: bold; }
    """

    ENTER_HELP = "Choose another value, or type it."
    HELP = """
# Settings

The value of each setting that counts now, and its source. Options override variables, and variables
override the file. A change is written into the file; your other lines stay as they are.
`old → new`: the new value counts from the next start.
"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("settings")

    def __init__(self, opening: AppConfig) -> None:
        super().__init__()
        self._opening = opening

    def compose_list(self) -> ComposeResult:
        yield Static(id="file", classes="line -said", markup=False)
        yield Static(id="mistakes", classes="line", markup=False)
        yield Static(id="outcome", classes="line", markup=False)
        yield SettingList()

    def on_mount(self) -> None:
        self.draw_head(("Settings", "bold"))
        self._read()

    def choose(self, row: SettingRow) -> None:
        self._say("")
        value = _look(self).settings.of(row.setting.name).value
        self.app.push_screen(
            ValueScreen(row.setting, value),
            lambda chosen: None if chosen is None else self._keep(row.setting.name, chosen),
        )

    def action_default(self) -> None:
        if row := self.current:
            name = row.setting.name
            self._write(name, lambda: forget_setting(name, os.environ))

    def describe(self, row: SettingRow | None) -> list[SheetLine]:
        return [] if row is None else list(setting_lines(row))

    def name_of(self, row: SettingRow) -> str:
        return row.setting.name

    def _keep(self, name: str, value: object) -> None:
        self._write(name, lambda: keep_look({name: value}, os.environ))

    @work(exclusive=True, group="settings", exit_on_error=False)
    async def _write(self, name: str, write: Callable[[], SaveResult]) -> None:
        result = await asyncio.to_thread(write)
        kept = await asyncio.to_thread(_settings_now)
        words = result.words
        is_counting = result.is_done and kept.of(name).source in (FILE, DEFAULT)
        if is_counting and name in AT_ONCE:
            _apply(_look(self), name, kept)
            words += " In use now."
        elif is_counting:
            words += " It counts from the next start."
        self._show(kept)
        self._say(words, is_done=result.is_done)

    @work(exclusive=True, group="settings", exit_on_error=False)
    async def _read(self) -> None:
        self._show(await asyncio.to_thread(_settings_now))

    def _show(self, kept: Settings) -> None:
        look, opening = _look(self), self._opening
        begun = opening.settings.of("theme")
        theme = opening.theme if look.settings.of("theme") == begun else look.settings.text("theme")
        session, policy = opening.session, opening.engine.policy
        now = InUse(look.settings, look.changed_look, theme, session, policy)
        self.row_list.show(list(setting_rows(now, kept)))
        self.query_one("#file", Static).update(Content(_file_words()))
        mistakes = [sentence(one.words) for one in kept.mistakes]
        more = len(mistakes) - MOST_MISTAKES
        lines = mistakes[:MOST_MISTAKES] + ([f"And {count(more, 'more mistake')}."] * (more > 0))
        if not kept.is_policy_sure:
            lines.append(sentence(STRICT_WORDS, begins=True))
        line = self.query_one("#mistakes", Static)
        line.set_class(bool(lines), "-said")
        line.update(Content("\n".join(lines)))
        self.draw_detail()

    def _say(self, words: str, *, is_done: bool = True) -> None:
        line = self.query_one("#outcome", Static)
        line.set_class(bool(words), "-said")
        line.update(Content.styled(words, "$text-success" if is_done else "$text-warning"))


def _look(screen: SettingsScreen) -> HasLook:
    app = screen.app
    assert isinstance(app, HasLook)
    return app


def _settings_now() -> Settings:
    """What the file and the environment have by now."""
    return read_policy_setting(load_settings(os.environ))[0]


def _file_words() -> str:
    try:
        path = settings_file(os.environ)
    except (StoreError, RuntimeError) as problem:
        return f"file  {sentence(problem)}"
    if path is None:
        return f"file  none, since {VARIABLE} is empty"
    missing = "" if os.path.lexists(path) else "  (not there yet: the first change makes it)"
    return f"file  {shown(path)}{missing}"


def _apply(app: HasLook, name: str, kept: Settings) -> None:
    """Let a value count from now on, on every screen that is open."""
    before = app.grouping or app.settings.text("grouping")
    app.take_setting(name, kept)
    for screen in app.screen_stack:
        if name == "hosts":
            names = [one for one in app.hosts.split(",") if one]
            for place in screen.query(Workplace):
                place.hosts.put_first(names)
        elif name == "grouping":
            wanted = list(Grouping)
            steps = wanted.index(Grouping(app.grouping)) - wanted.index(Grouping(before))
            for pane in screen.query(ToolsPane):
                for _ in range(steps % len(wanted)):
                    pane.regroup()


def open_settings(app: App[None], opening: AppConfig) -> SettingsScreen:
    """Show the settings over the screen in front."""
    opened = SettingsScreen(opening)
    app.push_screen(opened)
    return opened


def show(context: ScreenContext) -> Shown | None:
    """Show the settings of the session."""
    if context.opening is None:
        return None
    return open_settings(context.screen.app, context.opening), lambda: None
