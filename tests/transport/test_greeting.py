"""How a server is greeted and its tools are listed, however it takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.transport import greeting as greeting_module
from signoff.app.transport import listing as listing_module
from signoff.app.transport.events import Ended, Greeting, Listing, NoResponse, Started
from signoff.app.transport.greeting import GreetingFailed
from signoff.app.transport.listing import PAGE_LIMIT, TOOL_LIMIT, ListPages
from signoff.app.transport.negotiation import recall_era, remember_era
from signoff.app.transport.stdio.stdio import StdioLink
from tests.approved import approved
from tests.e2e.processes import is_alive
from tests.servers import pids, raw
from tests.transport.linked import Heard, linked, methods

PROSE = approved("transport")


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting_module, "PROBE_SECONDS", 0.3)


async def greeted(*switches: str) -> Heard:
    async with linked(raw(*switches)) as (_, heard):
        await heard.settled()
    return heard


def codes(heard: Heard) -> list[str]:
    return [finding.code for finding in heard.of(Listing)[0].findings]


@pytest.mark.parametrize(
    ("era", "spoken", "version"),
    [
        ("legacy", "legacy", "2025-11-25"),
        ("modern", "modern", "2026-07-28"),
        ("both", "modern", "2026-07-28"),
    ],
)
async def test_the_newest_era_that_both_speak_is_used(era: str, spoken: str, version: str) -> None:
    heard = await greeted("--era", era, "--instructions", "Be kind.")
    found = heard.of(Greeting)[0]
    assert (found.era, found.version, found.instructions) == (spoken, version, "Be kind.")
    assert found.info["name"] == "raw"
    assert len(heard.of(Listing)[0].entries) >= 5


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18"])
async def test_older_revisions_are_taken(version: str) -> None:
    heard = await greeted("--protocol-version", version)
    assert heard.of(Greeting)[0].version == version


@pytest.mark.usefixtures("_hasty")
async def test_a_server_that_is_silent_on_the_probe_is_greeted_the_old_way() -> None:
    heard = await greeted("--probe", "silent")
    assert heard.of(Greeting)[0].era == "legacy"


async def test_a_server_that_dies_of_the_probe_is_started_again(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    heard = await greeted("--probe", "dies", "--pid-file", str(noted))
    assert heard.of(Greeting)[0].era == "legacy"
    first, second = pids(noted)["server"]
    assert [started.pid for started in heard.of(Started)] == [first, second]
    assert heard.of(Ended) == []
    assert not is_alive(first)
    assert not is_alive(second)


@pytest.mark.usefixtures("_hasty")
async def test_a_modern_server_that_starts_slowly_is_reached_all_the_same() -> None:
    heard = await greeted("--era", "modern", "--start-delay", "0.6")
    assert heard.of(Greeting)[0].era == "modern"


async def test_a_remembered_era_saves_the_probe(tmp_path: Path) -> None:
    file = tmp_path / "received"
    argv = raw("--received", str(file))
    for expected in (["server/discover", "initialize"], ["initialize"]):
        file.unlink(missing_ok=True)
        async with linked(argv) as (link, heard):
            await heard.settled()
        assert recall_era(link.identity) == "legacy"
        assert methods(file) == [*expected, "notifications/initialized", "tools/list"]


async def test_a_remembered_era_that_is_no_longer_true_is_corrected() -> None:
    argv = raw("--era", "modern")
    remember_era(StdioLink(argv).identity, "legacy")
    async with linked(argv) as (link, heard):
        await heard.settled()
    assert heard.of(Greeting)[0].era == "modern"
    assert recall_era(link.identity) == "modern"


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"a": 5}', b"\xff"])
def test_a_broken_memory_of_eras_is_no_memory(content: bytes, tmp_path: Path) -> None:
    remember_era("here", "legacy")
    (file,) = (tmp_path / "cache").rglob("eras.json")
    file.write_bytes(content)
    assert recall_era("here") is None
    remember_era("here", "modern")
    assert recall_era("here") == "modern"


@pytest.mark.parametrize(
    ("switches", "key"),
    [
        (["--init-error"], "initialize: fails"),
        (["--protocol-version", "2099-01-01\x1b"], "initialize: another version"),
        (["--list-error"], "listing: fails"),
        (["--die-at-start", "9"], "initialize: exits"),
    ],
)
async def test_a_failed_greeting_says_why(switches: list[str], key: str) -> None:
    async with linked(raw(*switches)) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds(key, ended.words)
    assert "\x1b" not in ended.words
    assert len(heard.of(Ended)) == 1
    if "--die-at-start" in switches:
        assert ended.code == 9
        assert ended.last_words[-1].startswith("RuntimeError: ")


async def test_a_death_right_after_the_greeting_is_told_once_and_last() -> None:
    async with linked(raw("--die-after-init", "8")) as (_, heard):
        ended = await heard.one(Ended)
    assert ended.code == 8
    assert heard.of(Ended) == [ended]
    assert all(
        heard.events.index(found) < heard.events.index(ended) for found in heard.of(Greeting)
    )


async def test_a_command_that_is_not_there_is_said() -> None:
    async with linked(["/nowhere/at-all"]) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds("start: no such program", ended.words)


async def test_a_list_that_never_comes_is_a_failure_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing_module, "LIST_SECONDS", 0.2)
    async with linked(raw("--list-never")) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds("listing: no response", ended.words)


async def test_pages_are_followed() -> None:
    heard = await greeted("--only", "echo", "--tools", "9", "--page-size", "4")
    assert len(heard.of(Listing)[0].entries) == 10
    assert codes(heard) == []


async def test_pages_in_a_circle_are_left() -> None:
    heard = await greeted("--loop-cursor")
    assert codes(heard) == ["cursor-ignored"]
    entries = [json.dumps(entry) for entry in heard.of(Listing)[0].entries]
    assert len(set(entries)) == len(entries)


async def test_endless_pages_are_cut() -> None:
    heard = await greeted("--only", "echo", "--endless-cursor")
    assert codes(heard) == ["list-cut-short"]
    assert len(heard.of(Listing)[0].entries) == PAGE_LIMIT
    assert heard.of(Listing)[0].missing == "more tools follow after 100 on 100 pages"


async def test_too_many_tools_are_cut() -> None:
    heard = await greeted("--tools", "5300", "--page-size", "2600")
    listing = heard.of(Listing)[0]
    assert len(listing.entries) == TOOL_LIMIT
    assert [finding.code for finding in listing.findings] == ["list-cut-short"]


async def test_entries_that_are_no_tools_stay_in_the_list() -> None:
    heard = await greeted("--malformed-tool")
    entries = heard.of(Listing)[0].entries
    assert 42 in entries
    assert None in entries


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({}, "malformed-list"),
        ({"tools": {"a": 1}}, "malformed-list"),
        ({"tools": [], "nextCursor": 5}, "malformed-cursor"),
        ({"tools": [], "nextCursor": "x" * 5_000}, "malformed-cursor"),
    ],
)
def test_a_malformed_page_is_said(answer: dict[str, Any], code: str) -> None:
    pages = ListPages()
    assert not pages.add(answer)
    (finding,) = pages.listing().findings
    assert (finding.code, finding.message) == (code, pages.listing().missing)


def test_one_page_alone_never_has_more_than_the_limit() -> None:
    pages = ListPages()
    assert not pages.add({"tools": [{}] * (TOOL_LIMIT + 7)})
    assert len(pages.listing().entries) == TOOL_LIMIT
    assert [finding.code for finding in pages.listing().findings] == ["list-cut-short"]


@pytest.mark.parametrize(("cursor", "is_whole"), [("", True), ("2", False)])
def test_a_list_that_ends_with_an_empty_cursor_is_whole(cursor: str, is_whole: bool) -> None:
    pages = ListPages()
    assert pages.add({"tools": [1], "nextCursor": cursor})
    assert not pages.add({"tools": [1], "nextCursor": cursor})
    assert [finding.code for finding in pages.listing().findings] == ["cursor-ignored"]
    assert (pages.listing().missing == "") is is_whole


def test_an_empty_cursor_is_a_cursor() -> None:
    pages = ListPages()
    assert pages.add({"tools": [], "nextCursor": ""})
    assert pages.cursor == ""


def test_a_later_page_that_fails_keeps_the_ones_before() -> None:
    pages = ListPages()
    assert pages.add({"tools": [1, 2], "nextCursor": "b"})
    assert not pages.add(NoResponse())
    assert pages.listing().entries == (1, 2)
    assert [finding.code for finding in pages.listing().findings] == ["list-cut-short"]
    with pytest.raises(GreetingFailed):
        ListPages().add(NoResponse())
