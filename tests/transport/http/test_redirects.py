"""Redirects: which are followed, and that an approved message is written once."""

from __future__ import annotations

import pytest

from signoff.app.transport.events import Ended
from tests.transport.linked import call
from tests.transport.webbed import Asked, answer, for_calls, greets, result, to, to_listed, web


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
async def test_an_approved_call_is_written_once(status: str) -> None:
    answers = for_calls(answer(status, more="Location: /other\r\n"))
    async with web(answers) as served, to_listed(served.url) as (link, _):
        await call(link, "echo")
    assert [one.path for one in served.asked if one.method == "tools/call"] == ["/mcp"]


async def test_calls_go_to_where_the_handshake_was_redirected() -> None:
    def answers(asked: Asked) -> bytes:
        if asked.path == "/mcp":
            return answer("307 Temporary Redirect", more="Location: /other\r\n")
        if asked.method == "tools/call":
            return result(asked, {"content": []})
        return greets(asked)

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        await call(link, "echo")
    assert [one.path for one in served.asked if one.method == "tools/call"] == ["/other"]
    assert heard.of(Ended) == []


@pytest.mark.parametrize(
    "where", ["http://localhost:{port}/other", "http://u:p@127.0.0.1:{port}/other"]
)
async def test_another_host_and_other_credentials_are_another_place(where: str) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.path == "/mcp":
            place = where.format(port=served.url.rsplit(":", 1)[1].partition("/")[0])
            return answer("307 Temporary Redirect", more=f"Location: {place}\r\n")
        return greets(asked)

    async with web(answers) as served, to(served.url) as (_, heard):
        await heard.one(Ended)
    assert {one.path for one in served.asked} == {"/mcp"}
