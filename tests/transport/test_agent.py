"""The ACP client: its requests, permission answers, limits, and the certain end of an agent."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from signoff.app.features.agent.tapped import Tap
from signoff.app.protocol.acp import Fields, OptionKind, PermissionRequest, text_of, texts_of
from signoff.app.transport.acp import AUTHENTICATION, AcpAgent, AcpError, AgentEnded, AgentTimeout
from tests.e2e.processes import wait_gone
from tests.servers import acp_agent, named
from tests.tiers import first_quick


class Seen:
    """What an agent asked and reported, and what passed the tap."""

    def __init__(self, answer: str | None = "once") -> None:
        self.answer = answer
        self.requests: list[PermissionRequest] = []
        self.updates: list[Fields] = []

    async def permit(self, request: PermissionRequest) -> str | None:
        self.requests.append(request)
        return self.answer

    @property
    def text(self) -> str:
        chunks = [one for one in self.updates if text_of(one, "sessionUpdate").endswith("_chunk")]
        return " ".join(text for one in chunks for text in texts_of(one))


@asynccontextmanager
async def started(
    seen: Seen, *behaviours: str, seconds: float = 60
) -> AsyncIterator[tuple[AcpAgent, Tap]]:
    command = acp_agent(*behaviours)
    with Tap() as tap:
        async with AcpAgent(
            command,
            cwd=os.getcwd(),
            env=dict(os.environ),
            on_permission=seen.permit,
            on_update=seen.updates.append,
            start_seconds=seconds,
        ) as agent:
            yield agent, tap


async def play(seen: Seen, script: str, *behaviours: str) -> list[tuple[str, object]]:
    """One turn; returns the calls that the server got."""
    async with started(seen, *behaviours) as (agent, tap):
        await agent.initialize()
        await agent.new_session(os.getcwd(), [tap.server("demo", named("one=r", "two=d"))])
        assert await agent.prompt(script) == "end_turn"
        return calls(tap)


def calls(tap: Tap) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for one in tap.passed():
        message = one.message if isinstance(one.message, dict) else {}
        params = message.get("params")
        if message.get("method") == "tools/call" and isinstance(params, dict):
            assert one.sender == "agent"
            found.append((str(params["name"]), params["arguments"]))
    return found


async def test_an_allowed_call_runs_and_the_request_is_whole() -> None:
    seen = Seen()
    assert await play(seen, 'two {"path": "a"}', "demands") == [("two", {"path": "a"})]
    request = seen.requests[0]
    assert (request.number, request.title, request.call_id) == (1, "mcp__demo__two", "c1")
    assert [one.kind for one in request.options] == list(OptionKind)[1::-1] + list(OptionKind)[2:4]
    assert "I am done." in seen.text
    # Files, terminals and unknown requests are refused.
    assert seen.text.count("-32601") == 3


@pytest.mark.parametrize("answer", first_quick(["no", None, "an id that was not offered"]))
async def test_any_other_answer_runs_nothing(answer: str | None) -> None:
    seen = Seen(answer)
    assert await play(seen, "two") == []
    assert ("no" if answer == "no" else "cancelled") in seen.text


async def test_a_fault_in_the_callback_cancels() -> None:
    class Failing(Seen):
        async def permit(self, request: PermissionRequest) -> str | None:
            raise ValueError("a fault")

    seen = Failing()
    assert await play(seen, "two") == []
    assert "cancelled" in seen.text


async def test_earlier_updates_of_the_same_call_are_merged() -> None:
    seen = Seen()
    await play(seen, 'two {"path": "a"}', "bare")
    request = seen.requests[0]
    assert "rawInput" not in request.tool_call
    assert request.known["rawInput"] == {"path": "a"}
    assert request.title.startswith("Requesting approval")


async def test_garbage_and_floods_are_noted_and_the_rest_goes_on() -> None:
    seen = Seen()
    async with started(seen, "garbage") as (agent, tap):
        await agent.initialize()
        await agent.new_session(os.getcwd(), [tap.server("demo", named("two"))])
        assert await agent.prompt("two") == "end_turn"
        assert calls(tap) == [("two", {})]
        noted = " ".join(agent.problems)
        assert len(agent.problems) >= 8
        assert "20,000," in noted
        assert not any(ord(char) < 32 for char in noted)
        assert len(seen.updates) > 5_000


async def test_cancelling_answers_an_open_question() -> None:
    class Slow(Seen):
        async def permit(self, request: PermissionRequest) -> str | None:
            self.requests.append(request)
            await agent.cancel()
            return await super().permit(request)

    seen = Slow()
    async with started(seen) as (agent, tap):
        await agent.initialize()
        await agent.new_session(os.getcwd(), [tap.server("demo", named("two"))])
        assert await agent.prompt("two") == "cancelled"


async def test_no_answer_to_initialize_ends_in_time() -> None:
    async with started(Seen(), "mute", seconds=0.2) as (agent, _):
        with pytest.raises(AgentTimeout):
            await agent.initialize()


async def test_an_agent_that_ends_fails_the_prompt_and_keeps_its_last_words() -> None:
    async with started(Seen(), "quits") as (agent, tap):
        await agent.initialize()
        await agent.new_session(os.getcwd(), [tap.server("demo", named("two"))])
        with pytest.raises(AgentEnded):
            await agent.prompt("two")
        with pytest.raises(AgentEnded):
            await agent.prompt("two")
        assert "out of luck" in agent.stderr
        assert "3" in agent.ended


async def test_a_sign_in_that_is_wanted_has_its_code() -> None:
    async with started(Seen(), "signs") as (agent, _):
        await agent.initialize()
        with pytest.raises(AcpError) as caught:
            await agent.new_session(os.getcwd(), [])
        assert caught.value.code == AUTHENTICATION


async def test_a_missing_program_is_an_error() -> None:
    agent = AcpAgent(["/no/such"], cwd=os.getcwd(), env={}, on_permission=Seen().permit)
    with pytest.raises(AcpError, match="/no/such"):
        await agent.__aenter__()
    await agent.close()


async def test_the_agent_gets_the_given_environment_alone(tmp_path: Path) -> None:
    place = tmp_path / "env"
    code = f"import os; open({str(place)!r}, 'w').write(' '.join(sorted(os.environ)))"
    async with AcpAgent(
        [sys.executable, "-I", "-S", "-c", code],
        cwd=str(tmp_path),
        env={"ONLY": "this"},
        on_permission=Seen().permit,
    ) as agent:
        with pytest.raises(AcpError):
            await agent.initialize()
    names = set(place.read_text().split())
    assert "ONLY" in names
    assert "HOME" not in names
    assert "PATH" not in names


async def test_closing_ends_children_in_sessions_of_their_own(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no sessions")
    place = tmp_path / "pid"
    async with started(Seen(), "child", str(place)) as (agent, tap):
        await agent.initialize()
        await agent.new_session(os.getcwd(), [tap.server("demo", named("two"))])
    wait_gone(int(place.read_text()))
