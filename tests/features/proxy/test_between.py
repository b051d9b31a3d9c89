"""A proxy between: whatever a server answers comes as it does without, over each pair of
transports.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from signoff.app.transport.events import Listing
from tests.servers import raw
from tests.transport.http.test_http import SAME
from tests.transport.linked import Heard, Made, linked
from tests.transport.webbed import scripted, to_listed

PROXY = [sys.executable, "-m", "signoff.app", "proxy"]
WAYS = ("stdio to stdio", "stdio to http", "http to stdio", "http to http")
HOLDING = ("--policy", "cautious", "--trust", "--hold", "0.2")
"""A policy that lets read-only tools run, and asks about the others, which nobody answers."""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a proxy that a link starts as its server: that inherits no other variable of state."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@contextlib.contextmanager
def listening(words: Sequence[str]) -> Iterator[str]:
    """A proxy to which hosts connect; gives its URL."""
    process = subprocess.Popen(
        [*PROXY, "--listen", "0", *words],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        yield line.split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=60)


@contextlib.asynccontextmanager
async def through(
    way: str, *switches: str, options: Sequence[str] = ()
) -> AsyncIterator[tuple[Any, Heard]]:
    """A listed link through a proxy to the scripted server."""
    host, _, server = way.partition(" to ")
    with contextlib.ExitStack() as ending:
        if server == "http":
            url, _ = ending.enter_context(scripted(*switches))
            words = [*options, "--url", url]
        else:
            words = [*options, "--", *raw(*switches)]
        if host == "http":
            async with to_listed(ending.enter_context(listening(words))) as found:
                yield found
            return
        async with linked([*PROXY, *words]) as (link, heard):
            await heard.one(Listing)
            yield link, heard


async def replies(link: Any, tools: Sequence[str]) -> dict[str, str]:
    found = {}
    for tool in tools:
        reply = await Made().make(link, tool, SAME[tool])
        found[tool] = repr(reply)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("way", WAYS)
async def test_every_answer_is_as_without_a_proxy(way: str, era: str) -> None:
    tools = [one for one in SAME if one != "asks_ping" and one != "twice"]
    async with linked(raw("--with", "all", "--era", era)) as (link, heard):
        await heard.one(Listing)
        without = await replies(link, tools)
    async with through(way, "--with", "all", "--era", era) as (link, _):
        assert await replies(link, tools) == without


async def test_an_answer_is_as_without_a_proxy() -> None:
    async with through("http to stdio") as (link, _):
        made = Made()
        reply = await made.make(link, "slow", {"steps": 3, "seconds": 0.05})
        assert reply.has_result
        assert len(made.progress) == 3


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_policy_lets_through_what_it_allows_and_nothing_else(
    way: str, era: str, tmp_path: Path
) -> None:
    received = tmp_path / "received"
    switches = ("--era", era, "--received", str(received))
    async with through(way, *switches, options=HOLDING) as (link, _):
        echoed = await Made().make(link, "echo", {"text": "half \ud83d, ü, \u2028"})
        assert echoed.has_result
        assert "half \\ud83d" in json.dumps(echoed.result)
        denied = await Made().make(link, "delete_thing")
        assert isinstance(denied.result, dict)
        assert denied.result["isError"] is True
        assert "Signoff did not send this call" in str(denied.result["content"])
        unknown = await Made().make(link, "no_such_tool")
        assert "does not list" in str(unknown.result)
    sent = received.read_text()
    assert "echo" in sent
    assert "delete_thing" not in sent
    assert "no_such_tool" not in sent
