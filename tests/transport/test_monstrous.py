"""Entries and blocks that break a limit of JSON, over both links: they are flagged alone."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.content.json.parts import Flawed
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.transport.events import Ended, Listing
from tests.servers import raw
from tests.servers.monstrous import MONSTROUS
from tests.transport.linked import call, linked
from tests.transport.webbed import scripted, to_listed

WHOLE = ("half", "twice")
ALL = ("--only", "echo,change_silently", "--monstrous", ",".join(MONSTROUS))
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def judged(listing: Listing | None) -> dict[str, Any]:
    assert listing is not None
    assert listing.findings == ()
    return {tool.name: tool for tool in read_tools(listing.entries)}


def check(tools: dict[str, Any]) -> None:
    assert set(tools) == {"echo", "change_silently", *MONSTROUS}
    for name in MONSTROUS:
        codes = [finding.code for finding in tools[name].findings]
        assert tools[name].callable == (name in WHOLE), name
        if name not in WHOLE:
            large = name == "long"
            assert codes == ["definition-too-large" if large else "definition-unreadable"], name
    assert tools["twice"].findings[0].code == "duplicate-key"
    assert tools["echo"].callable
    assert tools["echo"].findings == ()


@ERAS
async def test_over_stdio_no_entry_hides_the_list(era: str) -> None:
    async with linked(raw(*ALL, "--era", era)) as (link, heard):
        check(judged(await heard.one(Listing, 30)))
        assert (await call(link, "echo", {"text": "a"})).has_result
        # Once more, as after list_changed and for the last look before sending.
        check(judged(await link.list_tools()))
        assert heard.of(Ended) == []


@ERAS
async def test_over_http_no_entry_hides_the_list(era: str) -> None:
    with scripted(*ALL, "--era", era) as (url, _):
        async with to_listed(url) as (link, heard):
            check(judged(heard.of(Listing)[0]))
            assert (await call(link, "echo", {"text": "a"})).has_result
            check(judged(await link.list_tools()))
            assert heard.of(Ended) == []


@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_a_block_that_is_nested_too_deeply_is_flagged_alone(way: str) -> None:
    switches = ("--with", "deep_block,deep,huge_integer,not_json_numbers")

    async def check_answers(link: Any) -> None:
        reply = await call(link, "deep_block")
        found = read_answer(reply.result)
        assert found is not None
        assert [type(part).__name__ for part in found.parts] == [
            *("TextPart", "UnknownPart", "TextPart")
        ]
        for tool in ("deep", "huge_integer", "not_json_numbers"):
            reply = await call(link, tool)
            assert isinstance(reply.result, dict)
            assert isinstance(reply.result["structuredContent"], Flawed), tool

    if way == "stdio":
        async with linked(raw(*switches)) as (link, heard):
            await heard.one(Listing)
            await check_answers(link)
    else:
        with scripted(*switches) as (url, _):
            async with to_listed(url) as (link, _heard):
                await check_answers(link)
