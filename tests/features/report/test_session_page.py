"""The report of a session: whole, safe, and of nothing but itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from signoff.app.approval.policies.policy_text import built_ins
from signoff.app.calls.effects.deeds import Method
from signoff.app.calls.effects.watch import Watch
from signoff.app.features.report.page import session_of, session_page
from signoff.app.protocol.server import Trust
from tests.approved import approved
from tests.engine.opened import Approves, Denies, opened
from tests.servers import liars

PROSE = approved("engine")

SERVER = str(Path(liars.__file__))
FETCHES = {"script", "img", "iframe", "object", "embed", "link", "audio", "video", "source", "form"}
EMPTY = {"meta", "br"}


class _Page(HTMLParser):
    """What the page is made of; complains of what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(page: str) -> _Page:
    found = _Page()
    found.feed(page)
    assert not found._open
    assert not found.tags & FETCHES
    assert not {name for name in found.attributes if name.startswith("on")}
    assert not re.search(r"(src|href)=", page)
    return found


@pytest.mark.slow
async def test_a_session_is_told_whole() -> None:
    async with opened("--with", "all") as at:
        at.engine.approver = Approves()
        await at.call("echo", text="hello")
        at.engine.approver = Denies()
        await at.call("echo", text="denied")
        page = session_page(session_of(at.engine, built_ins()))
    text = " ".join("".join(read(page).text).split())
    assert "1 sent, 1 denied" in text
    PROSE.holds("page: headings", "\n".join(re.findall("<h2>(.*?)</h2>", page)))
    assert '"text": "hello"' in text
    assert "nothing was sent" in text
    for tool in at.engine.tools:
        assert tool.display_name in text


async def test_names_that_are_markup_or_controls_are_words() -> None:
    async with opened("--with", "all", "--with", "hostile") as at:
        page = session_page(session_of(at.engine, built_ins()))
    read(page)
    assert "\x1b" not in page


async def test_secrets_of_arguments_are_masked() -> None:
    async with opened("--with", "all") as at:
        at.engine.approver = Approves()
        await at.call("echo", text="password=hunter2hunter2", api_key="sk-proj-" + "a1B2" * 10)
        page = session_page(session_of(at.engine, built_ins()))
    assert "a1B2a1B2" not in page


async def test_what_was_seen_stands_in_it(tmp_path: Path) -> None:
    import sys

    liars.fill(tmp_path)
    watch = Watch(Method.FOLDERS, tmp_path)
    argv = [sys.executable, SERVER]
    try:
        around = opened(argv=argv, trust=Trust.TRUSTED, protocol="legacy", process_watch=watch)
        async with around as at:
            await at.call("deletes_a_file")
            await at.call("adds_two_numbers")
            page = session_page(session_of(at.engine, built_ins()))
    finally:
        watch.close()
    text = " ".join("".join(read(page).text).split())
    assert "contradicted" in text
    assert "deleted notes/todo.txt" in text
