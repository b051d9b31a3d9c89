"""Ids match by type and value: no forged answer displaces the real one, and each is a finding."""

from __future__ import annotations

import pytest

from signoff.app.transport.events import Ended
from tests.approved import approved
from tests.tiers import first_quick
from tests.transport.linked import call
from tests.transport.webbed import Asked, answer, events, greets, over, to_listed, web

PROSE = approved("transport")

FORGED = {
    "forged_string": ["answer-other-id"],
    "forged_true": ["malformed-id"],
    "forged_null": ["malformed-id"],
    "forged_list": ["malformed-id"],
    "forged_half": ["malformed-id"],
    "forged_blank": ["answer-unknown"],
    "forged_next": ["answer-unknown"] * 3,
    "cancels_the_call": ["cancel-unknown"] * 6,
    "progress_by_other_tokens": ["progress-unknown"] * 5,
    "all_members": [],
}
WAYS = pytest.mark.parametrize("way", ["stdio", "http"])


@WAYS
async def test_the_real_answer_arrives_and_the_forged_one_is_a_finding(way: str) -> None:
    # Ids of the greeting are known from forged ones, and an error without an id ends no call.
    ours = ["answered-twice", "answer-unknown", "answer-unknown"]
    on_stdio = {"forged_ours": ours, "anonymous_error": ["answer-without-id"]}
    async with over(way, "--with", "all") as (link, heard):
        for tool, expected in (FORGED | (on_stdio if way == "stdio" else {})).items():
            before = len(heard.codes)
            reply = await call(link, tool)
            assert reply.result == {"content": [{"type": "text", "text": "the real answer"}]}, tool
            assert heard.codes[before:] == expected, tool
        before = len(heard.codes)
        reply = await call(link, "result_and_error")
        assert reply.error is not None
        assert reply.error.message == "both"
        assert heard.codes[before:] == ["result-and-error"]
        if way == "stdio":
            PROSE.holds(
                "message: method and result", (await call(link, "method_and_result")).problem
            )
            assert heard.codes[before + 1 :] == ["request-and-answer"]
        assert await link.list_tools() is not None
        assert heard.of(Ended) == []


@WAYS
@pytest.mark.parametrize("tool", first_quick(["answered_as_float", "answered_as_exponent"], 2))
async def test_the_same_number_in_another_spelling_answers_and_is_reported(
    way: str, tool: str
) -> None:
    async with over(way, "--with", "all") as (link, heard):
        reply = await call(link, tool)
        assert reply.has_result
        assert "malformed-id" in heard.codes
        assert (await call(link, "echo", {"text": "still here"})).has_result


@pytest.mark.parametrize(
    ("identity", "code"),
    first_quick(
        [
            ('"{}"', "answer-other-id"),
            ("7{}", "answer-unknown"),
            ("true", "malformed-id"),
            ("[{}]", "malformed-id"),
        ],
        2,
        several=True,
    ),
)
@pytest.mark.parametrize("is_stream", first_quick([False, True], 2))
async def test_over_http_a_body_with_another_id_fails_its_call_at_once(
    identity: str, code: str, is_stream: bool
) -> None:
    def answers(asked: Asked) -> bytes:
        if asked.method != "tools/call":
            return greets(asked)
        given = identity.format(asked.message["id"])
        body = f'{{"jsonrpc":"2.0","id":{given},"result":{{}}}}'
        return events(body) if is_stream else answer("200 OK", body.encode())

    async with web(answers) as served, to_listed(served.url) as (link, heard):
        reply = await call(link, "echo")
        assert not reply.has_result
        assert reply.problem
        assert heard.codes == [code]
