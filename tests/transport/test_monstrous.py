"""Entries and blocks that break a limit of JSON, over both links: they are flagged alone."""

from __future__ import annotations

from typing import Any

import pytest

from signoff.app.content.json.parts import Flawed
from signoff.app.protocol.answers.content import read_answer
from signoff.app.protocol.tool_reading import read_tools
from signoff.app.transport.events import Ended, Listing
from tests.servers.monstrous import MONSTROUS
from tests.transport.linked import call
from tests.transport.webbed import over

WHOLE = ("half", "twice")
ALL = ("--only", "echo,change_silently", "--monstrous", ",".join(MONSTROUS))
WAYS = pytest.mark.parametrize("way", ["stdio", "http"])


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


@WAYS
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_no_entry_hides_the_list(way: str, era: str) -> None:
    async with over(way, *ALL, "--era", era) as (link, heard):
        check(judged(heard.of(Listing)[0]))
        assert (await call(link, "echo", {"text": "a"})).has_result
        # Once more, as after list_changed and for the last look before sending.
        check(judged(await link.list_tools()))
        assert heard.of(Ended) == []


@WAYS
async def test_a_block_that_is_nested_too_deeply_is_flagged_alone(way: str) -> None:
    async with over(way, "--with", "deep_block,deep,huge_integer,not_json_numbers") as (link, _):
        found = read_answer((await call(link, "deep_block")).result)
        assert found is not None
        kinds = [type(part).__name__ for part in found.parts]
        assert kinds == ["TextPart", "UnknownPart", "TextPart"]
        for tool in ("deep", "huge_integer", "not_json_numbers"):
            reply = await call(link, tool)
            assert isinstance(reply.result, dict)
            assert isinstance(reply.result["structuredContent"], Flawed), tool
