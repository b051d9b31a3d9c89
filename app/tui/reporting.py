"""A report of the session in a file, where the person wants it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ..calls.answer_files import Written, save_file
from ..content.text import size

if TYPE_CHECKING:
    from textual.screen import Screen

    from ..engine.engine import Bench


def ask_and_save_report(screen: Screen[None], bench: Bench) -> None:
    """The session as it is now, as one page of HTML."""
    from ..engine.policy_state import read_rulebook
    from ..engine.report import session_of, session_page, summary
    from .answers.saving import SaveScreen, saved_words

    session = session_of(bench, read_rulebook().columns)
    page = session_page(session).encode("utf-8", "backslashreplace")

    def tell(written: Written | None) -> None:
        if written is not None:
            screen.notify(saved_words("the report", written), timeout=8, markup=False)

    about = f"{summary(session).partition('  ')[2]}. {size(len(page))}, HTML, into a file:"
    name = datetime.now().astimezone().strftime("./signoff-report-%Y-%m-%d-%H%M%S.html")
    save = SaveScreen(
        "Save a report of this session",
        about,
        name,
        lambda place: save_file(place, page),
        replaces="replaces it",
    )
    screen.app.push_screen(save, tell)
