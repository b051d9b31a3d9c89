"""How a server is greeted and its tools are listed, however it takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.app.transport import listing as listing_module
from signoff.app.transport.events import Ended, Greeting, Listing, NoResponse
from signoff.app.transport.greeting import GreetingFailed
from signoff.app.transport.listing import PAGE_LIMIT, TOOL_LIMIT, ListPages
from signoff.app.transport.negotiation import recall_era, remember_era
from tests.approved import approved
from tests.servers import raw
from tests.transport.linked import Heard, linked, methods

PROSE = approved("transport")


async def greeted(*switches: str) -> Heard:
    async with linked(raw(*switches)) as (_, heard):
        await heard.settled()
    return heard


def codes(heard: Heard) -> list[str]:
    return [finding.code for finding in heard.of(Listing)[0].findings]


@pytest.mark.parametrize(
    ("switches", "spoken", "version"),
    [
        (["--era", "legacy"], "legacy", "2025-11-25"),
        (["--era", "modern"], "modern", "2026-07-28"),
        (["--era", "both"], "modern", "2026-07-28"),
        (["--protocol-version", "2024-11-05"], "legacy", "2024-11-05"),
        (["--protocol-version", "2025-03-26"], "legacy", "2025-03-26"),
        (["--protocol-version", "2025-06-18"], "legacy", "2025-06-18"),
    ],
)
async def test_the_newest_revision_that_both_speak_is_used(
    switches: list[str], spoken: str, version: str
) -> None:
    heard = await greeted(*switches, "--instructions", "Be kind.")
    found = heard.of(Greeting)[0]
    assert (found.era, found.version, found.instructions) == (spoken, version, "Be kind.")
    assert found.info["name"] == "raw"


async def test_a_remembered_era_saves_the_probe(tmp_path: Path) -> None:
    file = tmp_path / "received"
    argv = raw("--received", str(file))
    for basis in ("said", "remembered", "remembered"):
        file.unlink(missing_ok=True)
        async with linked(argv) as (link, heard):
            await heard.settled()
        assert heard.of(Greeting)[0].basis.value == basis
        assert recall_era(link.identity) == "legacy"
        probe = ["server/discover"] if basis == "said" else []
        asked = [*probe, "initialize", "notifications/initialized", "tools/list"]
        assert methods(file) == asked


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"a": 5}', b"\xff"])
def test_a_broken_memory_of_eras_is_no_memory(content: bytes, tmp_path: Path) -> None:
    remember_era("here", "legacy")
    (file,) = (tmp_path / "cache").rglob("eras.json")
    file.write_bytes(content)
    assert recall_era("here") is None
    remember_era("here", "modern")
    assert recall_era("here") == "modern"


@pytest.mark.parametrize(
    ("argv", "key"),
    [
        (raw("--init-error"), "initialize: fails"),
        (raw("--protocol-version", "2099-01-01\x1b"), "initialize: another version"),
        (raw("--list-error"), "listing: fails"),
        (raw("--die-at-start", "9"), "initialize: exits"),
        (raw("--list-never"), "listing: no response"),
        (["/nowhere/at-all"], "start: no such program"),
    ],
)
async def test_a_failed_greeting_says_why(
    argv: list[str], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "--list-never" in argv:
        monkeypatch.setattr(listing_module, "LIST_SECONDS", 0.2)
    async with linked(argv) as (_, heard):
        ended = await heard.one(Ended)
    PROSE.holds(key, ended.words)
    assert "\x1b" not in ended.words
    assert len(heard.of(Ended)) == 1
    if "--die-at-start" in argv:
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


@pytest.mark.parametrize(
    ("switches", "count", "found"),
    [
        (["--only", "echo", "--tools", "9", "--page-size", "4"], 10, []),
        (["--only", "echo", "--endless-cursor"], PAGE_LIMIT, ["list-cut-short"]),
        (["--tools", "5300", "--page-size", "2600"], TOOL_LIMIT, ["list-cut-short"]),
    ],
    ids=["pages", "endless", "too many"],
)
async def test_pages_are_followed_to_a_limit(
    switches: list[str], count: int, found: list[str]
) -> None:
    listing = (await greeted(*switches)).of(Listing)[0]
    assert len(listing.entries) == count
    assert [finding.code for finding in listing.findings] == found
    if "--endless-cursor" in switches:
        assert listing.missing == "more tools follow after 100 on 100 pages"


async def test_pages_in_a_circle_are_left_and_entries_that_are_no_tools_kept() -> None:
    heard = await greeted("--loop-cursor", "--malformed-tool")
    assert codes(heard) == ["cursor-ignored"]
    found = heard.of(Listing)[0].entries
    entries = [json.dumps(entry) for entry in found]
    assert len(set(entries)) == len(entries)
    assert {42, None} <= {one for one in found if not isinstance(one, dict | list)}


@pytest.mark.parametrize(
    ("answer", "code", "kept"),
    [
        ({}, "malformed-list", 0),
        ({"tools": {"a": 1}}, "malformed-list", 0),
        ({"tools": [], "nextCursor": 5}, "malformed-cursor", 0),
        ({"tools": [], "nextCursor": "x" * 5_000}, "malformed-cursor", 0),
        ({"tools": [{}] * (TOOL_LIMIT + 7)}, "list-cut-short", TOOL_LIMIT),
    ],
    ids=["no tools", "an object", "a number", "long", "too many"],
)
def test_a_page_that_cannot_be_followed_is_said(
    answer: dict[str, Any], code: str, kept: int
) -> None:
    pages = ListPages()
    assert not pages.add(answer)
    (finding,) = pages.listing().findings
    assert (finding.code, len(pages.listing().entries)) == (code, kept)
    assert kept or finding.message == pages.listing().missing


@pytest.mark.parametrize(("cursor", "is_whole"), [("", True), ("2", False)])
def test_an_empty_cursor_is_a_cursor_and_ends_a_list(cursor: str, is_whole: bool) -> None:
    pages = ListPages()
    assert pages.add({"tools": [1], "nextCursor": cursor})
    assert pages.cursor == cursor
    assert not pages.add({"tools": [1], "nextCursor": cursor})
    assert [finding.code for finding in pages.listing().findings] == ["cursor-ignored"]
    assert (pages.listing().missing == "") is is_whole


def test_a_later_page_that_fails_keeps_the_ones_before() -> None:
    pages = ListPages()
    assert pages.add({"tools": [1, 2], "nextCursor": "b"})
    assert not pages.add(NoResponse())
    assert pages.listing().entries == (1, 2)
    assert [finding.code for finding in pages.listing().findings] == ["list-cut-short"]
    with pytest.raises(GreetingFailed):
        ListPages().add(NoResponse())
