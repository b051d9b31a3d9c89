"""The facts on a server are the same in plain mode, on the screen and on a page."""

from __future__ import annotations

from signoff.app.cli.output.printing import Hiding
from signoff.app.content.texts.facts import lines, texts
from signoff.app.features.report.page import session_of, session_page
from signoff.app.presentation.server import LABELS, ShowsAll, as_json, facts
from signoff.app.tui.text.server_screen import server_section
from tests.engine.opened import opened


async def test_each_surface_has_every_fact() -> None:
    async with opened("--only", "echo") as it:
        found = facts(it.engine, ShowsAll())
        assert {"name", "command", "own name", "trust", "policy", "state"} <= {
            one.label for one in found
        }
        section = server_section(it.engine, "server").lines
        shown = [
            "".join(span.text for span in line) for line in section if not isinstance(line, str)
        ]
        assert shown == texts(list(lines(found, LABELS)))
        page = session_page(session_of(it.engine, ()))
        hidden = facts(it.engine, Hiding(False, it.engine.server))
        for one in hidden:
            assert one.label in page
        assert as_json(it.engine, ShowsAll())["trust"] == "untrusted"
