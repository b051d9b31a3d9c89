"""Themes, keys and panes that last, and saving changes of them.

Signoff's own two themes: every text has a contrast of 4.5 to 1 against its background.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding
from textual.theme import Theme

from ...widgets.key_bar import said_key
from ..content.labels import and_more
from ..content.text import sentence
from ..storage.settings.file import STRICT_WORDS
from ..storage.settings.values import AUTO, DARK, LIGHT, Settings
from .approving.guarded_dialog import GuardedDialog
from .terminal.background import AWAITED_SECONDS, may_be_asked, said_by_environment

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel

    from .tools.tools_pane import ToolsPane

DARK_THEME = Theme(
    name="signoff-dark",
    primary="#3D9BEA",
    secondary="#004578",
    accent="#ffa62b",
    warning="#ffa62b",
    error="#ba3c5b",
    success="#4EBF71",
    foreground="#e0e0e0",
    variables={
        "text-disabled": "auto 60%",
        "block-cursor-background": "#0067B8",
        "block-cursor-foreground": "#FFFFFF",
    },
)
LIGHT_THEME = Theme(
    name="signoff-light",
    primary="#004578",
    secondary="#0178D4",
    accent="#8A4B00",
    warning="#7A4E00",
    error="#A3123A",
    success="#17602B",
    foreground="#101010",
    background="#FAFAFA",
    surface="#F1F1F1",
    panel="#E6E6E6",
    dark=False,
    variables={
        "foreground-muted": "#4A4A4A",
        "text-muted": "auto 75%",
        "text-disabled": "auto 68%",
        "footer-key-foreground": "#004578",
        # A field with the focus; Textual's own style is white on nearly white.
        "surface-lighten-1": "#CFE0F0",
    },
)


FEW_COLOURS = replace(
    DARK_THEME,
    variables={
        **DARK_THEME.variables,
        "text-error": "#FF5555",
        "text-success": "#55FF55",
        "text-warning": "#FFFF55",
        "text-primary": "#55FFFF",
        "error-muted": "#AA0000",
        "warning-muted": "#AA5500",
        "success-muted": "#0000AA",
    },
)
"""The dark theme on a console of 16 colours: the shades of the others all become white or grey."""

THEME_NAMES = {DARK: DARK_THEME.name, LIGHT: LIGHT_THEME.name}
KEEP = "Keep the look"
"""The command of the palette that writes theme, grouping and hosts into the file."""


def said_theme(wanted: str) -> str:
    """The theme that a setting means; auto if only the terminal could tell."""
    said = said_by_environment(os.environ) if wanted == AUTO else None
    if said is None:
        return THEME_NAMES.get(wanted, wanted)
    return THEME_NAMES[LIGHT if said else DARK]


def has_few_colours(environ: Mapping[str, str]) -> bool:
    """True for the console of Linux, whose 16 colours are those of FEW_COLOURS."""
    return environ.get("TERM") == "linux" and not environ.get("COLORTERM")


class HasLook(App[None]):
    """An app that begins with the person's theme, keys and panes.

    `theme_wanted` is auto, dark, light or a theme of Textual. For auto, the terminal is queried for
    its background, if its environment does not have it.
    """

    CHANGED_SECONDS: ClassVar[float] = 6.0
    asks_background = False
    has_chosen_theme = False
    """Whether the theme was changed on the screen."""
    grouping = ""
    """The current grouping, if it was changed on the screen."""

    def __init__(self, settings: Settings, theme_wanted: str) -> None:
        # The stylesheet is read in the constructor below.
        self.settings = settings
        self._began = time.monotonic()
        self.hosts = settings.text("hosts")
        """Names of the hosts with a column in the list of tools, with commas between."""
        super().__init__()
        for theme in (FEW_COLOURS if has_few_colours(os.environ) else DARK_THEME, LIGHT_THEME):
            self.register_theme(theme)
        wanted = said_theme(theme_wanted)
        self.asks_background = wanted == AUTO and may_be_asked(os.environ)
        self._begin_theme(THEME_NAMES[DARK] if wanted == AUTO else wanted)
        if settings.keys:
            self.set_keymap(dict(settings.keys))

    @property
    def files_folder(self) -> str:
        """Default folder for saved files; empty: the folder in which Signoff was started."""
        return self.settings.text("files")

    @property
    def answers_percent(self) -> int:
        """Percentage of the rows for calls and result; 0 if not chosen."""
        found = self.settings.of("panes.answers")
        return 0 if found.source == "default" else int(str(found.value))

    def keys_of(self, action: str, usual: str) -> tuple[str, ...]:
        """The keys of an action by its id, with its usual ones where nothing else is chosen."""
        return tuple(self.settings.keys.get(action, usual).split(","))

    def get_key_display(self, binding: Binding) -> str:
        """The key as sentences write it: ctrl+t, where Textual would show ^t."""
        return binding.key_display or said_key(binding.key)

    def _begin_theme(self, name: str) -> None:
        # A later Textual may have dropped a theme.
        if name in self.available_themes:
            self.theme = name
        self._theme_begun = self.theme

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {
            **super().get_theme_variable_defaults(),
            "tools-width": f"{self.settings.text('panes.tools')}%",
            "tools-most": "70" if self.settings.of("panes.tools").source == "default" else "100%",
        }

    def heard_background(self, is_light: bool) -> None:
        """Take the terminal's background; ignored if late, or after the user chose a theme.

        Also ignored while a dialog is open: its looks must not change while it is read.
        """
        is_late = time.monotonic() - self._began > AWAITED_SECONDS
        is_asked = any(isinstance(one, GuardedDialog) for one in self.screen_stack)
        if not is_late and not is_asked and not self.has_chosen_theme:
            self._begin_theme(THEME_NAMES[LIGHT if is_light else DARK])

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._theme_changed)

    def _theme_changed(self, theme: Theme) -> None:
        if theme.name != self._theme_begun:
            self._theme_begun = theme.name
            self.has_chosen_theme = True
            self.tell_how_to_keep(f"Theme {theme.name}")

    @property
    def changed_look(self) -> dict[str, object]:
        """The settings that were changed on the screen and are not in the file, by name."""
        names = {name: short for short, name in THEME_NAMES.items()}
        chosen: dict[str, object] = {}
        if self.has_chosen_theme:
            chosen["theme"] = names.get(self.theme, self.theme)
        if self.grouping:
            chosen["grouping"] = self.grouping
        chosen["hosts"] = self.hosts
        return {name: one for name, one in chosen.items() if one != self.settings.value(name)}

    def take_setting(self, name: str, kept: Settings) -> None:
        """A value of the file counts from now on; `kept` has it with its source."""
        others = {key: one for key, one in self.settings.found.items() if key != name}
        now = {name: kept.found[name]} if name in kept.found else {}
        self.settings = replace(self.settings, found={**others, **now})
        if name == "theme":
            self.has_chosen_theme = False
            self._began = -math.inf
            self._begin_theme(said_theme(kept.text(name)))
        elif name == "grouping":
            self.grouping = kept.text(name)
        elif name == "hosts":
            self.hosts = kept.text(name)

    def tell_how_to_keep(self, what: str) -> None:
        """Something of the look was changed for now."""
        words = f"{what}, until you leave. To keep it: ctrl+p, {KEEP}."
        self.notify(words, timeout=self.CHANGED_SECONDS, markup=False)

    def on_tools_pane_regrouped(self, message: ToolsPane.Regrouped) -> None:
        is_first = not self.grouping
        self.grouping = message.grouping.value
        if is_first:
            self.tell_how_to_keep(f"Grouped by {self.grouping}")

    def take_hosts(self, names: Sequence[str]) -> None:
        """Other hosts were chosen for the columns of the list."""
        self.hosts = ",".join(names)
        self.tell_how_to_keep(f"Columns: {', '.join(names)}")

    def tell_mistakes(self) -> None:
        """Report mistakes in the settings file, and the values used instead."""
        mistakes = self.settings.mistakes
        if not mistakes:
            return
        words = mistakes[0].words
        if more := and_more(len(mistakes) - 1):
            words += f" ({more})"
        strict = STRICT_WORDS[:1].upper() + STRICT_WORDS[1:]
        strict = "" if self.settings.is_policy_sure else f" {strict}."
        words = (
            f"{sentence(words)}{strict} The rest counts; signoff config check names every mistake."
        )
        self.notify(words, title="Settings", severity="warning", timeout=15, markup=False)

    async def action_keep_look(self) -> None:
        """Write the changed appearance into the settings file."""
        from .save_appearance import keep_look

        kept = await asyncio.to_thread(keep_look, self.changed_look, os.environ)
        severity: SeverityLevel = "information" if kept.is_done else "warning"
        self.notify(kept.words, severity=severity, timeout=10, markup=False)
