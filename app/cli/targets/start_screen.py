"""`signoff` without a server: a screen to choose one on, and the session that is chosen."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ...hosts.files.discovery import place_words
from ...presentation.openings import (
    BUILT_IN,
    Opening,
    Section,
    file_sections,
    places_section,
    recent_section,
)
from ...storage.settings.file import load_settings
from ...storage.state_dir import StoreError
from ...storage.store import Store
from ..options.session import SessionOptions
from .configured import read_files, this_machine
from .targets import UsageError

if TYPE_CHECKING:
    from ..approving.start_consent import Asked, AskStarts


def choose(given: SessionOptions, theme: str | None, failed: str) -> tuple[Opening | None, int]:
    """Show the start screen; returns the chosen row, or None with the exit status.

    `failed` is why the last choice was not opened.
    """
    from ...tui.opening.opening_screen import OpeningScreen
    from ...tui.serverless_app import ServerlessApp, run_app

    settings = load_settings(os.environ)
    screen = OpeningScreen(lambda: read_sections(given), forget_recent, failed)
    app = ServerlessApp(screen, settings, theme or settings.text("theme"))
    status = run_app(app)
    return app.chosen, status


def asker_on_screen(theme: str | None) -> AskStarts:
    """What asks for consent to starts in a dialog on the whole screen."""

    def ask(asked: Sequence[Asked]) -> Collection[str]:
        from ...tui.approving.sheet_dialog import StartDialog
        from ...tui.approving.starts_dialog import StartsDialog
        from ...tui.serverless_app import ServerlessApp, run_app

        settings = load_settings(os.environ)
        start, before = asked[0]
        is_one = len(asked) == 1
        dialog = StartDialog(start, before) if is_one else StartsDialog(asked)
        app = ServerlessApp(dialog, settings, theme or settings.text("theme"))
        if status := run_app(app):
            raise SystemExit(status)
        if is_one:
            return (start.digest,) if app.chosen else ()
        return app.chosen or ()

    return ask


def merged_session(given: SessionOptions, chosen: SessionOptions, row: Opening) -> SessionOptions:
    """The options that were given, with the server of a row."""
    plain = SessionOptions()._asdict()
    own = {name: value for name, value in chosen._asdict().items() if value != plain[name]}
    spot = () if row.spot is None else (row.spot.line, row.spot.column)
    rest = given._replace(config=(), config_host=None)
    return rest._replace(**own, folder=row.folder, pasted=row.pasted, spot=spot)


def read_sections(given: SessionOptions) -> Sequence[Section]:
    """The rows of the start screen: servers of before, of configuration files, and our own."""
    machine = this_machine()
    files = read_files(given.config, given.config_host or "", machine)
    sections = list(file_sections(files, machine.home, machine.folder))
    if given.config or given.config_host:
        return [*sections, BUILT_IN]
    if not sections:
        sections = [places_section(place_words(machine))]
    if given.no_memory:
        return [BUILT_IN, *sections]
    with Store.open() as store:
        try:
            recents = store.recents.all()
        except StoreError:
            recents = ()
    recent = recent_section(recents, time.time())
    # Somebody new to it begins with the tour.
    return [recent, *sections, BUILT_IN] if recent.rows else [BUILT_IN, *sections]


def forget_recent(row: Opening) -> None:
    """Forget a server of before. Raises UsageError if the store cannot be used."""
    key = bytes.fromhex(row.key.removeprefix("recent "))
    with Store.open() as store:
        try:
            store.recents.forget(key)
        except StoreError as problem:
            raise UsageError(str(problem)) from None
