"""Files that a user saves from a session: a flow file, and a report."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ...calls.answer_files import SavedFiles, save_file
from ...content.text import count, size
from ...tui.base.context import ScreenContext

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

    from ...engine.engine import Engine

NAMES_TRIED = 1_000


def ask_and_save(app: App[None], text: str, steps: int) -> None:
    """Prompt for a place, and write it; a notice if nothing has been done yet."""
    from ...tui.answers.exporting import SaveScreen, saved_words

    if not steps:
        words = "No flow to save yet: no call was answered or denied."
        app.notify(words, timeout=6, markup=False)
        return

    def tell(written: SavedFiles | None) -> None:
        if written is not None:
            words = f"{saved_words('the flow', written)} signoff test runs it, and with --settle"
            words += " finds out which of its values change."
            app.notify(words, timeout=8, markup=False)

    screen = SaveScreen(
        "Save what was done as a flow file",
        f"{count(steps, 'step')} for signoff test, secrets as variables, into a file:",
        _name(getattr(app, "files_folder", "")),
        lambda place: save_file(place, text.encode("utf-8", "backslashreplace")),
        replaces="replace it",
    )
    app.push_screen(screen, tell)


def _name(folder: str) -> str:
    """A name that is not taken yet, and that is known for a flow."""
    for number in range(1, NAMES_TRIED):
        name = f"recorded{f'-{number}' if number > 1 else ''}.flow.yaml"
        try:
            if not (Path(folder or ".").expanduser() / name).exists():
                return f"./{name}"
        except (OSError, RuntimeError, ValueError):
            break
    return "./recorded.flow.yaml"


def ask_and_save_report(screen: Screen[None], engine: Engine) -> None:
    """The session as it is now, as one page of HTML."""
    from ...engine.policy_state import read_rulebook
    from ...tui.answers.exporting import SaveScreen, saved_words
    from .page import session_of, session_page, summary

    session = session_of(engine, read_rulebook().columns)
    page = session_page(session).encode("utf-8", "backslashreplace")

    def tell(written: SavedFiles | None) -> None:
        if written is not None:
            screen.notify(saved_words("the report", written), timeout=8, markup=False)

    about = f"{summary(session).partition('  ')[2]}. {size(len(page))}, HTML, into a file:"
    name = datetime.now().astimezone().strftime("./signoff-report-%Y-%m-%d-%H%M%S.html")
    save = SaveScreen(
        "Save a report of this session",
        about,
        name,
        lambda place: save_file(place, page),
        replaces="replace it",
    )
    screen.app.push_screen(save, tell)


def show_report(context: ScreenContext) -> None:
    """Save a report of the session."""
    ask_and_save_report(context.screen, context.engine)


def show_record(context: ScreenContext) -> None:
    """Save what was done as a flow file."""
    if context.opening is not None:
        ask_and_save(context.screen.app, *context.opening.recorded())
